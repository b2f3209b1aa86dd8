"""The words that segments have in common with their references, by soft links between words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from hyperbaton.metrics.parts import Floats
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch
    from hyperbaton.softorder.order import SoftLinks


def matches(batch: Batch, text: Tokenization, links: SoftLinks, count_lost: bool = True) -> Floats:
    """Return what each pair has in common (see :func:`~hyperbaton.softorder.order.match_words`)."""
    whole = "matches", text, links
    if count_lost or batch.has(whole):
        return batch.memoize(whole, _match, batch, text, links, True)
    return batch.memoize((*whole, "words"), _match, batch, text, links, False)


def _match(batch: Batch, text: Tokenization, links: SoftLinks, count_lost: bool) -> Floats:
    from hyperbaton.softorder.order import match_words  # not every run asks for evidence

    with batch.locate_pairs():
        return match_words(*batch.word_pairs(text), links, thread_count(batch.threads), count_lost)


def evidence_of(text: Tokenization) -> Callable[[Batch], Floats]:
    """Return what counts the matched words and the words of each segment, of these tokens."""
    return functools.partial(_count_evidence, text=text)


def _count_evidence(batch: Batch, text: Tokenization) -> Floats:
    """Return M and N of each segment, with the reference that has the most words in place.

    In sentences that are too long to compare all words, those that both sides have are matched.
    """
    from hyperbaton.softorder.order import SoftLinks, are_comparable, match_words

    hyps, refs = batch.word_pairs(text)
    has_choice = len(hyps.lengths) > len(batch)  # of references, by what is in place
    is_comparable = are_comparable(hyps, refs)
    if is_comparable.all():
        found = matches(batch, text, SoftLinks(), has_choice)
    else:
        shared = batch.overlaps(text).astype(np.float64)
        found = np.stack([shared, shared, (hyps.lengths + refs.lengths) / 2], axis=1)
        short = np.flatnonzero(is_comparable)
        pairs = hyps.take(short), refs.take(short)
        found[short] = match_words(*pairs, SoftLinks(), thread_count(batch.threads), has_choice)
    best: Floats = found[batch.best(found[:, 0]), 1:]
    return best
