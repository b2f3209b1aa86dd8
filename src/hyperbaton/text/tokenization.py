"""How a line becomes the tokens that are compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hyperbaton.text.tokenizers import tokenizer


@dataclass(frozen=True)
class Tokenization:
    """Everything that decides which tokens a line has, and which tokens are equal.

    Attributes
    ----------
    tok : str
        Name of the tokeniser.
    case : str
        ``lc``: tokens are in lower case; ``mixed``: case as written.
    """

    tok: str = "13a"
    case: str = "lc"

    @property
    def lowercase(self) -> bool:
        """Whether tokens are in lower case."""
        return self.case == "lc"

    def normalize(self, text: str) -> str:
        """Return the text as it is compared, before it is split into tokens."""
        return text.lower() if self.lowercase else text

    def keeps(self, token: str) -> bool:
        """Return whether a token counts."""
        return True

    def split(self, line: str) -> list[str]:
        """Return the tokens of a line.

        >>> Tokenization().split("Hello, world!")
        ['hello', ',', 'world', '!']
        """
        return tokenizer(self.tok, lowercase=False)(self.normalize(line))

    def as_written(self) -> Tokenization:
        """Return the same tokenisation without lower-casing, for display."""
        return replace(self, case="mixed")
