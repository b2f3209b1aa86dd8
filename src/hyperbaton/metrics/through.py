"""Alignments that go through the source, as Birch & Osborne 2010 have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.notation import (
    check_links,
    count_words,
    parse_links,
)
from hyperbaton.alignment.source import between, source_permutations
from hyperbaton.errors import InputError, LinkOutsideError
from hyperbaton.metrics.inputs import as_alignments, as_lines

Ints = npt.NDArray[np.int64]
Given = Alignment | str
SOURCE = "source"  # what signatures call this way
PARTS = ("source", "alignments", "reference_alignments")


@dataclass(frozen=True)
class ThroughSource:
    """Source sentences, and their links with translations and with references.

    ``system`` has an alignment (source, system) for each segment, ``references`` one (source,
    reference) for each pair of a segment and a reference. The words of a source are what is
    between white space, as aligners and decoders see them.
    """

    source: Sequence[str]
    system: Sequence[Given]
    references: Sequence[Given]

    def batch(self, begin: int, end: int, starts: Sequence[int]) -> ThroughSource:
        """Segments from ``begin`` to ``end``; the pairs of segment k start at ``starts[k]``."""
        pairs = self.references[starts[begin] : starts[end]]
        return ThroughSource(self.source[begin:end], self.system[begin:end], pairs)

    def lengths(self) -> list[int]:
        """How many words each source has."""
        return [count_words(line) for line in self.source]


def through_source(
    source: object,
    alignments: Mapping[str, Sequence[Any]] | None,
    reference_alignments: object,
    references: list[list[str]],
) -> dict[str, ThroughSource] | None:
    """What was given of this way, checked, by system; None if nothing of it was."""
    given = dict(zip(PARTS, (source, alignments, reference_alignments), strict=True))
    if source is None and reference_alignments is None:
        return None
    missing = [name for name in PARTS if given[name] is None]
    if missing:
        raise InputError(
            f"through the source it takes {', '.join(PARTS)}: {' and '.join(missing)} is missing"
        )
    lines = as_lines(source, "source")
    if len(lines) != len(references):
        raise InputError(f"{len(references):,} segments, but source has {len(lines):,}")
    shared = as_alignments(reference_alignments, references, "reference_alignments")
    one_each = [[line] for line in lines]
    return {
        name: ThroughSource(lines, as_alignments(own, one_each), shared)
        for name, own in (alignments or {}).items()
    }


def as_alignment(given: Given, lengths: tuple[int, int], sides: tuple[str, str]) -> Alignment:
    """An alignment of sentences of these lengths."""
    if isinstance(given, str):
        rows = parse_links(given)
        check_links(rows, lengths, sides)
        return Alignment(*lengths, rows)
    if (given.hyp_length, given.ref_length) != lengths:
        theirs = f"{given.hyp_length} and {given.ref_length}"
        raise LinkOutsideError(
            f"it is of sentences of {theirs} words, but these have {lengths[0]} and {lengths[1]}"
        )
    return given


def composed(systems: Sequence[Alignment], references: Sequence[Alignment]) -> list[Alignment]:
    """Of each pair, the links of system and reference that meet in the source."""
    pairs = zip(systems, references, strict=True)
    return [system.inverse().compose(reference) for system, reference in pairs]


def permutations(
    systems: Sequence[Alignment], references: Sequence[Alignment], nulls: str
) -> tuple[Ints, Ints]:
    """Of each pair, what is between the two reorderings of the source: flat values and offsets.

    It is empty where the source has no link at all on one side: nothing is known of its order.
    """
    pairs = zip(systems, references, strict=True)
    lengths = np.array([a.hyp_length if a.phrases and b.phrases else 0 for a, b in pairs], np.int64)
    system, offsets = _reorderings(systems, lengths, nulls)
    reference, _ = _reorderings(references, lengths, nulls)
    return between(system, reference, offsets), offsets


def _reorderings(alignments: Sequence[Alignment], lengths: Ints, nulls: str) -> tuple[Ints, Ints]:
    rows = [(k, *link) for k, one in enumerate(alignments) if lengths[k] for link in one.links]
    table = np.array(rows, np.int64).reshape(-1, 3)
    return source_permutations(table[:, 0], table[:, 1], table[:, 2], lengths, nulls)
