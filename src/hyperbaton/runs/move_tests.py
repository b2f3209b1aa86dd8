"""Tests of moves: in how many segments systems have moves, of any kind and of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hyperbaton.order.moves import BlockMoves
from hyperbaton.registries import load
from hyperbaton.runs.differences import weighted_mean
from hyperbaton.stats.paired_tests import MetricTable, Pairs, guarded_tests
from hyperbaton.stats.sampling import CORRECTIONS, Sampling

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]
FAR = 5  # words: a move over so many is far
ANY = "any"
# Kinds of moves by name. A block that moves before its anchor comes too late in the translation.
KINDS: Mapping[str, Callable[[BlockMoves], Booleans]] = {
    ANY: lambda moves: np.ones(len(moves.before), dtype=bool),
    "word_early": lambda moves: (moves.lengths == 1) & ~moves.before,
    "word_late": lambda moves: (moves.lengths == 1) & moves.before,
    "group_early": lambda moves: (moves.lengths > 1) & ~moves.before,
    "group_late": lambda moves: (moves.lengths > 1) & moves.before,
    "far": lambda moves: moves.distances >= FAR,
}


@dataclass(frozen=True)
class MoveShare:
    """In how many segments a system has moves of a kind, beside another system.

    Attributes
    ----------
    segments : int
        The number of segments with such a move.
    difference, lower, upper : float or None
        Their share of all segments minus that of the other system, with its confidence interval
        (bootstrap only); None if it was not tested.
    p : float or None
        The two-sided p-value, corrected if a correction was asked for.
    outcome : str or None
        "more" or "fewer" if the difference is significant.
    """

    segments: int
    difference: float | None = None
    lower: float | None = None
    upper: float | None = None
    p: float | None = None
    outcome: Literal["more", "fewer"] | None = None


def segments_with_moves(moves: Sequence[BlockMoves]) -> dict[str, Floats]:
    """Return for each kind which segments of a system have such a move: 1, or 0.

    Moves of punctuation alone do not count.
    """
    found = {}
    for kind, is_of_kind in KINDS.items():
        batches = []
        for batch in moves:
            segment = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
            counted = segment[is_of_kind(batch) & ~batch.is_punctuation]
            batches.append(np.bincount(counted, minlength=len(batch)) > 0)
        found[kind] = np.concatenate(batches).astype(np.float64)
    return found


def count_segments(system: Mapping[str, Floats]) -> dict[str, MoveShare]:
    """Return the number of segments with moves of each kind, for a system that is not compared."""
    return {kind: MoveShare(int(flags.sum())) for kind, flags in system.items()}


def compare_moves(
    systems: Sequence[Mapping[str, Floats]],
    pairs: Pairs,
    sampling: Sampling,
    correction: str = CORRECTIONS.default,
) -> list[dict[str, MoveShare]]:
    """Compare in how many segments systems have moves.

    Parameters
    ----------
    systems : sequence of mapping of str to array
        The segments with moves of each system, as :func:`segments_with_moves` returns them.
    pairs : sequence of tuples of int
        Indices of systems: one that is compared, and with which.
    sampling : Sampling
        Method, number of samples, seed and level.
    correction : {"none", "holm"}
        Multiple-comparison correction of the p-values of each kind.

    Returns
    -------
    list of dict
        For each system, what is known of each kind. Systems that no pair compares have counts.
    """
    shares = list(map(count_segments, systems))
    tables = [_table([system[kind] for system in systems]) for kind in KINDS]
    correct = load(CORRECTIONS.find(correction).function)
    tested = guarded_tests(tables, pairs, sampling)
    for kind, table, (tests, _) in zip(KINDS, tables, tested, strict=True):
        p_values = correct([test.p for test in tests])
        for (a, b), test, p in zip(pairs, tests, p_values, strict=True):
            difference = table.difference(a, b)
            outcome: Literal["more", "fewer"] | None = None
            if difference and p < sampling.alpha:
                outcome = "more" if difference > 0 else "fewer"
            bounds = test.lower, test.upper
            counted = shares[a][kind].segments
            shares[a][kind] = MoveShare(counted, difference, *bounds, p, outcome)
    return shares


def _table(systems: Sequence[Floats]) -> MetricTable:
    """Return what a test sees of a kind of moves: rows (1 or 0, 1) of the segments."""
    rows = [np.stack([flags, np.ones(len(flags))], axis=1) for flags in systems]
    sums = [np.array([math.fsum(flags.tolist()), len(flags)]) for flags in systems]
    return MetricTable(weighted_mean, rows, sums, [float(weighted_mean(total)) for total in sums])
