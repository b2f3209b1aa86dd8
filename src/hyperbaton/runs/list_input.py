"""Batches from Python lists: hypotheses, references, alignments and trees, all checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import (
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
from hyperbaton.runs.run import Request
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization

if TYPE_CHECKING:
    from hyperbaton.syntax.trees import DependencyTree


class ListCorpus:
    """Systems and references that were given as Python lists.

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
            references = ReferenceTexts(
                texts.lines[pairs],
                texts.counts[segments],
                None if reference_trees is None else reference_trees[pairs],
            )
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
        is_one_of_many = len(self._systems) > 1
        trees = {
            name: check_system_trees(
                given, self._systems[name], name if is_one_of_many else "trees"
            )
            for name, given in self._given_trees.items()
        }
        given = self._given_reference_trees
        return trees, None if given is None else check_reference_trees(given, self._references)
