"""Batches from Python lists: hypotheses, references, alignments and trees, all checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.errors import HyperbatonError, InputError, InputTypeError
from hyperbaton.metrics.batches import BATCH_SIZE, Batch, ListOrigin, Origin
from hyperbaton.metrics.input_types import (
    Lines,
    check_list,
    check_no_frame,
    frame_columns,
)
from hyperbaton.metrics.source_links import GivenAlignment, SourceLinks
from hyperbaton.metrics.texts import ReferenceTexts
from hyperbaton.runs.source_linking import SourceLinker
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAligner
    from hyperbaton.alignment.source_alignment import PairBlock, SourceAlignment
    from hyperbaton.syntax.trees import DependencyTree

ARROW_METHODS = ("__arrow_c_stream__", "__arrow_c_array__")
SOURCE_ARGUMENTS = ("source", "alignments", "reference_alignments")


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
    source_alignment : SourceAlignment, optional
        How links with the source are found, if none are given.
    trees : mapping of str to sequence, optional
        For each system, the dependency tree of each segment.
    reference_trees : sequence, optional
        The dependency trees of the references.
    origin_for : callable, optional
        Returns the origin of a system's segments, for error messages.
    threads : int, optional
        Number of threads that metrics use.
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
        source_alignment: SourceAlignment | None = None,
        trees: Mapping[str, Sequence[Any]] | None = None,
        reference_trees: Sequence[Any] | None = None,
        origin_for: Callable[[str], Origin] | None = None,
        threads: int | None = None,
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
        self.source_alignment = source_alignment
        self._source: Sequence[str] = ()
        self._links: Mapping[str, Sequence[GivenAlignment] | SourceLinks] = {}
        if source_alignment is not None:
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
        self.threads = threads

    def reference_blocks(self) -> list[_core.Lines]:
        """Return all references."""
        return [self._references.utf8]

    def count_segments(self) -> int:
        """Return the number of segments of all systems together."""
        return len(self._systems) * len(self._references)

    def source_pairs(self) -> Iterator[PairBlock]:
        """Return all pairs of a source sentence with a reference or a translation."""
        from hyperbaton.alignment.source_alignment import PairBlock, repeat_sources

        source = as_utf8(self._source)
        yield PairBlock(source, self._references.utf8, repeat_sources(self._references.counts))
        for lines in self._systems.values():
            yield PairBlock(source, as_utf8(lines))

    def batches(
        self,
        size: int = BATCH_SIZE,
        *,
        needs_trees: bool = True,
        aligner: SourceAligner | None = None,
    ) -> Iterator[Batch]:
        """Yield batches of ``size`` segments: those of all systems, then the next segments.

        Trees are converted and checked only if they are needed. The aligner finds links through
        the source.
        """
        linker = None
        if aligner is not None and self.source_alignment is not None:
            linker = SourceLinker(aligner, self.source_alignment, self.threads)
        count = len(self._references)
        pair_starts = self._references.starts()
        trees, reference_trees = self._check_trees() if needs_trees else ({}, None)
        for begin in range(0, count, size):
            end = min(begin + size, count)
            segments = slice(begin, end)
            pairs = slice(pair_starts[begin], pair_starts[end])
            counts = self._references.counts
            references = ReferenceTexts(
                self._references.lines[pairs],
                None if counts is None else counts[segments],
                None if reference_trees is None else reference_trees[pairs],
            )
            for name, lines in self._systems.items():
                links = self._links.get(name)
                if linker is not None:
                    links = linker.links(self._source[segments], lines[segments], references)
                elif isinstance(links, SourceLinks):
                    links = links.select(segments, pairs)
                elif links is not None:
                    links = links[pairs]
                yield Batch(
                    lines[segments],
                    references,
                    system=name,
                    first=begin,
                    links=links,
                    trees=trees[name][segments] if name in trees else None,
                    origin=ListOrigin() if self._origin_for is None else self._origin_for(name),
                    threads=self.threads,
                )
        if linker is not None:
            linker.finish()

    def _check_trees(self) -> tuple[dict[str, list[DependencyTree]], list[DependencyTree] | None]:
        """Return the trees of each system and of the references."""
        is_one_of_many = len(self._systems) > 1
        trees = {
            name: check_trees(given, self._systems[name], name if is_one_of_many else "trees")
            for name, given in self._given_trees.items()
        }
        given = self._given_reference_trees
        return trees, None if given is None else check_reference_trees(given, self._references)


def check_lines(lines: object, name: str) -> Sequence[str]:
    """Return lines of text: a list of strings, or the strings of an Arrow array."""
    if isinstance(lines, _core.Lines):
        return lines
    check_no_frame(lines, name, "strings")
    arrow_lines = _read_arrow(lines, name)
    if arrow_lines is not None:
        return arrow_lines
    checked = check_list(lines, name, "strings")
    _core.check_strings(checked, name)
    return checked


def _read_arrow(lines: object, name: str) -> _core.Lines | None:
    """Return the strings of an object with Arrow's interface; None for other objects."""
    if not any(getattr(lines, method, None) for method in ARROW_METHODS):
        return None
    try:
        return _core.Lines.from_arrow(lines, name)
    except HyperbatonError:
        raise
    except Exception:
        # Some objects offer the interface although they cannot be converted: a pandas series of
        # mixed objects, or any series if pyarrow is not installed. They are read item by item.
        return None


