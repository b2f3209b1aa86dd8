"""Folding as docs/scoring.md describes it, character by character from Unicode's own data."""

from __future__ import annotations

import unicodedata

APOSTROPHES = {0x2018, 0x2019, 0x201A, 0x201B, 0x2039, 0x203A, 0x02BB, 0x02BC, 0x00B4, 0x1FFD}
QUOTES = {0x201C, 0x201D, 0x201E, 0x201F, 0x00AB, 0x00BB}
DASHES = {*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63}
INVISIBLE = {
    *(0x00AD, 0x061C, 0x200B, 0x200E, 0x200F, 0xFEFF),
    *range(0x202A, 0x202F),
    *range(0x2060, 0x2065),
    *range(0x2066, 0x2070),
}


def fold_character(c: str) -> str:
    """What the table has for a character: the character itself if it has nothing."""
    code = ord(c)
    if code in APOSTROPHES:
        return "'"
    if code in QUOTES:
        return '"'
    if code in DASHES:
        return "-"
    if c == "…":
        return "..."
    if code in INVISIBLE:
        return ""
    kind, *codes = unicodedata.decomposition(c).split() or [""]
    if kind in ("<wide>", "<narrow>") and 0xFF01 <= code <= 0xFFEE:
        return chr(int(codes[0], 16))
    name = unicodedata.name(c, "")
    if name.startswith("LATIN") and "LIGATURE" in name and kind == "<compat>":
        return unicodedata.normalize("NFKC", c)
    return c


def fold(text: str, lowercase: bool, turkic: bool = False) -> str:
    """The table, NFC, lower case, NFC."""
    folded = ""
    for c in text:
        folded += fold_character(c)
    folded = unicodedata.normalize("NFC", folded)
    if lowercase:
        if turkic:
            folded = folded.replace("I", "ı").replace("İ", "i")
        folded = unicodedata.normalize("NFC", folded.lower())
    return folded
