"""What soft order sees in the segments of a report, encoded as text for its page.

A report can have many thousands of segments, so a mark takes one character and not a number.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.explanations.order_marks import find_soft_order, tenths
from hyperbaton.metrics.batches import Batch, Ints
from hyperbaton.metrics.metric import Metric
from hyperbaton.softorder.adjacency import MOST_CELLS, SoftLinks
from hyperbaton.softorder.inspection import BrokenStep, ReversedPair, find_breaks
from hyperbaton.softorder.precedence import PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words

DIGITS = "0123456789X"
LETTERS = string.ascii_lowercase


class SoftOrderSettings(NamedTuple):
    """The tokens, the options and the counts of pairs of words of soft order."""

    tokenization: Tokenization
    links: SoftLinks
    model: PrecedenceModel | None

    @classmethod
    def of_metrics(cls, metrics: Iterable[Metric], shown: Tokenization) -> SoftOrderSettings:
        """Return those of the first metric with soft order in it.

        If there is none, they are the defaults, with the tokens that are shown and without counts.
        """
        order = find_soft_order(metrics)
        if order is None:
            return cls(shown, SoftLinks(), None)
        return cls(order.tokenization, order.soft_links, order.model)


def encode_marks(
    batch: Batch, pairs: Ints, shown: AlignmentBatch, settings: SoftOrderSettings
) -> Iterator[str]:
    """Yield the marks of each segment.

    They are the losses of the steps of the translation, of the steps of the reference and of the
    pairs of neighbours (see :func:`encode_losses`), with / between them. A segment has none if the
    words that soft order compares are not those that are shown, or if it is too long.

    Parameters
    ----------
    batch : Batch
        The segments.
    pairs : array of int
        The pair of texts that is shown of each segment.
    shown : AlignmentBatch
        The links that are shown of each segment, with the number of words.
    settings : SoftOrderSettings
        How soft order compares the words.
    """
    hyps, refs = (words.take(pairs) for words in batch.word_pairs(settings.tokenization))
    drawable = (
        (hyps.lengths == shown.hyp_lengths)
        & (refs.lengths == shown.ref_lengths)
        & (hyps.lengths * refs.lengths <= MOST_CELLS)
    )
    for is_drawable, hyp, ref in zip(
        drawable.tolist(), _sentences(hyps), _sentences(refs), strict=True
    ):
        if not is_drawable:
            yield ""
            continue
        breaks = find_breaks(hyp, ref, settings.links, settings.model)
        yield "/".join(encode_losses(losses) for losses in breaks).rstrip("/")


def _sentences(words: Words) -> Iterator[Words]:
    """Yield the sentences one by one. Slices are much faster than ``Words.take`` for each."""
    for begin, end in pairwise(words.offsets.tolist()):
        yield Words(words.table, words.numbers[begin:end], np.array([0, end - begin]))


def encode_losses(losses: Iterable[BrokenStep | ReversedPair]) -> str:
    """Return the losses of a sentence as text, from its begin to its end.

    A digit is the loss of a gap in tenths, and X is a loss of 1. A letter stands for gaps without a
    loss: a for one, b for two, up to z for 26. Those at the end are left out.

    >>> encode_losses([BrokenStep(-1, 0, 0.76), BrokenStep(0, 1, 0.04), BrokenStep(2, 3, 0.98)])
    '8bX'
    """
    code, gap = "", 0
    for item in losses:
        loss = tenths(item.loss)
        if loss:
            full_runs, rest = divmod(item.right - gap, len(LETTERS))
            code += LETTERS[-1] * full_runs + LETTERS[rest - 1] * (rest > 0) + DIGITS[loss]
            gap = item.right + 1
    return code
