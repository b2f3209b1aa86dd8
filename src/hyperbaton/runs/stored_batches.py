"""Texts and links that are kept after scoring, for reports and explanations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hyperbaton.alignment.batch import AlignmentBatch
from hyperbaton.metrics.batches import Batch, ReferenceTexts, found_links_key
from hyperbaton.metrics.source_links import GivenAlignment, SourceLinks

if TYPE_CHECKING:
    from hyperbaton.metrics.linking import Linking
    from hyperbaton.runs.linked_batches import FoundMoves


@dataclass(frozen=True, eq=False)
class StoredBatch:
    """A batch without what was computed from it, except links and moves that are worth keeping.

    ``found_links`` and ``moves`` are keyed as
    :func:`~hyperbaton.metrics.batches.found_links_key` does.
    """

    first: int
    hypotheses: Sequence[str]
    references: Sequence[str]
    reference_counts: Sequence[int] | None
    given_links: Sequence[GivenAlignment] | SourceLinks | None
    found_links: dict[tuple[object, ...], AlignmentBatch]
    moves: dict[tuple[object, ...], FoundMoves]

    @classmethod
    def from_batch(cls, batch: Batch, linking: Linking | None = None) -> StoredBatch:
        """Store the texts of a batch, and the links and moves that ``linking`` gives."""
        found_links, moves = {}, {}
        if linking is not None:
            from hyperbaton.runs.linked_batches import LinkedBatch

            choice = linking.aligner, linking.tokenization
            linked = LinkedBatch.from_links(batch, linking.links(batch), linking.tokenization)
            moves[found_links_key(*choice)] = linked.find_moves()
            if batch.given_links is None:
                found_links[found_links_key(*choice)] = batch.found_links(*choice)
        counts = batch.references.counts
        return cls(
            batch.first,
            batch.hypotheses.lines,
            batch.references.lines,
            None if counts.max() == 1 else counts.tolist(),
            batch.given_links,
            found_links,
            moves,
        )

    def open_references(self) -> ReferenceTexts:
        """Return the references, for one or more systems."""
        return ReferenceTexts(self.references, self.reference_counts)

    def open(self, references: ReferenceTexts, threads: int | None = None) -> Batch:
        """Return the batch again. Several systems may share ``references``."""
        batch = Batch(
            self.hypotheses,
            references,
            first=self.first,
            links=self.given_links,
            threads=threads,
        )
        for key, links in self.found_links.items():
            batch.memoize(key, lambda links=links: links)  # type: ignore[misc]
        return batch
