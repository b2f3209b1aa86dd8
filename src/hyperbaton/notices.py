"""Warnings and notes as values; only what shows them turns them into lines.

Where a notice says what to do, the words depend on the place: the command line names an option,
Python an argument, and a page what to choose there.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import NamedTuple

WARNING, NOTE = "warning", "note"
DONE = ""  # what was written, which needs no heading


class Advice(NamedTuple):
    """What to do, in the words of each place."""

    command_line: str
    python: str
    page: str


@functools.cache
def advice() -> dict[str, Advice]:
    """Return what may be done, by the option or argument it is about; {} stands for its value."""
    lines = Path(__file__).with_name("advice.tsv").read_text("utf-8").splitlines()
    return {option: Advice(*words) for option, *words in (line.split("\t") for line in lines[1:])}


class Notice(str):
    """What a reader should know before trusting a number. As a string it has Python's words.

    Parameters
    ----------
    fact : str
        What is known.
    kind : {"warning", "note", ""}
    option : str, optional
        A key of :func:`advice`: what to do about it.
    value : str
        The value that the advice names.

    >>> notice = Notice("the references look Japanese", option="language", value="ja")
    >>> print(notice)
    the references look Japanese: give the language, language='ja'
    >>> notice.line("command_line")
    'warning: the references look Japanese: give the language, -l ja'
    >>> notice.about("de-en").line("page")
    'warning: de-en: the references look Japanese: choose the language'
    """

    fact: str
    kind: str
    option: str | None
    value: str

    def __new__(
        cls, fact: str, kind: str = WARNING, option: str | None = None, value: str = ""
    ) -> Notice:
        """Create a notice from its parts."""
        notice = super().__new__(cls, fact + _advice(option, value, "python"))
        notice.fact, notice.kind, notice.option, notice.value = fact, kind, option, value
        return notice

    def __reduce__(self) -> tuple[type[Notice], tuple[str, str, str | None, str]]:
        return Notice, (self.fact, self.kind, self.option, self.value)

    def line(self, place: str) -> str:
        """Return the kind and the notice, in the words of a place (a field of ``Advice``)."""
        heading = f"{self.kind}: " if self.kind else ""
        return f"{heading}{self.fact}{_advice(self.option, self.value, place)}"

    def about(self, name: str, kind: str | None = None) -> Notice:
        """Return the notice as one about a test set or a system, perhaps of another kind."""
        return Notice(f"{name}: {self.fact}", kind or self.kind, self.option, self.value)


def _advice(option: str | None, value: str, place: str) -> str:
    if option is None:
        return ""
    words: str = getattr(advice()[option], place)
    return words.format(value)
