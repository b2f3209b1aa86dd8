"""Parsers as plug-ins: lines of text in, one tree for each line out."""

from __future__ import annotations

import functools
import hashlib
import importlib
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from hyperbaton.errors import InputError, MissingData
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.lines import printable

# The languages that spaCy has pipelines with a parser for. Without a name it is the small one that
# is meant, whatever is installed: scores must not depend on that.
WEB = ("en", "zh")  # en_core_web_sm
NEWS = frozenset(  # de_core_news_sm
    {"ca", "da", "de", "el", "es", "fi", "fr", "hr", "it", "ja", "ko", "lt", "mk", "nb", "nl"}
    | {"pl", "pt", "ro", "ru", "sl", "sv", "uk"}
)
SAME = {"no": "nb"}
# What comes after the parser, and has no influence on it.
NOT_NEEDED = ("attribute_ruler", "lemmatizer", "ner", "textcat", "textcat_multilabel")
BATCH = 128  # lines that spaCy is given at a time


class Parser(Protocol):
    """What a parser is: small enough to be pickled; its model is loaded by the first parse."""

    @property
    def name(self) -> str:
        """What it is called, as :func:`parser` understands it."""

    @property
    def version(self) -> str:
        """Of its package and of its model: with another one, trees may be others."""

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """One tree for each line, in order; all sentences of a line are one tree."""


def parser(spec: str | None = None, language: str | None = None) -> Parser:
    """The parser ``spacy:NAME`` or ``udpipe:FILE``, or spaCy's small pipeline for a language.

    >>> parser("stanza:en")
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: there is no parser 'stanza:en'; there are spacy:NAME and udpipe:FILE
    """
    kind, _, model = (spec or "spacy").partition(":")
    if kind == "udpipe" and model:
        return UDPipeParser(model)
    if kind == "spacy":
        return SpacyParser(model or default_pipeline(language))
    shown = printable(str(spec))
    raise InputError(f"there is no parser {shown!r}; there are spacy:NAME and udpipe:FILE")


def default_pipeline(language: str | None) -> str:
    """The name of spaCy's small pipeline for a language code.

    >>> default_pipeline("en"), default_pipeline("de-AT")
    ('en_core_web_sm', 'de_core_news_sm')
    """
    if not language:
        raise InputError(
            "which parser? It takes a language, such as en, spacy:NAME or udpipe:FILE, or trees"
        )
    code = re.split("[-_]", language)[0].lower()
    code = SAME.get(code, code)
    if code not in NEWS.union(WEB):
        raise InputError(
            f"spaCy has no pipeline for the language {language!r}: name one of your own with "
            "spacy:NAME, or a model with udpipe:FILE"
        )
    return f"{code}_core_{'web' if code in WEB else 'news'}_sm"


class SpacyParser:
    """A pipeline of spaCy (Honnibal & Montani): an installed package, or a folder."""

    def __init__(self, pipeline: str) -> None:
        package = _version_of("spacy", "spacy")
        self._pipeline = pipeline
        self.name = f"spacy:{pipeline}"
        folder = Path(pipeline)
        if (folder / "meta.json").is_file():
            # Its version says little: who trains a model again seldom gives it another.
            model = _digest(path for path in sorted(folder.rglob("*")) if path.is_file())
        elif folder.is_dir():
            raise InputError(f"the folder {printable(pipeline)} is no pipeline of spaCy")
        else:
            try:
                model = metadata.version(pipeline)
            except (metadata.PackageNotFoundError, ValueError):
                raise MissingData(
                    f"the spaCy pipeline {printable(pipeline)} is not installed: "
                    f"python -m spacy download {printable(pipeline)}"
                ) from None
        self.version = f"{package}/{model}"

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """One tree for each line."""
        nlp = _spacy_pipeline(self._pipeline)
        for doc in nlp.pipe(self._given(lines, nlp.max_length), batch_size=BATCH):
            if len(doc) and not doc.has_annotation("DEP"):
                raise InputError(f"{self.name} has no dependency parser")
            yield DependencyTree.of(doc)

    def _given(self, lines: Iterable[str], most: int) -> Iterator[str]:
        for line in lines:
            text = one_spaced(line)
            if len(text) > most:
                raise InputError(
                    f"a line of {len(text):,} characters is too long for {self.name}, which "
                    f"takes {most:,}: {text[:30]!r}…"
                )
            yield text


class UDPipeParser:
    """A model of UDPipe 1 (Straka & Straková 2017), which finds sentences and words, too."""

    def __init__(self, model: str) -> None:
        package = _version_of("ufal.udpipe", "udpipe")
        path = Path(model)
        if not path.is_file():
            raise InputError(f"there is no file {printable(model)}, for a model of UDPipe")
        self._model = model
        self.name = f"udpipe:{path.name}"
        self.version = f"{package}/{_digest([path])}"

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """One tree for each line."""
        udpipe, model = _udpipe_model(self._model)
        for line in lines:
            yield DependencyTree.join(self._sentences(udpipe, model, one_spaced(line)))

    def _sentences(self, udpipe: Any, model: Any, text: str) -> Iterator[DependencyTree]:
        tokenizer = model.newTokenizer(model.DEFAULT)
        if tokenizer is None:
            raise InputError(f"{self.name} has no tokenizer")
        tokenizer.setText(text)
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        while tokenizer.nextSentence(sentence, error):
            for name, step in (("tagger", model.tag), ("parser", model.parse)):
                if not step(sentence, model.DEFAULT, error):
                    raise InputError(f"{self.name}: the {name} fails: {error.message}")
            words = list(sentence.words)[1:]  # the first is the root that UDPipe adds
            yield DependencyTree(
                [word.form for word in words],
                [word.head for word in words],
                [word.deprel or "_" for word in words],
                [(token.idFirst, token.idLast, token.form) for token in sentence.multiwordTokens],
            )
        if error.occurred():
            raise InputError(f"{self.name}: the tokenizer fails: {error.message}")


def one_spaced(line: str) -> str:
    """The line with one space for every run of white space, which is no word to a tree."""
    return " ".join(line.split())


@functools.lru_cache(maxsize=4)
def _spacy_pipeline(name: str) -> Any:
    try:
        spacy = importlib.import_module("spacy")
        return spacy.load(name, exclude=list(NOT_NEEDED))
    except (ImportError, OSError, ValueError) as error:  # it is made for another spaCy, say
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"spaCy cannot load {printable(name)}: {reason}") from error


@functools.lru_cache(maxsize=4)
def _udpipe_model(path: str) -> tuple[Any, Any]:
    udpipe = importlib.import_module("ufal.udpipe")
    model = udpipe.Model.load(path)
    if model is None:
        raise InputError(f"{printable(path)} is not a model of UDPipe")
    return udpipe, model


def _version_of(package: str, extra: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise MissingData(
            f'parsing with {package} needs it installed: pip install "hyperbaton[{extra}]"'
        ) from None


def _digest(paths: Iterable[Path]) -> str:
    """Of what files have in them, enough to tell models apart."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]
