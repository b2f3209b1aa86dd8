"""Plots of metrics: sweeps of an option, scatter plots, those of a meta-evaluation and a tuning."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.meta.agreement import SystemMeasure
from hyperbaton.meta.judgements import Rankings
from hyperbaton.meta.metric_scores import MetricScores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet
from hyperbaton.meta.tuning import Tuning
from hyperbaton.presentation import Drawing
from hyperbaton.text.display import visible
from hyperbaton.views.figures import (
    BLUE,
    BOTTOM,
    LEFT,
    LINE,
    NAME_WIDTH,
    QUIET,
    RULE,
    SERIES,
    SIZE,
    TOP,
    Floats,
    Limits,
    add_axes,
    draw_dots,
    draw_line,
    draw_names,
    draw_text,
    limits,
    new_figure,
    own_style,
    spread_positions,
    to_svg,
)
from hyperbaton.views.svg import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    return scaled_correlations(
        evaluation.pairs,
        table,
        f"scaled {evaluation.agreement}",
        f"{evaluation.agreement} between the worst metric (0) and the best (1)",
    )


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
    return sweep(
        option,
        values,
        {tuning.given.spec: tuning.curves[option] for tuning in tunings},
        first.measure.name,
        first.settings[option] if len(tunings) == 1 else None,
        f"Effect of {option}: {', '.join(first.test_sets)}",
    )


def _with_own_sign(scores: MetricScores, values: Floats) -> Floats:
    """Undo the negation of error rates, so that the plot has the metric's own values."""
    return -values if _is_error_rate(scores) else values


def _is_error_rate(scores: MetricScores) -> bool:
    return scores.scores is not None and not scores.scores[0].higher_is_better
