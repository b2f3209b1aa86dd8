"""Words as in the English–French gold alignments, for text that is to be aligned with them.

The gold text separates all punctuation, hyphens included, except periods of abbreviations. Its
French writes elided and contracted words in full: ``l'`` is ``le``, ``du`` is ``de le``.
"""

from __future__ import annotations

import re

COMMON = r"\d+(?:[.,]\d+)*|\b(?:Mr|Mrs|Ms|Dr|St|No|[Hh]on|MM?)\.|\.\.\.|--"
ENGLISH = re.compile(rf"{COMMON}|'(?:s|re|ve|ll|d|m)\b|\w+|\S")
FRENCH = re.compile(rf"{COMMON}|\w+'(?=\w)|\w+|\S")
IN_FULL = {
    **{f"{letter}'": f"{letter}e" for letter in "cdjlmnst"},
    **{f"{word}qu'": f"{word}que" for word in ("", "jus", "lors", "puis")},
    "au": "à le",
    "aux": "à les",
    "du": "de le",
    "des": "de les",
}
APOSTROPHES = str.maketrans("’‘", "''")


def english_words(line: str) -> str:
    """Return a line of English with its words separated by spaces.

    >>> english_words("Mr. Smith's well-known 1,122,000 cars.")
    "Mr. Smith 's well - known 1,122,000 cars ."
    """
    return " ".join(ENGLISH.findall(line.translate(APOSTROPHES)))


def french_words(line: str) -> str:
    """Return a line of French with its words separated by spaces and written in full.

    >>> french_words("L’unité du pays, qu'il voit aujourd'hui.")
    "le unité de le pays , que il voit aujourd' hui ."
    """
    words = FRENCH.findall(line.translate(APOSTROPHES))
    return " ".join(IN_FULL.get(word.lower(), word) for word in words)
