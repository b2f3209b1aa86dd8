"""Lines as numbers of tokens, compared with Python and with sacreBLEU."""

from __future__ import annotations

import os
import random
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

import hyperbaton as hb
from hyperbaton import _core
from hyperbaton.text import words
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import WordTable, shared_table
from waiting import HANGING

ODD = st.sampled_from(
    [*"aB.,-19&;<> \t\r\n\x1c\x85\u00a0\u2003(é«।؟Σ", "&quot;", "<skipped>", "&amp;"]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=3)
LINE = st.lists(st.one_of(ODD, TEXT)).map("".join)
CHARACTERS = [chr(c) for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]


def split(text: Tokenization, lines: list[str], threads: int = 1) -> list[list[str]]:
    """Return the tokens that a new table finds."""
    return WordTable(text).number_lines(_core.Lines.from_strings(lines), threads).strings()


@pytest.mark.parametrize("case", ["lc", "mixed"])
@pytest.mark.parametrize("tok", ["13a", "intl", "none", "char", "zh"])
@given(lines=st.lists(LINE, max_size=4))
def test_tokens_are_sacrebleus(tok: str, case: str, lines: list[str]) -> None:
    bleu = BLEU(tokenize=tok, lowercase=case == "lc")
    theirs = [bleu._preprocess_segment(line).split() for line in lines]
    assert split(Tokenization(tok, case), lines) == theirs


def test_white_space_is_that_of_python() -> None:
    lines = [f"a{c}b" for c in CHARACTERS]
    assert split(Tokenization("none", "mixed"), lines) == [line.split() for line in lines]


def test_lower_case_needs_no_context_beyond_white_space() -> None:
    """The core lower-cases word by word, but Python looks around a capital sigma."""
    spaces = [c for c in CHARACTERS if c.isspace()]
    for space in spaces:
        for line in (f"ΑΣ{space}Β", f"Α{space}Σ{space}Β", f"Α{space}Σ"):
            assert line.lower() == "".join(part.lower() for part in (line.partition(space)))
    for c in CHARACTERS:
        assert c.lower().lower() == c.lower()


@given(content=st.binary())
def test_lines_of_bytes_are_valid_exactly_where_python_decodes(content: bytes) -> None:
    lines, invalid = _core.Lines.from_bytes(content)
    raw = content.removesuffix(b"\n").split(b"\n") if content else []

    def is_valid(line: bytes) -> bool:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            return False
        return b"\0" not in line

    assert len(lines) == len(raw)
    assert invalid == next((k for k, line in enumerate(raw) if not is_valid(line)), -1)
    if invalid < 0:
        assert list(lines) == [line.decode("utf-8").removesuffix("\r") for line in raw]


def test_all_sequences_of_two_and_three_bytes_are_judged_as_python_does() -> None:
    sequences = [bytes([a, b]) for a in range(128, 256) for b in range(1, 256) if b != 10]
    sequences += [bytes([a, b, 0x80]) for a in range(0xE0, 0xF0) for b in range(128, 256)]
    sequences += [bytes([a, b, 0x80, 0xBF]) for a in range(0xF0, 0x100) for b in range(128, 256)]
    for sequence in sequences:
        try:
            sequence.decode("utf-8")
            expected = -1
        except UnicodeDecodeError:
            expected = 0
        assert _core.Lines.from_bytes(sequence)[1] == expected, sequence


def test_lines_are_a_sequence() -> None:
    texts = ["a", "", "ß\u2028", "𠀀 b"]
    lines = _core.Lines.from_strings(texts)
    assert list(lines) == lines.tolist() == texts
    assert (lines[1], lines[-1]) == ("", "𠀀 b")
    assert list(lines[1:3]) == texts[1:3]
    both = _core.Lines.interleave([lines[:2], lines[2:]])
    assert list(both) == ["a", "ß\u2028", "", "𠀀 b"]
    del lines
    assert list(both) == ["a", "ß\u2028", "", "𠀀 b"]  # it keeps the memory of its parts
    with pytest.raises(IndexError):
        both[4]
    with pytest.raises(ValueError, match="unpaired surrogate"):
        _core.Lines.from_strings(["a", "\ud800"])


