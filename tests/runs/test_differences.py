"""Comparisons by shared anchors: the page's values, outcomes, clusters, null and power."""

from __future__ import annotations

import dataclasses
import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from evidence.null_anchors import (
    CHANGES,
    LIMIT,
    Sentences,
    Texts,
    false_positives,
    find_all,
    is_expected,
    margin,
    null_p_values,
    null_tables,
    outcomes,
    read_example,
    read_pair,
)

from hyperbaton.runs import differences
from hyperbaton.runs.comparing import compare
from hyperbaton.runs.differences import Difference, anchor_table, compare_anchors
from hyperbaton.runs.results import Score
from hyperbaton.softorder.anchors import Anchors, pair_anchors
from hyperbaton.softorder.evidence import Evidence
from hyperbaton.stats.paired_tests import guarded_tests
from hyperbaton.stats.sampling import Sampling
from hyperbaton.stats.significance import holm
from pairs import data_folder
from reference import anchors as twin

METHODS = ("bootstrap", "randomization")


def compare_all(
    anchors: Sequence[Anchors],
    is_scored: Sequence[bool],
    pairs: Sequence[tuple[int, int]],
    sampling: Sampling,
    correction: str = "none",
) -> list[Difference]:
    """The differences of pairs of systems, which have their numbers as names."""
    scored = {str(k): each for k, each in enumerate(is_scored)}
    shared = [pair_anchors(anchors[a], anchors[b], 1) for a, b in pairs]
    return list(compare_anchors("order", scored, pairs, shared, sampling, correction))


def means(texts: Texts, a: str, b: str) -> list[float]:
    """The share of neighbours that each system keeps among the anchors."""
    return anchor_table(texts.compared(a, b)).values


def segments(found: Difference) -> int:
    """The number of segments with at least two anchors."""
    return found.wins + found.ties + found.losses


def compared(
    texts: Texts, a: str, b: str, sampling: Sampling | None = None, segments: int | None = None
) -> Difference:
    anchors = find_all(
        texts.references[:segments], texts.systems[a][:segments], texts.systems[b][:segments]
    )
    (found,) = compare_all(anchors, [True, True], [(0, 1)], sampling or Sampling())
    return found


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


# Expected values -------------------------------------------------------------------------------

# The definition of order lists them: another program wrote them, from the definition alone.
EXAMPLE = (
    ("fluent", "literal", 582, 0.220004991, "closer"),
    ("fluent", "phrasal", 525, 0.154485523, "closer"),
    ("phrasal", "literal", 581, 0.084150765, "closer"),
)
REAL = {
    "popovic17 en-de": (1959, 0.034587949, "closer"),
    "popovic17 de-en": (1931, 0.013492699, "no certain difference"),
    "wmt15 fi-en": (9508, 0.007215558, "no certain difference"),
}


@pytest.mark.parametrize(("a", "b", "anchors", "difference", "outcome"), EXAMPLE)
def test_the_example(a: str, b: str, anchors: int, difference: float, outcome: str) -> None:
    texts = read_example()
    found = compared(texts, a, b)
    assert (found.anchors, found.difference) == (anchors, close(difference))
    assert found.outcome == outcome
    check_twin(found, texts, a, b)


def check_twin(found: Difference, texts: Texts, a: str, b: str) -> None:
    refs = [[reference] for reference in texts.references]
    expected = twin.compare(texts.systems[a], texts.systems[b], refs)
    assert found.difference == close(float(expected.difference))
    assert means(texts, a, b) == [close(float(expected.a)), close(float(expected.b))]
    assert (found.anchors, segments(found)) == (expected.anchors, expected.segments)
    assert found.anchored == close(float(expected.share))


@pytest.mark.parametrize("name", REAL)
def test_real_systems(name: str) -> None:
    texts = read_pair(data_folder(), name)
    a, b = texts.systems
    found = compared(texts, a, b)
    assert (found.anchors, found.difference, found.outcome) == (
        REAL[name][0],
        close(REAL[name][1]),
        REAL[name][2],
    )
    if name == "popovic17 en-de":
        assert means(texts, a, b) == [close(0.922590956), close(0.888003007)]
    check_twin(found, texts, a, b)


# Properties ------------------------------------------------------------------------------------


