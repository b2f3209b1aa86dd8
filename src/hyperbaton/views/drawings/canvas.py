"""What all drawings share: colours, words and their direction, and the layout of a sentence.

A sentence is a row of words. If the row would be wider than a page, the drawing is turned and the
sentence is a column with one word per line. Drawings of right-to-left scripts are mirrored: they
start at the right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.errors import InputError
from hyperbaton.explanations.explanation import Explanation
from hyperbaton.order.moves import Move
from hyperbaton.presentation import Drawing, Markup
from hyperbaton.text.display import is_right_to_left, visible
from hyperbaton.views.svg import LOOKS as PLAIN_LOOKS
from hyperbaton.views.svg import SIZE, Look, document, element, number, text_width

MAX_WIDTH = 960.0  # pixels; a drawing with a longer row is turned
MARGIN = 16.0
SMALL = 11.0  # font size of captions and numbers
LINE = 24.0  # height of a line of words
PAD = 6.0  # on both sides of a word
GAP = 4.0  # between words
MAX_ITEMS = 5_000  # words or nodes; browsers stall on larger drawings

# Colours of blocks that move: stroke and fill, each for light and dark. The seventh block has the
# colours of the first.
MOVES = (
    ("#0b57c9", "#7cbcff", "#dbe9ff", "#1b3358"),
    ("#9a4c00", "#f0a860", "#ffe8cc", "#4a2f10"),
    ("#176d30", "#66cf7d", "#d9f2e0", "#153d22"),
    ("#7440d0", "#c9a3ff", "#eee2ff", "#3a2560"),
    ("#a82a76", "#f79fd1", "#ffe0f0", "#54203e"),
    ("#086b75", "#5ccbd6", "#d2f1f4", "#0f3d43"),
)
# Moves of punctuation alone are pale.
PALE_MOVE = ("#5c6570", "#9aa5b1", "#f1f3f5", "#262b32")
# Colours of edits.
EDITS = {
    "substitute": ("#855900", "#e3b341", "#fff4cc", "#46360c"),
    "delete": ("#b3281f", "#ff8f86", "#ffe3e0", "#521c18"),
    "insert": ("#176d30", "#66cf7d", "#d9f2e0", "#153d22"),
}
# Shades of the marks of order, for light and dark, from weak to strong.
SHADES = (("#cf6f67", "#a9564f"), ("#b3281f", "#ff8f86"), ("#6b0d07", "#ffd9d6"))
OTHER_ENDS = {"start": "end", "middle": "middle", "end": "start"}
HALVES = (MOVES[0], MOVES[5])  # colours of the two halves of an inverted block


def _looks() -> dict[str, tuple[Look, ...]]:
    looks = dict(PLAIN_LOOKS)
    looks["bar"] = (("fill", "#f3f5f7", "#21262c"), ("stroke", "#c3cad2", "#444c56"))
    looks["bar-turned"] = (("fill", "#fdeedd", "#3f2b13"), ("stroke", "#b35900", "#f0a860"))
    kinds = {f"move{k}": colours for k, colours in enumerate(MOVES)} | EDITS
    kinds["move-pale"] = PALE_MOVE
    kinds |= {f"half{k}": colours for k, colours in enumerate(HALVES)}
    for name, (stroke, dark_stroke, tint, dark_tint) in kinds.items():
        line = ("stroke", stroke, dark_stroke)
        looks[name] = (("fill", tint, dark_tint), line)
        if not name.startswith(("move", "delete")):
            continue
        looks[f"{name}-line"] = (("fill", "none", "none"), line, ("stroke-width", "2", "2"))
        looks[f"{name}-ink"] = (("fill", stroke, dark_stroke),)
    looks |= {f"shade{k}-ink": (("fill", *colours),) for k, colours in enumerate(SHADES)}
    return looks


LOOKS = _looks()


@dataclass(frozen=True)
class Frame:
    """Converts coordinates along and across a sentence to x and y.

    Parameters
    ----------
    length : float
        The extent of the sentence.
    turned : bool
        Whether the sentence is a column.
    mirrored : bool
        Whether the drawing starts at the right.
    breadth : float
        The extent across the sentence; only needed if the drawing is turned and mirrored.
    """

    length: float
    turned: bool = False
    mirrored: bool = False
    breadth: float = 0.0

    def point(self, along: float, across: float) -> tuple[float, float]:
        """Return x and y."""
        x, y = (across, along) if self.turned else (along, across)
        if self.mirrored:
            x = (self.breadth if self.turned else self.length) - x
        return x, y

    def size(self, across: float) -> tuple[float, float]:
        """Return the width and the height of a drawing with this extent across the sentence."""
        return (across, self.length) if self.turned else (self.length, across)

    def text(
        self,
        along: float,
        across: float,
        text: str,
        look: str = "ink",
        anchor: str = "middle",
        size: float = SIZE,
        is_word: bool = False,
    ) -> Markup:
        """Return a text at a point, across which it is centred.

        Parameters
        ----------
        along, across : float
        text : str
        look : str
            The name of its class, without "hb-".
        anchor : {"start", "middle", "end"}
            The part of the text that is at the point. The start is at the left whatever the script,
            and at the right in mirrored drawings.
        size : float
            The font size.
        is_word : bool
            Whether it is a word of the sentence: its punctuation is mirrored with the drawing.
        """
        x, y = self.point(along, across)
        backwards = is_right_to_left(text) or (
            is_word and self.mirrored and not any(map(str.isalnum, text))
        )
        if backwards != self.mirrored:
            anchor = OTHER_ENDS[anchor]
        return element(
            "text",
            text,
            x=x,
            y=y + size * 0.35,  # the baseline is below the middle of lower-case letters
            class_=f"hb-{look}",
            text_anchor=None if anchor == "start" else anchor,
            direction="rtl" if backwards else None,
            font_size=None if size == SIZE else size,
        )

    def at(self, along: float, across: float) -> str:
        """Return x and y as text for a path."""
        x, y = self.point(along, across)
        return f"{number(x)} {number(y)}"

    def polygon(self, corners: Iterable[tuple[float, float]]) -> str:
        """Return the path of a closed shape."""
        return f"M{'L'.join(self.at(*corner) for corner in corners)}Z"

    def box(
        self, along: tuple[float, float], across: tuple[float, float], look: str, **attributes: str
    ) -> Markup:
        """Return a rectangle with round corners."""
        corners = [self.point(a, b) for a, b in zip(along, across, strict=True)]
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        size = {"width": right - left, "height": bottom - top}
        return element("rect", x=left, y=top, **size, rx=5, class_=f"hb-{look}", **attributes)


PLAIN = Frame(0.0)  # in which points are x and y


def path(steps: str, look: str = "line", dashed: bool = False) -> Markup:
    """Return a path."""
    return element("path", d=steps, class_=f"hb-{look}", stroke_dasharray="4 3" if dashed else None)


def move_look(number: int, move: Move) -> str:
    """Return the look of a block that moves, given the number of its move from 0."""
    return "move-pale" if move.is_punctuation else f"move{number % len(MOVES)}"


def mark_moved_words(
    alignment: Alignment, moves: Sequence[Move], mark: Callable[[int, Move], str]
) -> tuple[dict[int, str], dict[int, str]]:
    """Return the marks of the words that move, by their positions in hypothesis and reference.

    Inner blocks override outer ones. ``mark`` has the number of the move from 0 and the move.
    """
    marks: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for k, move in enumerate(moves):
        for pair in alignment.places[slice(*move.block)]:
            for of_side, position in zip(marks, pair, strict=True):
                of_side[position] = mark(k, move)
    return marks


def marked_sentences(
    explanation: Explanation, mark: Callable[[int, Move], str], unlinked: str
) -> Iterator[tuple[str, Sequence[str], list[str | None]]]:
    """Yield the names and the words of all texts, with the mark of each word if it has one.

    The marks of words that move are those of :func:`mark_moved_words`.
    """
    if explanation.source is not None:
        source = visible(explanation.source).split()
        yield "source", source, [None] * len(source)
    marks = mark_moved_words(explanation.alignment, explanation.moves, mark)
    for side, (name, words) in enumerate(explanation.named_words):
        linked = {pair[side] for pair in explanation.alignment.links}
        looks = (marks[side].get(k, None if k in linked else unlinked) for k in range(len(words)))
        yield name, words, list(looks)


def check_size(count: int) -> None:
    """Raise ``InputError`` if there are too many words or nodes to draw."""
    if count > MAX_ITEMS:
        raise InputError(f"{count:,} words are too many to draw; the limit is {MAX_ITEMS:,}")


def finish_drawing(
    width: float, height: float, marks: Iterable[str], title: str, style: bool = True
) -> Drawing:
    """Return the drawing with a margin around its marks."""
    group = element("g", *marks, transform=f"translate({number(MARGIN)} {number(MARGIN)})")
    size = width + 2 * MARGIN, height + 2 * MARGIN
    return document(*size, group, title=title, looks=LOOKS, style=style)


def message_drawing(message: str, style: bool = True) -> Drawing:
    """Return a drawing that only contains a message."""
    text = PLAIN.text(0, LINE / 2, message, "quiet", "start")
    return finish_drawing(text_width(message), LINE, [text], message, style)
