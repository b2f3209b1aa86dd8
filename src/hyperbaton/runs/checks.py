"""A check of systems against a baseline, for continuous builds: may they be released?

It says "cannot tell" where it has seen too little, and never "ok".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hyperbaton.notices import Notice
from hyperbaton.runs.comparing import (
    CLOSER,
    FARTHER,
    NOT_SCORED,
    TOO_FEW,
    Comparison,
    Difference,
    compare_results,
)
from hyperbaton.runs.order_verdict import p_value, percentage, signed
from hyperbaton.runs.results import Result
from hyperbaton.softorder.evidence import Evidence
from hyperbaton.stats.sampling import CORRECTIONS, Sampling
from hyperbaton.stats.significance import fewest_segments, holm
from hyperbaton.text.plurals import count_noun

SCHEMA = "hyperbaton/check/2"
OK, WORSE, CANNOT_TELL = "ok", "worse", "cannot tell"


@dataclass(frozen=True)
class MetricCheck:
    """How a system compares with the baseline by one metric.

    Attributes
    ----------
    test : Difference
        The difference of the system and the baseline. Its p-value is corrected for all metrics.
    value, baseline_value : float or None
        Their values.
    higher_is_better : bool
        False for error rates.
    signature : str
        The metric's signature.
    """

    test: Difference
    value: float | None
    baseline_value: float | None
    higher_is_better: bool
    signature: str

    @property
    def is_worse(self) -> bool:
        """Whether the system is significantly worse than the baseline."""
        return self.test.better == self.test.b

    @property
    def drop(self) -> float | None:
        """How much the system may have lost: the upper end of the interval of the loss."""
        low, high = self.test.lower, self.test.upper
        if low is None or high is None:
            return None
        return -low if self.higher_is_better else high

    def to_dict(self) -> dict[str, Any]:
        """Return the check for JSON."""
        numbers = asdict(self.test)
        metric, system, _ = (numbers.pop(key) for key in ("metric", "a", "b"))
        return {
            "metric": metric,
            "system": system,
            "worse": self.is_worse,
            "value": self.value,
            "baseline_value": self.baseline_value,
            **numbers,
            "drop": self.drop,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
        }

    def describe(self, names: Mapping[str, str]) -> str:
        """Return a line for people, whose values are points out of 100."""
        test = self.test
        system, baseline = names[test.a], names[test.b]
        if test.outcome == NOT_SCORED:
            return f"{system} cannot be compared with {baseline} by {test.metric}: not scored"
        numbers = f"p {p_value(test.p)}"
        if test.anchors is None:
            relation = {"better": "significantly better than", "worse": "significantly worse than"}
            words = relation.get(test.outcome, "not significantly different from")
            values = " against ".join(
                f"{100 * value:.1f}"
                for value in (self.value, self.baseline_value)
                if value is not None
            )
            numbers = f"{values}, difference {signed(test.difference or 0)}, {numbers}"
        elif test.outcome == TOO_FEW:
            words = f"too different from {baseline} to compare their order"
            return f"{system} is {words}: {count_noun(test.anchors, 'word')} in common"
        else:
            relation = {CLOSER: "closer to", FARTHER: "farther from"}
            words = relation.get(test.outcome, "not certainly closer to or farther from")
            words += " the order of the reference than"
            shared = count_noun(test.anchors, "shared word")
            numbers = f"{signed(test.difference or 0)} points, {shared}, {numbers}"
        return f"{system} is {words} {baseline} by {test.metric}: {numbers}"


@dataclass(frozen=True)
class SystemCheck:
    """What is known of one system.

    Attributes
    ----------
    system : str
        Its name.
    evidence : Evidence
        How much of it is in the reference.
    is_comparable : bool
        Whether it has enough words in common with the baseline, if there is one.
    metrics : tuple of MetricCheck
        The checks by each metric; none without a baseline.
    max_drop : float, optional
        What the system may lose by each metric.
    """

    system: str
    evidence: Evidence
    is_comparable: bool
    metrics: tuple[MetricCheck, ...]
    max_drop: float | None = None

    @property
    def drops(self) -> bool:
        """Whether it may have lost more than it may lose."""
        most = self.max_drop
        return most is not None and any((check.drop or 0) > most for check in self.metrics)

    @property
    def outcome(self) -> str:
        """What is known, in one or two words."""
        if not self.evidence.is_scored or not self.is_comparable:
            return CANNOT_TELL
        is_worse = any(check.is_worse for check in self.metrics)
        return WORSE if is_worse or self.drops else OK

    def describe(self, names: Mapping[str, str]) -> list[str]:
        """Return lines for people."""
        name = names[self.system]
        matched = f"{percentage(self.evidence.share)} of its words are in the reference"
        if not self.evidence.is_scored:
            first = f"{CANNOT_TELL}: {name} is {self.evidence.reason}"
        elif not self.is_comparable:
            first = (
                f"{CANNOT_TELL}: {name} has too few words in common with the baseline; {matched}"
            )
        else:
            first = f"{self.outcome}: {name}; {matched}"
        lines = [f"  {check.describe(names)}" for check in self.metrics]
        lines += [
            f"  {name} may have lost {100 * (check.drop or 0):.1f} points by {check.test.metric}, "
            f"more than {100 * self.max_drop:.10g}"
            for check in self.metrics
            if self.max_drop is not None and (check.drop or 0) > self.max_drop
        ]
        return [first, *lines]


@dataclass(frozen=True)
class Check:
    """The check of some systems, with their comparison if there is a baseline."""

    systems: tuple[SystemCheck, ...]
    comparison: Comparison | None
    segments: int

    @property
    def outcome(self) -> str:
        """The worst outcome of a system."""
        outcomes = {system.outcome for system in self.systems}
        return next(word for word in (WORSE, CANNOT_TELL, OK) if word in outcomes)

    @property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        return [] if self.comparison is None else self.comparison.notes

    def to_dict(self) -> dict[str, Any]:
        """Return the check for JSON."""
        comparison = self.comparison
        return {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "baseline": None if comparison is None else comparison.baseline,
            "can_fail": comparison is not None and comparison.can_be_significant,
            "n": self.segments,
            **({} if comparison is None else comparison.settings()),
            "correction": "holm",
            "notes": self.notes,
            "systems": [
                {
                    "system": system.system,
                    "outcome": system.outcome,
                    "matched": system.evidence.share,
                    "not_scored": system.evidence.reason or None,
                }
                for system in self.systems
            ],
            "checks": [check.to_dict() for system in self.systems for check in system.metrics],
        }


def check_systems(
    results: Sequence[Result],
    metrics: Sequence[str],
    order: str,
    baseline: str | None,
    sampling: Sampling,
    max_drop: float | None = None,
) -> Check:
    """Check systems, perhaps against a baseline, which is one of them.

    Parameters
    ----------
    results : sequence of Result
        One result per system, with statistics.
    metrics : sequence of str
        The metrics by which systems are checked.
    order : str
        A metric that compares by anchors. It says what can be told, also if it is not one of
        ``metrics``.
    baseline : str, optional
        The system that others are compared with.
    sampling : Sampling
        Method, number of samples, seed and level.
    max_drop : float, optional
        What a system may lose by each metric.
    """
    comparison = None
    if baseline is not None:
        comparison = compare_results(results, sampling, baseline, CORRECTIONS.default)
        comparison = replace(comparison, corrected=len(metrics))
    systems = []
    for result in results:
        evidence = result[order].evidence
        assert evidence is not None
        if result.name != baseline:
            found = [] if comparison is None else _differences(comparison, result.name)
            is_comparable = all(_is_comparable(d, comparison) for d in found if d.metric == order)
            checks = _metric_checks(found, metrics, {r.name: r for r in results}, sampling.alpha)
            systems.append(
                SystemCheck(result.name, evidence, is_comparable, tuple(checks), max_drop)
            )
    return Check(tuple(systems), comparison, results[0].n)


def _differences(comparison: Comparison, system: str) -> list[Difference]:
    return [d for d in comparison.differences if d.a == system]


def _is_comparable(order: Difference, comparison: Comparison | None) -> bool:
    """Return whether the order can be tested: also whether enough segments have anchors.

    For fewer segments in all, the comparison has a warning.
    """
    assert comparison is not None
    needed = fewest_segments(comparison.sampling.level, comparison.corrected)
    counted = order.wins + order.ties + order.losses
    return order.outcome not in (NOT_SCORED, TOO_FEW) and counted >= min(needed, comparison.n)


def _metric_checks(
    found: Sequence[Difference], metrics: Sequence[str], results: Mapping[str, Result], alpha: float
) -> list[MetricCheck]:
    """Return the checks of one system, whose p-values are corrected for the number of metrics."""
    tests = [d for d in found if d.metric in metrics]
    p_values = holm([1.0 if d.p is None else d.p for d in tests])
    checks = []
    for d, p in zip(tests, p_values, strict=True):
        test = replace(d, p=p)
        if p >= alpha and d.better is not None:
            test = replace(test, better=None, outcome="no certain difference")
        score, other = (results[name][d.metric] for name in (d.a, d.b))
        checks.append(
            MetricCheck(test, score.value, other.value, score.higher_is_better, score.signature)
        )
    return checks
