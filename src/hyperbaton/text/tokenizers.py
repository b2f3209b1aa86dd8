"""Lines as tokens, by the tokenizers of sacreBLEU, so that scores can be set beside its own."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from hyperbaton.errors import InputError, MissingData

NAMES = ("13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none")
EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}  # which of sacreBLEU's extras has the package
DOWNLOADED = ("spm", "flores101", "flores200", "spBLEU-1K")  # sacreBLEU fetches their models
MOST_WORDS = 1 << 18  # whose tokens are remembered
BY_LANGUAGE = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}


def tokenizer(name: str = "13a", lowercase: bool = True) -> Callable[[str], list[str]]:
    """The function that makes tokens of a line.

    >>> tokenizer()("Hello, world!")
    ['hello', ',', 'world', '!']
    >>> tokenizer("zh", lowercase=False)("我爱NLP。")
    ['我', '爱', 'NLP', '。']
    >>> tokenizer("none")("  Hello,  world! ")
    ['hello,', 'world!']

    ``char`` makes a token of every character but white space.
    """
    if name in DOWNLOADED:
        raise InputError(
            f"tokenizer {name!r} needs a model from the network, which is never used here; "
            f"there are {', '.join(NAMES)}"
        )
    if name not in NAMES:
        raise InputError(f"there is no tokenizer {name!r}; there are {', '.join(NAMES)}")
    return _tokenizer(name, bool(lowercase))


@functools.lru_cache
def _tokenizer(name: str, lowercase: bool) -> Callable[[str], list[str]]:
    from sacrebleu.metrics.bleu import BLEU  # not before it is needed: it is slow to import

    try:
        join_tokens: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    except (RuntimeError, AssertionError) as error:  # no MeCab, or not with its own dictionary
        raise MissingData(
            f"tokenizer {name!r} needs MeCab and its dictionary: "
            f'pip install "sacrebleu[{EXTRAS[name]}]"; '
            "words that spaces separate already need none (--tokenize none, or a metric's tok=none)"
        ) from error

    # As in BLEU, white space at the end is dropped first: intl takes "1999. " apart, not "1999.".
    def tokens(line: str) -> list[str]:
        return join_tokens(line.rstrip()).split()

    split = _word_by_word(tokens) if name == "13a" else tokens
    return (lambda line: split(line.lower())) if lowercase else split


class _Words(dict[str, tuple[str, ...]]):
    """The tokens of words that were met, each made by sacreBLEU once."""

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._split = split

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= MOST_WORDS:
            self.clear()
        self[word] = found = tuple(self._split(word))
        return found


def _word_by_word(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """The same tokens, ten times as fast: words come again, lines do not.

    13a looks no further than white space: it puts spaces around the line and around every space
    in it before it looks at neighbours. But it joins what a hyphen before a line break divides.
    """
    known = _Words(split)

    def tokens(line: str) -> list[str]:
        if "\n" in line:
            return split(line)
        found: list[str] = []
        for word in line.split():
            found += known[word]
        return found

    return tokens


def default_tokenizer(language: str | None) -> str:
    """The name of the tokenizer for a language code.

    >>> default_tokenizer("zh-Hans"), default_tokenizer("ja_JP"), default_tokenizer("de")
    ('zh', 'ja-mecab', '13a')
    """
    return BY_LANGUAGE.get(re.split("[-_]", language or "")[0].lower(), "13a")
