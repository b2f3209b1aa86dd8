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
from hyperbaton.runs.comparing import Comparison
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.views import plots
from hyperbaton.views.drawings.sentences import alignment_svg
from hyperbaton.views.svg import text_width

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
    """Draw the links without the marks of `order`."""
    return alignment_svg(
        explanation.alignment, explanation.hypothesis_words, explanation.reference_words, moves
    )


@plots.own_style()
def ranking_picture(comparison: Comparison, metric: str) -> str:
    """Draw the scores of systems with their intervals, and a line between clusters."""
    ranks = comparison.ranking(metric)
    left = 40 + max(text_width(rank.system, plots.SIZE) for rank in ranks)
    figure = plots.new_figure(left + 456, 2 * plots.LINE * len(ranks) + 80)
    axes = plots.add_axes(figure, left, 30, (300, 2 * plots.LINE * len(ranks)), metric, "")
    axes.set(ylim=(len(ranks) - 0.5, -0.5), yticks=[])
    axes.locator_params(axis="x", nbins=5)
    axes.grid(visible=False)
    columns = axes.get_yaxis_transform()
    cluster_x, rank_x = 350 / 300, 410 / 300
    for x, heading in ((cluster_x, "cluster"), (rank_x, "rank")):
        axes.text(x, -0.7, heading, color=plots.QUIET, ha="center", transform=columns)
    for k, rank in enumerate(ranks):
        assert rank.value is not None  # the systems in pictures have enough words in common
        places = str(rank.first) if rank.first == rank.last else f"{rank.first}–{rank.last}"
        texts = ((-16 / 300, rank.system), (cluster_x, str(rank.cluster)), (rank_x, places))
        for x, text in texts:
            where = "right" if x < 0 else "center"
            axes.text(x, k + 0.13, text, ha=where, transform=columns)
        if rank.lower is not None and rank.upper is not None:
            bounds = [[rank.value - rank.lower], [rank.upper - rank.value]]
            axes.errorbar(rank.value, k, xerr=bounds, ecolor=plots.RULE, elinewidth=1, capthick=1)
        axes.plot([rank.value], [k], "o", color=plots.BLUE)
        if k and rank.cluster != ranks[k - 1].cluster:
            ends = (16 - left) / 300, rank_x + 30 / 300
            axes.plot(
                ends, (k - 0.5, k - 0.5), color=plots.RULE, lw=1, transform=columns, clip_on=False
            )
    title = f"Ranking of {len(ranks)} systems by {metric}, with intervals"
    return plots.to_svg(figure, title)


def pictures() -> dict[str, str]:
    """Return the text of each picture by its file name."""
    drawn = (*explanation_pictures(), *glossary_pictures(), *tree_pictures())
    return {name: picture + "\n" for name, picture in drawn}


if __name__ == "__main__":
    for name, text in pictures().items():
        (IMAGES / name).write_text(text, "utf-8")
