"""Word stems, from Snowball's stemmers (PyStemmer)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hyperbaton.text.languages import language_code

# Snowball's names of languages by their codes. Which of them there are depends on the version.
SNOWBALL_NAMES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def stemmer_name(language: str | None) -> str | None:
    """Return Snowball's name of a language, or None if there is no stemmer for it.

    >>> stemmer_name("en"), stemmer_name("de-AT"), stemmer_name("French"), stemmer_name("ja")
    ('english', 'german', 'french', None)
    """
    import Stemmer

    name = SNOWBALL_NAMES.get(language_code(language))
    return name if name in Stemmer.algorithms() else None


def load_stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """Return the function that maps words to their stems."""
    import Stemmer

    stem_words: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name, 0).stemWords
    return stem_words
