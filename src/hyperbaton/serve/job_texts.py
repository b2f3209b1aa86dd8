"""The texts of a job: uploaded files under the server's own names, shown by the user's names.

Before anything is computed, a user sees their first lines, counts and problems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.errors import HyperbatonError, TooLongError
from hyperbaton.files.columns import READERS, read_texts, table_labels
from hyperbaton.files.lines import count_lines, open_bytes
from hyperbaton.text.plurals import count_noun

FIRST_LINES = 8
FIRST_CHARACTERS = 300
LISTED_EMPTY = 5  # line numbers of empty lines that are listed
MAX_COLUMNS = 500
MAX_HEADING = 200  # characters
# Signs that a column may not have in the notation of the command line, and unpaired surrogates.
UNNAMEABLE = re.compile("[/\\\\\0\ud800-\udfff]")


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


def inspect_file(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of an uploaded file; None for a text.

    They are headings, keys of the first row, or names in the schema. Those that the command line
    cannot name are left out.

    Raises
    ------
    InputError
        If the file cannot be read.
    TooLongError
        If it expands to more than ``max_bytes``.
    """
    path, kind, limit = request["path"], request["kind"], request["max_bytes"]
    reader = READERS.get(kind)
    if reader is not None and reader.expanded_bytes is not None:
        check_expanded_size(reader.expanded_bytes(path), limit)
    else:
        check_compressed_text(path, limit)
    if reader is None:
        return {"columns": None}
    columns = dict.fromkeys(name for name in reader.columns(path) if 0 < len(name) <= MAX_HEADING)
    named = [name for name in columns if not UNNAMEABLE.search(name)]
    return {"columns": named[:MAX_COLUMNS]}


def check_compressed_text(path: str, limit: int) -> None:
    """Raise an error if a compressed file expands to more bytes than the limit."""
    size = 0
    try:
        with open_bytes(path) as stream:
            while chunk := stream.read(1 << 20):
                size += len(chunk)
                check_expanded_size(size, limit)
    except OSError:
        pass  # reading the text will say what is wrong


def check_expanded_size(size: int, limit: int) -> None:
    """Raise an error if a file expands to more bytes than the limit."""
    if size > limit:
        raise TooLongError(0, f"the file expands to more than {limit // 1_000_000:,} MB")


def preview_request(request: Mapping[str, Any]) -> dict[str, Any]:
    """Read all texts of a job, and compare their numbers of lines.

    Returns
    -------
    dict
        ``texts``, one for each input; ``problems``, what keeps a job from starting; ``ready``.
    """
    inputs = [JobInput(**given) for given in request["inputs"]]
    names = report_names(inputs)
    texts = [
        read_preview(given) | {"label": names.get(given.name) if given.role == "system" else None}
        for given in inputs
    ]
    problems = [text["problem"] for text in texts if text["problem"]]
    problems += find_unequal(texts)
    problems += find_equal_names([given.name for given in inputs if given.role == "system"])
    roles = {given.role for given in inputs}
    for role in ("system", "reference"):
        if role not in roles:
            problems.append(f"there is no {role}")
    return {"texts": texts, "problems": problems, "ready": not problems}


def report_names(inputs: Sequence[JobInput]) -> dict[str, str]:
    """Return the name that each system has in the report, by its own name."""
    systems = [given for given in inputs if given.role == "system"]
    is_file = [not given.is_named and given.column is None for given in systems]
    return table_labels([given.name for given in systems], is_file)


def read_preview(given: JobInput) -> dict[str, Any]:
    """Read one text: its first lines, its empty lines, and the first error."""
    first: list[str] = []
    empty: list[int] = []
    count = empty_count = 0
    lines: int | None = None
    problem = bad_line = None
    try:
        for texts in read_texts(given.source):
            count += 1
            if len(first) < FIRST_LINES:
                first.append("\n".join(clip(text) for text in texts))
            if any(not text.strip() for text in texts):
                empty_count += 1
                if len(empty) < LISTED_EMPTY:
                    empty.append(count)
        lines = count
        if not count:
            problem = f"{given.file_name} is empty"
    except HyperbatonError as error:
        problem = given.describe(str(error))
        lines = count_lines(given.path) if given.kind == "text" else None
        bad_line = find_bad_line(given, count + 1)
    return {
        "role": given.role,
        "name": given.name,
        "lines": lines,
        "first": first,
        "empty": {"count": empty_count, "first": empty},
        "problem": problem,
        "bad_line": bad_line,
    }


def find_bad_line(given: JobInput, number: int) -> dict[str, Any] | None:
    """Return the line that cannot be read, with a sign for each byte that is not UTF-8."""
    if given.kind != "text":
        return None
    try:
        with open_bytes(given.path) as stream:
            for current, line in enumerate(stream, 1):
                if current == number:
                    text = line.decode("utf-8", errors="replace").replace("\0", "\ufffd")
                    return {"number": number, "text": clip(text.rstrip("\r\n"))}
    except OSError:
        pass
    return None


def find_unequal(texts: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a sentence for each text whose number of lines is not that of the first reference."""
    known = [text for text in texts if text["lines"] is not None and not text["problem"]]
    first = next((text for text in known if text["role"] == "reference"), None)
    for text in known:
        if first is not None and text["lines"] != first["lines"]:
            yield (
                f"{text['name']} has {count_noun(text['lines'], 'line')}, but {first['name']} has "
                f"{first['lines']:,}"
            )


def find_equal_names(names: list[str]) -> Iterator[str]:
    """Yield a sentence for each name that several systems have."""
    for name, times in Counter(names).items():
        if times > 1:
            yield f"{times} systems have the name {name}: change their names in the report"


def clip(text: str) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= FIRST_CHARACTERS else text[: FIRST_CHARACTERS - 1] + "…"
