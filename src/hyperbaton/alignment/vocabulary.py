"""What matchers know about the tokens of a table: stems, synsets, numbers in a data set.

Tokens are looked up once for each table of tokens, in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.wordnet import WordNet
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable
from hyperbaton.threads import SharedLock

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
AS_WRITTEN = Tokenization("none", "mixed")


class TokenSets:
    """A set of numbers for each token of a table.

    Parameters
    ----------
    look_up : callable
        Returns the numbers of each token of a list.
    """

    def __init__(self, look_up: Callable[[list[str]], list[Sequence[int]]]) -> None:
        self._look_up = look_up
        self._known: WeakKeyDictionary[WordTable, tuple[Int32s, Int64s]] = WeakKeyDictionary()
        self._lock = SharedLock()

    def arrays(self, table: WordTable, count: int) -> tuple[Int32s, Int64s]:
        """Return the numbers of the first ``count`` tokens, and the offset of each token."""
        with self._lock:
            nothing = np.array([], np.int32), np.array([0], np.int64)
            numbers, offsets = self._known.get(table, nothing)
            if len(offsets) - 1 < count:
                sets = self._look_up(table.tokens(len(offsets) - 1, count))
                flat = np.array([number for of_token in sets for number in of_token], np.int32)
                ends = offsets[-1] + np.cumsum([len(of_token) for of_token in sets], dtype=np.int64)
                numbers, offsets = np.append(numbers, flat), np.append(offsets, ends)
                self._known[table] = numbers, offsets
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


def stem_numbers(stem: Callable[[Sequence[str]], list[str]]) -> TokenNumbers:
    """Return numbers that are equal for tokens with equal stems."""

    def make_look_up() -> Callable[[list[str]], Int32s]:
        stems = WordTable(AS_WRITTEN, whole=True)
        return lambda tokens: stems.number_tokens([stem(tokens)], "stems", 1).numbers

    return TokenNumbers(make_look_up)


def synset_numbers(wordnet: WordNet) -> TokenSets:
    """Return the synsets of tokens in WordNet, sorted."""
    return TokenSets(lambda tokens: [sorted(wordnet.synsets(token)) for token in tokens])
