"""Parsers as plug-ins: they turn lines of text into one dependency tree per line."""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.lines import printable
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.languages import language_code

# The languages for which spaCy has pipelines with a parser. The default is always the small one:
# scores must not depend on what is installed.
WEB_LANGUAGES = ("en", "zh")  # for example en_core_web_sm
NEWS_LANGUAGES = frozenset(  # for example de_core_news_sm
    {"ca", "da", "de", "el", "es", "fi", "fr", "hr", "it", "ja", "ko", "lt", "mk", "nb", "nl"}
    | {"pl", "pt", "ro", "ru", "sl", "sv", "uk"}
)
ALIASES = {"no": "nb"}
# Components that run after the parser and do not influence it.
EXCLUDED_COMPONENTS = ("attribute_ruler", "lemmatizer", "ner", "textcat", "textcat_multilabel")
BATCH = 128  # lines per spaCy batch


class Parser(Protocol):
    """The interface of a parser.

    A parser is small enough to be pickled; its model is loaded by the first call of ``parse``.
    """

    @property
    def name(self) -> str:
        """The specification that :func:`load_parser` accepts."""

    @property
    def version(self) -> str:
        """Versions of the package and of the model; trees may differ between versions."""

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """Yield one tree per line, in order; all sentences of a line form one tree."""


def load_parser(spec: str | None = None, language: str | None = None) -> Parser:
    """Return a parser.

    Parameters
    ----------
    spec
        ``spacy:NAME`` or ``udpipe:FILE``; by default spaCy's small pipeline for the language.
    language
        A code or BCP 47 tag, such as ``en`` or ``pt-BR``.

    Examples
    --------
    >>> load_parser("stanza:en")
    Traceback (most recent call last):
    ...
    hyperbaton...InputError: unknown parser 'stanza:en'; valid: spacy:NAME, udpipe:FILE
    """
    language_code(language)  # raises an error if there is no such language
    kind, _, model = (spec or "spacy").partition(":")
    if kind == "udpipe" and model:
        return UDPipeParser(model)
    if kind == "spacy":
        return SpacyParser(model or default_pipeline(language))
    name = printable(str(spec))
    raise InputError(f"unknown parser {name!r}; valid: spacy:NAME, udpipe:FILE")


def default_pipeline(language: str | None) -> str:
    """Return the name of spaCy's small pipeline for a language.

    >>> default_pipeline("en"), default_pipeline("de-AT")
    ('en_core_web_sm', 'de_core_news_sm')
    """
    if language is None:
        raise InputError(
            "no parser: specify a language such as en, spacy:NAME, udpipe:FILE, or trees"
        )
    code = language_code(language)
    code = ALIASES.get(code, code)
    if code not in NEWS_LANGUAGES.union(WEB_LANGUAGES):
        raise InputError(
            f"spaCy has no pipeline for the language {language!r}; specify your own with "
            "spacy:NAME, or a model with udpipe:FILE"
        )
    return f"{code}_core_{'web' if code in WEB_LANGUAGES else 'news'}_sm"


class SpacyParser:
    """A pipeline of spaCy (Honnibal & Montani): an installed package or a folder."""

    def __init__(self, pipeline: str) -> None:
        package = _package_version("spacy", "spacy")
        self._pipeline = pipeline
        self.name = f"spacy:{pipeline}"
        folder = Path(pipeline)
        if (folder / "meta.json").is_file():
            # A digest, because a retrained model rarely gets a new version number.
            model = _digest(path for path in sorted(folder.rglob("*")) if path.is_file())
        elif folder.is_dir():
            raise InputError(f"the folder {printable(pipeline)} is not a spaCy pipeline")
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
        """Yield one tree per line."""
        nlp = _spacy_pipeline(self._pipeline)
        for doc in nlp.pipe(self._normalize(lines, nlp.max_length), batch_size=BATCH):
            if len(doc) and not doc.has_annotation("DEP"):
                raise InputError(f"{self.name} has no dependency parser")
            yield DependencyTree.of(doc)

    def _normalize(self, lines: Iterable[str], max_length: int) -> Iterator[str]:
        for line in lines:
            text = normalize_spaces(line)
            if len(text) > max_length:
                raise InputError(
                    f"a line of {len(text):,} characters is too long for {self.name}, which "
                    f"accepts {max_length:,}: {text[:30]!r}…"
                )
            yield text


class UDPipeParser:
    """A model of UDPipe 1 (Straka & Straková 2017), which also splits sentences and words."""

    def __init__(self, model: str) -> None:
        package = _package_version("ufal.udpipe", "udpipe")
        path = Path(model)
        if not path.is_file():
            raise InputError(f"UDPipe model not found: there is no file {printable(model)}")
        self._model = model
        self.name = f"udpipe:{path.name}"
        self.version = f"{package}/{_digest([path])}"

    def parse(self, lines: Iterable[str]) -> Iterator[DependencyTree]:
        """Yield one tree per line."""
        udpipe, model = _udpipe_model(self._model)
        for line in lines:
            yield DependencyTree.join(self._sentences(udpipe, model, normalize_spaces(line)))

    def _sentences(self, udpipe: Any, model: Any, text: str) -> Iterator[DependencyTree]:
        tokenizer = model.newTokenizer(model.DEFAULT)
        if tokenizer is None:
            raise InputError(f"{self.name} has no tokenizer")
        tokenizer.setText(text)
        sentence, error = udpipe.Sentence(), udpipe.ProcessingError()
        while tokenizer.nextSentence(sentence, error):
            for name, step in (("tagger", model.tag), ("parser", model.parse)):
                if not step(sentence, model.DEFAULT, error):
                    raise InputError(f"{self.name}: the {name} failed: {error.message}")
            words = list(sentence.words)[1:]  # the first is the root that UDPipe adds
            yield DependencyTree(
                [word.form for word in words],
                [word.head for word in words],
                [word.deprel or "_" for word in words],
                [(token.idFirst, token.idLast, token.form) for token in sentence.multiwordTokens],
            )
        if error.occurred():
            raise InputError(f"{self.name}: the tokenizer failed: {error.message}")


def normalize_spaces(line: str) -> str:
    """Replace every run of white space by one space, because parsers make tokens of spaces."""
    return " ".join(line.split())


@functools.lru_cache(maxsize=4)
def _spacy_pipeline(name: str) -> Any:
    try:
        spacy = importlib.import_module("spacy")
        return spacy.load(name, exclude=list(EXCLUDED_COMPONENTS))
    except (ImportError, OSError, ValueError) as error:  # such as one for another version of spaCy
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(f"spaCy cannot load {printable(name)}: {reason}") from error


@functools.lru_cache(maxsize=4)
def _udpipe_model(path: str) -> tuple[Any, Any]:
    udpipe = importlib.import_module("ufal.udpipe")
    model = udpipe.Model.load(path)
    if model is None:
        raise InputError(f"{printable(path)} is not a UDPipe model")
    return udpipe, model


def _package_version(package: str, extra: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise MissingData(
            f'{package} is not installed: pip install "hyperbaton[{extra}]"'
        ) from None


def _digest(paths: Iterable[Path]) -> str:
    """Return a short digest of the contents of files, to tell models apart."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
