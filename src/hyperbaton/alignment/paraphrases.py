"""METEOR's paraphrase tables and an index for fast lookup.

A table is a text file, plain or compressed, with three lines per record: a probability, a phrase
and its paraphrase. Any number above 0 is accepted as a probability: METEOR's English table has some
hundred that are larger than 1.

The index is a trie of all phrases, and the pairs of its nodes that are paraphrases. Nodes are
numbered level by level from the root, which is 0, and within a level by parent and word. A single
sorted array then holds the trie: element k is the parent and the word of node k + 1, packed into
one number.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
import warnings
import zlib
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain, count, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.lines import DamagedFileError, bounded_lines, open_bytes, printable
from hyperbaton.files.output_files import write_bytes_beside

Floats = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
Match = tuple[int, int, int, int, float]

RECORDS_PER_READ = 1 << 16

# The file of a cached index starts with a seal: MAGIC and the CRC of everything that follows. Then
# comes the header: size and modification time of the table, number of edges, number of pairs, and
# version. The arrays follow, those with the widest numbers first so that all are aligned. The rest
# of the file is the vocabulary.
MAGIC = b"HBPARA1\n"  # change it when the format changes
SEAL = struct.Struct("<8sQ")
HEADER = struct.Struct("<qqqq8s")


class Index(NamedTuple):
    """The index of a table, as it is cached.

    Every pair is stored once, at one of its two nodes. The pairs of node ``k`` are
    ``other[first[k]:first[k + 1]]``, and likewise ``probability``. ``vocabulary`` has one word per
    line.
    """

    version: str
    edges: Ints
    probability: Floats
    first: Int32s
    other: Int32s
    vocabulary: bytes


class ParaphraseTable:
    """A table of phrases that are paraphrases of each other.

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
        self._word_count = len(words)
        self._numbers = {word: number for number, word in enumerate(words)}

    def __repr__(self) -> str:
        return f"<ParaphraseTable {self.version}, {len(self._index.other)} pairs>"

    @staticmethod
    def open(
        path: str | os.PathLike[str], records_per_read: int = RECORDS_PER_READ
    ) -> ParaphraseTable:
        """Open the table in a file.

        The first call builds the index, which takes a while for a large table. The index is then
        saved next to the table, with ``.hyperbaton`` appended to the name, if the folder is
        writable.

        Parameters
        ----------
        path
            The table, plain or compressed.
        records_per_read
            How many records are read at a time.

        Raises
        ------
        MissingData
            If there is no such file.
        InputError
            If the table is invalid. The message names file and line.
        """
        table = Path(path)
        if not table.is_file():
            raise MissingData(
                f"no paraphrase table at {table}: METEOR 1.5 includes tables, data/paraphrase-en.gz"
            )
        cache = table.with_name(table.name + ".hyperbaton")
        status = table.stat()  # before reading, so that a later change invalidates the cache
        index = _load_index(cache, status)
        if index is None:
            index = _build_index(table, records_per_read)
            with suppress(OSError, InputError):  # the index is useful without its file
                _save_index(cache, status, index)
        return ParaphraseTable(index)

    def matches(self, hyp: Sequence[str], ref: Sequence[str]) -> list[Match]:
        """Return all phrases of two sentences that are paraphrases of each other, sorted.

        Tokens must be spelled as in the table; METEOR's tables are in lower case. Equal phrases
        are not paraphrases.

        Returns
        -------
        list of (hyp, hyp_length, ref, ref_length, probability)
            Start and length of the phrases. The probability is the highest in the table, in either
            direction.
        """
        rows, _, _ = self.find(
            self.numbers(hyp), np.array([0, len(hyp)]), self.numbers(ref), np.array([0, len(ref)])
        )
        return [
            (h, h_length, r, r_length, float(self._index.probability[pair]))
            for h, h_length, r, r_length, pair in rows.tolist()
        ]

    def numbers(self, words: Sequence[str]) -> Int32s:
        """Return the numbers of words in the table, or −1 for unknown words."""
        return np.array([self._numbers.get(word, -1) for word in words], np.int32)

    def find(
        self,
        hyps: Int32s,
        hyp_offsets: Ints,
        refs: Int32s,
        ref_offsets: Ints,
        threads: int = 1,
    ) -> tuple[Int32s, Ints, npt.NDArray[np.uint8]]:
        """Find the paraphrases in many sentence pairs.

        Parameters
        ----------
        hyps, hyp_offsets, refs, ref_offsets
            The :meth:`numbers` of all words; sentence ``k`` starts at ``offsets[k]``.
        threads
            Number of threads.

        Returns
        -------
        rows
            One row (hyp, hyp_length, ref, ref_length, index of the pair of phrases) per match.
        offsets
            The rows of pair ``k`` are ``rows[offsets[k]:offsets[k + 1]]``.
        incomplete
            1 for pairs with tens of thousands of matches, some of which are left out.
        """
        index = self._index
        flat, offsets, incomplete = _core.paraphrases(
            hyps,
            hyp_offsets,
            refs,
            ref_offsets,
            self._word_count,
            index.edges,
            index.first,
            index.other,
            threads,
        )
        return flat.reshape(-1, 5), offsets, incomplete


