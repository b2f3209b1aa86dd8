"""Texts that are written without spaces between words, told by their characters."""

from __future__ import annotations

import re
from collections.abc import Iterable

LETTERS = re.compile(r"[^\W\d_]")
# Kana come first: a Japanese text has Chinese characters, too.
SCRIPTS = {
    "Japanese": (re.compile(r"[\u3040-\u30ff]"), 0.1),
    "Chinese": (re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]"), 0.5),
    "Thai": (re.compile(r"[\u0e01-\u0e7f]"), 0.5),
    "Lao": (re.compile(r"[\u0e81-\u0eff]"), 0.5),
    "Burmese": (re.compile(r"[\u1000-\u109f]"), 0.5),
    "Khmer": (re.compile(r"[\u1780-\u17ff]"), 0.5),
}
CODES = {
    "Japanese": "ja",
    "Chinese": "zh",
    "Thai": "th",
    "Lao": "lo",
    "Burmese": "my",
    "Khmer": "km",
}


def unspaced_language(lines: Iterable[str]) -> str | None:
    """Return the language that a text without spaces seems to have; None for other texts.

    >>> unspaced_language(["我们中午见面。"]), unspaced_language(["正午に会いました。"])
    ('Chinese', 'Japanese')
    >>> unspaced_language(["We met in 北京."]) is None
    True
    """
    text = "".join(lines)
    letters = len(LETTERS.findall(text))
    for language, (characters, least_share) in SCRIPTS.items():
        # Marks above and below Thai letters are no letters, so that the share may exceed 1.
        if letters and len(characters.findall(text)) >= least_share * letters:
            return language
    return None
