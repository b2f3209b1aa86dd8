"""Text drawings of trees.

The pictures are goldens against drift: our own output, compared by eye with figure 3 of
Stanojević & Sima'an 2014. What must stand in any picture is tested as a property below.
"""

from __future__ import annotations

from hypothesis import given

from hyperbaton import Permutation
from permutations import nonempty

FIGURE_3 = """
          ⟨2,1⟩
        ┌───┴────┐
      ⟨2,1⟩    ⟨1,2⟩
    ┌───┴───┐  ┌─┴┐
⟨2,4,1,3⟩   3  1  2
┌──┬┴─┬──┐
5  7  4  6
""".strip("\n")

FLATTENED = """
       2×⟨2,1⟩
    ┌─────┴─┬────┐
⟨2,4,1,3⟩   3  ⟨1,2⟩
┌──┬┴─┬──┐     ┌─┴┐
5  7  4  6     1  2
""".strip("\n")

OUTLINE = """
2×⟨2,1⟩
├── ⟨2,4,1,3⟩
│   ├── 5
│   ├── 7
│   ├── 4
│   └── 6
├── 3
└── ⟨1,2⟩
    ├── 1
    └── 2
""".strip("\n")


def test_figure_3_of_stanojevic_and_simaan_2014() -> None:
    tree = Permutation([5, 7, 4, 6, 3, 1, 2]).tree()
    assert tree.draw() == FIGURE_3
    assert tree.flatten().draw() == FLATTENED
    assert tree.flatten().draw(width=19) == OUTLINE
    assert tree.flatten().draw(width=20) == FLATTENED
    assert tree.flatten().width == 20


def test_one_word() -> None:
    assert Permutation([1]).tree().draw() == "1"


@given(nonempty)
def test_all_leaves_and_operators_are_drawn(pi: tuple[int, ...]) -> None:
    tree = Permutation(pi).tree()
    picture = tree.draw()
    lines = picture.splitlines()
    words = [word for line in lines[::2] for word in line.split()]
    assert sorted(words) == sorted(node.label for node in tree)
    assert max(map(len, lines)) <= tree.width
    outline = tree.draw(width=0).splitlines()
    assert [line.lstrip("│├└─ ") for line in outline] == [node.label for node in tree]
