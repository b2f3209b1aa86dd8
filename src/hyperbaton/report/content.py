"""The content of a report: from results and their comparison to plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputTypeError
from hyperbaton.metrics.base import Floats, Score
from hyperbaton.metrics.comparison import FEW_SEGMENTS, Comparison, Rank, few_segments
from hyperbaton.metrics.order import OrderMetric
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.metrics.scoring import Result
from hyperbaton.order.profile import ReorderingProfile, reordering_profile
from hyperbaton.report.cautions import FEW_ALIGNED, cautions
from hyperbaton.report.passages import Passages, passages
from hyperbaton.text.display import visible
from hyperbaton.text.lines import printable

Booleans = npt.NDArray[np.bool_]
SCHEMA = "hyperbaton/report/1"
DIGITS = 4  # of the values of segments
# Segments that are the worst of a system, or separate two systems; not those with few aligned
# words, which have low values whatever their order is.
LISTED = 5
BINS = 20  # of a distribution
LENGTHS = ((0, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, None))  # words of a reference
# Shares of aligned words: more than the first, up to the second; the first bin is none at all.
SHARES = ((None, 0.0), (0.0, 0.25), (0.25, 0.5), (0.5, 0.75), (0.75, 1.0))
# What a profile tells apart; an operator of another kind is one of the longer ones.
OPERATORS = ((1, 2), (2, 1), (2, 4, 1, 3), (3, 1, 4, 2))


def content(
    results: Sequence[Result],
    sampling: Sampling | None = None,
    comparison: Comparison | None = None,
    title: str | None = None,
    threads: int | None = None,
) -> dict[str, Any]:
    """All that a report says, as JSON has it: docs/report.md says what is what.

    Names and texts are as they may be shown (see ``text.display.visible``).
    """
    from hyperbaton import __version__

    references, found = passages(results, threads)
    shares = [np.array(own.linked) / np.maximum(own.words, 1) for own in found]
    enough = {result.name: own >= FEW_ALIGNED for result, own in zip(results, shares, strict=True)}
    names = [printable(result.name) for result in results]
    if title is not None and not isinstance(title, str):
        raise InputTypeError(f"the title is a text, not {type(title).__name__}")
    notes = [text.partition(": ")[2] for text in cautions(results)]
    if comparison is None and sampling is not None and results[0].n < FEW_SEGMENTS:
        notes.append(few_segments(results[0].n))
    notes += comparison.notes if comparison is not None else []
    return {
        "schema": SCHEMA,
        "hyperbaton": __version__,
        "title": visible(title or _title(names)),
        "n": results[0].n,
        "sampling": None if sampling is None else sampling.to_dict(),
        "correction": None if comparison is None else comparison.correction,
        "baseline": _shown_name(None if comparison is None else comparison.baseline),
        "notes": list(map(visible, notes)),
        "lengths": list(map(list, LENGTHS)),
        "shares": list(map(list, SHARES)),
        "metric": _first_shown(results[0]),
        "enough": FEW_ALIGNED,
        "metrics": [_metric(metric, results, comparison, enough) for metric in results[0]],
        "systems": [
            _system(name, result, own, share, threads)
            for name, result, own, share in zip(names, results, found, shares, strict=True)
        ],
        "references": references,
    }


def _title(names: Sequence[str]) -> str:
    return f"Word order of {names[0]}" if len(names) == 1 else f"Word order of {len(names)} systems"


def _first_shown(result: Result) -> str:
    """The metric that a page begins with: the first that is of order alone, if there is one."""
    alone = (name for name, score in result.items() if isinstance(score.metric, OrderMetric))
    return next(alone, next(iter(result)))


def _shown_name(name: str | None) -> str | None:
    return None if name is None else printable(name)


# Metrics


def _metric(
    metric: str,
    results: Sequence[Result],
    comparison: Comparison | None,
    enough: Mapping[str, Booleans],
) -> dict[str, Any]:
    """A metric, its ranking and the differences by it, as ``compare`` has them."""
    score = results[0][metric]
    if comparison is None:
        ranking = [
            Rank(one.name, one[metric].value, one[metric].lower, one[metric].upper, *[None] * 3)
            for one in results
        ]
    else:
        ranking = comparison.ranking(metric)
    differences = [] if comparison is None else comparison.of(metric)
    return {
        "name": metric,
        "about": score.metric.variant.about,
        "caution": score.metric.variant.caution,
        "signature": score.signature,
        "higher_is_better": score.higher_is_better,
        "range": [bound if math.isfinite(bound) else None for bound in score.range],
        "edges": [round(edge, 10) for edge in _edges(score).tolist()],
        "ranking": [{**asdict(rank), "system": printable(rank.system)} for rank in ranking],
        "differences": [
            {
                **asdict(one),
                "a": printable(one.a),
                "b": printable(one.b),
                "better": _shown_name(one.better),
            }
            for one in differences
        ],
        "separating": None if comparison is None else _separating(comparison, metric, enough),
    }


def _separating(
    comparison: Comparison, metric: str, enough: Mapping[str, Booleans]
) -> dict[str, Any]:
    """The segments that separate the best two, or the best and the baseline."""
    a, b = comparison.contrast(metric)
    both = enough[a] & enough[b]
    rows = [row for row in comparison.separating(metric, a, b, comparison.n) if both[row[0]]]
    return {
        "a": printable(a),
        "b": printable(b),
        "segments": [{"segment": k + 1, "values": [x, y]} for k, x, y in rows[:LISTED]],
    }


def _edges(score: Score) -> Floats:
    """Of the bins of a distribution, from 0 to 1 if there are no bounds.

    What is more than the last edge is then in a bin of its own; what is less than the first, which
    is a little at most, is in the first bin.
    """
    low, high = score.range
    bounds = low if math.isfinite(low) else 0.0, high if math.isfinite(high) else 1.0
    return np.linspace(*bounds, BINS + 1)


# Systems


def _system(
    name: str, result: Result, own: Passages, shares: Floats, threads: int | None
) -> dict[str, Any]:
    length = np.array(own.length)
    by_length = [(low <= length) & (length <= (high or length)) for low, high in LENGTHS]
    by_share = [(shares > (-1 if low is None else low)) & (shares <= high) for low, high in SHARES]
    return {
        "name": name,
        "aligned": result.aligned,
        "lengths": [int(one.sum()) for one in by_length],
        "shares": [int(one.sum()) for one in by_share],
        "scores": {
            metric: {
                "value": score.value,
                "lower": score.lower,
                "upper": score.upper,
                "histogram": histogram(score),
                "quartiles": np.quantile(score.segments, [0.25, 0.5, 0.75]).tolist(),
                "by_length": [value_of(score, one) for one in by_length],
                "by_share": [value_of(score, one) for one in by_share],
                "worst": worst(score, shares >= FEW_ALIGNED)[:LISTED],
            }
            for metric, score in result.items()
        },
        "profile": profile_dict(reordering_profile(*own.flat_permutations(), threads)),
        "segments": {
            "texts": own.texts,
            "reference": own.reference,
            "length": own.length,
            "aligned": np.round(shares, 2).tolist(),
            "links": own.links,
            "values": {
                metric: (np.round(score.segments, DIGITS) + 0.0).tolist()  # + 0: no -0.0
                for metric, score in result.items()
            },
        },
    }


def histogram(score: Score) -> list[int]:
    """How many segments have values in each bin, and above the last edge if there is no bound."""
    edges = _edges(score)
    bounded = math.isfinite(score.range[1])
    # rounding may leave a value a little outside
    values = np.clip(score.segments, edges[0], edges[-1] if bounded else None)
    counts = np.histogram(values, edges)[0].tolist()
    return counts if bounded else [*counts, int((values > edges[-1]).sum())]


def value_of(score: Score, chosen: Booleans) -> float | None:
    """The value of some segments together, as if they were the corpus; None without any."""
    assert score.statistics is not None
    if not chosen.any():
        return None
    return float(score.metric.aggregate(score.statistics[chosen].sum(0)))


def worst(score: Score, chosen: Booleans) -> list[dict[str, Any]]:
    """Some segments, from 1, the worst values first; of equal ones the first comes first."""
    values = score.segments
    order = np.argsort(values if score.higher_is_better else -values, kind="stable")
    return [{"segment": k + 1, "value": float(values[k])} for k in order[chosen[order]].tolist()]


def profile_dict(profile: ReorderingProfile) -> dict[str, Any]:
    """A profile in short: operators of four words or fewer, all longer ones together, and moves.

    ``spans`` and ``moves`` have pairs: a length, and how often there is one so long.
    """
    spans: dict[tuple[int, ...] | None, dict[int, int]] = {
        operator: {} for operator in (*OPERATORS, None)
    }
    for one in profile.operators:
        own = spans[one.operator if one.operator in spans else None]
        for span, count in one.spans.items():
            own[span] = own.get(span, 0) + count
    return {
        "words": profile.words,
        "without_links": profile.empty,
        "monotone": profile.monotone,
        "binarizable": profile.binarizable,
        "reorderings": profile.reorderings,
        "mean_span": profile.mean_span,
        "mean_move": profile.mean_move,
        "operators": [
            {"operator": operator and list(operator), "spans": _pairs(own)}
            for operator, own in spans.items()
        ],
        "moves": _pairs(profile.moves),
    }


def _pairs(counts: Mapping[int, int]) -> list[list[int]]:
    return [[length, counts[length]] for length in sorted(counts)]
