"""Plots of metrics: sweeps of an option, scatter plots, those of a meta-evaluation and a tuning.

matplotlib draws them as SVG, in our style and with names beside points and curves. Text stays text,
and its widths are those of :func:`hyperbaton.views.svg.text_width`. Readers see names in any script
in their own fonts, and a drawing does not depend on the fonts of the machine that made it.
"""

from __future__ import annotations

import io
import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, MissingData
from hyperbaton.meta.agreement import SystemMeasure
from hyperbaton.meta.judgements import Rankings
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Tuning
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

Numbers = Sequence[float | None] | Floats  # None is NaN
Curves = Mapping[str, Numbers]

HEADER = 45  # room above a panel for its name and note
HEIGHT = 320  # least height of a frame of curves
PANEL = 230  # least width and height of one of several panels
MAX_WIDTH = 1000  # of a row of panels, unless there is only one
MAX_DOTS = 25  # points of a curve; longer curves are drawn without dots
CLASSES = 11  # of human scores, as in Leusch, Ueffing & Ney 2003
FILLED = 0.15  # of a panel, by names; with more, lines become long
DASHES = ("-", (0, (3, 2)), (0, (1, 1.5)), (0, (4, 1.5, 1, 1.5)))  # for more series than colours
CURVES = [{"color": colour, "linestyle": dash} for dash in DASHES for colour in SERIES]

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


# Plots


@own_style()
def sweep(
    option: str,
    values: Numbers,
    curves: Curves,
    measure: str = "Kendall's τ",
    chosen: float | None = None,
    title: str | None = None,
) -> Drawing:
    """Plot agreement over the values of an option, with one curve per metric.

    Figures 7 and 8 of Stanojević & Sima'an 2014 are plots of this kind.

    Parameters
    ----------
    option : str
        The name of the option.
    values : sequence of float
        The values of the option.
    curves : mapping of str to sequence of float
        The agreement of each metric for each value; NaN if it is unknown.
    measure : str
        The label of the y axis.
    chosen : float, optional
        A value to mark.
    title : str, optional

    >>> picture = sweep("α", [0, 0.5, 1], {"pef": [0.1, 0.3, 0.2], "kendall": [0.1, 0.2, 0.2]})
    >>> picture.startswith("<svg"), "kendall" in picture
    (True, True)
    """
    xs = np.asarray(values, np.float64)
    table = _table(curves, len(xs), f"values of {option}")
    title = f"Effect of {option}" if title is None else title
    if not np.isfinite(xs).all():
        raise InputError(f"values of {option} must be finite; one is not a number")
    order = np.argsort(xs, kind="stable")
    table = {name: ys[order] for name, ys in table.items()}
    bounds = limits(xs), limits(np.concatenate(list(table.values())))
    figure, axes = _draw_curves(title, xs[order], table, 520.0, bounds, (option, measure))
    if chosen is not None:
        axes.axvline(chosen, color=RULE, linewidth=1, linestyle=(0, (4, 4)), zorder=1)
    return to_svg(figure, title)


def scaled(correlations: Floats) -> Floats:
    """Return (c − worst) / (best − worst) for each column (language pair) of the rows (metrics).

    A column of equal values becomes 1. NaN is kept.

    >>> scaled(np.array([[0.1, 0.2], [0.3, 0.2], [0.2, 0.2]]))
    array([[0. , 1. ],
           [1. , 1. ],
           [0.5, 1. ]])
    """
    known = np.where(np.isfinite(correlations), correlations, np.nan)
    best = np.fmax.reduce(known, axis=0)
    worst = np.fmin.reduce(known, axis=0)
    span = best - worst
    shares: Floats = (known - worst) / np.where(span > 0, span, 1)
    return np.where(span > 0, shares, known * 0 + 1)


