"""The twin of soft order: examples worked out by hand, and values of another implementation."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

from pairs import data_folder
from reference.soft_order import (
    END,
    START,
    Precedence,
    broken_steps,
    chars,
    hyper,
    similarity,
    soft_adjacency,
    soft_order,
)


def exactly(value: float | list[float]) -> object:
    """The value or values, except for rounding errors."""
    return pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("house", "house", 1),
        ("house", "houses", 10 / 11),  # the prefix, 2·5/(5 + 6), beats 1 − 1/6
        ("kitten", "sitting", 4 / 7),  # 1 − 3/7; no common prefix
        ("a", "b", 0),
        ("abcd", "abxy", 0.5),  # 1 − 2/4 = 2·2/(4 + 4)
    ],
)
def test_similarity(a: str, b: str, expected: float) -> None:
    assert similarity(a, b) == exactly(expected)
    assert similarity(b, a) == exactly(expected)


def test_adjacency_of_two_swapped_words() -> None:
    """``a b`` against ``b a``. The words have nothing in common, so s is 1 or 0.

    X = [[0, .75], [.75, 0]]: equal words stand half a sentence apart, which costs π/2 = .25.
    By rows and by columns, the softmax of X/τ is [[q, p], [p, q]] with p = 1/(1 + e^−7.5) and
    q = 1 − p. This is P. All words have ‖Q_i‖² = p² + q² and u = v = 1 − p² − q² = 2pq.

    With r = √(p² + q²):
    to(0, 1) = to(2, 3) = (q + v·p)/r,
    to(0, 2) = to(1, 3) = (p + v·q)/r,
    to(1, 2) = q·q/r², since Q_12·Q_23 is 0, as Q_23 belongs to the frame.

    The first and the last step are best without a skip: q + v·p > u·(p + v·q), as u = v < 1. The
    middle step is best if it skips a word, which gives u·(p + v·q)/r.
    """
    p = 1 / (1 + math.exp(-7.5))
    q = 1 - p
    u = 2 * p * q
    r = math.sqrt(p * p + q * q)
    outer = 1 - (q + u * p) / r / 0.5
    middle = 1 - u * (p + u * q) / r / 0.5
    along_hyp, along_ref = broken_steps(["a", "b"], ["b", "a"])
    assert along_hyp == exactly([outer, middle, outer])
    assert along_ref == exactly([outer, middle, outer])
    assert soft_adjacency(["a", "b"], ["b", "a"]) == exactly(1 - (2 * outer + middle) / 3)


def test_adjacency_with_an_unlinked_word() -> None:
    """``a`` against ``a b``, with τ = 1 and θ = 1, so that small differences are visible.

    The middle of the hypothesis is ½, the words of the reference are at ¼ and ¾, so that
    X = [[1 − ⅛, −⅛]]. By rows, the softmax is [[p, q]] with p = 1/(1 + 1/e) and q = 1 − p; by
    columns it is [[1, 1]]. P = [[√p, √q]].

    Rows: u_1 = 1 − p − q = 0, ‖Q_1‖ = 1. Columns: v_1 = 1 − p = q, v_2 = p.
    Along the hypothesis: to(0, 1) = √p + v_1·√q = .9944 and to(1, 2) = √p·v_2 + √q = 1.1436.
    Along the reference, where u and v change places: to(0, 1) = √p/√p = 1 and to(2, 3) = 1, but
    to(1, 2) = 0, since both words are linked to the same word. To skip ``b`` gives u_2·to(1, 3) =
    p·1, to skip ``a`` gives u_1·to(0, 2) = q·1. The greater is p.
    """
    p = 1 / (1 + math.exp(-1))
    q = 1 - p
    along_hyp, along_ref = broken_steps(["a"], ["a", "b"], tau=1, theta=1)
    first = 1 - (math.sqrt(p) + q * math.sqrt(q))
    assert along_hyp == exactly([first, 0])
    assert along_ref == exactly([0, 1 - p, 0])
    A = 1 - (first / 2 + q / 3) / 2
    assert soft_adjacency(["a"], ["a", "b"], tau=1, theta=1) == exactly(A)


def test_adjacency_of_single_words() -> None:
    """One word on each side: the softmax of a single cell is 1, whatever the words are."""
    assert soft_adjacency(["a"], ["a"]) == 1
    assert soft_adjacency(["a"], ["b"]) == 1


def test_adjacency_is_symmetric() -> None:
    hyp = ["the", "cats", "sat", "on", "a", "mat"]
    ref = ["on", "the", "mat", "sat", "the", "cat", "."]
    along_hyp, along_ref = broken_steps(hyp, ref)
    assert (len(along_hyp), len(along_ref)) == (7, 8)
    back_hyp, back_ref = broken_steps(ref, hyp)
    assert back_hyp == exactly(along_ref)
    assert back_ref == exactly(along_hyp)
    assert 0 < soft_adjacency(hyp, ref) < 1


def test_precedence_of_a_tiny_corpus() -> None:
    """The corpus is ``a b``: four words with the frame, each seen once, and N = 3.

    All words are frequent, so each is its own class. The expected count of a pair is 1·1/3. A pair
    seen once has ρ = (1 + 3)/(⅓ + 3) = 1.2, a pair not seen has ρ = 3/(⅓ + 3) = 0.9. θ is
    log((1 + .3·1.2)/(⅓ + .3)) = log(1.36/(19/30)), or log(.27/(19/30)).

    ``b a`` has no pair of the corpus at its distance, ``a b`` has all three pairs of neighbours and
    both pairs of words two apart. δ = (3 + .3·2)·log(.27/1.36).
    """
    precedence = Precedence([["a", "b"]])
    seen, unseen = math.log(1.36 * 30 / 19), math.log(0.27 * 30 / 19)
    assert precedence.theta(1, "a", "b") == exactly(seen)
    assert precedence.theta(1, START, "a") == exactly(seen)
    assert precedence.theta(2, "a", END) == exactly(seen)
    assert precedence.theta(1, "b", "a") == exactly(unseen)
    assert precedence.theta(2, "a", "b") == exactly(unseen)
    assert precedence.phi(["a", "b"]) == exactly(3.6 * seen)
    assert precedence.phi(["b", "a"]) == exactly(3.6 * unseen)

    delta = 3.6 * math.log(0.27 / 1.36)
    assert precedence.deltas(["b", "a"], ["a", "b"]) == [(0, exactly(delta))]
    assert precedence.value(["b", "a"], ["a", "b"]) == exactly(1 - math.tanh(-delta / 2) / 3)
    assert precedence.deltas(["a", "b"], ["c"]) == [(0, exactly(-delta))]
    assert precedence.value(["a", "b"], ["c"]) == 1


def test_pairs_that_are_not_judged() -> None:
    precedence = Precedence([["a", "b"]])
    assert precedence.deltas(["b", "a"], ["x", "b", "a"]) == []  # neighbours in the reference
    assert precedence.deltas(["b", "b"], ["a"]) == []  # equal words
    assert [i for i, _ in precedence.deltas(["b", "a", "a", "b"], ["a", "b"])] == [0]
    assert precedence.value(["b"], ["a"]) == precedence.value([], ["a"]) == 1


def test_unknown_words_are_judged_by_their_classes() -> None:
    """θ = log ρ if n(x)·n(y) = 0, and ρ = 1 if a class is unknown, too.

    The corpus has 150 frequent words, twice each, and the rare line ``walked walls``. Its classes
    are (``ed``, long, no hyphen) and (``ls``, long, no hyphen), with N = 301 + 3 pairs, 1 of them
    between the two classes.
    """
    common = [f"w{k:03}" for k in range(150)]
    precedence = Precedence([common + common, ["walked", "walls"]])
    assert precedence.N == 304
    rho = (1 + 3) / (1 / 304 + 3)
    assert precedence.theta(1, "talked", "balls") == exactly(math.log(rho))
    assert precedence.theta(1, "talked", "talking") == 0
    assert Precedence([]).theta(1, "a", "b") == 0


def test_classes() -> None:
    # 149 words occur twice. Five occur once, and ! is the first of them by code point.
    common = [f"w{k:03}" for k in range(149)]
    rare = ["!", "1", "é", "z", "<s>"]
    precedence = Precedence([common + common + rare])
    assert precedence.frequent == {*common, "!"}
    assert precedence.word_class("w007") == "w007"
    assert precedence.word_class("!") == "!"
    assert precedence.word_class(START) is START
    assert precedence.word_class("1,000") == precedence.word_class("1") == ("#d",)
    assert precedence.word_class("?") == precedence.word_class("½") == ("#p",)
    assert precedence.word_class("²") == precedence.word_class("٣") == ("#p",)  # only 0–9 count
    assert precedence.word_class("w999") == ("#x",)
    assert precedence.word_class("é") == ("é", True, False)
    assert precedence.word_class("walk") == ("lk", True, False)
    assert precedence.word_class("walks") == ("ks", False, False)
    assert precedence.word_class("well-known") == ("wn", False, True)
    assert precedence.word_class("<s>") == ("s>", True, False)  # a word, not the mark


def test_tokens_that_look_like_frame_marks() -> None:
    """``<s>`` in a text is an ordinary word, counted apart from the mark."""
    precedence = Precedence([["a", "<s>"]])
    other = Precedence([["a", "b"]])
    assert precedence.words[START] == precedence.words["<s>"] == 1
    assert precedence.value(["<s>", "a"], ["x"]) == other.value(["b", "a"], ["x"])


def test_order_of_empty_and_equal_sides() -> None:
    precedence = Precedence([["b", "a"]])
    for counts in (None, precedence):
        assert soft_order([], [], counts) == 0
        assert soft_order(["a"], [], counts) == 0
        assert soft_order([], ["a"], counts) == 0
        assert soft_order(["a", "b"], ["a", "b"], counts) == 1
    # The steps alone give less than 1 for many quoted words.
    quotes = [token for letter in "abcdefghijklmnopqrst" for token in ('"', letter, '"', ",")]
    assert 0.9 < soft_adjacency(quotes, quotes) < 0.99
    assert soft_order(quotes, quotes) == 1
    assert soft_adjacency([], ["a"]) == soft_adjacency(["a"], []) == 0


def test_order_is_a_product() -> None:
    hyp, ref = ["b", "a"], ["a", "b"]
    precedence = Precedence([ref])
    A, B = soft_adjacency(hyp, ref), precedence.value(hyp, ref)
    assert soft_order(hyp, ref) == A
    assert soft_order(hyp, ref, precedence) == A * B < A


def test_chars() -> None:
    # n = 1: a of {a, b} and {a, c}; n = 2: ^a of {^a, ab, b$} and {^a, ac, c$}; n = 3: nothing of
    # {^ab, ab$} and {^ac, ac$}; n = 4: nothing of {^ab$} and {^ac$}. F is 1/2, 1/3, 0 and 0.
    assert chars(["ab"], ["ac"]) == exactly((1 / 2 + 1 / 3) / 4)
    # For n = 1, 2, 3 the precision is 1 and the recall 1/2: F_2 = 5·½/(4 + ½) = 5/9. Neither side
    # has n-grams for n = 4.
    assert chars(["a"], ["a", "b"]) == exactly(5 / 9)
    # The other way round, F_2 = 5·½/(4·½ + 1) = 5/6.
    assert chars(["a", "b"], ["a"]) == exactly(5 / 6)
    # Only the reference has n-grams for n = 4 (^ab$). n = 1: P = 1, R = 1/2: 5/9. n = 2: ^a of
    # {^a, a$} and {^a, ab, b$}: P = 1/2, R = 1/3: 5/6/(2 + 1/3) = 5/14. n = 3 and 4: 0.
    assert chars(["a"], ["ab"]) == exactly((5 / 9 + 5 / 14) / 4)
    # Matches are clipped: n = 1, 2, 3 have one match of two.
    assert chars(["a", "a"], ["a"]) == exactly(5 / 6)
    assert chars(["b", "a"], ["a", "b"]) == 1
    assert chars(["A"], ["a"]) == 0
    assert chars([], ["a"]) == chars(["a"], []) == chars([], []) == 0


def test_hyper() -> None:
    """Order ignores case, characters do not."""
    precedence = Precedence([["a", "b"]])
    assert hyper(["A", "b"], ["a", "b"], precedence) == exactly(0.8 * 1 / 2 + 0.2)
    expected = 0.8 * 1 + 0.2 * soft_order(["b", "a"], ["a", "b"], precedence)
    assert hyper(["B", "A"], ["A", "B"], precedence) == exactly(expected)
    assert hyper([], ["a"], precedence) == hyper(["a"], [], precedence) == 0


COLUMNS = ("adjacency", "precedence", "order", "chars", "hyper")


def tokenized(path: Path) -> list[list[str]]:
    """The lines of a file as cased tokens."""
    tokenize = BLEU(tokenize="13a").tokenizer
    lines = path.read_text("utf-8").removesuffix("\n").split("\n")
    return [tokenize(line).split() for line in lines]


def lowered(tokens: list[str]) -> list[str]:
    return [token.lower() for token in tokens]


def test_values_of_another_implementation() -> None:
    """All 400 values of five columns. They are printed with 12 digits."""
    data = data_folder()
    expected = data / "softorder" / "expected-wmt15-fi-en.tsv"
    if not expected.is_file():
        pytest.skip("needs the values of softorder in HYPERBATON_DATA")
    folder = data / "wmt15" / "fi-en"
    references = tokenized(folder / "reference.txt")
    # The definition does not say whether lines or token lists are distinct. It makes no difference
    # here: all 1,370 references are distinct as lines, as cased and as lower-cased tokens.
    distinct = list(dict.fromkeys(tuple(lowered(reference)) for reference in references))
    assert len(distinct) == len(references) == 1370
    precedence = Precedence(distinct)
    with expected.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 400
    systems = {name: tokenized(folder / "systems" / name) for name in {r["system"] for r in rows}}
    for row in rows:
        segment = int(row["segment"])
        hyp, ref = systems[row["system"]][segment], references[segment]
        lower = lowered(hyp), lowered(ref)
        values = (
            soft_adjacency(*lower),
            precedence.value(*lower),
            soft_order(*lower, precedence),
            chars(hyp, ref),
            hyper(hyp, ref, precedence),
        )
        for name, value in zip(COLUMNS, values, strict=True):
            assert abs(value - float(row[name])) < 1e-9, (row["system"], segment, name)
