"""The texts of results with their links, as reports and verdicts see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.errors import InputError
from hyperbaton.metrics.alignment_metrics import first_linking
from hyperbaton.metrics.batches import Batch, found_links_key
from hyperbaton.metrics.texts import ReferenceTexts
from hyperbaton.order.moves import BlockMoves, find_moves
from hyperbaton.runs.results import Result
from hyperbaton.runs.stored_batches import StoredBatch
from hyperbaton.text.token_data import TokenNumbers
from hyperbaton.text.tokenization import Tokenization, is_punctuation

Ints = npt.NDArray[np.int64]
PUNCTUATION = TokenNumbers(
    lambda: lambda tokens: np.array([is_punctuation(token) for token in tokens], np.int32)
)


@dataclass(frozen=True, eq=False)
class LinkedBatch:
    """A batch of segments, each with the reference that most of its words are aligned with.

    Attributes
    ----------
    batch : Batch
        The segments.
    pairs : array of int
        The pair of texts that is shown of each segment.
    links : AlignmentBatch
        The links of these pairs.
    linked, words : array of int
        The number of words with a link, and of all words, on both sides together.
    tokenization : Tokenization
        How the texts became words.
    """

    batch: Batch
    pairs: Ints
    links: AlignmentBatch
    linked: Ints
    words: Ints
    tokenization: Tokenization

    @classmethod
    def from_links(
        cls, batch: Batch, links: AlignmentBatch, tokenization: Tokenization
    ) -> LinkedBatch:
        """Choose the reference of each segment, given the links with all references."""
        pairs = batch.best_covered(links)
        linked, words = batch.coverage(links).astype(np.int64).T
        return cls(batch, pairs, links.select(pairs), linked, words, tokenization)

    def moves(self) -> BlockMoves:
        """Return the moves of each segment."""
        values, offsets = self.links.permutations()
        hyp, _ = self.links.places()
        words, _ = self.batch.words(self.tokenization)
        flags = PUNCTUATION.array(words.table, len(words.table))[words.numbers]
        segment = np.repeat(np.arange(len(self.links)), np.diff(offsets))
        is_punctuation_at = flags[words.offsets[segment] + hyp] != 0
        return find_moves(values, offsets, is_punctuation_at, self.batch.threads)


def linked_batches(
    results: Sequence[Result], threads: int | None = None
) -> Iterator[tuple[ReferenceTexts, list[LinkedBatch]]]:
    """Yield the references of some segments and the batch of each system, then the next segments.

    The links are those of the first metric that aligns words, or of the default aligner if no
    metric does.

    Raises
    ------
    InputError
        If texts were not kept.
    """
    corpora = [_stored_batches(result) for result in results]
    metrics = [score.metric for score in results[0].values()]
    linking = first_linking(metrics)
    aligner = Aligner(metrics[0].resources.language) if linking is None else linking.aligner
    tokenization = shown_tokenization(results[0])
    for stored in zip(*corpora, strict=True):
        references = stored[0].open_references()
        batches = []
        for stored_batch in stored:
            batch = stored_batch.open(references, threads)
            links = batch.links(aligner, tokenization) if linking is None else linking.links(batch)
            batches.append(LinkedBatch.from_links(batch, links, tokenization))
        yield references, batches


def shown_tokenization(result: Result) -> Tokenization:
    """Return how the texts of a report become words."""
    metrics = [score.metric for score in result.values()]
    linking = first_linking(metrics)
    if linking is None:
        return Aligner(metrics[0].resources.language).tokenization
    return linking.tokenization


def has_shown_links(result: Result, metric: str) -> bool:
    """Return whether a metric has the links that are shown, or needs none."""
    own = result[metric].metric
    if own.needs.linking is None:
        return True
    shown = first_linking([score.metric for score in result.values()])
    same = first_linking([own])
    if shown is None or same is None:
        return False
    keys = [found_links_key(linking.aligner, linking.tokenization) for linking in (shown, same)]
    return keys[0] == keys[1]


def _stored_batches(result: Result) -> Sequence[StoredBatch]:
    if result.corpus is None:
        raise InputError(
            f"the texts of {result.name} were not kept: score them with keep_texts=True"
        )
    return result.corpus
