"""Plots of meta-evaluation as SVG: data in, the text of a picture out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.report import svg
from hyperbaton.report.axes import LINE, SIZE, Frame, Scale, point_labels, spread, words
from hyperbaton.report.svg import Markup, element, number, text_width

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Numbers = Sequence[float] | Floats
Curves = Mapping[str, Numbers]

# Of series, in light and in dark: told apart also by people who do not see all colours.
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
TITLE = 16.0  # size of titles
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

LEFT, TOP, BOTTOM = 60, 70, 55  # margins: numbers of rows; title and label; columns
HEIGHT = 320  # of a panel of curves
PANEL = 230  # width and height of one of several panels
ACROSS = 3  # panels beside each other
DASHES = (None, "6 4", "2 3", "8 3 2 3")  # colours are used again, with other lines
MOST_DOTS = 25  # of a curve that has dots on it
LAYERS = 10  # of a cloud of points
CLASSES = 11  # of human scores: as many as the judges of Leusch, Ueffing & Ney 2003 had


def sweep(
    option: str,
    values: Numbers,
    curves: Curves,
    measure: str = "Kendall's τ",
    chosen: float | None = None,
    title: str | None = None,
) -> str:
    """How agreement depends on an option: a curve for each metric.

    Figures 7 and 8 of Stanojević & Sima'an 2014 are of this kind. ``values`` are those of the
    option; each curve has as many, NaN where it is not known. ``chosen`` is marked.

    >>> picture = sweep("α", [0, 0.5, 1], {"pef": [0.1, 0.3, 0.2], "kendall": [0.1, 0.2, 0.2]})
    >>> picture.startswith("<svg"), "kendall" in picture
    (True, True)
    """
    xs = np.asarray(values, np.float64)
    table = _table(curves, len(xs), f"values of {option}")
    order = np.argsort(xs, kind="stable")
    xs = xs[order]
    table = {name: ys[order] for name, ys in table.items()}
    title = f"Effect of {option}" if title is None else title
    if not np.isfinite(xs).all():
        raise InputError(f"a value of {option} is not a number")
    wide = 520.0
    frame = Frame(
        Scale.around(xs, LEFT, LEFT + wide),
        Scale.around(np.concatenate(list(table.values())), TOP + HEIGHT, TOP),
    )
    mark = []
    if chosen is not None:
        x = frame.x(chosen)
        y1, y2 = frame.y.start, frame.y.end
        mark = [element("line", x1=x, x2=x, y1=y1, y2=y2, class_="hb-line", stroke_dasharray=4)]
    return _curves(title, frame, xs, table, frame.x.ticks(), option, measure, mark)


def scaled(correlations: Floats) -> Floats:
    """(c − worst) / (best − worst) over the rows (metrics) of each column (language pair).

    Where all are the same, all are best: 1. NaN stays.

    >>> scaled(np.array([[0.1, 0.2], [0.3, 0.2], [0.2, 0.2]]))
    array([[0. , 1. ],
           [1. , 1. ],
           [0.5, 1. ]])
    """
    known = np.where(np.isfinite(correlations), correlations, np.nan)
    best = np.fmax.reduce(known, axis=0)
    worst = np.fmin.reduce(known, axis=0)
    span = best - worst
    found: Floats = np.where(span > 0, (known - worst) / np.where(span > 0, span, 1), known * 0 + 1)
    return found


def scaled_correlations(
    pairs: Sequence[str],
    correlations: Curves,
    measure: str = "scaled Kendall's τ",
    title: str = "Correlation between the worst metric (0) and the best (1)",
) -> str:
    """How metrics stand to each other in each language pair.

    Figures 9 and 10 of Stanojević & Sima'an 2014 are of this kind: in each pair the best metric
    is at 1 and the worst at 0 (``scaled``). ``correlations`` has one for each pair, by metric.

    >>> picture = scaled_correlations(["de-en", "fr-en"], {"pef": [0.2, 0.3], "ulam": [0.1, 0.1]})
    >>> picture.count("<circle")
    4
    """
    table = _table(correlations, len(pairs), "language pairs")
    rows = scaled(np.stack(list(table.values())))
    between = max(100.0, *(text_width(pair, SIZE) + 16 for pair in pairs))
    wide = max(280.0, between * (len(pairs) - 1) + 80)
    room = 0.5 if len(pairs) == 1 else 40 / (wide - 80) * (len(pairs) - 1)
    frame = Frame(
        Scale(-room, len(pairs) - 1 + room, LEFT, LEFT + wide),
        Scale(-0.05, 1.05, TOP + HEIGHT, TOP),
    )
    places = np.arange(len(pairs), dtype=np.float64)
    marks = list(zip(places.tolist(), pairs, strict=True))
    curves = dict(zip(table, rows, strict=True))
    return _curves(title, frame, places, curves, marks, "", measure, [])


def scatter(
    human: Numbers,
    metrics: Curves,
    names: Sequence[str] | None = None,
    notes: Mapping[str, str] | None = None,
    label: str = "human score",
    title: str = "Metrics and human scores",
) -> str:
    """Each metric against human scores, a panel each: a point for each system, or each segment.

    Figures 2 and 3 of Leusch, Ueffing & Ney 2003 are of this kind. ``names`` are those of the
    points, ``notes`` say something of a metric, its correlation for example.

    >>> picture = scatter([1, 2, 3], {"pef": [0.1, 0.2, 0.4]}, ["A", "B", "C"], {"pef": "r = 0.98"})
    >>> picture.count("<circle"), "r = 0.98" in picture
    (3, True)
    """
    xs = np.asarray(human, np.float64)
    table = _table(metrics, len(xs), "human scores")
    if names is not None and len(names) != len(xs):
        raise InputError(f"{len(xs):,} human scores, but {len(names):,} names")

    panels = [
        Panel(name, xs, ys, partial(_points, xs, ys, names, label)) for name, ys in table.items()
    ]
    return _panels(title, panels, label, notes or {})


def class_means(
    human: Numbers,
    metrics: Curves,
    notes: Mapping[str, str] | None = None,
    classes: int = CLASSES,
    label: str = "human score",
    title: str = "Metrics and human scores: mean and standard deviation",
) -> str:
    """Each metric over classes of human scores, a panel each: its mean, and bars of its standard
    deviation.

    Figures 1 and 4 of Leusch, Ueffing & Ney 2003 are of this kind. A class is a human score, or,
    if there are more than ``classes``, one of so many intervals of the same length.

    >>> picture = class_means([0, 0, 1, 1], {"pef": [0.1, 0.3, 0.4, 0.6]})
    >>> picture.count("<circle")
    2
    """
    xs = np.asarray(human, np.float64)
    table = _table(metrics, len(xs), "human scores")
    centres, which = _classes(xs, classes)
    panels = []
    for name, ys in table.items():
        means, deviations, counts = _moments(ys, which, len(centres))
        ends = np.concatenate([means - deviations, means + deviations])
        draw = partial(_bars, centres, means, deviations, counts)
        panels.append(Panel(name, centres, ends, draw))
    return _panels(title, panels, label, notes or {})


class Panel(NamedTuple):
    """One of several: what is on its axes, and what draws it, given the frame and a colour."""

    name: str
    xs: Floats
    ys: Floats
    draw: Callable[[Frame, str], Iterator[Markup]]


def _table(curves: Curves, count: int, what: str) -> dict[str, Floats]:
    """What is to be drawn, checked."""
    table = {name: np.asarray(values, np.float64) for name, values in curves.items()}
    for name, values in table.items():
        if values.shape != (count,):
            raise InputError(f"{count:,} {what}, but {values.size:,} numbers of {name}")
    if not any(np.isfinite(values).any() for values in table.values()):
        raise InputError("there is nothing to draw")
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in table.items()}


def _curves(
    title: str,
    frame: Frame,
    xs: Floats,
    table: Mapping[str, Floats],
    marks: Sequence[tuple[float, str]],
    x_label: str,
    y_label: str,
    behind: Sequence[Markup],
) -> str:
    """Curves in a frame, each with its name at its right end."""
    table = {name: ys for name, ys in table.items() if np.isfinite(ys).any()}
    ends = [float(ys[np.flatnonzero(np.isfinite(ys))[-1]]) for ys in table.values()]
    places = spread([frame.y(end) for end in ends], LINE, frame.y.end, frame.y.start)
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
        if len(points) <= MOST_DOTS:
            for n, (x, y) in zip(known, points, strict=True):
                tip = element("title", f"{name}: {ys[n]:.4g}")
                dots.append(element("circle", tip, cx=x, cy=y, r=4.5, class_="hb-dot"))
        line = element("path", d=path, class_="hb-curve", stroke_dasharray=dash)
        drawn.append(element("g", line, *dots, class_=kind))
        x, y = points[-1]
        right = frame.x.end
        key = f"M{number(x + 6)} {number(y)}L{number(right + 6)} {number(places[k])}h10"
        labels.append(element("path", d=key, class_=f"{kind} hb-thin", stroke_dasharray=dash))
        labels.append(words(name, right + 21, places[k] + 4))
    below = max([frame.y.start, *places])  # of very many curves, the names need more room
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


def _panels(title: str, panels: Sequence[Panel], label: str, notes: Mapping[str, str]) -> str:
    """Panels beside and below each other."""
    panels = [panel for panel in panels if np.isfinite(panel.ys).any()]
    drawn: list[Markup] = []
    for k, panel in enumerate(panels):
        row, column = divmod(k, ACROSS)
        left = LEFT + column * (PANEL + LEFT + 10)
        top = TOP + 30 + row * (PANEL + TOP + BOTTOM)
        frame = Frame(
            Scale.around(panel.xs, left, left + PANEL), Scale.around(panel.ys, top + PANEL, top)
        )
        drawn.append(words(panel.name, left, top - 30, "strong"))
        drawn += frame.rows(notes.get(panel.name, ""), 4)
        drawn += frame.columns(frame.x.ticks(4), label)
        drawn += panel.draw(frame, "hb-s0")
    across = min(ACROSS, len(panels))
    down = math.ceil(len(panels) / ACROSS)
    return _paper(
        max(across * (PANEL + LEFT + 10) + 20, LEFT + text_width(title, TITLE)),
        30 + down * (PANEL + TOP + BOTTOM),
        *drawn,
        title=title,
    )


def _paper(width: float, height: float, *content: Markup, title: str) -> str:
    heading = words(title, 16, 28, "title")
    inside = element("g", heading, *content, class_="hb-plot")
    return svg.document(width, height, inside, title=title, looks=LOOKS)


def _points(
    xs: Floats, ys: Floats, names: Sequence[str] | None, label: str, frame: Frame, kind: str
) -> Iterator[Markup]:
    known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys)).tolist()
    places = [(frame.x(float(xs[k])), frame.y(float(ys[k]))) for k in known]
    if names is None:
        # There may be many, and a path is much less text than a circle for each; in several paths,
        # which shine through each other, one still sees where most of them are.
        for k in range(min(LAYERS, len(places))):
            path = "".join(f"M{number(x)} {number(y)}h0" for x, y in places[k::LAYERS])
            yield element("path", d=path, class_=f"{kind} hb-cloud")
        return
    for k, (x, y) in zip(known, places, strict=True):
        tip = element("title", f"{names[k]}: {ys[k]:.4g}, {label} {xs[k]:.4g}")
        yield element("circle", tip, cx=x, cy=y, r=4.5, class_=f"{kind} hb-dot")
    yield from point_labels(places, [names[k] for k in known], frame)


def _bars(
    centres: Floats, means: Floats, deviations: Floats, counts: Counts, frame: Frame, kind: str
) -> Iterator[Markup]:
    for k in np.flatnonzero(counts).tolist():
        mean, deviation = float(means[k]), float(deviations[k])
        x, y = frame.x(float(centres[k])), frame.y(mean)
        low, high = frame.y(mean - deviation), frame.y(mean + deviation)
        caps = "".join(f"M{number(x - 4)} {number(end)}h8" for end in (low, high))
        tip = element("title", f"{mean:.4g} ± {deviation:.4g}, of {int(counts[k]):,}")
        yield element(
            "path", d=f"{caps}M{number(x)} {number(low)}V{number(high)}", class_=f"{kind} hb-thin"
        )
        yield element("circle", tip, cx=x, cy=y, r=4.5, class_=f"{kind} hb-dot")


def _classes(human: Floats, most: int) -> tuple[Floats, Counts]:
    """The middle of each class, and the class of each score; −1: it has none."""
    known = np.isfinite(human)
    if most < 1:
        raise InputError(f"{most} classes: there must be one at least")
    if not known.any():
        raise InputError("there is nothing to draw")
    which = np.full(len(human), -1, np.int64)
    centres, own = np.unique(human[known], return_inverse=True)
    if len(centres) > most:
        edges = np.linspace(centres[0], centres[-1], most + 1)
        own = np.searchsorted(edges[1:-1], human[known], side="right")
        centres = (edges[:-1] + edges[1:]) / 2
    which[known] = own
    return centres, which


def _moments(values: Floats, which: Counts, count: int) -> tuple[Floats, Floats, Counts]:
    """Mean and standard deviation of each class, NaN if it is empty, and how many are in it."""
    known = np.isfinite(values) & (which >= 0)
    counts = np.bincount(which[known], minlength=count)
    some = np.where(counts > 0, counts, np.nan)
    means = np.bincount(which[known], values[known], count) / some
    off = values[known] - means[which[known]]
    deviations: Floats = np.sqrt(np.bincount(which[known], off**2, count) / some)
    return means, deviations, counts
