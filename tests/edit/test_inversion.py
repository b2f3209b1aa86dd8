"""The inversion distance against the twins, and what it promises."""

from __future__ import annotations

import functools
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import hyperbaton as hb
import pairs as make
from hyperbaton import _core
from reference import cyk
from reference import inversion as reference
from waiting import interrupt

ENOUGH = 10**12
COSTS = ("inversion", "substitution", "deletion", "insertion")
sentences = st.lists(st.integers(0, 4), max_size=12).map(tuple)
needs_compiler = pytest.mark.skipif(cyk.compiler() is None, reason="no C++ compiler for the twin")


@pytest.fixture(params=[0, 1, 2], ids=["baseline", "avx2", "avx512"])
def unit(request: pytest.FixtureRequest) -> Iterator[int]:
    """Every vector unit of this machine in turn."""
    units = _core.vector_units()
    if request.param not in units:
        pytest.skip("this machine has no such vector unit")
    _core.use_vector_unit(request.param)
    yield request.param
    _core.use_vector_unit(int(units[-1]))


def test_all_pairs_of_three_letters_to_length_5() -> None:
    strings = make.all_strings("abc", 5)
    pairs = [(s, t) for s in strings for t in strings]
    ours = hb.inversion_distances(pairs)
    for (s, t), distance in zip(pairs, ours, strict=True):
        # The twin is asked for one of each class of pairs that renaming letters makes of another;
        # ours for all of them.
        names: dict[str, int] = {}
        renamed = tuple(tuple(names.setdefault(x, len(names)) for x in side) for side in (s, t))
        assert distance == reference.distance(*renamed), (s, t)


def test_random_and_moved_pairs_to_length_11() -> None:
    for s, t in make.random_pairs(60, 4, 11, [2, 4, 12], seed=2003):
        assert hb.inversion_distance(s, t) == reference.distance(s, t), (s, t)
    reference.distance.cache_clear()


@needs_compiler
@pytest.mark.parametrize(
    ("count", "least", "most", "types"),
    [(300, 0, 16, [3, 6, 16]), (100, 15, 23, [1, 2, 3]), (12, 30, 35, [8, 40])],
    ids=["short", "repetitive", "two blocks"],
)
def test_against_the_plain_cyk(
    unit: int, count: int, least: int, most: int, types: list[int]
) -> None:
    pairs = make.random_pairs(count, least, most, types, seed=16)
    for pair, distance in zip(pairs, hb.inversion_distances(pairs), strict=True):
        assert distance == plain(*pair), pair


@needs_compiler
@pytest.mark.parametrize("scale", [1, 50, 20_000, 2**24], ids=["8", "16", "32", "64 bits"])
def test_other_costs(unit: int, scale: int) -> None:
    rng = random.Random(scale)
    for s, t in make.random_pairs(250, 0, 12, [2, 4, 9], seed=scale):
        costs = a, b, c, d = tuple(rng.choice([0, 1, 1, 2, 3, 5]) for _ in range(4))
        twin = plain(s, t, costs)
        whole = _core.inversion_bounds(
            *flat(s), *flat(t), a * scale, b * scale, c * scale, d * scale, ENOUGH, 1
        )
        assert [int(bound[0]) for bound in whole] == [twin * scale] * 2, (s, t, costs)
        assert hb.inversion_distance(s, t, a, b, c, d, budget=ENOUGH) == twin
        assert hb.inversion_distance(s, t, a / 8, b / 8, c / 8, d / 8, budget=ENOUGH) == twin / 8


@needs_compiler
def test_wide_cells_over_several_blocks(unit: int) -> None:
    for s, t in make.random_pairs(8, 33, 36, [10, 50], seed=5):
        bounds = _core.inversion_bounds(*flat(s), *flat(t), 100, 100, 100, 100, ENOUGH, 1)
        assert [int(bound[0]) for bound in bounds] == [100 * plain(s, t)] * 2, (s, t)


def flat(sentence: tuple[int, ...]) -> tuple[Any, Any]:
    return np.array(sentence, np.int32), np.array([0, len(sentence)])


@functools.cache
def plain(s: tuple[int, ...], t: tuple[int, ...], costs: tuple[int, ...] = (1, 1, 1, 1)) -> int:
    return cyk.inversion_distance(s, t, costs)


