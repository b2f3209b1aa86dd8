"""Figures: matplotlib draws them as SVG, in our style and with names beside points and curves.

Text stays text, and its widths are those of :func:`hyperbaton.views.svg.text_width`. Readers see
names in any script in their own fonts, and a drawing does not depend on the fonts of the machine
that made it.
"""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import MissingData
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import visible
from hyperbaton.views import svg
from hyperbaton.views.svg import LOOKS, element, text_width

try:
    from cycler import cycler
    from matplotlib import style
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_svg import RendererSVG
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties
    from matplotlib.transforms import IdentityTransform
except ImportError:
    raise MissingData('plots need matplotlib: pip install "hyperbaton[plot]"') from None

Floats = npt.NDArray[np.float64]
Limits = tuple[float, float]

SIZE, TITLE = 12.0, 16.0  # font sizes, in pixels
LINE = 15  # height of a line of text
LEFT, TOP, BOTTOM = 72, 50, 55  # margins: y axis; title of the plot; x axis

NAME_WIDTH = 150.0  # most of the name of a point; its tooltip has the whole name
NAME_PAD = 3.0  # on both sides of the name

# Colours of series in the light and the dark scheme, distinguishable with colour blindness.
SERIES = {
    "#2a78d6": "#3987e5",
    "#1baf7a": "#199e70",
    "#eda100": "#c98500",
    "#008300": "#008300",
    "#4a3aa7": "#9085e9",
    "#e34948": "#e66767",
    "#e87ba4": "#d55181",
    "#eb6834": "#d95926",
}
PAPER, INK, QUIET, RULE, FAINT = (
    LOOKS[look][0][1] for look in ("paper", "ink", "quiet", "line", "faint")
)
DARK = SERIES | {light: dark for _, light, dark in (rules[0] for rules in LOOKS.values())}
BLUE = next(iter(SERIES))

# matplotlib's own style, whatever the user's is, with these changes.
STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": RULE,
    "axes.formatter.useoffset": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": QUIET,
    "axes.labelpad": 6,
    "axes.prop_cycle": cycler(color=SERIES),
    **{f"axes.spines.{side}": False for side in ("left", "right", "top")},
    "errorbar.capsize": 4,
    "font.family": "DejaVu Sans",  # part of matplotlib, which then looks for no other font
    "font.size": SIZE,
    "grid.color": FAINT,
    "lines.linewidth": 2,
    "lines.markeredgecolor": PAPER,
    "lines.markeredgewidth": 1.5,
    "lines.markersize": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "hyperbaton",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": RULE,
    "xtick.labelcolor": QUIET,
    "xtick.major.size": 5,
    "ytick.labelcolor": QUIET,
    "ytick.major.pad": 8,
    "ytick.major.size": 0,
}


class _Renderer(RendererSVG):
    """Measures text as all drawings do; the id of an artist (``gid``) is its tooltip."""

    def open_group(self, s: str, gid: str | None = None) -> None:
        self.writer.start("g")
        if gid is not None:
            self.writer.element("title", gid)

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: object
    ) -> tuple[float, float, float]:
        size = prop.get_size_in_points()
        return text_width(s, size), size, size / 4


_STYLE_LOCK = threading.Lock()


@contextmanager
def own_style() -> Iterator[None]:
    """Draw in our style. matplotlib has one style at a time, so other threads wait."""
    with _STYLE_LOCK, style.context(["default", STYLE]):
        yield


def new_figure(width: float, height: float, title: str = "") -> Figure:
    """Return an empty figure, at least as wide as its title."""
    width = max(width, LEFT + text_width(title, TITLE))
    figure = Figure((width / 72, height / 72), dpi=72)  # a pixel is a point
    figure.patch.set_visible(False)
    figure.text(16 / width, 1 - 28 / height, visible(title), size=TITLE, weight="bold")
    return figure


def add_axes(
    figure: Figure, left: float, top: float, size: tuple[float, float], x_label: str, y_label: str
) -> Axes:
    """Return new axes in a figure; the position and the size are pixels."""
    width, height = 72 * figure.get_size_inches()
    across, down = size
    place = (left / width, 1 - (top + down) / height, across / width, down / height)
    axes = figure.add_axes(place)
    axes.patch.set_visible(False)
    axes.set_xlabel(fit_text(x_label, across))
    axes.set_ylabel(fit_text(y_label, down))
    axes.locator_params(nbins=round(min(size) / 45), steps=(1, 2, 5, 10))
    axes.yaxis.get_offset_text().set_horizontalalignment("right")
    return axes


