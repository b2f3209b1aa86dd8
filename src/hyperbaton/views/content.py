"""The content of a report: results and their comparison as plain data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import printable, short_names
from hyperbaton.metrics.batches import SourceLinks
from hyperbaton.metrics.inputs import check_lines
from hyperbaton.metrics.metric import Floats, has_value
from hyperbaton.metrics.order_metrics import OrderMetric
from hyperbaton.order.profile import ReorderingProfile, reordering_profile
from hyperbaton.runs.cautions import FEW_LINKED, cautions, evidence_notices
from hyperbaton.runs.comparing import Comparison, Rank
from hyperbaton.runs.differences import Difference
from hyperbaton.runs.intervals import few_segments_warning, interval_settings
from hyperbaton.runs.move_tests import (
    FAR,
    MoveShare,
    compare_moves,
    count_segments,
    segments_with_moves,
)
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.shown_links import MoveCounts
from hyperbaton.runs.verdict import MAX_MOVE_LINES, find_verdict, order_metric
from hyperbaton.runs.verdict_sentences import NOT_SCORED
from hyperbaton.stats.sampling import Sampling
from hyperbaton.stats.significance import FEW_SEGMENTS
from hyperbaton.text.display import describe_signs, visible
from hyperbaton.views.comparison_tables import MOVES_LEGEND, move_columns, systems_below
from hyperbaton.views.glossary import TERMS
from hyperbaton.views.score_tables import describe_tests, describe_values
from hyperbaton.views.segments import SegmentData, collect_segments

Booleans = npt.NDArray[np.bool_]
SCHEMA = "hyperbaton/report/4"
DIGITS = 4  # decimals of segment values
EXAMPLE_COUNT = 5  # the worst segments of a system, and those that separate two systems
BINS = 20  # of a distribution
LENGTHS = ((0, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))  # words of a reference
# Shares of linked words: above the first bound, up to the second. The first bin is 0 alone.
SHARES = ((None, 0.0), (0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))
# The operators that a profile distinguishes; all others are counted together.
OPERATORS = ((1, 2), (2, 1), (2, 4, 1, 3), (3, 1, 4, 2))


def report_content(
    results: Sequence[Result],
    sampling: Sampling | None = None,
    comparison: Comparison | None = None,
    title: str | None = None,
    threads: int | None = None,
    source: object = None,
) -> dict[str, Any]:
    """Return the content of a report, for JSON; docs/report.md explains the keys.

    The source sentences are those of the links through the source, unless others are given.
    Characters of names and texts that cannot be displayed are replaced (see
    :func:`hyperbaton.text.display.visible`).
    """
    from hyperbaton import __version__

    writer = ContentWriter(results, sampling, comparison, threads)
    sources = _find_sources(results[0], source)
    if title is not None and not isinstance(title, str):
        raise InputTypeError(f"title must be a string, got {type(title).__name__}")
    return {
        "schema": SCHEMA,
        "hyperbaton": __version__,
        "title": visible(title or writer.title),
        "n": results[0].n,
        "sampling": writer.settings,
        "correction": None if comparison is None else comparison.correction,
        "baseline": _printable_or_none(None if comparison is None else comparison.baseline),
        "beside": _printable_or_none(writer.beside),
        "notes": list(map(visible, writer.notes())),
        "lengths": list(map(list, LENGTHS)),
        "shares": list(map(list, SHARES)),
        "word_order": writer.word_order,
        "table_note": writer.table_note(),
        "metric": default_metric(results[0]),
        "enough": FEW_LINKED,
        "metrics": list(map(writer.metric_content, results[0])),
        "systems": list(map(writer.system_content, range(len(results)))),
        "references": writer.references,
        "sources": None if sources is None else list(map(_one_line, sources)),
        "signs": _find_signs(results, sources),
        "glossary": [term._asdict() for term in TERMS.values()],
    }


def default_metric(result: Result) -> str:
    """Return the metric that a reader sees first: the first that measures order alone, if any."""
    permutations = (name for name, s in result.items() if isinstance(s.metric, OrderMetric))
    return order_metric(result) or next(permutations, next(iter(result)))


@dataclass
class ContentWriter:
    """Writes what a report says of each metric and of each system."""

    results: Sequence[Result]
    sampling: Sampling | None
    comparison: Comparison | None
    threads: int | None

    def __post_init__(self) -> None:
        self.references, self._segments = collect_segments(self.results, self.threads)
        by_name = {r.name: s for r, s in zip(self.results, self._segments, strict=True)}
        self._weights = {name: ExampleWeights.of_segments(s) for name, s in by_name.items()}
        self._moves = self._compare_moves()
        moves = {
            name: MoveCounts.of_moves(s.moves, sum(s.linked), sum(s.words))
            for name, s in by_name.items()
        }
        self.word_order = find_verdict(self.results, self.comparison, moves).to_dict()
        self._labels = short_names([result.name for result in self.results])
        # The verdict tells the most frequent moves of few systems.
        self._frequent: Mapping[str, object] = {}
        if len(self.results) > MAX_MOVE_LINES and order_metric(self.results[0]) is not None:
            _, (_, self._frequent, _) = move_columns(moves)

    @property
    def title(self) -> str:
        """The title of a page without one."""
        if len(self.results) == 1:
            return f"Word order of {self._labels[self.results[0].name]}"
        return f"Word order of {len(self.results)} systems"

    @property
    def settings(self) -> dict[str, Any] | None:
        """How samples were drawn and read; a comparison may have more than were asked for."""
        if self.comparison is not None:
            return self.comparison.settings()
        if self.sampling is not None:
            return interval_settings(self.sampling, self.results[0].n)
        return None

    def table_note(self) -> str:
        """Return what the signs and columns of the table of systems mean, as ``compare`` does."""
        first, comparison = self.results[0], self.comparison
        parts = [describe_values(score.higher_is_better for score in first.values())]
        if comparison is not None and comparison.can_be_significant:
            has_order, has_signs = order_metric(first) is not None, any(self._below.values())
            settings = comparison.sampling.level, comparison.baseline, has_order
            parts.insert(0, describe_tests(has_signs, *settings))
        if self._frequent:
            parts.append(MOVES_LEGEND)
        return "; ".join(parts)

    @cached_property
    def _below(self) -> dict[str, set[str]]:
        """The systems that are significantly below the best, by metric."""
        if self.comparison is None:
            return {}
        return {metric: systems_below(self.comparison, metric) for metric in self.results[0]}

    def notes(self) -> Iterator[str]:
        """Yield what a reader should know and the verdict does not say, each fact once.

        Advice is left out: nothing can be chosen on the page.
        """
        known = list(filter(None, [order_metric(self.results[0])]))
        silent = set(evidence_notices(self.results))
        found = [notice for notice in cautions(self.results) if notice not in silent]
        found += evidence_notices(self.results, self._labels, known)
        if self.comparison is not None:
            found += self.comparison.notes
        elif self.sampling is not None and self.results[0].n <= FEW_SEGMENTS:
            found.append(few_segments_warning(self.results[0].n, self.sampling.level))
        sentences = " ".join(self.word_order["sentences"])
        facts = dict.fromkeys(notice.fact for notice in found)
        yield from (fact for fact in facts if fact[1:] not in sentences)

    @cached_property
    def beside(self) -> str | None:
        """The system whose moves are compared with: the baseline, or the first of the ranking.

        There is none unless it and another system are scored: too little is known of the moves of
        others.
        """
        if self.comparison is None:
            return None
        name = self.comparison.baseline or next(iter(self._scored), None)
        return name if name in self._scored and len(self._scored) > 1 else None

    @cached_property
    def _scored(self) -> list[str]:
        """The systems that are scored, the best first."""
        assert self.comparison is not None
        scores = self.comparison.scores(default_metric(self.results[0]))
        return [name for name, score in scores.items() if score.is_scored]

    def _compare_moves(self) -> list[dict[str, MoveShare]]:
        """Compare the moves of all systems that are scored."""
        systems = [segments_with_moves(segments.moves) for segments in self._segments]
        if self.comparison is None or self.beside is None:
            return list(map(count_segments, systems))
        names = [result.name for result in self.results]
        other = names.index(self.beside)
        pairs = [(k, other) for k, name in enumerate(names) if name in self._scored and k != other]
        sampling, correction = self.comparison.sampling, self.comparison.correction
        return compare_moves(systems, pairs, sampling, correction)

    def metric_content(self, metric: str) -> dict[str, Any]:
        """Return a metric with the ranking and the differences that ``compare`` computes."""
        score, comparison = self.results[0][metric], self.comparison
        ranking, differences = self._ranking(metric), []
        if comparison is not None:
            differences = comparison.differences_by(metric)
        return {
            "name": metric,
            "about": score.metric.variant.description,
            "caution": score.metric.variant.caution,
            "signature": score.signature,
            "higher_is_better": score.higher_is_better,
            "range": [bound if math.isfinite(bound) else None for bound in score.range],
            "edges": [round(edge, 10) for edge in _bin_edges(score).tolist()],
            "ranking": [_printable_row(rank, "system") for rank in ranking],
            "differences": [_printable_row(row, "a", "b", "better") for row in differences],
            "separating": None if comparison is None else self._separating(comparison, metric),
            "largest": None if comparison is None else self._largest(comparison, metric),
        }

    def _ranking(self, metric: str) -> list[Rank]:
        if self.comparison is not None:
            return self.comparison.ranking(metric)
        scores = {result.name: result[metric] for result in self.results}
        return [
            Rank(name, score.value, score.lower, score.upper, None, None, None)
            for name, score in scores.items()
        ]

    def _separating(self, comparison: Comparison, metric: str) -> dict[str, Any]:
        """The segments that separate the best two systems, or the best one and the baseline."""
        a, b = comparison.contrast(metric)
        rows = comparison.separating(metric, a, b, comparison.n)
        if self.results[0][metric].metric.needs.anchors is None:
            weight = self._weights[a].paired_with(self._weights[b])
            rows = [row for row in rows if weight[row[0]]]
            rows.sort(key=lambda row: -weight[row[0]] * abs(row[1] - row[2]))
        return {
            "a": printable(a),
            "b": printable(b),
            "segments": [{"segment": k + 1, "values": [x, y]} for k, x, y in rows[:EXAMPLE_COUNT]],
        }

    def _largest(self, comparison: Comparison, metric: str) -> list[float | None] | None:
        """The largest difference of each segment between systems that were compared, if several.

        As on the page, differences between values count as far as words are linked. Systems that
        are not scored do not count.
        """
        differences = comparison.differences_by(metric)
        if len(differences) < 2:
            return None
        by_values = self.results[0][metric].metric.needs.anchors is None
        largest = np.zeros(comparison.n)
        for d in differences:
            if d.outcome == NOT_SCORED:
                continue
            sizes = comparison.segment_differences(metric, d.a, d.b).sizes
            if by_values:
                sizes = sizes * np.minimum(self._weights[d.a].linked, self._weights[d.b].linked)
            np.maximum(largest, sizes, out=largest)
        return _rounded(largest)

    def system_content(self, number: int) -> dict[str, Any]:
        """Return a system with its segments."""
        result, segments = self.results[number], self._segments[number]
        shares, length = segments.shares, np.array(segments.columns["length"])
        by_length = [(low <= length) & (length <= (high or length)) for low, high in LENGTHS]
        by_share = [
            (shares > (-1 if low is None else low)) & (shares <= high) for low, high in SHARES
        ]
        weights = self._weights[result.name].weights
        profile = reordering_profile(*segments.flat_permutations(), self.threads)
        return {
            "name": printable(result.name),
            "label": self._labels[result.name],
            "linked": result.linked,
            "matched": result.matched,
            "lengths": [int(selected.sum()) for selected in by_length],
            "shares": [int(selected.sum()) for selected in by_share],
            "scores": {
                metric: {
                    "below": result.name in self._below.get(metric, ()),
                    **_score_content(score, by_length, by_share, weights),
                }
                for metric, score in result.items()
            },
            "profile": profile_dict(profile),
            "moves": {
                "linked": sum(segments.linked) / max(sum(segments.words), 1),
                "mostly": self._frequent.get(result.name),
                "kinds": {kind: asdict(share) for kind, share in self._moves[number].items()},
            },
            "segments": {
                **segments.columns,
                "values": {metric: _rounded(score.segments) for metric, score in result.items()},
                "lost": {
                    metric: _rounded(score.lost_words)
                    for metric, score in result.items()
                    if score.lost_words is not None
                },
                "anchors": {
                    metric: score.stored_anchors.expand().by_segment()
                    for metric, score in result.items()
                    if score.stored_anchors is not None
                },
            },
        }


def _rounded(values: Floats) -> list[float | None]:
    """Return values for JSON, in which those that are missing are null."""
    return list(map(_number, (np.round(values, DIGITS) + 0.0).tolist()))  # + 0: no -0.0


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _printable_or_none(name: str | None) -> str | None:
    return None if name is None else printable(name)


def _printable_row(row: Rank | Difference, *names: str) -> dict[str, Any]:
    return asdict(row) | {name: _printable_or_none(getattr(row, name)) for name in names}


def _score_content(
    score: Score, by_length: Sequence[Booleans], by_share: Sequence[Booleans], weights: Floats
) -> dict[str, Any]:
    values = _segment_values(score)
    quartiles = np.quantile(values, [0.25, 0.5, 0.75]).tolist() if len(values) else [None] * 3
    return {
        "value": score.value,
        "not_scored": score.not_scored,
        "lower": score.lower,
        "upper": score.upper,
        "histogram": histogram(score),
        "quartiles": quartiles,
        "by_length": [subset_value(score, selected) for selected in by_length],
        "by_share": [subset_value(score, selected) for selected in by_share],
        "worst": worst_segments(score, weights)[:EXAMPLE_COUNT],
    }


def _find_sources(result: Result, given: object) -> list[str] | None:
    """The source sentences as they were given."""
    if given is None:
        lines: list[str] = []
        for stored in result.corpus or ():
            if not isinstance(stored.given_links, SourceLinks):
                return None
            lines += stored.given_links.source
    else:
        lines = list(check_lines(given, "source"))
    if len(lines) != result.n:
        raise InputError(f"{result.n:,} segments, but {len(lines):,} source sentences")
    return lines


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


def _find_signs(results: Sequence[Result], sources: Sequence[str] | None) -> dict[str, list[str]]:
    """What the signs in the texts of a segment stand for, by its number, if there are any."""
    found: dict[str, list[str]] = {}
    for stored in zip(*(result.corpus or () for result in results), strict=True):
        first = stored[0]
        starts = [0, *accumulate(first.reference_counts or [1] * len(first.hypotheses))]
        for k in range(len(first.hypotheses)):
            texts = [batch.hypotheses[k] for batch in stored]
            texts += first.references[starts[k] : starts[k + 1]]
            if sources is not None:
                texts.append(sources[first.first + k])
            if all(map(str.isprintable, texts)):
                continue
            if sentences := describe_signs(*(" ".join(text.split()) for text in texts)):
                found[str(first.first + k + 1)] = sentences
    return found


class ExampleWeights(NamedTuple):
    """How well each segment of a system would serve as an example, from 0 to 1.

    A low value of a segment with few links or without a move says little about order.

    Attributes
    ----------
    linked : array of float
        The share of its linked words.
    shares : array of float
        The same; 0 if it is less than half.
    reach : array of float
        d/5, at most 1, where d is the distance of its longest move of words.
    """

    linked: Floats
    shares: Floats
    reach: Floats

    @classmethod
    def of_segments(cls, segments: SegmentData) -> ExampleWeights:
        """Return the weights of all segments of a system."""
        shares = segments.shares
        reach = np.minimum(np.array(segments.longest) / FAR, 1.0)
        return cls(shares, np.where(shares < FEW_LINKED, 0, shares), reach)

    @property
    def weights(self) -> Floats:
        """The weights as one number for each segment."""
        return self.shares * self.reach

    def paired_with(self, other: ExampleWeights) -> Floats:
        """Return the weights of segments of two systems.

        Both must be well linked. The longer move of the two is what the difference is about.
        """
        shares = np.minimum(self.shares, other.shares)
        weights: Floats = shares * np.maximum(self.reach, other.reach)
        return weights


def _bin_edges(score: Score) -> Floats:
    """The edges of the bins of a distribution, from 0 to 1 where the metric has no bound.

    Values above the last edge then have a bin of their own. Values below the first edge, which are
    only slightly below it, are counted in the first bin.
    """
    low, high = score.range
    bounds = low if math.isfinite(low) else 0.0, high if math.isfinite(high) else 1.0
    return np.linspace(*bounds, BINS + 1)


def _segment_values(score: Score) -> Floats:
    """Return the values of the segments that have one."""
    values: Floats = score.segments[~np.isnan(score.segments)]
    return values


def histogram(score: Score) -> list[int]:
    """Return the number of segments in each bin, and above the last edge if there is no bound.

    Segments without a value are in none.
    """
    edges = _bin_edges(score)
    bounded = math.isfinite(score.range[1])
    # rounding may leave a value slightly outside
    values = np.clip(_segment_values(score), edges[0], edges[-1] if bounded else None)
    counts = np.histogram(values, edges)[0].tolist()
    return counts if bounded else [*counts, int((values > edges[-1]).sum())]


def subset_value(score: Score, selected: Booleans) -> float | None:
    """Return the corpus value of the selected segments, or None if they have none."""
    sums = score.kept_statistics[selected].sum(0)
    if not selected.any() or not has_value(score.metric, sums):
        return None
    return float(score.metric.aggregate(sums))


def worst_segments(score: Score, weights: Floats) -> list[dict[str, Any]]:
    """Return the segments that lose most, numbered from 1; ties keep their order.

    What a segment loses is how far it is from the best possible value, times its weight. Where
    systems are compared by anchors, it is X, and the weights do not count. Segments that lose
    nothing then, or have no weight, are left out.
    """
    values = score.segments
    low, high = score.range
    if score.lost_words is not None:
        losses, weights = np.ones(len(values)), score.lost_words
    elif score.higher_is_better:
        losses = (high if math.isfinite(high) else values.max()) - values
    else:
        losses = values - (low if math.isfinite(low) else values.min())
    order = np.argsort(-losses * weights, kind="stable")
    chosen = order[weights[order] > 0].tolist()
    return [{"segment": k + 1, "value": _number(float(values[k]))} for k in chosen]


def profile_dict(profile: ReorderingProfile) -> dict[str, Any]:
    """Return a profile that counts all operators longer than four together.

    ``spans`` and ``moves`` are pairs of a length and its count.
    """
    spans: dict[tuple[int, ...] | None, Counter[int]] = {
        operator: Counter() for operator in (*OPERATORS, None)
    }
    for operator in profile.operators:
        spans[operator.operator if operator.operator in spans else None].update(operator.spans)
    return {
        "words": profile.words,
        "without_links": profile.empty,
        "monotone": profile.monotone,
        "binarizable": profile.binarizable,
        "reorderings": profile.reorderings,
        "mean_span": profile.mean_span,
        "mean_move": profile.mean_move,
        "operators": [
            {"operator": values and list(values), "spans": sorted(map(list, counts.items()))}
            for values, counts in spans.items()
        ],
        "moves": sorted(map(list, profile.moves.items())),
    }
