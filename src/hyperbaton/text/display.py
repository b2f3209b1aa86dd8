"""Words that are safe to display in a terminal or in a browser.

Column widths on a terminal are those of ``rich.cells``; see ``hyperbaton.report.terminal``.
"""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Sequence

from hyperbaton.text.tokenization import Tokenization

JOINERS = "\u200c\u200d"  # needed by Persian, Indic scripts and emoji, and harmless alone
REPLACEMENT = "\ufffd"


def terminal_width() -> int:
    """Return the number of columns of the terminal; 100 if there is no terminal."""
    return shutil.get_terminal_size((100, 24)).columns


def visible(text: str) -> str:
    r"""Replace each character that a terminal or a browser might interpret by U+FFFD.

    These are control characters, overrides of the writing direction, unpaired surrogates and the
    like.

    >>> visible("no\x1b[31m \u202eno")
    'no�[31m �no'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in JOINERS else REPLACEMENT for c in text)


def is_right_to_left(text: str) -> bool:
    """Return whether most letters belong to scripts that are written from right to left.

    >>> is_right_to_left("سلام عليكم (salaam)"), is_right_to_left("hello")
    (True, False)
    """
    kinds = [unicodedata.bidirectional(c) for c in text]
    return kinds.count("R") + kinds.count("AL") > kinds.count("L")


def restore_case(text: str, tokens: Sequence[str], tokenization: Tokenization) -> tuple[str, ...]:
    """Return lower-case tokens in the case of the text, safe to display.

    Parameters
    ----------
    text : str
        The text as written.
    tokens : sequence of str
        Its tokens in lower case.
    tokenization : Tokenization
        How the text became these tokens.

    Returns
    -------
    tuple of str
        The tokens in their original case, or unchanged if the text has other tokens in that case.

    Examples
    --------
    >>> restore_case("We met Eve.", ["we", "met", "eve", "."], Tokenization("13a"))
    ('We', 'met', 'Eve', '.')
    """
    cased = tokenization.as_written().split(text)
    same = [token.lower() for token in cased] == list(tokens)
    shown = tuple(cased if same else tokens)
    return shown if "".join(shown).isprintable() else tuple(map(visible, shown))
