"""The texts, links and trees that functions take: lists, series, Arrow arrays, data frames.

They are checked here. Messages name the argument at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.errors import HyperbatonError, InputError, InputTypeError
from hyperbaton.metrics.batches import GivenAlignment, ReferenceTexts, SourceLinks
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8

if TYPE_CHECKING:
    from hyperbaton.syntax.trees import DependencyTree


class ArrowStrings(Protocol):
    """An array of pyarrow."""

    def to_pylist(self) -> list[Any]:
        """Return Python objects."""


class DataFrame(Protocol):
    """A data frame of pandas or Polars."""

    @property
    def columns(self) -> Iterable[Any]:
        """The names of the columns."""

    def __getitem__(self, name: str, /) -> Any: ...


# A series of pandas or Polars is an iterable of strings, too.
Lines: TypeAlias = Iterable[str] | ArrowStrings
References: TypeAlias = Lines | Iterable[Iterable[str]] | DataFrame
Systems: TypeAlias = Mapping[str, Lines] | DataFrame


def frame_columns(given: object, argument: str) -> dict[Any, Any] | None:
    """Return the columns of a data frame by name; None for an object that is no data frame.

    Data frames are those of pandas and Polars, and tables and record batches of pyarrow.

    Raises
    ------
    InputError, InputTypeError
        If the data frame has no columns, or two of the same name, or if it is lazy. The message
        calls it ``argument``.
    """
    if isinstance(given, (str, list, tuple)):  # what is given most often, told apart quickly
        return None
    frame: Any = given
    if hasattr(frame, "collect_schema") and hasattr(frame, "collect"):  # a lazy frame of Polars
        kind = type(frame).__name__
        raise InputTypeError(f"{argument} is a {kind}, which has no rows yet: collect() it")
    if hasattr(frame, "column_names") and hasattr(frame, "itercolumns"):  # pyarrow
        names, columns = frame.column_names, list(frame.itercolumns())
    elif hasattr(frame, "get_columns"):  # Polars
        names, columns = frame.columns, frame.get_columns()
    elif hasattr(frame, "iloc") and frame.ndim == 2:  # pandas
        names = list(frame.columns)
        columns = [frame.iloc[:, k] for k in range(len(names))]
    else:
        return None
    if not names:
        raise InputError(f"{argument} is a data frame without columns")
    by_name: dict[Any, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if name in by_name:
            raise InputError(f"{argument} is a data frame with two columns named {name!r}")
        by_name[name] = column
    return by_name


def check_list(items: object, name: str, kind: str) -> list[Any]:
    """Return an ordered iterable as a list.

    Raises
    ------
    InputTypeError
        If it has no order, or is a single text. The message calls it ``name``, a list of ``kind``.
    """
    check_no_frame(items, name, kind)
    is_number = getattr(items, "ndim", 1) == 0  # a NumPy array without dimensions is iterable, too
    is_single = isinstance(items, (str, bytes, Mapping, Set)) or not isinstance(items, Iterable)
    if is_single or is_number:
        raise InputTypeError(f"{name} must be a list of {kind}, got {type(items).__name__}")
    if hasattr(items, "to_pylist"):  # pyarrow's own objects are no strings and lists
        items = items.to_pylist()
    # A list is not copied, since it is never changed.
    return items if isinstance(items, list) else list(items)  # type: ignore[call-overload]


def check_no_frame(items: object, name: str, kind: str) -> None:
    """Raise an error for a data frame where a column of it is meant, a list of ``kind``."""
    if frame_columns(items, name) is not None:
        frame = type(items).__name__
        raise InputTypeError(
            f"{name} must be a list of {kind}, got {frame}: give one of its columns"
        )


ARROW_METHODS = ("__arrow_c_stream__", "__arrow_c_array__")
SOURCE_ARGUMENTS = ("source", "alignments", "reference_alignments")


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


def check_references(references: object, count: int) -> ReferenceTexts:
    """Return the references of each of ``count`` segments."""
    checked = check_reference_list(references)
    segments = len(checked.counts)
    if segments != count:
        hypotheses = count_noun(count, "hypothesis", "hypotheses")
        message = f"{hypotheses}, but references for {count_noun(segments, 'segment')}"
        if not checked.is_flat and set(checked.counts.tolist()) == {count}:
            message += " (give one list per segment, not one list per reference stream)"
        raise InputError(message)
    if not segments:
        raise InputError("there are no segments")
    if not checked.counts.all():
        k = int(checked.counts.argmin())
        raise InputError(f"references[{k}] is empty: each segment needs a reference")
    return checked


def check_reference_list(given_references: object) -> ReferenceTexts:
    """Return references after checking their types."""
    if isinstance(given_references, ReferenceTexts):
        return given_references
    columns = frame_columns(given_references, "references")
    if columns is not None:
        named = columns.items()
        parts = [as_utf8(check_lines(lines, f"references[{name!r}]")) for name, lines in named]
        if len(parts) == 1:
            return ReferenceTexts(parts[0])
        return ReferenceTexts(_core.Lines.interleave(parts), [len(parts)] * len(parts[0]))
    arrow_lines = _read_arrow(given_references, "references")
    if arrow_lines is not None:
        return ReferenceTexts(arrow_lines)
    references = check_list(given_references, "references", "references")
    if all(isinstance(given, str) for given in references):
        _core.check_strings(references, "references")
        return ReferenceTexts(references)
    segments = []
    for k, given in enumerate(references):
        if not isinstance(given, (str, Iterable)):
            kind = type(given).__name__
            raise InputTypeError(f"references[{k}] must be a string or a list, got {kind}")
        in_segment = [given] if isinstance(given, str) else given
        segments.append(check_lines(in_segment, f"references[{k}]"))
    return ReferenceTexts.from_segments(segments)


def references_from_streams(streams: object, count: int) -> ReferenceTexts:
    """Return the references of each segment from sacreBLEU's form, a list per stream.

    None stands for a reference that a segment does not have.
    """
    given = check_list(streams, "references", "lists of references")
    checked = [check_list(lines, f"references[{k}]", "references") for k, lines in enumerate(given)]
    for k, stream in enumerate(checked):
        if len(stream) != count:
            raise InputError(
                f"{count:,} hypotheses, but references[{k}] has {len(stream):,} "
                "(give one list per reference stream)"
            )
    rows = [[line for line in lines if line is not None] for lines in zip(*checked, strict=True)]
    return check_references(rows, count)


def check_alignments(
    alignments: object, references: ReferenceTexts, name: str = "alignments"
) -> list[GivenAlignment]:
    """Return an alignment for each pair of a segment and one of its references."""
    flat: list[GivenAlignment] = []
    given = _items_of_pairs(alignments, references, name, "alignments", _is_alignment)
    for where, alignment in given:
        if not _is_alignment(alignment):
            kind = type(alignment).__name__
            raise InputTypeError(f"{where} must be an Alignment or Pharaoh text, got {kind}")
        flat.append(alignment)
    return flat


def _items_of_pairs(
    given: object,
    references: ReferenceTexts,
    name: str,
    kind: str,
    is_single: Callable[[Any], bool],
) -> Iterator[tuple[str, Any]]:
    """Yield the place and the item of each pair of a segment and one of its references."""
    per_segment = check_list(given, name, kind)
    counts = references.counts.tolist()
    if len(per_segment) != len(counts):
        raise InputError(f"{len(counts):,} segments, but {len(per_segment):,} {name}")
    for k, (items, count) in enumerate(zip(per_segment, counts, strict=True)):
        where = f"{name}[{k}]"
        in_segment = [items] if is_single(items) else check_list(items, where, kind)
        if len(in_segment) != count:
            raise InputError(f"{where} has {len(in_segment):,}, but there are {count:,} references")
        for item in in_segment:
            yield where, item


def _is_alignment(given: object) -> bool:
    return isinstance(given, (str, Alignment))


def check_source_arguments(*given: object) -> None:
    """Raise an error unless all of ``SOURCE_ARGUMENTS`` are given."""
    named = zip(SOURCE_ARGUMENTS, given, strict=True)
    missing = [name for name, value in named if value is None]
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
    references: ReferenceTexts,
    source_text: Tokenization | None = None,
) -> dict[str, SourceLinks]:
    """Return the links through the source, for each system."""
    if alignments is None and reference_alignments is None:
        raise InputError(
            "source needs links: give alignments and reference_alignments, or align_source=True"
        )
    check_source_arguments(source, alignments, reference_alignments)
    lines = check_source(source, len(references.counts))
    reference_links = check_alignments(reference_alignments, references, "reference_alignments")
    # The source takes the place of the references: one for each segment.
    sources = ReferenceTexts(lines)
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


def check_system_trees(
    trees: Sequence[Any], lines: Sequence[str], name: str
) -> list[DependencyTree]:
    """Return a tree for each line. The words of a tree must be those of its line."""
    given = check_list(trees, name, "trees")
    if len(given) != len(lines):
        raise InputError(f"{len(lines):,} segments, but {name} has {len(given):,} trees")
    pairs = enumerate(zip(given, lines, strict=True))
    return [_check_tree(tree, line, f"{name}[{k}]") for k, (tree, line) in pairs]


def check_reference_trees(trees: Sequence[Any], references: ReferenceTexts) -> list[DependencyTree]:
    """Return a tree for each reference of each segment."""
    given = _items_of_pairs(trees, references, "reference_trees", "trees", _is_one_tree)
    pairs = zip(given, references.lines, strict=True)
    return [_check_tree(tree, line, where) for (where, tree), line in pairs]


def _is_one_tree(given: object) -> bool:
    # A sentence of conllu is a list, too: of mappings.
    return not isinstance(given, (list, tuple)) or not given or isinstance(given[0], Mapping)


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
