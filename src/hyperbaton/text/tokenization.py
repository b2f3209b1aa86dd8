"""How a line becomes the tokens that are compared."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from unicodedata import category

from hyperbaton.errors import InputError, MissingData
from hyperbaton.registries import Registry, check_choice
from hyperbaton.text.folding import FOLDS, TURKIC_LANGUAGES, fold_text
from hyperbaton.text.languages import language_code, parse_language

Splitter = Callable[[str], str]  # puts spaces between the tokens of a line

DOWNLOADED = ("spm", "flores101", "flores200", "spBLEU-1K")  # sacreBLEU downloads their models
SACREBLEU_EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}  # the extra that installs MeCab
SACREBLEU_DEFAULTS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}  # 13a for all others
# Our default tokenisers by script; it is 13a for all others. intl is for scripts with a full stop,
# comma or question mark of their own, which 13a leaves attached to words. char is for scripts
# without spaces between words, if sacreBLEU has no tokeniser for them.
SCRIPT_TOKENIZERS = {
    **dict.fromkeys(("Hani", "Hans", "Hant"), "zh"),
    **dict.fromkeys(("Hira", "Hrkt", "Jpan", "Kana"), "ja-mecab"),
    **dict.fromkeys(("Hang", "Kore"), "ko-mecab"),
    **dict.fromkeys(("Arab", "Aran", "Nkoo", "Syrc", "Thaa"), "intl"),
    **dict.fromkeys(("Beng", "Deva", "Guru", "Mtei", "Olck", "Orya"), "intl"),
    **dict.fromkeys(("Armn", "Ethi", "Mong", "Tibt"), "intl"),
    **dict.fromkeys(("Khmr", "Laoo", "Mymr", "Thai"), "char"),
}
# Languages in one of these scripts with the punctuation of English: Marathi and Konkani.
ENGLISH_PUNCTUATION = ("mr", "kok", "gom")


@dataclass(frozen=True)
class Tokenizer:
    """A tokeniser.

    Attributes
    ----------
    make : callable
        Returns the function that puts spaces between the tokens of a line. It is called when the
        tokeniser is first used.
    owner : str, optional
        The package that it comes from. Signatures name its version.
    thread_safe : bool
        Whether two threads may use it at a time.
    splits_characters : bool
        Whether characters of scripts without spaces are tokens.
    """

    make: Callable[[], Splitter]
    owner: str | None = None
    thread_safe: bool = False
    splits_characters: bool = False


def _sacrebleu_splitter(name: str) -> Splitter:
    """Return sacreBLEU's function, or raise ``MissingData`` if it needs another package."""
    from sacrebleu.metrics.bleu import BLEU  # slow to import

    try:
        splitter: Splitter = BLEU(tokenize=name).tokenizer
    except (RuntimeError, AssertionError) as error:  # MeCab or its dictionary is missing
        raise missing_mecab(name) from error
    return splitter


def _of_sacrebleu(name: str, splits_characters: bool = False) -> Tokenizer:
    make = functools.partial(_sacrebleu_splitter, name)
    # MeCab promises nothing about threads.
    return Tokenizer(make, "sacrebleu", name not in SACREBLEU_EXTRAS, splits_characters)


TOKENIZERS = Registry(
    "tokeniser",
    {
        "13a": _of_sacrebleu("13a"),
        "intl": _of_sacrebleu("intl"),
        "zh": _of_sacrebleu("zh", splits_characters=True),
        "ja-mecab": _of_sacrebleu("ja-mecab"),
        "ko-mecab": _of_sacrebleu("ko-mecab"),
        "char": _of_sacrebleu("char", splits_characters=True),
        "none": Tokenizer(lambda: str, thread_safe=True),
    },
)


