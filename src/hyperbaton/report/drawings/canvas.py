"""What drawings share: colours, words with their direction, and the two ways to lay a sentence.

A sentence goes along a row, from the right for scripts that do so; where the row would be wider
than a page, the drawing is turned, and the sentence goes down a column, a word a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hyperbaton.errors import InputError
from hyperbaton.report.svg import LOOKS as PLAIN_LOOKS
from hyperbaton.report.svg import SIZE, Drawing, Look, Markup, document, element, number, text_width
from hyperbaton.text.display import right_to_left

WIDEST = 960.0  # pixels: a row that is longer is turned
MARGIN = 16.0
SMALL = 11.0  # the size of captions and numbers
LINE = 24.0  # from one line of words to the next
PAD = 6.0  # at both sides of a word
GAP = 4.0  # between words
LONGEST_WORD = 40  # signs of a word, such as an address, that are shown
MOST = 5_000  # words or nodes: a drawing of more helps nobody, and a browser stalls

# Blocks that move: a stroke and a tint, each in light and dark; the seventh is like the first.
MOVES = (
    ("#0b57c9", "#7cbcff", "#dbe9ff", "#1b3358"),
    ("#9a4c00", "#f0a860", "#ffe8cc", "#4a2f10"),
    ("#176d30", "#66cf7d", "#d9f2e0", "#153d22"),
    ("#7440d0", "#c9a3ff", "#eee2ff", "#3a2560"),
    ("#a82a76", "#f79fd1", "#ffe0f0", "#54203e"),
    ("#086b75", "#5ccbd6", "#d2f1f4", "#0f3d43"),
)
# Edits: what was replaced, deleted, inserted.
EDITS = {
    "substitute": ("#855900", "#e3b341", "#fff4cc", "#46360c"),
    "delete": ("#b3281f", "#ff8f86", "#ffe3e0", "#521c18"),
    "insert": ("#176d30", "#66cf7d", "#d9f2e0", "#153d22"),
}
HALVES = (MOVES[0], MOVES[5])  # of an inverted block


def _looks() -> dict[str, tuple[Look, ...]]:
    looks = dict(PLAIN_LOOKS)
    looks["bar"] = (("fill", "#f3f5f7", "#21262c"), ("stroke", "#c3cad2", "#444c56"))
    looks["bar-turned"] = (("fill", "#fdeedd", "#3f2b13"), ("stroke", "#b35900", "#f0a860"))
    kinds = {f"move{k}": colours for k, colours in enumerate(MOVES)} | EDITS
    kinds |= {f"half{k}": colours for k, colours in enumerate(HALVES)}
    for name, (stroke, dark_stroke, tint, dark_tint) in kinds.items():
        line = ("stroke", stroke, dark_stroke)
        looks[name] = (("fill", tint, dark_tint), line)
        if not name.startswith(("move", "delete")):
            continue
        looks[f"{name}-line"] = (("fill", "none", "none"), line, ("stroke-width", "2", "2"))
        looks[f"{name}-ink"] = (("fill", stroke, dark_stroke),)
    return looks


LOOKS = _looks()


@dataclass(frozen=True)
class Frame:
    """Places along a sentence and across it, as x and y.

    ``length`` is how far the sentence goes. Along a row, ``mirrored`` runs from the right.
    """

    length: float
    turned: bool = False
    mirrored: bool = False

    def point(self, along: float, across: float) -> tuple[float, float]:
        """x and y."""
        if self.turned:
            return across, along
        return (self.length - along if self.mirrored else along), across

    def at(self, along: float, across: float) -> str:
        """x and y, for a path."""
        x, y = self.point(along, across)
        return f"{number(x)} {number(y)}"

    def box(
        self, along: tuple[float, float], across: tuple[float, float], look: str, **more: str
    ) -> Markup:
        """A rectangle with round corners."""
        corners = [self.point(a, b) for a, b in zip(along, across, strict=True)]
        (left, right), (top, bottom) = (sorted(values) for values in zip(*corners, strict=True))
        return element(
            "rect",
            x=left,
            y=top,
            width=right - left,
            height=bottom - top,
            rx=5,
            class_=f"hb-{look}",
            **more,
        )


def word(
    x: float,
    y: float,
    text: str,
    look: str = "ink",
    anchor: str = "middle",
    size: float = SIZE,
    mirrored: bool = False,
) -> Markup:
    """A text whose middle line is at y; anchor: which part of it is at x, from the left.

    ``mirrored`` is for words of a sentence from the right: a bracket alone is turned round there.
    """
    backwards = right_to_left(text) or (mirrored and not any(map(str.isalnum, text)))
    if backwards and anchor != "middle":
        anchor = "end" if anchor == "start" else "start"
    return element(
        "text",
        text,
        x=x,
        y=y + size * 0.35,  # the middle of small letters
        class_=f"hb-{look}",
        text_anchor=None if anchor == "start" else anchor,
        direction="rtl" if backwards else None,
        font_size=None if size == SIZE else size,
    )


def path(steps: str, look: str = "line", dashed: bool = False) -> Markup:
    """A line."""
    return element("path", d=steps, class_=f"hb-{look}", stroke_dasharray="4 3" if dashed else None)


def clipped(text: str) -> str:
    """A word, or as much of it as can be shown."""
    return text if len(text) <= LONGEST_WORD else text[: LONGEST_WORD - 1] + "…"


def move_look(move: int) -> str:
    """The look of a block that moves, by the number of its move from 0."""
    return f"move{move % len(MOVES)}"


def check_size(count: int) -> None:
    """Refuse to draw so many words or nodes."""
    if count > MOST:
        raise InputError(f"{count:,} words are too many to draw; {MOST:,} at most")


def finished(
    width: float, height: float, marks: Iterable[str], title: str, style: bool = True
) -> Drawing:
    """The drawing, with a margin around what was drawn."""
    return document(
        width + 2 * MARGIN,
        height + 2 * MARGIN,
        element("g", *marks, transform=f"translate({number(MARGIN)} {number(MARGIN)})"),
        title=title,
        looks=LOOKS,
        style=style,
    )


def empty(message: str, style: bool = True) -> Drawing:
    """A drawing that says why there is nothing to draw."""
    return finished(
        text_width(message), LINE, [word(0, LINE / 2, message, "quiet", "start")], message, style
    )
