"""Synonyms from the database files of WordNet 3.0 or 3.1.

Only the indexes, which map words to synsets, and the lists of irregular forms are read:
``index.noun`` and ``noun.exc``, and likewise for verb, adj and adv.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from hyperbaton.errors import InputError, MissingData
from hyperbaton.text.words import TokenSets

Folder = Path | zipfile.Path  # NLTK's downloader leaves the files in the archive

# In the order of WordNet's numbers for them, from 1: the synset of noun 02084071 is 102084071.
PARTS = ("noun", "verb", "adj", "adv")
FILES = tuple(f"index.{part}" for part in PARTS) + tuple(f"{part}.exc" for part in PARTS)
USR_FOLDERS = ("share", "local/share", "lib", "local/lib")
OFFSET_RANGE = 100_000_000  # byte offsets have eight digits

# Morphy's rules in Morphy's order, each a suffix and what replaces it. The first one that yields a
# word of the index is used.
RULES: Final = {
    "noun": "s> ses>s xes>x zes>z ches>ch shes>sh men>man ies>y",
    "verb": "s> ies>y es>e es> ed>e ed> ing>e ing>",
    "adj": "er> est> er>e est>e",
    "adv": "",
}

# Lines of the licence begin with two spaces. Only the beginning of the other lines is checked when
# the file is read; the rest of an entry is checked when its word is looked up.
NOT_AN_ENTRY = re.compile(r"\n(?!  |[^ \n]+ [nvar] [0-9]+ |\Z)")
VERSION = re.compile(r"^  .*\bWordNet ([0-9]+(?:\.[0-9]+)+)", re.MULTILINE)


class WordNet:
    """The WordNet database: synsets of words.

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
        self._parts = [_PartOfSpeech(folder, part) for part in PARTS]
        versions = [part.version for part in self._parts if part.version]
        if versions:
            self.version = versions[0]
        else:
            contents = b"".join((folder / f"index.{part}").read_bytes() for part in PARTS)
            self.version = hashlib.sha256(contents).hexdigest()[:8]

    def __repr__(self) -> str:
        return f"<WordNet {self.version}>"

    @staticmethod
    def find(path: str | os.PathLike[str] | None = None) -> WordNet:
        """Open the database in the folder ``path``, or in the first usual place that has one.

        The usual places are the folder in the environment variable WNSEARCHDIR, the folder of
        Debian's package, and NLTK's data folders.

        Raises
        ------
        MissingData
            If there is no database.
        """
        for folder in _usual_places() if path is None else (Path(path), Path(path, "dict")):
            if all((folder / name).is_file() for name in FILES):
                return WordNet(folder)
        where = "in the usual places" if path is None else f"in {os.fspath(path)}"
        raise MissingData(
            f"no WordNet database {where} (index.noun, noun.exc and the like): get one with `apt "
            "install wordnet-base` or `python -m nltk.downloader wordnet`, or pass its path"
        )

    def synsets(self, word: str) -> frozenset[int]:
        """Return the synsets of the word and of its base forms, in every part of speech.

        A synset is identified by the part of speech (1 noun, 2 verb, 3 adjective, 4 adverb)
        followed by the eight digits of the offset. Base forms are found as WordNet's Morphy finds
        those of single words: all that the exception list has, or else the result of the first
        rule that yields a word of the index. Compounds are written with ``_``; only their end is
        inflected.
        """
        word = word.lower()
        synsets: set[int] = set()
        for number, part in enumerate(self._parts, start=1):
            for form in {word, *part.base_forms(word)}:
                synsets.update(number * OFFSET_RANGE + offset for offset in part.offsets(form))
        return frozenset(synsets)

    def token_synsets(self) -> TokenSets:
        """Return the synsets of the tokens of a table, sorted."""

        def look_up(tokens: list[str]) -> list[Sequence[int]]:
            return [sorted(self.synsets(token)) for token in tokens]

        return TokenSets(lambda: look_up)


class _PartOfSpeech:
    """The index and the irregular forms of one part of speech."""

    def __init__(self, folder: Folder, name: str) -> None:
        index = folder / f"index.{name}"
        self._file = str(index)  # for error messages
        self._rules = [rule.split(">") for rule in RULES[name].split()]
        self._is_noun = name == "noun"
        text = _read(index)
        invalid = NOT_AN_ENTRY.search("\n" + text)
        if invalid:
            line = text.count("\n", 0, invalid.start()) + 1
            raise InputError(f"{index}, line {line}: not a WordNet index entry")
        header = VERSION.search(text)
        self.version = header[1] if header else None
        self._lines = text.split("\n")
        self._line_numbers = {line[: line.find(" ")]: k for k, line in enumerate(self._lines)}
        self._line_numbers.pop("", None)  # the licence and the end of the file
        self._exceptions = _read_exceptions(folder / f"{name}.exc")

    def base_forms(self, word: str) -> tuple[str, ...]:
        """Return the base forms of an inflected form.

        Those of irregular forms are not necessarily in the index.
        """
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
                if base in self._line_numbers:
                    return (base,)
        return ()

    def offsets(self, word: str) -> Iterator[int]:
        """Yield the offsets of the word's synsets in the data file."""
        number = self._line_numbers.get(word)
        if number is None:
            return
        # Fields: word, part of speech, number of synsets, number of pointers, the pointers, number
        # of senses, number of tagged senses, offsets.
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
    folder = os.environ.get("WNSEARCHDIR")
    if folder:
        yield Path(folder)
    yield Path("/usr/share/wordnet")
    prefix = Path(sys.prefix)
    roots = [
        *(Path(root) for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root),
        Path("~/nltk_data").expanduser(),
        *(prefix / folder for folder in ("nltk_data", "share/nltk_data", "lib/nltk_data")),
        *(Path("/usr", folder, "nltk_data") for folder in USR_FOLDERS),
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
    """Return the base forms of each irregular form."""
    bases: dict[str, tuple[str, ...]] = {}
    for number, line in enumerate(_read(file).split("\n"), start=1):
        fields = line.split()
        if len(fields) == 1:
            raise InputError(f"{file}, line {number}: {fields[0]!r} has no base form")
        if fields:
            bases[fields[0]] = bases.get(fields[0], ()) + tuple(fields[1:])
    return bases
