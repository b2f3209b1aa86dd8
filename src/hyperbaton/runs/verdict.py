"""What a comparison shows, in two to four sentences for readers who do not know the metrics.

Every sentence is computed from the data: which systems differ significantly by a metric, what still
goes wrong in the best one, and how much of the text the alignment covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hyperbaton.files.lines import printable
from hyperbaton.metrics.order_metrics import OrderMetric
from hyperbaton.metrics.soft_order import SoftOrder
from hyperbaton.runs.cautions import FEW_ALIGNED
from hyperbaton.runs.comparisons import Comparison, Difference, equal_in_every_segment
from hyperbaton.runs.linked_batches import has_shown_links
from hyperbaton.runs.move_counts import MoveCounts
from hyperbaton.runs.results import Result, Score
from hyperbaton.stats.few_segments import FEW_SEGMENTS
from hyperbaton.text.plurals import count_noun

MAX_NAMES = 4  # that a sentence lists; of more systems, it gives the number
DIGITS = 3
FEW_MOVES = 5  # with fewer, none of their kinds is frequent


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
    if not has_shown_links(results[0], metric):
        moves = {}  # they are those of another metric
    if best in moves:
        sentences.append(_describe_moves(best, moves[best]))
    sentences += _describe_trust(results, metric, moves)
    return tuple(sentences)


# Which systems differ significantly


def _describe_score(name: str, metric: str, score: Score) -> str:
    sentence = f"{printable(name)} scores {_number(score.value)} on {metric}"
    if score.lower is not None and score.upper is not None:
        sentence += f" (interval {_number(score.lower)} to {_number(score.upper)})"
    direction = "higher" if score.higher_is_better else "lower"
    return f"{sentence}; {direction} is better."


def _compare_systems(comparison: Comparison, metric: str) -> Iterator[str]:
    differences = comparison.differences_by(metric)
    if comparison.baseline is not None:
        yield _compare_with_baseline(comparison, metric, comparison.baseline)
    elif len(differences) == 1:
        yield _compare_two(comparison, metric, differences[0])
    else:
        yield _compare_many(comparison, metric, differences)


def _compare_two(comparison: Comparison, metric: str, difference: Difference) -> str:
    (better, first), (worse, second) = comparison.scores(metric).items()
    names, values = _names([better, worse]), f"{_number(first.value)} and {_number(second.value)}"
    if equal_in_every_segment(first, second):
        return f"{names} have the same {metric} score in every segment."
    if difference.better is None:
        return (
            f"{names} do not differ significantly on {metric}: {values} ({_p_value(difference.p)})."
        )
    return (
        f"{printable(better)} is significantly better than {printable(worse)} on {metric}: "
        f"{_number(first.value)} against {_number(second.value)} ({_p_value(difference.p)})."
    )


def _compare_many(comparison: Comparison, metric: str, differences: Sequence[Difference]) -> str:
    scores = comparison.scores(metric)
    best, *others = scores
    if not any(d.better for d in differences):
        values = sorted(score.value for score in scores.values())
        return (
            f"No two of the {len(scores)} systems differ significantly on {metric}: their scores "
            f"lie between {_number(values[0])} and {_number(values[-1])}."
        )
    beaten = {d.b if d.a == best else d.a for d in differences if d.better == best}
    worse = [name for name in others if name in beaten]  # the best of them first
    equal = [name for name in others if name not in beaten]
    value = f"{printable(best)} ({_number(scores[best].value)})"
    at_best = f"({'at best ' * (len(worse) > 1)}{_number(scores[worse[0]].value)})" if worse else ""
    if not equal:
        return f"{value} is significantly better on {metric} than all other systems {at_best}."
    tied = [name for name in equal if scores[name].value == scores[best].value]
    if tied:
        sharing = f"{len(tied) + 1} of the {len(scores)} systems"
        subject = _names([best, *tied]) if len(tied) < MAX_NAMES else sharing
        sentence = f"{subject} share the best {metric} score"
        sentence += f" ({_number(scores[best].value)})"
        # The others that share it may differ in what they are better than.
        if rest := [name for name in equal if name not in tied]:
            sentence += f"; {printable(best)} is not significantly better than {_names(rest)}"
    else:
        sentence = (
            f"{value} has the best {metric} score, but is not significantly better than "
            f"{_names(equal)}"
        )
    if worse:
        subject = printable(best) if tied else "it"
        sentence += f"; {subject} is significantly better than {_names(worse)} {at_best}"
    return f"{sentence}."


def _compare_with_baseline(comparison: Comparison, metric: str, baseline: str) -> str:
    scores = comparison.scores(metric)
    groups: dict[str, list[str]] = {"better": [], "worse": [], "equal": []}
    for d in comparison.differences_by(metric):
        other = d.b if d.a == baseline else d.a
        kind = "equal" if d.better is None else "worse" if d.better == baseline else "better"
        groups[kind].append(f"{printable(other)} ({_number(scores[other].value)})")
    clauses = []
    name = f"the baseline {printable(baseline)} ({_number(scores[baseline].value)})"
    for kind in ("better", "worse"):
        if groups[kind]:
            verb = "is" if len(groups[kind]) == 1 else "are"
            clauses.append(f"{_names(groups[kind])} {verb} significantly {kind} than {name}")
            name = "it"
    if groups["equal"]:
        verb = "does" if len(groups["equal"]) == 1 else "do"
        clauses.append(f"{_names(groups['equal'])} {verb} not differ significantly from {name}")
    return f"On {metric}, {'; '.join(clauses)}."


# What goes wrong, and how far to trust it


def _describe_moves(name: str, counts: MoveCounts) -> str:
    where = printable(name)
    if not counts.linked:
        return f"No word of {where} is aligned, so nothing is known about its order."
    if not counts.moves and counts.punctuation:
        return f"Of {where}, only punctuation is not in the order of the reference."
    if not counts.moves:
        return f"All aligned words of {where} are in the order of the reference."
    segments = count_noun(counts.segments, "segment")
    sentence = (
        f"In {counts.reordered:,} of {segments} of {where}, words are not in the order of the "
        "reference"
    )
    frequent = counts.most_frequent
    if frequent is None or counts.moves < FEW_MOVES:
        return f"{sentence}."
    share = frequent.moves / counts.moves
    return (
        f"{sentence}: most often {frequent.kind}, typically by "
        f"{count_noun(frequent.distance, 'word')} ({_share(share)} of {counts.moves:,} moves)."
    )


def _describe_trust(
    results: Sequence[Result], metric: str, moves: Mapping[str, MoveCounts]
) -> Iterator[str]:
    n = results[0].n
    if n <= FEW_SEGMENTS:
        yield f"With only {count_noun(n, 'segment')}, none of this is certain."
    aligns = results[0][metric].metric.needs.linking is not None
    shares = [
        result[metric].aligned
        if aligns
        else moves[result.name].aligned
        if result.name in moves
        else None
        for result in results
    ]
    known = [share for share in shares if share is not None]
    if not known:
        return
    low, high = _share(min(known)), _share(max(known))
    share = low if low == high else f"between {low} and {high}"
    aligned = f"{share[0].upper()}{share[1:]} of the words of a system and its reference are"
    if min(known) == 1:
        yield "All words are aligned with the reference."
    elif not aligns:
        yield f"{aligned} aligned; only their moves are known."
    elif min(known) < FEW_ALIGNED:
        yield f"{aligned} aligned; below one half, this is too little to judge word order."
    else:
        yield f"{aligned} aligned; the rest is not judged."


def _number(value: float) -> str:
    """Return a value; one that is scaled, from 10 on, has one decimal.

    >>> _number(0.25), _number(45.678)
    ('0.250', '45.7')
    """
    return f"{value:.{DIGITS if abs(value) < 10 else 1}f}"


def _share(share: float) -> str:
    """Return a percentage that says neither none nor all if that is not true.

    >>> _share(0.004), _share(0.666), _share(0.999), _share(1)
    ('less than 1 %', '67 %', 'more than 99 %', '100 %')
    """
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{round(100 * share)} %"


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
