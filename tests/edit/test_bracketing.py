"""Inversion parses: their cost by another count, their leaves, their choice, their print."""

from __future__ import annotations

import json
import pickle
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hyperbaton as hb
import pairs as make
from hyperbaton.edit.bracketing import Block, Operation
from reference import inversion as reference

sentences = st.lists(st.sampled_from("abcd"), max_size=8).map(tuple)


def check(parse: hb.InversionParse, s: Any, t: Any, costs: Any = reference.UNIT) -> None:
    """The tree spells s and t, each edit is what it says, and all together cost what is said."""
    inversion, substitution, deletion, insertion = costs

    def read(node: Block | Operation) -> tuple[list[Any], list[Any], Any]:
        if isinstance(node, Operation):
            if node.i is not None:
                assert s[node.i] == node.source
            if node.j is not None:
                assert t[node.j] == node.target
            source = [] if node.i is None else [node.i]
            target = [] if node.j is None else [node.j]
            if node.kind in ("match", "substitute"):
                assert (node.source == node.target) == (node.kind == "match")
            sides = {"match": (1, 1, 0), "substitute": (1, 1, substitution)}
            sides |= {"delete": (1, 0, deletion), "insert": (0, 1, insertion)}
            in_s, in_t, cost = sides[node.kind]
            assert (len(source), len(target)) == (in_s, in_t)
            return source, target, cost
        parts = [read(part) for part in node.parts]
        if node.inverted:
            assert len(parts) == 2
        else:
            assert len(parts) != 1 or node is parse.tree
        by_target = parts[::-1] if node.inverted else parts
        return (
            [i for part in parts for i in part[0]],
            [j for part in by_target for j in part[1]],
            sum(part[2] for part in parts) + inversion * node.inverted,
        )

    source, target, cost = read(parse.tree)
    assert source == list(range(len(s)))
    assert target == list(range(len(t)))
    assert cost == parse.cost
    assert parse.lower <= parse.cost
    assert parse.exact == (parse.lower == parse.cost)
    price = dict(zip(("invert", "substitute", "delete", "insert"), costs, strict=True))
    assert sum(price.get(operation.kind, 0) for operation in parse.operations) == parse.cost


def test_the_example_of_the_paper() -> None:
    s = ["we", "will", "meet", "at", "noon", "in", "the", "lobby"]
    t = ["we", "will", "meet", "in", "the", "lobby", "at", "twelve", "o'clock"]
    parse = hb.inversion_parse(s, t)
    check(parse, s, t)
    # as section 3.2.1 prints it
    assert str(parse) == (
        "[we/we will/will meet/meet ⟨[at/at noon/twelve ε/o'clock] [in/in the/the lobby/lobby]⟩]"
    )
    kinds = [operation.kind for operation in parse.operations]
    assert kinds == ["match"] * 3 + ["invert", "match", "substitute", "insert"] + ["match"] * 3
    assert parse.operations[3] == Operation("invert", 3, 3, None, None)
    assert parse.operations[5] == Operation("substitute", 4, 7, "noon", "twelve")
    assert parse.operations[6] == Operation("insert", None, 8, None, "o'clock")


@given(sentences, sentences)
def test_parses_equal_those_of_the_twin(s: tuple[str, ...], t: tuple[str, ...]) -> None:
    parse = hb.inversion_parse(s, t)
    check(parse, s, t)
    assert parse.exact
    assert parse.cost == hb.inversion_distance(s, t)
    assert str(parse) == reference.parse(s, t)


costs = st.sampled_from([(1, 3, 1, 1), (2, 1, 3, 2), (0, 1, 1, 1), (3, 2, 0, 5), (1, 0, 2, 2)])


@given(sentences, sentences, costs)
def test_parses_equal_those_of_the_twin_for_other_costs(
    s: tuple[str, ...], t: tuple[str, ...], costs: tuple[int, int, int, int]
) -> None:
    parse = hb.inversion_parse(s, t, *costs)
    check(parse, s, t, costs)
    assert parse.exact
    assert str(parse) == reference.parse(s, t, costs)


@given(sentences, sentences, st.integers(0, 4000))
def test_a_parse_is_real_with_any_budget(
    s: tuple[str, ...], t: tuple[str, ...], budget: int
) -> None:
    parse = hb.inversion_parse(s, t, budget=budget)
    check(parse, s, t)
    distance = hb.inversion_distance(s, t)
    assert parse.lower <= distance <= parse.cost
    if parse.exact:
        assert parse.cost == distance


def test_longer_sentences() -> None:
    for s, t in make.random_pairs(150, 10, 40, [3, 12, 60], seed=9):
        parse = hb.inversion_parse(s, t)
        check(parse, s, t)
        assert parse.exact
        assert parse.cost == hb.inversion_distance(s, t)


