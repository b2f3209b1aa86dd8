"""The constants of drawings as a script: pages also draw in the browser (assets/drawings.js)."""

from __future__ import annotations

import json

from hyperbaton.explanations.order_marks import BREAK_MEANING, CLEAR, REVERSED_MEANING
from hyperbaton.text.display import MAX_WORD_LENGTH
from hyperbaton.views.drawings.canvas import GAP, LINE, MARGIN, MAX_WIDTH, MOVES, PAD, SMALL
from hyperbaton.views.drawings.sentences import (
    ARROW,
    BREAK_ROOM,
    CAPTION,
    LEGEND_LINE,
    LEGEND_MARK,
    LINK_SPACE,
    REVERSED_ROOM,
)
from hyperbaton.views.drawings.trees import LEAF_GAP, LEAF_WIDTH, LEVEL, NEXT_LINE
from hyperbaton.views.svg import FONT, SIZE

CONSTANTS = {
    "FONT": FONT,
    "TEXT": SIZE,
    "SMALL": SMALL,
    "LINE": LINE,
    "PAD": PAD,
    "GAP": GAP,
    "MARGIN": MARGIN,
    "MAX_WIDTH": MAX_WIDTH,
    "MAX_WORD_LENGTH": MAX_WORD_LENGTH,
    "MOVE_COLOURS": len(MOVES),
    "LINK_SPACE": LINK_SPACE,
    "CAPTION": CAPTION,
    "CLEAR": CLEAR,
    "BREAK_ROOM": BREAK_ROOM,
    "REVERSED_ROOM": REVERSED_ROOM,
    "BREAK_MEANING": BREAK_MEANING,
    "REVERSED_MEANING": REVERSED_MEANING,
    "ARROW": ARROW,
    "LEGEND_LINE": LEGEND_LINE,
    "LEGEND_MARK": LEGEND_MARK,
    "LEVEL": LEVEL,
    "LEAF_GAP": LEAF_GAP,
    "LEAF_WIDTH": LEAF_WIDTH,
    "NEXT_LINE": NEXT_LINE,
}


def script_constants() -> str:
    """Return the declarations of the constants, for the scripts that follow.

    >>> print(script_constants())
    // The constants of hyperbaton.views.drawings.
    const FONT = "Arial, ...
    """
    lines = (f"const {name} = {json.dumps(value)};\n" for name, value in CONSTANTS.items())
    return "// The constants of hyperbaton.views.drawings.\n" + "".join(lines)
