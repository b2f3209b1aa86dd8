"""Draw the SVG pictures of the guides, apart from those of ``make evidence``.

Run ``python docs/draw_pictures.py`` after a change of the drawings. A test checks that the pictures
are current.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import hyperbaton as hb
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_SYSTEMS
from hyperbaton.files.lines import read_lines
from hyperbaton.order.moves import Move
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.views import plot_layout
from hyperbaton.views.axes import LINE, SIZE, Frame, Scale, text_line
from hyperbaton.views.drawings.sentences import alignment_svg
from hyperbaton.views.svg import document, element, number, text_width

IMAGES = Path(__file__).parent / "img"
EXPLAINED_LINE = 5  # of the example set, from 0: "From our room …"


def explanation_pictures() -> Iterator[tuple[str, str]]:
    """Yield the drawings in the guide to explanations."""
    names = ("literal", "reference")
    text, reference = (list(read_lines(EXAMPLE / f"{name}.txt"))[EXPLAINED_LINE] for name in names)
    tree, reference_tree = (
        list(read_trees(EXAMPLE / f"{name}.conllu"))[EXPLAINED_LINE] for name in names
    )
    explanation = hb.explain(
        text, reference, language="en", tree=tree, reference_tree=reference_tree
    )
    for name, drawing in explanation.drawings().items():
        yield f"explain-{name}.svg", drawing


def glossary_pictures() -> Iterator[tuple[str, str]]:
    """Yield the pictures of terms in the glossary."""
    meeting = hb.explain("we will meet at noon in the lobby", "we meet in the lobby at noon")
    yield "glossary-links.svg", _links(meeting)
    yield "glossary-move.svg", _links(meeting, meeting.moves)
    yield "glossary-tree.svg", meeting.drawings()["tree"]
    yield "glossary-parse.svg", meeting.drawings()["parse"]
    book = hb.explain("he has the book read", "he has read the book")
    yield "glossary-chunks.svg", _links(book)
    yield "glossary-breaks.svg", book.drawings()["alignment"]
    mixed = hb.explain("we there yesterday met", "yesterday we met there")
    yield "glossary-operator-2413.svg", mixed.drawings()["tree"]
    reverse = hb.explain("leave we tomorrow", "tomorrow we leave")
    yield "glossary-forest.svg", reverse.drawings()["forest"]
    systems = {name: list(read_lines(EXAMPLE / f"{name}.txt")) for name in EXAMPLE_SYSTEMS}
    references = list(read_lines(EXAMPLE / "reference.txt"))
    comparison = hb.compare(systems, references, ["adjacency"], language="en")
    yield "glossary-ranking.svg", ranking_picture(comparison, "adjacency")


def tree_pictures() -> Iterator[tuple[str, str]]:
    """Yield the pictures of the page "What is a permutation tree?"."""
    house = hb.explain("tomorrow will we the house see", "tomorrow we will see the house")
    yield "tree-links.svg", _links(house)
    yield "tree-two-swaps.svg", house.drawings()["tree"]
    letter = hb.explain("that he the letter sent has", "that he has sent the letter")
    yield "tree-mirrored.svg", letter.drawings()["tree"]


def _links(explanation: hb.Explanation, moves: Sequence[Move] = ()) -> str:
    """Draw the links without the marks of soft order."""
    return alignment_svg(
        explanation.alignment, explanation.hypothesis_words, explanation.reference_words, moves
    )


def ranking_picture(comparison: Comparison, metric: str) -> str:
    """Draw the scores of systems with their intervals, and a line between clusters."""
    ranks = comparison.ranking(metric)
    bounds = [bound for rank in ranks for bound in (rank.lower, rank.upper) if bound is not None]
    left = 40 + max(text_width(rank.system, SIZE) for rank in ranks)
    bottom = 30 + 2 * LINE * len(ranks)
    frame = Frame(Scale.around(bounds, left, left + 300), Scale(len(ranks), 0, bottom, 30))
    cluster_x, rank_x = frame.x.end + 50, frame.x.end + 110
    marks = [*frame.columns(frame.x.ticks(), metric)]
    marks.append(text_line("cluster", cluster_x, 20, "quiet", "middle"))
    marks.append(text_line("rank", rank_x, 20, "quiet", "middle"))
    for k, rank in enumerate(ranks):
        y = frame.y(k + 0.5)
        places = str(rank.first) if rank.first == rank.last else f"{rank.first}–{rank.last}"
        marks.append(text_line(rank.system, left - 16, y + 4, anchor="end"))
        marks.append(text_line(str(rank.cluster), cluster_x, y + 4, anchor="middle"))
        marks.append(text_line(places, rank_x, y + 4, anchor="middle"))
        if rank.lower is not None and rank.upper is not None:
            ends = [number(frame.x(bound)) for bound in (rank.lower, rank.upper)]
            caps = "".join(f"M{end} {number(y - 4)}v8" for end in ends)
            whisker = f"M{ends[0]} {number(y)}H{ends[1]}{caps}"
            marks.append(element("path", d=whisker, class_="hb-line"))
        marks.append(element("circle", cx=frame.x(rank.value), cy=y, r=4.5, class_="hb-s0 hb-dot"))
        if k and rank.cluster != ranks[k - 1].cluster:
            rule = f"M16 {number(frame.y(k))}H{number(rank_x + 30)}"
            marks.append(element("path", d=rule, class_="hb-line"))
    return document(
        rank_x + 46,
        bottom + 50,
        element("g", *marks, class_="hb-plot"),
        title=f"Ranking of {len(ranks)} systems by {metric}, with intervals",
        looks=plot_layout.LOOKS,
    )


def pictures() -> dict[str, str]:
    """Return the text of each picture by its file name."""
    drawn = (*explanation_pictures(), *glossary_pictures(), *tree_pictures())
    return {name: picture + "\n" for name, picture in drawn}


if __name__ == "__main__":
    for name, text in pictures().items():
        (IMAGES / name).write_text(text, "utf-8")
