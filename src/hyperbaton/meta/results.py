"""The result of a meta-evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hyperbaton.meta.judgements import Floats
from hyperbaton.notices import Notice
from hyperbaton.presentation import PrintedResult
from hyperbaton.registries import unknown_name_message
from hyperbaton.stats.correlation import ranks
from hyperbaton.stats.sampling import Sampling

SCHEMA = "hyperbaton/meta/1"


@dataclass(frozen=True)
class Agreement:
    """The agreement of one metric with people on one test set.

    Attributes
    ----------
    pair : str
        Name of the test set.
    metric : str
    signature : str or None
    value : float or None
        None if the agreement is undefined.
    lower, upper : float or None
        Bounds of the confidence interval.
    mean, deviation : float or None
        Mean and standard deviation over the bootstrap samples, which Stanojević & Sima'an (2016)
        print.
    ranking : tuple of int or None
        For a measure of systems, the systems from best to worst by the metric, each numbered by
        its place in the order of people (Leusch, Ueffing & Ney 2003, tables 2 and 4).
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
    """The difference between the agreements of two metrics, ``a`` minus ``b``.

    Attributes
    ----------
    pair : str
        Name of the test set.
    a, b : str
        The metrics.
    difference : float
    lower, upper : float or None
        Bounds of the confidence interval.
    p : float or None
        Two-sided p-value; None if there are too few values for the test.
    better : str or None
        The better metric, if the difference is significant.
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
class Coverage:
    """How much of a test set was judged, scored, and used because it was both.

    Attributes
    ----------
    pair : str
        Name of the test set.
    people : {"rankings", "ranks", "segments", "systems"}
        Which human judgements were used.
    systems, used_systems : int
    segments, judged, scored, used : int
        Numbers of segments: all, judged, scored by all metrics, and both.
    judgements, used_judgements : int
        If people scored whole systems, each such score is one judgement.
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
    """The mean rank and the mean agreement of a metric over all test sets."""

    metric: str
    rank: float
    value: float


