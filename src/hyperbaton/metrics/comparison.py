"""Is a difference between systems real? Paired tests over segment statistics."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.base import Floats, Metric, Score, StrPath
from hyperbaton.metrics.sampling import (
    DEFAULT_LEVEL,
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    METHODS,
    Sampling,
    bootstrap,
    joint_statistics,
    kept_statistics,
    with_interval,
)
from hyperbaton.metrics.scoring import Result, named_metrics, score_systems
from hyperbaton.presentation import present
from hyperbaton.stats.resampling import sampled_sums, swap_counts
from hyperbaton.stats.significance import (
    bootstrap_p,
    clusters,
    holm,
    percentile_interval,
    randomization_p,
    rank_ranges,
)

if TYPE_CHECKING:
    from hyperbaton.report.reports import Report

SCHEMA = "hyperbaton/compare/1"
CORRECTIONS = ("none", "holm")
FEW_SEGMENTS = 10


# Of one metric: the scores, and for each pair p and the bounds of the difference.
Tested = tuple[list[Score], list[tuple[float, float | None, float | None]]]


@dataclass(frozen=True)
class Difference:
    """Of two systems by one metric.

    ``difference`` is the value of ``a`` less that of ``b``, and is between ``lower`` and ``upper``
    at the level of the comparison (by bootstrap only). ``p`` is how likely at least such a
    difference would be if there were none, two-sided, corrected if that was asked for. ``effect``
    is the mean of the differences of segments over their standard deviation (Cohen's d for pairs;
    None where they do not differ), positive where ``a`` is better; ``wins``, ``ties`` and
    ``losses`` are the segments in which ``a`` is better, equal, worse.
    """

    metric: str
    a: str
    b: str
    difference: float
    lower: float | None
    upper: float | None
    p: float
    effect: float | None
    wins: int
    ties: int
    losses: int
    better: str | None  # the better of the two, if the difference is significant


@dataclass(frozen=True)
class Rank:
    """A system's place by one metric: its cluster, and the ranks it may have."""

    system: str
    value: float
    lower: float | None
    upper: float | None
    cluster: int | None
    first: int | None
    last: int | None