# The probabilities of all records; the indices of their first and second phrases; the phrases; and
# the version of the table.
Records = tuple[Floats, Int32s, Int32s, list[bytes], str]


def _build_index(table: Path, records_per_read: int) -> Index:
    probability, first, second, phrases, version = _read_records(table, records_per_read)
    # Phrases that differ only in white space have the same node.
    words, edges, node = _build_trie(phrases)
    del phrases
    a, b = node[first], node[second]
    differ = a != b
    a, b, probability = a[differ], b[differ], probability[differ]

    nodes = len(edges) + 1
    keys = np.minimum(a, b) * nodes + np.maximum(a, b)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    groups = np.flatnonzero(np.diff(keys, prepend=-1))
    probability = np.maximum.reduceat(probability[order], groups) if len(groups) else probability
    a, b = np.divmod(keys[groups], nodes)

    # Each pair is stored at the node with fewer pairs. Some phrases have thousands of paraphrases,
    # and a lookup of such a phrase should not have to visit all of them.
    degree = np.bincount(a, minlength=nodes) + np.bincount(b, minlength=nodes)
    swap = degree[a] > degree[b]
    holder, other = np.where(swap, b, a), np.where(swap, a, b)
    order = np.lexsort((other, holder))
    starts = np.zeros(nodes + 1, np.int32)
    np.cumsum(np.bincount(holder, minlength=nodes), out=starts[1:])
    return Index(
        version=version,
        edges=edges,
        probability=probability[order],
        first=starts,
        other=other[order].astype(np.int32),
        vocabulary=b"\n".join(words),
    )


def _build_trie(phrases: list[bytes]) -> tuple[list[bytes], Ints, Ints]:
    """Return the words by number, the edges, and the node of each phrase."""
    numbers: dict[bytes, int] = defaultdict(count().__next__)
    tokens = chain.from_iterable(map(bytes.split, phrases))
    flat = np.fromiter(map(numbers.__getitem__, tokens), np.int32)
    lengths = np.fromiter((len(phrase.split()) for phrase in phrases), np.int64, len(phrases))
    start = np.cumsum(lengths) - lengths
    node = np.zeros(len(phrases), np.int64)
    edges: list[Ints] = []
    nodes = 1
    active = np.arange(len(phrases))
    for level in count():
        active = active[lengths[active] > level]
        if not len(active):
            break
        word = flat[start[active] + level]
        unique, place = np.unique(node[active] * len(numbers) + word, return_inverse=True)
        node[active] = nodes + place
        edges.append(unique)
        nodes += len(unique)
    return list(numbers), np.concatenate(edges), node


def _read_records(table: Path, records_per_read: int) -> Records:
    """Read all records. Each phrase is stored once, so that the table fits into memory."""
    numbers: dict[bytes, int] = defaultdict(count().__next__)
    columns: list[tuple[Floats, Int32s, Int32s]] = []
    contents = hashlib.sha256()
    records = 0
    name = printable(str(table))
    try:
        with open_bytes(table) as file:
            lines_per_read = 3 * records_per_read
            while lines := list(islice(bounded_lines(file, name, 3 * records), lines_per_read)):
                text = b"".join(lines)
                contents.update(text)
                try:
                    text.decode()
                    probability = np.array(list(map(float, lines[::3])))
                except ValueError:  # UnicodeDecodeError, or not a number
                    raise _describe_error(table, 3 * records, lines) from None
                in_range = (probability > 0) & np.isfinite(probability)
                if len(lines) % 3 or not in_range.all() or not all(map(bytes.strip, lines)):
                    raise _describe_error(table, 3 * records, lines)
                first, second = (
                    np.array(list(map(numbers.__getitem__, lines[k::3])), np.int32) for k in (1, 2)
                )
                columns.append((probability, first, second))
                records += len(probability)
    except DamagedFileError as error:
        raise InputError(
            f"{table}, after line {3 * records}: the {error.kind} data is damaged or truncated"
        ) from None
    if not records:
        raise InputError(f"{table}, line 1: the table has no records")
    probability, first, second = map(np.concatenate, zip(*columns, strict=True))
    return probability, first, second, list(numbers), contents.hexdigest()[:8]


