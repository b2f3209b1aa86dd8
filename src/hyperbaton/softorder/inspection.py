"""Where the order of one translation is wrong, by soft order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hyperbaton import _core
from hyperbaton.softorder.adjacency import soft_adjacency, step_losses
from hyperbaton.softorder.order import Floats, SoftLinks
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
    """What soft order sees in one translation.

    Attributes
    ----------
    hypothesis_words, reference_words : tuple of str
        The words that are compared.
    adjacency : float
        A: how far neighbours stay neighbours.
    precedence : float or None
        B: how far neighbours stand the right way round. None if pairs of words were not counted.
    order : float
        A·B, or A without B.
    steps, reference_steps : tuple of BrokenStep
        The broken steps of the translation, and of the reference.
    pairs : tuple of ReversedPair
        The pairs of neighbours that go the wrong way round.
    counted_in : str or None
        What pairs were counted in: the number of lines and a digest, as in signatures.
    """

    hypothesis_words: tuple[str, ...]
    reference_words: tuple[str, ...]
    adjacency: float
    precedence: float | None
    order: float
    steps: tuple[BrokenStep, ...]
    reference_steps: tuple[BrokenStep, ...]
    pairs: tuple[ReversedPair, ...]
    counted_in: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the view as a dictionary for JSON."""
        return {
            "adjacency": self.adjacency,
            "precedence": self.precedence,
            "order": self.order,
            "steps": [vars(step) for step in self.steps],
            "reference_steps": [vars(step) for step in self.reference_steps],
            "pairs": [vars(pair) for pair in self.pairs],
            "counted_in": self.counted_in,
        }


def inspect_order(
    hypothesis: str,
    reference: str,
    text: Tokenization,
    links: SoftLinks,
    model: PrecedenceModel | None,
) -> SoftOrderView:
    """Return what soft order sees in one translation."""
    table = WordTable(text)
    hyp, ref = (
        table.number_lines(_core.Lines.from_strings([line]), 1) for line in (hypothesis, reference)
    )
    adjacency = float(soft_adjacency(hyp, ref, links, 1)[0])
    precedence = None if model is None else float(model.values(hyp, ref, 1)[0])
    breaks = find_breaks(hyp, ref, links, model)
    (hyp_words,), (ref_words,) = hyp.strings(), ref.strings()
    return SoftOrderView(
        tuple(hyp_words),
        tuple(ref_words),
        adjacency,
        precedence,
        adjacency if precedence is None else adjacency * precedence,
        *breaks,
        None if model is None else model.label,
    )


def find_breaks(
    hyp: Words, ref: Words, links: SoftLinks, model: PrecedenceModel | None
) -> tuple[tuple[BrokenStep, ...], tuple[BrokenStep, ...], tuple[ReversedPair, ...]]:
    """Return the broken steps of one translation and of its reference, and the reversed pairs.

    Equal sides have none, by rule, and neither has a side without words.
    """
    empty = not len(hyp.numbers) or not len(ref.numbers)
    if empty or np.array_equal(hyp.numbers, ref.numbers):
        return (), (), ()
    steps, reference_steps = map(_broken_steps, step_losses(hyp, ref, links))
    losses = [] if model is None else model.losses(hyp, ref).tolist()
    pairs = tuple(ReversedPair(k, k + 1, loss) for k, loss in enumerate(losses) if loss > 0)
    return steps, reference_steps, pairs


def _broken_steps(losses: Floats) -> tuple[BrokenStep, ...]:
    return tuple(BrokenStep(k - 1, k, loss) for k, loss in enumerate(losses.tolist()) if loss > 0)
