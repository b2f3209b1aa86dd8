"""What a comparison shows, in two to four sentences for readers who do not know the metrics.

Every sentence is computed from the data: which systems can be told apart by a metric, what still
goes wrong in the best one, and how much of the text the alignment covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hyperbaton.comparison.results import FEW_SEGMENTS, Comparison, Difference
from hyperbaton.metrics.order_metrics import OrderMetric
from hyperbaton.metrics.results import Result, Score
from hyperbaton.metrics.soft_order import SoftOrder
from hyperbaton.report.cautions import FEW_ALIGNED
from hyperbaton.report.move_counts import MoveCounts
from hyperbaton.text.lines import printable
from hyperbaton.text.plurals import count_noun

MAX_NAMES = 4  # that a sentence lists; of more systems, it gives the number
DIGITS = 3
MOST_ALIGNED = 0.75  # from this share on, most of the text is judged


def default_metric(result: Result) -> str:
    """Return the metric that a reader sees first: the first that measures order alone, if any."""
    order_metrics = (
        name for name, score in result.items() if isinstance(score.metric, (OrderMetric, SoftOrder))
    )
    return next(order_metrics, next(iter(result)))


def write_verdict(
    results: Sequence[Result],
    comparison: Comparison | None,
    metric: str,
    moves: Mapping[str, MoveCounts],
) -> tuple[str, ...]:
    """Return the sentences for one metric.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    comparison : Comparison, optional
        Their comparison, if there are several.
    metric : str
        The metric, as it was written.
    moves : mapping of str to MoveCounts
        The moves of each system; empty if they are not known.
    """
    if comparison is None:
        (result,) = results
        sentences = [_describe_score(result.name, metric, result[metric])]
        best = result.name
    else:
        sentences = [*_compare_systems(comparison, metric)]
        best = next(iter(comparison.scores(metric)))
    if best in moves:
        sentences.append(_describe_moves(best, moves[best]))
    sentences += _describe_trust(results, metric, moves)
    return tuple(sentences)


# Which systems can be told apart


def _describe_score(name: str, metric: str, score: Score) -> str:
    sentence = f"By {metric}, {printable(name)} has {_number(score.value)}"
    if score.lower is not None and score.upper is not None:
        sentence += f" (interval {_number(score.lower)} to {_number(score.upper)})"
    direction = "higher" if score.higher_is_better else "lower"
    return f"{sentence}; {direction} is better."


def _compare_systems(comparison: Comparison, metric: str) -> Iterator[str]:
    differences = comparison.differences_by(metric)
    if comparison.baseline is not None:
        yield _compare_with_baseline(comparison.baseline, metric, differences)
    elif len(differences) == 1:
        yield _compare_two(comparison, metric, differences[0])
    else:
        yield _compare_many(comparison, metric, differences)


def _compare_two(comparison: Comparison, metric: str, difference: Difference) -> str:
    p = _p_value(difference.p)
    names = [printable(name) for name in (difference.a, difference.b)]
    if difference.better is None:
        by_chance = f"a difference of {_number(abs(difference.difference))} may be chance ({p})"
        return f"{names[0]} and {names[1]} cannot be told apart by {metric}: {by_chance}."
    better, worse = names if difference.better == difference.a else reversed(names)
    scores = {printable(name): score for name, score in comparison.scores(metric).items()}
    return (
        f"{better} is better than {worse} by {metric}: {_number(scores[better].value)} against "
        f"{_number(scores[worse].value)} ({p})."
    )


def _compare_many(comparison: Comparison, metric: str, differences: Sequence[Difference]) -> str:
    scores = comparison.scores(metric)
    best, *others = scores
    worse = {
        d.b if d.a == best else d.a: abs(d.difference) for d in differences if d.better == best
    }
    equal = [name for name in others if name not in worse]
    values = sorted(score.value for score in scores.values())
    if not any(d.better for d in differences):
        return (
            f"No two of the {len(scores)} systems can be told apart by {metric}: their values lie "
            f"between {_number(values[0])} and {_number(values[-1])}."
        )
    value = f"{printable(best)} ({_number(scores[best].value)})"
    least = f"by {_number(min(worse.values()))}{' or more' * (len(worse) > 1)}" if worse else ""
    if not equal:
        return f"{value} is better than all other systems by {metric}, {least}."
    sentence = f"{value} is ahead by {metric}, but cannot be told apart from {_names(equal)}"
    if worse:
        sentence += f"; it is better than {_names(list(worse))}, {least}"
    return f"{sentence}."


def _compare_with_baseline(baseline: str, metric: str, differences: Sequence[Difference]) -> str:
    groups: dict[str, list[str]] = {"better": [], "worse": [], "equal": []}
    for d in differences:
        other = d.b if d.a == baseline else d.a
        kind = "equal" if d.better is None else "worse" if d.better == baseline else "better"
        amount = "" if kind == "equal" else f" (by {_number(abs(d.difference))})"
        groups[kind].append(f"{printable(other)}{amount}")
    clauses = []
    name = f"the baseline {printable(baseline)}"
    for kind in ("better", "worse"):
        if groups[kind]:
            verb = "is" if len(groups[kind]) == 1 else "are"
            clauses.append(f"{_names(groups[kind])} {verb} {kind} than {name}")
            name = "it"
    if groups["equal"]:
        clauses.append(f"{_names(groups['equal'])} cannot be told apart from {name}")
    return f"By {metric}, {'; '.join(clauses)}."


# What goes wrong, and how far to trust it


def _describe_moves(name: str, counts: MoveCounts) -> str:
    where = printable(name)
    if not counts.linked:
        return f"No word of {where} is aligned, so that nothing is known about its order."
    frequent = counts.most_frequent
    if frequent is None:
        return f"All aligned words of {where} are in the order of the reference."
    share = frequent.moves / counts.moves
    return (
        f"In {counts.reordered:,} of {count_noun(counts.segments, 'segment')} of {where}, words "
        f"must move: most often {frequent.kind}, typically by "
        f"{count_noun(frequent.distance, 'word')} ({_share(share)} of "
        f"{count_noun(counts.moves, 'move')})."
    )


def _describe_trust(
    results: Sequence[Result], metric: str, moves: Mapping[str, MoveCounts]
) -> Iterator[str]:
    n = results[0].n
    if n < FEW_SEGMENTS:
        yield f"With only {count_noun(n, 'segment')}, none of this is certain."
    shares = [
        moves[result.name].aligned if result.name in moves else result.aligned for result in results
    ]
    known = [share for share in shares if share is not None]
    if not known:
        return
    low, high = _share(min(known)), _share(max(known))
    aligned = f"{low} of the words" if low == high else f"Between {low} and {high} of the words"
    if not results[0][metric].metric.aligns:
        consequence = "and only their moves are known"
    elif min(known) < FEW_ALIGNED:
        consequence = "too few to say much about word order"
    elif min(known) < MOST_ALIGNED:
        consequence = "so that a good part of the text is not judged"
    else:
        consequence = "so that most of the text is judged"
    yield f"{aligned} are aligned with the reference, {consequence}."


def _number(value: float) -> str:
    return f"{value:.{DIGITS}f}"


def _share(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _p_value(p: float) -> str:
    return f"p = {p:.3f}" if p >= 0.0005 else "p < 0.001"


def _names(names: Sequence[str]) -> str:
    """Return some names, or their number.

    >>> _names(["a"]), _names(["a", "b", "c"]), _names(list("abcde"))
    ('a', 'a, b and c', '5 others')
    """
    shown = [printable(name) for name in names]
    if len(shown) > MAX_NAMES:
        return f"{len(shown)} others"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else shown[0]