@dataclass(frozen=True)
class CheckedReferences:
    """The references of segments.

    Attributes
    ----------
    lines : sequence of str
        All references, segment after segment.
    counts : list of int, optional
        The number of references of each segment; None if each has one.
    """

    lines: Sequence[str]
    counts: list[int] | None = None

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.lines) if self.counts is None else len(self.counts)

    @property
    def utf8(self) -> _core.Lines:
        """All references as the core reads them."""
        return as_utf8(self.lines)

    def starts(self) -> Sequence[int]:
        """Return where the references of each segment start, and the end of the last."""
        if self.counts is None:
            return range(len(self.lines) + 1)
        return list(accumulate(self.counts, initial=0))

    def by_segment(self) -> Iterator[Sequence[str]]:
        """Iterate over the references of each segment."""
        return (self.lines[begin:end] for begin, end in pairwise(self.starts()))


def check_references(references: object, count: int) -> CheckedReferences:
    """Return the references of each of ``count`` segments."""
    checked = check_reference_list(references)
    if len(checked) != count:
        message = (
            f"{count_noun(count, 'hypothesis', 'hypotheses')}, but references for "
            f"{count_noun(len(checked), 'segment')}"
        )
        if set(checked.counts or ()) == {count}:
            message += " (give one list per segment, not one list per reference stream)"
        raise InputError(message)
    if not len(checked):
        raise InputError("there are no segments")
    if checked.counts is not None and 0 in checked.counts:
        k = checked.counts.index(0)
        raise InputError(f"references[{k}] is empty: each segment needs a reference")
    return checked


def check_reference_list(given_references: object) -> CheckedReferences:
    """Return references after checking their types."""
    if isinstance(given_references, CheckedReferences):
        return given_references
    columns = frame_columns(given_references, "references")
    if columns is not None:
        parts = [
            as_utf8(check_lines(lines, f"references[{name!r}]")) for name, lines in columns.items()
        ]
        if len(parts) == 1:
            return CheckedReferences(parts[0])
        return CheckedReferences(_core.Lines.interleave(parts), [len(parts)] * len(parts[0]))
    arrow_lines = _read_arrow(given_references, "references")
    if arrow_lines is not None:
        return CheckedReferences(arrow_lines)
    references = check_list(given_references, "references", "references")
    if all(isinstance(given, str) for given in references):
        _core.check_strings(references, "references")
        return CheckedReferences(references)
    lines: list[str] = []
    counts: list[int] = []
    for k, given in enumerate(references):
        if not isinstance(given, (str, Iterable)):
            kind = type(given).__name__
            raise InputTypeError(f"references[{k}] must be a string or a list, got {kind}")
        in_segment = [given] if isinstance(given, str) else given
        checked = check_lines(in_segment, f"references[{k}]")
        lines += checked
        counts.append(len(checked))
    return CheckedReferences(lines, counts)


def references_from_streams(streams: object, count: int) -> CheckedReferences:
    """Return the references of each segment from sacreBLEU's form, a list per stream.

    None stands for a reference that a segment does not have.
    """
    given = check_list(streams, "references", "lists of references")
    checked = [
        check_list(stream, f"references[{k}]", "references") for k, stream in enumerate(given)
    ]
    for k, stream in enumerate(checked):
        if len(stream) != count:
            raise InputError(
                f"{count:,} hypotheses, but references[{k}] has {len(stream):,} "
                "(give one list per reference stream)"
            )
    rows = [[line for line in lines if line is not None] for lines in zip(*checked, strict=True)]
    return check_references(rows, count)


