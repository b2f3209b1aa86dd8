"""``compare``: which systems differ significantly, by each metric, and how they rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.metrics.inputs import Lines, References, Systems, frame_columns
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.notices import NOTE, Notice
from hyperbaton.registries import load
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.intervals import (
    few_segments_warning,
    interval_settings,
    metric_table,
    with_bounds,
    with_scores,
)
from hyperbaton.runs.results import ReportedResult, Result, Score, sort_results
from hyperbaton.runs.run import Keep, ListCorpus, Run
from hyperbaton.runs.scoring import source_alignment_for, source_text_for, warn_of_data
from hyperbaton.runs.shown_links import MoveCounts, count_moves
from hyperbaton.runs.verdict_sentences import (
    CLOSER,
    FARTHER,
    NONE_CERTAIN,
    NOT_SCORED,
    Verdict,
)
from hyperbaton.softorder.anchors import pair_anchors
from hyperbaton.stats.sampling import (
    CORRECTIONS,
    DEFAULT_LEVEL,
    DEFAULT_SEED,
    PAIRED_TESTS,
    Sampling,
)
from hyperbaton.stats.significance import (
    FEW_SEGMENTS,
    clusters,
    fewest_segments,
    least_p_test,
    rank_ranges,
    successive_clusters,
)
from hyperbaton.threads import thread_count

# What draws samples is imported when that is asked for.
if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAligner
    from hyperbaton.stats.paired_tests import Pairs, PairTest

Floats = npt.NDArray[np.float64]
SCHEMA = "hyperbaton/compare/3"


def compare(
    systems: Systems,
    references: References,
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    method: str = PAIRED_TESTS.default,
    samples: int | None = None,
    seed: int = DEFAULT_SEED,
    level: float = DEFAULT_LEVEL,
    baseline: str | None = None,
    correction: str = CORRECTIONS.default,
    source: Lines | None = None,
    align_source: bool | SourceAligner | StrPath = False,
    source_language: str | None = None,
    source_tokenize: str | None = None,
    alignments: Mapping[str, Sequence[Any]] | None = None,
    reference_alignments: Sequence[Any] | None = None,
    trees: Mapping[str, Sequence[Any]] | None = None,
    reference_trees: Sequence[Any] | None = None,
    parser: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    threads: int | None = None,
) -> Comparison:
    """Compare systems: which differences are significant?

    Parameters
    ----------
    systems : mapping of str to sequence of str, or data frame
        The translations of each system. A data frame has a column for each system.
    references, metrics, language, source, reference_alignments, reference_trees
        As for :func:`hyperbaton.score`.
    align_source, source_language, source_tokenize
        As for :func:`hyperbaton.score`. An aligner is trained on all systems together.
    method : {"bootstrap", "randomization"}
        Draw segments with replacement, or exchange segments between two systems at random.
    samples : int, optional
        Number of samples; by default 1,000, or as many as the correction needs.
    seed : int
        Random seed; results are reproducible on any number of threads.
    level : float
        Confidence level. A difference is significant if p < 1 − ``level``.
    baseline : str, optional
        Compare each system with this one; every pair is compared by default.
    correction : {"none", "holm"}
        Multiple-comparison correction of the p-values of each metric. Unless ``samples`` is given,
        many pairs raise the number of samples.
    alignments, trees : mapping of str to sequence, optional
        As for :func:`hyperbaton.score`, for each system.
    parser, wordnet, paraphrases, threads
        As for :func:`hyperbaton.score`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import hyperbaton as hb
    >>> references = ["a b c d", "e f g h", "i j k l", "m n o p"] * 5
    >>> systems = {"good": references, "bad": ["b a d c", "f e h g", "j i l k", "n m p o"] * 5}
    >>> comparison = hb.compare(systems, references, ["pef"])
    >>> [difference.better for difference in comparison.differences]
    ['good']
    >>> comparison.differences[0].p
    0.000999000999000999
    """
    texts = _texts_by_system(systems)
    for argument, by_system in (("alignments", alignments), ("trees", trees)):
        if by_system is not None:
            _check_keys(argument, by_system, texts)
    sampling = Sampling.with_default_samples(method, samples, seed, level, threads)
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    named = metrics_by_spec(metrics, resources)
    check_comparable(list(texts), baseline, correction)
    alignment = source_alignment_for(align_source, source_language, source_tokenize)
    keep = Keep(texts=True, links=True)
    run = Run(named, language, keep, alignment, sampling, baseline, correction, threads=threads)
    corpus = ListCorpus(
        texts,
        references,
        alignments=alignments,
        source=source,
        reference_alignments=reference_alignments,
        source_text=source_text_for(source_language, source_tokenize),
        align_source=alignment is not None,
        trees=trees,
        reference_trees=reference_trees,
    )
    results = score_corpus(corpus, run)
    warn_of_data(results[0])
    return compare_results(results, sampling, baseline, correction)


def _texts_by_system(systems: object) -> Mapping[str, Lines]:
    """Return the translations of each system, from a mapping or a data frame."""
    texts = frame_columns(systems, "systems") or systems
    if not isinstance(texts, Mapping):
        kind = type(texts).__name__
        raise InputTypeError(
            "systems must be a mapping from names to lists of lines, or a data frame with one "
            f"column per system, got {kind}"
        )
    for name in texts:
        if not isinstance(name, str):
            raise InputTypeError(
                f"the name of a system must be a string, got {type(name).__name__}"
            )
    return texts


def _check_keys(argument: str, by_system: object, systems: Mapping[str, Lines]) -> None:
    """Raise an error if an argument does not have a value for each system."""
    if not isinstance(by_system, Mapping):
        kind = type(by_system).__name__
        raise InputTypeError(f"{argument} must be a mapping from names to {argument}, got {kind}")
    for name in (*by_system, *systems):
        if name not in systems:
            raise InputError(f"{argument} has {name!r}, which is not one of the systems")
        if name not in by_system:
            raise InputError(f"{argument} has no entry for {name!r}: every system needs one")


def check_comparable(names: Sequence[str], baseline: str | None, correction: str) -> None:
    """Raise an error if the systems cannot be compared in this way."""
    if len(names) < 2:
        raise InputError("a comparison needs at least two systems")
    check_names(names)
    if baseline is not None and baseline not in names:
        raise InputError(f"the baseline {baseline!r} is not one of the systems: {', '.join(names)}")
    CORRECTIONS.check(correction)


def check_names(names: Sequence[str]) -> None:
    """Raise an error if two systems would be shown by the same name."""
    shown = [printable(name) for name in names]
    for k, name in enumerate(shown):
        if name in shown[:k]:
            raise InputError(f"two systems have the name {name}")


def compare_results(
    results: Sequence[Result], sampling: Sampling, baseline: str | None, correction: str
) -> Comparison:
    """Compare results whose statistics were kept.

    The samples are raised to what the correction needs if ``sampling`` is adjustable, unless no
    number of samples would be enough for so few segments.
    """
    names = [result.name for result in results]
    pairs = (
        list(combinations(range(len(names)), 2))
        if baseline is None
        else [(k, names.index(baseline)) for k, name in enumerate(names) if name != baseline]
    )
    default_samples = sampling.samples
    method = CORRECTIONS.find(correction)
    corrected = len(pairs) if method.grows else 1
    if method.grows and results[0].n >= fewest_segments(sampling.level, corrected):
        sampling = sampling.adjusted_for(corrected)
    tables = [[result[metric] for result in results] for metric in results[0]]
    bounded: list[list[Score]] = []
    differences: list[Difference] = []
    for metric, (scores, tests) in zip(results[0], run_tests(tables, pairs, sampling), strict=True):
        bounded.append(scores)
        if scores[0].stored_anchors is not None:
            differences += _anchored_differences(metric, names, scores, pairs, sampling, correction)
            continue
        p_values = load(method.function)([test.p for test in tests])
        for (a, b), test, p in zip(pairs, tests, p_values, strict=True):
            systems = (names[a], names[b]), (scores[a], scores[b])
            differences.append(_difference(metric, *systems, test._replace(p=p), sampling.alpha))
    compared = tuple(with_scores(results, bounded))
    return Comparison(
        compared, tuple(differences), sampling, baseline, correction, default_samples, corrected
    )


def _difference(
    metric: str, names: tuple[str, str], scores: tuple[Score, Score], test: PairTest, alpha: float
) -> Difference:
    """Return the difference of two systems, with the better one if it is significant."""
    from hyperbaton.stats.paired_tests import compare_segments

    first, second = scores
    sign = 1 if first.higher_is_better else -1
    difference = first.computed_value - second.computed_value
    better = None
    outcome = NOT_SCORED
    if first.is_scored and second.is_scored:
        outcome = NONE_CERTAIN
        if test.p < alpha and difference != 0:
            is_better = sign * difference > 0
            better, outcome = names[0 if is_better else 1], "better" if is_better else "worse"
    return Difference(
        metric,
        *names,
        difference,
        test.lower,
        test.upper,
        1.0 if outcome == NOT_SCORED else test.p,
        **compare_segments(sign * (first.computed_segments - second.computed_segments))._asdict(),
        better=better,
        outcome=outcome,
    )


def _anchored_differences(
    metric: str,
    names: Sequence[str],
    scores: Sequence[Score],
    pairs: Pairs,
    sampling: Sampling,
    correction: str,
) -> Iterator[Difference]:
    """Yield the differences of systems that are compared by their shared anchors."""
    from hyperbaton.runs.anchor_tests import compare_anchors

    anchors = [score.stored_anchors.expand() for score in scores if score.stored_anchors]
    is_scored = [score.is_scored for score in scores]
    found = compare_anchors(anchors, is_scored, pairs, sampling, correction)
    for (a, b), d in zip(pairs, found, strict=True):
        closer = {CLOSER: names[a], FARTHER: names[b]}.get(d.outcome)
        yield Difference(
            metric,
            names[a],
            names[b],
            d.difference,
            d.lower,
            d.upper,
            1.0 if d.outcome == NOT_SCORED else d.p,
            d.effect,
            d.wins,
            d.ties,
            d.losses,
            closer,
            d.outcome,
            d.standard_error,
            d.anchors,
            d.share,
        )


class TestedScores(NamedTuple):
    """For one metric, the scores of all systems, and the test of each pair."""

    scores: list[Score]
    tests: list[PairTest]


def run_tests(
    tables: Sequence[list[Score]], pairs: Pairs, sampling: Sampling
) -> Iterator[TestedScores]:
    """Test the differences of pairs of systems, by each metric.

    With few segments, p is at least that of an exchange test; see
    :func:`~hyperbaton.stats.paired_tests.guarded_tests`. It is 1 for systems that do not differ in
    any segment.

    Parameters
    ----------
    tables : sequence of lists of Score
        For each metric, the scores of all systems.
    pairs : sequence of tuples of int
        Indices of the systems to compare.
    sampling : Sampling
        Method, number of samples, seed and level.
    """
    from hyperbaton.stats.paired_tests import guarded_tests

    found = guarded_tests(list(map(metric_table, tables)), pairs, sampling)
    for scores, (tests, intervals) in zip(tables, found, strict=True):
        guarded = [
            test._replace(p=1.0) if equal_in_every_segment(scores[a], scores[b]) else test
            for test, (a, b) in zip(tests, pairs, strict=True)
        ]
        yield TestedScores(with_bounds(scores, intervals), guarded)


@dataclass(frozen=True)
class Difference:
    """The difference between two systems by one metric.

    Attributes
    ----------
    metric : str
        The metric as it was written.
    a, b : str
        Names of the systems.
    difference : float or None
        Value of ``a`` minus value of ``b``. By `order`, it is that of the neighbours that the
        shared anchors keep; None if there are none.
    lower, upper : float or None
        Confidence interval of the difference (bootstrap only).
    p : float
        Two-sided p-value, corrected if a correction was asked for; 1 if one of the systems is not
        scored.
    effect : float or None
        Cohen's d for pairs: the mean of the segments' differences divided by their standard
        deviation. It is positive where ``a`` is better, and None where segments do not differ.
    wins, ties, losses : int
        Number of segments in which ``a`` is better, equal and worse.
    better : str or None
        The better system, if the difference is significant; by `order`, the one that is closer to
        the order of the reference.
    outcome : str
        What is known of ``a`` against ``b``: "better" or "worse"; by `order`, "closer" or
        "farther", or "too few words in common"; otherwise "no certain difference", or "not scored".
    standard_error : float or None
        By `order`, the standard error of the difference.
    anchors : int or None
        By `order`, the number of shared anchors: words that the reference and both systems have
        exactly once.
    anchored : float or None
        Their share of the reference's words.
    """

    metric: str
    a: str
    b: str
    difference: float | None
    lower: float | None
    upper: float | None
    p: float
    effect: float | None
    wins: int
    ties: int
    losses: int
    better: str | None
    outcome: str
    standard_error: float | None = None
    anchors: int | None = None
    anchored: float | None = None

    @property
    def shown_p(self) -> float | None:
        """The p-value for people; None if one of the systems is not scored."""
        return None if self.outcome == NOT_SCORED else self.p


class SegmentDifferences(NamedTuple):
    """The values of two systems in each segment, and how much their difference counts."""

    a: Floats
    b: Floats
    sizes: Floats


@dataclass(frozen=True)
class Rank:
    """A system's place by one metric: its cluster, and the ranks that it may have."""

    system: str
    value: float | None
    lower: float | None
    upper: float | None
    cluster: int | None
    first: int | None
    last: int | None


