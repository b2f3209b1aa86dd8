"""Marks between words where ``order`` sees a break, for drawings, texts and pages.

A gap is the place between two neighbours of a sentence. Gap k lies before word k, so that gap 0 is
the begin of the sentence and the last gap its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.soft_order import SoftOrdering
from hyperbaton.softorder.inspection import BrokenStep, ReversedPair, SoftOrderView
from hyperbaton.text.plurals import count_noun

CLEAR = 0.5  # a loss from here on is clear, a smaller one is weak
# Strengths in tenths from which marks are darker. A word with another neighbour on one side has
# about 0.5, and one with other neighbours on both sides about 1.
SHADES = (3, 6)
MAX_PLACES = 3  # that a sentence names
# What the marks mean.
BREAK_MEANING = "break: not neighbours on the other side"
REVERSED_MEANING = "better the other way round"
SHADE_MEANING = "thicker and clearer: the words beside it count more"


@dataclass(frozen=True)
class GapMark:
    """What ``order`` sees in a gap.

    Attributes
    ----------
    gap : int
        The word after the gap, from 0.
    step, pair : float
        The losses of the step over the gap and of the pair around it; 0 if there is none.
    strength : float
        How strongly the words beside it are marked: the larger strength of the two.
    """

    gap: int
    step: float
    pair: float = 0.0
    strength: float = 0.0

    @property
    def is_reversed(self) -> bool:
        """Whether the mark says that the pair stands the wrong way round, instead of a break."""
        return tenths(self.pair) >= 10 * CLEAR

    @property
    def loss(self) -> float:
        """The loss that the mark shows."""
        return self.pair if self.is_reversed else self.step

    @property
    def shade(self) -> int:
        """In which shade the mark is drawn, from 0 (pale)."""
        return sum(tenths(self.strength) >= bound for bound in SHADES)

    def describe(self, words: Sequence[str]) -> str:
        """Return where the mark is and what it means, for a tooltip.

        >>> GapMark(1, 0.979, 0.6, 0.78).describe(["b", "a"])
        'between “b” and “a”: break 1.0, better the other way round 0.6, strength 0.8'
        """
        losses = (
            ("break", tenths(self.step)),
            (REVERSED_MEANING, tenths(self.pair)),
            ("strength", tenths(self.strength)),
        )
        texts = (f"{name} {loss / 10:.1f}" for name, loss in losses if loss)
        return f"{name_gap(self.gap, words)}: {', '.join(texts)}"


def tenths(loss: float) -> int:
    """Return a loss in tenths, which is how finely marks tell losses apart."""
    return round(10 * loss)


def find_soft_order(metrics: Iterable[Metric]) -> SoftOrdering | None:
    """Return the order without links of the first metric with it, to which the marks belong."""
    parts = (part for metric in metrics for part in metric.parts)
    return next((part for part in parts if isinstance(part, SoftOrdering)), None)


def gap_marks(
    steps: Iterable[BrokenStep],
    pairs: Iterable[ReversedPair] = (),
    strengths: Sequence[float] = (),
) -> tuple[GapMark, ...]:
    """Return the marks of one sentence, from its begin to its end.

    A gap has one mark. A pair that is clearly the wrong way round hides the break, since its words
    are hardly ever neighbours on the other side.

    >>> marks = gap_marks([BrokenStep(0, 1, 0.7)], [ReversedPair(1, 2, 0.9)], [0.3, 0.6, 0.4])
    >>> [(mark.gap, mark.loss, mark.strength) for mark in marks]
    [(1, 0.7, 0.6), (2, 0.9, 0.6)]
    """
    by_step = {step.right: step.loss for step in steps}
    by_pair = {pair.right: pair.loss for pair in pairs}
    marks = (
        GapMark(
            gap,
            by_step.get(gap, 0.0),
            by_pair.get(gap, 0.0),
            max(strengths[max(gap - 1, 0) : gap + 1], default=0.0),
        )
        for gap in sorted({*by_step, *by_pair})
    )
    return tuple(mark for mark in marks if tenths(mark.loss))


def sentence_marks(view: SoftOrderView) -> tuple[tuple[GapMark, ...], tuple[GapMark, ...]]:
    """Return the marks of the translation and of the reference."""
    return (
        gap_marks(view.steps, view.pairs, view.strengths),
        gap_marks(view.reference_steps, strengths=view.reference_strengths),
    )


def name_gap(
    gap: int, words: Sequence[str], quote: Callable[[str], str] = lambda word: f"“{word}”"
) -> str:
    """Return where a gap is.

    >>> [name_gap(gap, ["we", "meet"]) for gap in range(3)]
    ['before “we”', 'between “we” and “meet”', 'after “meet”']
    """
    if gap == 0:
        return f"before {quote(words[0])}"
    if gap == len(words):
        return f"after {quote(words[-1])}"
    return f"between {quote(words[gap - 1])} and {quote(words[gap])}"


def describe_worst(
    marks: Sequence[GapMark], words: Sequence[str], quote: Callable[[str], str]
) -> Iterator[str]:
    """Yield sentences that name the strongest breaks and reversed pairs of the translation."""
    breaks = [mark for mark in marks if mark.step >= CLEAR]
    if breaks:
        count = f" in {len(breaks)} places, most clearly" if len(breaks) > MAX_PLACES else ""
        places = (name_gap(mark.gap, words, quote) for mark in _strongest(breaks, lambda m: m.step))
        yield f"The order breaks{count} {'; '.join(places)}."
    pairs = _strongest([mark for mark in marks if mark.is_reversed], lambda m: m.pair)
    if pairs:
        texts = (f"{quote(words[m.gap - 1])} and {quote(words[m.gap])}" for m in pairs)
        yield f"Better the other way round: {'; '.join(texts)}."


def summarize(view: SoftOrderView) -> str:
    """Return the value of order × 100, or why it has none, and where pairs of words were counted.

    >>> statistics = {"lost": 1.0, "matched": 4.0, "distinguishable": 5.0}
    >>> summarize(SoftOrderView(("a",), ("b",), **statistics))
    'order 75.0 (pairs of words were not counted)'
    """
    if not view.evidence.is_scored:
        return view.evidence.reason
    if view.counted_in is None:
        return f"order {100 * view.order:.1f} (pairs of words were not counted)"
    lines = count_noun(int(view.counted_in.partition("-")[0]), "line")
    return f"order {100 * view.order:.1f} (pairs of words counted in {lines})"


def _strongest(marks: Sequence[GapMark], loss: Callable[[GapMark], float]) -> list[GapMark]:
    """Return the strongest marks, the strongest one first; of equal ones, the larger losses."""
    return sorted(marks, key=lambda m: (-tenths(m.strength), -tenths(loss(m))))[:MAX_PLACES]