@own_style()
def scaled_correlations(
    pairs: Sequence[str],
    correlations: Curves,
    measure: str = "scaled Kendall's τ",
    title: str = "Correlation between the worst metric (0) and the best (1)",
) -> Drawing:
    """Plot the correlations of metrics in each language pair, from the worst (0) to the best (1).

    Figures 9 and 10 of Stanojević & Sima'an 2014 are plots of this kind; see :func:`scaled`.

    Parameters
    ----------
    pairs : sequence of str
        The names of the language pairs.
    correlations : mapping of str to sequence of float
        The correlations of each metric, one per language pair.
    measure, title : str

    >>> picture = scaled_correlations(["de-en", "fr-en"], {"pef": [0.2, 0.3], "ulam": [0.1, 0.1]})
    >>> "ulam: 0" in picture, "fr-en" in picture
    (True, True)
    """
    table = _table(correlations, len(pairs), "language pairs")
    rows = scaled(np.stack(list(table.values())))
    between = max(100.0, *(text_width(pair, SIZE) + 16 for pair in pairs))
    last = len(pairs) - 1
    width = max(280.0, between * last + 80)
    room = 40 / (width - 80) * last if last else 0.5
    curves = dict(zip(table, rows, strict=True))
    bounds = (-room, last + room), (-0.05, 1.05)
    places = np.arange(len(pairs), dtype=np.float64)
    figure, axes = _draw_curves(title, places, curves, width, bounds, ("language pair", measure))
    axes.set_xticks(places, list(map(visible, pairs)))
    return to_svg(figure, title)


def _draw_curves(
    title: str,
    xs: Floats,
    table: Mapping[str, Floats],
    width: float,
    bounds: tuple[Limits, Limits],
    labels: tuple[str, str],
) -> tuple[Figure, Axes]:
    """Return curves in axes, each with its name at its right end, and with gaps for NaN."""
    height = max(HEIGHT, LINE * len(table))
    right = LEFT + width
    room = 30 + max(text_width(name, SIZE) for name in table)
    figure = new_figure(right + room, TOP + height + BOTTOM, title)
    axes = add_axes(figure, LEFT, TOP, (width, height), *labels)
    axes.set(xlim=bounds[0], ylim=bounds[1])
    known = [np.flatnonzero(np.isfinite(ys)) for ys in table.values()]
    last = [(xs[which[-1]], ys[which[-1]]) for which, ys in zip(known, table.values(), strict=True)]
    ends = axes.transData.transform(last)
    places = -spread_positions(-ends[:, 1], LINE, -BOTTOM - height, -BOTTOM)
    for k, (name, ys) in enumerate(table.items()):
        look: dict[str, Any] = CURVES[k % len(CURVES)]
        axes.plot(xs, ys, **look)
        if len(known[k]) <= MAX_DOTS:
            tips = [f"{name}: {y:.4g}" for y in ys[known[k]]]
            draw_dots(axes, xs[known[k]], ys[known[k]], tips, look["color"])
        (x, y), place = ends[k], places[k]
        draw_line(axes, [(x + 6, y), (right + 6, place), (right + 16, place)], **look)
        draw_text(axes, right + 21, place - 4, name)
    return figure, axes


@own_style()
def scatter(
    human: Numbers,
    metrics: Curves,
    names: Sequence[str],
    notes: Mapping[str, str],
    label: str = "human score",
    title: str = "Metrics and human scores",
) -> Drawing:
    """Plot each metric against human scores in a panel, with one point per system.

    Figures 2 and 3 of Leusch, Ueffing & Ney 2003 are plots of this kind.

    Parameters
    ----------
    human : sequence of float
        The human scores.
    metrics : mapping of str to sequence of float
        The values of each metric, one per human score.
    names : sequence of str
        The names of the points.
    notes : mapping of str to str
        A line for each metric, such as its correlation.
    label, title : str

    >>> picture = scatter([1, 2, 3], {"pef": [0.1, 0.2, 0.4]}, ["A", "B", "C"], {"pef": "r = 0.98"})
    >>> "A: 0.1, human score 1" in picture, "r = 0.98" in picture
    (True, True)
    """
    xs = np.asarray(human, np.float64)
    table = _table(metrics, len(xs), "human scores")
    if len(names) != len(xs):
        raise InputError(f"{len(xs):,} human scores, but {len(names):,} names")

    def draw(axes: Axes, ys: Floats) -> None:
        axes.set(xlim=limits(xs), ylim=limits(ys))
        known = np.flatnonzero(np.isfinite(xs + ys)).tolist()
        tips = [f"{names[k]}: {ys[k]:.4g}, {label} {xs[k]:.4g}" for k in known]
        draw_dots(axes, xs[known], ys[known], tips)
        points = axes.transData.transform(np.column_stack([xs, ys])[known])
        draw_names(axes, points, [names[k] for k in known])

    # enough room for all names
    area = sum(min(text_width(name, SIZE), NAME_WIDTH) * SIZE for name in names)
    side = max(PANEL, math.ceil(math.sqrt(area / FILLED)))
    return _draw_panels(title, table, label, notes, draw, side)


