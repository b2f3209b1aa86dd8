"""A check of systems against a baseline, for continuous builds: may they be released?

It says "cannot tell" where it has seen too little, and never "ok".
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hyperbaton.files.lines import short_names
from hyperbaton.notices import Notice
from hyperbaton.runs.comparing import Comparison, Difference, compare_results
from hyperbaton.runs.results import Result
from hyperbaton.runs.verdict_sentences import (
    CLOSER,
    FARTHER,
    NONE_CERTAIN,
    NOT_SCORED,
    TOO_FEW,
    p_value,
    percentage,
    signed,
)
from hyperbaton.softorder.evidence import LEAST_ANCHORED_SHARE, LEAST_ANCHORS
from hyperbaton.stats.sampling import CORRECTIONS, Sampling
from hyperbaton.stats.significance import fewest_segments, holm
from hyperbaton.text.display import isolated
from hyperbaton.text.plurals import count_noun

SCHEMA = "hyperbaton/check/2"
OK, WORSE, CANNOT_TELL = "ok", "worse", "cannot tell"
IN_WORDS = {
    "better": "significantly better",
    "worse": "significantly worse",
    CLOSER: "closer to the order of the reference",
    FARTHER: "farther from the order of the reference",
}


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
    max_drop : float, optional
        How much the system may lose.
    """

    test: Difference
    value: float | None
    baseline_value: float | None
    higher_is_better: bool
    signature: str
    max_drop: float | None

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

    @property
    def drops_too_far(self) -> bool:
        """Whether the system may have lost more than it may lose."""
        return self.max_drop is not None and self.drop is not None and self.drop > self.max_drop

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
            "max_drop": self.max_drop,
            "higher_is_better": self.higher_is_better,
            "signature": self.signature,
        }

    def describe(self) -> Iterator[str]:
        """Yield lines for people, whose values are points out of 100."""
        test = self.test
        metric = f"  {test.metric}: "
        p = f"p {p_value(test.p)}"
        found = metric + IN_WORDS.get(test.outcome, test.outcome)
        if test.anchors is not None and test.outcome != NOT_SCORED:
            words = count_noun(test.anchors, "word")
            yield f"{found} ({signed(test.difference or 0, '+')}, {words}, {p})"
        elif self.value is not None and self.baseline_value is not None:
            yield f"{found} ({100 * self.value:.1f} against {100 * self.baseline_value:.1f}, {p})"
        else:
            yield found
        if self.drops_too_far:
            lost, most = 100 * (self.drop or 0), 100 * (self.max_drop or 0)
            yield f"{metric}may have lost {lost:.4g} points, more than {most:.4g}"


