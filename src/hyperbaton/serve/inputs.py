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
        ``"text"``, ``"tsv"``, ``"jsonl"`` or ``"parquet"``.
    column : str or None
        The column, if the file has columns.
    file_name : str
        The name of the file as the user knows it.
    name : str
        What the text is called in results and messages.
    """

    role: str
    path: str
    kind: str
    column: str | None
    file_name: str
    name: str

    @property
    def source(self) -> str:
        """The text in the notation of the command line, with the server's path."""
        return self.path if self.column is None else f"{self.path}:{self.column}"

    @property
    def user_source(self) -> str:
        """The text in the notation of the command line, with the user's file name."""
        return self.file_name if self.column is None else f"{self.file_name}:{self.column}"

    def describe(self, message: str) -> str:
        """Return a message about this text in which the server's path is the user's file name."""
        return message.replace(self.path, self.file_name)
