"""Error rates: equation 3, against the definitions."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import hyperbaton as hb
import pairs as make
from hyperbaton import _core
from reference import inversion as reference
from waiting import cancel


def bag(s: Any, t: Any) -> int:
    return max(len(s), len(t)) - sum((Counter(s) & Counter(t)).values())


DISTANCES: dict[str, Any] = {
    "wer": Levenshtein.distance,
    "per": bag,
    "cder": reference.cder,
    "invwer": reference.distance,
}


@pytest.mark.parametrize("name", DISTANCES)
def test_equation_3(name: str) -> None:
    pairs = make.random_pairs(60, 0, 7, [2, 5], seed=3)
    hypotheses = [s for s, _ in pairs[::3]]
    references = [[t for _, t in pairs[k : k + 1 + k // 3 % 3]] for k in range(0, 60, 3)]
    rate = getattr(hb, name)(hypotheses, references)
    errors = [
        min(DISTANCES[name](h, r) for r in refs)
        for h, refs in zip(hypotheses, references, strict=True)
    ]
    lengths = [sum(map(len, refs)) / len(refs) for refs in references]
    assert rate.name == name
    assert rate.errors.tolist() == errors
    np.testing.assert_allclose(rate.lengths, lengths, rtol=1e-15)
    assert rate.value == pytest.approx(sum(errors) / sum(lengths), rel=1e-15)
    for value, error, length in zip(rate.segments, errors, lengths, strict=True):
        assert value == pytest.approx(error / length if length else min(error, 1))
    assert rate.inexact == 0
    assert float(rate) == rate.value
    for k, refs in enumerate(references):
        assert DISTANCES[name](hypotheses[k], refs[rate.nearest[k]]) == errors[k]
    plain = json.loads(json.dumps(rate.to_dict()))
    assert plain["errors"] == errors
    assert plain["value"] == rate.value


@pytest.mark.parametrize("cost", [0, 0.25, Fraction(1, 3), 3])
def test_an_inversion_may_cost_something_else(cost: Any) -> None:
    pairs = make.random_pairs(40, 0, 6, [2, 4], seed=8)
    costs = (cost if cost != 0.25 else Fraction(1, 4), 1, 1, 1)
    errors = [float(reference.distance(s, t, costs)) for s, t in pairs]
    rate = hb.invwer([s for s, _ in pairs], [[t] for _, t in pairs], inversion=cost)
    assert rate.errors.tolist() == errors
    assert errors != [reference.distance(s, t) for s, t in pairs]


def test_by_hand() -> None:
    # Two references: one deletion to the first, one insertion and one deletion to the second.
    rate = hb.wer([list("abc")], [[list("ac"), list("bac")]])
    assert (rate.errors[0], rate.lengths[0], rate.value) == (1, 2.5, 0.4)
    # CDER of "x a b" against "a b x", column by column of the recursion, jumps included:
    # [0,1,1,1], then for a [1,1,1,2], for b [2,2,2,1], for x [3,2,3,2]: the last is the distance.
    assert hb.cder([list("xab")], [[list("abx")]]).errors[0] == 2


@pytest.mark.parametrize("longest", [12, 70, 140])
def test_wer_of_long_sentences(longest: int) -> None:
    """The core computes 64 words at a time."""
    for s, t in make.random_pairs(100, 0, longest, [2, 5, 50], seed=longest):
        assert hb.wer([s], [[t]]).errors[0] == Levenshtein.distance(s, t), (s, t)


def test_wer_can_be_interrupted() -> None:
    """Also within one pair: this one would take 20 minutes."""
    offsets = np.array([0, 5_000_000])
    pair = (np.zeros(offsets[1], np.int32), offsets, np.ones(offsets[1], np.int32), offsets)
    assert cancel(_core.Cancellation(), lambda: _core.levenshtein(*pair, 1)) == "interrupted"


@pytest.mark.parametrize("seed", range(3))
def test_cder(seed: int) -> None:
    for s, t in make.random_pairs(100, 0, 12, [2, 5], seed):
        assert hb.cder([s], [[t]]).errors[0] == reference.cder(s, t), (s, t)


def test_the_order_of_the_rates() -> None:
    """PER allows every reordering, invWER some, WER none (section 4.2.4)."""
    pairs = make.random_pairs(200, 5, 20, [4, 20], seed=6)
    hypotheses, references = [s for s, _ in pairs], [[t] for _, t in pairs]
    per, invwer, wer = (f(hypotheses, references) for f in (hb.per, hb.invwer, hb.wer))
    assert (per.errors <= invwer.errors).all()
    assert (invwer.errors <= wer.errors).all()
    assert per.value < invwer.value < wer.value


def test_empty_references_count_as_in_ter() -> None:
    rate = hb.wer([[], ["a", "b"], ["a"]], [[[]], [[]], [["a"]]])
    assert rate.segments.tolist() == [0, 1, 0]
    assert hb.wer([["a"]], [[[]]]).value == 1
    assert hb.wer([[]], [[[]]]).value == 0


def test_invwer_counts_inexact_segments() -> None:
    s = list(range(60))
    t = s[40:] + s[20:40][::-1] + s[:20]
    short = hb.invwer([s, s], [[t], [s]], budget=100)
    full = hb.invwer([s, s], [[t], [s]])
    assert short.inexact == 1
    assert full.inexact == 0
    assert short.errors[0] > full.errors[0]
    assert short.errors[0] == hb.wer([s], [[t]]).errors[0]  # never more than that
    assert "inexact=1" in repr(short)
    # The nearest reference may be certain where another is not.
    assert hb.invwer([s], [[t, s]], budget=100).inexact == 0


@pytest.mark.parametrize("rate", [hb.wer, hb.per, hb.cder, hb.invwer])
@pytest.mark.parametrize(
    ("hypotheses", "references", "error", "message"),
    [
        ([["a"]], [], ValueError, "1 hypotheses, but references for 0 segments"),
        (
            [["a"], ["b"]],
            [[["a"], ["b"]]],
            ValueError,
            r"2 hypotheses, but references for 1 segments \(pass one list per segment",
        ),
        ([], [], ValueError, "there are no segments"),
        ([["a"]], [[]], ValueError, r"references\[0\] is empty: each segment needs a reference"),
        (["a b"], [[["a"]]], TypeError, r"hypotheses\[0\] must be a list of words, got str"),
        ([["a"]], ["a b"], TypeError, r"references\[0\] must be a list of references, got str"),
        (
            [["a"]],
            [["a", "b"]],
            TypeError,
            r"references\[0\]\[0\] must be a list of words, got str; references\[0\] must be a",
        ),
        ("ab", [["a", "b"]], TypeError, r"hypotheses must be a list of hypotheses, got str"),
        (5, [], TypeError, r"hypotheses must be a sequence of hypotheses, got int"),
        ([["a"]], 5, TypeError, r"references must be a sequence of lists of references, got int"),
        ([["a"]], [None], TypeError, r"references\[0\] must be a sequence of references, got None"),
        (
            [["a"]],
            [{"x": 1}],
            TypeError,
            r"references\[0\] must be a sequence .* a dict has no order",
        ),
        ([["a"]], [[5]], TypeError, r"references\[0\]\[0\] must be a sequence of words, got int"),
        (
            [["a"]],
            [[["a"], "b"]],
            TypeError,
            r"references\[0\]\[1\] must be a list of words, got str; references\[0\] must be a",
        ),
        ([[[]]], [[["a"]]], TypeError, r"token 0 of hypotheses\[0\] is unhashable: list"),
    ],
)
def test_wrong_input(
    rate: Any, hypotheses: Any, references: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{message}"):
        rate(hypotheses, references)