@dataclass(frozen=True)
class SystemCheck:
    """What is known of one system.

    Attributes
    ----------
    system : str
        Its name.
    matched : float
        The share of its words that are in the reference.
    reason : str
        Why nothing can be told; empty if something can.
    metrics : tuple of MetricCheck
        The checks by each metric; none without a baseline.
    """

    system: str
    matched: float
    reason: str
    metrics: tuple[MetricCheck, ...]

    @property
    def is_worse(self) -> bool:
        """Whether the system is significantly worse than the baseline by one of the metrics."""
        return any(check.is_worse for check in self.metrics)

    @property
    def drops_too_far(self) -> bool:
        """Whether it may have lost too much by one of the metrics."""
        return any(check.drops_too_far for check in self.metrics)

    @property
    def outcome(self) -> str:
        """What is known, in one or two words."""
        if self.reason:
            return CANNOT_TELL
        return WORSE if self.is_worse or self.drops_too_far else OK

    def describe(self, names: Mapping[str, str], baseline: str | None) -> Iterator[str]:
        """Yield lines for people, who see other names."""
        against = "" if baseline is None else f" against {names[baseline]}"
        first = f"{self.outcome}: {names[self.system]}{against}"
        if self.reason:
            yield first
            yield from textwrap.wrap(self.reason, 80, initial_indent="  ", subsequent_indent="  ")
        else:
            yield f"{first}; {percentage(self.matched)} of its words are in the reference"
        for check in self.metrics:
            yield from check.describe()


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
    def baseline(self) -> str | None:
        """The name of the baseline."""
        return None if self.comparison is None else self.comparison.baseline

    @property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        return [] if self.comparison is None else self.comparison.notes

    def describe(self) -> Iterator[str]:
        """Yield lines for people."""
        systems = [system.system for system in self.systems]
        shown = short_names([*systems, *filter(None, [self.baseline])])
        names = {system: isolated(name) for system, name in shown.items()}
        for system in self.systems:
            yield from system.describe(names, self.baseline)

    def to_dict(self) -> dict[str, Any]:
        """Return the check for JSON."""
        comparison = self.comparison
        return {
            "schema": SCHEMA,
            "outcome": self.outcome,
            "baseline": self.baseline,
            "can_fail": comparison is not None and comparison.can_be_significant,
            "n": self.segments,
            **({} if comparison is None else comparison.settings()),
            "correction": "holm",
            "notes": self.notes,
            "systems": [
                {
                    "system": system.system,
                    "outcome": system.outcome,
                    "matched": system.matched,
                    "reason": system.reason or None,
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
        Method, number of samples, seed and level. The samples are raised to what the correction
        needs if they are adjustable.
    max_drop : float, optional
        What a system may lose by each metric.
    """
    by_name = {result.name: result for result in results}
    comparison = None
    shared: dict[str, Difference] = {}
    if baseline is not None:
        enough = sampling.adjusted_for(len(metrics))
        compared = compare_results(results, enough, baseline, CORRECTIONS.default)
        shared = {d.a: d for d in compared.differences_by(order)}
        comparison = replace(
            compared,
            results=tuple(select_metrics(compared.results, metrics)),
            differences=tuple(d for d in compared.differences if d.metric in metrics),
            corrected=len(metrics),
        )
    systems = []
    for name, result in by_name.items():
        if name != baseline:
            reason = _why_not_scored(result)
            checks: list[MetricCheck] = []
            if comparison is not None and baseline is not None:
                least = min(result.n, fewest_segments(sampling.level))
                reason = reason or _why_not_compared(by_name[baseline], shared[name], least)
                tests = [d for d in comparison.differences if d.a == name]
                checks = _metric_checks(tests, by_name, sampling.alpha, max_drop)
            systems.append(SystemCheck(name, result[order].matched or 0, reason, tuple(checks)))
    return Check(tuple(systems), comparison, results[0].n)


def select_metrics(results: Sequence[Result], metrics: Sequence[str]) -> list[Result]:
    """Return results with the scores of some metrics alone."""
    return [result.with_scores({name: result[name] for name in metrics}) for result in results]


def _why_not_scored(result: Result) -> str:
    """Return why a metric says nothing of a system; empty if all of them do."""
    reasons = (score.evidence.reason for score in result.values() if score.evidence is not None)
    return next(filter(None, reasons), "")


def _why_not_compared(baseline: Result, shared: Difference, least_segments: int) -> str:
    """Return why the order of a system cannot be compared with the baseline's; empty if it can."""
    reason = _why_not_scored(baseline)
    if reason:
        return f"the baseline is {reason}"
    if shared.outcome == TOO_FEW:
        return (
            f"only {count_noun(shared.anchors or 0, 'word')} ({percentage(shared.anchored or 0)} "
            "of the reference's) in common with the baseline and the reference: at least "
            f"{LEAST_ANCHORS}, and {percentage(LEAST_ANCHORED_SHARE)}, are needed"
        )
    segments = shared.wins + shared.ties + shared.losses
    if segments >= least_segments:
        return ""
    return (
        f"only {count_noun(segments, 'segment')} with words in common with the baseline: at least "
        f"{least_segments} are needed"
    )


def _metric_checks(
    tests: Sequence[Difference],
    results: Mapping[str, Result],
    alpha: float,
    max_drop: float | None,
) -> list[MetricCheck]:
    """Return the checks of one system, whose p-values are corrected for the number of metrics."""
    checks = []
    for d, p in zip(tests, holm([d.p for d in tests]), strict=True):
        test = replace(d, p=p)
        if p >= alpha and d.better is not None:
            test = replace(test, better=None, outcome=NONE_CERTAIN)
        score, other = (results[name][d.metric] for name in (d.a, d.b))
        values = score.value, other.value
        checks.append(MetricCheck(test, *values, score.higher_is_better, score.signature, max_drop))
    return checks
