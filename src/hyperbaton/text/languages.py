"""Language codes and names."""

from __future__ import annotations

import re

# English names by ISO 639-1 code, for the languages that have a Snowball stemmer.
ENGLISH_NAMES = {
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
# Other names of a language. The first code of a name is used: "norwegian" is "nb". WMT calls Czech
# by its country code.
ALIASES = {"cz": "cs", **{name: code for code, name in reversed(ENGLISH_NAMES.items())}}


def primary_subtag(language: str | None) -> str:
    """Return the part of a language tag before the first ``-`` or ``_``, in lower case.

    >>> primary_subtag("zh-Hans"), primary_subtag("de_AT"), primary_subtag(None)
    ('zh', 'de', '')
    """
    return re.split("[-_]", language or "")[0].lower()


def language_code(language: str | None) -> str:
    """Return the code of a language that is given as a tag or by its English name.

    >>> language_code("de_AT"), language_code("German"), language_code("cz"), language_code(None)
    ('de', 'de', 'cs', '')
    """
    subtag = primary_subtag(language)
    return ALIASES.get(subtag, subtag)
