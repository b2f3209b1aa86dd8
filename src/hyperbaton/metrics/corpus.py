"""The texts behind a result, for what is made of them after they were scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.metrics.through import ThroughSource


@dataclass(frozen=True, eq=False)
class Batch:
    """Segments, without anything that was made of them; ``given`` are alignments, if there were."""

    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    given: Sequence[Alignment | str] | ThroughSource | None

    @classmethod
    def of(cls, segments: Segments) -> Batch:
        """The texts of segments."""
        lines, starts = segments.references.lines, segments.references.starts.tolist()
        references = [lines[begin:end] for begin, end in pairwise(starts)]
        return cls(segments.hypotheses.lines, references, segments.given)

    def segments(self, references: References, threads: int | None = None) -> Segments:
        """The segments again; several systems may share what is made of ``references``."""
        return Segments(self.hypotheses, references, threads, self.given)


@dataclass(frozen=True, eq=False)
class Corpus:
    """The texts of one system and its references, in the batches in which they were scored."""

    batches: tuple[Batch, ...]
