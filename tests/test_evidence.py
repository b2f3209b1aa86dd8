"""What docs/evidence.md is made with."""

from __future__ import annotations

import doctest
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evidence import (
    areas,
    bitexts,
    crossings,
    data,
    eflomal,
    encoders,
    hansard,
    labels,
    link_choice,
    link_quality,
    page,
    soft_order,
    source_aligner,
    swaps,
    text_options,
    trials,
)
from evidence.published import SOFT_ORDER_STUDY

from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.testsets import TestSet
from hyperbaton.stats.resampling import bootstrap_counts
from reference import translation
from reference.soft_order import Precedence, order_statistics

ROOT = Path(__file__).parent.parent


@pytest.fixture
def real_data() -> None:
    if not os.environ.get("HYPERBATON_DATA"):
        pytest.skip("needs real data: set HYPERBATON_DATA to its folder")


@pytest.mark.parametrize(
    "module",
    [
        areas,
        crossings,
        eflomal,
        encoders,
        hansard,
        link_choice,
        link_quality,
        page,
        source_aligner,
        text_options,
        trials,
    ],
)
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
    assert swaps.decided_accuracy(scored, "m") == 2 / 3
    assert data.evaluate([scored], "consistency", samples=2)["x", "m"].value == 2 / 4


def test_differences_by_rounding_are_ties() -> None:
    given = data.contrastive_test_set("x", ["a", "b", "c"], ["e", "f", "g"], ["r"] * 3)
    scores = np.array([[0.5, 0.5, 0.5], [0.5 - 1e-13, 0.5 + 1e-13, 0.5 - 1e-11]])
    scored = replace(given, others={"m": Scores(("better", "worse"), scores)})
    assert swaps.accuracy_with_half_ties(scored, "m") == 2 / 3
    assert swaps.tie_rate(scored, "m") == 2 / 3
    exact = swaps.with_exact_ties(scored)
    assert data.evaluate([exact], "consistency", samples=2)["x", "m"].value == 1 / 3


def test_factors_of_soft_order_against_the_definition() -> None:
    references = ["the dog saw the cat", "a cat saw it", "the man saw a dog", "it saw the man"]
    better = ["the dog saw a cat", "the cat saw it", "the man saw the dog", "it saw the man"]
    worse = ["the dog a saw cat", "cat the saw it", "man the saw the dog", "saw it the man"]
    given = data.contrastive_test_set("x", better, worse, references)
    counted = [0, 2, 3]
    model = soft_order.count_pairs([references[k] for k in counted])
    found = soft_order.FactoredTestSet(given).scores(model).others
    plain = Precedence([references[k].split() for k in counted])
    for system, lines in enumerate((better, worse)):
        for k, (line, reference) in enumerate(zip(lines, references, strict=True)):
            hyp, ref = line.split(), reference.split()
            expected = {
                "without B": order_statistics(hyp, ref).value,
                "B": plain.value(hyp, ref),
                "order": order_statistics(hyp, ref, plain).value,
            }
            values = {name: scores.segments[system, k] for name, scores in found.items()}
            assert values == pytest.approx(expected, abs=1e-9)


def test_small_test_sets_have_their_own_references() -> None:
    given = data.contrastive_test_set("x", list("abcd"), list("efgh"), list("ijkl"))
    part = soft_order.take_items(given, np.array([3, 1]))
    assert part.systems == {"better": ["d", "b"], "worse": ["h", "f"]}
    assert soft_order.only_references(part) == ["l", "j"]


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
    monkeypatch.setattr(data, "score_metrics", None)  # nothing is computed again
    again = data.with_scores(given, ["wer"]).others["wer"]
    assert again.segments.tolist() == [[0.0], [-2 / 3]]
    assert again.of_whole_systems().tolist() == [0.0, -2 / 3]


def test_figures_are_corrected_together() -> None:
    """Holm by hand: 3 · 0.01 < 0.05, but 2 · 0.03 > 0.05."""
    given = [
        trials.Figure("τ, en", "x", "pef", 0.3, 0.2, 0.01),
        trials.Figure("τ, en", "y", "pef", 0.3, 0.4, 0.03),
        trials.Figure("swaps", "", "pef", 0.3, 0.3, 1.0),
    ]
    assert trials.significantly_worse(given) == given[:1]
    first, second = trials.figure_table(given).splitlines()[2:]
    assert first == "| τ, en | 2 | +0.0000 | 1 / 1 | 0 / 1 | -0.1000, p 0.010: `pef` (x) |"
    assert second == "| swaps | 1 | +0.0000 | 0 / 0 | 0 / 0 |  |"


