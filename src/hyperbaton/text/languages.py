"""Languages: one rule that says what a language code or BCP 47 tag means.

``languages.tsv`` lists all languages of ISO 639-1, FLORES-200 and the locales of glibc, most of
those of Universal Dependencies, and those with a million speakers. Each has its usual script and
its other codes (ISO 639-2 and 639-3, and the member that stands for a macrolanguage, such as arb
for ar).
``regions.tsv`` lists the regions of ISO 3166-1 with their main language, and ``scripts.txt`` the
scripts of ISO 15924. The first two are extracts of Unicode's CLDR and IANA's registry of language
subtags, as ``language_data`` 1.4 distributes them.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hyperbaton.errors import InputError, InputTypeError

EXAMPLES = "a code such as en or pt-BR"
# What may follow language, script and region in BCP 47: variants, extensions, private use.
SUFFIX = re.compile(
    r"(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wyz0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Language:
    """A language, as a tag describes it.

    Attributes
    ----------
    code : str
        Its code: ISO 639-1 if there is one, otherwise ISO 639-3.
    script : str
        Its script (ISO 15924): the one of the tag, or the usual one of the language.
    region : str, optional
        The region of the tag.
    """

    code: str
    script: str
    region: str | None = None

    @property
    def name(self) -> str:
        """The English name."""
        return _tables().languages[self.code].name


class _Known(NamedTuple):
    """A row of ``languages.tsv``."""

    name: str
    script: str


class _Region(NamedTuple):
    """A row of ``regions.tsv``."""

    name: str
    language: str


class _Tables(NamedTuple):
    languages: dict[str, _Known]
    codes: dict[str, str]  # codes by codes and names in lower case
    regions: dict[str, _Region]
    scripts: frozenset[str]


@functools.cache
def _tables() -> _Tables:
    languages: dict[str, _Known] = {}
    codes: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for code, name, script, others in _read_table("languages.tsv"):
        languages[code] = _Known(name, script)
        codes[code] = codes[name.lower()] = code
        aliases.update(dict.fromkeys(filter(None, others.split(",")), code))
    regions = {code: _Region(*row) for code, *row in _read_table("regions.tsv")}
    # Aliases win: "norwegian" is nb, not no, and so are its stems in signatures.
    return _Tables(languages, codes | aliases, regions, frozenset(_read("scripts.txt").split()))


def _read(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


def _read_table(name: str) -> list[list[str]]:
    return [line.split("\t") for line in _read(name).splitlines()[1:]]


def all_languages() -> list[tuple[str, str]]:
    """Return the code and the English name of every language, sorted by name.

    >>> ("de", "German") in all_languages()
    True
    """
    pairs = ((code, known.name) for code, known in _tables().languages.items())
    return sorted(pairs, key=lambda pair: pair[1])


def language_code(language: str | None) -> str:
    """Return the code of a language that is given as a tag or by its English name.

    >>> language_code("de_AT"), language_code("German"), language_code("cz"), language_code(None)
    ('de', 'de', 'cs', '')
    """
    return "" if language is None else parse_language(language).code


def parse_language(language: str) -> Language:
    """Return the language that a code, a BCP 47 tag or an English name means.

    Case matters only where two parts could be a pair of languages. A second part in capitals is a
    region: ``en-DE`` is English as used in Germany. Otherwise, if it is a language other than the
    first, the two are taken for a pair: ``en-de``. ``_`` is the same as ``-``.

    Raises
    ------
    InputError
        If there is no such language, or if two are given. The message names the nearest one.
    InputTypeError
        If it is not a string.

    Examples
    --------
    >>> parse_language("pt-BR")
    Language(code='pt', script='Latn', region='BR')
    >>> parse_language("zho_hant")
    Language(code='zh', script='Hant', region=None)
    >>> parse_language("en-de")
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: 'en-de' looks like a language pair: give de, or en-DE for English as \
used in Germany
    >>> parse_language("jp")
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: unknown language 'jp'; did you mean ja (Japanese)?
    """
    if not isinstance(language, str):
        kind = type(language).__name__
        raise InputTypeError(f"language must be a code such as 'en', got {kind}")
    return _parse(language.strip())


@functools.lru_cache(256)
def _parse(language: str) -> Language:
    if not language:
        raise InputError(f"the language is empty; give {EXAMPLES}")
    known, codes, regions, scripts = _tables()
    if language.lower() in codes:  # names may have hyphens and spaces
        code = codes[language.lower()]
        return Language(code, known[code].script)
    first, *rest = re.split("[-_]", language)
    code = codes.get(first.lower(), "")
    if not code:
        raise InputError(_unknown_message(language, first))
    script = None
    if rest and re.fullmatch("[A-Za-z]{4}", rest[0]):
        script = rest.pop(0).capitalize()
        if script not in scripts:
            raise InputError(f"unknown script {script!r} in the language {language!r}: give {code}")
    region = None
    if rest:
        if script is None or rest[0].upper() not in regions:  # zh-hant-tw is no pair
            _refuse_pair(language, code, rest[0])
        if re.fullmatch("[A-Za-z]{2}|[0-9]{3}", rest[0]):
            region = rest.pop(0).upper()
            if region not in regions and not region.isdigit():
                raise InputError(
                    f"unknown region {region!r} in the language {language!r}: give {code}"
                )
    if not SUFFIX.fullmatch("".join(f"-{part.lower()}" for part in rest)):
        raise InputError(f"{language!r} is not a language tag: give {code}, or {EXAMPLES}")
    return Language(code, script or known[code].script, region)


def _refuse_pair(language: str, code: str, second: str) -> None:
    """Raise an error if the second part is another language and not plainly a region."""
    known, codes, regions, _ = _tables()
    if codes.get(second.lower(), code) == code:  # no language, or the same again: de-de
        return
    region = second.upper()
    if second == region and region in regions:
        return
    message = f"{language!r} looks like a language pair: give {second.lower()}"
    if region in regions:
        message += f", or {code}-{region} for {known[code].name} as used in {regions[region].name}"
    raise InputError(message)


def _unknown_message(language: str, first: str) -> str:
    """Return the error message for an unknown language, with the nearest known one."""
    known, codes, regions, _ = _tables()
    if first.upper() in regions:  # the code of a country, such as jp
        nearest = regions[first.upper()].language
    else:
        matches = difflib.get_close_matches(first.lower(), codes, 3, 0.4)
        if not matches:
            return f"unknown language {language!r}; give {EXAMPLES}"
        # The best-known languages have two letters.
        nearest = min((codes[match] for match in matches), key=len)
    return f"unknown language {language!r}; did you mean {nearest} ({known[nearest].name})?"


LETTERS = re.compile(r"[^\W\d_]")
# Kana come first: a Japanese text has Chinese characters, too.
UNSPACED = {
    "Japanese": (re.compile(r"[\u3040-\u30ff]"), 0.1),
    "Chinese": (re.compile(r"[\u3400-\u9fff\U00020000-\U0003ffff]"), 0.5),
    "Thai": (re.compile(r"[\u0e01-\u0e7f]"), 0.5),
    "Lao": (re.compile(r"[\u0e81-\u0eff]"), 0.5),
    "Burmese": (re.compile(r"[\u1000-\u109f]"), 0.5),
    "Khmer": (re.compile(r"[\u1780-\u17ff]"), 0.5),
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
    for language, (characters, least_share) in UNSPACED.items():
        # Marks above and below Thai letters are no letters, so that the share may exceed 1.
        if letters and len(characters.findall(text)) >= least_share * letters:
            return language
    return None
