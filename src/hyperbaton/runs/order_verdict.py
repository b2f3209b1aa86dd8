"""The verdict on word order: whose is closer to the reference's, how sure that is, and what moves.

It says "closer to the order of the reference", never "better": a second human translation has more
moves than most systems. Every sentence follows from the figures that belong to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any

from hyperbaton.files.lines import printable
from hyperbaton.runs.comparing import Comparison
from hyperbaton.runs.differences import (
    CLOSER,
    FARTHER,
    NONE_CERTAIN,
    NOT_SCORED,
    TOO_FEW,
    Difference,
)
from hyperbaton.runs.results import Result
from hyperbaton.runs.shown_links import FrequentMove, MoveCounts
from hyperbaton.softorder.evidence import LEAST_ANCHORED_SHARE, LEAST_ANCHORS
from hyperbaton.text.plurals import count_noun

MAX_NAMES = 3  # that a sentence lists; of more systems, it gives the number
MAX_MOVE_LINES = 3  # systems whose moves are told; of more, a table shows them
FEW_MOVES = 5  # with fewer, none of their kinds is frequent
RELIABLE_ERRORS = 2.8  # a difference of so many standard errors is found in four of five samples
OTHER_OPINION = "chrf"  # the metric that agrees, or points the other way
NOT_WRONG = "Another order is not always a wrong one."
TO_REFERENCE = "closer to the order of the reference"
NOTHING = "Word order: nothing can be told"


@dataclass(frozen=True)
class OrderVerdict:
    """What is known of the word order of some systems.

    Attributes
    ----------
    outcome : str
        Of two systems, that of the first against the second; of others, "ranked" or "one system".
    sentences : tuple of str
        The verdict in words, the answer first.
    figures : mapping of str to value
        What the sentences say, for programs.
    """

    outcome: str
    sentences: tuple[str, ...]
    figures: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {
            "outcome": self.outcome,
            "sentences": list(self.sentences),
            "figures": dict(self.figures),
        }


def order_metric(result: Result) -> str | None:
    """Return the first metric by which systems are compared by anchors."""
    scores = ((name, score.metric) for name, score in result.items())
    return next((name for name, metric in scores if metric.needs.anchors is not None), None)


def find_order_verdict(
    metric: str,
    results: Sequence[Result],
    comparison: Comparison | None,
    moves: Mapping[str, MoveCounts] = MappingProxyType({}),
    labels: Mapping[str, str] = MappingProxyType({}),
) -> OrderVerdict:
    """Return the verdict by a metric that compares systems by anchors.

    Parameters
    ----------
    metric : str
        The metric, such as ``order``.
    results : sequence of Result
        One result per system.
    comparison : Comparison, optional
        Their comparison, if there are several.
    moves : mapping of str to MoveCounts
        The moves of each system; empty if they are not known.
    labels : mapping of str to str
        Other names of systems.
    """
    names = {result.name: printable(labels.get(result.name, result.name)) for result in results}
    if comparison is None:
        writer: _Writer = _OneSystem(results[:1], None, metric, moves, names)
    elif len(results) == 2:
        writer = _TwoSystems(results, comparison, metric, moves, names)
    else:
        writer = _ManySystems(results, comparison, metric, moves, names)
    return OrderVerdict(writer.outcome, tuple(writer.sentences()), writer.figures())


@dataclass(frozen=True)
class _Writer:
    """Writes the verdict on some systems."""

    results: Sequence[Result]
    comparison: Comparison | None
    metric: str
    moves: Mapping[str, MoveCounts]
    names: Mapping[str, str]

    @property
    def outcome(self) -> str:
        """What is known, in a few words."""
        return "ranked"

    def sentences(self) -> Iterator[str]:
        """Yield the sentences, the answer first."""
        yield from self._answer()
        scored = self._scored()
        if self.moves and len(self.results) <= MAX_MOVE_LINES:
            for name in scored:
                yield f"{self.names[name]}: {moves_sentence(self.moves[name])}"
        if scored:
            yield f"{self._other_opinion()}{NOT_WRONG}"

    def figures(self) -> dict[str, Any]:
        """Return what the sentences say, for programs."""
        return {
            "metric": self.metric,
            "systems": {
                result.name: {
                    "order": score.value,
                    "matched": score.matched,
                    **self._move_figures(result.name),
                }
                for result in self.results[:MAX_MOVE_LINES]
                for score in (result[self.metric],)
            },
        }

    def _move_figures(self, system: str) -> dict[str, Any]:
        counts = self.moves.get(system)
        if counts is None:
            return {}
        return {"segments": counts.segments, "with_moves": counts.reordered}

    def _answer(self) -> Iterator[str]:
        raise NotImplementedError

    def _other_opinion(self) -> str:
        return ""

    def _differences(self) -> list[Difference]:
        assert self.comparison is not None
        return self.comparison.differences_by(self.metric)

    def _list(self, systems: Sequence[str]) -> str:
        """Return some names, or their number."""
        names = [self.names[system] for system in systems]
        if len(names) > MAX_NAMES:
            return f"{len(names)} systems"
        return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]

    def _scored(self) -> list[str]:
        return [result.name for result in self.results if result[self.metric].is_scored]

    def _not_scored(self) -> list[str]:
        silent = [result for result in self.results if not result[self.metric].is_scored]
        if len(silent) > MAX_NAMES:
            few = "too few of their words are in the reference. Are the lines shifted?"
            return [f"{len(silent)} systems are not scored: {few}"]
        scores = [(self.names[result.name], result[self.metric]) for result in silent]
        return [f"{name} is {score.evidence.reason}" for name, score in scores if score.evidence]


class _OneSystem(_Writer):
    """The verdict on one system, which can only say how close it is."""

    @property
    def outcome(self) -> str:
        """What is known, in a few words."""
        return "one system"

    def _answer(self) -> Iterator[str]:
        (result,) = self.results
        score = result[self.metric]
        if score.value is None:
            yield f"Word order: {self._not_scored()[0]}"
            return
        interval = ""
        if score.lower is not None and score.upper is not None:
            interval = f" (interval {100 * score.lower:.1f} to {100 * score.upper:.1f})"
        yield (
            f"Word order: {self.names[result.name]} is at {100 * score.value:.1f}{interval}; 100 "
            "is the order of the reference."
        )
        if score.matched is not None:
            share = percentage(score.matched)
            yield f"It is computed from the {share} of its words that are in the reference."


class _TwoSystems(_Writer):
    """The verdict on two systems."""

    @property
    def difference(self) -> Difference:
        """The difference of the two systems."""
        (difference,) = self._differences()
        return difference

    @property
    def outcome(self) -> str:
        """What is known of the first system against the second."""
        return self.difference.outcome

    def figures(self) -> dict[str, Any]:
        """Return what the sentences say, with the difference."""
        d = self.difference
        keys = ("a", "b", "difference", "lower", "upper", "p", "anchors", "anchored", "better")
        values = {key: getattr(d, key) for key in keys}
        return {**super().figures(), **values, "reliable_difference": self._reliable_difference()}

    def _answer(self) -> Iterator[str]:
        assert self.comparison is not None
        d = self.difference
        a, b = (self.names[name] for name in (d.a, d.b))
        cannot_tell = f"Word order: it cannot be told whether {a} or {b} is {TO_REFERENCE}."
        if d.outcome == NOT_SCORED:
            yield cannot_tell
            yield from self._not_scored()
        elif d.outcome == TOO_FEW:
            yield cannot_tell
            yield (
                f"Only {count_noun(d.anchors or 0, 'word')}, {percentage(d.anchored or 0)} of the "
                "reference's, occur exactly once in both systems and the reference: at least "
                f"{LEAST_ANCHORS} words and {percentage(LEAST_ANCHORED_SHARE)} are needed."
            )
        elif not self.comparison.can_be_significant:
            yield f"{cannot_tell} {_sentence(str(self.comparison.warnings[-1]))}"
        elif d.better is None:
            yield f"Word order: no certain difference between {a} and {b}."
            yield from self._size(f"{a} minus {b} is")
        else:
            other = d.b if d.better == d.a else d.a
            yield f"Word order: {self.names[d.better]} is {TO_REFERENCE} than {self.names[other]}."
            yield from self._size("it keeps more neighbours:")

    def _size(self, statement: str) -> Iterator[str]:
        """Yield how large the difference is, and from how many words that is known."""
        d = self.difference
        assert d.difference is not None
        sign = -1 if d.better == d.b else 1
        size = f"{signed(sign * d.difference)} points"
        details = [f"p {p_value(d.p)}"]
        if d.lower is not None and d.upper is not None:
            low, high = sorted((sign * d.lower, sign * d.upper))
            assert self.comparison is not None
            level = f"{100 * self.comparison.sampling.level:.10g} % interval"
            details.insert(0, f"{level} {signed(low)} to {signed(high)}")
        yield (
            f"By the {count_noun(d.anchors or 0, 'word')} that both systems and the reference have "
            f"exactly once, {statement} {size} ({', '.join(details)})."
        )
        reliable = self._reliable_difference()
        if d.better is None and reliable:  # zero if no segment differs
            yield (
                f"With so many segments, a difference of {100 * reliable:.1f} points would be "
                "found reliably."
            )

    def _reliable_difference(self) -> float | None:
        """Return how large a difference has to be to be found in four of five samples."""
        error = self.difference.standard_error
        return None if error is None else RELIABLE_ERRORS * error

    def _other_opinion(self) -> str:
        assert self.comparison is not None
        if OTHER_OPINION not in self.comparison.metrics or not self.difference.better:
            return ""
        (other,) = self.comparison.differences_by(OTHER_OPINION)
        if other.better is None:
            return "By chrF, no difference is certain. "
        if other.better == self.difference.better:
            return f"By chrF, {self.names[other.better]} is ahead as well. "
        return f"By chrF, {self.names[other.better]} is ahead{self._why(other.better)}. "

    def _why(self, ahead: str) -> str:
        """Return why a metric over words points the other way, if that is why."""
        matched = {result.name: result[self.metric].matched or 0 for result in self.results}
        has_more = matched[ahead] > min(matched.values())
        return ": it has more of the reference's words" if has_more else ""


class _ManySystems(_Writer):
    """The verdict on three or more systems."""

    def _answer(self) -> Iterator[str]:
        assert self.comparison is not None
        scored, baseline = self._scored(), self.comparison.baseline
        if len(scored) < 2:
            which = f"only {self.names[scored[0]]}" if scored else "no system"
            yield f"{NOTHING}, since {which} is scored."
        elif not self.comparison.can_be_significant:
            yield f"{NOTHING}. {_sentence(str(self.comparison.warnings[-1]))}"
        elif baseline is None:
            yield from self._ranking()
        elif baseline in scored:
            yield from self._beside_baseline(baseline)
        else:
            yield f"{NOTHING}, since the baseline is not scored."
        yield from self._unknown()

    def _ranking(self) -> Iterator[str]:
        assert self.comparison is not None
        clusters: dict[int, list[str]] = {}
        for rank in self.comparison.ranking(self.metric):
            if rank.cluster is not None:
                clusters.setdefault(rank.cluster, []).append(rank.system)
        first, *others = clusters.values()
        pairs = [d for d in self._differences() if d.outcome != NOT_SCORED]
        certain = [d for d in pairs if d.better]
        if others:
            verb, follower = "is" if len(first) == 1 else "are", self.names[others[0][0]]
            closest = f"{self._list(first)} {verb} {TO_REFERENCE} than the next, {follower}"
            yield f"Word order: {closest}; the systems form {len(clusters)} clusters."
        elif certain:
            share = f"{len(certain)} of {count_noun(len(pairs), 'difference')}"
            yield f"Word order: the systems form one cluster; {share} {self._certainty()}."
        else:
            which = f"any two of the {len(first)} systems"
            if any(d.outcome == TOO_FEW for d in pairs):
                which = "any two that can be compared"
            yield f"Word order: no certain difference between {which}."
        *before, last = [*first, *chain(*others)]
        closer = sum(last in (d.a, d.b) and d.better != last for d in certain)
        if closer and len(before) > 1:
            how_many = f"{closer} of" if closer < len(before) else "all of"
            others_closer = f"{how_many} the {len(before)} others are {TO_REFERENCE}"
            yield f"Last is {self.names[last]}: {others_closer}."

    def _certainty(self) -> str:
        """Return what it means that differences are certain, in words behind their number."""
        assert self.comparison is not None
        is_corrected = self.comparison.corrected > 1
        return "are certain" if is_corrected else "are significant, without a correction"

    def _beside_baseline(self, baseline: str) -> Iterator[str]:
        groups: dict[str, list[str]] = {}
        for d in self._differences():
            groups.setdefault(d.outcome, []).append(d.a)
        yield f"Word order, compared with {self.names[baseline]}, the baseline:"
        words = {CLOSER: TO_REFERENCE, FARTHER: "farther from it", NONE_CERTAIN: NONE_CERTAIN}
        for outcome, meaning in words.items():
            if outcome in groups:
                yield f"{meaning}: {self._list(groups[outcome])}."

    def _unknown(self) -> Iterator[str]:
        """Yield what is not scored, and which pairs have too little in common."""
        yield from list(self._not_scored())[:MAX_NAMES]
        too_few = sum(d.outcome == TOO_FEW for d in self._differences())
        if too_few:
            yield f"{count_noun(too_few, 'pair')} cannot be compared: {TOO_FEW}."

    def _other_opinion(self) -> str:
        assert self.comparison is not None
        if OTHER_OPINION not in self.comparison.metrics:
            return ""
        (best, value), (_, second), *_ = self.comparison.scores(OTHER_OPINION).items()
        return (
            f"By chrF, {self.names[best]} has the highest value. "
            if value.value != second.value
            else ""
        )


def moves_sentence(counts: MoveCounts) -> str:
    """Return in how many segments words have to move, and which kind of move is most frequent."""
    if not counts.linked:
        return "no word has a link, so that nothing is known of moves"
    segments = count_noun(counts.segments, "segment")
    if not counts.reordered:
        return f"no word with a link has to move in {segments}"
    segments = f"words have to move in {counts.reordered:,} of {segments}"
    frequent = counts.most_frequent
    if frequent is None or counts.moves < FEW_MOVES:
        return segments
    return f"{segments}, most often {describe_kind(frequent)}"


def describe_kind(frequent: FrequentMove) -> str:
    """Return a kind of move, with its typical distance."""
    what = "single words" if frequent.kind.is_single else "several words together"
    side = "late" if frequent.kind.before else "early"
    return f"{what}, {count_noun(frequent.distance, 'place')} too {side}"


def percentage(share: float) -> str:
    """Return a percentage that says neither none nor all if that is not true.

    >>> percentage(0.004), percentage(0.666), percentage(0.999), percentage(1)
    ('less than 1 %', '67 %', 'more than 99 %', '100 %')
    """
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{round(100 * share)} %"


def signed(value: float) -> str:
    """Return a difference in points with its sign.

    >>> signed(0.0346), signed(-0.002), signed(-0.00001)
    ('+3.5', '−0.2', '0.0')
    """
    text = f"{100 * value:+.1f}"
    return text.replace("-", "−") if float(text) else text[1:]


def p_value(p: float | None) -> str:
    """Return a p-value behind the sign that fits.

    >>> p_value(0.0321), p_value(0.0001)
    ('= 0.032', '< 0.001')
    """
    return f"= {p:.3f}" if p is None or p >= 0.0005 else "< 0.001"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