def to_svg(figure: Figure, title: str) -> Drawing:
    """Return a figure as a drawing, with a style for the dark scheme."""
    width, height = 72 * figure.get_size_inches()
    stream = io.StringIO()
    no_metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    renderer = _Renderer(width, height, stream, metadata=no_metadata)
    start = stream.tell()  # after matplotlib's head, which ``svg.document`` replaces
    figure.draw(renderer)
    renderer.finalize()
    drawn = stream.getvalue()[start:].removesuffix("</svg>\n").replace("xlink:href", "href")
    sheet = element("style", Markup(_style_sheet()))
    plot = element("g", Markup(drawn), class_="hb-plot")
    return svg.document(width, height, sheet, plot, title=title, style=False)


def _style_sheet() -> str:
    """Return the style of a plot, which finds its elements by the colours in them."""
    looks = {"paper": LOOKS["paper"], "plot": (("stroke-linejoin", "round", "round"),)}
    dark = "".join(
        f'.hb-plot [style*="{key}: {light}"]{{{key}:{dark}!important}}'
        for light, dark in DARK.items()
        for key in ("fill", "stroke")
        if light != dark
    )
    font = f".hb-plot text{{font-family:{svg.FONT}!important}}"
    return f"{svg.style_sheet(looks)}{font}@media{svg.DARK}{{{dark}}}"


def fit_text(text: str, room: float) -> str:
    """Return the text, or its start and … if it is wider than the room.

    >>> fit_text("adjacency", 60), fit_text("adjacency", 40)
    ('adjacency', 'adjac…')
    """
    text = visible(text)
    if text_width(text, SIZE) <= room:
        return text
    while text and text_width(f"{text}…", SIZE) > room:
        text = text[:-1]
    return f"{text}…"


def limits(values: Floats) -> Limits:
    """Return limits of an axis for all finite values, with a small margin."""
    known = values[np.isfinite(values)].tolist()
    low, high = min(known, default=0.0), max(known, default=1.0)
    # values that are equal, or differ only by rounding, have no range
    has_range = high - low > 1e-12 * max(abs(low), abs(high))
    margin = (high - low) / 20 if has_range else abs(low) / 10 or 1.0
    return low - margin, high + margin


def draw_dots(axes: Axes, xs: Floats, ys: Floats, tips: Sequence[str], colour: str = BLUE) -> None:
    """Draw dots with tooltips."""
    for x, y, tip in zip(xs, ys, tips, strict=True):
        axes.plot([x], [y], "o", color=colour, gid=visible(tip), clip_on=False)


def draw_line(axes: Axes, points: Sequence[tuple[float, float]] | Floats, **look: Any) -> None:
    """Draw a thin line through pixels of the figure, behind curves and dots."""
    xs, ys = zip(*points, strict=True)
    look |= {"linewidth": 1, "zorder": 1, "transform": IdentityTransform(), "clip_on": False}
    axes.plot(xs, ys, **look)


def draw_text(axes: Axes, x: float, y: float, text: str, **look: Any) -> None:
    """Draw a line of text that starts at a pixel of the figure."""
    axes.text(x, y, visible(text), transform=IdentityTransform(), **look)


def draw_names(axes: Axes, points: Floats, names: Sequence[str]) -> None:
    """Draw the name of every point, with a line to it if it is not beside its point."""
    texts = [fit_text(name, NAME_WIDTH) for name in names]
    sizes = np.array([(text_width(text, SIZE) + 2 * NAME_PAD, SIZE + 2) for text in texts])
    placed = place_names(points, sizes, np.array(axes.get_window_extent().extents))
    for text, (box, *beads) in zip(texts, placed, strict=True):
        start, end = ((bead[:2] + bead[2:]) / 2 for bead in (beads[0], beads[-1]))
        if math.dist(start, end) > BESIDE + 1:
            draw_line(axes, [start, end], color=RULE)
        draw_text(axes, box[0] + NAME_PAD, box[1] + 3, text, color=QUIET)


# Where names go: around points, and beside the ends of curves.

