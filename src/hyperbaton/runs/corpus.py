"""Where texts come from: what a run asks of lists, files, tables or another origin of texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from hyperbaton.metrics.batches import BATCH_SIZE, Batch


@dataclass(frozen=True)
class Request:
    """What a run reads in one pass over a corpus.

    Attributes
    ----------
    size : int
        About how many segments a batch has.
    hypotheses : bool
        Whether translations are read. Otherwise a batch has references alone.
    source : bool
        Whether batches have the source sentences, for an aligner that finds links with them.
    trees : bool
        Whether batches have the dependency trees that were given.
    again : str
        Why the texts are read once more after this pass; empty for the last one.
    """

    size: int = BATCH_SIZE
    hypotheses: bool = True
    source: bool = False
    trees: bool = False
    again: str = ""


class Corpus(Protocol):
    """The texts of one or more systems with their references.

    Batches may come lazily and in any order. Batches of several systems that share segments should
    come one after another and share their :class:`~hyperbaton.metrics.batches.ReferenceTexts`.
    """

    @property
    def segment_count(self) -> int | None:
        """The number of segments of all systems together; None if it is unknown."""

    def batches(self, request: Request) -> Iterator[Batch]:
        """Yield batches with what was asked for.

        Raises
        ------
        InputError
            If a text is invalid, or if texts are to be read again and cannot be.
        """


class KeptBatches:
    """Batches that are in memory. They may be scored again and again."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._batches = batches

    @property
    def segment_count(self) -> int:
        """The number of segments of all systems together."""
        return sum(map(len, self._batches))

    def batches(self, request: Request) -> Iterator[Batch]:
        """Yield the batches; of references alone, each once for all systems."""
        if request.hypotheses:
            return iter(self._batches)
        return iter({id(batch.references): batch for batch in self._batches}.values())
