"""What a run computes and keeps, what it asks of a corpus, and corpora that are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import (
    BATCH_SIZE,
    Batch,
    GivenAlignment,
    ListOrigin,
    Origin,
    ReferenceTexts,
    SourceLinks,
)
from hyperbaton.metrics.inputs import (
    Lines,
    check_alignments,
    check_lines,
    check_reference_trees,
    check_references,
    check_source,
    check_source_links,
    check_system_trees,
    check_tree_arguments,
)
from hyperbaton.metrics.metric import Metric
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAlignment
    from hyperbaton.syntax.trees import DependencyTree


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
        How many words have a link or a counterpart, of metrics that compare words.
    anchors : bool
        The words by which systems are compared, of metrics that are not compared by values.
    """

    statistics: bool = True
    texts: bool = False
    links: bool = False
    coverage: bool = True
    anchors: bool = True


STATISTICS_ALONE = Keep(coverage=False, anchors=False)


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
    again : bool
        Whether the texts are read once more after this pass.
    """

    size: int = BATCH_SIZE
    hypotheses: bool = True
    source: bool = False
    trees: bool = False
    again: bool = False


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
            If a text is invalid.
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


class ListCorpus:
    """Systems and references that were given as Python lists; they are checked.

    Parameters
    ----------
    systems : mapping of str to lines
        The translations of each system.
    references : sequence or data frame
        A reference, or a sequence of references, for each segment; or a column for each reference.
    alignments : mapping of str to sequence, optional
        For each system, the links of each segment with its references, or with its source.
    source, reference_alignments : sequence, optional
        Source sentences, and their links with the references.
    source_text : Tokenization, optional
        How source sentences become words, if links are given; by default split at white space.
    align_source : bool
        Whether an aligner will find the links with the source, so that none may be given.
    trees : mapping of str to sequence, optional
        For each system, the dependency tree of each segment.
    reference_trees : sequence, optional
        The dependency trees of the references.
    origin_for : callable
        Returns the origin of a system's segments, for error messages.
    """

    def __init__(
        self,
        systems: Mapping[str, Lines],
        references: object,
        *,
        alignments: Mapping[str, Sequence[Any]] | None = None,
        source: object = None,
        reference_alignments: object = None,
        source_text: Tokenization | None = None,
        align_source: bool = False,
        trees: Mapping[str, Sequence[Any]] | None = None,
        reference_trees: Sequence[Any] | None = None,
        origin_for: Callable[[str], Origin] = lambda _: ListOrigin(),
    ) -> None:
        for name in systems:
            _core.check_string(name, "the name of a system")
        self._systems = {name: check_lines(lines, name) for name, lines in systems.items()}
        first, count = next((name, len(lines)) for name, lines in self._systems.items())
        for name, lines in self._systems.items():
            if len(lines) != count:
                raise InputError(
                    f"{first} has {count_noun(count, 'segment')}, but {name} has {len(lines):,}"
                )
        self._references = check_references(references, count)
        self._source: Sequence[str] = ()
        self._links: Mapping[str, Sequence[GivenAlignment] | SourceLinks] = {}
        if align_source:
            if alignments is not None or reference_alignments is not None:
                raise InputError("align_source computes the links: do not give alignments")
            if source is None:
                raise InputError("align_source needs the source sentences: source is missing")
            self._source = check_source(source, count)
        elif source is not None or reference_alignments is not None:
            self._links = check_source_links(
                source, alignments, reference_alignments, self._references, source_text
            )
        else:
            self._links = {
                name: check_alignments(given, self._references)
                for name, given in (alignments or {}).items()
            }
        check_tree_arguments(trees, reference_trees)
        self._given_trees = trees or {}
        self._given_reference_trees = reference_trees
        self._origin_for = origin_for

    @property
    def segment_count(self) -> int:
        """The number of segments of all systems together."""
        return len(self._systems) * len(self._references.counts)

    def batches(self, request: Request) -> Iterator[Batch]:
        """Yield batches with what was asked for: those of all systems, then the next segments.

        Trees are converted and checked only if they are asked for.
        """
        texts = self._references
        count = len(texts.counts)
        trees, reference_trees = self._check_trees() if request.trees else ({}, None)
        for begin in range(0, count, request.size):
            end = min(begin + request.size, count)
            segments = slice(begin, end)
            pairs = slice(*texts.starts[[begin, end]].tolist())
            of_pairs = None if reference_trees is None else reference_trees[pairs]
            references = ReferenceTexts(texts.lines[pairs], texts.counts[segments], of_pairs)
            if not request.hypotheses:
                yield Batch([], references, first=begin)
                continue
            source = self._source[segments] if request.source else None
            for name, lines in self._systems.items():
                links = self._links.get(name)
                if isinstance(links, SourceLinks):
                    links = links.select(segments, pairs)
                elif links is not None:
                    links = links[pairs]
                yield Batch(
                    lines[segments],
                    references,
                    system=name,
                    first=begin,
                    links=links,
                    source=source,
                    trees=trees[name][segments] if name in trees else None,
                    origin=self._origin_for(name),
                )

    def _check_trees(self) -> tuple[dict[str, list[DependencyTree]], list[DependencyTree] | None]:
        """Return the trees of each system and of the references."""
        many = len(self._systems) > 1
        trees = {
            name: check_system_trees(given, self._systems[name], name if many else "trees")
            for name, given in self._given_trees.items()
        }
        given = self._given_reference_trees
        return trees, None if given is None else check_reference_trees(given, self._references)