RADIUS = 6.0  # of the room of a point
BESIDE = 2.0  # from this room to a name without a line
STEP = 12.0  # between the distances that are tried
TURNS = np.arange(16) * np.pi / 8
DIRECTIONS = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
TRIED = 24  # free places for a name; the one with the best line is taken
SPACING = 6.0  # of the boxes along a line
CROSSES = 5  # how much longer a line may get, in boxes, rather than cross something


def spread_positions(ideal: Floats, gap: float, low: float, high: float) -> Floats:
    """Return positions close to the ideal ones that are at least ``gap`` apart.

    They keep the order of the ideal positions, minimise the squared differences, and lie within
    the bounds if there is room. Used for labels beside curves.

    >>> spread_positions(np.array([50, 51, 90]), 10, 0, 100)
    array([45.5, 55.5, 90. ])
    >>> spread_positions(np.array([98, 99]), 10, 0, 100)
    array([ 90., 100.])
    """
    order = np.argsort(ideal, kind="stable")
    steps = np.arange(len(ideal))
    # Without k gaps, the k-th position only has to be at least the one before: isotonic regression
    # by the means of all runs (Barlow et al. 1972).
    sums = np.concatenate([[0.0], np.cumsum(ideal[order] - gap * steps)])
    sizes = np.maximum(steps[None] - steps[:, None] + 1, 1)
    means = (sums[None, 1:] - sums[:-1, None]) / sizes
    free = [means[: k + 1, k:].min(axis=1).max() for k in steps]
    places = np.empty(len(ideal))
    places[order] = np.clip(free, low, max(low, high - gap * steps[-1])) + gap * steps
    return places


def place_names(points: Floats, sizes: Floats, frame: Floats) -> list[Floats]:
    """Return boxes (left, bottom, right, top) for each name: its own, and those along its line.

    Parameters
    ----------
    points, sizes : array
        A row for each name: x and y; width and height.
    frame : array
        The box in which the names have to be.

    Names cover neither points nor each other if the frame has room for them. The points with the
    most room around them choose first. Then each chooses again, because the first ones did not know
    the places of the others.
    """
    dots = _squares(points, RADIUS)
    crowds = _overlaps(dots, _squares(points, 10 * RADIUS)).sum(axis=1)
    placed: dict[int, Floats] = {}
    for k in 3 * np.argsort(crowds, kind="stable").tolist():
        placed.pop(k, None)
        taken = np.vstack([dots, *(parts[:1] for parts in placed.values())])
        boxes = _boxes_around(points[k], sizes[k], frame)
        free = boxes[~_overlaps(boxes, taken).any(axis=1)]
        tried = [_with_line(points[k], box) for box in (free if len(free) else boxes)[:TRIED]]
        # a line from one of several points at the same place cannot avoid the others
        elsewhere = np.abs(points - points[k]).max(axis=1) > 1
        drawn = np.vstack([dots[elsewhere], *placed.values()])
        costs = [len(parts) + CROSSES * _overlaps(parts, drawn).sum() for parts in tried]
        placed[k] = tried[int(np.argmin(costs))]
    return [placed[k] for k in range(len(points))]


def _boxes_around(point: Floats, size: Floats, frame: Floats) -> Floats:
    """Return boxes for a name around its point and within the frame, the nearest first."""
    distances = np.arange(RADIUS + BESIDE, (frame[2:] - frame[:2]).max(), STEP)[:, None, None]
    # the side or corner of the name that faces the point is at this distance
    low = point + DIRECTIONS * distances - size * (1 - DIRECTIONS) / 2
    low = np.clip(low.reshape(-1, 2), frame[:2], np.maximum(frame[2:] - size, frame[:2]))
    return np.hstack([low, low + size])


def _with_line(point: Floats, box: Floats) -> Floats:
    """Return a box with small ones along the line to it, which begins beside the point."""
    end = np.clip(point, box[:2], box[2:])
    length = max(math.dist(point, end), RADIUS)
    along = np.linspace(RADIUS / length, 1, 2 + int(length / SPACING))[:, None]
    return np.vstack([box, _squares(point + along * (end - point), SPACING / 2)])


def _squares(centres: Floats, radius: float) -> Floats:
    return np.hstack([centres - radius, centres + radius])


def _overlaps(some: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Return which boxes have a common area with which others."""
    low, high = some[:, None, :2], some[:, None, 2:]
    found: npt.NDArray[np.bool_] = np.all((low < others[:, 2:]) & (others[:, :2] < high), axis=2)
    return found
