"""What is shown of a result: sections of tables with values, sentences and drawings.

Each result has one :class:`View`, and output formats are functions of it; see
:mod:`hyperbaton.views.formats`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hyperbaton.files.lines import printable

if TYPE_CHECKING:
    from hyperbaton.meta.results import MetricDifference
    from hyperbaton.notices import Notice
    from hyperbaton.runs.comparing import Difference

DIGITS = 4
MISSING = "–"  # the cell of a value that is not defined
BELOW = "▼"  # behind a value that is significantly below the best of its column


# Values of cells


class NumberCell(NamedTuple):
    """A number in a format of its own, such as ``.2f``, or else with the reader's decimals."""

    value: float
    specification: str = ""

    def format(self, digits: int) -> str:
        """Return the number."""
        return format(self.value, self.specification or f".{digits}f")


class Estimate(NamedTuple):
    """A value, with its interval if it has one.

    >>> Estimate(0.5, 0.4, 0.6).format(2), Estimate(0.5).format(2)
    ('0.50 [0.40, 0.60]', '0.50')
    """

    value: float | None  # None if it is not scored
    lower: float | None = None
    upper: float | None = None

    def format(self, digits: int) -> str:
        """Return the value and its bounds."""
        if self.value is None:
            return MISSING
        text = f"{self.value:.{digits}f}"
        if self.lower is None or self.upper is None:
            return text
        return f"{text} [{self.lower:.{digits}f}, {self.upper:.{digits}f}]"

    def times(self, scale: float) -> Estimate:
        """Return the value and its bounds multiplied by ``scale``."""
        return Estimate(*(None if number is None else scale * number for number in self))


class Percent(NamedTuple):
    """A value as people see it, times 100, with half of its interval; ▼ if others are far above.

    >>> Percent(0.8722, 0.8552, 0.8881, below=True).format(1), Percent(None).format(1)
    ('87.2 ±1.6▼', '–')
    """

    value: float | None
    lower: float | None = None
    upper: float | None = None
    below: bool = False

    def format(self, digits: int) -> str:
        """Return the value, half of its interval and the sign."""
        if self.value is None:
            return MISSING
        text = f"{100 * self.value:.{digits}f}"
        if self.lower is not None and self.upper is not None:
            text += f" ±{50 * (self.upper - self.lower):.{digits}f}"
        return text + BELOW * self.below


class PValue(NamedTuple):
    """A p-value, which has three decimals.

    >>> [PValue(p).format(4) for p in (0.0321, 0.0001, 1.0)]
    ['0.032', '<0.001', '1.000']
    """

    p: float

    def format(self, digits: int) -> str:
        """Return the p-value."""
        return f"{self.p:.3f}" if self.p >= 0.0005 else "<0.001"


CellValue = NumberCell | Estimate | Percent | PValue
Cell = str | CellValue


def optional_number(value: float | None, specification: str = "", missing: str = "") -> Cell:
    """Return the cell of a number that may be undefined."""
    return missing if value is None else NumberCell(value, specification)


