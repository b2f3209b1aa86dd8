"""What matchers know about the tokens of a table: stems and synsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hyperbaton.text.token_data import Int32s, TokenNumbers, TokenSets
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable

if TYPE_CHECKING:
    from hyperbaton.alignment.wordnet import WordNet

AS_WRITTEN = Tokenization("none", "mixed")


def stem_numbers(stem: Callable[[Sequence[str]], list[str]]) -> TokenNumbers:
    """Return numbers that are equal for tokens with equal stems."""

    def make_look_up() -> Callable[[list[str]], Int32s]:
        stems = WordTable(AS_WRITTEN, whole=True)
        return lambda tokens: stems.number_tokens([stem(tokens)], "stems", 1).numbers

    return TokenNumbers(make_look_up)


def synset_numbers(wordnet: WordNet) -> TokenSets:
    """Return the synsets of tokens in WordNet, sorted."""

    def look_up(tokens: list[str]) -> list[Sequence[int]]:
        return [sorted(wordnet.synsets(token)) for token in tokens]

    return TokenSets(lambda: look_up)