@dataclass(frozen=True, eq=False)
class Comparison:
    """What :func:`hyperbaton.compare` finds."""

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    sampling: Sampling
    baseline: str | None
    correction: str

    @property
    def n(self) -> int:
        """The number of segments."""
        return self.results[0].n

    @property
    def metrics(self) -> tuple[str, ...]:
        """What was compared."""
        return tuple(self.results[0])

    def of(self, metric: str) -> list[Difference]:
        """The differences by one metric."""
        return [found for found in self.differences if found.metric == metric]

    def scores(self, metric: str) -> dict[str, Score]:
        """The scores by one metric, the best first; those that are equal as they were given."""
        sign = -1 if self.results[0][metric].higher_is_better else 1
        order = sorted(self.results, key=lambda result: sign * result[metric].value)
        return {result.name: result[metric] for result in order}

    def ranking(self, metric: str) -> list[Rank]:
        """Systems, the best first; clusters only if every pair was compared."""
        scores = self.scores(metric)
        names = list(scores)
        numbers: Sequence[int | None] = [None] * len(names)
        ranges: Sequence[tuple[int | None, int | None]] = [(None, None)] * len(names)
        if self.baseline is None:
            better = np.zeros((len(names), len(names)), bool)
            for found in self.of(metric):
                if found.better is not None:
                    worse = found.b if found.better == found.a else found.a
                    better[names.index(found.better), names.index(worse)] = True
            numbers, ranges = clusters(better), rank_ranges(better)
        return [
            Rank(name, score.value, score.lower, score.upper, number, first, last)
            for (name, score), number, (first, last) in zip(
                scores.items(), numbers, ranges, strict=True
            )
        ]

    def separating(self, metric: str, a: str, b: str, count: int) -> list[tuple[int, float, float]]:
        """The segments, from 0, in which two systems differ most by a metric, and both values.

        By the size of the difference alone, whoever is better; of equal ones the first comes first.
        """
        scores = {result.name: result[metric].segments for result in self.results}
        first, second = scores[a], scores[b]
        sizes = abs(first - second)
        order = sorted(range(len(sizes)), key=lambda k: (-sizes[k], k))[:count]
        return [(k, float(first[k]), float(second[k])) for k in order if sizes[k] > 0]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "schema": SCHEMA,
            **self.sampling.to_dict(),
            "correction": self.correction,
            "baseline": self.baseline,
            "n": self.n,
            "notes": self.notes,
            "metrics": {
                metric: {
                    "signature": self.results[0][metric].signature,
                    "higher_is_better": self.results[0][metric].higher_is_better,
                    "ranking": [asdict(rank) for rank in self.ranking(metric)],
                    "differences": [asdict(found) for found in self.of(metric)],
                }
                for metric in self.metrics
            },
        }

    def to_json(self, indent: int | None = None) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def contrast(self, metric: str) -> tuple[str, str]:
        """Which two systems to look at by a metric: the best two, or the best and the baseline."""
        best, *others = (name for name in self.scores(metric) if name != self.baseline)
        return best, self.baseline or others[0]

    def report(self, title: str | None = None, threads: int | None = None) -> Report:
        """A page to send on: ``comparison.report().save("report.html")``."""
        report: Report = present("report_of", self.results, self.sampling, self, title, threads)
        return report

    @property
    def warnings(self) -> list[str]:
        """Why no p may mean what it seems to: too few segments, or too few samples."""
        found = [few_segments(self.n)] if self.n < FEW_SEGMENTS else []
        pairs = len(self.of(self.metrics[0])) if self.correction == "holm" else 1
        least, alpha = pairs / (self.sampling.samples + 1), self.sampling.alpha
        if least >= alpha:
            of_pairs = f" and {pairs} pairs" if pairs > 1 else ""
            needed = math.floor(pairs / alpha + 1e-9)
            found.append(
                f"with {self.sampling.samples:,} samples{of_pairs}, no p can be less than "
                f"{min(least, 1):.3f}: at least {needed:,} samples are needed"
            )
        return found

    @cached_property
    def notes(self) -> list[str]:
        """What a reader should know before trusting the p-values."""
        found = list(self.warnings)
        equal: dict[tuple[str, str], list[str]] = {}
        scores = {result.name: result for result in self.results}
        for one in self.differences:
            if _equal(scores[one.a][one.metric], scores[one.b][one.metric]):
                equal.setdefault((one.a, one.b), []).append(one.metric)
        for (a, b), metrics in equal.items():
            found.append(f"{a} and {b} are equal in every segment by {', '.join(metrics)}: p = 1")
        return found

    def __repr__(self) -> str:
        names = ", ".join(result.name for result in self.results)
        return f"Comparison({names}; {', '.join(self.metrics)}; n={self.n})"


def few_segments(count: int) -> str:
    """What to say of fewer segments than a test needs."""
    many = f"{count} segments are" if count > 1 else "one segment is"
    return f"{many} too few for samples to mean much"