# Documents


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    heading : str
    cells : sequence of str or CellValue
        One per row.
    highlighted : frozenset of int
        The rows whose cells are highlighted.
    left : bool
        Whether cells are aligned to the left, as text; numbers are aligned to the right.
    """

    heading: str
    cells: Sequence[Cell]
    highlighted: frozenset[int] = frozenset()
    left: bool = False

    def format(self, digits: int) -> TextColumn:
        """Return the texts of the column. Names may have any characters."""
        texts = (cell if isinstance(cell, str) else cell.format(digits) for cell in self.cells)
        cells = list(map(printable, texts))
        return TextColumn(printable(self.heading), cells, self.highlighted, self.left)


class TextColumn(NamedTuple):
    """The printable texts of a column."""

    heading: str
    cells: Sequence[str]
    highlighted: frozenset[int]
    left: bool


@dataclass(frozen=True)
class Table:
    """Columns of the same length.

    Parameters
    ----------
    columns : sequence of Column
        The first one is repeated where a wide table is split.
    rules : frozenset of int
        Rows with a horizontal rule above them, in text, LaTeX and HTML.
    splittable : bool
        Whether text may place columns that do not fit in the width below the others.
    legend : str
        Lines on what the table's signs mean, which stand directly below it.
    """

    columns: Sequence[Column]
    rules: frozenset[int] = frozenset()
    splittable: bool = True
    legend: str = ""

    @property
    def rows(self) -> range:
        """The numbers of the rows below the headings."""
        return range(len(self.columns[0].cells))

    def format(self, digits: int) -> list[TextColumn]:
        """Return the texts of all columns."""
        return [column.format(digits) for column in self.columns]


def p_value_table(
    heading: str, labels: Mapping[str, str], differences: Iterable[Difference | MetricDifference]
) -> Table:
    """Return the p-values of all pairs of systems or metrics; significant ones are highlighted.

    Parameters
    ----------
    heading : str
    labels : mapping of str to str
        The names of rows, in their order, and how they are shown. Columns have their numbers.
    differences : iterable of Difference or MetricDifference
    """
    names = list(labels)
    by_pair = {frozenset((d.a, d.b)): d for d in differences}
    columns = [numbered_rows(heading, labels.values())]
    for j, other in enumerate(names[1:], 2):
        pairs = [by_pair.get(frozenset((name, other))) for name in names[: j - 1]]
        significant = frozenset(k for k, d in enumerate(pairs) if d and d.better)
        cells = [*map(p_value_cell, pairs), *[""] * (len(names) - len(pairs))]
        columns.append(Column(str(j), cells, significant))
    return Table(columns)


def numbered_rows(heading: str, names: Iterable[str]) -> Column:
    """Return the column of names with their numbers, by which other columns are named."""
    return Column(heading, [f"{k:>2} {name}" for k, name in enumerate(names, 1)], left=True)


def p_value_cell(difference: Difference | MetricDifference | None) -> Cell:
    """Return the cell of a p-value: of a difference about which nothing is known, a dash."""
    if difference is None:
        return ""
    p = getattr(difference, "shown_p", difference.p)
    return MISSING if p is None else PValue(p)


@dataclass(frozen=True)
class Prose:
    """Printable sentences, which text wraps one by one, perhaps indented below the first one."""

    sentences: Sequence[str]
    indented: bool = False


class ExampleLine(NamedTuple):
    """A text of an example, its name, and its value if it has one."""

    name: str
    text: str
    value: CellValue | None = None


@dataclass(frozen=True)
class Example:
    """Texts of a segment, which are shown as they are."""

    heading: str
    lines: Sequence[ExampleLine]

    def format(self, digits: int) -> str:
        """Return the heading and the texts."""
        lines = [
            f"  {name}{'' if value is None else f' ({value.format(digits)})'}: {text}"
            for name, text, value in self.lines
        ]
        return "\n".join([self.heading, *lines])


@dataclass(frozen=True)
class Picture:
    """A drawing, which only HTML shows, and the text that replaces it elsewhere."""

    drawing: str
    text: str

    def format(self, digits: int) -> str:
        """Return the text."""
        return self.text


ViewPart = Table | Prose | Example | Picture


# A line below tables, given the number of decimals and how highlighted cells look.
Note = Callable[[int, str], str]


def legend(meaning: str, about: str = "") -> Note:
    """Return a note that says what highlighted cells mean."""
    return lambda digits, mark: f"{about}{mark}: {meaning}"


@dataclass(frozen=True)
class Document:
    """What people see of a result.

    Parameters
    ----------
    parts : sequence of ViewPart
    notes : sequence of str or Note
        Lines below the parts.
    signatures : sequence of str
        Signatures of the metrics, which follow the notes.
    short_signatures : bool
        Whether text, Markdown and LaTeX show them with short keys.
    adjoining : bool
        Whether LaTeX writes the notes directly below the last table. A blank line would end the
        paragraph that contains the table.
    title : str
    """

    parts: Sequence[ViewPart]
    notes: Sequence[str | Note] = ()
    signatures: Sequence[str] = ()
    short_signatures: bool = False
    adjoining: bool = False
    title: str = ""

    def signature_lines(self) -> list[str]:
        """Return the signatures as text shows them."""
        if not self.short_signatures:
            return list(map(printable, self.signatures))
        # imported here, because the help of commands, which lists the formats, does without
        from hyperbaton.metrics.signature import Signature

        parsed = map(Signature.parse, self.signatures)
        return [printable(signature.format(short=True)) for signature in parsed]

    def format_notes(self, digits: int, mark: str) -> list[str]:
        """Return the notes, given the number of decimals and how highlighted cells look."""
        return [n if isinstance(n, str) else n(digits, mark) for n in self.notes]


@dataclass(frozen=True)
class Style:
    """How a reader wants documents to look.

    Attributes
    ----------
    digits : int, optional
        Number of decimals; by default that of the view.
    colour : bool
        Whether text may contain terminal colours.
    width : int, optional
        Columns of text; by default those of the terminal.
    """

    digits: int | None = None
    colour: bool = False
    width: int | None = None

    def decimals(self, view: View) -> int:
        """Return the number of decimals of a view."""
        return view.digits if self.digits is None else self.digits


class View(ABC):
    """What is shown of an object."""

    digits = DIGITS  # decimals, unless a reader chooses others

    @abstractmethod
    def document(self) -> Document:
        """Return what people see."""

    def cautions(self) -> Sequence[str]:
        """Return warnings and notes for readers. The command line prints them as messages."""
        return ()


class ResultView(View):
    """What is shown of a result that programs read, too."""

    @abstractmethod
    def data(self) -> Any:
        """Return the data for JSON; missing values are None."""

    def told(self) -> Iterable[Notice]:
        """Return the notices that the document tells by itself."""
        return ()

    @abstractmethod
    def records(self) -> Sequence[Mapping[str, object]]:
        """Return the rows of a table with all digits, by heading; missing values are None."""


def note_lines(document: Document, digits: int, mark: str) -> list[str]:
    """Return the notes of a document as printable lines.

    Parameters
    ----------
    document : Document
    digits : int
        Number of decimals.
    mark : str
        How highlighted cells look.
    """
    return list(map(printable, document.format_notes(digits, mark)))