@dataclass(frozen=True, eq=False)
class MetaEvaluation(PrintedResult):
    """The result of :func:`hyperbaton.meta_evaluate`.

    Attributes
    ----------
    pairs : tuple of str
        Names of the test sets.
    metrics : tuple of str
    agreements : tuple of Agreement
        One per metric and test set.
    differences : tuple of MetricDifference
        One per pair of metrics and test set.
    counts : tuple of Coverage
        One per test set.
    agreement, average, bootstrap, test : str
        The settings, as passed to ``meta_evaluate``.
    exchange : {"segments", "scores", "systems"} or None
        What two metrics exchange in the permutation test; None for other tests.
    sampling : Sampling
    signatures : mapping of str to (str or None)
        By metric.
    systems : mapping of str to tuple of str
        For a measure of systems, those of each test set from best to worst by people; otherwise
        empty.
    notes : tuple of Notice
        What was left out or changed.
    """

    pairs: tuple[str, ...]
    metrics: tuple[str, ...]
    agreements: tuple[Agreement, ...]
    differences: tuple[MetricDifference, ...]
    counts: tuple[Coverage, ...]
    agreement: str
    average: str
    bootstrap: str
    test: str
    exchange: str | None
    sampling: Sampling
    signatures: Mapping[str, str | None]
    systems: Mapping[str, tuple[str, ...]]
    notes: tuple[Notice, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> Agreement:
        """Return the agreement of a metric on a test set: ``result["de-en", "pef"]``."""
        pair, metric = key
        for agreement in self.agreements:
            if (agreement.pair, agreement.metric) == (pair, metric):
                return agreement
        self._check_names(pair, metric)
        raise KeyError(f"{metric} has no scores on {pair}")

    def unbeaten(self, pair: str) -> set[str]:
        """Return the metrics that no other metric significantly beats on a test set.

        Parameters
        ----------
        pair : str
            Name of the test set, such as ``"de-en"``.

        Returns
        -------
        set of str
            The metrics.
        """
        self._check_names(pair)
        defined = {a.metric for a in self.agreements if a.pair == pair and a.value is not None}
        beaten = {
            difference.a if difference.better == difference.b else difference.b
            for difference in self.differences
            if difference.pair == pair and difference.better is not None
        }
        return defined - beaten

    def averages(self) -> list[Average]:
        """Return the mean rank and the mean agreement of each metric, best rank first.

        Metrics with equal agreements share the mean of their ranks, as in the average-rank table
        of Stanojević & Sima'an (2014). A metric without a value on some test set is left out.
        """
        values = [[self[pair, metric].value for metric in self.metrics] for pair in self.pairs]
        table = np.array(values, float)
        complete = ~np.isnan(table).any(axis=0)
        names = [name for name, kept in zip(self.metrics, complete, strict=True) if kept]
        averages = average_ranks(names, table[:, complete])
        return sorted(averages, key=lambda average: (average.rank, -average.value))

    def wins(self, new: str, baseline: str) -> tuple[int, int, int]:
        """Return N/B/D of Stanojević & Sima'an (2016).

        These are the numbers of test sets on which the new metric is significantly better, the
        baseline is significantly better, and neither is.

        Parameters
        ----------
        new, baseline : str
            The two metrics.

        Returns
        -------
        tuple of (int, int, int)
            N, B and D.
        """
        self._check_names(None, new, baseline)
        better = [d.better for d in self.differences if {d.a, d.b} == {new, baseline}]
        return better.count(new), better.count(baseline), better.count(None)

    def _check_names(self, pair: str | None, *metrics: str) -> None:
        """Raise KeyError, with the valid names, for an unknown test set or metric."""
        if pair is not None and pair not in self.pairs:
            raise KeyError(unknown_name_message("test set", pair, self.pairs))
        for metric in metrics:
            if metric not in self.metrics:
                raise KeyError(unknown_name_message("metric", metric, self.metrics))

    @property
    def warnings(self) -> list[str]:
        """Reasons to interpret the numbers with care."""
        warnings = [
            f"{coverage.pair}: only {coverage.used_judgements:,} of {coverage.judgements:,} "
            "judgements are used; "
            "the other judgements lack scores from some metrics"
            for coverage in self.counts
            if 2 * coverage.used_judgements < coverage.judgements
        ]
        if self.test == "t":
            warnings.append(
                "the t-test treats bootstrap samples as observations; with enough samples, every "
                "difference becomes significant"
            )
        smallest_p = 1 / (self.sampling.samples + 1)
        if self.test in ("permutation", "bootstrap") and smallest_p >= self.sampling.alpha:
            warnings.append(
                f"with {self.sampling.samples:,} samples, no p can be less than {smallest_p:.3f}"
            )
        return warnings

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a dictionary for JSON; undefined values are None."""
        return {
            "schema": SCHEMA,
            "agreement": self.agreement,
            "average": self.average,
            "bootstrap": self.bootstrap,
            "test": self.test,
            "exchange": self.exchange,
            **_without(self.sampling.to_dict(), "method"),
            "signatures": dict(self.signatures),
            "pairs": [self._pair_to_dict(coverage) for coverage in self.counts],
            "averages": [asdict(average) for average in self.averages()],
            "notes": [*self.notes, *self.warnings],
        }

    def _pair_to_dict(self, coverage: Coverage) -> dict[str, Any]:
        pair = coverage.pair
        unbeaten = self.unbeaten(pair)
        return {
            "name": pair,
            "systems": list(self.systems.get(pair, ())) or None,
            "counts": _without(asdict(coverage), "pair"),
            "metrics": {
                agreement.metric: {
                    **_without(asdict(agreement), "pair", "metric", "signature"),
                    "unbeaten": agreement.metric in unbeaten,
                }
                for agreement in self.agreements
                if agreement.pair == pair
            },
            "differences": [
                _without(asdict(difference), "pair")
                for difference in self.differences
                if difference.pair == pair
            ],
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __repr__(self) -> str:
        pairs = ", ".join(self.pairs)
        return f"MetaEvaluation({self.agreement}: {len(self.metrics)} metrics on {pairs})"


def average_ranks(names: list[str], table: Floats) -> list[Average]:
    """Return the mean rank and the mean value of each metric.

    Parameters
    ----------
    names : list of str
        The metrics.
    table : array of shape (test sets, metrics)
        Agreements; higher is better.

    >>> average_ranks(["x", "y"], np.array([[0.2, 0.1], [0.3, 0.3]]))[0]
    Average(metric='x', rank=1.25, value=0.25)
    """
    if not names:
        return []
    mean_ranks, means = ranks(-table).mean(axis=0), table.mean(axis=0)
    return list(map(Average, names, mean_ranks.tolist(), means.tolist()))


def _without(fields: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in keys}
