"""The reorderings of many sentences: which operators there are, over which spans, what moves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.order.batch import as_batch
from hyperbaton.order.factored import measures

Operator = tuple[int, ...]
IN_ORDER, SWAPPED = (1, 2), (2, 1)


@dataclass(frozen=True)
class OperatorSpans:
    """How often an operator occurs over spans of so many words."""

    operator: Operator
    spans: Mapping[int, int]

    @property
    def count(self) -> int:
        """How often it occurs at all."""
        return sum(self.spans.values())

    @property
    def mean_span(self) -> float:
        """The mean length of its spans."""
        return sum(span * count for span, count in self.spans.items()) / self.count


@dataclass(frozen=True)
class ReorderingProfile:
    """What permutations do to the order of words.

    ``sentences`` are all, of which ``empty`` have no words to be ordered; all else is of the
    others. ``monotone`` is the share of those that are in order, ``binarizable`` of those whose
    tree has no operator but ⟨1,2⟩ and ⟨2,1⟩; ``measures`` are means. ``operators`` are those of
    the canonical trees (a chain of k children has k − 1 of them, over the first 2, 3, …, k), the
    most frequent first. ``moves`` says of how many blocks have moved how far: a block is a child
    of an operator other than ⟨1,2⟩, chains being one node, and how far is the number of words
    between where it begins and where it would begin in order. ``moved_words`` are the words in
    those blocks; a block within a block that moved may move again.
    """

    sentences: int
    empty: int
    words: int
    monotone: float | None
    binarizable: float | None
    measures: Mapping[str, float]
    operators: tuple[OperatorSpans, ...]
    moves: Mapping[int, int]
    moved_words: Mapping[int, int]

    @property
    def reorderings(self) -> int:
        """How many operators are not ⟨1,2⟩."""
        return sum(one.count for one in self.operators if one.operator != IN_ORDER)

    @property
    def mean_span(self) -> float | None:
        """The mean span of the operators that are not ⟨1,2⟩; None without any."""
        others = [one for one in self.operators if one.operator != IN_ORDER]
        total = sum(one.count for one in others)
        return sum(one.mean_span * one.count for one in others) / total if total else None

    @property
    def mean_move(self) -> float | None:
        """How far blocks that moved did so in the mean; None if none has."""
        total = sum(self.moves.values())
        return sum(far * count for far, count in self.moves.items()) / total if total else None

    def to_dict(self) -> dict[str, Any]:
        """For JSON, whose keys are texts: spans and distances come as pairs with their counts."""
        return {
            "sentences": self.sentences,
            "empty": self.empty,
            "words": self.words,
            "monotone": self.monotone,
            "binarizable": self.binarizable,
            "reorderings": self.reorderings,
            "mean_span": self.mean_span,
            "mean_move": self.mean_move,
            "measures": dict(self.measures),
            "operators": [
                {
                    "operator": list(one.operator),
                    "count": one.count,
                    "mean_span": one.mean_span,
                    "spans": [list(item) for item in one.spans.items()],
                }
                for one in self.operators
            ],
            "moves": [
                {"distance": far, "blocks": count, "words": self.moved_words[far]}
                for far, count in self.moves.items()
            ],
        }


def reordering_profile(
    perms: Any, offsets: Any = None, threads: int | None = None
) -> ReorderingProfile:
    """Which operators permutations have, over which spans, and how far blocks move.

    Takes what :func:`hyperbaton.measures` takes: permutations, or flat values with ``offsets``.

    >>> found = reordering_profile([[1, 2, 3], [3, 1, 2], [2, 4, 1, 3]])
    >>> [(one.operator, dict(one.spans)) for one in found.operators]
    [((1, 2), {2: 2, 3: 1}), ((2, 1), {3: 1}), ((2, 4, 1, 3), {4: 1})]
    >>> dict(found.moves)  # in ⟨3, 1, 2⟩ one word moves by 2, two by 1
    {1: 3, 2: 3}
    >>> found.monotone, found.binarizable
    (0.3333333333333333, 0.6666666666666666)
    """
    batch, _ = as_batch(perms, offsets, threads)
    rising, falling, primal, primal_offsets, flat, ends, distances, sizes = _core.reorderings(
        batch.values, batch.offsets, batch.threads
    )
    some = np.diff(batch.offsets) > 0
    count = int(some.sum())
    found = measures(batch.values, batch.offsets, batch.threads)
    spans: dict[Operator, Mapping[int, int]] = {
        operator: _histogram(own) for operator, own in ((IN_ORDER, rising), (SWAPPED, falling))
    }
    longer: dict[Operator, Counter[int]] = defaultdict(Counter)
    values, bounds = flat.tolist(), ends.tolist()
    for (begin, end), span in zip(pairwise(bounds), primal.tolist(), strict=True):
        longer[tuple(values[begin:end])][span] += 1
    for operator, own in longer.items():
        spans[operator] = dict(sorted(own.items()))
    operators = [OperatorSpans(operator, own) for operator, own in spans.items() if own]
    operators.sort(key=lambda one: (-one.count, len(one.operator), one.operator))
    moves = _histogram(distances)
    words = np.bincount(distances, sizes)
    return ReorderingProfile(
        sentences=len(some),
        empty=len(some) - count,
        words=len(batch.values),
        monotone=float((found["kendall"][some] == 1).mean()) if count else None,
        binarizable=float((np.diff(primal_offsets)[some] == 0).mean()) if count else None,
        measures={name: float(own[some].mean()) for name, own in found.items()} if count else {},
        operators=tuple(operators),
        moves=moves,
        moved_words={far: int(words[far]) for far in moves},
    )


def _histogram(numbers: npt.NDArray[np.int32]) -> dict[int, int]:
    """How often there is each, the smallest first."""
    counts = np.bincount(numbers)
    there = np.flatnonzero(counts)
    return dict(zip(there.tolist(), counts[there].tolist(), strict=True))