def tokenizer(name: str = "13a", lowercase: bool = True) -> Callable[[str], list[str]]:
    """Return a function that splits a line into tokens.

    Parameters
    ----------
    name : str
        One of ``TOKENIZERS``. ``char`` makes a token of every character except white space, and
        ``none`` splits at white space.
    lowercase : bool
        Whether to lower-case the line first.

    Raises
    ------
    InputError
        If there is no such tokeniser, or it needs a model from the network.
    MissingData
        If its package is not installed.

    Examples
    --------
    >>> tokenizer()("Hello, world!")
    ['hello', ',', 'world', '!']
    >>> tokenizer("zh", lowercase=False)("我爱NLP。")
    ['我', '爱', 'NLP', '。']
    >>> tokenizer("none")("  Hello,  world! ")
    ['hello,', 'world!']
    """
    check_tokenizer(name)
    join_tokens = insert_spaces(name)

    def split(line: str) -> list[str]:
        # Like BLEU, drop white space at the end first: intl splits "1999. " but not "1999.".
        return join_tokens((line.lower() if lowercase else line).rstrip()).split()

    return split


def check_tokenizer(name: str) -> None:
    """Raise an error if there is no such tokeniser, or its package is not installed.

    sacreBLEU is slow to import, and the core splits lines as 13a does. A tokeniser that needs
    nothing but sacreBLEU is therefore not made.
    """
    if name in DOWNLOADED:
        raise InputError(
            f"tokeniser {name!r} needs a model from the network, which Hyperbaton never uses; "
            f"there are {', '.join(TOKENIZERS)}"
        )
    if name not in TOKENIZERS:
        raise InputError(f"there is no tokeniser {name!r}; there are {', '.join(TOKENIZERS)}")
    if TOKENIZERS[name].owner != "sacrebleu" or name in SACREBLEU_EXTRAS:
        insert_spaces(name)


@functools.cache
def insert_spaces(name: str) -> Splitter:
    """Return the function that puts spaces between the tokens of a line.

    Raises
    ------
    MissingData
        If its package is not installed.
    """
    return TOKENIZERS.find(name).make()


# How a user asks for no tokeniser.
WITHOUT_TOKENIZER = "tok=none, as in -m pef:tok=none, or --tokenize none of align and explain"


def missing_mecab(name: str) -> MissingData:
    """Return the error for a tokeniser whose package is not installed."""
    return MissingData(
        f"tokeniser {name!r} needs MeCab and its dictionary: "
        f'pip install "sacrebleu[{SACREBLEU_EXTRAS[name]}]"; '
        f"text that is already split at spaces needs no tokeniser: {WITHOUT_TOKENIZER}"
    )


def default_tokenizer(language: str | None) -> str:
    """Return the name of the tokeniser for a language, which depends on its script.

    >>> default_tokenizer("zh-Hans"), default_tokenizer("ja_JP"), default_tokenizer("de")
    ('zh', 'ja-mecab', '13a')
    >>> default_tokenizer("hi"), default_tokenizer("hi-Latn"), default_tokenizer("th")
    ('intl', '13a', 'char')
    """
    if language is None:
        return "13a"
    parsed = parse_language(language)
    if parsed.code in ENGLISH_PUNCTUATION and parsed.script == "Deva":
        return "13a"
    return SCRIPT_TOKENIZERS.get(parsed.script, "13a")


def sacrebleu_tokenizer(language: str | None) -> str:
    """Return the name of the tokeniser that sacreBLEU uses for a language by default.

    >>> sacrebleu_tokenizer("zh-Hans"), sacrebleu_tokenizer("hi")
    ('zh', '13a')
    """
    return SACREBLEU_DEFAULTS.get(language_code(language), "13a")


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

    @property
    def splits_characters(self) -> bool:
        """Whether tokens of scripts without spaces are single characters."""
        return TOKENIZERS[self.tok].splits_characters

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


def aligner_text(
    language: str | None, tokenize: str | None = None, fold: str | None = None, case: str = "lc"
) -> Tokenization:
    """Return how an aligner splits the lines of a language into words.

    Raises
    ------
    InputError
        If there is no such folding or tokeniser.
    """
    fold = DEFAULT_FOLD if fold is None else fold
    check_choice("fold", fold, FOLDS)
    tok = default_tokenizer(language) if tokenize is None else tokenize
    check_tokenizer(tok)
    return Tokenization.for_language(language, tok, case, fold)
