"""Where the order of one translation differs from that of its reference, by ``order``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hyperbaton import _core
from hyperbaton.softorder.evidence import Evidence
from hyperbaton.softorder.order import (
    Floats,
    SoftLinks,
    match_words,
    matched_steps,
    order_statistics,
    order_values,
)
from hyperbaton.softorder.precedence import PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words, WordTable


@dataclass(frozen=True)
class BrokenStep:
    """A step from one word to the next that the other side does not take.

    Attributes
    ----------
    left, right : int
        The two words, from 0. The step from the begin of the sentence has left = −1; that to its
        end has right = the number of words.
    loss : float
        How far it is broken, above 0 and up to 1.
    """

    left: int
    right: int
    loss: float


@dataclass(frozen=True)
class ReversedPair:
    """Two neighbours of the translation that would stand better the other way round.

    Attributes
    ----------
    left, right : int
        The two words, from 0.
    loss : float
        How much better, above 0 and up to 1.
    """

    left: int
    right: int
    loss: float


@dataclass(frozen=True)
class SoftOrderView:
    """What ``order`` sees in one translation.

    Attributes
    ----------
    hypothesis_words, reference_words : tuple of str
        The words that are compared.
    lost, matched, distinguishable : float
        X, M and N, as the metric has them.
    steps, reference_steps : tuple of BrokenStep
        The broken steps of the translation, and of the reference.
    pairs : tuple of ReversedPair
        The pairs of neighbours that go the wrong way round.
    strengths : tuple of float
        How strongly each word of the translation is marked, from 0 to 1: by its broken steps, as
        far as the word is matched, and by the pairs that go the wrong way round.
    reference_strengths : tuple of float
        The same for each word of the reference, by its broken steps alone.
    counted_in : str, optional
        What pairs were counted in: the number of lines and a digest, as in signatures. None if they
        were not counted.
    characters : bool
        Whether the words are single characters.
    """

    hypothesis_words: tuple[str, ...]
    reference_words: tuple[str, ...]
    lost: float
    matched: float
    distinguishable: float
    steps: tuple[BrokenStep, ...] = ()
    reference_steps: tuple[BrokenStep, ...] = ()
    pairs: tuple[ReversedPair, ...] = ()
    strengths: tuple[float, ...] = ()
    reference_strengths: tuple[float, ...] = ()
    counted_in: str | None = None
    characters: bool = False

    @property
    def evidence(self) -> Evidence:
        """How much of the translation is matched."""
        return Evidence(self.matched, self.distinguishable, self.characters)

    @property
    def order(self) -> float:
        """1 − X/M, however little is matched; 1 if M is 0."""
        return float(order_values(np.array(self.lost), np.array(self.matched)))

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a dictionary for JSON."""
        return {
            "order": self.order,
            "lost": self.lost,
            "matched": self.matched,
            "distinguishable": self.distinguishable,
            "steps": [vars(step) for step in self.steps],
            "reference_steps": [vars(step) for step in self.reference_steps],
            "pairs": [vars(pair) for pair in self.pairs],
            "strengths": list(self.strengths),
            "reference_strengths": list(self.reference_strengths),
            "counted_in": self.counted_in,
        }


class Breaks(NamedTuple):
    """Where one translation has other neighbours than its reference, as in a view."""

    steps: tuple[BrokenStep, ...]
    reference_steps: tuple[BrokenStep, ...]
    pairs: tuple[ReversedPair, ...]
    strengths: tuple[float, ...]
    reference_strengths: tuple[float, ...]


def inspect_order(
    hypothesis: str,
    reference: str,
    text: Tokenization,
    links: SoftLinks,
    model: PrecedenceModel | None,
) -> SoftOrderView:
    """Return what ``order`` sees in one translation."""
    table = WordTable(text)
    hyp, ref = (
        table.number_lines(_core.Lines.from_strings([line]), 1) for line in (hypothesis, reference)
    )
    neighbours = None if model is None else model.values(hyp, ref, 1)
    ((lost, matched, distinguishable),) = order_statistics(
        match_words(hyp, ref, links, 1), neighbours
    ).tolist()
    breaks = find_breaks(hyp, ref, links, model)
    (hyp_words,), (ref_words,) = hyp.strings(), ref.strings()
    return SoftOrderView(
        tuple(hyp_words),
        tuple(ref_words),
        lost,
        matched,
        distinguishable,
        *breaks,
        None if model is None else model.label,
        text.splits_characters,
    )


def find_breaks(hyp: Words, ref: Words, links: SoftLinks, model: PrecedenceModel | None) -> Breaks:
    """Return where one translation has other neighbours than its reference.

    Equal sides have no breaks, by rule, and neither has a side without words.
    """
    empty = not len(hyp.numbers) or not len(ref.numbers)
    if empty or np.array_equal(hyp.numbers, ref.numbers):
        return Breaks((), (), (), *((0.0,) * len(side.numbers) for side in (hyp, ref)))
    found = matched_steps(hyp, ref, links)
    losses = np.zeros(len(hyp.numbers) - 1) if model is None else model.losses(hyp, ref)
    return Breaks(
        _broken_steps(found.hyp_losses),
        _broken_steps(found.ref_losses),
        tuple(ReversedPair(k, k + 1, loss) for k, loss in enumerate(losses.tolist()) if loss > 0),
        tuple(mark_strengths(found.hyp_matches, found.hyp_losses, losses).tolist()),
        tuple(mark_strengths(found.ref_matches, found.ref_losses).tolist()),
    )


def mark_strengths(
    matches: Floats, step_losses: Floats, pair_losses: Floats | None = None
) -> Floats:
    """Return how strongly each word is marked.

    Parameters
    ----------
    matches : array
        How far each word has counterparts.
    step_losses : array
        The losses of the steps, of which each word has one before it and one behind it.
    pair_losses : array, optional
        What each pair of neighbours would gain if it were swapped; by default nothing.
    """
    gains = np.zeros(len(step_losses))
    if pair_losses is not None:
        gains[1:-1] = pair_losses
    steps = matches * (step_losses[:-1] + step_losses[1:]) / 2
    return np.minimum(1, steps + (gains[:-1] + gains[1:]) / 2)


def _broken_steps(losses: Floats) -> tuple[BrokenStep, ...]:
    return tuple(BrokenStep(k - 1, k, loss) for k, loss in enumerate(losses.tolist()) if loss > 0)
