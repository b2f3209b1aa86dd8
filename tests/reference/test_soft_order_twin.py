"""The twin of soft order: examples worked out by hand, and values of another implementation."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from sacrebleu.metrics.bleu import BLEU

import hyperbaton
from pairs import data_folder
from reference.soft_order import (
    END,
    START,
    Precedence,
    best_statistics,
    broken_steps,
    chars,
    counterparts,
    distinguishable_words,
    hyper_product,
    hyper_sum,
    lost_words,
    mark_strengths,
    order_statistics,
    order_value,
    similarity,
    soft_adjacency,
)

GOLDEN = Path(__file__).parents[1] / "golden"


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
    quotes = [token for letter in "abcdefghijklmnopqrst" for token in ('"', letter, '"', ",")]
    assert 0.9 < soft_adjacency(quotes, quotes) < 0.99
    found = order_statistics(quotes, quotes)
    assert (found.X, found.value) == (0, 1)
    assert 0 < found.M < len(quotes)
    assert order_statistics([], ["a", "b"]) == (0, 0, 1)
    assert order_statistics(["a"], []) == (0, 0, 0.5)
    assert order_statistics([], []) == (0, 0, 0)
    assert order_statistics([], ["a"]).value == 1
    assert soft_adjacency([], ["a"]) == soft_adjacency(["a"], []) == 0


def test_statistics_of_two_swapped_words() -> None:
    """``a b`` against ``b a``, whose links and losses ``test_adjacency_of_two_swapped_words`` has.

    A word is equal to its counterpart, so that c_i = d_j = p² and M = 2p². Each word has one outer
    and one middle step: λ = M·(outer + middle)/2. Both words occur once: N = 2.
    """
    p = 1 / (1 + math.exp(-7.5))
    outer, middle, _ = broken_steps(["a", "b"], ["b", "a"])[0]
    found = order_statistics(["a", "b"], ["b", "a"])
    assert found == exactly([p * p * (outer + middle), 2 * p * p, 2])
    assert found.value == exactly(1 - (outer + middle) / 2)
    # With B of a corpus that has only "b a": δ < 0 for the one pair of neighbours.
    precedence = Precedence([["b", "a"]])
    B = precedence.value(["a", "b"], ["c"])
    both = order_statistics(["a", "b"], ["b", "a"], precedence)
    assert exactly(2 * p * p - (2 * p * p - found.X) * B) == both.X


def test_words_that_can_be_told_apart() -> None:
    """``a a``: both words have Z = 1 + e with e = exp(−5·½), so D = 2·(1 + e²)/(1 + e)²."""
    e = math.exp(-2.5)
    assert distinguishable_words(["a", "a"]) == exactly(2 * (1 + e * e) / (1 + e) ** 2)
    assert distinguishable_words(["a", "b", "c"]) == 3
    assert distinguishable_words([]) == 0


def test_counterparts_of_similar_words() -> None:
    """``abcd`` and ``abcx`` have s = ¾, so that half of the only link counts."""
    assert counterparts(["abcd"], ["abcx"]) == (exactly([0.5]), exactly([0.5]))
    assert counterparts(["abcd"], ["abxy"]) == ([0], [0])


def test_the_best_reference_has_the_most_words_in_place() -> None:
    """Not the highest value, which the reference without a common word would have."""
    hyp, refs = ["b", "a"], [["x", "y"], ["a", "b"]]
    several = [order_statistics(hyp, ref) for ref in refs]
    assert several[0].value == 1 > several[1].value
    assert best_statistics(several) is several[1]
    assert best_statistics([several[1], several[1]._replace(N=7)]) is several[1]


def test_strengths_of_marks() -> None:
    hyp, ref = ["b", "a", "c"], ["a", "b", "c"]
    c, _ = counterparts(hyp, ref)
    loss, _ = broken_steps(hyp, ref)
    alone = [c[i] * (loss[i] + loss[i + 1]) / 2 for i in range(3)]
    assert mark_strengths(hyp, ref) == exactly(alone)
    precedence = Precedence([ref])
    (first, delta), *others = precedence.deltas(hyp, ref)
    gain = math.tanh(-delta / 2)
    assert (first, delta < 0) == (0, True)
    found = mark_strengths(hyp, ref, precedence)
    assert found[0] == exactly(min(1, alone[0] + gain / 2))
    assert [place for place, change in others if change < 0] == []
    assert found[2] == exactly(alone[2])  # its only pair does not gain
    assert mark_strengths(ref, ref, precedence) == [0, 0, 0]
    assert mark_strengths([], ref) == mark_strengths(["a"], [])[1:] == []


# Values of the definition's page, which other programs computed ----------------------------------


@pytest.mark.parametrize(
    ("hyp", "ref", "matched", "alone", "own"),
    [
        ("the house big is old", "the big house is old", 4.9954, 0.4029, 0.3360),
        ("the large house is old", "the big house is old", 3.9986, 1, 1),
        ("xyzzy qwert plugh", "the big house is old", 0, 1, 1),
    ],
)
def test_examples_of_the_page(hyp: str, ref: str, matched: float, alone: float, own: float) -> None:
    sides = hyp.split(), ref.split()
    found = order_statistics(*sides), order_statistics(*sides, Precedence([sides[1]]))
    assert [each.M for each in found] == pytest.approx([matched, matched], abs=5e-5)
    assert [each.value for each in found] == pytest.approx([alone, own], abs=5e-5)


def test_a_line_whose_words_look_alike_matches_itself_less() -> None:
    line = ["a", "aa", "aaa", "aaaa", "aaaaa"]
    found = order_statistics(line, line)
    assert pytest.approx(0.818, abs=5e-4) == found.M / found.N
    assert found.X == 0


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
    assert hyper_sum(["A", "b"], ["a", "b"], precedence) == exactly(0.8 * 1 / 2 + 0.2)
    assert hyper_product(["A", "b"], ["a", "b"], precedence) == exactly(0.5**0.8)
    order = order_statistics(["b", "a"], ["a", "b"], precedence).value
    assert hyper_sum(["B", "A"], ["A", "B"], precedence) == exactly(0.8 + 0.2 * order)
    assert hyper_product(["B", "A"], ["A", "B"], precedence) == exactly(order**0.2)
    for hyper in (hyper_sum, hyper_product):
        assert hyper([], ["a"], precedence) == hyper(["a"], [], precedence) == 0
        assert hyper(["a"], ["bc"], precedence) < 0.21  # no word in common, and so no loss


PRINTED = ("M", "lambda", "B", "X", "N", "value", "hyper_product")


def tokenized(path: Path) -> list[list[str]]:
    """The lines of a file as cased tokens."""
    tokenize = BLEU(tokenize="13a").tokenizer
    lines = path.read_text("utf-8").removesuffix("\n").split("\n")
    return [tokenize(line).split() for line in lines]


def lowered(tokens: list[str]) -> list[str]:
    return [token.lower() for token in tokens]


def printed_values(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def distinct_references(references: list[list[str]]) -> Precedence:
    """B's counts. No line is repeated, as text, as cased or as lower-cased tokens."""
    distinct = list(dict.fromkeys(tuple(lowered(reference)) for reference in references))
    assert len(distinct) == len(references)
    return Precedence(distinct)


