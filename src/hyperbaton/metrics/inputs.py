"""What callers give, checked: lists of lines, references, alignments, trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.syntax.conllu import difference
from hyperbaton.syntax.trees import DependencyTree


def as_list(things: object, name: str, of: str) -> list[Any]:
    """Anything that has an order, as a list."""
    table = getattr(things, "ndim", 1) == 2 and hasattr(things, "iloc")  # a pandas.DataFrame
    if isinstance(things, (str, bytes, Mapping, Set)) or not isinstance(things, Iterable) or table:
        raise InputTypeError(f"{name} is a list of {of}, not one {type(things).__name__}")
    return list(things)


def as_lines(lines: object, name: str) -> list[str]:
    """A list of texts."""
    given = as_list(lines, name, "lines")
    for k, line in enumerate(given):
        if not isinstance(line, str):
            raise InputTypeError(f"{name}[{k}] is a line of text, not {type(line).__name__}")
    return given


def as_references(references: object, count: int) -> list[list[str]]:
    """A list of texts for each of ``count`` segments."""
    several = [
        [one] if isinstance(one, str) else as_lines(one, f"references[{k}]")
        for k, one in enumerate(as_list(references, "references", "references"))
    ]
    if len(several) != count:
        message = f"{count:,} hypotheses, but references for {len(several):,} segments"
        if {len(one) for one in several} == {count}:
            message += " (one list for each segment, please, not one for each set of references)"
        raise InputError(message)
    if not several:
        raise InputError("there are no segments")
    for k, one in enumerate(several):
        if not one:
            raise InputError(f"references[{k}] is empty: each segment needs a reference")
    return several


def as_segment_references(streams: object, count: int) -> list[list[str]]:
    """References as sacreBLEU has them, a list for each set of them, as a list for each segment.

    None stands for a reference that a segment does not have.
    """
    given = as_list(streams, "references", "lists of references")
    sets = [as_list(stream, f"references[{k}]", "references") for k, stream in enumerate(given)]
    for k, stream in enumerate(sets):
        if len(stream) != count:
            raise InputError(
                f"{count:,} hypotheses, but references[{k}] has {len(stream):,} "
                "(one list for each set of references)"
            )
    rows = [[line for line in lines if line is not None] for lines in zip(*sets, strict=True)]
    return as_references(rows, count)


def as_alignments(
    alignments: object, references: list[list[str]], name: str = "alignments"
) -> list[Alignment | str]:
    """An alignment for each pair of a hypothesis and a reference."""
    all_given = as_list(alignments, name, "alignments")
    if len(all_given) != len(references):
        raise InputError(f"{len(references):,} segments, but {len(all_given):,} {name}")
    flat: list[Alignment | str] = []
    for k, (given, several) in enumerate(zip(all_given, references, strict=True)):
        one = isinstance(given, (str, Alignment))
        own = [given] if one else as_list(given, f"{name}[{k}]", "alignments")
        if len(own) != len(several):
            raise InputError(
                f"{name}[{k}] has {len(own):,}, but there are {len(several):,} references"
            )
        for alignment in own:
            if not isinstance(alignment, (str, Alignment)):
                kind = type(alignment).__name__
                raise InputTypeError(f"{name}[{k}]: an Alignment or Pharaoh text, not {kind}")
        flat += own
    return flat


def as_trees(trees: Sequence[Any], lines: Sequence[str], name: str) -> list[DependencyTree]:
    """A tree for each line, whose words are those of the line."""
    given = as_list(trees, name, "trees")
    if len(given) != len(lines):
        raise InputError(f"{len(lines):,} segments, but {name} has {len(given):,} trees")
    pairs = enumerate(zip(given, lines, strict=True))
    return [_tree(one, line, f"{name}[{k}]") for k, (one, line) in pairs]


def as_reference_trees(trees: Sequence[Any], references: list[list[str]]) -> list[DependencyTree]:
    """A tree for each reference of each segment."""
    given = as_list(trees, "reference_trees", "trees")
    if len(given) != len(references):
        raise InputError(f"{len(references):,} segments, but {len(given):,} reference_trees")
    flat: list[DependencyTree] = []
    for k, (own, several) in enumerate(zip(given, references, strict=True)):
        where = f"reference_trees[{k}]"
        # A sentence of conllu is a list, too: of mappings.
        if not isinstance(own, (list, tuple)) or not own or isinstance(own[0], Mapping):
            own = [own]
        if len(own) != len(several):
            raise InputError(f"{where} has {len(own):,}, but there are {len(several):,} references")
        flat += [_tree(one, line, where) for one, line in zip(own, several, strict=True)]
    return flat


def _tree(given: object, line: str, where: str) -> DependencyTree:
    try:
        tree = DependencyTree.of(given)
    except TypeError as error:
        raise InputTypeError(f"{where}: {error}") from None
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    wrong = difference(tree, line)
    if wrong:
        raise InputError(f"{where}: {wrong}")
    return tree
