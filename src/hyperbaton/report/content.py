"""The content of a report: results and their comparison as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.comparison.results import FEW_SEGMENTS, Comparison, Rank, few_segments_warning
from hyperbaton.errors import InputTypeError
from hyperbaton.metrics.metric import Floats
from hyperbaton.metrics.order_metrics import OrderMetric
from hyperbaton.metrics.results import Result, Score
from hyperbaton.metrics.soft_order import SoftOrder
from hyperbaton.order.profile import ReorderingProfile, reordering_profile
from hyperbaton.report.cautions import FEW_ALIGNED, cautions
from hyperbaton.report.segment_data import SegmentData, collect_segments
from hyperbaton.report.segment_order import encode_order
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.display import visible
from hyperbaton.text.lines import printable

Booleans = npt.NDArray[np.bool_]
SCHEMA = "hyperbaton/report/1"
DIGITS = 4  # decimals of segment values
# Number of examples: the worst segments of a system, and those that separate two systems. Segments
# with few aligned words are excluded, since their values are low whatever their order is.
EXAMPLE_COUNT = 5
BINS = 20  # of a distribution
LENGTHS = ((0, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))  # words of a reference
# Shares of aligned words: above the first bound, up to the second. The first bin is 0 alone.
SHARES = ((None, 0.0), (0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))
# The operators that a profile distinguishes; all others are counted together.
OPERATORS = ((1, 2), (2, 1), (2, 4, 1, 3), (3, 1, 4, 2))


def report_content(
    results: Sequence[Result],
    sampling: Sampling | None = None,
    comparison: Comparison | None = None,
    title: str | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """Return the content of a report, for JSON; docs/report.md explains the keys.

    Characters of names and texts that cannot be displayed are replaced (see
    :func:`hyperbaton.text.display.visible`).
    """
    from hyperbaton import __version__

    references, systems = collect_segments(results, threads)
    shares = [np.array(system.linked) / np.maximum(system.words, 1) for system in systems]
    enough = {
        result.name: share >= FEW_ALIGNED for result, share in zip(results, shares, strict=True)
    }
    names = [printable(result.name) for result in results]
    if title is not None and not isinstance(title, str):
        raise InputTypeError(f"title must be a string, got {type(title).__name__}")
    notes = [text.partition(": ")[2] for text in cautions(results)]
    if comparison is None and sampling is not None and results[0].n < FEW_SEGMENTS:
        notes.append(few_segments_warning(results[0].n))
    notes += comparison.notes if comparison is not None else []
    return {
        "schema": SCHEMA,
        "hyperbaton": __version__,
        "title": visible(title or _default_title(names)),
        "n": results[0].n,
        "sampling": None if sampling is None else sampling.to_dict(),
        "correction": None if comparison is None else comparison.correction,
        "baseline": _printable_or_none(None if comparison is None else comparison.baseline),
        "notes": list(map(visible, notes)),
        "lengths": list(map(list, LENGTHS)),
        "shares": list(map(list, SHARES)),
        "metric": _default_metric(results[0]),
        "enough": FEW_ALIGNED,
        "metrics": [_metric_content(metric, results, comparison, enough) for metric in results[0]],
        "systems": [
            _system_content(name, result, system, share, references, threads)
            for name, result, system, share in zip(names, results, systems, shares, strict=True)
        ],
        "references": references,
    }


def _default_title(names: Sequence[str]) -> str:
    return f"Word order of {names[0]}" if len(names) == 1 else f"Word order of {len(names)} systems"


def _default_metric(result: Result) -> str:
    """The metric that the page shows first: the first pure order metric, if there is one."""
    order_metrics = (
        name for name, score in result.items() if isinstance(score.metric, (OrderMetric, SoftOrder))
    )
    return next(order_metrics, next(iter(result)))


def _printable_or_none(name: str | None) -> str | None:
    return None if name is None else printable(name)


# Metrics


def _metric_content(
    metric: str,
    results: Sequence[Result],
    comparison: Comparison | None,
    enough: Mapping[str, Booleans],
) -> dict[str, Any]:
    """A metric with the ranking and the differences that ``compare`` computes."""
    score = results[0][metric]
    if comparison is None:
        ranking = [
            Rank(r.name, r[metric].value, r[metric].lower, r[metric].upper, *[None] * 3)
            for r in results
        ]
    else:
        ranking = comparison.ranking(metric)
    differences = [] if comparison is None else comparison.differences_by(metric)
    return {
        "name": metric,
        "about": score.metric.variant.description,
        "caution": score.metric.variant.caution,
        "signature": score.signature,
        "higher_is_better": score.higher_is_better,
        "range": [bound if math.isfinite(bound) else None for bound in score.range],
        "edges": [round(edge, 10) for edge in _bin_edges(score).tolist()],
        "ranking": [{**asdict(rank), "system": printable(rank.system)} for rank in ranking],
        "differences": [
            {
                **asdict(difference),
                "a": printable(difference.a),
                "b": printable(difference.b),
                "better": _printable_or_none(difference.better),
            }
            for difference in differences
        ],
        "separating": None if comparison is None else _separating(comparison, metric, enough),
    }


def _separating(
    comparison: Comparison, metric: str, enough: Mapping[str, Booleans]
) -> dict[str, Any]:
    """The segments that separate the best two systems, or the best one and the baseline."""
    a, b = comparison.contrast(metric)
    eligible = enough[a] & enough[b]
    rows = [row for row in comparison.separating(metric, a, b, comparison.n) if eligible[row[0]]]
    return {
        "a": printable(a),
        "b": printable(b),
        "segments": [{"segment": k + 1, "values": [x, y]} for k, x, y in rows[:EXAMPLE_COUNT]],
    }


def _bin_edges(score: Score) -> Floats:
    """The edges of the bins of a distribution, from 0 to 1 where the metric has no bound.

    Values above the last edge then have a bin of their own. Values below the first edge, which are
    only slightly below it, are counted in the first bin.
    """
    low, high = score.range
    bounds = low if math.isfinite(low) else 0.0, high if math.isfinite(high) else 1.0
    return np.linspace(*bounds, BINS + 1)


# Systems


def _system_content(
    name: str,
    result: Result,
    segments: SegmentData,
    shares: Floats,
    references: Sequence[Sequence[str]],
    threads: int | None,
) -> dict[str, Any]:
    length = np.array(segments.length)
    by_length = [(low <= length) & (length <= (high or length)) for low, high in LENGTHS]
    by_share = [(shares > (-1 if low is None else low)) & (shares <= high) for low, high in SHARES]
    trees, moves = encode_order(segments, references)
    return {
        "name": name,
        "aligned": result.aligned,
        "lengths": [int(selected.sum()) for selected in by_length],
        "shares": [int(selected.sum()) for selected in by_share],
        "scores": {
            metric: {
                "value": score.value,
                "lower": score.lower,
                "upper": score.upper,
                "histogram": histogram(score),
                "quartiles": np.quantile(score.segments, [0.25, 0.5, 0.75]).tolist(),
                "by_length": [subset_value(score, selected) for selected in by_length],
                "by_share": [subset_value(score, selected) for selected in by_share],
                "worst": worst_segments(score, shares >= FEW_ALIGNED)[:EXAMPLE_COUNT],
            }
            for metric, score in result.items()
        },
        "profile": profile_dict(reordering_profile(*segments.flat_permutations(), threads)),
        "segments": {
            "texts": segments.texts,
            "reference": segments.reference,
            "length": segments.length,
            "aligned": np.round(shares, 2).tolist(),
            "links": segments.links,
            "marks": segments.marks,
            "trees": trees,
            "moves": moves,
            "values": {
                metric: (np.round(score.segments, DIGITS) + 0.0).tolist()  # + 0: no -0.0
                for metric, score in result.items()
            },
        },
    }


def histogram(score: Score) -> list[int]:
    """Return the number of segments in each bin, and above the last edge if there is no bound."""
    edges = _bin_edges(score)
    bounded = math.isfinite(score.range[1])
    # rounding may leave a value slightly outside
    values = np.clip(score.segments, edges[0], edges[-1] if bounded else None)
    counts = np.histogram(values, edges)[0].tolist()
    return counts if bounded else [*counts, int((values > edges[-1]).sum())]


def subset_value(score: Score, selected: Booleans) -> float | None:
    """Return the corpus value of the selected segments, or None if there are none."""
    if not selected.any():
        return None
    return float(score.metric.aggregate(score.kept_statistics[selected].sum(0)))


def worst_segments(score: Score, selected: Booleans) -> list[dict[str, Any]]:
    """Return the selected segments, numbered from 1, worst first; ties keep their order."""
    values = score.segments
    order = np.argsort(values if score.higher_is_better else -values, kind="stable")
    return [{"segment": k + 1, "value": float(values[k])} for k in order[selected[order]].tolist()]


def profile_dict(profile: ReorderingProfile) -> dict[str, Any]:
    """Return a profile that counts all operators longer than four together.

    ``spans`` and ``moves`` are pairs of a length and its count.
    """
    spans: dict[tuple[int, ...] | None, dict[int, int]] = {
        operator: {} for operator in (*OPERATORS, None)
    }
    for operator in profile.operators:
        counts = spans[operator.operator if operator.operator in spans else None]
        for span, count in operator.spans.items():
            counts[span] = counts.get(span, 0) + count
    return {
        "words": profile.words,
        "without_links": profile.empty,
        "monotone": profile.monotone,
        "binarizable": profile.binarizable,
        "reorderings": profile.reorderings,
        "mean_span": profile.mean_span,
        "mean_move": profile.mean_move,
        "operators": [
            {"operator": values and list(values), "spans": _sorted_pairs(counts)}
            for values, counts in spans.items()
        ],
        "moves": _sorted_pairs(profile.moves),
    }


def _sorted_pairs(counts: Mapping[int, int]) -> list[list[int]]:
    return [[length, counts[length]] for length in sorted(counts)]
