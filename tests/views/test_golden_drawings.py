"""Golden drawings: the papers' examples and the drawings of the docs.

They come from Hyperbaton itself, and were compared with the papers' figures by eye. They prove
nothing but that nothing has changed; if a change is meant, look at the new drawings, in light and
in dark: ``PYTHONPATH=tests python tests/views/test_golden_drawings.py`` writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import hyperbaton
from hyperbaton import DependencyTree, Permutation, align, explain, inversion_parse, tree_edit
from hyperbaton.order.moves import block_moves
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.views.drawings import DRAWINGS as NAMES
from hyperbaton.views.drawings.parses import parse_svg
from hyperbaton.views.drawings.sentences import alignment_svg, tree_edit_svg
from hyperbaton.views.drawings.trees import forest_svg, tree_svg

GOLDEN = Path(__file__).parents[1] / "golden" / "drawings"
IMAGES = Path(__file__).parents[2] / "docs" / "img"
EXAMPLE = Path(hyperbaton.__file__).parent / "example"
NOON = ["we", "will", "meet", "at", "noon", "in", "the", "lobby"]
TWELVE = ["we", "will", "meet", "in", "the", "lobby", "at", "twelve", "o'clock"]
# McCaffery & Nederhof 2016, figure 1: heads that fit it and table 2; its words are an image
FIRST, SECOND = [2, 5, 2, 3, 0, 5, 5], [2, 3, 0, 5, 3, 3, 8, 6, 3]


def figure_1() -> str:
    return tree_svg(Permutation([2, 4, 5, 6, 1, 3]).tree())


def figure_3() -> str:
    p = Permutation([5, 7, 4, 6, 3, 1, 2])
    return tree_svg(p.tree(), moves=block_moves(p))


def figure_3_flattened() -> str:
    p = Permutation([5, 7, 4, 6, 3, 1, 2])
    return tree_svg(p.tree().flatten(), list("abcdefg"), block_moves(p))


def forest_of_4321() -> str:
    return forest_svg(Permutation([4, 3, 2, 1]).forest())


def forest_of_figure_1() -> str:
    return forest_svg(Permutation([2, 4, 5, 6, 1, 3]).forest())


def section_321_parse() -> str:
    return parse_svg(inversion_parse(NOON, TWELVE))


def section_321_alignment() -> str:
    alignment = align(NOON, TWELVE)
    return alignment_svg(alignment, NOON, TWELVE, block_moves(alignment.permutation()))


def dted_figure_1() -> str:
    first = DependencyTree([f"h{k}" for k in range(1, 8)], FIRST)
    second = DependencyTree([f"r{k}" for k in range(1, 10)], SECOND)
    return tree_edit_svg(tree_edit(first, second))


DRAWINGS: dict[str, Callable[[], str]] = {
    "stanojevic-simaan-2014-figure-1-tree": figure_1,
    "stanojevic-simaan-2014-figure-3-tree": figure_3,
    "stanojevic-simaan-2014-figure-3-flattened": figure_3_flattened,
    "stanojevic-simaan-2014-forest-4321": forest_of_4321,
    "stanojevic-simaan-2014-figure-1-forest": forest_of_figure_1,
    "leusch-ueffing-ney-2003-section-3.2.1-parse": section_321_parse,
    "leusch-ueffing-ney-2003-section-3.2.1-alignment": section_321_alignment,
    "mccaffery-nederhof-2016-figure-1": dted_figure_1,
}


def example(name: str) -> str:
    """Return a drawing of line 6 of the example set, as in docs/explain.md."""
    hypothesis, reference = (read_example(f"{name}.txt")[5] for name in ("literal", "reference"))
    trees = [list(read_trees(EXAMPLE / f"{name}.conllu"))[5] for name in ("literal", "reference")]
    explained = explain(hypothesis, reference, "pef", "en", tree=trees[0], reference_tree=trees[1])
    return explained.drawings()[name]


def read_example(name: str) -> list[str]:
    return (EXAMPLE / name).read_text("utf-8").split("\n")


FILES = {GOLDEN / f"{name}.svg": draw for name, draw in DRAWINGS.items()} | {
    IMAGES / f"explain-{name}.svg": partial(example, name) for name in NAMES
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_has_changed(path: Path) -> None:
    assert FILES[path]() + "\n" == path.read_text("utf-8")


def test_every_file_has_a_test() -> None:
    assert {*GOLDEN.iterdir(), *IMAGES.glob("explain-*")} == set(FILES)


if __name__ == "__main__":
    for path, draw in FILES.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(draw() + "\n", "utf-8", newline="\n")
