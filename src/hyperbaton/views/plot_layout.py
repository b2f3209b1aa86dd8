"""The layout of plots: curves in one frame, or several panels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.presentation import Markup
from hyperbaton.views import svg
from hyperbaton.views.axes import LINE, SIZE, Frame, Scale, spread_positions, text_line
from hyperbaton.views.svg import element, number, text_width

Floats = npt.NDArray[np.float64]

# Colours of series in the light and the dark scheme, distinguishable with colour blindness.
COLOURS = (
    ("#2a78d6", "#3987e5"),
    ("#1baf7a", "#199e70"),
    ("#eda100", "#c98500"),
    ("#008300", "#008300"),
    ("#4a3aa7", "#9085e9"),
    ("#e34948", "#e66767"),
    ("#e87ba4", "#d55181"),
    ("#eb6834", "#d95926"),
)
TITLE = 16.0  # font size of titles
_BOLD = ("font-weight", "600", "600")
_STROKE = (("fill", "none", "none"), ("stroke", "currentColor", "currentColor"))
_PAPER, _INK = svg.LOOKS["paper"][0][1:], svg.LOOKS["ink"][0]
LOOKS: dict[str, tuple[svg.Look, ...]] = {
    **svg.LOOKS,
    "plot": (("font-size", f"{SIZE:g}px", f"{SIZE:g}px"),),
    "title": (_INK, ("font-size", f"{TITLE:g}px", f"{TITLE:g}px"), _BOLD),
    "strong": (_INK, _BOLD),
    "curve": (*_STROKE, ("stroke-width", "2", "2"), ("stroke-linejoin", "round", "round")),
    "thin": _STROKE,
    "cloud": (
        *_STROKE,
        ("stroke-width", "3", "3"),
        ("stroke-linecap", "round", "round"),
        ("stroke-opacity", ".4", ".4"),
    ),
    "dot": (
        ("fill", "currentColor", "currentColor"),
        ("stroke", *_PAPER),
        ("stroke-width", "1.5", "1.5"),
    ),
    **{f"s{k}": (("color", *both),) for k, both in enumerate(COLOURS)},
}

LEFT, TOP, BOTTOM = 72, 50, 55  # margins: y axis; title of the plot; x axis
HEADER = 45  # room above a panel for its name and note
HEIGHT = 320  # of a frame of curves
PANEL = 230  # least width and height of one of several panels
MAX_WIDTH = 1000  # of a row of panels, unless there is only one
DASHES = (None, "6 4", "2 3", "8 3 2 3")  # series beyond the number of colours have other dashes
MAX_DOTS = 25  # points of a curve; longer curves are drawn without dots


class Panel(NamedTuple):
    """The values on the axes of a panel, and what draws it, given the frame and a class."""

    name: str
    xs: Floats
    ys: Floats
    draw: Callable[[Frame, str], Iterator[Markup]]


def draw_curves(
    title: str,
    frame: Frame,
    xs: Floats,
    table: Mapping[str, Floats],
    marks: Sequence[tuple[float, str]],
    x_label: str,
    y_label: str,
    behind: Sequence[Markup],
) -> str:
    """Return curves in a frame, each with its name at its right end.

    Parameters
    ----------
    title : str
    frame : Frame
    xs : array
        The x values of all curves.
    table : mapping of str to array
        The y values by name; NaN is a gap.
    marks : sequence of (float, str)
        Marks on the x axis.
    x_label, y_label : str
    behind : sequence of Markup
        What is drawn behind the curves.
    """
    table = {name: ys for name, ys in table.items() if np.isfinite(ys).any()}
    ends = [float(ys[np.flatnonzero(np.isfinite(ys))[-1]]) for ys in table.values()]
    places = spread_positions([frame.y(end) for end in ends], LINE, frame.y.end, frame.y.start)
    drawn: list[Markup] = []
    labels: list[Markup] = []
    for k, (name, ys) in enumerate(table.items()):
        known = np.flatnonzero(np.isfinite(ys)).tolist()
        points = [(frame.x(float(xs[n])), frame.y(float(ys[n]))) for n in known]
        kind, dash = f"hb-s{k % len(COLOURS)}", DASHES[k // len(COLOURS) % len(DASHES)]
        steps = ["L" if n - 1 in known else "M" for n in known]
        path = "".join(
            f"{step}{number(x)} {number(y)}" for step, (x, y) in zip(steps, points, strict=True)
        )
        dots = []
        if len(points) <= MAX_DOTS:
            for n, (x, y) in zip(known, points, strict=True):
                tip = element("title", f"{name}: {ys[n]:.4g}")
                dots.append(element("circle", tip, cx=x, cy=y, r=4.5, class_="hb-dot"))
        line = element("path", d=path, class_="hb-curve", stroke_dasharray=dash)
        drawn.append(element("g", line, *dots, class_=kind))
        x, y = points[-1]
        right = frame.x.end
        key = f"M{number(x + 6)} {number(y)}L{number(right + 6)} {number(places[k])}h10"
        labels.append(element("path", d=key, class_=f"{kind} hb-thin", stroke_dasharray=dash))
        labels.append(text_line(name, right + 21, places[k] + 4))
    below = max([frame.y.start, *places])  # the names of very many curves need more room
    width = frame.x.end + 30 + max(text_width(name, SIZE) for name in table)
    return _paper(
        max(width, LEFT + text_width(title, TITLE)),
        below + BOTTOM,
        *frame.rows(y_label),
        *frame.columns(marks, x_label),
        *behind,
        *labels,
        *drawn,
        title=title,
    )


def draw_panels(
    title: str,
    panels: Sequence[Panel],
    label: str,
    notes: Mapping[str, str],
    side: float = PANEL,
) -> str:
    """Return panels in rows.

    Parameters
    ----------
    title : str
    panels : sequence of Panel
    label : str
        The title of all x axes. Each y axis has the name of its panel.
    notes : mapping of str to str
        A line for each panel, by its name.
    side : float
        The width and the height of each panel.
    """
    panels = [panel for panel in panels if np.isfinite(panel.ys).any()]
    drawn: list[Markup] = []
    texts = [text for panel in panels for text in (panel.name, notes.get(panel.name, ""))]
    wide = LEFT + 20 + max(side, *(text_width(text, SIZE) for text in texts))
    per_row = max(1, int(MAX_WIDTH // wide))
    for k, panel in enumerate(panels):
        row, column = divmod(k, per_row)
        left = LEFT + column * wide
        top = TOP + HEADER + row * (HEADER + side + BOTTOM)
        frame = Frame(
            Scale.around(panel.xs, left, left + side), Scale.around(panel.ys, top + side, top)
        )
        drawn.append(text_line(panel.name, left, top - 30, "strong"))
        drawn.append(text_line(notes.get(panel.name, ""), left, top - 12, "quiet"))
        drawn += frame.rows(panel.name, round(side / 60))
        drawn += frame.columns(frame.x.ticks(round(side / 60)), label)
        drawn += panel.draw(frame, "hb-s0")
    across = min(per_row, len(panels))
    down = math.ceil(len(panels) / per_row)
    return _paper(
        max(across * wide, LEFT + text_width(title, TITLE)),
        TOP + down * (HEADER + side + BOTTOM),
        *drawn,
        title=title,
    )


def _paper(width: float, height: float, *content: Markup, title: str) -> str:
    heading = text_line(title, 16, 28, "title")
    inside = element("g", heading, *content, class_="hb-plot")
    return svg.document(width, height, inside, title=title, looks=LOOKS)
