"""A profile of reorderings as tables."""

from __future__ import annotations

from collections.abc import Mapping

from hyperbaton.order.profile import OperatorSpans, ReorderingProfile
from hyperbaton.report.tables import Column, as_text, number

# Up to where each column of a histogram goes; the last has no end.
BINS = (2, 4, 8, 16, 32)


def as_profile_text(profile: ReorderingProfile, top: int, digits: int, width: int) -> str:
    """What there is to say in words, then operators over spans, moves, and mean measures."""
    lines = [
        f"{profile.sentences:,} sentence{'s' * (profile.sentences != 1)}, "
        f"{profile.words:,} words; {profile.empty:,} without a link"
    ]
    if profile.monotone is None or profile.binarizable is None:
        return lines[0]
    lines.append(f"in order: {profile.monotone:.1%}; binarizable: {profile.binarizable:.1%}")
    reordered = f"{profile.reorderings:,} operators other than ⟨1,2⟩"
    if profile.mean_span is not None and profile.mean_move is not None:
        reordered += (
            f", {100 * profile.reorderings / profile.words:.1f} for 100 words; "
            f"mean span {profile.mean_span:.1f} words, mean move {profile.mean_move:.1f} words"
        )
    lines.append(reordered)
    tables = [operator_columns(profile, top)]
    if profile.moves:
        tables.append(move_columns(profile))
    tables.append(measure_columns(profile, digits))
    texts = (as_text(columns, width, colour=False) for columns in tables)
    return "\n\n".join(["\n".join(lines), *texts])


def operator_columns(profile: ReorderingProfile, top: int) -> list[Column]:
    """The most frequent operators, how often they occur, and over spans of how many words."""
    shown = list(profile.operators[:top])
    names = ["⟨" + ",".join(map(str, one.operator)) + "⟩" for one in shown]
    rest = profile.operators[top:]
    if rest:
        spans: dict[int, int] = {}
        for one in rest:
            for span, count in one.spans.items():
                spans[span] = spans.get(span, 0) + count
        names.append(f"{len(rest):,} other{'s' * (len(rest) > 1)}")
        shown.append(OperatorSpans((), spans))
    return [
        Column("operator", tuple(names), left=True),
        Column("count", tuple(f"{one.count:,}" for one in shown)),
        Column("mean span", tuple(f"{one.mean_span:.1f}" for one in shown)),
        *_bins([one.spans for one in shown]),
    ]


def move_columns(profile: ReorderingProfile) -> list[Column]:
    """How many blocks, and words in them, moved how far."""
    rows = [profile.moves, profile.moved_words]
    return [
        Column("moved", ("blocks", "words"), left=True),
        Column("count", tuple(f"{sum(row.values()):,}" for row in rows)),
        *_bins(rows, first=1),
    ]


def measure_columns(profile: ReorderingProfile, digits: int) -> list[Column]:
    """The mean of each measure."""
    return [
        Column("measure", tuple(profile.measures), left=True),
        Column("mean", tuple(number(value, digits) for value in profile.measures.values())),
    ]


def _bins(rows: list[Mapping[int, int]], first: int = 2) -> list[Column]:
    """The counts of each row by length, in bins that double."""
    columns = []
    least = first
    for most in (*BINS, None):
        heading = f"{least}+" if most is None else f"{least}–{most}" if least < most else f"{most}"
        cells = tuple(
            f"{sum(n for length, n in row.items() if least <= length <= (most or length)):,}"
            for row in rows
        )
        columns.append(Column(heading, cells))
        least = (most or 0) + 1
    return columns
