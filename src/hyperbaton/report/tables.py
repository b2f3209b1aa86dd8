"""A table of scores: systems down, metrics across; as text, TSV, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from hyperbaton.metrics.base import Score
from hyperbaton.metrics.comparison import Rank
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.metrics.scoring import Result

BOLD, PLAIN = "\x1b[1;32m", "\x1b[0m"
GAP = "  "


@dataclass(frozen=True)
class Column:
    """A heading, a cell for each system, and which of them are the best."""

    heading: str
    cells: tuple[str, ...]
    best: frozenset[int] = frozenset()
    left: bool = False  # flush left, as words are; numbers are flush right


def score_columns(results: Sequence[Result], digits: int) -> list[Column]:
    """Systems, the share of words aligned if it is known, and each metric.

    With more than one system, the best are those that look best at so many digits.
    """
    columns = [Column("system", tuple(result.name for result in results), left=True)]
    aligned = [result.aligned for result in results]
    if any(share is not None for share in aligned):
        cells = tuple("" if share is None else number(share, 2) for share in aligned)
        columns.append(Column("aligned", cells))
    for metric in results[0]:
        scores = [result[metric] for result in results]
        shown = [float(number(score.value, digits)) for score in scores]
        cells = tuple(with_bounds(score, digits) for score in scores)
        top = max(shown) if scores[0].higher_is_better else min(shown)
        best = frozenset(k for k, value in enumerate(shown) if value == top)
        arrow = "↑" if scores[0].higher_is_better else "↓"
        several = len(set(shown)) > 1
        columns.append(Column(f"{metric} {arrow}", cells, best if several else frozenset()))
    return columns


def number(value: float, digits: int) -> str:
    """With so many digits after the point."""
    return f"{value:.{digits}f}"


def with_bounds(score: Score | Rank, digits: int) -> str:
    """A value, and its interval if it has one."""
    text = number(score.value, digits)
    if score.lower is None or score.upper is None:
        return text
    return f"{text} [{number(score.lower, digits)}, {number(score.upper, digits)}]"


def as_text(columns: Sequence[Column], width: int, colour: bool) -> str:
    """Aligned columns, the best of each with a *; wide tables in parts, one below another."""
    first, *others = columns
    left = _padded(first, colour=False)
    parts: list[list[list[str]]] = [[left]]
    used = cell_len(left[0])
    for column in others:
        cells = _padded(column, colour)
        extra = len(GAP) + cell_len(cells[0])
        if used + extra > width and len(parts[-1]) > 1:
            parts.append([left])
            used = cell_len(left[0])
        parts[-1].append(cells)
        used += extra
    texts = ("\n".join(GAP.join(row).rstrip() for row in zip(*part, strict=True)) for part in parts)
    return "\n\n".join(texts)


def _padded(column: Column, colour: bool) -> list[str]:
    """All cells as wide as the widest; a star, or the room for it, behind numbers."""
    stars = ["*" if k in column.best else " " for k in range(len(column.cells))]
    room = bool(column.best)
    cells = [cell + star * room for cell, star in zip(column.cells, stars, strict=True)]
    width = max(map(cell_len, [column.heading, *cells]))
    padded = []
    for k, cell in enumerate([column.heading, *cells]):
        space = " " * (width - cell_len(cell))
        if colour and k - 1 in column.best:
            cell = f"{BOLD}{cell}{PLAIN}"
        padded.append(cell + space if column.left else space + cell)
    return padded


def scores_tsv(results: Sequence[Result], sampling: Sampling | None) -> str:
    """A row for each number, with all its digits, its bounds and its signature."""
    settings = {} if sampling is None else sampling.to_dict()
    head = ["system", "metric", "value", "lower", "upper", "aligned", "n", "signature"]
    rows = [[*head, *settings]]
    for result in results:
        for metric, score in result.items():
            values = (score.value, score.lower, score.upper, score.aligned, score.n)
            cells = ["" if value is None else repr(value) for value in values]
            rows.append(
                [result.name, metric, *cells, score.signature, *map(str, settings.values())]
            )
    return "\n".join("\t".join(row) for row in rows)


def as_markdown(columns: Sequence[Column]) -> str:
    """The best in bold."""
    rows = [[column.heading.replace("|", "\\|") for column in columns]]
    rows.append(["---" if column.left else "---:" for column in columns])
    for k in range(len(columns[0].cells)):
        cells = (c.cells[k].replace("|", "\\|") for c in columns)
        marks = ("**" if k in c.best else "" for c in columns)
        rows.append([f"{mark}{cell}{mark}" for mark, cell in zip(marks, cells, strict=True)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "↑": r"$\uparrow$",
        "↓": r"$\downarrow$",
        "|": r"\textbar{}",
        "–": "--",
        "<": r"$<$",
        ">": r"$>$",
    }
)


def as_latex(columns: Sequence[Column], breaks: frozenset[int] = frozenset()) -> str:
    """A tabular for the package booktabs, the best in bold; a line before each row of breaks."""
    kinds = "".join("l" if column.left else "r" for column in columns)
    lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule"]
    lines.append(" & ".join(c.heading.translate(LATEX) for c in columns) + r" \\")
    lines.append(r"\midrule")
    for k in range(len(columns[0].cells)):
        if k in breaks:
            lines.append(r"\midrule")
        cells = []
        for c in columns:
            text = c.cells[k].translate(LATEX)
            cells.append(rf"\textbf{{{text}}}" if k in c.best else text)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])
