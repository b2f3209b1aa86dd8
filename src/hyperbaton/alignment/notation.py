"""Links as text: Pharaoh's ``0-0 1-2`` and Moses' phrases, ``0=0 1-2=1-2``."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.choices import GIVEN
from hyperbaton.errors import InputError, LineError, LinkOutsideError

Ints = npt.NDArray[np.int64]
LinkRow = tuple[int, int, int, int, str]  # hyp, ref, hyp_length, ref_length, matcher

POSSIBLE = "possible"  # the matcher of links that an annotator was not sure of
MAX_PHRASE_PAIRS = 100_000  # word pairs of one phrase link
MAX_SHOWN = 40  # characters of a field in an error message

NUMBER = "([0-9]{1,6})"  # no sentence has a million words
PHARAOH_LINK = re.compile(f"{NUMBER}([-?p]){NUMBER}(?::[01]\\.[0-9]+)?")  # perhaps a posterior
MOSES_LINK = re.compile(f"{NUMBER}(?:-{NUMBER})?={NUMBER}(?:-{NUMBER})?")
PLAIN_LINE = re.compile(r"(?:[0-9]{1,6}-[0-9]{1,6}(?: |$))*")  # the format of nearly all lines
ZERO_INDEX = re.compile(r"(?<![0-9])0+(?![0-9])")


def parse_links(text: str, base: int = 0, possible: bool = True) -> list[LinkRow]:
    """Parse the links of a line.

    Parameters
    ----------
    text
        Links separated by white space. ``0-1`` is a sure link; ``0?1`` and ``0p1`` are possible
        ones. The posterior of a link, as in ``0-1:0.93``, is ignored. ``1-2=3`` links the phrase
        of words 1 to 2 with word 3.
    base : {0, 1}
        Index of the first word.
    possible
        Whether to keep possible links.

    Returns
    -------
    list of (hyp, ref, hyp_length, ref_length, matcher)
        Sorted; positions are 0-based.

    Examples
    --------
    >>> parse_links("0-0 1?2")
    [(0, 0, 1, 1, 'given'), (1, 2, 1, 1, 'possible')]
    >>> parse_links("1=1 2-3=2-4", base=1)
    [(0, 0, 1, 1, 'given'), (1, 1, 2, 3, 'given')]
    """
    if base not in (0, 1):
        raise InputError(f"base must be 0 or 1, got {base!r}")
    matchers: dict[tuple[int, int, int, int], str] = {}
    for field in text.split():
        row, matcher = _parse_link(field)
        if base:
            if min(row[:2]) < 1:
                raise InputError(f"{field!r} has index 0, but words are counted from 1")
            row = (row[0] - 1, row[1] - 1, row[2], row[3])
        if matcher == GIVEN or possible:  # a link that is both sure and possible is sure
            matchers[row] = matcher if matchers.get(row) != GIVEN else GIVEN
    return sorted((*row, matcher) for row, matcher in matchers.items())


def _parse_link(field: str) -> tuple[tuple[int, int, int, int], str]:
    pair = PHARAOH_LINK.fullmatch(field)
    if pair:
        matcher = GIVEN if pair[2] == "-" else POSSIBLE
        return (int(pair[1]), int(pair[3]), 1, 1), matcher
    phrase = MOSES_LINK.fullmatch(field)
    excerpt = repr(field if len(field) <= MAX_SHOWN else f"{field[:MAX_SHOWN]}…")
    if phrase is None:
        raise InputError(f"{excerpt} is not a link such as 0-1 or 1-2=1-2")
    (a, m), (b, n) = (
        (int(first), int(last or first) - int(first) + 1)
        for first, last in (phrase.group(1, 2), phrase.group(3, 4))
    )
    if m < 1 or n < 1:
        raise InputError(f"{excerpt} has a phrase that ends before it begins")
    if m * n > MAX_PHRASE_PAIRS:
        raise InputError(f"{excerpt} has phrases that are too long: {m:,} and {n:,} words")
    return (a, b, m, n), GIVEN


def check_links(
    rows: Iterable[LinkRow],
    lengths: tuple[int, int],
    sides: tuple[str, str] = ("hypothesis", "reference"),
    base: int = 0,
) -> None:
    """Raise `LinkOutsideError` for a link that refers to words outside its sentences.

    The message uses the names of the ``sides`` and counts words from ``base``.
    """
    for row in rows:
        columns = zip(sides, row[:2], row[2:4], lengths, strict=True)
        for side, start, length, sentence_length in columns:
            if start < 0 or length < 1 or start + length > sentence_length:
                link = (
                    f"{row[0] + base}-{row[1] + base}"
                    if row[2:4] == (1, 1)
                    else format_moses([row], base)
                )
                raise LinkOutsideError(
                    f"link {link} is outside the {side}, which has {sentence_length} words"
                )


def count_words(line: str) -> int:
    """Count the words of a line as aligners do: split at ASCII white space, not at no-break spaces.

    >>> count_words("10\u00a0000 euros")
    2
    """
    return len(line.encode("utf-8", "surrogatepass").split())


def format_pharaoh(links: Iterable[tuple[int, int, bool]], base: int = 0) -> str:
    """Format word links (hypothesis word, reference word, whether sure).

    >>> format_pharaoh([(0, 0, True), (1, 2, False)])
    '0-0 1?2'
    """
    return " ".join(f"{a + base}{'-' if sure else '?'}{b + base}" for a, b, sure in links)


def format_moses(rows: Iterable[LinkRow], base: int = 0) -> str:
    """Format phrase links in Moses' notation.

    >>> format_moses([(0, 0, 1, 1, "given"), (1, 1, 2, 3, "given")])
    '0=0 1-2=1-3'
    """

    def format_span(start: int, length: int) -> str:
        first = start + base
        return f"{first}" if length == 1 else f"{first}-{first + length - 1}"

    return " ".join(f"{format_span(a, m)}={format_span(b, n)}" for a, b, m, n, _ in rows)


def parse_pairs(texts: list[str], base: int = 0, possible: bool = True) -> tuple[Ints, Ints, Ints]:
    """Parse the word links of many lines.

    Parameters
    ----------
    texts, base, possible
        See :func:`parse_links`.

    Returns
    -------
    line, word, other_word
        The index of the line and the two words of each link. A phrase contributes every
        combination of its words.

    Raises
    ------
    LineError
        If a line is invalid.

    Examples
    --------
    >>> line, word, other_word = parse_pairs(["0-1 1-0", "", "0-1=0"])
    >>> line.tolist(), word.tolist(), other_word.tolist()
    ([0, 0, 2, 2], [0, 1, 0, 1], [1, 0, 0, 0])
    """
    # Plain lines are parsed all at once, which is ten times as fast as one by one.
    if all(map(PLAIN_LINE.fullmatch, texts)):
        counts = [text.count("-") for text in texts]
        numbers = " ".join(texts).replace("-", " ").split()
        flat = np.array(numbers, np.int64) - base
        if flat.size == 0 or flat.min() >= 0:
            return np.repeat(np.arange(len(texts)), counts), flat[0::2], flat[1::2]
    links: list[tuple[int, int, int]] = []
    for k, text in enumerate(texts):
        try:
            rows = parse_links(text, base, possible)
        except InputError as error:
            raise LineError(k, str(error)) from None
        links += [(k, a + i, b + j) for a, b, m, n, _ in rows for i in range(m) for j in range(n)]
    table = np.array(links, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def required_lengths(rows: Iterable[LinkRow]) -> tuple[int, int]:
    """Return how many words the two sentences of some links must have."""
    ends = [(row[0] + row[2], row[1] + row[3]) for row in rows]
    return max((a for a, _ in ends), default=0), max((b for _, b in ends), default=0)


def split_hint(side: str) -> str:
    """Return a hint for links that do not fit a source or target that is split at spaces."""
    option = "source-tokenize" if side == "source" else "tokenize"
    return (
        f"{side} words are split at spaces; if the links refer to tokens, use --{option} 13a, "
        f"in Python {option.replace('-', '_')}='13a'"
    )
