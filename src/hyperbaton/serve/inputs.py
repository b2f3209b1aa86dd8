"""The texts of a job: uploaded files under the server's own names, shown by the user's names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class JobInput:
    """One text of a job.

    Attributes
    ----------
    role : str
        ``"system"``, ``"reference"`` or ``"source"``.
    path : str
        Where the server keeps the file.
    kind : str
        ``"text"``, or the format of its columns: ``"tsv"``, ``"jsonl"`` or ``"parquet"``.
    column : str or None
        The column, if the file has columns.
    file_name : str
        The name of the file as the user knows it.
    name : str
        What the text is called in results and messages.
    is_named : bool
        Whether the user chose the name; otherwise it is that of the file.
    example : bool
        Whether the file is part of the example set.
    """

    role: str
    path: str
    kind: str
    column: str | None
    file_name: str
    name: str
    is_named: bool = False
    example: bool = False

    @property
    def source(self) -> str:
        """The text in the notation of the command line, with the server's path."""
        return self.path if self.column is None else f"{self.path}:{self.column}"

    @property
    def user_source(self) -> str:
        """The text in the notation of the command line, with the user's file name."""
        file = f"./{self.file_name}" if self.file_name.startswith("-") else self.file_name
        source = file if self.column is None else f"{file}:{self.column}"
        return f"{self.name}={source}" if self.is_named and self.can_be_named else source

    @property
    def can_be_named(self) -> bool:
        """Whether the name can be written on the command line: ``name=file``."""
        return not any(sign in self.name for sign in "=/\\") and not self.name.startswith("-")

    def describe(self, message: str) -> str:
        """Return a message about this text in which the server's path is the user's file name."""
        return message.replace(self.path, self.file_name)
