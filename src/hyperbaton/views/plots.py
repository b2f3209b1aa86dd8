"""Plots for meta-evaluation, as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.presentation import Markup
from hyperbaton.views.axes import SIZE, Frame, Scale
from hyperbaton.views.plot_layout import HEIGHT, LEFT, PANEL, TOP, Panel, draw_curves, draw_panels
from hyperbaton.views.point_labels import panel_side, point_labels
from hyperbaton.views.svg import element, number, text_width

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Numbers = Sequence[float] | Floats
Curves = Mapping[str, Numbers]

LAYERS = 10  # paths of a cloud of points
CLASSES = 11  # of human scores, as in Leusch, Ueffing & Ney 2003


def sweep(
    option: str,
    values: Numbers,
    curves: Curves,
    measure: str = "Kendall's τ",
    chosen: float | None = None,
    title: str | None = None,
) -> str:
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
    order = np.argsort(xs, kind="stable")
    xs = xs[order]
    table = {name: ys[order] for name, ys in table.items()}
    title = f"Effect of {option}" if title is None else title
    if not np.isfinite(xs).all():
        raise InputError(f"values of {option} must be finite; one is not a number")
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
    return draw_curves(title, frame, xs, table, frame.x.ticks(), option, measure, mark)


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


def scaled_correlations(
    pairs: Sequence[str],
    correlations: Curves,
    measure: str = "scaled Kendall's τ",
    title: str = "Correlation between the worst metric (0) and the best (1)",
) -> str:
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
    return draw_curves(title, frame, places, curves, marks, "language pair", measure, [])


def scatter(
    human: Numbers,
    metrics: Curves,
    names: Sequence[str] | None = None,
    notes: Mapping[str, str] | None = None,
    label: str = "human score",
    title: str = "Metrics and human scores",
) -> str:
    """Plot each metric against human scores in a panel, with one point per system or segment.

    Figures 2 and 3 of Leusch, Ueffing & Ney 2003 are plots of this kind.

    Parameters
    ----------
    human : sequence of float
        The human scores.
    metrics : mapping of str to sequence of float
        The values of each metric, one per human score.
    names : sequence of str, optional
        The names of the points.
    notes : mapping of str to str, optional
        A line for each metric, such as its correlation.
    label, title : str

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
    side = PANEL if names is None else panel_side(names, PANEL)
    return draw_panels(title, panels, label, notes or {}, side)


def class_means(
    human: Numbers,
    metrics: Curves,
    notes: Mapping[str, str] | None = None,
    classes: int = CLASSES,
    label: str = "human score",
    title: str = "Metrics and human scores: mean and standard deviation",
) -> str:
    """Plot the mean and the standard deviation of each metric over classes of human scores.

    Figures 1 and 4 of Leusch, Ueffing & Ney 2003 are plots of this kind. Each human score is a
    class; if there are more than ``classes``, the classes are intervals of equal length.

    Parameters
    ----------
    human, metrics, notes, label, title
        As in :func:`scatter`.
    classes : int
        The maximum number of classes.

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
    return draw_panels(title, panels, label, notes or {})


def _table(curves: Curves, count: int, what: str) -> dict[str, Floats]:
    """Return the curves as arrays, with NaN for values that are not finite."""
    table = {name: np.asarray(values, np.float64) for name, values in curves.items()}
    for name, values in table.items():
        if values.shape != (count,):
            raise InputError(f"{count:,} {what}, but {values.size:,} numbers of {name}")
    if not any(np.isfinite(values).any() for values in table.values()):
        raise InputError("nothing to draw: there are no finite values")
    return {name: np.where(np.isfinite(values), values, np.nan) for name, values in table.items()}


def _points(
    xs: Floats, ys: Floats, names: Sequence[str] | None, label: str, frame: Frame, kind: str
) -> Iterator[Markup]:
    known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys)).tolist()
    places = [(frame.x(float(xs[k])), frame.y(float(ys[k]))) for k in known]
    if names is None:
        # A path needs much less text than a circle per point. Several translucent paths show where
        # most of the points are.
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


def _classes(human: Floats, max_classes: int) -> tuple[Floats, Counts]:
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


def _moments(values: Floats, which: Counts, count: int) -> tuple[Floats, Floats, Counts]:
    """Return the mean and standard deviation of each class (NaN if it is empty) and its size."""
    known = np.isfinite(values) & (which >= 0)
    counts = np.bincount(which[known], minlength=count)
    sizes = np.where(counts > 0, counts, np.nan)
    means = np.bincount(which[known], values[known], count) / sizes
    residuals = values[known] - means[which[known]]
    deviations: Floats = np.sqrt(np.bincount(which[known], residuals**2, count) / sizes)
    return means, deviations, counts
