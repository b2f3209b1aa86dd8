"""How a line becomes the tokens that are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from unicodedata import category

from hyperbaton.text.folding import TURKIC_LANGUAGES, fold_text
from hyperbaton.text.languages import language_code
from hyperbaton.text.tokenizers import TOKENIZERS, tokenizer

DEFAULT_FOLD = "none"  # of metrics and aligners
PUNCTS = ("keep", "drop")


def is_punctuation(token: str) -> bool:
    """Return whether a token has neither a letter nor a digit.

    Accents and vowel signs count as letters: with the tokeniser ``char`` they are tokens.

    >>> [token for token in ("–", "%", "§3", "l'", "...") if is_punctuation(token)]
    ['–', '%', '...']
    """
    return not any(c.isalnum() or category(c).startswith("M") for c in token)


@dataclass(frozen=True)
class Tokenization:
    """Everything that decides which tokens a line has, and which tokens are equal.

    Attributes
    ----------
    tok : str
        Name of the tokeniser.
    case : str
        ``lc``: tokens are in lower case; ``mixed``: case as written.
    fold : str
        ``standard``: words that look the same are the same, see
        :func:`~hyperbaton.text.folding.fold_text`; ``none``: characters as written.
    punct : str
        ``keep``: all tokens; ``drop``: only tokens with a letter or a digit.
    turkic : bool
        Whether lower case knows İ and ı, as in Turkish and Azeri.
    """

    tok: str = "13a"
    case: str = "lc"
    fold: str = "none"
    punct: str = "keep"
    turkic: bool = False

    @classmethod
    def for_language(
        cls, language: str | None, tok: str, case: str, fold: str, punct: str = "keep"
    ) -> Tokenization:
        """Return the tokenisation of a language, which may have its own lower case."""
        turkic = fold == "standard" and case == "lc" and language_code(language) in TURKIC_LANGUAGES
        return cls(tok, case, fold, punct, turkic)

    @property
    def lowercase(self) -> bool:
        """Whether tokens are in lower case."""
        return self.case == "lc"

    @property
    def thread_safe(self) -> bool:
        """Whether two threads may split lines at the same time."""
        return TOKENIZERS[self.tok].thread_safe

    def normalize(self, text: str) -> str:
        """Return a line or a word as it is compared, before the tokeniser splits it."""
        if self.fold == "standard":
            return fold_text(text, self.lowercase, self.turkic)
        return text.lower() if self.lowercase else text

    def keeps(self, token: str) -> bool:
        """Return whether a token counts: with ``punct=drop``, punctuation does not."""
        return self.punct != "drop" or not is_punctuation(token)

    def split(self, line: str) -> list[str]:
        """Return the tokens of a line.

        >>> Tokenization().split("Hello, world!")
        ['hello', ',', 'world', '!']
        >>> Tokenization(fold="standard", punct="drop").split("“Hello”, world!")
        ['hello', 'world']
        """
        tokens = tokenizer(self.tok, lowercase=False)(self.normalize(line))
        return tokens if self.punct == "keep" else list(filter(self.keeps, tokens))

    def as_written(self) -> Tokenization:
        """Return the same tokenisation without lower-casing, for display."""
        return replace(self, case="mixed")

    def with_punctuation(self) -> Tokenization:
        """Return the same tokenisation that keeps all tokens."""
        return replace(self, punct="keep")
