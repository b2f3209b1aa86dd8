"""Tokens as they are shown: the text as written, in the places of the compared tokens."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperbaton.text.display import describe_signs, raw_tokens, visible
from hyperbaton.text.tokenization import Tokenization
from waiting import check_linear_time

TOKENIZERS = ("13a", "intl", "zh", "char", "none")
MARKS = "\u0301\u0307\u0323\u0327\u093f\u09be\u3099\u1161\u11a8\uff9e"
# Printable characters, so that shown tokens are exactly the text.
PRINTABLE = st.text(
    st.one_of(
        st.sampled_from("aAeEIİßΣσς’“”…–ﬁĲＡｶカ한ᄒकि.,!-'\" " + MARKS),
        st.characters(exclude_categories=["C", "Z"], exclude_characters="&<"),
    ),
    max_size=25,
)
TEXTS = st.builds(
    Tokenization,
    st.sampled_from(TOKENIZERS),
    st.sampled_from(["lc", "mixed"]),
    st.sampled_from(["standard", "none"]),
    turkic=st.booleans(),
)


@settings(max_examples=1000, deadline=None)
@given(PRINTABLE, TEXTS)
def test_a_shown_token_is_the_text_that_became_the_token(
    text: str, tokenization: Tokenization
) -> None:
    tokens = tokenization.split(text)
    shown = raw_tokens(text, tokenization)
    assert len(shown) == len(tokens)
    final = str.maketrans("ς", "σ")  # which of the two it is depends on the word, not on the token
    for raw, token in zip(shown, tokens, strict=True):
        assert tokenization.normalize(raw).translate(final) == token.translate(final)
    # Unless a token can be a part of a character or of a letter with marks, they make up the text.
    if all(len(tokenization.normalize(c)) == 1 and not is_mark(c) for c in text):
        assert "".join(shown) == "".join(text.split())


def is_mark(character: str) -> bool:
    return character in MARKS or unicodedata.category(character).startswith("M")


@settings(max_examples=300, deadline=None)
@given(PRINTABLE, st.sampled_from(TOKENIZERS))
def test_without_folding_only_the_case_is_restored(text: str, tok: str) -> None:
    cased = Tokenization(tok, "mixed").split(text)
    if [token.lower() for token in cased] == Tokenization(tok).split(text):
        assert raw_tokens(text, Tokenization(tok)) == tuple(cased)


STANDARD = Tokenization(fold="standard")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("“Don’t”, said Eve.", ("“", "Don’t", "”", ",", "said", "Eve", ".")),
        ("E\u0301te\u0301 ﬁn", ("E\u0301te\u0301", "ﬁn")),
        ("ΟΔΟΣ.", ("ΟΔΟΣ", ".")),
        ("wait…", ("wait", ".", ".", ".")),  # three tokens of one character
        ("co\u00adop \u200fabc\u200f \u200f x", ("co◦op", "◦abc◦", "x")),
        ("a &quot;B&quot; C’s", ("a", '"', "B", '"', "C’s")),  # 13a changes characters of one word
        ("\u202eno \x1b[31m", ("◦no", "␛", "[", "31m")),
        ("", ()),
    ],
)
def test_examples(text: str, shown: tuple[str, ...]) -> None:
    assert raw_tokens(text, STANDARD) == shown


def test_only_kept_tokens_are_shown() -> None:
    assert raw_tokens("“Don’t”, said Eve…", Tokenization(fold="standard", punct="drop")) == (
        "Don’t",
        "said",
        "Eve",
    )
    assert raw_tokens("a &quot;B&quot;", Tokenization(punct="drop")) == ("a", "B")


@pytest.mark.parametrize("fold", ["standard", "none"])
@pytest.mark.parametrize(
    "character", ["é", "e\u0301", "…", "\u00ad", "Σ", "İ", "ﾞ", "a\u0301\u0301"]
)
def test_time_is_linear(character: str, fold: str) -> None:
    tokenization = Tokenization("none", fold=fold)
    check_linear_time(lambda n: raw_tokens(character * n, tokenization), 100_000)


ANY = st.text(st.characters(codec=None, categories=None, max_codepoint=sys.maxunicode))


@settings(max_examples=500)
@given(ANY)
def test_nothing_gets_through_that_a_program_interprets(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    categories = {unicodedata.category(c) for c in shown}
    assert not categories & {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    # no embeddings, overrides and isolates of the writing direction
    assert {unicodedata.bidirectional(c) for c in shown}.isdisjoint(
        {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    )
    assert visible(shown) == shown


@given(ANY)
def test_every_sign_is_explained(text: str) -> None:
    signs = {new for old, new in zip(text, visible(text), strict=True) if old != new}
    assert {line[0] for line in describe_signs(text)} == signs


def test_text_without_hidden_characters_needs_no_explanation() -> None:
    # a replacement character, a ring and joiners that are in the text itself
    assert describe_signs("a\ufffdb ◦ می\u200cخواهم", "\u3000x") == []