@pytest.mark.parametrize(
    "text", [Tokenization(), Tokenization("intl"), Tokenization("none", "mixed")]
)
def test_threads_change_no_number(text: Tokenization) -> None:
    rng = random.Random(1)
    alphabet = ["a", "B", "é", ".", "1", "-", "ß", "«", " ", " ", " "]
    lines = ["".join(rng.choices(alphabet, k=rng.randrange(300))) for _ in range(2000)]
    one, two = (
        WordTable(text).number_lines(_core.Lines.from_strings(lines), threads) for threads in (1, 2)
    )
    assert one.numbers.tobytes() == two.numbers.tobytes()
    assert one.offsets.tobytes() == two.offsets.tobytes()
    assert one.strings() == [text.split(line) for line in lines]


def test_several_python_threads_share_a_table() -> None:
    table = WordTable(Tokenization())
    rng = random.Random(2)
    lines = [" ".join(f"Wört{rng.randrange(5000)}." for _ in range(20)) for _ in range(3000)]
    expected = [Tokenization().split(line) for line in lines]
    found: dict[int, list[list[str]]] = {}

    def number(k: int) -> None:
        parts = [
            table.number_lines(_core.Lines.from_strings(lines[begin : begin + 100]), 2).strings()
            for begin in range(0, len(lines), 100)
        ]
        found[k] = [tokens for part in parts for tokens in part]

    threads = [threading.Thread(target=number, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[k] == expected for k in range(4))
    assert len(table) == len({token for tokens in expected for token in tokens})


def test_a_table_that_is_too_large_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    vocabulary = [f"w{k}" for k in range(3000)]
    hyps, refs = ([" ".join(rng.choices(vocabulary, k=12)) for _ in range(400)] for _ in range(2))
    hyps = [f"{a} {b}" for a, b in zip(hyps, refs, strict=True)]
    before = hb.score(hyps, refs, ["pef", "full", "wer", "ribes"], "en")
    monkeypatch.setattr(words, "MAX_TABLE_BYTES", 1)
    assert shared_table(Tokenization()) is not shared_table(Tokenization())
    after = hb.score(hyps, refs, ["pef", "full", "wer", "ribes"], "en")
    for name, score in before.items():
        assert score.segments.tobytes() == after[name].segments.tobytes()


def test_taken_sentences() -> None:
    table = WordTable(Tokenization("none"))
    numbered = table.number_tokens([["a", "b"], [], ["c"]], "sentences", 1)
    assert numbered.take(np.array([2, 0, 0, 1])).strings() == [["c"], ["a", "b"], ["a", "b"], []]


def test_long_words() -> None:
    long = "ä" * 100_000 + "." + "b" * 100_000
    assert split(Tokenization(), [f"x {long} y"]) == [Tokenization().split(f"x {long} y")]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_process_does_not_wait_for_a_thread_of_its_parent() -> None:
    """In a child, locks that another thread of the parent held are free, and tables are new."""
    table = shared_table(Tokenization())
    with words._lock:
        child = os.fork()
        if child == 0:
            thread = threading.Thread(target=lambda: hb.align("a b", "b a"), daemon=True)
            thread.start()
            thread.join(HANGING)
            os._exit(1 if thread.is_alive() or shared_table(Tokenization()) is table else 0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_pieces_follow_each_other() -> None:
    lines = [f"word{k} x" for k in range(10_000)]
    numbered = WordTable(Tokenization()).number_lines(_core.Lines.from_strings(lines), 2)
    assert numbered.strings() == [line.split() for line in lines]
    tokens = [line.split() for line in lines]
    assert WordTable(Tokenization(), whole=True).number_tokens(tokens, "x", 2).strings() == tokens