def check_printed(row: dict[str, str], hyp: list[str], ref: list[str], counts: Precedence) -> None:
    lower = lowered(hyp), lowered(ref)
    found = order_statistics(*lower, counts)
    B, loss = counts.value(*lower), lost_words(*lower)
    values = (found.M, loss, B, found.X, found.N, found.value, hyper_product(hyp, ref, counts))
    for name, value in zip(PRINTED, values, strict=True):
        place = row["system"], row["segment"], name
        assert abs(value - float(row[name])) < 1e-9, place


def test_the_example() -> None:
    """All values of the shipped example, and their sums.

    ``expected-order-example.tsv`` was computed by a program that was written from the definition
    alone and shares no code with this package. The sums are those of the definition's page.
    """
    folder = Path(hyperbaton.__file__).parent / "example"
    references = tokenized(folder / "reference.txt")
    precedence = distinct_references(references)
    sums = {
        "literal": (748.212036, 279.810545, 805.863660),
        "phrasal": (676.276936, 193.400344, 803.475005),
        "fluent": (662.253309, 89.627680, 789.122278),
    }
    rows = printed_values(GOLDEN / "expected-order-example.tsv")
    assert len(rows) == 3 * len(references)
    for system, expected in sums.items():
        hyps = tokenized(folder / f"{system}.txt")
        for row in rows:
            if row["system"] == system:
                segment = int(row["segment"])
                check_printed(row, hyps[segment], references[segment], precedence)
        several = [
            order_statistics(lowered(hyp), lowered(ref), precedence)
            for hyp, ref in zip(hyps, references, strict=True)
        ]
        X, M, N = (math.fsum(column) for column in zip(*several, strict=True))
        assert pytest.approx(expected, rel=0, abs=1e-6) == (M, X, N)
        assert order_value(several) == exactly(1 - X / M)


def real_references(folder: Path) -> tuple[list[list[str]], Precedence]:
    references = tokenized(folder / "reference.txt")
    assert len(references) == 1370
    return references, distinct_references(references)


def test_values_of_another_implementation() -> None:
    """All 400 values of wmt15 fi-en, printed with 12 digits, and those of A, B and L alone."""
    data = data_folder()
    if not (data / "softorder").is_dir():
        pytest.skip("needs the values of softorder in HYPERBATON_DATA")
    folder = data / "wmt15" / "fi-en"
    references, precedence = real_references(folder)
    rows = printed_values(data / "softorder" / "expected-order-wmt15-fi-en.tsv")
    others = printed_values(data / "softorder" / "expected-wmt15-fi-en.tsv")
    assert len(rows) == len(others) == 400
    systems = {name: tokenized(folder / "systems" / name) for name in {r["system"] for r in rows}}
    for row, other in zip(rows, others, strict=True):
        segment = int(row["segment"])
        hyp, ref = systems[row["system"]][segment], references[segment]
        check_printed(row, hyp, ref, precedence)
        assert (row["system"], row["segment"]) == (other["system"], other["segment"])
        adjacency = soft_adjacency(lowered(hyp), lowered(ref))
        assert abs(adjacency - float(other["adjacency"])) < 1e-9, row
        assert abs(chars(hyp, ref) - float(other["chars"])) < 1e-9, row
