"""Sentences for tests of soft order: words that are hard to compare, and how the core sees them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from hyperbaton import _core
from hyperbaton.softorder.precedence import PrecedenceCounter, PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import Words, WordTable

AS_WRITTEN = Tokenization(tok="none", case="mixed")
# Marks of frames and classes are words like others, and so are names that the code uses inside.
MARKS = ("<s>", "</s>", "#d", "#p", "#x", "^", "$", "begin", "end", "frequent")
SIMILAR = ("walk", "walked", "walking", "talk", "talks", "klaw", "wa", "w")
OTHERS = ("1", "1,000", "b2", "½", "-", "well-known", "ill-known", "!", '"', "The", "the")
UNICODE = (
    "é",
    "e\u0301",
    "école",
    "ecole",
    "ß",
    "Ωmega",
    "ωmega",
    "猫",
    "猫が",
    "ﬀ",
    "𝐀b",
    "𝐀𝐁",
    "🐈‍⬛",
)
LONG = (
    "a" * 63,
    "a" * 64,
    "a" * 65,
    "b" + "a" * 64,
    "ab" * 64,
    "ba" * 65,
    "é" + "ab" * 40 + "猫",
    "猫𝐀" * 66,
)
WORDS = (*MARKS, *SIMILAR, *OTHERS, *UNICODE)


def is_word_character(character: str) -> bool:
    return not character.isspace() and character != "\0"


characters = st.characters(codec="utf-8").filter(is_word_character)
words = st.sampled_from(WORDS) | st.text(characters, min_size=1, max_size=6)
sentences = st.lists(words, max_size=8)
filled_sentences = st.lists(words, min_size=1, max_size=8)
tau = st.sampled_from((0.01, 0.1, 0.3, 1.0, 10.0))
pi = st.sampled_from((0.0, 0.5, 5.0))
theta = st.sampled_from((0.01, 0.5, 1.0))


def random_sentence(rng: random.Random, most: int, pool: Sequence[str] = WORDS) -> list[str]:
    return rng.choices(pool, k=rng.randint(0, most))


def random_pairs(
    seed: int, count: int, most: int = 12, pool: Sequence[str] = WORDS
) -> list[tuple[list[str], list[str]]]:
    """Random pairs. In two of three, one side is the other with a few words moved."""
    rng = random.Random(seed)
    pairs = []
    for k in range(count):
        ref = random_sentence(rng, most, pool)
        hyp = random_sentence(rng, most, pool) if k % 3 == 0 else list(ref)
        for _ in range(rng.randint(1, 3) if len(hyp) > 1 else 0):
            hyp.insert(rng.randrange(len(hyp)), hyp.pop(rng.randrange(len(hyp))))
        pairs.append((hyp, ref))
    return pairs


def number_sentences(*sides: Iterable[Sequence[str]]) -> list[Words]:
    """The sentences of each side as numbers of the same table."""
    table = WordTable(AS_WRITTEN, whole=True)
    return [
        table.number_tokens([list(sentence) for sentence in side], "sentences", 1) for side in sides
    ]


def count_lines(
    lines: Iterable[str], text: Tokenization = AS_WRITTEN, part: int = 0, parts: int = 1
) -> PrecedenceModel:
    """The model of lines, or of a part of them."""
    counter = PrecedenceCounter(text, part, parts)
    counter.add(_core.Lines.from_strings(list(lines)), 1)
    return counter.model()


def joined(corpus: Iterable[Sequence[str]]) -> list[str]:
    return [" ".join(sentence) for sentence in corpus]


def distinct(corpus: Iterable[Sequence[str]]) -> list[list[str]]:
    """The sentences without repetitions, as the twin takes them."""
    return [list(sentence) for sentence in dict.fromkeys(map(tuple, corpus))]
