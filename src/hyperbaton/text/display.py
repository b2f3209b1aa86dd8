"""Words as they may be shown: whatever is in them does nothing, and is seen."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from hyperbaton.text.tokenizers import tokenizer

JOINERS = "\u200c\u200d"  # Persian, Indic scripts and emoji need them; alone they do nothing
REPLACEMENT = "\ufffd"


def visible(text: str) -> str:
    r"""The text with U+FFFD for each sign that a terminal or a browser might obey.

    That is controls, overrides of the writing direction, halves of characters, and the like.

    >>> visible("no\x1b[31m \u202eno")
    'no�[31m �no'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in JOINERS else REPLACEMENT for c in text)


def right_to_left(text: str) -> bool:
    """Whether most of its letters are of a script that is written from right to left.

    >>> right_to_left("سلام عليكم (salaam)"), right_to_left("hello")
    (True, False)
    """
    kinds = [unicodedata.bidirectional(c) for c in text]
    return kinds.count("R") + kinds.count("AL") > kinds.count("L")


def as_written(text: str, tokens: Sequence[str], tok: str) -> tuple[str, ...]:
    """The tokens in the case of the text, where that does not change what they are.

    >>> as_written("We met Eve.", ["we", "met", "eve", "."], "13a")
    ('We', 'met', 'Eve', '.')
    """
    written = tokenizer(tok, lowercase=False)(text)
    same = [token.lower() for token in written] == list(tokens)
    return tuple(map(visible, written if same else tokens))