@dataclass(frozen=True, eq=False)
class Comparison(ReportedResult):
    """The result of :func:`hyperbaton.compare`.

    ``sampling`` says how samples were drawn. ``default_samples`` is the number of samples before it
    was raised for the correction, and ``corrected`` that of the p-values that are corrected
    together; 1 without a correction.
    """

    results: tuple[Result, ...]
    differences: tuple[Difference, ...]
    sampling: Sampling
    baseline: str | None
    correction: str
    default_samples: int
    corrected: int

    @property
    def n(self) -> int:
        """The number of segments."""
        return self.results[0].n

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics as they were written."""
        return tuple(self.results[0])

    def differences_by(self, metric: str) -> list[Difference]:
        """Return the differences by one metric.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        list of Difference
            One difference for each pair of systems.
        """
        return [difference for difference in self.differences if difference.metric == metric]

    def scores(self, metric: str) -> dict[str, Score]:
        """Return the scores by one metric, best first; equal scores keep their order.

        Systems that are not scored come last.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        dict of str to Score
            The score of each system.
        """
        return {result.name: result[metric] for result in sort_results(self.results, metric)}

    def ranking(self, metric: str) -> list[Rank]:
        """Return the systems, best first; with clusters only if every pair was compared.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        list of Rank
            The rank of each system.
        """
        scores = self.scores(metric)
        names = [name for name, score in scores.items() if score.is_scored]
        numbers: list[int | None] = [None] * len(scores)
        ranges: list[tuple[int | None, int | None]] = [(None, None)] * len(scores)
        if self.baseline is None:
            is_better = np.zeros((len(names), len(names)), bool)
            for difference in self.differences_by(metric):
                if difference.better is not None:
                    worse = difference.b if difference.better == difference.a else difference.a
                    is_better[names.index(difference.better), names.index(worse)] = True
            is_anchored = any(score.stored_anchors is not None for score in scores.values())
            group = successive_clusters if is_anchored else clusters
            numbers[: len(names)] = group(is_better)
            ranges[: len(names)] = rank_ranges(is_better)
        placed = zip(scores.items(), numbers, ranges, strict=True)
        return [
            Rank(name, score.value, score.lower, score.upper, number, first, last)
            for (name, score), number, (first, last) in placed
        ]

    def separating(self, metric: str, a: str, b: str, count: int) -> list[tuple[int, float, float]]:
        """Return the segments in which two systems differ most, and both values.

        Segments are counted from 0. They are sorted by the size of the difference, whichever
        system is better; equal ones keep their order. By `order`, the values are the shares of
        neighbours that the shared anchors keep, and the number of anchors is the weight.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.
        a, b : str
            The names of the systems.
        count : int
            Maximum number of segments.

        Returns
        -------
        list of (int, float, float)
            The segment, and the values of both systems.
        """
        first, second, sizes = self.segment_differences(metric, a, b)
        order = sorted(range(len(sizes)), key=lambda k: (-sizes[k], k))[:count]
        return [(k, float(first[k]), float(second[k])) for k in order if sizes[k] > 0]

    def segment_differences(self, metric: str, a: str, b: str) -> SegmentDifferences:
        """Return how far two systems differ in each segment, by a metric.

        By `order`, the values are the shares of neighbours that the shared anchors keep, and the
        number of anchors is the weight of their difference.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.
        a, b : str
            The names of the systems.

        Returns
        -------
        SegmentDifferences
            The values of both systems, and the size of their difference.
        """
        scores = self.scores(metric)
        anchors = [scores[name].stored_anchors for name in (a, b)]
        if anchors[0] is None or anchors[1] is None:
            first, second = scores[a].segments, scores[b].segments
            return SegmentDifferences(first, second, abs(first - second))
        threads = thread_count(self.sampling.threads)
        shared = pair_anchors(anchors[0].expand(), anchors[1].expand(), threads)
        return SegmentDifferences(shared.a, shared.b, shared.weights * abs(shared.a - shared.b))

    def contrast(self, metric: str) -> tuple[str, str]:
        """Return the two systems to look at: the best two, or the best and the baseline.

        Parameters
        ----------
        metric : str
            The metric, as it was written in the call.

        Returns
        -------
        tuple of (str, str)
            The names of the systems.
        """
        best, *others = (name for name in self.scores(metric) if name != self.baseline)
        return best, self.baseline or others[0]

    def settings(self) -> dict[str, Any]:
        """Return how samples were drawn and read.

        Few segments change how: ``interval`` names the method of the intervals, and ``least_p`` the
        test whose p-values are the least ones; None if there is none.
        """
        settings = interval_settings(self.sampling, self.n)
        return {**settings, "least_p": least_p_test(self.sampling.method, self.n)}

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON; ``word_order`` is the verdict on it."""
        return {
            "schema": SCHEMA,
            "word_order": self.verdict().to_dict(),
            **self.settings(),
            "correction": self.correction,
            "baseline": self.baseline,
            "n": self.n,
            "notes": self.notes,
            "metrics": {
                metric: {
                    "signature": self.results[0][metric].signature,
                    "higher_is_better": self.results[0][metric].higher_is_better,
                    "ranking": list(map(asdict, self.ranking(metric))),
                    "differences": list(map(asdict, self.differences_by(metric))),
                }
                for metric in self.metrics
            },
        }

    def verdict(self) -> Verdict:
        """Return what is known of the word order of the systems, in sentences and figures.

        It says whose order is closer to the order of the reference and how sure that is, or why it
        cannot be told, and which words have to move (if the texts were kept).

        Returns
        -------
        Verdict
            The verdict; ``print`` shows its sentences.
        """
        # imported here, because verdicts are about comparisons
        from hyperbaton.runs.verdict import find_verdict, order_metric

        moves = self._moves if order_metric(self.results[0]) is not None else {}
        return find_verdict(self.results, self, moves)

    def _reported(self) -> tuple[Sequence[Result], Sampling, Comparison]:
        return self.results, self.sampling, self

    @cached_property
    def _moves(self) -> Mapping[str, MoveCounts]:
        return count_moves(self.results)

    @property
    def warnings(self) -> list[Notice]:
        """Reasons to distrust every p-value: too few segments, or too few samples."""
        sampling, tests = self.sampling, self.corrected
        warnings = []
        if self.n <= FEW_SEGMENTS or self.n < fewest_segments(sampling.level, tests):
            warnings.append(few_segments_warning(self.n, sampling.level, tests))
        least = self._least_sampled_p
        if least >= sampling.alpha and self.n >= fewest_segments(sampling.level, tests):
            for_tests = f" and {tests} tests" if tests > 1 else ""
            needed = sampling.samples_needed(tests)
            warnings.append(
                Notice(
                    f"with {sampling.samples:,} samples{for_tests}, no p can be less than "
                    f"{min(least, 1):.3f}: at least {needed:,} samples are needed"
                )
            )
        return warnings

    @property
    def can_be_significant(self) -> bool:
        """Whether a difference could be significant with so many segments and samples.

        If not, the last of ``warnings`` says why.
        """
        has_segments = self.n >= fewest_segments(self.sampling.level, self.corrected)
        return has_segments and self._least_sampled_p < self.sampling.alpha

    @property
    def _least_sampled_p(self) -> float:
        """The least p that so many samples can give; it may be more than 1."""
        return self.corrected / (self.sampling.samples + 1)

    @cached_property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        notes = list(self.warnings)
        if self.sampling.samples != self.default_samples:
            reason = f"the correction for {self.corrected:,} pairs needs them"
            samples, default = self.sampling.samples, self.default_samples
            notes.append(
                Notice(f"{samples:,} samples instead of {default:,}, because {reason}", NOTE)
            )
        equal: dict[tuple[str, str], list[str]] = {}
        results = {result.name: result for result in self.results}
        for difference in self.differences:
            if difference.outcome != NOT_SCORED and equal_in_every_segment(
                results[difference.a][difference.metric], results[difference.b][difference.metric]
            ):
                equal.setdefault((difference.a, difference.b), []).append(difference.metric)
        for (a, b), metrics in equal.items():
            names = ", ".join(metrics)
            notes.append(Notice(f"{a} and {b} are equal in every segment by {names}: p = 1", NOTE))
        return notes

    def __repr__(self) -> str:
        names = ", ".join(printable(result.name) for result in self.results)
        return f"Comparison({names}; {', '.join(self.metrics)}; n={self.n})"


def equal_in_every_segment(a: Score, b: Score) -> bool:
    """Return whether two systems do not differ in any segment."""
    if np.array_equal(a.kept_statistics, b.kept_statistics):
        return True
    return a.value == b.value and np.array_equal(a.segments, b.segments)
