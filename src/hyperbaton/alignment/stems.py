"""Word stems, from Snowball's stemmers (PyStemmer)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hyperbaton.text.languages import ENGLISH_NAMES, language_code


def stemmer_name(language: str | None) -> str | None:
    """Return Snowball's name of a language, or None if there is no stemmer for it.

    >>> stemmer_name("en"), stemmer_name("de-AT"), stemmer_name("French"), stemmer_name("ja")
    ('english', 'german', 'french', None)
    """
    import Stemmer

    if language is None:
        return None
    code = language_code(language)
    name = ENGLISH_NAMES.get(code, code)
    return name if name in Stemmer.algorithms() else None


def load_stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """Return the function that maps words to their stems."""
    import Stemmer

    stem_words: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name, 0).stemWords
    return stem_words
