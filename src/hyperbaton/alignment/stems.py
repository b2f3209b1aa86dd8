"""Stems of words, by Snowball's stemmers (PyStemmer)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

SURROGATE = re.compile("[\ud800-\udfff]")

# ISO 639-1 codes of the languages that Snowball has; other names are Snowball's own.
CODES = {
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
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def stemmer_name(language: str | None) -> str | None:
    """The name of a language's stemmer, or None if it has none.

    >>> stemmer_name("en"), stemmer_name("de-AT"), stemmer_name("French"), stemmer_name("ja")
    ('english', 'german', 'french', None)
    """
    import Stemmer

    if language is None:
        return None
    code = language_code(language)
    name = CODES.get(code, code)
    return name if name in Stemmer.algorithms() else None


def language_code(language: str | None) -> str:
    """The code of a language, without what follows it; Czech is also known by its country.

    >>> language_code("de_AT"), language_code("German"), language_code("cz"), language_code(None)
    ('de', 'de', 'cs', '')
    """
    code = (language or "").replace("_", "-").split("-")[0].lower()
    return {"cz": "cs", **{name: own for own, name in reversed(CODES.items())}}.get(code, code)


def stemmer(name: str) -> Callable[[Sequence[str]], list[str]]:
    """A function from words to their stems.

    A word with half of a surrogate pair, which has no UTF-8 for Snowball, is its own stem.
    """
    import Stemmer

    stem_all: Callable[[Sequence[str]], list[str]] = Stemmer.Stemmer(name, 0).stemWords

    def stem(words: Sequence[str]) -> list[str]:
        try:
            return stem_all(words)
        except UnicodeEncodeError:
            return [word if SURROGATE.search(word) else stem_all([word])[0] for word in words]

    return stem
