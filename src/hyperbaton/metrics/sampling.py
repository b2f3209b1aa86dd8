"""Samples of a corpus's segments: how they are drawn, and the intervals they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.base import Floats, Score
from hyperbaton.stats.resampling import bootstrap_counts, sampled_sums
from hyperbaton.stats.significance import percentile_interval
from hyperbaton.threads import thread_count

METHODS = ("bootstrap", "randomization")
DEFAULT_SAMPLES = 1000
MOST_SAMPLES = 10_000_000  # a number of each is kept, for each system and metric
DEFAULT_SEED = 1
DEFAULT_LEVEL = 0.95


@dataclass(frozen=True)
class Sampling:
    """How samples are drawn and read: the method, how many, from which seed, at which level."""

    method: str = METHODS[0]
    samples: int = DEFAULT_SAMPLES
    seed: int = DEFAULT_SEED
    level: float = DEFAULT_LEVEL
    threads: int | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(f"method is one of {', '.join(METHODS)}, not {self.method!r}")
        object.__setattr__(self, "samples", whole_number("samples", self.samples, 1, MOST_SAMPLES))
        object.__setattr__(self, "seed", whole_number("seed", self.seed, 0, 2**63 - 1))
        share = isinstance(self.level, (float, np.floating))
        if not share or not 0 < self.level < 1:
            raise InputError(f"level is a share between 0 and 1, such as 0.95, not {self.level!r}")
        object.__setattr__(self, "level", float(self.level))
        thread_count(self.threads)

    @property
    def alpha(self) -> float:
        """What p must be less than, for a difference to be significant."""
        return round(1 - self.level, 12)  # 1 − 0.95 is a little more than 0.05

    def to_dict(self) -> dict[str, Any]:
        """All that changes a number, for JSON."""
        return {key: value for key, value in asdict(self).items() if key != "threads"}

    def __str__(self) -> str:
        level = (
            f"{100 * self.level:.10g} % intervals"
            if self.method == METHODS[0]
            else f"significance at {self.alpha:.10g}"
        )
        return f"{level}: {self.method}, {self.samples:,} samples, seed {self.seed}"


def bootstrap(tables: Sequence[Sequence[Score]], sampling: Sampling) -> list[Floats]:
    """For each metric, the values of systems in each sample: a row each, and a column a system.

    ``tables`` has for each metric the scores of all systems; all get the same samples.
    """
    rows = joint_statistics(tables)
    counts = bootstrap_counts(len(rows[0]), sampling.samples, sampling.seed, sampling.threads)
    parts: list[list[Floats]] = [[] for _ in tables]
    for sums in sampled_sums(counts, rows, sampling.threads):
        for scores, own, values in zip(tables, sums, parts, strict=True):
            values.append(scores[0].metric.aggregate(own.reshape(len(own), len(scores), -1)))
    return [np.concatenate(values) for values in parts]


def joint_statistics(tables: Sequence[Sequence[Score]]) -> list[Floats]:
    """For each metric, the statistics of all systems beside each other."""
    return [np.hstack([kept_statistics(score) for score in scores]) for scores in tables]


def with_interval(score: Score, sampled: Floats, level: float) -> Score:
    """The score with its bounds."""
    lower, upper = percentile_interval(sampled, level)
    return replace(score, lower=lower, upper=upper)


def kept_statistics(score: Score) -> Floats:
    """The statistics of each segment."""
    if score.statistics is None:
        raise InputError(f"the segments of {score.name} were not kept")
    return score.statistics


def whole_number(name: str, value: object, least: int, most: int) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InputTypeError(f"{name} is a whole number, not {type(value).__name__}")
    if not least <= value <= most:
        bound = f"at least {least}" if value < least else f"at most {most:,}"
        raise InputError(f"{name} is {value}, but it must be {bound}")
    return int(value)
