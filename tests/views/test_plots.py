"""Plots: positions of marks, and robustness to any names and numbers."""

import math
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest

from command_line import CommandLine
from hyperbaton.views import plots, svg
from hyperbaton.views.plots import spread_positions

Rectangle = tuple[float, float, float, float]  # left, top, right, bottom
SVG = "{http://www.w3.org/2000/svg}"


def read(picture: str) -> ET.Element:
    return ET.fromstring(picture)


def dots(picture: str) -> list[tuple[float, float]]:
    """The places of the marks that have a tooltip."""
    marks = [
        next(group.iter(f"{SVG}use"))
        for group in read(picture).iter(f"{SVG}g")
        if group.find(f"{SVG}title") is not None
    ]
    return [(float(mark.get("x", "")), float(mark.get("y", ""))) for mark in marks]


def tips(picture: str) -> list[str]:
    return [tip.text or "" for tip in read(picture).iter(f"{SVG}title")][1:]


def paths(picture: str, *styles: str) -> list[ET.Element]:
    """Paths with these styles."""
    found = read(picture).iter(f"{SVG}path")
    return [path for path in found if all(style in path.get("style", "") for style in styles)]


def dashes(path: ET.Element) -> str:
    found = re.search("stroke-dasharray: [^;]*", path.get("style", ""))
    return found[0] if found else ""


def numbers(path: ET.Element) -> list[float]:
    return [float(number) for number in re.split("[ML ]+", path.get("d", "").strip())[1:]]


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
    (line,) = paths(picture, "stroke-width: 2")
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
    curves = paths(picture, "stroke-width: 2")
    lines = [(curve.get("style", "").split("stroke: ")[1][:7], dashes(curve)) for curve in curves]
    assert len(curves) == 40
    assert len(set(lines[:32])) == 32  # eight colours by four kinds of line


def test_the_chosen_value_is_marked_at_its_place() -> None:
    picture = plots.sweep("α", [0, 0.5, 1], {"pef": [0.1, 0.3, 0.2]}, chosen=0.5)
    marks = [path for path in paths(picture, "stroke: ") if dashes(path)]
    x = dots(picture)[1][0]
    assert [numbers(mark)[::2] for mark in marks] == [[x, x]]


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
    assert "w: 0.1, human score 1" in tips(picture)
    assert not any(tip[0] in "xy" for tip in tips(picture))


