"""Rankings and scores by people."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Rankings, Scores
from reference import agreement as naive


def random_rankings(rng: np.random.Generator, count: int) -> tuple[Rankings, list[dict[int, int]]]:
    """Return rankings of two to five out of six systems, and their ranks by system."""
    ranked, entries = [], []
    for k in range(count):
        systems = rng.permutation(6)[: rng.integers(2, 6)].tolist()
        ranks = {system: int(rng.integers(1, 6)) for system in systems}
        ranked.append(ranks)
        entries += [(k, system, rank, k % 4, k % 3) for system, rank in ranks.items()]
    ranking, system, rank, segment, judge = np.array(entries).T
    order = rng.permutation(len(ranking))  # the entries of a ranking need not be together
    people = Rankings.from_ranks(
        "uvwxyz",
        ranking[order],
        system[order],
        rank[order],
        4,
        segment=segment[order],
        judge=judge[order],
        judges="123",
    )
    return people, ranked


def test_rankings_are_stored_as_all_their_comparisons() -> None:
    people, ranked = random_rankings(np.random.default_rng(1), 40)
    expected = {
        (k, a, b): (ranks[b] > ranks[a]) - (ranks[b] < ranks[a])
        for k, ranks in enumerate(ranked)
        for a in ranks
        for b in ranks
        if a != b
    }
    parts = (people.ranking, people.first, people.second, people.outcome)
    rows = list(zip(*(part.tolist() for part in parts), strict=True))
    assert len(rows) == len(expected) / 2 == people.judgements
    assert all(expected[row[:3]] == row[3] for row in rows)
    assert (people.segment == people.ranking % 4).all()
    assert (people.judge == people.ranking % 3).all()


def test_ranks_are_converted_to_scores() -> None:
    people, ranked = random_rankings(np.random.default_rng(2), 40)
    expected_scores: dict[tuple[int, int], list[float]] = {}
    for k, ranks in enumerate(ranked):
        for system, score in naive.rank_scores(ranks).items():
            expected_scores.setdefault((system, k % 4), []).append(score)
    scores = people.to_scores()
    for system in range(6):
        for segment in range(4):
            expected = naive.mean(expected_scores.get((system, segment), []))
            assert scores.segments[system, segment] == pytest.approx(expected, nan_ok=True)
        whole = [x for (s, _), row in expected_scores.items() for x in row if s == system]
        assert scores.of_whole_systems()[system] == pytest.approx(naive.mean(whole))


def test_the_best_of_five_scores_1_and_the_third_scores_one_half() -> None:
    """McCaffery & Nederhof (2016), section 4.1."""
    people = Rankings.from_ranks("abcde", [0] * 5, range(5), [1, 2, 3, 4, 5], 1)
    assert people.to_scores().segments[:, 0].tolist() == [1, 0.75, 0.5, 0.25, 0]
    tied = Rankings.from_ranks("abcde", [0] * 5, range(5), [1, 1, 3, 3, 5], 1)
    assert tied.to_scores().segments[:, 0].tolist() == [1, 1, 0.5, 0.5, 0]


def test_systems_with_the_same_output_are_not_compared() -> None:
    people = Rankings.from_ranks("abc", [0, 0, 0], [0, 1, 2], [1, 1, 2], 1, output=[7, 7, 8])
    assert sorted(zip(people.first.tolist(), people.second.tolist(), strict=True)) == [
        (0, 2),
        (1, 2),
    ]


def test_expanded_rankings_have_one_unit_per_repetition() -> None:
    people = Rankings.from_pairs("ab", [0, 1], [0, 1], [1, 0], 2, count=[3, 1])
    expanded = people.expanded()
    assert expanded.segment.tolist() == [0, 0, 0, 1]
    assert expanded.units("rankings")[1] == len(set(expanded.ranking.tolist())) == 4
    np.testing.assert_array_equal(expanded.share_won(), people.share_won())


def test_of_systems_reorders_systems_and_refuses_others() -> None:
    people = Rankings.from_pairs("ab", [0], [0], [1], 1)
    reordered = people.of_systems(["x", "b", "a"])
    assert (reordered.first.tolist(), reordered.second.tolist()) == ([2], [1])
    assert [*map(math.isnan, reordered.share_won())] == [True, False, False]
    with pytest.raises(InputError, match=r"1 comparison of 1 unknown system: b \(1\)"):
        people.of_systems(["a"])
    scores = Scores(("a", "b"), np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([5.0, 6.0]))
    scores_reordered = scores.of_systems(["c", "b", "a"])
    np.testing.assert_array_equal(scores_reordered.segments[1:], scores.segments[::-1])
    np.testing.assert_array_equal(scores_reordered.of_whole_systems(), [np.nan, 6, 5])
    with pytest.raises(InputError, match=r"3 scores of 1 unknown system: a \(3\)"):
        scores.of_systems(["b"])


def test_only_selects_segments() -> None:
    people = Rankings.from_pairs("ab", [0, 1, 1], [0, 1, 0], [1, 0, 1], 3)
    assert people.judged.tolist() == [True, True, False]
    assert people.only(np.array([False, True, True])).segment.tolist() == [1, 1]
    scores = Scores(("a",), np.array([[1.0, 5.0]]), np.array([9.0]))
    assert scores.only(np.array([True, False])).of_whole_systems().tolist() == [1]


def test_scores_are_standardized_by_judge() -> None:
    """Mean 0 and variance 1 over all of a judge's scores (Leusch, Ueffing & Ney 2003)."""
    rng = np.random.default_rng(3)
    score = rng.normal(size=60)
    judge = rng.integers(0, 3, 60)
    cells = rng.permutation(60) % 30  # two judgements of each translation
    scores = Scores.from_records(
        "abc", cells % 3, cells // 3, score, 10, judge=judge, standardize=True
    )
    expected = np.empty(60)
    for k in range(3):
        judged = score[judge == k]
        expected[judge == k] = (judged - judged.mean()) / judged.std()
    for cell in range(30):
        assert scores.segments[cell % 3, cell // 3] == pytest.approx(expected[cells == cell].mean())


def test_constant_scores_of_a_judge_become_zero() -> None:
    scores = Scores.from_records("ab", [0, 1], [0, 0], [0.1, 0.1], 1, standardize=True)
    assert scores.segments.tolist() == [[0.0], [0.0]]


def test_means_can_be_weighted() -> None:
    scores = Scores(("a",), np.array([[1.0, 4.0, np.nan]]))
    assert scores.of_whole_systems().tolist() == [2.5]
    assert scores.of_whole_systems(np.array([2.0, 1.0, 7.0])).tolist() == [2.0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([2], [0], [1]), "segment[0] is 2, but it must be from 0 to 1"),
        (([-1], [0], [1]), "segment[0] is -1, but it must be from 0 to 1"),
        (([0], [0], [2]), "worse[0] is 2, but it must be from 0 to 1"),
        (([0, 1], [0], [1]), "better has length 1, but the others have 2"),
        (([0, 1], [0, 1], [1, 1]), "b cannot be better than itself: better[1], worse[1]"),
        (([0.5], [0], [1]), "segment must be a list of integers, got float64"),
        (([0], ["a"], [1]), "better must be a list of integers"),
        ((0, [0], [1]), "segment must be a list of integers"),
    ],
)
def test_invalid_preferences_raise(arguments: tuple[list[int], ...], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        Rankings.from_pairs(["a", "b"], *arguments, 2)  # type: ignore[call-arg, arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 0], [0, 2], [1, 2]), "system[1] is 2, but it must be from 0 to 1"),
        (([0, 0], [0, 1], [1, -1]), "rank[1] is -1, but it must be at least 1"),
        (([0, 0], [0, 1], [1]), "rank has length 1, but the others have 2"),
        (([0, 0], [1, 1], [1, 2]), "b occurs twice in a ranking: system[1]"),
    ],
)
def test_invalid_ranks_raise(arguments: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Rankings.from_ranks(["a", "b"], *arguments, 1)  # type: ignore[call-arg, arg-type]
    with pytest.raises(ValueError, match="two systems have the name a"):
        Rankings.from_ranks(["a", "a"], [0, 0], [0, 1], [1, 2], n=1)


def test_invalid_scores_raise() -> None:
    nested = Scores(["a", "b"], [[1, 2], [3, math.nan]])  # type: ignore[arg-type]
    assert nested.systems == ("a", "b")
    assert nested.of_whole_systems().tolist() == [1.5, 3]
    for segments, message in (
        ([[1.0, 2.0]], "segments has 1 rows, but there are 2 systems"),
        ([[1.0], [math.inf]], "segments contains inf"),
        ([[1.0], [1.0, 2.0]], "segments must be a table of numbers with rows of equal length"),
        ([1.0, 2.0], "segments must have one list per system"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            Scores(("a", "b"), segments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="system_scores has 1 rows, but there are 2 systems"):
        Scores(("a", "b"), [[1.0], [2.0]], [1.0])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"segment\[0\] is 1, but it must be from 0 to 0"):
        Scores.from_records(["a"], [0], [1], [5.0], n=1)
