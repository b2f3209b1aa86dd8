"""Batches of segments with the links that reports and verdicts show, and their moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.metrics.batches import Batch
from hyperbaton.order.moves import BlockMoves, find_moves
from hyperbaton.text.tokenization import Tokenization, is_punctuation
from hyperbaton.text.words import TokenNumbers

Ints = npt.NDArray[np.int64]
PUNCTUATION = TokenNumbers(
    lambda: lambda tokens: np.array([is_punctuation(token) for token in tokens], np.int32)
)


class FoundMoves(NamedTuple):
    """The moves of a batch, and the numbers of words with a link and of all words."""

    moves: BlockMoves
    linked: int
    words: int


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
    known_moves : BlockMoves, optional
        The moves, if they were found before.
    """

    batch: Batch
    pairs: Ints
    links: AlignmentBatch
    linked: Ints
    words: Ints
    tokenization: Tokenization
    known_moves: BlockMoves | None = None

    @classmethod
    def from_links(
        cls,
        batch: Batch,
        links: AlignmentBatch,
        tokenization: Tokenization,
        found: FoundMoves | None = None,
    ) -> LinkedBatch:
        """Choose the reference of each segment, given the links with all references."""
        pairs = batch.best_covered(links)
        linked, words = batch.coverage(links).astype(np.int64).T
        moves = None if found is None else found.moves
        return cls(batch, pairs, links.select(pairs), linked, words, tokenization, moves)

    def find_moves(self) -> FoundMoves:
        """Return the moves of all segments, with the coverage of the links."""
        return FoundMoves(self.moves(), int(self.linked.sum()), int(self.words.sum()))

    def moves(self) -> BlockMoves:
        """Return the moves of each segment."""
        if self.known_moves is not None:
            return self.known_moves
        values, offsets = self.links.permutations()
        hyp, _ = self.links.places()
        words, _ = self.batch.words(self.tokenization)
        flags = PUNCTUATION.array(words.table, len(words.table))[words.numbers]
        segment = np.repeat(np.arange(len(self.links)), np.diff(offsets))
        is_punctuation_at = flags[words.offsets[segment] + hyp] != 0
        return find_moves(values, offsets, is_punctuation_at, self.batch.threads)