def check_alignments(
    alignments: object, references: CheckedReferences, name: str = "alignments"
) -> list[GivenAlignment]:
    """Return an alignment for each pair of a segment and one of its references."""
    per_segment = check_list(alignments, name, "alignments")
    if len(per_segment) != len(references):
        raise InputError(f"{len(references):,} segments, but {len(per_segment):,} {name}")
    flat: list[GivenAlignment] = []
    for k, (given, lines) in enumerate(zip(per_segment, references.by_segment(), strict=True)):
        is_single = isinstance(given, (str, Alignment))
        in_segment = [given] if is_single else check_list(given, f"{name}[{k}]", "alignments")
        if len(in_segment) != len(lines):
            raise InputError(
                f"{name}[{k}] has {len(in_segment):,}, but there are {len(lines):,} references"
            )
        for alignment in in_segment:
            if not isinstance(alignment, (str, Alignment)):
                kind = type(alignment).__name__
                raise InputTypeError(
                    f"{name}[{k}] must be an Alignment or Pharaoh text, got {kind}"
                )
        flat += in_segment
    return flat


def check_source_arguments(
    source: object, alignments: object, reference_alignments: object
) -> None:
    """Raise an error unless all arguments for links through the source are given."""
    given = dict(zip(SOURCE_ARGUMENTS, (source, alignments, reference_alignments), strict=True))
    missing = [name for name, value in given.items() if value is None]
    if missing:
        raise InputError(
            f"links through the source need {', '.join(SOURCE_ARGUMENTS)}: "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        )


def check_tree_arguments(trees: object, reference_trees: object) -> None:
    """Raise an error if trees are given for one side only."""
    if (trees is None) != (reference_trees is None):
        raise InputError("trees and reference_trees must be given together")


def check_source_links(
    source: object,
    alignments: Mapping[str, Sequence[Any]] | None,
    reference_alignments: object,
    references: CheckedReferences,
    source_text: Tokenization | None = None,
) -> dict[str, SourceLinks]:
    """Return the links through the source, for each system."""
    if alignments is None and reference_alignments is None:
        raise InputError(
            "source needs links: give alignments and reference_alignments, or align_source=True"
        )
    check_source_arguments(source, alignments, reference_alignments)
    lines = check_source(source, len(references))
    reference_links = check_alignments(reference_alignments, references, "reference_alignments")
    # The source takes the place of the references: one for each segment.
    sources = CheckedReferences(lines)
    return {
        name: SourceLinks(
            lines, check_alignments(system_links, sources), reference_links, source_text
        )
        for name, system_links in (alignments or {}).items()
    }


def check_source(source: object, segments: int) -> Sequence[str]:
    """Return a source sentence for each segment."""
    lines = check_lines(source, "source")
    if len(lines) != segments:
        raise InputError(f"{segments:,} segments, but source has {len(lines):,}")
    return lines


def check_trees(trees: Sequence[Any], lines: Sequence[str], name: str) -> list[DependencyTree]:
    """Return a tree for each line. The words of a tree must be those of its line."""
    given = check_list(trees, name, "trees")
    if len(given) != len(lines):
        raise InputError(f"{len(lines):,} segments, but {name} has {len(given):,} trees")
    pairs = enumerate(zip(given, lines, strict=True))
    return [_check_tree(tree, line, f"{name}[{k}]") for k, (tree, line) in pairs]


def check_reference_trees(
    trees: Sequence[Any], references: CheckedReferences
) -> list[DependencyTree]:
    """Return a tree for each reference of each segment."""
    given = check_list(trees, "reference_trees", "trees")
    if len(given) != len(references):
        raise InputError(f"{len(references):,} segments, but {len(given):,} reference_trees")
    flat: list[DependencyTree] = []
    for k, (in_segment, lines) in enumerate(zip(given, references.by_segment(), strict=True)):
        where = f"reference_trees[{k}]"
        # A sentence of conllu is a list, too: of mappings.
        is_list = isinstance(in_segment, (list, tuple))
        if not is_list or not in_segment or isinstance(in_segment[0], Mapping):
            in_segment = [in_segment]
        if len(in_segment) != len(lines):
            count = f"{len(in_segment):,}, but there are {len(lines):,} references"
            raise InputError(f"{where} has {count}")
        flat += [
            _check_tree(tree, line, where) for tree, line in zip(in_segment, lines, strict=True)
        ]
    return flat


def _check_tree(given: object, line: str, where: str) -> DependencyTree:
    from hyperbaton.syntax.conllu import describe_difference  # few corpora have trees
    from hyperbaton.syntax.trees import DependencyTree

    try:
        tree = DependencyTree.of(given)
    except InputTypeError as error:
        raise InputTypeError(f"{where}: {error}") from None
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    mismatch = describe_difference(tree, line)
    if mismatch:
        raise InputError(f"{where}: {mismatch}")
    return tree