@pytest.mark.usefixtures("real_data")
def test_a_way_that_changes_nothing_has_no_significant_figure() -> None:
    way = link_choice.by_matchers()
    found = trials.swap_figures(["kendall"], way, way)
    assert [(each.change, each.p) for each in found] == [(0.0, 1.0)]


def test_means_of_differences() -> None:
    assert page.mean_absolute_difference([0.1, 0.4], [0.2, 0.2]) == pytest.approx(0.15)


def test_the_page_says_how_it_is_made() -> None:
    text = (ROOT / "docs" / "evidence.md").read_text("utf-8")
    assert "make evidence" in text[:300]


LINKS = [{(0, 0), (1, 1), (1, 2)}, {(0, 0), (2, 1)}]
SURE: list[link_quality.Links] = [{(0, 0), (1, 1)}, {(0, 0), (1, 1), (2, 2)}]
POSSIBLE: list[link_quality.Links] = [{(1, 2)}, {(0, 1)}]


@pytest.mark.parametrize(
    ("sentences", "precision", "recall", "error_rate"),
    [
        ([0], 3 / 3, 2 / 2, 1 - (2 + 3) / (3 + 2)),  # every link is possible, every sure one found
        ([1], 1 / 2, 1 / 3, 1 - (1 + 1) / (2 + 3)),  # one of two is right, two sure ones missing
        ([0, 1], 4 / 5, 3 / 5, 1 - (3 + 4) / (5 + 5)),  # counted together, not averaged
    ],
)
def test_link_quality_by_hand(
    sentences: list[int], precision: float, recall: float, error_rate: float
) -> None:
    found, sure, possible = ([links[k] for k in sentences] for links in (LINKS, SURE, POSSIBLE))
    quality = link_quality.link_quality(found, sure, possible)
    assert quality.precision == pytest.approx(precision)
    assert quality.recall == pytest.approx(recall)
    assert quality.f1 == pytest.approx(2 / (1 / precision + 1 / recall))
    assert quality.error_rate == pytest.approx(error_rate)


@pytest.mark.parametrize(
    ("forward", "reverse", "expected"),
    [
        ("0-0", "1-0", "0-0"),  # nothing to grow from; the first direction wins
        ("0-0 1-1", "0-0 0-1", "0-0 0-1 1-1"),  # a neighbour covers a new word on one side
        ("0-0 1-0 2-0", "0-0", "0-0 1-0 2-0"),  # grows step by step
        ("0-0 3-0", "0-0", "0-0"),  # no neighbour, and one of its words has a link
        ("0-0 3-3", "0-0", "0-0 3-3"),  # no neighbour, but neither of its words has a link
    ],
)
def test_joined_directions_by_hand(forward: str, reverse: str, expected: str) -> None:
    found = eflomal.grow_diag_final_and(*map(eflomal.parse_links, (forward, reverse)))
    assert found == eflomal.parse_links(expected)


@pytest.mark.parametrize("seed", range(20))
def test_joined_directions_against_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forward, reverse = (set(zip(*np.nonzero(rng.random((6, 5)) < 0.2), strict=True)) for _ in "ab")
    expected = translation.grow_diag_final_and(forward, reverse, 6, 5)
    assert eflomal.grow_diag_final_and(forward, reverse) == expected


@pytest.mark.usefixtures("real_data")
def test_words_of_the_gold_set_stay_as_they_are() -> None:
    """Nearly all: some words of the gold set were split or joined by hand."""
    pairs = bitexts.gold_set("en-fr").pairs
    same = [
        words(line) == line
        for words, side in ((hansard.english_words, 0), (hansard.french_words, 1))
        for line in (pair[side] for pair in pairs)
    ]
    assert np.mean(same) > 0.95


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


@pytest.mark.usefixtures("real_data")
def test_controls_have_the_references_of_the_swaps() -> None:
    references = sorted(soft_order.only_references(swaps.read_items()))
    for category in swaps.CONTROLS:
        assert sorted(soft_order.only_references(swaps.read_items(category))) == references


@pytest.mark.usefixtures("real_data")
@pytest.mark.parametrize(("factor", "metric"), [("order", "order")])
def test_soft_order_sees_swaps_as_the_study_found(factor: str, metric: str) -> None:
    expected = SOFT_ORDER_STUDY[metric]
    model = soft_order.count_pairs(soft_order.only_references(swaps.read_items()))
    accuracy = soft_order.item_accuracy(swaps.SWAPS, factor, model)
    assert accuracy == pytest.approx(expected[0], abs=soft_order.ROUNDING)
    controls = soft_order.control_accuracy(factor, model)
    assert controls == pytest.approx(expected[1], abs=soft_order.ROUNDING)


def letters(text: str) -> list[str]:
    return sorted("".join(text.lower().split()))
