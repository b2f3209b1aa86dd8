"""What docs/evidence.md is made with."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import numpy as np
import pytest
from evidence import areas, data, labels, page, swaps, text_options

from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.testsets import TestSet
from hyperbaton.stats.resampling import bootstrap_counts

ROOT = Path(__file__).parent.parent


@pytest.fixture
def real_data() -> None:
    if not os.environ.get("HYPERBATON_DATA"):
        pytest.skip("needs real data: set HYPERBATON_DATA to its folder")


@pytest.mark.parametrize("module", [areas, page, text_options])
def test_examples(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.attempted > 0
    assert found.failed == 0


def outputs(seed: int) -> tuple[areas.Booleans, areas.Integers, areas.Integers, areas.Floats]:
    """Two outputs of each of 25 segments, of few lengths and with many ties."""
    rng = np.random.default_rng(seed)
    bad = rng.random(50) < 0.3
    segment = np.tile(np.arange(25), 2)
    return bad, segment, rng.integers(3, 7, 50), rng.integers(0, 6, 50).astype(np.float64)


@pytest.mark.parametrize("seed", range(5))
def test_areas_against_a_plain_loop(seed: int) -> None:
    bad, segment, length, scores = outputs(seed)
    for key in (np.zeros(50, np.int64), segment, length):
        found = areas.comparable_pairs(bad, segment, key)
        won = count = 0.0
        for i in range(50):
            for j in range(50):
                if bad[i] and not bad[j] and key[i] == key[j]:
                    count += 1
                    won += 1 if scores[i] < scores[j] else 0.5 if scores[i] == scores[j] else 0
        assert len(found) == count
        assert found.area(scores) == pytest.approx(won / count)


@pytest.mark.parametrize("seed", range(3))
def test_areas_of_samples_against_a_plain_loop(seed: int) -> None:
    bad, segment, length, scores = outputs(seed)
    found = areas.comparable_pairs(bad, segment, length)
    (counts,) = bootstrap_counts(25, 7, seed=3)
    for row, value in zip(counts, found.sample_areas(scores, 7, 3), strict=True):
        won = weight = 0.0
        for i, j in zip(found.bad, found.good, strict=True):
            a, b = segment[i], segment[j]
            times = row[a] if a == b else row[a] * row[b]
            weight += times
            won += times * (1 if scores[i] < scores[j] else 0.5 if scores[i] == scores[j] else 0)
        assert value == pytest.approx(won / weight)


def test_length_says_nothing_of_outputs_of_the_same_length() -> None:
    bad, segment, length, _ = outputs(0)
    assert areas.comparable_pairs(bad, segment, length).area(-length.astype(np.float64)) == 0.5


def test_ties_of_swaps_are_half() -> None:
    given = data.contrastive_test_set("x", ["a", "b", "c", "d"], ["e", "f", "g", "h"], ["r"] * 4)
    scores = np.array([[0.5, 0.5, 0.9, 0.1], [0.1, 0.5, 0.1, 0.2]])
    scored = TestSet(
        "x",
        given.systems,
        given.references,
        given.rankings,
        others={"m": Scores(("better", "worse"), scores)},
    )
    assert swaps.accuracy_with_half_ties(scored, "m") == 2.5 / 4
    assert swaps.tie_rate(scored, "m") == 1 / 4
    assert data.evaluate([scored], "consistency", samples=2)["x", "m"].value == 2 / 4


def test_only_judged_segments() -> None:
    people = Rankings.from_pairs(["x", "y"], [1, 3], [0, 1], [1, 0], n=4)
    systems = {"x": list("abcd"), "y": list("efgh")}
    found = data.judged_segments(TestSet.of("t", systems, [[one] for one in "ijkl"], [people]))
    assert found.systems == {"x": ["b", "d"], "y": ["f", "h"]}
    assert found.references == [["j"], ["l"]]
    assert found.rankings is not None
    assert found.rankings.segment.tolist() == [0, 1]
    assert found.rankings.n == 2


def test_scores_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "CACHE", tmp_path)
    given = data.contrastive_test_set("x", ["a b c"], ["c b a"], ["a b c"])
    first = data.with_scores(given, ["kendall", "wer"])
    assert first.others["kendall"].segments.tolist() == [[1.0], [0.0]]
    assert first.others["wer"].segments.tolist() == [[0.0], [-2 / 3]]  # higher is better
    monkeypatch.setattr(data, "score_test_set", None)  # nothing is computed again
    again = data.with_scores(given, ["wer"]).others["wer"]
    assert again.segments.tolist() == [[0.0], [-2 / 3]]
    assert again.of_whole_systems().tolist() == [0.0, -2 / 3]


def test_means_of_differences() -> None:
    assert page.mean_absolute_difference([0.1, 0.4], [0.2, 0.2]) == pytest.approx(0.15)


def test_the_page_says_how_it_is_made() -> None:
    text = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    assert "make evidence" in text[:300]


@pytest.mark.usefixtures("real_data")
def test_labels_of_word_order() -> None:
    """As many as the data's README says, and an area of −length as others have found it."""
    given = labels.read_labelled_outputs({"en": [], "de": []})
    assert [int(given.bad[given.direction == k].sum()) for k in (0, 1)] == [5 + 20, 13 + 47]
    area = labels.comparisons(given)["all"].area(given.scores[labels.LENGTH])
    assert area == pytest.approx(0.69, abs=0.01)


@pytest.mark.usefixtures("real_data")
def test_swaps_change_the_order_of_words_alone() -> None:
    given = swaps.read_items()
    assert given.n == 1000
    better, worse = given.systems.values()
    same = [letters(a) == letters(b) for a, b in zip(better, worse, strict=True)]
    assert np.mean(same) > 0.9


def letters(text: str) -> list[str]:
    return sorted("".join(text.lower().split()))
