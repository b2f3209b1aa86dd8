"""What metrics need besides the texts: the language, and where linguistic data is found."""

from __future__ import annotations

import os
from dataclasses import dataclass

from hyperbaton.errors import InputTypeError
from hyperbaton.text.languages import parse_language

StrPath = str | os.PathLike[str]


@dataclass(frozen=True)
class Resources:
    """Language and linguistic data, described once for all metrics of a run.

    Attributes
    ----------
    language : str, optional
        Language code or BCP 47 tag, such as ``en`` or ``pt-BR``; it selects the stemmer and the
        tokeniser.
    wordnet : path, optional
        Folder of WordNet's files, for the matcher ``synonym``.
    paraphrases : path, optional
        Paraphrase table in METEOR's format, for the matcher ``paraphrase``.
    parser : str, optional
        Dependency parser for metrics over trees, such as ``spacy:en_core_web_sm``.
    """

    language: str | None = None
    wordnet: str | None = None
    paraphrases: str | None = None
    parser: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            parse_language(self.language)  # raises an error if there is no such language

    @classmethod
    def from_arguments(
        cls,
        language: str | None = None,
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        parser: str | None = None,
    ) -> Resources:
        """Return the resources that keyword arguments of public functions describe."""
        return cls(
            language, as_path(wordnet, "wordnet"), as_path(paraphrases, "paraphrases"), parser
        )


def as_path(path: StrPath | None, name: str) -> str | None:
    """Return a path as a string; errors call it by ``name``."""
    try:
        return None if path is None else os.fspath(path)
    except TypeError:
        raise InputTypeError(f"{name} must be a path, got {type(path).__name__}") from None