def compare(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    method: str = METHODS[0],
    samples: int = DEFAULT_SAMPLES,
    seed: int = DEFAULT_SEED,
    level: float = DEFAULT_LEVEL,
    baseline: str | None = None,
    correction: str = "none",
    source: Sequence[str] | None = None,
    alignments: Mapping[str, Sequence[Any]] | None = None,
    reference_alignments: Sequence[Any] | None = None,
    trees: Mapping[str, Sequence[Any]] | None = None,
    reference_trees: Sequence[Any] | None = None,
    parser: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare systems: which differences are more than chance?

    >>> import hyperbaton as hb
    >>> references = ["a b c d", "e f g h", "i j k l", "m n o p"] * 5
    >>> systems = {"good": references, "bad": ["b a d c", "f e h g", "j i l k", "n m p o"] * 5}
    >>> comparison = hb.compare(systems, references, ["pef"])
    >>> [found.better for found in comparison.differences]
    ['good']
    >>> comparison.differences[0].p
    0.000999000999000999

    ``method`` is ``bootstrap``, samples of as many segments, drawn with replacement, or
    ``randomization``, samples in which the two systems exchange segments at random. Every pair is
    compared, or each system with the ``baseline``. ``correction="holm"`` corrects the p-values of
    a metric for how many they are. A difference is significant if p < 1 − ``level``. The same
    ``seed`` gives the same numbers, on any number of threads. ``source``, ``alignments`` (by
    system) and ``reference_alignments`` are those of :func:`hyperbaton.score`.
    """
    if not isinstance(systems, Mapping):
        kind = type(systems).__name__
        raise InputTypeError(f"systems is a mapping from names to lists of lines, not {kind}")
    for name in systems:
        if not isinstance(name, str):
            raise InputTypeError(f"the name of a system is a text, not {type(name).__name__}")
    for what, given in (("alignments", alignments), ("trees", trees)):
        if given is not None:
            _check_names(what, given, systems)
    sampling = Sampling(method, samples, seed, level, threads)
    named = named_metrics(metrics, language, wordnet, paraphrases, parser)
    check_systems(list(systems), baseline, correction)
    results = score_systems(
        systems,
        references,
        named,
        threads,
        alignments=alignments,
        source=source,
        reference_alignments=reference_alignments,
        trees=trees,
        reference_trees=reference_trees,
    )
    return compare_results(results, sampling, baseline, correction)


def _check_names(what: str, given: object, systems: Mapping[str, Sequence[str]]) -> None:
    """Refuse what is not for each of the systems."""
    if not isinstance(given, Mapping):
        raise InputTypeError(
            f"{what} is a mapping from names to {what}, not {type(given).__name__}"
        )
    for name in (*given, *systems):
        if name not in systems:
            raise InputError(f"{what} has {name!r}, which is none of the systems")
        if name not in given:
            raise InputError(f"{what} has none for {name!r}: give those of all systems")


def check_systems(names: Sequence[str], baseline: str | None, correction: str) -> None:
    """Refuse what cannot be compared."""
    if len(names) < 2:
        raise InputError("two systems at least are needed for a comparison")
    if baseline is not None and baseline not in names:
        raise InputError(f"the baseline {baseline!r} is none of the systems: {', '.join(names)}")
    if correction not in CORRECTIONS:
        raise InputError(f"correction is one of {', '.join(CORRECTIONS)}, not {correction!r}")


def compare_results(
    results: Sequence[Result], sampling: Sampling, baseline: str | None, correction: str
) -> Comparison:
    """The comparison of results whose statistics were kept."""
    names = [result.name for result in results]
    others = [k for k, name in enumerate(names) if name != baseline]
    pairs = (
        list(combinations(range(len(names)), 2))
        if baseline is None
        else [(k, names.index(baseline)) for k in others]
    )
    metrics = list(results[0])
    tables = [[result[metric] for result in results] for metric in metrics]
    test = _bootstrapped if sampling.method == METHODS[0] else _randomized
    found: list[Difference] = []
    scored: list[dict[str, Score]] = [{} for _ in results]
    for metric, (scores, tested) in zip(metrics, test(tables, pairs, sampling), strict=True):
        for own, score in zip(scored, scores, strict=True):
            own[metric] = score
        p_values = [p for p, _, _ in tested]
        if correction == "holm":
            p_values = holm(p_values)
        for (a, b), p, (_, low, high) in zip(pairs, p_values, tested, strict=True):
            one = _difference(metric, names[a], names[b], scores[a], scores[b])
            one = replace(one, lower=low, upper=high)
            found.append(_decided(one, p, scores[a].higher_is_better, sampling.alpha))
    with_scores = tuple(
        Result(own, one.name, one.corpus) for own, one in zip(scored, results, strict=True)
    )
    return Comparison(with_scores, tuple(found), sampling, baseline, correction)


def _bootstrapped(
    tables: Sequence[list[Score]], pairs: Sequence[tuple[int, int]], sampling: Sampling
) -> Iterator[Tested]:
    """By drawing segments with replacement."""
    for scores, values in zip(tables, bootstrap(tables, sampling), strict=True):
        tested: list[tuple[float, float | None, float | None]] = []
        for a, b in pairs:
            sampled = values[:, a] - values[:, b]
            p = bootstrap_p(scores[a].value - scores[b].value, sampled)
            same = _equal(scores[a], scores[b])
            tested.append((1.0 if same else p, *percentile_interval(sampled, sampling.level)))
        with_bounds = [
            with_interval(score, values[:, k], sampling.level) for k, score in enumerate(scores)
        ]
        yield with_bounds, tested


def _randomized(
    tables: Sequence[list[Score]], pairs: Sequence[tuple[int, int]], sampling: Sampling
) -> Iterator[Tested]:
    """By systems that exchange segments.

    The sum of what one keeps and what it gets is Σ kept a + (Σ all b − Σ kept b): one pass over
    the segments of each system is enough for all pairs.
    """
    rows = joint_statistics(tables)
    counts = swap_counts(len(rows[0]), sampling.samples, sampling.seed, sampling.threads)
    differences: list[list[Floats]] = [[] for _ in tables]  # of each pair, a column each
    for sums in sampled_sums(counts, rows, sampling.threads):
        for scores, own, found in zip(tables, sums, differences, strict=True):
            found.append(_exchanged(scores, own, pairs))
    for scores, found in zip(tables, differences, strict=True):
        sampled = np.concatenate(found)
        tested: list[tuple[float, float | None, float | None]] = []
        for k, (a, b) in enumerate(pairs):
            p = randomization_p(scores[a].value - scores[b].value, sampled[:, k])
            tested.append((1.0 if _equal(scores[a], scores[b]) else p, None, None))
        yield scores, tested


def _exchanged(scores: list[Score], sums: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """How much each pair differs in each sample, after the exchange."""
    metric = scores[0].metric
    kept = sums.reshape(len(sums), len(scores), -1)
    totals = [score.sums for score in scores]
    columns = []
    for a, b in pairs:
        mixed_a = metric.aggregate(kept[:, a] + (totals[b] - kept[:, b]))
        mixed_b = metric.aggregate(kept[:, b] + (totals[a] - kept[:, a]))
        columns.append(mixed_a - mixed_b)
    return np.stack(columns, axis=1)


def _difference(metric: str, a: str, b: str, score_a: Score, score_b: Score) -> Difference:
    sign = 1 if score_a.higher_is_better else -1
    better = sign * (score_a.segments - score_b.segments)
    # of differences that are all the same, rounding leaves a little spread
    same = len(better) < 2 or float(np.ptp(better)) < 1e-12
    spread = 0.0 if same else float(better.std(ddof=1))
    return Difference(
        metric,
        a,
        b,
        score_a.value - score_b.value,
        None,
        None,
        1.0,
        float(better.mean()) / spread if spread > 0 else None,
        int((better > 0).sum()),
        int((better == 0).sum()),
        int((better < 0).sum()),
        None,
    )


def _equal(a: Score, b: Score) -> bool:
    """Whether two systems do not differ in any segment."""
    if np.array_equal(kept_statistics(a), kept_statistics(b)):
        return True
    return a.value == b.value and np.array_equal(a.segments, b.segments)


def _decided(one: Difference, p: float, higher_is_better: bool, alpha: float) -> Difference:
    significant = p < alpha and one.difference != 0
    a_is_better = (one.difference > 0) == higher_is_better
    return replace(one, p=p, better=(one.a if a_is_better else one.b) if significant else None)
