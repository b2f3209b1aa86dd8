"""Reordering statistics of many sentences: operators, their spans, and block moves."""

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
from hyperbaton.order.measures import measures
from hyperbaton.presentation import PrintedResult

Operator = tuple[int, ...]
IN_ORDER, SWAPPED = (1, 2), (2, 1)


@dataclass(frozen=True)
class OperatorSpans:
    """How often an operator occurs, by the length of its span.

    Attributes
    ----------
    operator : tuple of int
        The operator.
    spans : mapping of int to int
        Number of occurrences for each length of the span in words.
    """

    operator: Operator
    spans: Mapping[int, int]

    @property
    def count(self) -> int:
        """Number of occurrences."""
        return sum(self.spans.values())

    @property
    def words(self) -> int:
        """Total length of the spans."""
        return sum(span * count for span, count in self.spans.items())

    @property
    def mean_span(self) -> float:
        """Mean length of the spans."""
        return self.words / self.count


@dataclass(frozen=True, repr=False)
class ReorderingProfile(PrintedResult):
    """Reordering statistics of a set of permutations.

    A block is a child of an operator other than ⟨1,2⟩ in the flattened tree. Its distance is the
    number of words between its first position and the one it would have in order. A block inside
    a moved block can move again.

    Attributes
    ----------
    sentences : int
        Number of permutations.
    empty : int
        Number of empty permutations. They do not count for anything else.
    words : int
        Total number of values.
    monotone : float or None
        Share of permutations that are in order; None if all are empty.
    binarizable : float or None
        Share of permutations whose tree has no operators other than ⟨1,2⟩ and ⟨2,1⟩; None if all
        are empty.
    measures : mapping of str to float
        Mean of each measure.
    operators : tuple of OperatorSpans
        Operators of the canonical trees, most frequent first. A chain of k children has k − 1
        operators, which cover its first 2, 3, …, k children.
    moves : mapping of int to int
        Number of moved blocks for each distance.
    moved_words : mapping of int to int
        Number of words in these blocks for each distance.
    expected_kendall : float, optional
        Mean of the expected order, if a source aligner has found the links; see
        :func:`hyperbaton.expected_kendall`.
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
    expected_kendall: float | None = None

    @property
    def reorderings(self) -> int:
        """Number of operators other than ⟨1,2⟩."""
        return sum(item.count for item in self._reordering_operators)

    @property
    def mean_span(self) -> float | None:
        """Mean span of the operators other than ⟨1,2⟩, or None if there are none."""
        total = self.reorderings
        words = sum(item.words for item in self._reordering_operators)
        return words / total if total else None

    @property
    def mean_move(self) -> float | None:
        """Mean distance of moved blocks, or None."""
        total = sum(self.moves.values())
        weighted = sum(distance * count for distance, count in self.moves.items())
        return weighted / total if total else None

    @property
    def _reordering_operators(self) -> list[OperatorSpans]:
        return [item for item in self.operators if item.operator != IN_ORDER]

    def __repr__(self) -> str:
        return (
            f"ReorderingProfile(sentences={self.sentences}, words={self.words}, "
            f"reorderings={self.reorderings})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as a JSON-serializable dictionary.

        Keys of JSON objects are strings, so spans and distances are listed with their counts.
        """
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
            "expected_kendall": self.expected_kendall,
            "operators": [
                {
                    "operator": list(item.operator),
                    "count": item.count,
                    "mean_span": item.mean_span,
                    "spans": [list(pair) for pair in item.spans.items()],
                }
                for item in self.operators
            ],
            "moves": [
                {"distance": distance, "blocks": count, "words": self.moved_words[distance]}
                for distance, count in self.moves.items()
            ],
        }


def reordering_profile(
    perms: Any, offsets: Any = None, threads: int | None = None
) -> ReorderingProfile:
    """Count which operators permutations have, over which spans, and how far blocks move.

    Parameters
    ----------
    perms, offsets, threads
        As for :func:`hyperbaton.measures`: permutations, or flat values with ``offsets``.

    Returns
    -------
    ReorderingProfile
        The statistics.

    Examples
    --------
    >>> profile = reordering_profile([[1, 2, 3], [3, 1, 2], [2, 4, 1, 3]])
    >>> [(item.operator, dict(item.spans)) for item in profile.operators]
    [((1, 2), {2: 2, 3: 1}), ((2, 1), {3: 1}), ((2, 4, 1, 3), {4: 1})]
    >>> dict(profile.moves)  # in ⟨3, 1, 2⟩ one word moves by 2 and a block of two words by 1
    {1: 3, 2: 3}
    >>> profile.monotone, profile.binarizable
    (0.3333333333333333, 0.6666666666666666)
    """
    batch, _ = as_batch(perms, offsets, threads)
    (
        in_order_spans,
        swapped_spans,
        primal_spans,
        primal_offsets,  # where the primal operators of each permutation start
        operator_values,
        operator_offsets,
        distances,
        sizes,
    ) = _core.reorderings(batch.values, batch.offsets, batch.threads)
    nonempty = np.diff(batch.offsets) > 0
    count = int(nonempty.sum())
    columns = measures(batch.values, batch.offsets, batch.threads)
    spans: dict[Operator, Mapping[int, int]] = {
        IN_ORDER: _histogram(in_order_spans),
        SWAPPED: _histogram(swapped_spans),
    }
    primal: dict[Operator, Counter[int]] = defaultdict(Counter)
    values, bounds = operator_values.tolist(), operator_offsets.tolist()
    for (begin, end), span in zip(pairwise(bounds), primal_spans.tolist(), strict=True):
        primal[tuple(values[begin:end])][span] += 1
    for operator, counter in primal.items():
        spans[operator] = dict(sorted(counter.items()))
    operators = [OperatorSpans(operator, counts) for operator, counts in spans.items() if counts]
    operators.sort(key=lambda item: (-item.count, len(item.operator), item.operator))
    moves = _histogram(distances)
    words = np.bincount(distances, sizes)
    means = {name: float(column[nonempty].mean()) for name, column in columns.items() if count}
    return ReorderingProfile(
        sentences=len(nonempty),
        empty=len(nonempty) - count,
        words=len(batch.values),
        monotone=float((columns["kendall"][nonempty] == 1).mean()) if count else None,
        binarizable=float((np.diff(primal_offsets)[nonempty] == 0).mean()) if count else None,
        measures=means,
        operators=tuple(operators),
        moves=moves,
        moved_words={distance: int(words[distance]) for distance in moves},
    )


def _histogram(numbers: npt.NDArray[np.int32]) -> dict[int, int]:
    """Count how often each number occurs, smallest number first."""
    counts = np.bincount(numbers)
    present = np.flatnonzero(counts)
    return dict(zip(present.tolist(), counts[present].tolist(), strict=True))
