"""Files of word alignments with one line per sentence pair."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import source_permutations
from hyperbaton.alignment.notation import (
    ZERO_INDEX,
    Ints,
    LinkRow,
    check_links,
    count_words,
    format_moses,
    parse_links,
    parse_pairs,
    required_lengths,
    split_hint,
)
from hyperbaton.errors import InputError, LineError, LinkOutsideError
from hyperbaton.files.columns import check_single, describe_line, read_texts
from hyperbaton.files.lines import StrPath, printable, zip_files
from hyperbaton.files.output_files import write_beside
from hyperbaton.registries import check_choice
from hyperbaton.text.tokenization import Tokenization

SIDES = ("source", "target")
NOTATIONS = ("pharaoh", "moses")
BATCH = 4000  # lines per batch: fast to parse, small in memory
ANY_LENGTH = 1 << 60  # length of a target sentence that is not known
TEXT_HINT = (
    "if this is a text, align it: hyperbaton align --source SRC --train TGT, in Python "
    "SourceAligner.train"
)
Warn = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class LinkBatch:
    """The links of a batch of lines.

    Link ``m`` connects words ``source[m]`` and ``target[m]``, from 0, of line ``line[m]``.
    ``source_lengths`` has the number of source words of each line.
    """

    line: Ints
    source: Ints
    target: Ints
    source_lengths: Ints

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.source_lengths)

    def permutations(self, nulls: str) -> tuple[Ints, Ints]:
        """Return the reordering of each source sentence as flat values and offsets.

        The permutation of a line without links is empty.
        """
        linked = np.bincount(self.line, minlength=len(self)) > 0
        lengths = np.where(linked, self.source_lengths, 0)
        return source_permutations(self.line, self.source, self.target, lengths, nulls)


def read_alignments(
    path: StrPath,
    source: StrPath,
    target: StrPath | None = None,
    *,
    base: int = 0,
    possible: bool = True,
    source_tokenize: str | None = None,
    tokenize: str | None = None,
    warn: Warn = warnings.warn,
) -> Iterator[Alignment]:
    """Read a file of alignments in Pharaoh's or Moses' notation.

    All files may be gzipped, or columns of TSV, JSONL and Parquet files (``file.jsonl:key``).

    Parameters
    ----------
    path
        The file of links.
    source, target
        The aligned texts: tokens separated by spaces, unless a tokeniser is given. Without a
        target, target sentences are as long as the links require.
    base : {0, 1}
        Index of the first word, on both sides.
    possible
        Whether to keep possible links (``0?1``, ``0p1``).
    source_tokenize, tokenize
        Tokenisers whose tokens the links refer to, for texts that are not tokenised.
    warn
        Called with a message if ``base`` is 0 but no index in the file is 0.

    Returns
    -------
    iterator of Alignment
        One alignment for each line.

    Raises
    ------
    InputError
        If a line is invalid. The message names file, line and link.
    """
    file = LinkFile(
        os.fspath(path),
        os.fspath(source),
        None if target is None else os.fspath(target),
        base,
        possible,
        None if source_tokenize is None else Tokenization(source_tokenize),
        None if tokenize is None else Tokenization(tokenize),
    )
    return file.read(warn)


@dataclass(frozen=True)
class LinkFile:
    """A file of links, and the texts that it aligns.

    Attributes
    ----------
    path : str
        The file of links.
    source, target : str
        The texts. Without a target, target sentences are as long as the links require.
    base : int
        Index of the first word.
    possible : bool
        Whether to keep possible links.
    source_text, target_text : Tokenization, optional
        How lines become words; by default split at white space.
    """

    path: str
    source: str
    target: str | None = None
    base: int = 0
    possible: bool = True
    source_text: Tokenization | None = None
    target_text: Tokenization | None = None

    @property
    def paths(self) -> list[str]:
        """All files."""
        texts = [self.source] if self.target is None else [self.source, self.target]
        return [self.path, *texts]

    def read(self, warn: Warn = warnings.warn) -> Iterator[Alignment]:
        """Read the alignment of each line; see :func:`read_alignments`."""
        for number, (text, lengths) in enumerate(self._read_rows(warn), 1):
            try:
                rows = parse_links(text, self.base, self.possible)
            except InputError as error:
                raise self._not_links(number, error, text) from None
            target_length = lengths[1] if self.target else required_lengths(rows)[1]
            self._check_links(rows, (lengths[0], target_length), number, text)
            yield Alignment(lengths[0], target_length, rows)

    def read_batches(self, warn: Warn = warnings.warn, size: int = BATCH) -> Iterator[LinkBatch]:
        """Read the links as arrays, ``size`` lines at a time."""
        lines = self._read_rows(warn)
        lines_before = 0
        while batch := list(islice(lines, size)):
            texts = [text for text, _ in batch]
            lengths = np.array([pair_lengths for _, pair_lengths in batch], np.int64).T
            try:
                links = LinkBatch(*parse_pairs(texts, self.base, self.possible), lengths[0])
            except LineError as error:
                number = lines_before + error.line + 1
                raise self._not_links(number, error, texts[error.line]) from None
            for words, side_lengths in zip((links.source, links.target), lengths, strict=False):
                for m in np.flatnonzero(words >= side_lengths[links.line])[:1]:
                    k = int(links.line[m])
                    other = int(lengths[1, k]) if self.target else ANY_LENGTH
                    rows = parse_links(texts[k], self.base, self.possible)  # again, for the error
                    number = lines_before + k + 1
                    self._check_links(rows, (int(lengths[0, k]), other), number, texts[k])
            yield links
            lines_before += len(batch)

    def _check_links(
        self, rows: Sequence[LinkRow], lengths: tuple[int, int], number: int, text: str
    ) -> None:
        """Raise an error, with hints, for a link of a line that is outside its sentences."""
        try:
            check_links(rows, lengths, SIDES, self.base)
        except LinkOutsideError as error:
            hints = []
            if self.base == 0 and not ZERO_INDEX.search(text):
                hints.append("if words are counted from 1, use --one-based, in Python base=1")
            for side, split, needed, length in zip(
                SIDES,
                (self.source_text, self.target_text),
                required_lengths(rows),
                lengths,
                strict=True,
            ):
                if split is None and needed > length:
                    hints.append(split_hint(side))
            hint = f" ({'; '.join(hints)})" if hints else ""
            raise InputError(f"{describe_line(self.path, number)}: {error}{hint}") from None

    def _not_links(self, number: int, error: InputError, text: str) -> InputError:
        """Return the error of a line that cannot be parsed, with a hint if it is a text."""
        is_text = any(not field[0].isdigit() for field in text.split())
        hint = f" ({TEXT_HINT})" if is_text else ""
        return InputError(f"{describe_line(self.path, number)}: {error}{hint}")

    def _read_rows(self, warn: Warn) -> Iterator[tuple[str, list[int]]]:
        """Yield the links of each line and the number of words of its sentences."""
        paths = self.paths
        counters = [word_counter(text) for text in (self.source_text, self.target_text)]

        def read(name: str) -> Iterator[tuple[str, ...]]:
            is_text = name != self.path
            return read_texts(name) if is_text else _read_links(name, self.base, warn)

        for number, row in enumerate(zip_files(paths, read), 1):
            for name, texts in zip(paths, row, strict=True):
                check_single(name, number, len(texts))
            sentences = (texts[0] for texts in row[1:])
            lengths = [count(line) for count, line in zip(counters, sentences, strict=False)]
            yield row[0][0], lengths


def word_counter(text: Tokenization | None) -> Callable[[str], int]:
    """Return the function that counts the words of a line, by default at white space."""
    if text is None or text.tok == "none":
        return count_words
    return lambda line: len(text.split(line))


def read_link_texts(
    path: str, base: int = 0, possible: bool = True, warn: Warn = warnings.warn
) -> Iterator[tuple[str, ...]]:
    """Read lines of links as texts that count from 0, without possible links unless kept.

    A line may have several texts, see :func:`hyperbaton.files.columns.read_texts`.
    """
    lines = _read_links(path, base, warn)
    if base == 0 and possible:
        yield from lines
        return
    for number, texts in enumerate(lines, 1):
        try:
            yield tuple(format_moses(parse_links(text, base, possible)) for text in texts)
        except InputError as error:
            raise InputError(f"{describe_line(path, number)}: {error}") from None


def write_alignments(
    path: StrPath, alignments: Iterable[Alignment], notation: str = "pharaoh", base: int = 0
) -> None:
    """Write one line per alignment; the file appears when all lines are written.

    Parameters
    ----------
    path
        The file.
    alignments
        The alignments.
    notation : {"pharaoh", "moses"}
        Word links (``0-0 1-2``) or phrase links (``0=0 1-2=1-2``).
    base
        Index of the first word.
    """
    check_choice("notation", notation, NOTATIONS)
    with write_beside(path) as out:
        for alignment in alignments:
            line = alignment.to_pharaoh(base) if notation == "pharaoh" else alignment.to_moses(base)
            out.write(f"{line}\n")


def _read_links(path: str, base: int, warn: Warn) -> Iterator[tuple[str, ...]]:
    """Yield the lines; warn at the end if they have links but ``base`` 0 never occurs."""
    has_links = has_zero = False
    for texts in read_texts(path):
        if not has_zero and base == 0:
            has_links = has_links or any(text.strip() for text in texts)
            has_zero = any(ZERO_INDEX.search(text) for text in texts)
        yield texts
    if has_links and not has_zero:
        warn(
            f"{printable(path)}: no index is 0; if words are counted from 1, use --one-based, "
            "in Python base=1"
        )
