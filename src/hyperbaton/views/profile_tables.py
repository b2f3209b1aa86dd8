"""Tables of the reorderings in a bitext."""

from __future__ import annotations

from collections.abc import Mapping

from hyperbaton.order.profile import OperatorSpans, ReorderingProfile
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.tables import Column, Document, Prose, Table, format_number

BIN_ENDS = (2, 4, 8, 16, 32)  # the last length of each bin of a histogram; one more bin is open


def profile_document(profile: ReorderingProfile, top: int, digits: int) -> Document:
    """Return a summary, then tables of operators, moves and mean measures.

    Parameters
    ----------
    profile : ReorderingProfile
    top : int
        How many of the most frequent operators to list.
    digits : int
        Decimals of the measures.
    """
    lines = [
        f"{count_noun(profile.sentences, 'sentence')}, {profile.words:,} words; "
        f"{profile.empty:,} without a link"
    ]
    if profile.monotone is None or profile.binarizable is None:
        return Document([Prose(lines)])
    lines.append(f"in order: {profile.monotone:.1%}; binarizable: {profile.binarizable:.1%}")
    reorderings = f"{profile.reorderings:,} operators other than ⟨1,2⟩"
    if profile.mean_span is not None and profile.mean_move is not None:
        reorderings += (
            f", {100 * profile.reorderings / profile.words:.1f} for 100 words; "
            f"mean span {profile.mean_span:.1f} words, mean move {profile.mean_move:.1f} words"
        )
    lines.append(reorderings)
    tables = [operator_table(profile, top)]
    if profile.moves:
        tables.append(move_table(profile))
    tables.append(measure_table(profile, digits))
    return Document([Prose(lines), *tables])


def operator_table(profile: ReorderingProfile, top: int) -> Table:
    """Return the most frequent operators, their counts, and a histogram of their spans."""
    rows = list(profile.operators[:top])
    labels = ["⟨" + ",".join(map(str, row.operator)) + "⟩" for row in rows]
    rest = profile.operators[top:]
    if rest:
        spans: dict[int, int] = {}
        for operator in rest:
            for span, count in operator.spans.items():
                spans[span] = spans.get(span, 0) + count
        labels.append(count_noun(len(rest), "other"))
        rows.append(OperatorSpans((), spans))
    return Table(
        [
            Column("operator", tuple(labels), left=True),
            Column("count", tuple(f"{row.count:,}" for row in rows)),
            Column("mean span", tuple(f"{row.mean_span:.1f}" for row in rows)),
            *_histogram_columns([row.spans for row in rows]),
        ]
    )


def move_table(profile: ReorderingProfile) -> Table:
    """Return how far blocks moved, counted in blocks and in words."""
    rows = [profile.moves, profile.moved_words]
    return Table(
        [
            Column("moved", ("blocks", "words"), left=True),
            Column("count", tuple(f"{sum(row.values()):,}" for row in rows)),
            *_histogram_columns(rows, first=1),
        ]
    )


def measure_table(profile: ReorderingProfile, digits: int) -> Table:
    """Return the mean of each measure."""
    means = tuple(format_number(value, digits) for value in profile.measures.values())
    return Table(
        [Column("measure", tuple(profile.measures), left=True), Column("mean", means)],
    )


def _histogram_columns(rows: list[Mapping[int, int]], first: int = 2) -> list[Column]:
    """The counts of each row by length, from ``first`` on, in bins of doubling size."""
    columns = []
    start = first
    for end in (*BIN_ENDS, None):
        heading = f"{start}+" if end is None else f"{start}–{end}" if start < end else f"{end}"
        cells = tuple(
            f"{sum(n for length, n in row.items() if start <= length <= (end or length)):,}"
            for row in rows
        )
        columns.append(Column(heading, cells))
        start = (end or 0) + 1
    return columns
