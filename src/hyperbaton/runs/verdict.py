"""The verdict on word order: whose is closer to the reference's, how sure that is, and what moves.

The figures that are found here are all that its sentences say; programs can read them as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

from hyperbaton.files.lines import short_names
from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.differences import Difference
from hyperbaton.runs.results import Result, sort_results
from hyperbaton.runs.shown_links import MoveCounts
from hyperbaton.runs.verdict_sentences import (
    CLOSER,
    FARTHER,
    NO_ORDER,
    NONE_CERTAIN,
    NOT_SCORED,
    ONE_SYSTEM,
    OTHER_OPINION,
    TOO_FEW,
    TOO_SMALL,
    Verdict,
)
from hyperbaton.stats.significance import FEW_SEGMENTS

Figures = dict[str, Any]
MAX_NAMES = 3  # that a sentence lists; of more systems, it gives the number
MAX_MOVE_LINES = 3  # systems whose moves are told; of more, a table shows them
FEW_MOVES = 5  # with fewer, none of their kinds is frequent
RELIABLE_ERRORS = 2.8  # a difference of so many standard errors is found in four of five samples


def order_metric(result: Result) -> str | None:
    """Return the first metric by which systems are compared by anchors."""
    scores = ((name, score.metric) for name, score in result.items())
    return next((name for name, metric in scores if metric.needs.anchors is not None), None)


def find_verdict(
    results: Sequence[Result],
    comparison: Comparison | None = None,
    moves: Mapping[str, MoveCounts] = MappingProxyType({}),
) -> Verdict:
    """Return the verdict on some systems.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    comparison : Comparison, optional
        Their comparison, if there are several.
    moves : mapping of str to MoveCounts
        The moves of each system; empty if they are not known.
    """
    order = order_metric(results[0])
    metric = order or next(iter(results[0]))
    figures: Figures = {"metric": metric, "segments": results[0].n}
    if order is not None:
        figures |= _system_figures(results, metric, moves)
    if comparison is None:
        return Verdict(ONE_SYSTEM if order else NO_ORDER, figures)
    figures |= {"level": comparison.sampling.level, "warning": None}
    if comparison.warnings:
        figures["warning"] = comparison.warnings[-1].fact
    if order is None:
        return Verdict(NO_ORDER, figures | _other_figures(comparison, metric))
    if len(results) == 2:
        figures |= _pair_figures(comparison, metric)
    else:
        figures |= _many_figures(comparison, metric)
    return Verdict(_outcome(comparison, metric), figures | _opinion_figures(comparison, metric))


def _outcome(comparison: Comparison, metric: str) -> str:
    """Return the most that is known of any two systems."""
    outcomes = {d.outcome for d in comparison.differences_by(metric)} - {NOT_SCORED}
    if not outcomes:
        return NOT_SCORED
    if not comparison.can_be_significant:
        return TOO_SMALL
    if outcomes == {TOO_FEW}:
        return TOO_FEW
    return CLOSER if outcomes & {CLOSER, FARTHER} else NONE_CERTAIN


def _system_figures(
    results: Sequence[Result], metric: str, moves: Mapping[str, MoveCounts]
) -> Figures:
    """Return the values and moves of up to three systems, and which have no value."""
    silent = [result for result in results if not result[metric].is_scored]
    shown = short_names([result.name for result in results])
    figures: Figures = {
        "count": len(results),
        "not_scored": [result.name for result in silent[:MAX_NAMES]],
        "not_scored_count": len(silent),
        "shown_names": {name: text for name, text in shown.items() if name != text},
    }
    if len(silent) == 1 and silent[0].evidence is not None:
        figures["shortage"] = silent[0].evidence.shortage
    if len(results) <= MAX_MOVE_LINES:
        figures["systems"] = {
            result.name: _one_system_figures(result, metric, moves.get(result.name))
            for result in sort_results(results, metric)
        }
    return figures


def _one_system_figures(result: Result, metric: str, moves: MoveCounts | None) -> Figures:
    score = result[metric]
    figures: Figures = {"value": score.value, "matched": score.matched}
    if score.lower is not None:
        figures |= {"lower": score.lower, "upper": score.upper}
    if moves is None:
        return figures
    figures["with_moves"] = moves.reordered if moves.linked else None
    frequent = moves.most_frequent
    if frequent is not None and moves.moves >= FEW_MOVES:
        kind = frequent.kind
        figures["mostly"] = {
            "words": "one" if kind.is_single else "several",
            "places": frequent.distance,
            "too": "late" if kind.before else "early",
        }
    return figures


def _pair_figures(comparison: Comparison, metric: str) -> Figures:
    """Return the difference of two systems, the closer one first."""
    (d,) = comparison.differences_by(metric)
    sign = 1 if d.better == d.a or (d.better is None and (d.difference or 0) >= 0) else -1
    lower, upper = (None if bound is None else sign * bound for bound in (d.lower, d.upper))
    reliable = None
    if d.standard_error and comparison.n > FEW_SEGMENTS:
        reliable = RELIABLE_ERRORS * d.standard_error
    return {
        "a": d.a if sign > 0 else d.b,
        "b": d.b if sign > 0 else d.a,
        "difference": None if d.difference is None else abs(d.difference),
        "lower": lower if sign > 0 else upper,
        "upper": upper if sign > 0 else lower,
        "p": d.shown_p,
        "shared_words": d.anchors,
        "shared_share": d.anchored,
        "reliable_difference": reliable,
    }


def _count_figures(comparison: Comparison, metric: str) -> Figures:
    """Return how many pairs can be compared, and how many certainly differ."""
    pairs = _compared_pairs(comparison, metric)
    return {
        "pairs": len(pairs),
        "certain": sum(d.better is not None for d in pairs),
        "too_few_pairs": sum(d.outcome == TOO_FEW for d in pairs),
        "corrected": comparison.corrected > 1,
    }


def _other_figures(comparison: Comparison, metric: str) -> Figures:
    """Return what is known by a metric that does not measure word order alone."""
    figures = _count_figures(comparison, metric)
    differences = comparison.differences_by(metric)
    if len(differences) > 1 or differences[0].better is None:
        return figures
    (d,) = differences
    names = short_names([d.a, d.b])
    shown = {name: text for name, text in names.items() if name != text}
    worse = d.b if d.better == d.a else d.a
    return figures | {"better": d.better, "worse": worse, "p": d.p, "shown_names": shown}


def _compared_pairs(comparison: Comparison, metric: str) -> list[Difference]:
    return [d for d in comparison.differences_by(metric) if d.outcome != NOT_SCORED]


def _many_figures(comparison: Comparison, metric: str) -> Figures:
    """Return who comes first and last of several systems, or who differs from the baseline."""
    pairs, baseline = _compared_pairs(comparison, metric), comparison.baseline
    figures = _count_figures(comparison, metric) | {"baseline": baseline}
    if baseline is None:
        return figures | (_rank_figures(comparison, metric, pairs) if pairs else {})
    groups: dict[str, list[str]] = {}
    for d in pairs:
        groups.setdefault(d.outcome, []).append(d.a)
    counted = {o: {"count": len(s), "names": s[:MAX_NAMES]} for o, s in groups.items()}
    is_scored = comparison.scores(metric)[baseline].is_scored
    return figures | {"baseline_scored": is_scored, "beside_baseline": counted}


def _rank_figures(comparison: Comparison, metric: str, pairs: Sequence[Difference]) -> Figures:
    clusters: dict[int, list[str]] = {}
    for rank in comparison.ranking(metric):
        if rank.cluster is not None:
            clusters.setdefault(rank.cluster, []).append(rank.system)
    first, *others = clusters.values()
    last = [*first, *chain(*others)][-1]
    closer = sum(last in (d.a, d.b) and d.better not in (None, last) for d in pairs)
    return {
        "clusters": len(clusters),
        "first": first[:MAX_NAMES],
        "first_count": len(first),
        "next": others[0][0] if others else None,
        "last": last,
        "closer_than_last": closer,
    }


def _opinion_figures(comparison: Comparison, metric: str) -> Figures:
    """Return which system is ahead by chrF: of two certainly, of more by its value."""
    if OTHER_OPINION not in comparison.metrics:
        return {}
    (best, value), (second, other), *more = comparison.scores(OTHER_OPINION).items()
    ahead: str | None = best if value.value != other.value else None
    rival = next(iter(comparison.scores(metric)))
    if not more:
        (difference,) = comparison.differences_by(OTHER_OPINION)
        ahead, rival = difference.better, second if difference.better == best else best
    if ahead is None:
        return {OTHER_OPINION: {"ahead": None}}
    closest: set[str | None] = {rival}
    if not more:
        closest = {d.better for d in comparison.differences_by(metric) if d.better}
    matched = {r.name: r[metric].matched or 0 for r in comparison.results}
    opinion = {"agrees": ahead in closest, "has_more_words": matched[ahead] > matched[rival]}
    return {OTHER_OPINION: {"ahead": ahead, **opinion}}