@needs_compiler
def test_the_plain_cyk_is_the_twin() -> None:
    for s, t in make.random_pairs(60, 0, 8, [2, 4], seed=1):
        assert cyk.inversion_distance(s, t) == reference.distance(s, t)
        assert cyk.inversion_distance(s, t, (2, 3, 1, 4)) == reference.distance(s, t, (2, 3, 1, 4))


@needs_compiler
def test_real_pairs_to_40_tokens() -> None:
    pairs = make.real_pairs(make.data_folder() / "wmt13" / "de-en")
    rng = random.Random(13)
    chosen = rng.sample([pair for pair in pairs if make.longer_length(pair) <= 40], 400)
    ours = hb.inversion_distances(chosen)
    for (s, t), distance in zip(chosen, ours, strict=True):
        names: dict[str, int] = {}
        numbered = [[names.setdefault(x, len(names)) for x in side] for side in (s, t)]
        assert distance == cyk.inversion_distance(*numbered), (s, t)


def test_real_pairs_to_80_tokens_are_exact() -> None:
    pairs = make.real_pairs(make.data_folder() / "wmt13" / "de-en", systems=3)
    distances = hb.inversion_distances([pair for pair in pairs if make.longer_length(pair) <= 80])
    assert not np.isnan(distances).any()


# The paper's own examples.
def test_sections_2_2_and_3_2_of_the_paper() -> None:
    # 2.2: ABCD into CDBA by two bracketed transpositions, for blocks as for letters
    assert hb.inversion_distance("ABCD", "CDBA") == 2
    assert hb.inversion_distance("AAABBBCCCDDD", "CCCDDDBBBAAA") == 2
    # and the forbidden one, from BCDA on
    assert hb.inversion_distance("ABCD", "BDAC") > 2
    # 3.2.1, and the Levenshtein distance it is compared with
    s = ["we", "will", "meet", "at", "noon", "in", "the", "lobby"]
    t = ["we", "will", "meet", "in", "the", "lobby", "at", "twelve", "o'clock"]
    assert hb.inversion_distance(s, t) == 3
    assert Levenshtein.distance(s, t) == 5
    # 3.2.2: no triangle inequality; the paper prints 4 for the third, its recursion gives 3
    assert hb.inversion_distance("abcd", "abdc") == 1
    assert hb.inversion_distance("abdc", "bdac") == 1
    assert hb.inversion_distance("abcd", "bdac") == reference.distance(
        *map(tuple, ("abcd", "bdac"))
    )
    assert hb.inversion_distance("abcd", "bdac") == 3


def test_equal_ends_may_not_be_cut_off() -> None:
    assert hb.inversion_distance("xaxb", "xbxa") == 1
    assert hb.inversion_distance("axb", "bxa") == 2


def test_empty_left_parts_count() -> None:
    assert hb.inversion_distance("a", "xa") == hb.inversion_distance("xa", "a") == 1


@given(sentences, sentences)
def test_bounds_symmetry_identity(s: tuple[int, ...], t: tuple[int, ...]) -> None:
    distance = hb.inversion_distance(s, t)
    assert hb.bag_distance(s, t) <= distance <= Levenshtein.distance(s, t)
    assert distance == hb.inversion_distance(t, s)
    assert distance == hb.inversion_distance(s[::-1], t[::-1])
    assert (distance == 0) == (s == t)


@given(sentences, sentences)
def test_deletion_and_insertion_change_places(s: tuple[int, ...], t: tuple[int, ...]) -> None:
    there = hb.inversion_distance(s, t, inversion=2, substitution=3, deletion=1, insertion=4)
    assert there == hb.inversion_distance(
        t, s, inversion=2, substitution=3, deletion=4, insertion=1
    )


def test_an_empty_side() -> None:
    assert hb.inversion_distance([], []) == 0
    assert hb.inversion_distance([], "abc") == 3
    assert hb.inversion_distance("abc", [], deletion=2) == 6


def test_costs_are_added_up_exactly() -> None:
    assert hb.inversion_distance("a" * 10, "", deletion=0.1) == 1.0  # ten times 0.1 added up is not
    assert hb.inversion_distance("abc", "", deletion=Fraction(1, 3)) == 1.0
    assert hb.inversion_distance("ab", "ba", inversion=Decimal("0.25")) == 0.25
    assert isinstance(hb.inversion_distance("ab", "ba"), int)
    assert isinstance(hb.inversion_distance("ab", "ba", inversion=1.0), float)
    numpy: Any = [np.float32(0.1), np.int64(1), np.int8(100), np.uint8(200)]
    assert hb.inversion_distance("ab", "ba", *numpy) == 0.1
    assert hb.inversion_distance("abcd", "", *numpy) == 400
    assert hb.inversion_distance("", "abcd", *numpy) == 800