@own_style()
def class_means(
    human: Numbers,
    metrics: Curves,
    notes: Mapping[str, str],
    classes: int = CLASSES,
    label: str = "human score",
    title: str = "Metrics and human scores: mean and standard deviation",
) -> Drawing:
    """Plot the mean and the standard deviation of each metric over classes of human scores.

    Figures 1 and 4 of Leusch, Ueffing & Ney 2003 are plots of this kind. Each human score is a
    class; if there are more than ``classes``, the classes are intervals of equal length.

    Parameters
    ----------
    human, metrics, notes, label, title
        As in :func:`scatter`.
    classes : int
        The maximum number of classes.

    >>> picture = class_means([0, 0, 1, 1], {"pef": [0.1, 0.3, 0.4, 0.6]}, {})
    >>> "0.5 ± 0.1, of 2" in picture
    True
    """
    xs = np.asarray(human, np.float64)
    table = _table(metrics, len(xs), "human scores")
    centres, which = _classes(xs, classes)

    def draw(axes: Axes, ys: Floats) -> None:
        members = [ys[(which == k) & np.isfinite(ys)] for k in range(len(centres))]
        known = [k for k, values in enumerate(members) if len(values)]
        xs = centres[known]
        means, bars = np.array([(members[k].mean(), members[k].std()) for k in known]).T
        axes.set(xlim=limits(centres), ylim=limits(np.concatenate([means - bars, means + bars])))
        axes.errorbar(xs, means, bars, fmt="none", ecolor=BLUE, elinewidth=1, capthick=1)
        counts = [len(members[k]) for k in known]
        moments = zip(means, bars, counts, strict=True)
        draw_dots(axes, xs, means, [f"{m:.4g} ± {bar:.4g}, of {n:,}" for m, bar, n in moments])

    return _draw_panels(title, table, label, notes, draw, PANEL)


