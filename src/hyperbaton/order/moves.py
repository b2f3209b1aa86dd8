"""Block moves that put a permutation in order, derived from its tree.

The children of a node of the flattened tree are out of order only by its operator. ⟨1,2⟩ needs no
move. Under any other operator, the children of a longest increasing subsequence stay and the others
move, each as one block. This moves the fewest children and, among all ways to do so, the fewest
words: if two blocks are swapped, the shorter one moves. Punctuation moves rather than words do.

Moving single words takes at least n − (longest increasing subsequence of π) moves, the numerator of
1 − Ulam. Moving blocks never takes more. (The minimum over arbitrary blocks, not only constituents,
is the transposition distance, which is hard to compute and to interpret.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.order.batch import as_batch
from hyperbaton.order.permutation import Permutation

Span = tuple[int, int]
Int32s = npt.NDArray[np.int32]
Booleans = npt.NDArray[np.bool_]
NO_WORDS = np.zeros(0, np.uint8)


class Move(NamedTuple):
    """A move of the words of ``block`` to directly before or after those of ``anchor``.

    Attributes
    ----------
    block, anchor : tuple of (int, int)
        Spans (i, j) of the original π, ``p[i:j]``. The words of a span stay contiguous throughout
        all moves, but their order may change.
    before : bool
        Whether the block goes before the anchor, that is, to the left.
    distance : int
        Number of words that the block passes.
    is_punctuation : bool
        Whether the block has no words but punctuation.
    """

    block: Span
    anchor: Span
    before: bool
    distance: int
    is_punctuation: bool = False

    @property
    def length(self) -> int:
        """Number of words that move."""
        return self.block[1] - self.block[0]

    def to_dict(self) -> dict[str, Any]:
        """Return the move as a JSON-serializable dictionary."""
        return {
            "block": list(self.block),
            "anchor": list(self.anchor),
            "before": self.before,
            "distance": self.distance,
            "is_punctuation": self.is_punctuation,
        }


@dataclass(frozen=True, eq=False)
class BlockMoves:
    """The moves of many permutations; those of permutation k are ``offsets[k]:offsets[k + 1]``.

    The other attributes have an item for each move (see :class:`Move`): where its block and its
    anchor start and end, and what it is.
    """

    offsets: npt.NDArray[np.int64]
    starts: Int32s
    ends: Int32s
    anchor_starts: Int32s
    anchor_ends: Int32s
    distances: Int32s
    before: Booleans
    is_punctuation: Booleans

    def __len__(self) -> int:
        """Return the number of permutations."""
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Int32s:
        """Number of words of each block."""
        return self.ends - self.starts

    def to_lists(self) -> list[tuple[Move, ...]]:
        """Return the moves of each permutation."""
        blocks = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        anchors = zip(self.anchor_starts.tolist(), self.anchor_ends.tolist(), strict=True)
        others = (self.before.tolist(), self.distances.tolist(), self.is_punctuation.tolist())
        moves = list(map(Move, blocks, anchors, *others))
        bounds = self.offsets.tolist()
        return [tuple(moves[begin:end]) for begin, end in pairwise(bounds)]


def find_moves(
    perms: Any,
    offsets: Any = None,
    punctuation: npt.NDArray[np.bool_] | None = None,
    threads: int | None = None,
) -> BlockMoves:
    """Return the moves of many permutations, each in the order in which they are made.

    Parameters
    ----------
    perms, offsets, threads
        As for :func:`hyperbaton.measures`: permutations, or flat values with ``offsets``.
    punctuation : array of bool, optional
        Whether the word at each place of all permutations is punctuation.
    """
    batch, _ = as_batch(perms, offsets, threads)
    minor = NO_WORDS
    if punctuation is not None:
        minor = np.asarray(punctuation, bool).astype(np.uint8)
        if minor.shape != batch.values.shape:
            raise InputError(
                f"punctuation must have one item for each of the {len(batch.values):,} values"
            )
    found = _core.block_moves(batch.values, batch.offsets, minor, batch.threads)
    return BlockMoves(*found[:-2], found[-2].astype(bool), found[-1].astype(bool))


def block_moves(
    permutation: Permutation | Sequence[int], punctuation: Sequence[bool] | None = None
) -> tuple[Move, ...]:
    """Return the moves that turn π into ⟨1, …, n⟩, in the order to apply them.

    Longer blocks move first, and blocks of punctuation alone last.

    Parameters
    ----------
    permutation : Permutation or sequence of int
    punctuation : sequence of bool, optional
        Whether the word at each place of π is punctuation.

    Examples
    --------
    >>> for move in block_moves([4, 5, 6, 2, 3, 1]):
    ...     print(move.block, "before" if move.before else "after", move.anchor, move.distance)
    (3, 5) before (0, 3) 3
    (5, 6) before (3, 5) 5
    >>> block_moves([1, 2, 3])
    ()
    """
    flags = None if punctuation is None else np.array(punctuation, bool)
    return find_moves([permutation], punctuation=flags, threads=1).to_lists()[0]
