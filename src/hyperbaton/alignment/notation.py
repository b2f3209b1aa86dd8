"""Links as text: Pharaoh's ``0-0 1-2`` and Moses' phrases, ``0=0 1-2=1-2``."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, LineError, LinkOutsideError

Ints = npt.NDArray[np.int64]
Row = tuple[int, int, int, int, str]

GIVEN = "given"  # the matcher of links that were not found but given
POSSIBLE = "possible"  # of those that an annotator was not sure of
NUMBER = "([0-9]{1,6})"  # more words no sentence has
MOST_PAIRS = 100_000  # of words, in two phrases that are linked
SHORT = 40  # characters of a field that an error shows
PHARAOH = re.compile(f"{NUMBER}([-?p]){NUMBER}")
PHRASES = re.compile(f"{NUMBER}(?:-{NUMBER})?={NUMBER}(?:-{NUMBER})?")
PLAIN = re.compile(r"(?:[0-9]{1,6}-[0-9]{1,6}(?: |$))*")  # what nearly all lines are
ZERO = re.compile(r"(?<![0-9])0+(?![0-9])")


def parse_links(text: str, base: int = 0, possible: bool = True) -> list[Row]:
    """The links of a line, sorted: where each begins on either side, its lengths, its matcher.

    >>> parse_links("0-0 1?2")
    [(0, 0, 1, 1, 'given'), (1, 2, 1, 1, 'possible')]
    >>> parse_links("1=1 2-3=2-4", base=1)
    [(0, 0, 1, 1, 'given'), (1, 1, 2, 3, 'given')]

    ``0-1`` is a sure link; ``0?1`` and ``0p1`` are possible ones, which are left out if
    ``possible`` is false. ``1-2=3`` links the words from 1 to 2, as a phrase, with word 3. The
    first word is ``base``: 0 or 1.
    """
    if base not in (0, 1):
        raise InputError(f"base is 0 or 1, not {base!r}")
    rows: dict[tuple[int, int, int, int], str] = {}
    for field in text.split():
        row, matcher = _parse(field)
        if base:
            if min(row[:2]) < 1:
                raise InputError(f"{field!r} has a 0, but words are counted from 1")
            row = (row[0] - 1, row[1] - 1, row[2], row[3])
        if matcher == GIVEN or possible:  # what is sure and possible is sure
            rows[row] = matcher if rows.get(row) != GIVEN else GIVEN
    return sorted((*row, matcher) for row, matcher in rows.items())


def _parse(field: str) -> tuple[tuple[int, int, int, int], str]:
    pair = PHARAOH.fullmatch(field)
    if pair:
        matcher = GIVEN if pair[2] == "-" else POSSIBLE
        return (int(pair[1]), int(pair[3]), 1, 1), matcher
    phrase = PHRASES.fullmatch(field)
    shown = repr(field if len(field) <= SHORT else f"{field[:SHORT]}…")
    if phrase is None:
        raise InputError(f"{shown} is not a link such as 0-1 or 1-2=1-2")
    (a, m), (b, n) = (
        (int(first), int(last or first) - int(first) + 1)
        for first, last in (phrase.group(1, 2), phrase.group(3, 4))
    )
    if m < 1 or n < 1:
        raise InputError(f"{shown} has a phrase that ends before it begins")
    if m * n > MOST_PAIRS:
        raise InputError(f"{shown} has phrases of too many words, {m:,} and {n:,}")
    return (a, b, m, n), GIVEN


def check_links(
    rows: Iterable[Row],
    lengths: tuple[int, int],
    sides: tuple[str, str] = ("hypothesis", "reference"),
    base: int = 0,
) -> None:
    """Refuse a link that leaves its sentences; it is named as it is written there."""
    for row in rows:
        for side, at, length, most in zip(sides, row[:2], row[2:4], lengths, strict=True):
            if at < 0 or length < 1 or at + length > most:
                shown = (
                    f"{row[0] + base}-{row[1] + base}"
                    if row[2:4] == (1, 1)
                    else format_moses([row], base)
                )
                raise LinkOutsideError(
                    f"link {shown} is outside the {side}, which has {most} words"
                )


def count_words(line: str) -> int:
    """How many words aligners see in a line: what is between spaces, but no-break ones are none.

    >>> count_words("10\u00a0000 euros")
    2
    """
    return len(line.encode("utf-8", "surrogatepass").split())


def format_pharaoh(links: Iterable[tuple[int, int, bool]], base: int = 0) -> str:
    """Pairs of words, and whether they are sure.

    >>> format_pharaoh([(0, 0, True), (1, 2, False)])
    '0-0 1?2'
    """
    return " ".join(f"{a + base}{'-' if sure else '?'}{b + base}" for a, b, sure in links)


def format_moses(rows: Iterable[Row], base: int = 0) -> str:
    """Phrases as Moses writes them.

    >>> format_moses([(0, 0, 1, 1, "given"), (1, 1, 2, 3, "given")])
    '0=0 1-2=1-3'
    """

    def side(at: int, length: int) -> str:
        first = at + base
        return f"{first}" if length == 1 else f"{first}-{first + length - 1}"

    return " ".join(f"{side(a, m)}={side(b, n)}" for a, b, m, n, _ in rows)


def parse_pairs(texts: list[str], base: int = 0, possible: bool = True) -> tuple[Ints, Ints, Ints]:
    """Of many lines the pairs of words: line, word, other word; of a phrase, every pair.

    >>> line, word, other = parse_pairs(["0-1 1-0", "", "0-1=0"])
    >>> line.tolist(), word.tolist(), other.tolist()
    ([0, 0, 2, 2], [0, 1, 0, 1], [1, 0, 0, 0])

    What is wrong raises a ``LineError``. Plain lines are read all at once, which is ten times as
    fast as one after another.
    """
    if all(map(PLAIN.fullmatch, texts)):
        counts = [text.count("-") for text in texts]
        numbers = " ".join(texts).replace("-", " ").split()
        flat = np.array(numbers, np.int64) - base
        if flat.size == 0 or flat.min() >= 0:
            return np.repeat(np.arange(len(texts)), counts), flat[0::2], flat[1::2]
    lines: list[tuple[int, int, int]] = []
    for k, text in enumerate(texts):
        try:
            rows = parse_links(text, base, possible)
        except ValueError as error:
            raise LineError(k, str(error)) from None
        lines += [(k, a + i, b + j) for a, b, m, n, _ in rows for i in range(m) for j in range(n)]
    table = np.array(lines, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
