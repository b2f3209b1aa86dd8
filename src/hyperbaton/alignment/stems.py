"""Word stems, from Snowball's stemmers (PyStemmer)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hyperbaton.text.languages import parse_language
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable

if TYPE_CHECKING:
    from hyperbaton.text.words import Int32s, TokenNumbers

# Snowball's names of languages by their codes, where they are not the English names.
OTHER_NAMES = {"nb": "norwegian", "nn": "norwegian", "st": "sesotho"}
AS_WRITTEN = Tokenization("none", "mixed")


def stemmer_name(language: str) -> str | None:
    """Return Snowball's name of a language, or None if there is no stemmer for it.

    Which stemmers there are depends on the version of PyStemmer.

    >>> stemmer_name("en"), stemmer_name("de-AT"), stemmer_name("French"), stemmer_name("ja")
    ('english', 'german', 'french', None)
    """
    import Stemmer

    known = parse_language(language)
    name = OTHER_NAMES.get(known.code, known.name.lower())
    return name if name in Stemmer.algorithms() else None


def load_stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """Return the function that maps words to their stems."""
    import Stemmer

    stem_words: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name, 0).stemWords
    return stem_words


def stem_numbers(name: str) -> TokenNumbers:
    """Return numbers that are equal for tokens with equal stems."""
    from hyperbaton.text.words import TokenNumbers  # not every metric needs it

    stem = load_stemmer(name)

    def make_look_up() -> Callable[[list[str]], Int32s]:
        stems = WordTable(AS_WRITTEN, whole=True)
        return lambda tokens: stems.number_tokens([stem(tokens)], "stems", 1).numbers

    return TokenNumbers(make_look_up)