def test_classes_are_the_scores_or_intervals_with_their_mean_and_deviation() -> None:
    """Means and deviations are those of NumPy."""
    generator = np.random.default_rng(5)
    human = generator.integers(0, 11, 400) / 10
    metric = human + generator.normal(size=400)
    metric[7] = np.nan
    picture = plots.class_means(human, {"pef": metric}, {})
    assert tips(picture) == [
        f"{np.nanmean(metric[human == k / 10]):.4g} ± {np.nanstd(metric[human == k / 10]):.4g}, "
        f"of {np.isfinite(metric[human == k / 10]).sum()}"
        for k in range(11)
    ]
    few = plots.class_means(human, {"pef": metric}, {}, classes=2)
    counts = [np.isfinite(metric[human < 0.5]).sum(), np.isfinite(metric[human >= 0.5]).sum()]
    assert [int(tip.split()[-1]) for tip in tips(few)] == counts


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
    picture = plots.scatter(values, {"pef": values}, ["a", "b"], {})
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
        (lambda: plots.scatter([1], {"pef": [np.nan]}, ["a"], {}), "nothing to draw"),
        (lambda: plots.scatter([1], {"pef": [1]}, [], {}), "1 human scores, but 0 names"),
        (lambda: plots.class_means([np.nan], {"pef": [1]}, {}), "nothing to draw"),
        (lambda: plots.class_means([1], {"pef": [1]}, {}, classes=0), "at least 1, got 0"),
    ],
)
def test_invalid_plots_are_refused(call: Callable[[], str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_ticks_are_round_and_at_their_values() -> None:
    generator = np.random.default_rng(7)
    for _ in range(30):
        low = float(generator.normal() * 10.0 ** generator.integers(-2, 5))
        high = low + float(generator.random() + 0.01) * 10.0 ** int(generator.integers(-2, 5))
        picture = plots.scatter([0, 1], {"pef": [low, high]}, ["", ""], {})
        (_, first), (_, last) = dots(picture)
        rows = paths(picture, f"stroke: {plots.FAINT}")
        ticks = [t for t in read(picture).iter(f"{SVG}text") if "anchor: end" in t.get("style", "")]
        assert 2 <= len(ticks) == len(rows) <= 9
        for text, row in zip(ticks, rows, strict=True):
            value = float((text.text or "").replace("−", "-"))
            y = first + (value - low) / (high - low) * (last - first)
            assert numbers(row)[1] == pytest.approx(y, abs=0.01)


def test_spread_positions_are_the_nearest_possible() -> None:
    """No other positions on a grid with the same gaps are closer."""
    wanted = [3.0, 3.0, 4.0]
    found = spread_positions(np.array(wanted), 2, 0, 10)
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
    picture = plots.scatter(xs, {"pef": ys}, names, {})
    labels = {t.text or "": t for t in read(picture).iter(f"{SVG}text") if t.text in names}
    assert sorted(labels) == sorted(names)
    boxes: list[Rectangle] = []
    for name in names:
        x, y = (float(labels[name].get(key, "")) for key in ("x", "y"))
        boxes.append((x, y - 9, x + svg.text_width(name, 12), y + 2))
    places = dots(picture)
    lines = [numbers(path) for path in paths(picture, f"stroke: {plots.RULE}")]
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
            for x1, y1, x2, y2, *_ in lines
        ]
        assert is_beside or any(leads), names[k]


def test_long_names_are_cut_and_their_tooltips_are_not() -> None:
    name = "a-very-long-name-of-a-system-" * 4
    picture = plots.scatter([1, 2], {"pef": [1, 2]}, [name, "b"], {})
    assert not any(name in text for text in texts(picture))
    assert any(text.startswith("a-very-long") and text.endswith("…") for text in texts(picture))
    assert any(tip.startswith(name) for tip in tips(picture))


def test_both_axes_have_titles() -> None:
    panels = plots.scatter([1, 2], {"pef": [1, 2]}, ["a", "b"], {}, "share won")
    for picture, titles in (
        (panels, ("share won", "pef")),
        (plots.class_means([1, 2], {"pef": [1, 2]}, {}), ("human score", "pef")),
        (plots.sweep("alpha", [0, 1], {"pef": [0, 1]}, "tau"), ("alpha", "tau")),
        (plots.scaled_correlations(["de-en"], {"pef": [1]}, "tau"), ("language pair", "tau")),
    ):
        turned = [
            t.text
            for t in read(picture).iter(f"{SVG}text")
            if t.get("transform", "").startswith("rotate(-90")
        ]
        assert titles[0] in texts(picture)
        assert turned == [titles[1]]


def test_every_colour_has_its_look_in_light_and_in_dark() -> None:
    picture: str = plots.scatter([1, 2], {"pef": [1, 2]}, ["a", "b"], {})
    picture += plots.class_means([1], {"pef": [1]}, {})
    picture += plots.sweep("α", [0], {f"pef{k}": [1] for k in range(9)}, chosen=0)
    styles = " ".join(re.findall('style="([^"]*)"', picture))
    used = set(re.findall("#[0-9a-f]{6}", styles))
    sheet = re.findall("<style>(.*?)</style>", picture)[0]
    dark = sheet.split("@media(prefers-color")[-1]
    assert used <= set(plots.DARK)
    for colour in used:
        night = plots.DARK[colour]
        rule = f'[style*="stroke: {colour}"]{{stroke:{night}!important}}'
        assert rule in dark or colour == night
    assert "var(" not in sheet  # programs that make PDF of it do not know variables


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    shares = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("dark", [False, True])
def test_colours_stand_out_from_the_paper(dark: bool) -> None:
    """Text has a contrast of 4.5, as WCAG requires; curves, whose names are text, of 2."""
    colours = {light: (light, night)[dark] for light, night in plots.DARK.items()}
    paper = luminance(colours[plots.PAPER])
    least = {plots.INK: 4.5, plots.QUIET: 4.5} | dict.fromkeys(plots.SERIES, 2.0)
    for name, contrast in least.items():
        ink = luminance(colours[name])
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= contrast, name


# matplotlib -------------------------------------------------------------------------------------


def example() -> str:
    """Names in scripts that matplotlib's own font lacks, and with signs of its formulas."""
    names = ["日本語", "العربية", "$x^2$", "a_b"]
    panels = plots.scatter([1, 2, 3, 3], {"日本語": [1, 2, 3, 4]}, names, {"日本語": "$r$ = 1"})
    return panels + plots.scaled_correlations(names, {name: [1, 2, 3, 4] for name in names})


def test_drawings_are_the_same_every_time_and_in_threads() -> None:
    first = example()
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(lambda _: example(), range(8))) == {first}
    program = """
import sys
from views.test_plots import example
sys.stdout.reconfigure(encoding="utf-8")
print(example(), end="")
"""
    path = [str(Path(__file__).parent.parent)]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path += {path!r}{program}"],
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == first
    assert done.stderr == b""


def test_the_style_of_the_user_changes_nothing_and_stays() -> None:
    expected = example()
    own: Any = {
        "font.size": 30,
        "axes.facecolor": "red",
        "svg.fonttype": "path",
        "svg.hashsalt": None,
    }
    with matplotlib.rc_context(own):
        before = dict(matplotlib.rcParams)
        assert example() == expected
        assert dict(matplotlib.rcParams) == before


def test_text_is_text_as_it_was_given() -> None:
    panels, _, curves = example().rpartition("<svg")
    names = {"日本語", "العربية", "$x^2$", "a_b"}
    assert names | {"$r$ = 1"} <= set(texts(panels))
    assert names <= set(texts(f"<svg{curves}"))


def test_a_plot_without_matplotlib_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, cli: CommandLine
) -> None:
    """In one line, before there is any work."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "hyperbaton.views.plots")
    for command in ("meta", "tune"):
        error = cli.error(command, "--example", "--plot", "a.svg", "-o", "out.txt")
        assert 'plots need matplotlib: pip install "hyperbaton[plot]"' in error
        assert not Path("a.svg").exists()
        assert not Path("out.txt").exists()
        cli.succeed(command, "--example", "-m", "full", "--seed", "1")
