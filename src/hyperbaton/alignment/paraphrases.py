"""METEOR's paraphrase tables, indexed.

A table is text, plain or gzipped, of three lines a record: a probability, a phrase, a paraphrase.
(METEOR's English one calls some hundred numbers above 1 probabilities; any above 0 will do.)

The index is a trie of all phrases and the pairs of its nodes. The nodes are numbered level by
level from the root, 0, and in a level by their parent and their word, so that one sorted array
holds the trie: place k has the parent and the word of node k + 1, packed in one number.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import math
import os
import secrets
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count, islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, MissingData

Ints = npt.NDArray[np.int64]
Match = tuple[int, int, int, int, float]

AT_ONCE = 1 << 16  # records that are read at once

# The cached index: what it is, and the CRC of all that follows. Size and time of the table, the
# numbers of edges and of pairs, the version. Then the arrays, the widest numbers first so that all
# are aligned, and the vocabulary up to the end.
MAGIC = b"HBPARA1\n"  # to be changed with the format
SEAL = struct.Struct("<8sQ")
FACTS = struct.Struct("<qqqq8s")


class Index(NamedTuple):
    """What is cached. Every pair is held once, by one of its two nodes: the pairs of node k are
    at ``first[k]:first[k + 1]`` in ``other`` and ``probability``.
    """

    version: str
    edges: Ints
    probability: npt.NDArray[np.float64]
    first: npt.NDArray[np.int32]
    other: npt.NDArray[np.int32]
    vocabulary: bytes  # the words, each on a line


class ParaphraseTable:
    """Which phrases are paraphrases of each other.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "paraphrase-en")
    ...     _ = file.write_text("0.25\\nas well\\ntoo\\n0.5\\ntoo\\nas well\\n")
    ...     table = ParaphraseTable.open(file)
    >>> table.matches("they came as well".split(), "they came too".split())
    [(2, 2, 2, 1, 0.5)]
    """

    version: str

    def __init__(self, index: Index) -> None:
        self.version = index.version
        self._index = index
        words = index.vocabulary.decode().split("\n")
        self._numbers = {word: number for number, word in enumerate(words)}

    def __repr__(self) -> str:
        return f"<ParaphraseTable {self.version}, {len(self._index.other)} pairs>"

    @staticmethod
    def open(
        path: str | os.PathLike[str], progress: Callable[[int], None] | None = None
    ) -> ParaphraseTable:
        """The table in a file.

        The first time its index is built, which takes a while for a large table; ``progress`` is
        then called now and again with the number of records read so far. The index is kept beside
        the table, with ``.hyperbaton`` after its name, if the folder can be written to.
        """
        table = Path(path)
        if not table.is_file():
            raise MissingData(
                f"no paraphrase table at {table}: METEOR 1.5 has them, as data/paraphrase-en.gz"
            )
        cache = table.with_name(table.name + ".hyperbaton")
        status = table.stat()  # before it is read: if it changes meanwhile, the cache is not valid
        index = _load(cache, status)
        if index is None:
            index = _build(table, progress)
            with suppress(OSError):
                _save(cache, status, index)
        return ParaphraseTable(index)

    def matches(self, hyp: Sequence[str], ref: Sequence[str]) -> list[Match]:
        """Every part of hyp with every part of ref that it is a paraphrase of, in order.

        A match is where the part of hyp begins, its length, the same of ref, and the probability:
        the highest that the table has for the two phrases, whichever of them is said to be the
        paraphrase of the other. Parts that are equal are no paraphrases. Tokens have to be spelled
        as in the table: METEOR's are in lower case.
        """
        words, bounds = self.numbers([*hyp, *ref]), np.array([0, len(hyp), len(hyp) + len(ref)])
        rows, _, _ = self.find(
            words[: len(hyp)], bounds[:2], words[len(hyp) :], bounds[1:] - len(hyp)
        )
        return [
            (h, h_length, r, r_length, float(self._index.probability[pair]))
            for h, h_length, r, r_length, pair in rows.tolist()
        ]

    def numbers(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        """The numbers of words in the table; of those that are not in it, −1."""
        return np.array([self._numbers.get(word, -1) for word in words], np.int32)

    def find(
        self,
        hyps: npt.NDArray[np.int32],
        hyp_offsets: Ints,
        refs: npt.NDArray[np.int32],
        ref_offsets: Ints,
        threads: int = 1,
    ) -> tuple[npt.NDArray[np.int32], Ints, npt.NDArray[np.uint8]]:
        """The paraphrases of many pairs of sentences, whose words are given by their numbers.

        Of each the begin and the length in hyp, the same in ref, and the place of the pair of
        phrases in the index; where those of each pair of sentences begin and end; and whether
        some are left out, which happens where there are tens of thousands of them.
        """
        index = self._index
        flat, offsets, cut = _core.paraphrases(
            hyps,
            hyp_offsets,
            refs,
            ref_offsets,
            len(self._numbers),
            index.edges,
            index.first,
            index.other,
            threads,
        )
        return flat.reshape(-1, 5), offsets, cut


class Records(NamedTuple):
    """A table as read: record k has ``probability[k]`` and ``phrases[first[k]]``, and its
    paraphrase is ``phrases[second[k]]``.
    """

    probability: npt.NDArray[np.float64]
    first: npt.NDArray[np.int32]
    second: npt.NDArray[np.int32]
    phrases: list[bytes]
    version: str


def _build(table: Path, progress: Callable[[int], None] | None) -> Index:
    """The index of a table."""
    probability, first, second, phrases, version = _read(table, progress)
    # The same phrase in two spellings, as with two spaces, has the same node.
    words, edges, node = _trie(phrases)
    del phrases
    a, b = node[first], node[second]
    differ = a != b
    a, b, probability = a[differ], b[differ], probability[differ]

    nodes = len(edges) + 1
    both = np.minimum(a, b) * nodes + np.maximum(a, b)
    order = np.argsort(both, kind="stable")
    both = both[order]
    groups = np.flatnonzero(np.diff(both, prepend=-1))
    probability = np.maximum.reduceat(probability[order], groups) if len(groups) else probability
    a, b = np.divmod(both[groups], nodes)

    # Held by the one that has fewer: there are phrases with thousands of paraphrases, and whoever
    # meets one of these should not have to look at them all.
    degree = np.bincount(a, minlength=nodes) + np.bincount(b, minlength=nodes)
    swap = degree[a] > degree[b]
    holder, other = np.where(swap, b, a), np.where(swap, a, b)
    order = np.lexsort((other, holder))
    held = np.zeros(nodes + 1, np.int32)
    np.cumsum(np.bincount(holder, minlength=nodes), out=held[1:])
    return Index(
        version, edges, probability[order], held, other[order].astype(np.int32), b"\n".join(words)
    )


def _trie(phrases: list[bytes]) -> tuple[list[bytes], Ints, Ints]:
    """The words in the order of their numbers, the edges, and the node of each phrase."""
    numbers: dict[bytes, int] = defaultdict(count().__next__)
    tokens = chain.from_iterable(map(bytes.split, phrases))
    flat = np.fromiter(map(numbers.__getitem__, tokens), np.int32)
    left = np.fromiter((len(phrase.split()) for phrase in phrases), np.int64, len(phrases))
    start = np.cumsum(left) - left
    node = np.zeros(len(phrases), np.int64)
    edges: list[Ints] = []
    nodes = 1
    going_on = np.arange(len(phrases))
    for level in count():
        going_on = going_on[left[going_on] > level]
        if not len(going_on):
            break
        word = flat[start[going_on] + level]
        unique, place = np.unique(node[going_on] * len(numbers) + word, return_inverse=True)
        node[going_on] = nodes + place
        edges.append(unique)
        nodes += len(unique)
    return list(numbers), np.concatenate(edges), node


def _read(table: Path, progress: Callable[[int], None] | None) -> Records:
    """All records. Phrases that recur are held once, or the table would not fit in memory."""
    numbers: dict[bytes, int] = defaultdict(count().__next__)
    columns: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.int32], npt.NDArray[np.int32]]] = []
    contents = hashlib.sha256()
    records = 0
    with _opened(table) as file:
        while lines := _some_lines(file, table, 3 * records):
            text = b"".join(lines)
            contents.update(text)
            try:
                text.decode()
                probability = np.array(list(map(float, lines[::3])))
            except ValueError:  # either of them
                raise _complaint(table, 3 * records, lines) from None
            in_range = (probability > 0) & np.isfinite(probability)
            if len(lines) % 3 or not in_range.all() or not all(map(bytes.strip, lines)):
                raise _complaint(table, 3 * records, lines)
            first, second = (
                np.array(list(map(numbers.__getitem__, lines[k::3])), np.int32) for k in (1, 2)
            )
            columns.append((probability, first, second))
            records += len(probability)
            if progress is not None:
                progress(records)
    if not records:
        raise InputError(f"{table}, line 1: the table has no records")
    probability, first, second = map(np.concatenate, zip(*columns, strict=True))
    return Records(probability, first, second, list(numbers), contents.hexdigest()[:8])


@contextmanager
def _opened(table: Path) -> Iterator[IO[bytes]]:
    """The text of the table, whatever its name says."""
    with table.open("rb") as file:
        if file.peek(2)[:2] == b"\x1f\x8b":
            # gzip's own reader of lines is slow
            with gzip.GzipFile(fileobj=file) as inner, io.BufferedReader(inner, 1 << 20) as text:
                yield text
        else:
            yield file


def _some_lines(file: IO[bytes], table: Path, before: int) -> list[bytes]:
    try:
        return list(islice(file, 3 * AT_ONCE))
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(
            f"{table}, after line {before}: the gzip data is damaged or cut off"
        ) from None


def _complaint(table: Path, before: int, lines: list[bytes]) -> ValueError:
    """What is wrong with the first of these lines that is wrong."""
    for number, line in enumerate(lines):
        problem = _problem(line, is_probability=number % 3 == 0)
        if problem:
            return ValueError(f"{table}, line {before + number + 1}: {problem}")
    return ValueError(
        f"{table}, line {before + len(lines)}: the table ends within a record of three lines"
    )


def _problem(line: bytes, *, is_probability: bool) -> str | None:
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        return "not UTF-8"
    if is_probability:
        try:
            if 0 < float(line) < math.inf:
                return None
        except ValueError:
            pass
        return f"{text[:40]!r} is not a probability: a number above 0"
    return None if line.strip() else "an empty phrase"


def _save(cache: Path, status: os.stat_result, index: Index) -> None:
    """Writes the whole file under another name first, so that nobody ever finds half of it."""
    version = index.version.encode()
    counts = len(index.edges), len(index.other)
    body: list[bytes | memoryview] = [
        FACTS.pack(status.st_size, status.st_mtime_ns, *counts, version),
        index.edges.astype("<i8", copy=False).data,
        index.probability.astype("<f8", copy=False).data,
        index.first.astype("<i4", copy=False).data,
        index.other.astype("<i4", copy=False).data,
        index.vocabulary,
    ]
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    temporary = cache.with_name(f"{cache.name}.{secrets.token_hex(4)}")
    try:
        with temporary.open("xb") as file:
            file.write(SEAL.pack(MAGIC, checksum))
            file.writelines(body)
        os.replace(temporary, cache)
    finally:
        temporary.unlink(missing_ok=True)


def _load(cache: Path, status: os.stat_result) -> Index | None:
    """The cached index, if it is of this table and whole."""
    try:
        raw = np.memmap(cache, np.uint8, "r")
    except (OSError, ValueError):  # there is none, it may not be read, or it is empty
        return None
    place = SEAL.size + FACTS.size
    if len(raw) < place:
        return None
    magic, checksum = SEAL.unpack_from(raw.data)
    size, time, edges, pairs, version = FACTS.unpack_from(raw.data, SEAL.size)
    if (magic, size, time) != (MAGIC, status.st_size, status.st_mtime_ns):
        return None
    if zlib.crc32(raw[SEAL.size :].data) != checksum:
        return None
    arrays: list[npt.NDArray[Any]] = []
    for kind, length in (("<i8", edges), ("<f8", pairs), ("<i4", edges + 2), ("<i4", pairs)):
        arrays.append(np.frombuffer(raw.data, kind, length, place))
        place += arrays[-1].nbytes
    edge, probability, first, other = arrays
    return Index(version.decode(), edge, probability, first, other, raw[place:].tobytes())
