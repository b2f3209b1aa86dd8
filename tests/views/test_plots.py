"""Plots: positions of marks, and robustness to any names and numbers."""

import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from hyperbaton.views import plot_layout, plots, svg
from hyperbaton.views.axes import Scale, spread_positions

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom
SVG = "{http://www.w3.org/2000/svg}"


def read(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def dots(picture: str) -> list[tuple[float, float]]:
    found = read(picture).iter(f"{SVG}circle")
    return [(float(dot.get("cx", "")), float(dot.get("cy", ""))) for dot in found]


def texts(picture: str) -> list[str]:
    return [text.text or "" for text in read(picture).iter(f"{SVG}text")]


def test_values_are_where_the_scale_says() -> None:
    """Larger values are higher, and distances are proportional."""
    points = dots(plots.sweep("α", [0, 1, 2], {"pef": [0.0, 1.0, 3.0]}))
    (x0, y0), (x1, y1), (x2, y2) = points
    assert x0 < x1 < x2
    assert x2 - x1 == pytest.approx(x1 - x0, abs=0.02)
    assert y0 > y1 > y2
    assert y1 - y2 == pytest.approx(2 * (y0 - y1), abs=0.03)


def test_values_of_a_sweep_may_come_in_any_order() -> None:
    a = plots.sweep("α", [1, 0, 0.5], {"pef": [0.3, 0.1, 0.2]})
    assert a == plots.sweep("α", [0, 0.5, 1], {"pef": [0.1, 0.2, 0.3]})


def test_a_missing_value_breaks_the_line() -> None:
    picture = plots.sweep("α", [0, 1, 2, 3], {"pef": [0.1, np.nan, 0.2, np.inf]})
    assert len(dots(picture)) == 2
    line = next(p for p in read(picture).iter(f"{SVG}path") if p.get("class") == "hb-curve")
    assert Counter(c for c in line.get("d", "") if c.isalpha()) == {"M": 2}


def test_every_curve_is_named_once_and_no_two_names_overlap() -> None:
    names = [f"metric{k}" for k in range(40)]
    picture = plots.sweep("β", [0, 1], {name: [0.1, 0.2] for name in names})
    root = read(picture)
    labels = [t for t in root.iter(f"{SVG}text") if t.text in names]
    assert sorted(t.text or "" for t in labels) == sorted(names)
    heights = sorted(float(t.get("y", "")) for t in labels)
    assert min(np.diff(heights)) >= 14.9
    assert heights[-1] < float(root.get("height", ""))
    lines = [
        (group.get("class"), line.get("stroke-dasharray"))
        for group in root.iter(f"{SVG}g")
        for line in group.findall(f"{SVG}path[@class='hb-curve']")
    ]
    assert len(set(lines[:32])) == 32  # eight colours by four kinds of line


def test_the_chosen_value_is_marked_at_its_place() -> None:
    picture = plots.sweep("α", [0, 0.5, 1], {"pef": [0.1, 0.3, 0.2]}, chosen=0.5)
    marks = [e for e in read(picture).iter(f"{SVG}line") if e.get("stroke-dasharray")]
    assert [float(mark.get("x1", "")) for mark in marks] == [dots(picture)[1][0]]


def test_scaled_is_between_worst_and_best_of_each_pair() -> None:
    correlations = np.array([[0.1, np.nan, 0.5], [0.2, 0.3, 0.5], [0.4, 0.1, np.nan]])
    found = plots.scaled(correlations)
    expected = [[0, np.nan, 1], [1 / 3, 1, 1], [1, 0, np.nan]]
    np.testing.assert_allclose(found, expected)
    assert np.isnan(plots.scaled(np.full((2, 1), np.nan))).all()


def test_scaled_correlations_puts_the_best_on_top() -> None:
    picture = plots.scaled_correlations(["de-en", "fr-en"], {"a": [0.1, 0.4], "b": [0.3, 0.2]})
    a_de, a_fr, b_de, b_fr = (y for _, y in dots(picture))
    assert a_de == b_fr > b_de == a_fr
    assert {"de-en", "fr-en", "a", "b"} <= set(texts(picture))


def test_one_language_pair_and_one_metric_can_be_drawn() -> None:
    assert len(dots(plots.scaled_correlations(["de-en"], {"pef": [0.2]}))) == 1


def test_scatter_has_a_panel_for_each_metric_and_leaves_out_what_is_missing() -> None:
    human = [1.0, 2.0, np.nan, 4.0]
    metrics = {name: [0.1, np.nan, 0.3, 0.4] for name in "abcd"}
    picture = plots.scatter(human, metrics, list("wxyz"), {"a": "r = 1"})
    assert len(dots(picture)) == 8
    assert {"a", "b", "c", "d", "r = 1"} <= set(texts(picture))
    tips = {tip.text for tip in read(picture).iter(f"{SVG}title")}
    assert "w: 0.1, human score 1" in tips
    assert not any(t and t[0] in "xy" for t in tips)


def test_a_cloud_of_segments_has_a_point_each() -> None:
    human, metric = np.random.default_rng(3).random((2, 500))
    picture = plots.scatter(human, {"pef": metric})
    points = {
        point
        for path in read(picture).iter(f"{SVG}path")
        for point in path.get("d", "").split("M")[1:]
    }
    assert len(points) == 500


def test_classes_are_the_scores_or_intervals_with_their_mean_and_deviation() -> None:
    """Means and deviations are those of NumPy."""
    generator = np.random.default_rng(5)
    human = generator.integers(0, 11, 400) / 10
    metric = human + generator.normal(size=400)
    metric[7] = np.nan
    picture = plots.class_means(human, {"pef": metric})
    tips = [tip.text or "" for tip in read(picture).iter(f"{SVG}title")][1:]
    assert tips == [
        f"{np.nanmean(metric[human == k / 10]):.4g} ± {np.nanstd(metric[human == k / 10]):.4g}, "
        f"of {np.isfinite(metric[human == k / 10]).sum()}"
        for k in range(11)
    ]
    few = plots.class_means(human, {"pef": metric}, classes=2)
    counts = [np.isfinite(metric[human < 0.5]).sum(), np.isfinite(metric[human >= 0.5]).sum()]
    tips = [tip.text or "" for tip in read(few).iter(f"{SVG}title")][1:]
    assert [int(tip.split()[-1]) for tip in tips] == counts


@pytest.mark.parametrize("name", ["<&\"'>", "日本語", "a\x00\x1b\ud800b", "", "x" * 300, "]]>"])
def test_any_name_can_be_drawn(name: str) -> None:
    for picture in (
        plots.sweep(name, [0, 1], {name: [0, 1]}, title=name),
        plots.scaled_correlations([name], {name: [0.5]}),
        plots.scatter([1, 2], {name: [1, 2]}, [name, name], {name: name}),
        plots.class_means([1, 2], {name: [1, 2]}, {name: name}),
    ):
        picture.encode()
        assert read(picture).tag == f"{SVG}svg"
        assert "<script" not in picture


@pytest.mark.parametrize("values", [[0.0, 0.0], [1e-300, 2e-300], [-1e9, 1e9], [5.0, 5.0 + 1e-15]])
def test_any_numbers_have_a_scale(values: list[float]) -> None:
    picture = plots.scatter(values, {"pef": values}, ["a", "b"])
    width, height = (float(read(picture).get(key, "")) for key in ("width", "height"))
    for x, y in dots(picture):
        assert 0 < x < width
        assert 0 < y < height


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.sweep("α", [0, 1], {"pef": [1]}), "2 values of α, but 1 numbers of pef"),
        (lambda: plots.sweep("α", [], {}), "nothing to draw"),
        (lambda: plots.sweep("α", [np.nan], {"pef": [1]}), "not a number"),
        (lambda: plots.scaled_correlations([], {}), "nothing to draw"),
        (lambda: plots.scatter([1], {"pef": [np.nan]}), "nothing to draw"),
        (lambda: plots.scatter([1], {"pef": [1]}, []), "1 human scores, but 0 names"),
        (lambda: plots.class_means([np.nan], {"pef": [1]}), "nothing to draw"),
        (lambda: plots.class_means([1], {"pef": [1]}, classes=0), "at least 1, got 0"),
    ],
)
def test_invalid_plots_are_refused(call: Callable[[], str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_ticks_are_round_and_within() -> None:
    generator = np.random.default_rng(7)
    for _ in range(300):
        low = float(generator.normal() * 10.0 ** generator.integers(-4, 5))
        high = low + float(generator.random() + 0.01) * 10.0 ** int(generator.integers(-4, 5))
        ticks = Scale(low, high, 0, 1).ticks()
        assert 2 <= len(ticks) <= 9
        room = (high - low) * 1e-6
        assert all(low - room <= value <= high + room for value, _ in ticks)
        assert len({text for _, text in ticks}) == len(ticks)
        for value, text in ticks:
            assert float(text.replace("−", "-")) == pytest.approx(value, abs=room)


def test_spread_positions_are_the_nearest_possible() -> None:
    """No other positions on a grid with the same gaps are closer."""
    wanted = [3.0, 3.0, 4.0]
    found = spread_positions(wanted, 2, 0, 10)
    cost = sum((a - b) ** 2 for a, b in zip(found, wanted, strict=True))
    grid = np.arange(0, 10.01, 0.25)
    for a in grid:
        for b in grid[grid >= a + 2]:
            for c in grid[grid >= b + 2]:
                assert cost <= (a - 3) ** 2 + (b - 3) ** 2 + (c - 4) ** 2 + 1e-9


def overlap(a: Rectangle, b: Rectangle) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("count", [1, 3, 13, 25])
@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0])
def test_every_point_is_named_and_names_cover_nothing(count: int, spread: float) -> None:
    """Also in a crowd; two points far away leave little room to the others."""
    generator = np.random.default_rng(count)
    names = [f"system-{k}-{'x' * int(generator.integers(12))}" for k in range(count)]
    xs, ys = spread * generator.random((2, count)) + 1
    xs[:2], ys[:2] = [0, 2][:count], [0, 2][:count]
    picture = plots.scatter(xs, {"pef": ys}, names)
    labels = {t.text or "": t for t in read(picture).iter(f"{SVG}text") if t.text in names}
    assert sorted(labels) == sorted(names)
    boxes: list[Rectangle] = []
    for name in names:
        x, y = (float(labels[name].get(key, "")) for key in ("x", "y"))
        boxes.append((x, y - 9, x + svg.text_width(name, 12), y + 2))
    places = dots(picture)
    lines = [
        [float(number) for number in re.split("[ML ]", path.get("d", ""))[1:]]
        for path in read(picture).iter(f"{SVG}path")
    ]
    width, height = (float(read(picture).get(key, "")) for key in ("width", "height"))
    for k, ((x, y), box) in enumerate(zip(places, boxes, strict=True)):
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= width
        assert box[3] <= height
        assert not any(overlap(box, other) for other in boxes[:k])
        assert not any(overlap(box, (a - 4, b - 4, a + 4, b + 4)) for a, b in places)
        near = (box[0] - 13, box[1] - 13, box[2] + 13, box[3] + 13)
        is_beside = overlap(near, (x, y, x + 0.1, y + 0.1))
        around = (box[0] - 5, box[1] - 5, box[2] + 5, box[3] + 5)
        leads = [
            math.dist((x1, y1), (x, y)) < 7 and overlap(around, (x2, y2, x2 + 0.1, y2 + 0.1))
            for x1, y1, x2, y2 in lines
        ]
        assert is_beside or any(leads), names[k]


