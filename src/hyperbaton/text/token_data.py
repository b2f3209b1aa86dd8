"""What is known about the tokens of a table: their characters, stems, numbers in a data set.

Tokens are looked up once for each table of tokens, in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from hyperbaton.text.words import WordTable
from hyperbaton.threads import SharedLock

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


class TokenSets:
    """A sequence of numbers for each token of a table.

    Parameters
    ----------
    look_up : callable
        Returns a function that returns the numbers of each token of a list. It is called for each
        table, because numbers may depend on earlier tokens of the same table.
    """

    def __init__(self, look_up: Callable[[], Callable[[list[str]], list[Sequence[int]]]]) -> None:
        self._make_look_up = look_up
        self._known: WeakKeyDictionary[
            WordTable, tuple[Callable[[list[str]], list[Sequence[int]]], Int32s, Int64s]
        ] = WeakKeyDictionary()
        self._lock = SharedLock()

    def arrays(self, table: WordTable, count: int) -> tuple[Int32s, Int64s]:
        """Return the numbers of the first ``count`` tokens, and the offset of each token."""
        with self._lock:
            if table not in self._known:
                nothing = np.array([], np.int32), np.array([0], np.int64)
                self._known[table] = self._make_look_up(), *nothing
            look_up, numbers, offsets = self._known[table]
            if len(offsets) - 1 < count:
                sets = look_up(table.tokens(len(offsets) - 1, count))
                flat = np.array([number for of_token in sets for number in of_token], np.int32)
                ends = offsets[-1] + np.cumsum([len(of_token) for of_token in sets], dtype=np.int64)
                numbers, offsets = np.append(numbers, flat), np.append(offsets, ends)
                self._known[table] = look_up, numbers, offsets
        return numbers[: offsets[count]], offsets[: count + 1]


class TokenNumbers:
    """A number for each token of a table.

    Parameters
    ----------
    look_up : callable
        Returns a function that returns the number of each token of a list. It is called for each
        table, because numbers may depend on earlier tokens of the same table.
    """

    def __init__(self, look_up: Callable[[], Callable[[list[str]], Int32s]]) -> None:
        self._make_look_up = look_up
        self._known: WeakKeyDictionary[WordTable, tuple[Callable[[list[str]], Int32s], Int32s]]
        self._known = WeakKeyDictionary()
        self._lock = SharedLock()

    def array(self, table: WordTable, count: int) -> Int32s:
        """Return the numbers of the first ``count`` tokens."""
        with self._lock:
            if table not in self._known:
                self._known[table] = self._make_look_up(), np.array([], np.int32)
            look_up, numbers = self._known[table]
            if len(numbers) < count:
                numbers = np.append(numbers, look_up(table.tokens(len(numbers), count)))
                self._known[table] = look_up, numbers
        return numbers[:count]
