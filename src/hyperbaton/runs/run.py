"""What a run computes and keeps, and what it asks of a corpus: lists, files or other texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hyperbaton.metrics.batches import BATCH_SIZE, Batch
from hyperbaton.metrics.metric import Metric
from hyperbaton.stats.sampling import Sampling
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAlignment


@dataclass(frozen=True)
class Keep:
    """What is kept of each segment beyond the sums.

    Attributes
    ----------
    statistics : bool
        The segments' statistics, for segment values, intervals and comparisons.
    texts : bool
        The texts, for reports.
    links : bool
        With the texts, the links and moves by the first metric that aligns tokens, so that verdicts
        and reports do not align again.
    coverage : bool
        How many words have a link, of metrics that compare words.
    """

    statistics: bool = True
    texts: bool = False
    links: bool = False
    coverage: bool = True


@dataclass(frozen=True)
class Run:
    """What is computed of texts. It can be pickled and sent to workers.

    Every function and command that scores describes its work by such a value.

    Attributes
    ----------
    metrics : mapping of str to Metric
        The metrics with their options, languages and data, keyed as the results will be.
    language : str, optional
        The language that the user gave.
    keep : Keep
        What is kept of each segment.
    source_alignment : SourceAlignment, optional
        How links with the source are found, if none are given.
    sampling : Sampling, optional
        How samples are drawn, for intervals and comparisons.
    baseline : str, optional
        The system that others are compared with; by default, every pair is compared.
    correction : str
        Multiple-comparison correction.
    batch_size : int
        Number of segments that are scored at a time. It changes no number.
    threads : int, optional
        Number of threads; all cores by default.
    """

    metrics: Mapping[str, Metric]
    language: str | None = None
    keep: Keep = Keep()
    source_alignment: SourceAlignment | None = None
    sampling: Sampling | None = None
    baseline: str | None = None
    correction: str = "none"
    batch_size: int = BATCH_SIZE
    threads: int | None = None

    def __post_init__(self) -> None:
        thread_count(self.threads)  # metrics that use no threads would not check it


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
