"""The sentences of a verdict on word order, which follow from its figures alone.

They say "closer to the order of the reference", never "better": a second human translation has more
moves than most systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hyperbaton.files.lines import printable
from hyperbaton.softorder.evidence import LEAST_ANCHORED_SHARE, LEAST_ANCHORS
from hyperbaton.text.display import isolated
from hyperbaton.text.plurals import count_noun

# Outcomes of comparisons.
CLOSER, FARTHER = "closer", "farther"
NONE_CERTAIN, TOO_FEW = "no certain difference", "too few words in common"
NOT_SCORED = "not scored"
# Other outcomes of verdicts.
ONE_SYSTEM, TOO_SMALL = "one system", "too few segments or samples"
NO_ORDER = "word order was not compared"
OTHER_OPINION = "chrf"  # the metric that agrees, or points the other way
NOT_WRONG = "Another order is not always a wrong one."
TO_REFERENCE = "closer to the order of the reference"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True)
class Verdict:
    """What is known of the word order of some systems.

    Attributes
    ----------
    outcome : str
        "closer" if a system is certainly closer to the order of the reference than another;
        otherwise "no certain difference", "too few words in common", "too few segments or samples",
        "not scored", "one system", or "word order was not compared".
    figures : mapping of str to value
        What the sentences say, for programs.
    """

    outcome: str
    figures: Mapping[str, Any]

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The verdict in words, the answer first."""
        return tuple(SentenceWriter(self.outcome, self.figures).sentences())

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict for JSON."""
        return {
            "outcome": self.outcome,
            "sentences": list(self.sentences),
            "figures": dict(self.figures),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Verdict:
        """Return a verdict that was read from JSON."""
        return cls(data["outcome"], data["figures"])

    def __str__(self) -> str:
        return "\n".join(self.sentences)


@dataclass(frozen=True)
class SentenceWriter:
    """Writes the sentences of a verdict, from its figures alone."""

    outcome: str
    figures: Mapping[str, Any]

    def sentences(self) -> Iterator[str]:
        """Yield the sentences, the answer first."""
        if self.outcome == NO_ORDER:
            yield from self._without_order()
            return
        yield from self._answer()
        yield from self._unknown()
        for name, system in self.figures.get("systems", {}).items():
            if "with_moves" in system and name not in self.figures["not_scored"]:
                yield f"{self._name(name)}: {moves_sentence(system, self.figures['segments'])}"
        if self.figures["not_scored_count"] < self.figures["count"]:
            yield f"{self._other_opinion()}{NOT_WRONG}"

    def _answer(self) -> Iterator[str]:
        figures = self.figures
        if self.outcome == ONE_SYSTEM:
            yield from self._one_system()
        elif self.outcome == TOO_SMALL:
            yield f"Word order: {self._cannot_tell()}: {figures['warning']}."
        elif self.outcome in (NOT_SCORED, TOO_FEW):
            yield f"Word order: {self._cannot_tell()}."
        elif "a" in figures:
            yield from self._difference()
        elif figures["baseline"] is None:
            yield from self._ranking()
        else:
            yield from self._beside_baseline()
        if self.outcome in (CLOSER, NONE_CERTAIN) and figures["warning"]:
            yield _sentence(figures["warning"])

    def _cannot_tell(self) -> str:
        figures = self.figures
        if "a" in figures:
            pair = f"{self._name(figures['a'])} or {self._name(figures['b'])}"
            return f"it cannot be told whether {pair} is {TO_REFERENCE}"
        if not figures.get("baseline_scored", True):
            return "nothing can be told, since the baseline is not scored"
        return f"it cannot be told which system is {TO_REFERENCE}"

    def _one_system(self) -> Iterator[str]:
        ((name, system),) = self.figures["systems"].items()
        if name in self.figures["not_scored"]:
            return
        interval = ""
        if "lower" in system:
            interval = f" (interval {100 * system['lower']:.1f} to {100 * system['upper']:.1f})"
        yield (
            f"Word order: {self._name(name)} is at {100 * system['value']:.1f}{interval}; 100 is "
            "the order of the reference."
        )
        share = percentage(system["matched"])
        yield f"It is known of the {share} of its words that are in the reference."

    def _difference(self) -> Iterator[str]:
        figures = self.figures
        a, b = (self._name(figures[key]) for key in "ab")
        words = (
            f"Of {count_noun(figures['shared_words'], 'word')} that both systems and the reference "
            "have exactly once"
        )
        points = 100 * figures["difference"]
        details = f"p {p_value(figures['p'])}"
        if figures["lower"] is not None:
            interval = f"{signed(figures['lower'])} to {signed(figures['upper'])}"
            details = f"{100 * figures['level']:.10g} % interval {interval}, {details}"
        if self.outcome == CLOSER:
            yield f"Word order: {a} is {TO_REFERENCE} than {b}."
            keeps = "it keeps more beside their neighbours"
            yield f"{words}, {keeps}: +{points:.1f} points ({details})."
            return
        yield f"Word order: no certain difference between {a} and {b}."
        keeps = f"{a} keeps {points:.1f} points more beside their neighbours"
        if not figures["difference"]:
            keeps = "both keep as many beside their neighbours"
        yield f"{words}, {keeps} ({details})."
        if figures["reliable_difference"]:
            reliable = f"{100 * figures['reliable_difference']:.1f} points"
            segments = count_noun(figures["segments"], "segment")
            yield f"With {segments}, a difference of {reliable} would be found reliably."

    def _ranking(self) -> Iterator[str]:
        figures = self.figures
        first, scored = figures["first_count"], figures["count"] - figures["not_scored_count"]
        if figures["next"] is not None:
            verb, follower = "is" if first == 1 else "are", self._name(figures["next"])
            closest = f"{self._list(figures['first'], first)} {verb} {TO_REFERENCE}"
            clusters = f"the systems form {figures['clusters']} clusters"
            yield f"Word order: {closest} than the next, {follower}; {clusters}."
        elif figures["certain"]:
            pairs = count_noun(figures["pairs"], "difference")
            certain = f"{figures['certain']} of {pairs} {self._certainty()}"
            yield f"Word order: the systems form one cluster; {certain}."
        else:
            which = f"any two of the {scored} systems"
            if figures["too_few_pairs"]:
                which = "any two that can be compared"
            yield f"Word order: no certain difference between {which}."
        closer, others = figures["closer_than_last"], scored - 1
        if closer and others > 1:
            how_many = f"{closer} of the {others}" if closer < others else f"all {others}"
            how_many = "both" if closer == others == 2 else how_many
            verb = "is" if closer == 1 else "are"
            yield f"Last is {self._name(figures['last'])}: {how_many} others {verb} {TO_REFERENCE}."

    def _certainty(self) -> str:
        """Return what it means that differences are certain, in words behind their number."""
        corrected = self.figures["corrected"]
        return "are certain" if corrected else "are significant, without a correction"

    def _beside_baseline(self) -> Iterator[str]:
        baseline = self._name(self.figures["baseline"])
        yield f"Word order, compared with {baseline}, the baseline:"
        words = {CLOSER: TO_REFERENCE, FARTHER: "farther from it", NONE_CERTAIN: NONE_CERTAIN}
        for outcome, meaning in words.items():
            if group := self.figures["beside_baseline"].get(outcome):
                yield f"{meaning}: {self._list(group['names'], group['count'])}."

    def _unknown(self) -> Iterator[str]:
        """Yield which systems are not scored, and which have too little in common."""
        figures = self.figures
        silent = self._list(figures["not_scored"], figures["not_scored_count"])
        if "shortage" in figures:
            subject = "Word order: " if self.outcome == ONE_SYSTEM else ""
            yield f"{subject}{silent} is not scored: {figures['shortage']}"
        elif silent:
            few = "too few of their words are in the reference. Are the lines shifted?"
            yield f"{silent} are not scored: {few}"
        if "a" in figures and self.outcome == TOO_FEW:
            words = count_noun(figures["shared_words"] or 0, "word")
            share = percentage(figures["shared_share"] or 0)
            needed = f"{LEAST_ANCHORS} words and {percentage(LEAST_ANCHORED_SHARE)}"
            yield (
                f"Only {words}, {share} of the reference's, occur exactly once in both and in the "
                f"reference: at least {needed} are needed."
            )
        elif figures.get("too_few_pairs") and self.outcome != TOO_SMALL:
            pairs = count_noun(figures["too_few_pairs"], "pair")
            yield f"{pairs} cannot be compared: {TOO_FEW}."

    def _other_opinion(self) -> str:
        opinion = self.figures.get(OTHER_OPINION)
        if opinion is None or self.outcome not in (CLOSER, NONE_CERTAIN):
            return ""
        ahead, is_pair = opinion["ahead"], "a" in self.figures
        if ahead is None:
            return "By chrF no difference is certain. " if is_pair else ""
        verb = "is ahead" if is_pair else "has the highest value"
        why = ""
        if self.outcome == CLOSER and opinion["agrees"]:
            why = " as well"
        elif self.outcome == CLOSER and opinion["has_more_words"]:
            why = ": it has more of the reference's words"
        return f"By chrF {self._name(ahead)} {verb}{why}. "

    def _without_order(self) -> Iterator[str]:
        figures = self.figures
        metric = printable(figures["metric"])
        if "pairs" in figures and not figures["pairs"]:
            few = "too few of their words are matched"
            yield f"By {metric} no two systems can be compared: {few}."
        elif "pairs" in figures:
            if "better" in figures:
                better, worse = (self._name(figures[key]) for key in ("better", "worse"))
                than = f"significantly better than {worse} (p {p_value(figures['p'])})"
                yield f"By {metric} {better} is {than}."
            elif figures["certain"]:
                pairs = f"{figures['certain']} of {figures['pairs']} pairs"
                yield f"By {metric} {pairs} of systems differ significantly."
            elif not figures["warning"]:
                yield f"By {metric} no difference is certain."
            if figures["warning"]:
                yield _sentence(figures["warning"])
        yield "There is no verdict on word order: it needs the metric order."

    def _name(self, system: str) -> str:
        return isolated(self.figures["shown_names"].get(system, system))

    def _list(self, systems: Sequence[str], count: int) -> str:
        """Return some names, or the first and the number of others."""
        names = list(map(self._name, systems))
        if count > len(names):
            return f"{names[0]} and {count - 1} others"
        return f"{', '.join(names[:-1])} and {names[-1]}" if count > 1 else "".join(names)


def moves_sentence(system: Mapping[str, Any], segments: int) -> str:
    """Return in how many segments words have to move, and which kind of move is most frequent."""
    count, mostly = system["with_moves"], system.get("mostly")
    if count is None:
        return "no word has a link, so that nothing is known of moves"
    if not count:
        return f"no word with a link has to move in {count_noun(segments, 'segment')}"
    sentence = f"words have to move in {count:,} of {count_noun(segments, 'segment')}"
    if mostly is None:
        return sentence
    words = "one word" if mostly["words"] == "one" else "several words"
    places = count_noun(mostly["places"], "place")
    if mostly["places"] < len(NUMBERS):
        places = f"{NUMBERS[mostly['places']]} {places.partition(' ')[2]}"
    return f"{sentence}, most often {words} too {mostly['too']}, typically by {places}"


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


def signed(value: float, plus: str = "") -> str:
    """Return a difference in points with its sign.

    >>> signed(0.0346), signed(0.0346, "+"), signed(-0.002), signed(-0.00001)
    ('3.5', '+3.5', '−0.2', '0.0')
    """
    text = f"{abs(100 * value):.1f}"
    if not float(text):
        return text
    return f"{plus if value > 0 else '−'}{text}"


def p_value(p: float | None) -> str:
    """Return a p-value behind the sign that fits.

    >>> p_value(0.0321), p_value(0.0001)
    ('= 0.032', '< 0.001')
    """
    return f"= {p:.3f}" if p is None or p >= 0.0005 else "< 0.001"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
