"""Synonyms from the database files of WordNet 3.0 or 3.1.

Only the index (which synsets a word is in) and the exception lists (which irregular forms a word
has) are read: ``index.noun`` and ``noun.exc``, and the same of verb, adj and adv.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hyperbaton.errors import InputError, MissingData

Folder = Path | zipfile.Path  # NLTK's downloader leaves the files in the archive

# In the order of WordNet's own numbers from 1: the synset of noun 02084071 is 102084071.
PARTS = ("noun", "verb", "adj", "adv")
FILES = tuple(f"index.{part}" for part in PARTS) + tuple(f"{part}.exc" for part in PARTS)
OFFSETS = 100_000_000  # byte offsets have eight digits

# Morphy's rules of detachment, in its order: the first that gives a word of the index is taken.
RULES: Final = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}

# Lines of the licence begin with two spaces. Of the others only the beginning is looked at here,
# which is enough to know that the file is an index; the rest is, when the word is asked for.
NOT_AN_ENTRY = re.compile(r"\n(?!  |[^ \n]+ [nvar] [0-9]+ |\Z)")
VERSION = re.compile(r"^  .*\bWordNet ([0-9]+(?:\.[0-9]+)+)", re.MULTILINE)


class WordNet:
    """Which words share a synset.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in FILES:
    ...         _ = Path(folder, name).write_text("")
    ...     _ = Path(folder, "index.noun").write_text(
    ...         "auto n 1 3 @ ~ %p 1 0 02958343  \\ncar n 2 4 @ ~ #m %p 2 2 02958343 02959942  \\n"
    ...     )
    ...     wordnet = WordNet.find(folder)
    >>> sorted(wordnet.synsets("Cars"))
    [102958343, 102959942]
    >>> wordnet.synsets("cars") & wordnet.synsets("auto")
    frozenset({102958343})
    """

    version: str

    def __init__(self, folder: Folder) -> None:
        self._parts = [_Part(folder, part) for part in PARTS]
        named = [part.version for part in self._parts if part.version]
        if named:
            self.version = named[0]
        else:
            contents = b"".join((folder / f"index.{part}").read_bytes() for part in PARTS)
            self.version = hashlib.sha256(contents).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"<WordNet {self.version}>"

    @staticmethod
    def find(path: str | os.PathLike[str] | None = None) -> WordNet:
        """The database in ``path``, or in the first of the usual places that has one.

        These are the folder that the variable WNSEARCHDIR names, that of Debian's package, and
        those where NLTK keeps its corpora.
        """
        if path is not None:
            places: Iterator[Folder] = iter((Path(path), Path(path, "dict")))
        else:
            places = _usual_places()
        for folder in places:
            if all((folder / name).is_file() for name in FILES):
                return WordNet(folder)
        where = "in the usual places" if path is None else f"in {os.fspath(path)}"
        raise MissingData(
            f"no WordNet database {where} (index.noun, noun.exc and the like): get one with `apt "
            "install wordnet-base` or `python -m nltk.downloader wordnet`, or pass its path"
        )

    def synsets(self, word: str) -> frozenset[int]:
        """The synsets of the word and of its base forms, in every part of speech.

        An id has the part of speech (1 noun, 2 verb, 3 adjective, 4 adverb) before the eight
        digits of the offset. Base forms are found as WordNet's Morphy finds those of single words:
        all that the exception list has, or else the one of the first rule that leads to a word of
        the index. Words of several parts are written with ``_``, and only their end is inflected.
        """
        word = word.lower()
        found: set[int] = set()
        for number, part in enumerate(self._parts, start=1):
            for form in {word, *part.bases(word)}:
                found.update(number * OFFSETS + offset for offset in part.offsets(form))
        return frozenset(found)


class _Part:
    """One part of speech."""

    def __init__(self, folder: Folder, name: str) -> None:
        index = folder / f"index.{name}"
        self._file = str(index)  # for errors
        self._rules = RULES[name]
        self._is_noun = name == "noun"
        text = _read(index)
        wrong = NOT_AN_ENTRY.search("\n" + text)
        if wrong:
            line = text.count("\n", 0, wrong.start()) + 1
            raise InputError(f"{index}, line {line}: not an index entry of WordNet")
        header = VERSION.search(text)
        self.version = header[1] if header else None
        self._lines = text.split("\n")
        self._line_of = {line[: line.find(" ")]: k for k, line in enumerate(self._lines)}
        self._line_of.pop("", None)  # the licence, and what follows the last line
        self._exceptions = _read_exceptions(folder / f"{name}.exc")

    def bases(self, word: str) -> tuple[str, ...]:
        """The base forms of an inflected one; those of exceptions may not be in the index."""
        if word in self._exceptions:
            return self._exceptions[word]
        end = ""
        if self._is_noun:
            if word.endswith("ful"):  # boxesful
                word, end = word[:-3], "ful"
            elif word.endswith("ss") or len(word) <= 2:
                return ()
        for suffix, ending in self._rules:
            if word.endswith(suffix):
                base = word.removesuffix(suffix) + ending + end
                if base in self._line_of:
                    return (base,)
        return ()

    def offsets(self, word: str) -> Iterator[int]:
        """Where the synsets of the word are in the data file."""
        number = self._line_of.get(word)
        if number is None:
            return
        # word, part of speech, number of synsets, number of pointers, the pointers, number of
        # senses, number of those that are tagged, offsets
        fields = self._lines[number].split()
        try:
            count, pointers = int(fields[2]), int(fields[3])
            offsets = fields[6 + pointers :]
            if count != len(offsets) or not all(len(x) == 8 and x.isdecimal() for x in offsets):
                raise ValueError
        except (IndexError, ValueError):
            raise InputError(
                f"{self._file}, line {number + 1}: the entry of {word!r} is damaged"
            ) from None
        yield from map(int, offsets)


def _usual_places() -> Iterator[Folder]:
    named = os.environ.get("WNSEARCHDIR")
    if named:
        yield Path(named)
    yield Path("/usr/share/wordnet")
    prefix = Path(sys.prefix)
    roots = [
        *(Path(root) for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root),
        Path("~/nltk_data").expanduser(),
        *(prefix / folder for folder in ("nltk_data", "share/nltk_data", "lib/nltk_data")),
        *(
            Path("/usr", folder, "nltk_data")
            for folder in ("share", "local/share", "lib", "local/lib")
        ),
    ]
    for root in roots:
        for name in ("wordnet", "wordnet31"):
            corpus = root / "corpora" / name
            yield corpus
            archive = corpus.with_suffix(".zip")
            if zipfile.is_zipfile(archive):
                yield zipfile.Path(archive, f"{name}/")


def _read(file: Folder) -> str:
    contents = file.read_bytes()
    try:
        return contents.decode()
    except UnicodeDecodeError as error:
        line = contents.count(b"\n", 0, error.start) + 1
        raise InputError(f"{file}, line {line}: not UTF-8") from None


def _read_exceptions(file: Folder) -> dict[str, tuple[str, ...]]:
    """The base forms of each irregular form."""
    bases: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(_read(file).split("\n"), start=1):
        fields = line.split()
        if len(fields) == 1:
            raise InputError(f"{file}, line {number}: {fields[0]!r} has no base form")
        if fields:
            bases[fields[0]] = bases.get(fields[0], ()) + tuple(fields[1:])
    return bases
