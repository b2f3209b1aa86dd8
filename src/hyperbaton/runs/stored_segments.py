"""What is kept of segments after scoring: statistics, in little memory, texts, links and moves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.metrics.batches import (
    Batch,
    GivenAlignment,
    ReferenceTexts,
    SourceLinks,
    found_links_key,
)
from hyperbaton.metrics.linking import first_linking
from hyperbaton.softorder.anchors import Anchors

if TYPE_CHECKING:
    from hyperbaton.metrics.metric import Metric
    from hyperbaton.runs.shown_links import FoundMoves


Floats = npt.NDArray[np.float64]
SMALL_INTEGERS = (np.uint8, np.uint16, np.int32, np.float32)
SAMPLE = 256  # numbers that tell whether a column has few distinct ones


class BlockRow(NamedTuple):
    """A column that is stored as it is, in a type that holds its numbers exactly."""

    type: np.dtype[np.generic]
    row: int


class Repetitions(NamedTuple):
    """A column of few distinct numbers, and which of them each entry is."""

    distinct: Floats
    indices: BlockRow


Place = BlockRow | Repetitions | float  # a float: all entries are this number
Blocks = dict[np.dtype[np.generic], list[npt.NDArray[np.generic]]]


class StoredRows:
    """Arrays with a row for each segment of one batch, column by column, each under a key.

    Equal columns are stored once. Columns of a type are in one block, because many small arrays
    would take more memory.
    """

    def __init__(self, statistics: Mapping[Any, Floats]) -> None:
        self._length = len(next(iter(statistics.values())))
        unstacked: Blocks = {}
        known: dict[bytes, Place] = {}
        self._places: dict[Hashable, tuple[Place, ...]] = {}
        for key, rows in statistics.items():
            places = []
            for column in np.ascontiguousarray(rows.T):
                bits = column.tobytes()
                if bits not in known:
                    known[bits] = self._store(column, unstacked)
                places.append(known[bits])
            self._places[key] = tuple(places)
        self._blocks = {kind: np.stack(block) for kind, block in unstacked.items()}

    def expand(self, key: Hashable) -> Floats:
        """Return one of the arrays."""
        places = self._places[key]
        rows = np.empty((self._length, len(places)))
        for k, place in enumerate(places):
            if isinstance(place, float):
                rows[:, k] = place
            elif isinstance(place, Repetitions):
                rows[:, k] = place.distinct[self._load(place.indices)]
            else:
                rows[:, k] = self._load(place)
        return rows

    @staticmethod
    def _store(column: Floats, blocks: Blocks) -> Place:
        """Store a column of the batch."""
        bits = column.view(np.uint64)  # they tell 0.0 from −0.0
        if (bits == bits[0]).all():
            return float(column[0])
        if (column == np.rint(column)).all():
            return _append(_shrink(column), blocks)
        if len(np.unique(bits[:SAMPLE])) < 0.6 * SAMPLE:
            distinct, indices = np.unique(bits, return_inverse=True)
            if len(distinct) < len(column) / 2:
                stored = _append(indices.astype(np.min_scalar_type(len(distinct))), blocks)
                return Repetitions(distinct.view(np.float64), stored)
        return _append(column, blocks)

    def _load(self, place: BlockRow) -> npt.NDArray[np.generic]:
        row: npt.NDArray[np.generic] = self._blocks[place.type][place.row]
        return row


class StoredStatistics:
    """The rows of one metric for all segments."""

    def __init__(self, batches: Sequence[StoredRows], key: Hashable) -> None:
        self._batches = tuple(batches)
        self._key = key

    @classmethod
    def from_rows(cls, rows: Floats) -> StoredStatistics:
        """Store the rows of one metric."""
        return cls([StoredRows({"": rows})], "")

    def expand(self) -> Floats:
        """Return all rows as one array that cannot be changed."""
        rows = np.concatenate([batch.expand(self._key) for batch in self._batches])
        rows.flags.writeable = False
        return rows


class StoredAnchors:
    """The words of all segments by which systems are compared by one metric.

    Attributes
    ----------
    place : str
        Where they are stored, for error messages; empty if they are in memory.
    """

    place = ""

    def __init__(self, batches: Sequence[Anchors]) -> None:
        self._batches = tuple(batches)

    def expand(self) -> Anchors:
        """Return those of all segments."""
        return Anchors.concatenate(self._batches)


def _append(column: npt.NDArray[np.generic], blocks: Blocks) -> BlockRow:
    block = blocks.setdefault(column.dtype, [])
    block.append(column)
    return BlockRow(column.dtype, len(block) - 1)


def _shrink(column: Floats) -> npt.NDArray[np.generic]:
    """Return whole numbers in the smallest type that holds them exactly."""
    for small in SMALL_INTEGERS:
        with np.errstate(invalid="ignore", over="ignore"):  # checked on the next line
            shrunk = column.astype(small)
        if (shrunk.astype(np.float64).view(np.uint64) == column.view(np.uint64)).all():
            return shrunk
    return column


@dataclass(frozen=True, eq=False)
class StoredBatch:
    """A batch without what was computed from it, except links and moves that are worth keeping.

    ``found_links`` and ``moves`` are keyed as
    :func:`~hyperbaton.metrics.batches.found_links_key` does.
    """

    first: int
    hypotheses: Sequence[str]
    references: Sequence[str]
    reference_counts: Sequence[int] | None
    given_links: Sequence[GivenAlignment] | SourceLinks | None
    found_links: dict[tuple[object, ...], AlignmentBatch]
    moves: dict[tuple[object, ...], FoundMoves]

    @classmethod
    def from_batch(
        cls, batch: Batch, metrics: Iterable[Metric] = (), links: bool = False
    ) -> StoredBatch:
        """Store the texts of a batch, and perhaps the links of the metrics, with their moves."""
        metrics = list(metrics)
        linking = first_linking(metrics) if links else None
        found_links, moves = {}, {}
        if linking is not None:
            from hyperbaton.runs.shown_links import LinkedBatch

            choice = linking.aligner, linking.tokenization
            linked = LinkedBatch.from_links(
                batch, linking.links(batch), linking.tokenization, metrics
            )
            moves[found_links_key(*choice)] = linked.find_moves()
            if batch.given_links is None:
                found_links[found_links_key(*choice)] = batch.found_links(*choice)
        texts = batch.hypotheses.lines, batch.references.lines
        counts = None if batch.references.counts.max() == 1 else batch.references.counts.tolist()
        return cls(batch.first, *texts, counts, batch.given_links, found_links, moves)

    def open_references(self) -> ReferenceTexts:
        """Return the references, for one or more systems."""
        return ReferenceTexts(self.references, self.reference_counts)

    def open(self, references: ReferenceTexts, threads: int | None = None) -> Batch:
        """Return the batch again. Several systems may share ``references``."""
        batch = Batch(
            self.hypotheses, references, first=self.first, links=self.given_links, threads=threads
        )
        for key, links in self.found_links.items():
            batch.memoize(key, lambda links=links: links)  # type: ignore[misc]
        return batch
