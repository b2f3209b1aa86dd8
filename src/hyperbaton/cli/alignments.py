"""Files of alignments beside the systems and references of ``score`` and ``compare``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hyperbaton.alignment.pharaoh import read_link_texts
from hyperbaton.errors import InputError, SegmentError
from hyperbaton.metrics.through import ThroughSource
from hyperbaton.text.columns import read_texts
from hyperbaton.text.lines import printable

Row = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class AlignmentFiles:
    """Which files have the links of which texts.

    With a ``source``, ``systems`` has one for each system, of source and system, and
    ``references`` one for each reference, of source and reference. Without, ``systems`` has one
    for each system and reference: all of the first system, all of the second, and so on.
    """

    source: str | None
    systems: Sequence[str]
    references: Sequence[str]
    each: int  # how many of ``systems`` belong to one system
    base: int
    possible: bool
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        references: Sequence[str],
        source: str | None,
        alignments: Sequence[str] | None,
        reference_alignments: Sequence[str] | None,
        one_based: bool,
        sure: bool,
    ) -> AlignmentFiles | None:
        """What was given on the command line, checked; None if nothing was."""
        if not alignments and not reference_alignments and source is None:
            if one_based or sure:
                raise InputError("--one-based and --sure are for --alignment")
            return None
        through = source is not None or bool(reference_alignments)
        if through and (source is None or not alignments or not reference_alignments):
            raise InputError(
                "through the source it takes all of --source, --alignment and --ref-alignment"
            )
        each = 1 if through else len(references)
        wanted = [("--alignment", alignments, len(systems) * each)]
        if through:
            wanted.append(("--ref-alignment", reference_alignments, len(references)))
        for option, given, count in wanted:
            if given is not None and len(given) != count:
                each_of = {
                    "--ref-alignment": "reference",
                    "--alignment": "system" if through else "system and reference",
                }[option]
                raise InputError(
                    f"{option} is given {len(given)} time{'s' * (len(given) != 1)}, but {count} "
                    f"{'is' if count == 1 else 'are'} needed: one for each {each_of}"
                )
        found = cls(
            source, alignments or (), reference_alignments or (), each, int(one_based), not sure
        )
        for name in {*systems, *references} & set(found.files):
            raise InputError(f"{printable(name)} is given as a text and as alignments")
        return found

    @property
    def files(self) -> list[str]:
        """Those with links."""
        return [*self.systems, *self.references]

    @property
    def paths(self) -> list[str]:
        """All of them, in the order of the columns of a row."""
        return [*([self.source] if self.source is not None else []), *self.files]

    def read(self, path: str) -> Iterator[tuple[str, ...]]:
        """The lines of a text, or of links."""
        if path not in self.files:
            return read_texts(path)
        return read_link_texts(path, self.base, self.possible, self.warnings.append)

    def given(
        self, rows: Sequence[Row], done: int, references: Sequence[Sequence[str]], system: int
    ) -> list[str] | ThroughSource:
        """The alignments of one system in a batch, of rows that have only these columns."""
        counts = [len(several) for several in references]
        if self.source is None:
            first = system * self.each
            return self._flat(rows, done, range(first, first + self.each), counts)
        ones = [1] * len(rows)
        first = 1 + len(self.systems)
        return ThroughSource(
            self._flat(rows, done, range(1), ones),
            self._flat(rows, done, range(1 + system, 2 + system), ones),
            self._flat(rows, done, range(first, first + len(self.references)), counts),
        )

    def file_of(self, error: SegmentError, system: int) -> str | None:
        """The file that something is wrong with; None if it is not one of these."""
        if error.part is None:
            return None
        part, which = error.part
        own = self.systems[system * self.each :]
        names = self.references if part == "reference_alignments" else own
        return printable(names[min(which, len(names) - 1)])  # of lists in JSONL there are fewer

    def _flat(
        self, rows: Sequence[Row], done: int, columns: range, counts: Sequence[int]
    ) -> list[str]:
        """All texts of these columns, line after line, as many in each as there should be."""
        flat: list[str] = []
        for number, (row, count) in enumerate(zip(rows, counts, strict=True), done + 1):
            texts = [text for column in columns for text in row[column]]
            if len(texts) != count:
                names = ", ".join(printable(self.paths[column]) for column in columns)
                many = f"{count} {'are' if count != 1 else 'is'} needed"
                raise InputError(f"{names}, line {number:,}: {len(texts)} texts, but {many}")
            flat += texts
        return flat