def exchanged(found: Difference) -> Difference:
    """What the difference would be the other way round."""

    def negative(number: float | None) -> float | None:
        return None if number is None else -number

    other = {"closer": "farther", "farther": "closer"}
    better = {"0": "1", "1": "0", None: None}
    return dataclasses.replace(
        found,
        difference=negative(found.difference),
        lower=negative(found.upper),
        upper=negative(found.lower),
        effect=negative(found.effect),
        wins=found.losses,
        losses=found.wins,
        outcome=other.get(found.outcome, found.outcome),
        better=better[found.better],
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("segments", [1, 5, 12, 30, 48])
def test_exchanging_systems_changes_the_sign_alone(method: str, segments: int) -> None:
    sampling = Sampling(method, 500, seed=3)
    texts = read_example()
    for a, b in itertools.combinations(texts.systems, 2):
        found = compared(texts, a, b, sampling, segments)
        back = exchanged(compared(texts, b, a, sampling, segments))
        # Percentiles are interpolated from the other end.
        assert found.lower == pytest.approx(back.lower)
        assert found.upper == pytest.approx(back.upper)
        assert without_bounds(found) == without_bounds(back)


def without_bounds(found: Difference) -> Difference:
    return dataclasses.replace(found, lower=None, upper=None)


def example_anchors() -> list[Anchors]:
    texts = read_example()
    return find_all(texts.references, *texts.systems.values())


PAIRS = [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize("method", METHODS)
def test_threads_change_nothing(method: str) -> None:
    one, several = (
        compare_all(example_anchors(), [True] * 3, PAIRS, Sampling(method, threads=threads))
        for threads in (1, 3)
    )
    assert one == several


def test_a_pair_has_the_same_numbers_alone() -> None:
    """Except for the correction, and also if the pairs have different segments."""
    texts = read_example()
    blanked = [[] if k % 5 == 0 else text for k, text in enumerate(texts.systems["phrasal"])]
    anchors = find_all(texts.references, *texts.systems.values(), blanked)
    pairs = list(itertools.combinations(range(4), 2))
    found = compare_all(anchors, [True] * 4, pairs, Sampling())
    assert set(map(segments, found)) == {48, 38}
    for pair, difference in zip(pairs, found, strict=True):
        assert compare_all(anchors, [True] * 4, [pair], Sampling()) == [difference]


def test_pairs_are_tested_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many samples are held at a time changes no number."""
    anchors, scored = example_anchors(), [True] * 3
    expected = compare_all(anchors, scored, PAIRS, Sampling())
    sizes: list[int] = []
    guarded = guarded_tests

    def count(tables: Any, *rest: Any) -> Any:
        sizes.append(len(tables))
        return guarded(tables, *rest)

    monkeypatch.setattr(differences, "guarded_tests", count)
    monkeypatch.setattr(differences, "MOST_VALUES", 1)
    assert compare_all(anchors, scored, PAIRS, Sampling()) == expected
    assert sizes == [1] * len(PAIRS)


def test_the_correction() -> None:
    plain = compare_all(example_anchors(), [True] * 3, PAIRS, Sampling(samples=99))
    found = compare_all(example_anchors(), [True] * 3, PAIRS, Sampling(samples=99), "holm")
    assert [difference.p for difference in plain] == [0.01, 0.01, 0.01]
    assert [difference.p for difference in found] == holm([0.01, 0.01, 0.01])
    strict = compare_all(
        example_anchors(), [True] * 3, PAIRS, Sampling(samples=99, level=0.98), "holm"
    )
    assert {difference.outcome for difference in strict} == {"no certain difference"}


@pytest.mark.parametrize("method", METHODS)
def test_few_segments_need_the_exact_test(method: str) -> None:
    """With five segments, p of all exchanges is at least 1/16, whatever the difference."""
    texts = repeated(5)
    found = compared(texts, "right", "wrong", Sampling(method))
    assert (found.p, found.outcome) == (1 / 16, "no certain difference")
    assert (found.lower, found.upper) == (None, None)
    found = compared(repeated(6), "right", "wrong", Sampling(method))
    assert (found.p, found.outcome) == (1 / 32, "closer")
    assert found.lower == found.upper == (1 if method == "bootstrap" else None)


def repeated(segments: int, words: int = 10) -> Texts:
    """Equal segments: one system is right everywhere, the other has no neighbours right."""
    right = [f"w{k}" for k in range(words)]
    systems = {"right": [right] * segments, "wrong": [right[::-1]] * segments}
    return Texts([right] * segments, systems)


# Outcomes --------------------------------------------------------------------------------------


def test_too_few_words_in_common() -> None:
    """At least 50 anchors, and a tenth of the words of the references."""
    assert compared(repeated(25, 2), "right", "wrong").outcome == "closer"
    assert compared(repeated(24, 2), "right", "wrong").outcome == "too few words in common"
    texts = repeated(30, 2)
    for longer, outcome in ((18, "closer"), (19, "too few words in common")):
        references = [[*ref, *(f"other{k}" for k in range(longer))] for ref in texts.references]
        found = compared(texts._replace(references=references), "right", "wrong")
        assert (found.outcome, found.p < 0.05) == (outcome, True)
        assert found.anchored == 2 / (2 + longer)


def test_systems_that_are_not_scored() -> None:
    anchors = example_anchors()
    found = compare_all(anchors, [True, False, True], PAIRS, Sampling())
    names = [difference.outcome for difference in found]
    assert names == ["not scored", "farther", "not scored"]
    for difference in (found[0], found[2]):
        assert (difference.difference, difference.p, difference.better) == (None, 1, None)
        assert difference.shown_p is None  # 1 is no p-value that anybody computed
        assert (difference.lower, difference.upper) == (None, None)
    assert found[1].shown_p == found[1].p


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("a", "b"), [([], []), (["a"], ["a"]), (["x", "y"], ["a", "b"]), (["a", "a"], ["a", "b"])]
)
def test_no_anchors(method: str, a: list[str], b: list[str]) -> None:
    texts = Texts([["a", "b"]] * 30, {"a": [a] * 30, "b": [b] * 30})
    found = compared(texts, "a", "b", Sampling(method))
    assert (found.difference, means(texts, "a", "b"), found.p) == (None, [], 1)
    assert (found.anchors, found.anchored, segments(found), found.effect) == (0, 0, 0, None)
    assert found.outcome == "too few words in common"


def test_one_segment_and_empty_files() -> None:
    assert compared(repeated(1), "right", "wrong").p == 1
    texts = Texts([["a"]], {"a": [["a"]], "b": [[]]})
    assert compared(texts, "a", "b").outcome == "too few words in common"
    assert compared(Texts([], {"a": [], "b": []}), "a", "b").outcome == "too few words in common"


def test_equal_systems() -> None:
    """Also if the worst lines of one of them are empty."""
    texts = read_example()
    system = texts.systems["literal"]
    blanked = [[] if k % 4 == 0 else sentence for k, sentence in enumerate(system)]
    for other in (system, blanked):
        changed = Texts(texts.references, {"a": system, "b": other})
        for method in METHODS:
            found = compared(changed, "a", "b", Sampling(method))
            assert (found.difference, found.p, found.effect) == (0, 1, None)
            assert found.outcome == "no certain difference"


# Clusters --------------------------------------------------------------------------------------


def clusters(values: Sequence[float | None], closer: set[tuple[int, int]]) -> list[int | None]:
    """The cluster of each system, from the ranking of a comparison with these outcomes."""
    names = [str(k) for k in range(len(values))]
    comparison = compare({name: ["a b c d"] for name in names}, ["a b c d"], ["order"])
    better = {(str(a), str(b)): str(a) for a, b in closer}
    changed = dataclasses.replace(
        comparison,
        results=tuple(
            result.with_scores({"order": with_value(result["order"], value)})
            for result, value in zip(comparison.results, values, strict=True)
        ),
        differences=tuple(
            dataclasses.replace(d, better=better.get((d.a, d.b)) or better.get((d.b, d.a)))
            for d in comparison.differences
        ),
    )
    found = {rank.system: rank.cluster for rank in changed.ranking("order")}
    return [found[name] for name in names]


def with_value(score: Score, value: float | None) -> Score:
    """The score with another value, or without one."""
    lost, words = (1.0, 100.0) if value is None else (1 - value, 1.0)
    sums = np.array([lost, 1, words])
    return dataclasses.replace(score, value=value, sums=sums, evidence=Evidence(1, words))


def test_clusters() -> None:
    values = [0.7, 0.9, 0.8, 0.6]
    assert clusters(values, set()) == [1, 1, 1, 1]
    assert clusters(values, {(1, 2), (1, 0), (1, 3)}) == [2, 1, 2, 2]
    # A cluster ends only where all of its systems are closer than the next one.
    assert clusters(values, {(1, 0), (1, 3)}) == [1, 1, 1, 1]
    assert clusters(values, {(1, 0), (2, 0)}) == [2, 1, 1, 2]
    # Earlier clusters have no say, since outcomes need not be transitive.
    assert clusters(values, {(1, 2), (2, 0), (0, 3)}) == [3, 1, 2, 4]
    # Values rank the systems, although the outcome may contradict them.
    assert clusters(values, {(0, 1), (2, 1)}) == [1, 1, 1, 1]
    assert clusters([0.5, None, 0.6, None], {(2, 0)}) == [2, None, 1, None]
    assert clusters([None, None], set()) == [None, None]
    # Equal values keep their order.
    assert clusters([0.5, 0.5], {(0, 1)}) == [1, 2]
    assert clusters([0.5, 0.5], {(1, 0)}) == [1, 1]


# Null ------------------------------------------------------------------------------------------

NULL_RUNS = {5: 200, 10: 200, 20: 200, 50: 200, 500: 100}


def check_null(texts: Texts, a: str, b: str, method: str) -> None:
    shared = texts.compared(a, b)
    for segments, runs in NULL_RUNS.items():
        for blanked in (False, True):
            tables = null_tables(shared, segments, runs, blanked)
            rate = false_positives(null_p_values(tables, method, samples=400))
            assert rate <= LIMIT + 1.5 * margin(runs), (segments, blanked)


@pytest.mark.parametrize("method", METHODS)
def test_false_positives_on_the_example(method: str) -> None:
    check_null(read_example(), "phrasal", "literal", method)


@pytest.mark.parametrize("name", REAL)
def test_false_positives_on_real_systems(name: str) -> None:
    texts = read_pair(data_folder(), name)
    a, b = texts.systems
    check_null(texts, a, b, "bootstrap")


def test_the_null_finds_a_real_difference() -> None:
    """Without the exchange of labels, nearly every run is significant."""
    shared = read_example().compared("fluent", "literal")
    tables = list(null_tables(shared, 50, 20, blanked=False))
    counted = shared.weights > 0
    rows = [
        np.stack([shared.weights * kept, shared.weights], axis=1)[counted]
        for kept in (shared.a, shared.b)
    ]
    sums = [table.sum(axis=0) for table in rows]
    real = tables[0]._replace(rows=rows, sums=sums, values=[s[0] / s[1] for s in sums])
    assert false_positives(null_p_values(iter([real] * 20))) == 1


# Power, and words ------------------------------------------------------------------------------


def long_example() -> tuple[Sentences, Sentences]:
    """500 segments: those of the example again and again."""
    texts = read_example()
    sentences = itertools.cycle(zip(texts.references, texts.systems["fluent"], strict=True))
    references, system = zip(*itertools.islice(sentences, 500), strict=True)
    return references, system


@pytest.mark.parametrize("change", CHANGES)
def test_power_and_words_on_the_example(change: str) -> None:
    counts = outcomes(*long_example(), CHANGES[change], 12)
    # Of 12 seeds, one may be called, as of 20.
    assert is_expected(change, counts, 20 if change.endswith("other words") else 12), counts


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("change", CHANGES)
def test_power_and_words_on_real_systems(change: str, name: str) -> None:
    texts = read_pair(data_folder(), name)
    system = next(iter(texts.systems.values()))
    counts = outcomes(texts.references[:500], system[:500], CHANGES[change], 12)
    assert is_expected(change, counts, 20 if change.endswith("other words") else 12), counts


def test_changes_do_what_they_say() -> None:
    references, _ = long_example()
    words = sum(map(len, references))
    for label, change in CHANGES.items():
        changed = change(references, random.Random(1))
        pairs = zip(itertools.chain(*references), itertools.chain(*changed), strict=True)
        different = sum(x != y for x, y in pairs)
        share = 0.10 if label.startswith("10") or "swapped" in label else 0.05
        assert 0.8 * share < different / words < 1.1 * share