def _describe_error(table: Path, before: int, lines: list[bytes]) -> InputError:
    """Return the error for the first invalid line; ``before`` lines precede these."""
    for number, line in enumerate(lines):
        problem = _find_problem(line, is_probability=number % 3 == 0)
        if problem:
            return InputError(f"{table}, line {before + number + 1}: {problem}")
    return InputError(
        f"{table}, line {before + len(lines)}: the table ends within a record of three lines"
    )


def _find_problem(line: bytes, *, is_probability: bool) -> str | None:
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
        return f"{text[:40]!r} is not a probability (a number above 0)"
    return None if line.strip() else "the phrase is empty"


def _save_index(cache: Path, status: os.stat_result, index: Index) -> None:
    """Write the index to a file, which readers see only when it is complete."""
    version = index.version.encode()
    counts = len(index.edges), len(index.other)
    body: list[bytes | memoryview] = [
        HEADER.pack(status.st_size, status.st_mtime_ns, *counts, version),
        index.edges.astype("<i8", copy=False).data,
        index.probability.astype("<f8", copy=False).data,
        index.first.astype("<i4", copy=False).data,
        index.other.astype("<i4", copy=False).data,
        index.vocabulary,
    ]
    checksum = 0
    for part in body:
        checksum = zlib.crc32(part, checksum)
    with write_bytes_beside(cache) as file:
        file.write(SEAL.pack(MAGIC, checksum))
        file.writelines(body)


def _load_index(cache: Path, status: os.stat_result) -> Index | None:
    """Return the cached index, or None if it is missing, damaged or of another table."""
    try:
        is_empty = cache.stat().st_size == 0
        raw = np.zeros(0, np.uint8) if is_empty else np.memmap(cache, np.uint8, "r")
    except (OSError, ValueError):  # missing, or not readable
        return None
    position = SEAL.size + HEADER.size
    magic, checksum = SEAL.unpack_from(raw.data) if len(raw) >= position else (b"", 0)
    if magic != MAGIC or zlib.crc32(raw[SEAL.size :].data) != checksum:
        warnings.warn(
            f"{printable(str(cache))} is damaged, or of another version: it is built again",
            stacklevel=2,
        )
        return None
    size, time, edges, pairs, version = HEADER.unpack_from(raw.data, SEAL.size)
    if (size, time) != (status.st_size, status.st_mtime_ns):
        return None
    # A file from elsewhere may contradict itself in spite of its checksum.
    if not 0 <= edges <= len(raw) or not 0 <= pairs <= len(raw):
        return None
    arrays: list[npt.NDArray[Any]] = []
    try:
        for kind, length in (("<i8", edges), ("<f8", pairs), ("<i4", edges + 2), ("<i4", pairs)):
            arrays.append(np.frombuffer(raw.data, kind, length, position))
            position += arrays[-1].nbytes
        edge, probability, first, other = arrays
        index = Index(version.decode(), edge, probability, first, other, raw[position:].tobytes())
        return index if _is_consistent(index) else None
    except ValueError:  # too short, or not UTF-8
        return None


def _is_consistent(index: Index) -> bool:
    """Return whether the arrays of an index refer to each other's items."""
    words = index.vocabulary.decode().count("\n") + 1
    nodes, pairs = len(index.edges) + 1, len(index.other)
    return bool(
        (index.edges[1:] > index.edges[:-1]).all()
        and (index.edges >= 0).all()
        and (index.edges // words < np.arange(1, nodes)).all()
        and index.first[0] == 0
        and index.first[-1] == pairs
        and (index.first[1:] >= index.first[:-1]).all()
        and (index.other >= 0).all()
        and (index.other < nodes).all()
        and (index.probability > 0).all()
    )