def _draw_panels(
    title: str,
    table: Mapping[str, Floats],
    label: str,
    notes: Mapping[str, str],
    draw: Callable[[Axes, Floats], None],
    side: float,
) -> Drawing:
    """Return a square panel for each metric, in rows; ``draw`` fills one."""
    texts = [text for name in table for text in (name, notes.get(name, ""))]
    wide = LEFT + 20 + max(side, *(text_width(text, SIZE) for text in texts))
    high = HEADER + side + BOTTOM
    per_row = max(1, int(MAX_WIDTH // wide))
    rows = math.ceil(len(table) / per_row)
    figure = new_figure(min(per_row, len(table)) * wide, TOP + rows * high, title)
    for k, (name, ys) in enumerate(table.items()):
        row, column = divmod(k, per_row)
        left, top = LEFT + column * wide, TOP + HEADER + row * high
        axes = add_axes(figure, left, top, (side, side), label, name)
        over = 72 * figure.get_size_inches()[1] - top
        draw_text(axes, left, over + 30, name, weight="bold")
        draw_text(axes, left, over + 12, notes.get(name, ""), color=QUIET)
        draw(axes, ys)
    return to_svg(figure, title)


def _table(curves: Curves, count: int, what: str) -> dict[str, Floats]:
    """Return curves with finite values as arrays, with NaN for values that are not finite."""
    table = {name: np.asarray(values, np.float64) for name, values in curves.items()}
    for name, values in table.items():
        if values.shape != (count,):
            raise InputError(f"{count:,} {what}, but {values.size:,} numbers of {name}")
    known = {name: values for name, values in table.items() if np.isfinite(values).any()}
    if not known:
        raise InputError("nothing to draw: there are no finite values")
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in known.items()}


def _classes(human: Floats, max_classes: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the centre of each class, and the class of each score, or −1 if it has none."""
    known = np.isfinite(human)
    if max_classes < 1:
        raise InputError(f"classes must be at least 1, got {max_classes}")
    if not known.any():
        raise InputError("nothing to draw: there are no finite values")
    which = np.full(len(human), -1, np.int64)
    centres, classes = np.unique(human[known], return_inverse=True)
    if len(centres) > max_classes:
        edges = np.linspace(centres[0], centres[-1], max_classes + 1)
        classes = np.searchsorted(edges[1:-1], human[known], side="right")
        centres = (edges[:-1] + edges[1:]) / 2
    which[known] = classes
    return centres, which


def pairs_plot(evaluation: MetaEvaluation) -> Drawing:
    """Plot agreement by language pair, scaled from the worst metric (0) to the best (1)."""
    values = {(a.pair, a.metric): a.value for a in evaluation.agreements}
    table = {
        metric: [values.get((pair, metric)) for pair in evaluation.pairs]
        for metric in evaluation.metrics
    }
    title = f"{evaluation.agreement} between the worst metric (0) and the best (1)"
    return scaled_correlations(evaluation.pairs, table, f"scaled {evaluation.agreement}", title)


def people_plot(
    evaluation: MetaEvaluation, test_set: TestSet, scored: Sequence[MetricScores], plan: Plan
) -> Drawing:
    """Plot each metric against human scores.

    A system-level measure gives one point per system, a segment-level measure the mean of the
    segments in each class of human scores.
    """
    measure, human = test_set.human(plan.measure, plan.people, plan.unit)
    values = {agreement.metric: agreement.value for agreement in evaluation.agreements}
    notes = {}
    for scores in scored:
        value = values.get(scores.name)
        # the cloud of an error rate falls, although its agreement is positive
        direction = " (lower is better)" if _is_error_rate(scores) else ""
        if value is not None:
            notes[scores.name] = f"{measure.name} = {value:.2f}{direction}"
    title = f"Metrics and people: {test_set.name}"
    if not isinstance(measure, SystemMeasure):
        people = human.to_scores() if isinstance(human, Rankings) else human
        label = "score of ranks" if isinstance(human, Rankings) else "human score"
        segments = {s.name: _with_own_sign(s, s.segments).ravel() for s in scored}
        title += ", mean and standard deviation"
        return class_means(people.segments.ravel(), segments, notes, label=label, title=title)
    label = "human score"
    if not isinstance(human, Rankings):
        human_values = human.of_whole_systems()
    elif measure.ranking_method == "won":
        human_values, label = human.share_won(), "share of comparisons won"
    else:
        human_values, label = human.to_scores().of_whole_systems(), "score of ranks"
    systems = {s.name: _with_own_sign(s, s.system_scores) for s in scored}
    return scatter(human_values, systems, list(human.systems), notes, label, title)


def tuning_plot(tunings: Sequence[Tuning]) -> Drawing:
    """Plot the agreement of each metric over the values of the one option that was tuned."""
    first = tunings[0]
    ((option, values),) = first.lattice.items()
    curves = {tuning.given.spec: tuning.curves[option] for tuning in tunings}
    chosen = first.settings[option] if len(tunings) == 1 else None
    title = f"Effect of {option}: {', '.join(first.test_sets)}"
    return sweep(option, values, curves, first.measure.name, chosen, title)


def _with_own_sign(scores: MetricScores, values: Floats) -> Floats:
    """Undo the negation of error rates, so that the plot has the metric's own values."""
    return -values if _is_error_rate(scores) else values


def _is_error_rate(scores: MetricScores) -> bool:
    return scores.scores is not None and not scores.scores[0].higher_is_better