def test_tokens_are_anything_hashable() -> None:
    assert hb.inversion_distance([("a", 1), None, 2.5], [None, 2.5, ("a", 1)]) == 1
    assert hb.inversion_distance([-1], [-2]) == 1  # their hashes are equal
    assert hb.inversion_distance(iter("ab"), (x for x in "ba")) == 1
    assert hb.inversion_distance(np.array([1, 2]), [2, 1]) == 1


# A limited amount of work.
@given(sentences, sentences, st.integers(0, 3000))
def test_certified_bounds_contain_the_distance(
    s: tuple[int, ...], t: tuple[int, ...], budget: int
) -> None:
    distance = hb.inversion_distance(s, t)
    try:
        lower = upper = hb.inversion_distance(s, t, budget=budget)
    except hb.BudgetExceeded as error:
        lower, upper = error.lower, error.upper
    assert lower <= distance <= upper


@pytest.mark.parametrize("costs", [(0, 5, 7, 7), (0, 1, 1, 2), (1, 2, 2, 4)])
def test_a_common_last_token_may_be_substituted(costs: tuple[int, ...]) -> None:
    # Two substitutions, of x for g and of g for y, are cheaper than a deletion and an insertion.
    for s, t in (("abxcdefg", "eyfdacbg"), ("gfedcxba", "gbcadfye")):
        assert hb.inversion_distance(s, t, *costs) == reference.distance(s, t, costs)
        assert hb.inversion_parse(s, t, *costs).cost == reference.distance(s, t, costs)


def test_running_out_of_budget() -> None:
    rng = random.Random(0)
    s = list(range(60))
    t = rng.sample(s, 60)
    with pytest.raises(hb.BudgetExceeded, match=r"at least .* and at most") as caught:
        hb.inversion_distance(s, t, budget=100_000)
    error = caught.value
    assert 1 <= error.lower < error.upper <= Levenshtein.distance(s, t)
    assert error.lower <= hb.inversion_distance(s, t) <= error.upper
    again = pickle.loads(pickle.dumps(error))
    assert (again.lower, again.upper) == (error.lower, error.upper)
    both = hb.inversion_distances([(s, t), ("ab", "ba")], budget=100_000)
    assert np.isnan(both[0])
    assert both[1] == 1


def test_long_and_repetitive_pairs_come_back() -> None:
    assert hb.inversion_distance(["a"] * 500, ["a"] * 500) == 0
    assert hb.inversion_distance(["a"] * 500, ["b", *["a"] * 400]) == 100
    s = list(range(5000))
    assert hb.inversion_distance(s, [*s[:2000], 9999, *s[2000:]]) == 1
    with pytest.raises(hb.BudgetExceeded) as caught:
        hb.inversion_distance(s, s[2500:] + s[:2500])
    assert caught.value.lower <= 1 <= caught.value.upper
    assert hb.inversion_distance(s[:300], s[150:300] + s[:150]) == 1


