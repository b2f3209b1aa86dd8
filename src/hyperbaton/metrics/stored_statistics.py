"""The statistics of segments that are kept after scoring, in little memory and without loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
SMALL_INTEGERS = (np.uint8, np.uint16, np.int32, np.float32)
SMALL_FLOATS = (np.float32,)
# Where a column is stored: block and row, or the number that all its entries are.
Place = tuple[int, int] | float


class StoredRows:
    """The statistics of one batch by all metrics, column by column.

    Equal columns are stored once, and a column of equal numbers is stored as one number. Other
    columns have the smallest type that holds their numbers exactly; those of a type are in one
    block, because many small arrays would take more memory.
    """

    def __init__(self, statistics: Mapping[str, Floats]) -> None:
        self._length = len(next(iter(statistics.values())))
        shrunk: dict[np.dtype[np.generic], list[npt.NDArray[np.generic]]] = {}
        types: list[np.dtype[np.generic]] = []
        known: dict[bytes, Place] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        for key, rows in statistics.items():
            places = []
            for column in np.ascontiguousarray(rows.T):
                bits = column.tobytes()
                if bits not in known:
                    small = _shrink(column)
                    if isinstance(small, float):
                        known[bits] = small
                    else:
                        if small.dtype not in shrunk:
                            types.append(small.dtype)
                        block = shrunk.setdefault(small.dtype, [])
                        known[bits] = types.index(small.dtype), len(block)
                        block.append(small)
                places.append(known[bits])
            self._places[key] = tuple(places)
        self._blocks = [np.stack(shrunk[kind]) for kind in types]

    def expand(self, key: str) -> Floats:
        """Return the rows of a metric."""
        places = self._places[key]
        rows = np.empty((self._length, len(places)))
        for k, place in enumerate(places):
            rows[:, k] = place if isinstance(place, float) else self._blocks[place[0]][place[1]]
        return rows


class StoredStatistics:
    """The rows of one metric for all segments."""

    def __init__(self, batches: Sequence[StoredRows], key: str) -> None:
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


def _shrink(column: Floats) -> float | npt.NDArray[np.generic]:
    """Return one number if all are equal, or else the numbers in the smallest exact type."""
    if _is_same(column, column[:1]):
        return float(column[0])
    is_whole = (column == np.rint(column)).all()
    for small in SMALL_INTEGERS if is_whole else SMALL_FLOATS:
        with np.errstate(invalid="ignore", over="ignore"):  # checked on the next lines
            shrunk = column.astype(small)
        if _is_same(shrunk.astype(np.float64), column):
            return shrunk
    return column


def _is_same(a: Floats, b: Floats) -> bool:
    """Compare bits, which tell 0.0 from −0.0."""
    return bool((a.view(np.uint64) == b.view(np.uint64)).all())
