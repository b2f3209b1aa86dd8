"""What a comparison shows, in two to four sentences for readers who do not know the metrics.

Every sentence is computed from the data: which systems differ significantly by a metric, what still
goes wrong in the best one, and how much of the text the alignment covers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable
from hyperbaton.metrics.order_metrics import OrderMetric
from hyperbaton.runs.cautions import FEW_LINKED
from hyperbaton.runs.comparing import (
    NOT_SCORED,
    Comparison,
    Difference,
    equal_in_every_segment,
)
from hyperbaton.runs.order_verdict import (
    FEW_MOVES,
    find_order_verdict,
    order_metric,
    p_value,
    percentage,
)
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.shown_links import MoveCounts, has_shown_links
from hyperbaton.stats.significance import FEW_SEGMENTS
from hyperbaton.text.plurals import count_noun

MAX_NAMES = 4  # that a sentence lists; of more systems, it gives the number
DIGITS = 3
Ranked = Mapping[str, Score]  # by system, best first


def default_metric(result: Result) -> str:
    """Return the metric that a reader sees first: the first that measures order alone, if any."""
    permutations = (name for name, s in result.items() if isinstance(s.metric, OrderMetric))
    return order_metric(result) or next(permutations, next(iter(result)))


@dataclass(frozen=True)
class VerdictWriter:
    """Writes the verdict by each metric.

    Attributes
    ----------
    results : sequence of Result
        One result per system.
    comparison : Comparison, optional
        Their comparison, if there are several.
    moves : mapping of str to MoveCounts
        The moves of each system; empty if they are not known.
    labels : mapping of str to str
        Other names of systems.
    scale : float
        What values are multiplied by.
    """

    results: Sequence[Result]
    comparison: Comparison | None
    moves: Mapping[str, MoveCounts]
    labels: Mapping[str, str] = field(default_factory=dict)
    scale: float = 1

    def sentences(self, metric: str | None = None) -> tuple[str, ...]:
        """Return the verdict by a metric, or by the one that a reader sees first."""
        first = self.results[0]
        metric = default_metric(first) if metric is None else metric
        if metric not in first:
            raise InputError(f"{metric!r} was not compared; compared: {', '.join(first)}")
        if first[metric].metric.needs.anchors is not None:
            compared = self.results, self.comparison, self.moves, self.labels
            return find_order_verdict(metric, *compared).sentences
        if self.comparison is None:
            best = first.name
            difference = self._describe_score(first, metric)
        else:
            best = next(iter(self.comparison.scores(metric)))
            difference = self._compare_systems(self.comparison, metric)
        # otherwise they are those of another metric
        moves = self.moves if has_shown_links(first, metric) else {}
        of_best = [_describe_moves(self._name(best), moves[best])] if best in moves else []
        return difference, *of_best, *_describe_trust(self.results, metric, moves)

    # Which systems differ significantly

    def _describe_score(self, result: Result, metric: str) -> str:
        score = result[metric]
        if not score.is_scored and score.evidence is not None:
            return (
                f"{metric} says little about {self._name(result.name)}: {score.evidence.shortage}"
            )
        sentence = f"{self._name(result.name)} scores {self._value(float(score))} on {metric}"
        if score.lower is not None and score.upper is not None:
            sentence += f" (interval {self._value(score.lower)} to {self._value(score.upper)})"
        direction = "higher" if score.higher_is_better else "lower"
        return f"{sentence}; {direction} is better."

    def _compare_systems(self, comparison: Comparison, metric: str) -> str:
        found = comparison.differences_by(metric)
        differences = [d for d in found if d.outcome != NOT_SCORED]
        scores = {
            name: score for name, score in comparison.scores(metric).items() if score.is_scored
        }
        if not differences:
            return (
                f"No two systems can be compared on {metric}: too few of their words are matched."
            )
        if comparison.baseline is not None:
            return self._compare_with_baseline(scores, metric, comparison.baseline, differences)
        if len(differences) == 1:
            return self._compare_two(scores, metric, differences[0])
        if any(d.better for d in differences):
            return self._compare_best(scores, metric, differences)
        values = sorted(map(float, scores.values()))
        return (
            f"No two of the {len(scores)} systems differ significantly on {metric}: their scores "
            f"lie between {self._value(values[0])} and {self._value(values[-1])}."
        )

    def _compare_two(self, scores: Ranked, metric: str, difference: Difference) -> str:
        (better, first), (worse, second) = scores.items()
        values = [self._value(float(score)) for score in (first, second)]
        if equal_in_every_segment(first, second):
            return f"{self._names([better, worse])} have the same {metric} score in every segment."
        p = f"p {p_value(difference.p)}"
        if difference.better is None:
            return (
                f"{self._names([better, worse])} do not differ significantly on {metric}: "
                f"{values[0]} and {values[1]} ({p})."
            )
        return (
            f"{self._name(better)} is significantly better than {self._name(worse)} on {metric}: "
            f"{values[0]} against {values[1]} ({p})."
        )

    def _compare_best(self, scores: Ranked, metric: str, differences: Sequence[Difference]) -> str:
        """Compare the best of many systems with the others."""
        best, *others = scores
        beaten = {d.b if d.a == best else d.a for d in differences if d.better == best}
        worse = [name for name in others if name in beaten]  # the best of them first
        equal = [name for name in others if name not in beaten]
        if not equal:
            return (
                f"{self._with_value(scores, best)} is significantly better on {metric} than all "
                f"other systems {self._at_best(scores, worse)}."
            )
        tied = [name for name in equal if scores[name].value == scores[best].value]
        sentence = (
            self._share_first_place(scores, metric, equal, tied)
            if tied
            else f"{self._with_value(scores, best)} has the best {metric} score, but is not "
            f"significantly better than {self._names(equal)}"
        )
        if worse:
            subject = self._name(best) if tied else "it"
            sentence += f"; {subject} is significantly better than {self._names(worse)} "
            sentence += self._at_best(scores, worse)
        return f"{sentence}."

    def _share_first_place(
        self, scores: Ranked, metric: str, equal: Sequence[str], tied: Sequence[str]
    ) -> str:
        best = next(iter(scores))
        sharing = f"{len(tied) + 1} of the {len(scores)} systems"
        subject = self._names([best, *tied]) if len(tied) < MAX_NAMES else sharing
        sentence = f"{subject} share the best {metric} score ({self._value(float(scores[best]))})"
        # The others that share it may differ in what they are better than.
        if rest := [name for name in equal if name not in tied]:
            sentence += f"; {self._name(best)} is not significantly better than {self._names(rest)}"
        return sentence

    def _at_best(self, scores: Ranked, worse: Sequence[str]) -> str:
        return f"({'at best ' * (len(worse) > 1)}{self._value(float(scores[worse[0]]))})"

    def _compare_with_baseline(
        self, scores: Ranked, metric: str, baseline: str, differences: Sequence[Difference]
    ) -> str:
        groups: dict[str, list[str]] = {"better": [], "worse": [], "equal": []}
        for d in differences:
            kind = "equal" if d.better is None else "worse" if d.better == baseline else "better"
            groups[kind].append(self._with_value(scores, d.b if d.a == baseline else d.a))
        clauses = []
        name = f"the baseline {self._with_value(scores, baseline)}"
        for kind in ("better", "worse"):
            if group := groups[kind]:
                verb = "is" if len(group) == 1 else "are"
                clauses.append(f"{_join(group)} {verb} significantly {kind} than {name}")
                name = "it"
        if group := groups["equal"]:
            verb = "does" if len(group) == 1 else "do"
            clauses.append(f"{_join(group)} {verb} not differ significantly from {name}")
        return f"On {metric}, {'; '.join(clauses)}."

    # Names and values

    def _name(self, system: str) -> str:
        return printable(self.labels.get(system, system))

    def _names(self, systems: Sequence[str]) -> str:
        return _join(list(map(self._name, systems)))

    def _value(self, value: float) -> str:
        """Return a value; one that is scaled, from 10 on, has one decimal."""
        scaled = self.scale * value
        return f"{scaled:.{DIGITS if abs(scaled) < 10 else 1}f}"

    def _with_value(self, scores: Ranked, system: str) -> str:
        return f"{self._name(system)} ({self._value(float(scores[system]))})"


def verdict_writer(
    comparison: Comparison, labels: Mapping[str, str] = MappingProxyType({}), scale: float = 1
) -> VerdictWriter:
    """Return what writes the verdicts of a comparison."""
    return VerdictWriter(comparison.results, comparison, comparison._moves, labels, scale)


# What goes wrong, and how far to trust it


def _describe_moves(where: str, counts: MoveCounts) -> str:
    if not counts.linked:
        return f"No word of {where} is linked, so nothing is known about its order."
    if not counts.moves and counts.punctuation:
        return f"Of {where}, only punctuation is not in the order of the reference."
    if not counts.moves:
        return f"All linked words of {where} are in the order of the reference."
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
        f"{count_noun(frequent.distance, 'word')} ({percentage(share)} of {counts.moves:,} moves)."
    )


def _describe_trust(
    results: Sequence[Result], metric: str, moves: Mapping[str, MoveCounts]
) -> Iterator[str]:
    n = results[0].n
    if n <= FEW_SEGMENTS:
        yield f"With only {count_noun(n, 'segment')}, none of this is certain."
    aligns = results[0][metric].metric.needs.linking is not None
    shares = (
        [result[metric].linked for result in results]
        if aligns
        else [counts.linked_share for counts in moves.values()]
    )
    known = [share for share in shares if share is not None]
    if not known:
        return
    low, high = percentage(min(known)), percentage(max(known))
    share = low if low == high else f"between {low} and {high}"
    subject = f"{share[0].upper()}{share[1:]} of the words of a system and its reference are"
    if min(known) == 1:
        yield "All words are linked with the reference."
    elif not aligns:
        yield f"{subject} linked; only their moves are known."
    elif min(known) < FEW_LINKED:
        yield f"{subject} linked; below one half, this is too little to judge word order."
    else:
        yield f"{subject} linked; the rest is not judged."


def _join(names: Sequence[str]) -> str:
    """Return some names, or their number.

    >>> _join(["a"]), _join(["a", "b", "c"]), _join(list("abcde"))
    ('a', 'a, b and c', '5 others')
    """
    if len(names) > MAX_NAMES:
        return f"{len(names)} others"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
