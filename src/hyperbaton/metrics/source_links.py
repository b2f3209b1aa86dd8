"""Links through the source, as Birch & Osborne 2010 use them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import relative_permutations, source_permutations
from hyperbaton.alignment.choices import GIVEN
from hyperbaton.alignment.notation import (
    check_links,
    count_words,
    parse_links,
    required_lengths,
    split_hint,
)
from hyperbaton.errors import LinkOutsideError
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8, shared_table

Ints = npt.NDArray[np.int64]
GivenAlignment = Alignment | str  # a str is a Pharaoh line


@dataclass(frozen=True)
class SourceLinks:
    """Source sentences, and their links with translations and with references.

    Attributes
    ----------
    source : sequence of str
        Source sentences.
    system : sequence of Alignment or str
        The (source, system) links of each segment.
    references : sequence of Alignment or str
        The (source, reference) links of each pair of a segment and a reference.
    source_text : Tokenization, optional
        How source sentences become words. By default words are separated by white space, as
        aligners and decoders see them.
    aligner : str
        Signature of the source aligner that found the links; empty if the caller gave them.
    """

    source: Sequence[str]
    system: Sequence[GivenAlignment]
    references: Sequence[GivenAlignment]
    source_text: Tokenization | None = None
    aligner: str = ""

    @property
    def origin(self) -> str:
        """What found the links and split the source, for signatures; empty by default."""
        if self.aligner or self.source_text is None or self.source_text.tok == "none":
            return self.aligner
        return f"{GIVEN}.tok-{self.source_text.tok}"

    def select(self, segments: slice, pairs: slice) -> SourceLinks:
        """Return the links of some segments, whose pairs are ``pairs``."""
        source, system = self.source[segments], self.system[segments]
        return replace(self, source=source, system=system, references=self.references[pairs])

    def source_lengths(self) -> list[int]:
        """Return the number of words of each source sentence."""
        if self.source_text is None or self.source_text.tok == "none":
            return [count_words(line) for line in self.source]
        table = shared_table(self.source_text)
        lengths: list[int] = table.number_lines(as_utf8(self.source), 1).lengths.tolist()
        return lengths


def as_alignment(
    given: GivenAlignment, lengths: tuple[int, int], sides: tuple[str, str]
) -> Alignment:
    """Return an alignment of sentences of these lengths.

    Raises
    ------
    LinkOutsideError
        If it does not fit them. The message calls the sentences by ``sides``.
    """
    if isinstance(given, str):
        rows = parse_links(given)
        check_links(rows, lengths, sides)
        return Alignment(*lengths, rows)
    if (given.hyp_length, given.ref_length) != lengths:
        raise LinkOutsideError(
            f"the alignment is for sentences of {given.hyp_length} and {given.ref_length} words, "
            f"but these have {lengths[0]} and {lengths[1]}"
        )
    return given


def compose_through_source(
    systems: Sequence[Alignment], references: Sequence[Alignment]
) -> list[Alignment]:
    """Return the system-reference links of each pair that meet in the source."""
    pairs = zip(systems, references, strict=True)
    return [system.inverse().compose(reference) for system, reference in pairs]


def permutations_of_source(
    systems: Sequence[Alignment], references: Sequence[Alignment], nulls: str
) -> tuple[Ints, Ints]:
    """Return the permutation between the two reorderings of each pair's source.

    They come as flat values and offsets. A permutation is empty if the source has no link at all
    on one side: nothing is known of its order.
    """
    pairs = zip(systems, references, strict=True)
    lengths = np.array([a.hyp_length if a.phrases and b.phrases else 0 for a, b in pairs], np.int64)
    system, offsets = _reorderings(systems, lengths, nulls)
    reference, _ = _reorderings(references, lengths, nulls)
    return relative_permutations(system, reference, offsets), offsets


def _reorderings(alignments: Sequence[Alignment], lengths: Ints, nulls: str) -> tuple[Ints, Ints]:
    used = np.flatnonzero(lengths).tolist()
    rows = [(k, *link) for k in used for link in alignments[k].links]
    table = np.array(rows, np.int64).reshape(-1, 3)
    return source_permutations(table[:, 0], table[:, 1], table[:, 2], lengths, nulls)


def tokenizer_hint(tok: str) -> str:
    """Return a hint for links that do not fit the tokens of a tokeniser."""
    return "" if tok == "none" else f"tokeniser {tok}; tok=none takes tokens as they are"


def source_hint(text: Tokenization | None) -> str:
    """Return a hint for links that do not fit the words of the source."""
    if text is None:
        return split_hint("source")
    return "" if text.tok == "none" else f"source tokeniser {text.tok}"


def misfit_hint(given: GivenAlignment, lengths: tuple[int, int], hints: tuple[str, str]) -> str:
    """Return the hints for the sides whose words do not fit an alignment."""
    if isinstance(given, str):
        needed = required_lengths(parse_links(given))
        misfits = needed[0] > lengths[0], needed[1] > lengths[1]
    else:
        misfits = given.hyp_length != lengths[0], given.ref_length != lengths[1]
    found = [hint for hint, misfit in zip(hints, misfits, strict=True) if misfit and hint]
    return "; ".join(dict.fromkeys(found))