def test_long_names_are_cut_and_their_tooltips_are_not() -> None:
    name = "a-very-long-name-of-a-system-" * 4
    picture = plots.scatter([1, 2], {"pef": [1, 2]}, [name, "b"])
    assert not any(name in text for text in texts(picture))
    assert any(text.startswith("a-very-long") and text.endswith("…") for text in texts(picture))
    assert any((tip.text or "").startswith(name) for tip in read(picture).iter(f"{SVG}title"))


def test_both_axes_have_titles() -> None:
    panels = plots.scatter([1, 2], {"pef": [1, 2]}, ["a", "b"], label="share won")
    for picture, titles in (
        (panels, ("share won", "pef")),
        (plots.class_means([1, 2], {"pef": [1, 2]}), ("human score", "pef")),
        (plots.sweep("alpha", [0, 1], {"pef": [0, 1]}, "tau"), ("alpha", "tau")),
        (plots.scaled_correlations(["de-en"], {"pef": [1]}, "tau"), ("language pair", "tau")),
    ):
        turned = [t.text for t in read(picture).iter(f"{SVG}text") if t.get("transform")]
        assert titles[0] in texts(picture)
        assert turned == [titles[1]]


def test_every_class_has_its_look_in_light_and_in_dark() -> None:
    picture = plots.scatter([1, 2], {"pef": [1, 2]}, ["a", "b"]) + plots.scatter([1], {"p": [1]})
    picture += plots.class_means([1], {"pef": [1]}) + plots.sweep("α", [0], {"pef": [1]}, chosen=0)
    used = {name for one in re.findall('class="([^"]*)"', picture) for name in one.split()}
    light, dark = svg.style_sheet(plot_layout.LOOKS).split("@media")
    assert all(f".{name}{{" in light for name in used)
    assert "var(" not in light + dark  # programs that make PDF of it do not know variables


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    shares = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_out_from_the_paper(dark: bool) -> None:
    """Text has a contrast of 4.5, as WCAG requires; curves, whose names are text, of 2."""
    paper = luminance(plot_layout.LOOKS["paper"][0][1 + dark])
    for name, least in {"ink": 4.5, "quiet": 4.5, **{f"s{k}": 2 for k in range(8)}}.items():
        ink = luminance(plot_layout.LOOKS[name][0][1 + dark])
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= least, name