def test_one_short_side_needs_little_memory() -> None:
    """Tables over the long side are not even begun where they would be too large."""
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("a process does not say how much memory it took")
    code = (
        "import re, hyperbaton as hb\n"
        "t = ['a', *range(30000), 'b', *range(30000, 60000), 'c']\n"
        "try: hb.inversion_distance(['c', 'b', 'a'], t)\n"
        "except hb.BudgetExceeded as error: print(error.lower, error.upper)\n"
        # not resource.getrusage, which counts what its parent had
        f"most = re.search(r'VmHWM:\\s+(\\d+) kB', open('{status}').read())\n"
        "print(int(most[1]) < 1_000_000)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # a, b and c can be inverted at a cost of two, or one of them matched: the rest is inserted
    assert out.stdout == "60001 60002\nTrue\n"


def test_threads_do_not_change_the_numbers() -> None:
    pairs = make.random_pairs(2000, 0, 20, [3, 8, 30], seed=4)
    one, two, many = (hb.inversion_distances(pairs, threads=n) for n in (1, 2, 7))
    assert (one == two).all()
    assert (one == many).all()
    assert hb.inversion_distances([]).shape == (0,)


def test_ctrl_c_ends_long_work() -> None:
    setup = """
        import random
        s = list(range(200))
        t = random.Random(1).sample(s, 200)
        hb.inversion_distances([("ab", "ba")])
    """
    interrupt(setup, "hb.inversion_distances([(s, t)] * 5000, budget=10**15, threads=1)")


# Bad input.
@pytest.mark.parametrize(
    ("s", "t", "message"),
    [
        ([["a"]], "ab", "token 0 of s is unhashable: list"),
        ("ab", ["a", {}], "token 1 of t is unhashable: dict"),
        (5, "ab", "s must be a sequence of tokens, got int"),
        ("ab", None, "t must be a sequence of tokens, got NoneType"),
        ({"a", "b"}, "ab", "s must be a sequence of tokens, but a set has no order"),
    ],
)
def test_wrong_tokens(s: Any, t: Any, message: str) -> None:
    for function in (hb.inversion_distance, hb.inversion_parse, hb.bag_distance):
        with pytest.raises(TypeError, match=rf"^{message}$"):
            function(s, t)
    with pytest.raises(TypeError, match=rf"^pairs\[1\]: {message}$"):
        hb.inversion_distances([("a", "b"), (s, t)])


@pytest.mark.parametrize("pair", ["ab", ("a",), ("a", "b", "c"), 7, {"a", "b"}])
def test_invalid_pairs(pair: Any) -> None:
    with pytest.raises(TypeError, match=r"^pairs\[0\]: "):
        hb.inversion_distances([pair])


@pytest.mark.parametrize("name", COSTS)
def test_wrong_costs(name: str) -> None:
    wrong: Any
    for wrong in (-1, float("nan"), float("inf"), Decimal("-0.5"), Decimal("sNaN"), -(10**400)):
        with pytest.raises(
            ValueError, match=rf"^the cost of {name} must be finite and not negative"
        ):
            hb.inversion_distance("a", "b", **{name: wrong})
    for wrong in ("1", None, True, 1j):
        with pytest.raises(TypeError, match=rf"^the cost of {name} must be a number, got "):
            hb.inversion_parse("a", "b", **{name: wrong})


def test_costs_with_too_many_digits() -> None:
    with pytest.raises(ValueError, match="too many digits to be added up exactly"):
        hb.inversion_distance("ab", "ba", inversion=1e-30)
    with pytest.raises(ValueError, match="too many digits to be added up exactly over 4 tokens"):
        hb.inversion_distance("ab", "ba", inversion=10**400)
    huge: Any = [10**400] * 4
    assert hb.inversion_distance("", "aa", *huge) == 2 * 10**400
    with pytest.raises(ValueError, match="too large for a float"):
        hb.inversion_distance("", "aa", 1e308, 1e308, 1e308, 1e308)
    tiny: Any = dict.fromkeys(COSTS, 5e-324)
    assert hb.inversion_distances([("ab", "ba")], **tiny)[0] == 5e-324


def test_wrong_budget_and_threads() -> None:
    with pytest.raises(TypeError, match=r"^budget must be an integer, got float$"):
        hb.inversion_distance("a", "b", budget=1e6)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^budget must be an integer, got bool$"):
        hb.inversion_distance("a", "b", budget=True)
    with pytest.raises(TypeError, match=r"^pairs must be a sequence of pairs, got int$"):
        hb.inversion_distances(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^budget must not be negative, got -1"):
        hb.inversion_distance("a", "b", budget=-1)
    with pytest.raises(ValueError, match=r"^threads must be at least 1, got 0$"):
        hb.inversion_distances([], threads=0)


def test_the_core_refuses_offsets_that_do_not_fit() -> None:
    values, good = np.array([1, 2], np.int32), np.array([0, 2])
    for bad in ([0, 3], [1, 2], [], [0, 1, 2]):
        with pytest.raises(ValueError, match=r"offsets|both sides must have the same number"):
            _core.inversion_bounds(
                values, np.array(bad, np.int64), values, good, 1, 1, 1, 1, 100, 1
            )
    for most in (2**64 - 1, 2**62):
        costs: Any = {"inversion": 0, **dict.fromkeys(COSTS[1:], most)}
        with pytest.raises(ValueError, match="too large to be added up"):
            _core.inversion_parse(values, values, **costs, budget=100)
        with pytest.raises(ValueError, match="too large to be added up"):
            _core.inversion_bounds(values, good, values, good, **costs, budget=100, threads=1)
    with pytest.raises(ValueError, match="no such vector unit"):
        _core.use_vector_unit(99)
