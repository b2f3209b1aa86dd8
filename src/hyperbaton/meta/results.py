"""What a meta-evaluation finds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hyperbaton.metrics.options import unknown
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.stats.correlation import ranks

SCHEMA = "hyperbaton/meta/1"
NAMES = ("pair", "metric", "signature")


@dataclass(frozen=True)
class Agreement:
    """Of one metric with people, on one test set; None where it is not defined.

    ``lower`` and ``upper`` bound its interval; ``mean`` and ``deviation`` are those of the samples,
    which Stanojević & Sima'an (2016) print. Of whole systems, ``ranking`` has them from the best
    to the worst by the metric, where 1 is the best by people, 2 the next, and so on (Leusch,
    Ueffing & Ney 2003, tables 2 and 4).
    """

    pair: str
    metric: str
    signature: str | None
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    mean: float | None = None
    deviation: float | None = None
    ranking: tuple[int, ...] | None = None


@dataclass(frozen=True)
class MetricDifference:
    """Of the agreements of two metrics: that of ``a`` less that of ``b``.

    ``p`` is two-sided, None if the test needs more values than there are; ``better`` is the better
    of the two, if the difference is significant.
    """

    pair: str
    a: str
    b: str
    difference: float
    lower: float | None
    upper: float | None
    p: float | None
    better: str | None


@dataclass(frozen=True)
class Counted:
    """How much was judged, how much was scored, and how much both: ``used`` of each.

    ``people`` says which judgements: ``rankings``, ``ranks``, ``segments`` or ``systems``, as the
    argument of that name does. Where they are of whole systems, each is a judgement.
    """

    pair: str
    people: str
    systems: int
    used_systems: int
    segments: int
    judged: int
    scored: int
    used: int
    judgements: int
    used_judgements: int


@dataclass(frozen=True)
class Average:
    """A metric over all test sets: its mean place and its mean agreement."""

    metric: str
    rank: float
    value: float


@dataclass(frozen=True, eq=False)
class MetaEvaluation:
    """What :func:`hyperbaton.meta_evaluate` finds: metrics by test sets, here called pairs.

    ``systems`` has those of each test set, from the best to the worst by people, if the agreement
    is of whole systems; else it is empty.
    """

    pairs: tuple[str, ...]
    metrics: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    differences: tuple[MetricDifference, ...]
    counts: tuple[Counted, ...]
    agreement: str
    average: str
    bootstrap: str
    test: str
    sampling: Sampling
    signatures: Mapping[str, str | None]
    systems: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """The agreement of a metric on a test set: ``found["de-en", "pef"]``."""
        pair, metric = key
        for one in self.agreements:
            if (one.pair, one.metric) == (pair, metric):
                return one
        self._known(pair, metric)
        raise KeyError(f"{metric} has no scores on {pair}")

    def unbeaten(self, pair: str) -> set[str]:
        """Metrics that no other is significantly better than, on one test set."""
        self._known(pair)
        own = [one for one in self.agreements if one.pair == pair and one.value is not None]
        beaten = {
            one.a if one.better == one.b else one.b
            for one in self.differences
            if one.pair == pair and one.better is not None
        }
        return {one.metric for one in own} - beaten

    def averages(self) -> list[Average]:
        """The mean rank and the mean agreement of each metric, the best rank first.

        Metrics with equal agreements share the mean of their ranks, as in the average-rank table
        of Stanojević & Sima'an (2014). A metric that lacks a value somewhere is left out.
        """
        table = np.array(
            [[self[pair, m].value for m in self.metrics] for pair in self.pairs], float
        )
        there = ~np.isnan(table).any(axis=0)
        names = [name for name, whole in zip(self.metrics, there, strict=True) if whole]
        found = average_ranks(names, table[:, there])
        return sorted(found, key=lambda one: (one.rank, -one.value))

    def wins(self, new: str, baseline: str) -> tuple[int, int, int]:
        """N/B/D of Stanojević & Sima'an (2016): on how many test sets is which one better?

        The new metric is significantly better, the baseline is, neither is.
        """
        self._known(None, new, baseline)
        both = {new, baseline}
        own = [one.better for one in self.differences if {one.a, one.b} == both]
        return own.count(new), own.count(baseline), own.count(None)

    def _known(self, pair: str | None, *metrics: str) -> None:
        """Refuse a name that there is not, and say which there are."""
        if pair is not None and pair not in self.pairs:
            raise KeyError(unknown("test set", pair, self.pairs))
        for metric in metrics:
            if metric not in self.metrics:
                raise KeyError(unknown("metric", metric, self.metrics))

    @property
    def warnings(self) -> list[str]:
        """Why numbers may not mean what they seem to."""
        found = [
            f"{one.pair}: only {one.used_judgements:,} of {one.judgements:,} judgements are used: "
            "other metrics have no scores of what the rest are of"
            for one in self.counts
            if 2 * one.used_judgements < one.judgements
        ]
        if self.test == "t":
            found.append(
                "the t-test over bootstrap samples takes samples for observations: with more of "
                "them, every difference becomes significant"
            )
        least = 1 / (self.sampling.samples + 1)
        if self.test in ("permutation", "bootstrap") and least >= self.sampling.alpha:
            found.append(
                f"with {self.sampling.samples:,} samples, no p can be less than {least:.3f}"
            )
        return found

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what is not defined is null."""
        return {
            "schema": SCHEMA,
            "agreement": self.agreement,
            "average": self.average,
            "bootstrap": self.bootstrap,
            "test": self.test,
            **{k: v for k, v in self.sampling.to_dict().items() if k != "method"},
            "signatures": dict(self.signatures),
            "pairs": [
                {
                    "name": counted.pair,
                    "systems": list(self.systems.get(counted.pair, ())) or None,
                    "counts": {k: v for k, v in asdict(counted).items() if k != "pair"},
                    "metrics": {
                        one.metric: {
                            **{k: v for k, v in asdict(one).items() if k not in NAMES},
                            "unbeaten": one.metric in self.unbeaten(counted.pair),
                        }
                        for one in self.agreements
                        if one.pair == counted.pair
                    },
                    "differences": [
                        {k: v for k, v in asdict(one).items() if k != "pair"}
                        for one in self.differences
                        if one.pair == counted.pair
                    ],
                }
                for counted in self.counts
            ],
            "averages": [asdict(one) for one in self.averages()],
            "notes": [*self.notes, *self.warnings],
        }

    def to_json(self, indent: int | None = None) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __repr__(self) -> str:
        return (
            f"MetaEvaluation({self.agreement}: {len(self.metrics)} metrics on "
            f"{', '.join(self.pairs)})"
        )


def average_ranks(names: list[str], table: np.ndarray[Any, Any]) -> list[Average]:
    """Of a table with a row for each test set and a column for each metric, higher is better.

    >>> average_ranks(["x", "y"], np.array([[0.2, 0.1], [0.3, 0.3]]))[0]
    Average(metric='x', rank=1.25, value=0.25)
    """
    if not names:
        return []
    places = ranks(-table).mean(axis=0)
    means = table.mean(axis=0)
    return [
        Average(name, float(place), float(mean))
        for name, place, mean in zip(names, places, means, strict=True)
    ]
