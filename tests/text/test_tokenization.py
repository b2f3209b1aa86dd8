"""Tokens: case, folding and punctuation."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperbaton.text.tokenization import Tokenization, tokenizer

TOKENIZERS = ("13a", "intl", "zh", "char", "none")
LINES = st.text(
    st.one_of(
        st.sampled_from("aAIİß’“”…- .,!&;\u200f\u0301\u00a0ｱﾞ"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=30,
)


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(TOKENIZERS), st.sampled_from(["lc", "mixed"]))
def test_without_folding_tokens_are_sacrebleu_s(line: str, tok: str, case: str) -> None:
    assert Tokenization(tok, case).split(line) == tokenizer(tok, lowercase=case == "lc")(line)


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(TOKENIZERS))
def test_tokens_are_those_of_the_folded_line(line: str, tok: str) -> None:
    text = Tokenization(tok, fold="standard")
    assert text.split(line) == tokenizer(tok, lowercase=False)(text.normalize(line))
    assert text.split(text.normalize(line)) == text.split(line)


@settings(max_examples=300, deadline=None)
@given(LINES, st.sampled_from(TOKENIZERS))
def test_dropped_tokens_have_no_letter_or_digit(line: str, tok: str) -> None:
    every, kept = (Tokenization(tok, punct=punct).split(line) for punct in ("keep", "drop"))
    # Accents and vowel signs count as letters.
    words = [t for t in every if any(c.isalnum() or category(c) in ("Mn", "Mc", "Me") for c in t)]
    assert kept == words


def test_a_mark_alone_is_kept() -> None:
    assert Tokenization(punct="drop").split("\u3099 !") == ["\u3099"]


def test_quotes_are_folded_before_the_tokeniser() -> None:
    line = "“Hello” he said…"
    assert Tokenization().split(line) == ["“hello”", "he", "said…"]
    assert Tokenization(fold="standard").split(line) == [
        '"', "hello", '"', "he", "said", ".", ".", "."
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["tr", "az", "tr-TR", "Turkish"])
def test_lower_case_of_turkish_and_azeri(language: str) -> None:
    text = Tokenization.for_language(language, "13a", "lc", "standard")
    assert text.turkic
    assert text.split("IŞIK İLK") == ["ışık", "ilk"]
    # without folding, or with case as written, the language makes no difference
    assert not Tokenization.for_language(language, "13a", "lc", "none").turkic
    assert not Tokenization.for_language(language, "13a", "mixed", "standard").turkic
    assert not Tokenization.for_language("en", "13a", "lc", "standard").turkic