def test_sentences_that_are_too_long() -> None:
    rng = random.Random(3)
    s = [rng.randrange(50) for _ in range(1500)]
    t = [rng.randrange(50) for _ in range(1400)]
    parse = hb.inversion_parse(s, t, budget=30_000_000)
    check(parse, s, t)
    assert not parse.exact
    assert hb.bag_distance(s, t) <= parse.lower < parse.cost
    moved = list(range(3000))
    check(hb.inversion_parse(moved, moved[::-1]), moved, moved[::-1])
    for budget in (0, 1000):
        check(hb.inversion_parse(s, t, budget=budget), s, t)


def test_an_inexact_parse_may_still_have_inversions() -> None:
    rng = random.Random(8)
    s = list(range(100))
    t = s[10:20] + s[:10] + s[30:40] + s[20:30] + rng.sample(s[40:], 60)
    parse = hb.inversion_parse(s, t, budget=400_000)
    check(parse, s, t)
    assert not parse.exact
    assert any(operation.kind == "invert" for operation in parse.operations)


def test_a_table_beyond_its_limit_still_gives_a_parse() -> None:
    # Beyond its limit the table can have a cheaper parse of a part than the one it has added up.
    s = "0empisu0iptb74m88pwkjeseaqd4Aa72"
    t = "bsuk4waaqe8ti7pmm047esd28Ap0jpie"
    costs = (0, 5, 3, 7)
    with pytest.raises(hb.BudgetExceeded) as bounds:
        hb.inversion_distance(s, t, *costs, budget=349_874)
    parse = hb.inversion_parse(s, t, *costs, budget=349_874)
    check(parse, s, t, costs)
    assert parse.lower <= hb.inversion_distance(s, t, *costs) <= parse.cost <= bounds.value.upper


def test_real_pairs() -> None:
    pairs = make.real_pairs(make.data_folder() / "wmt13" / "de-en")
    for s, t in random.Random(7).sample([p for p in pairs if make.longer_length(p) <= 80], 300):
        parse = hb.inversion_parse(s, t)
        check(parse, s, t)
        assert parse.exact
        assert parse.cost == hb.inversion_distance(s, t)


@pytest.mark.parametrize(
    ("s", "t", "text"),
    [
        ("", "", "ε/ε"),
        ("a", "a", "a/a"),
        ("a", "", "a/ε"),
        ("ab", "ba", "⟨a/a b/b⟩"),
        ("abc", "cba", "[a/c b/b c/a]"),  # no dearer than two inversions
        ("aabbcc", "ccbbaa", "⟨[a/a a/a] ⟨[b/b b/b] [c/c c/c]⟩⟩"),
        ("xab", "xba", "[x/x ⟨a/a b/b⟩]"),
        (["a b", "c"], ["c", "a b"], "⟨'a b'/'a b' c/c⟩"),
        (["\n"], [""], "␊/''"),
        (["می\u200cخواهم"], ["a\u202eb"], "می\u200cخواهم/a◦b"),
        ([None], [(1, 2)], "None/(1, 2)"),
        (["[", "a"], ["[", "a"], "['['/'[' a/a]"),
        (["/", "ε"], ["/", "x"], "['/'/'/' 'ε'/x]"),
    ],
)
def test_print(s: Any, t: Any, text: str) -> None:
    assert str(hb.inversion_parse(s, t)) == text


def test_to_dict() -> None:
    parse = hb.inversion_parse("xab", "xba", inversion=0.5)
    plain = json.loads(json.dumps(parse.to_dict()))
    assert plain["cost"] == plain["lower"] == 0.5
    assert plain["exact"] is True
    assert plain["tree"] == {"inverted": False, "parts": [0, {"inverted": True, "parts": [2, 3]}]}
    assert plain["operations"][1] == {
        "kind": "invert", "i": 1, "j": 1, "source": None, "target": None
    }  # fmt: skip
    assert plain["operations"][2]["source"] == "a"


def test_deep_trees_need_no_recursion() -> None:
    s = list(range(120))
    parse = hb.inversion_parse(s, s[::-1], inversion=0.5)
    check(parse, s, s[::-1], (0.5, 1, 1, 1))
    assert str(parse).count("⟨") == 119
    assert parse.cost == 59.5
    assert parse.to_dict()["tree"]["inverted"]
    s = list(range(250))
    parse = hb.inversion_parse(s, s[::-1], inversion=0, budget=10**10)
    assert str(parse).count("⟨") == 249
    again = pickle.loads(pickle.dumps(parse))
    assert again == parse
    assert hash(again) == hash(parse)
    assert repr(again).startswith("<InversionParse cost=0 exact=True ⟨0/0 ⟨")


def test_the_cost_of_a_parse_is_at_most_the_upper_bound() -> None:
    rng = random.Random(6)
    for s, t in make.random_pairs(400, 3, 14, [2, 3, 8], seed=6):
        budget = rng.choice([10, 100, 1000, 5000])
        try:
            upper: float = hb.inversion_distance(s, t, budget=budget)
        except hb.BudgetExceeded as error:
            upper = error.upper
        assert hb.inversion_parse(s, t, budget=budget).cost <= upper, (s, t, budget)
