"""Folding: the table against Unicode's data, and properties of folded text."""

from __future__ import annotations

import random
import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperbaton.text.folding import TABLE, fold_text
from reference import folding as twin
from waiting import check_linear_time

MODES = ((False, False), (True, False), (True, True))
# Mostly characters with something to fold: of the table, accents, letters of several alphabets,
# Hangul jamo, white space, and any other character.
CHARACTERS = st.one_of(
    st.sampled_from(sorted(TABLE)),
    st.sampled_from("aeiouIiİıAZßΣσςΩ\u212b\u2126 \t\u00a0\u3000\u2028'\"-.<=>&;09"),
    st.sampled_from("\u0300\u0301\u0307\u0308\u0323\u0327\u0338\u0345\u093c\u09be\u3099\u309a"),
    st.sampled_from("\u1100\u1112\u1161\u1175\u11a8\u11c2\uac00\ud788カハкйЙअक\u200c\u200d"),
    st.characters(),
)
TEXT = st.text(CHARACTERS, max_size=30)


def every_character() -> list[str]:
    return [chr(code) for code in range(0x110000)]


def test_the_table_is_that_of_unicode() -> None:
    for c in every_character():
        assert TABLE.get(c, c) == twin.fold_character(c), hex(ord(c))


@pytest.mark.parametrize(("lowercase", "turkic"), MODES)
def test_every_character(lowercase: bool, turkic: bool) -> None:
    for c in every_character():
        folded = fold_text(c, lowercase, turkic)
        assert folded == twin.fold(c, lowercase, turkic), hex(ord(c))
        assert fold_text(folded, lowercase, turkic) == folded, hex(ord(c))
        assert any(map(str.isspace, folded)) == c.isspace(), hex(ord(c))


@settings(max_examples=500, deadline=None)
@given(TEXT, st.sampled_from(MODES))
def test_the_twin(text: str, mode: tuple[bool, bool]) -> None:
    assert fold_text(text, *mode) == twin.fold(text, *mode)


@settings(max_examples=500, deadline=None)
@given(TEXT, st.sampled_from(MODES))
def test_folding_twice_is_folding_once(text: str, mode: tuple[bool, bool]) -> None:
    folded = fold_text(text, *mode)
    assert fold_text(folded, *mode) == folded
    assert unicodedata.is_normalized("NFC", folded)


@settings(max_examples=500, deadline=None)
@given(TEXT, st.sampled_from(MODES))
def test_no_step_looks_beyond_white_space(text: str, mode: tuple[bool, bool]) -> None:
    parts = re.split(r"(\s+)", text)
    assert fold_text(text, *mode) == "".join(fold_text(part, *mode) for part in parts)
    assert fold_text(text, *mode).split() == [
        folded for word in text.split() if (folded := fold_text(word, *mode))
    ]


@settings(max_examples=500, deadline=None)
@given(TEXT, st.sampled_from(MODES))
def test_canonically_equal_texts_fold_alike(text: str, mode: tuple[bool, bool]) -> None:
    for form in ("NFC", "NFD"):
        assert fold_text(unicodedata.normalize(form, text), *mode) == fold_text(text, *mode)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("don’t don‘t donʼt don´t", "don't don't don't don't"),
        ("“a” „b“ «c» ‹d› ‚e‘", '"a" "b" "c" \'d\' \'e\''),
        ("1939–1945 — −3", "1939-1945 - -3"),
        ("wait…", "wait..."),
        ("ﬁnd the ﬂow, Ĳssel", "find the flow, ijssel"),
        ("ＡＢＣ１２３！", "abc123!"),
        ("ﾊﾟｿｺﾝ ｶﾞ", "パソコン ガ"),
        ("co\u00adoperate\u200f \u202aabc\u202c \ufeffx", "cooperate abc x"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
        ("STRASSE Straße ẞ", "strasse straße ß"),
        ("ΟΔΟΣ ΟΔΟΣ", "οδος οδος"),
        ("œuvre ′ ″ ` ׳ ² ½ ① №", "œuvre ′ ″ ` ׳ ² ½ ① №"),  # not in the table
    ],
)
def test_examples(text: str, folded: str) -> None:
    assert fold_text(text, lowercase=True) == folded


def test_turkish_lower_case() -> None:
    assert fold_text("IŞIK İLK Işık ilk", True, True) == "ışık ilk ışık ilk"
    assert fold_text("I\u0307LK", True, True) == "ilk"  # İ in two characters
    assert fold_text("IŞIK İLK", False, True) == "IŞIK İLK"
    assert fold_text("IŞIK", True, False) == "işik"


def test_many_accents() -> None:
    """Canonical order of long runs, in linear time."""
    accents = "\u0301\u0323\u0345\u0344\u0307\u0f73"
    rng = random.Random(1)
    for _ in range(20):
        text = "".join(rng.choices("ae\uac01" + 20 * accents, k=3000))
        assert fold_text(text, lowercase=False) == unicodedata.normalize("NFC", text)
    check_linear_time(lambda n: fold_text("a" + "\u0301\u0323" * n, lowercase=True), 100_000)
