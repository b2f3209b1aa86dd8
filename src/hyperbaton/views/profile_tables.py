"""What is shown of the reorderings in a bitext."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hyperbaton.order.profile import OperatorSpans, ReorderingProfile
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import Column, Document, NumberCell, Prose, Table, View

BIN_ENDS = (2, 4, 8, 16, 32)  # the last length of each bin of a histogram; one more bin is open
TOP = 10


@dataclass(frozen=True)
class ProfileView(View):
    """The reorderings in a bitext.

    Attributes
    ----------
    profile : ReorderingProfile
    top : int
        How many of the most frequent operators to list.
    """

    profile: ReorderingProfile
    top: int = TOP

    def document(self) -> Document:
        """Return a summary, then tables of operators, moves and mean measures."""
        summary = Prose(list(self._summary()))
        if self.profile.monotone is None:
            return Document([summary])
        tables = [self._operator_table(), *self._move_tables(), self._measure_table()]
        return Document([summary, *tables])

    def _summary(self) -> Iterator[str]:
        profile = self.profile
        yield (
            f"{count_noun(profile.sentences, 'sentence')}, {profile.words:,} words; "
            f"{profile.empty:,} without a link"
        )
        if profile.monotone is None or profile.binarizable is None:
            return
        yield f"in order: {profile.monotone:.1%}; binarizable: {profile.binarizable:.1%}"
        reorderings = f"{profile.reorderings:,} operators other than ⟨1,2⟩"
        if profile.mean_span is not None and profile.mean_move is not None:
            reorderings += (
                f", {100 * profile.reorderings / profile.words:.1f} for 100 words; "
                f"mean span {profile.mean_span:.1f} words, mean move {profile.mean_move:.1f} words"
            )
        yield reorderings

    def _operator_table(self) -> Table:
        """Return the most frequent operators, their counts, and a histogram of their spans."""
        rows, rest = list(self.profile.operators[: self.top]), self.profile.operators[self.top :]
        labels = ["⟨" + ",".join(map(str, row.operator)) + "⟩" for row in rows]
        if rest:
            spans: Counter[int] = Counter()
            for operator in rest:
                spans.update(operator.spans)
            labels.append(count_noun(len(rest), "other"))
            rows.append(OperatorSpans((), spans))
        columns = [
            Column("operator", labels, left=True),
            Column("count", [NumberCell(row.count, ",") for row in rows]),
            Column("mean span", [NumberCell(row.mean_span, ".1f") for row in rows]),
        ]
        return Table([*columns, *histogram_columns([row.spans for row in rows])])

    def _move_tables(self) -> Iterator[Table]:
        """Yield how far blocks moved, counted in blocks and in words, if any moved."""
        if self.profile.moves:
            rows = [self.profile.moves, self.profile.moved_words]
            names = Column("moved", ["blocks", "words"], left=True)
            totals = Column("count", [NumberCell(sum(row.values()), ",") for row in rows])
            yield Table([names, totals, *histogram_columns(rows, first=1)])

    def _measure_table(self) -> Table:
        """Return the mean of each measure."""
        measures = self.profile.measures
        names = Column("measure", list(measures), left=True)
        return Table([names, Column("mean", list(map(NumberCell, measures.values())))])


def histogram_columns(rows: Sequence[Mapping[int, int]], first: int = 2) -> Iterator[Column]:
    """Yield the counts of each row by length, from ``first`` on, in bins of doubling size."""
    start = first
    for end in (*BIN_ENDS, None):
        heading = f"{start}+" if end is None else f"{start}–{end}" if start < end else f"{end}"
        counts = (
            sum(n for length, n in row.items() if start <= length <= (end or length))
            for row in rows
        )
        yield Column(heading, [NumberCell(count, ",") for count in counts])
        start = (end or 0) + 1
