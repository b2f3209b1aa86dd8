"""Comparisons by `order`: what `compare` returns of shared anchors, as objects and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.comparing import Comparison, Difference, compare_results
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.run import Keep, ListCorpus, Run
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.tokenization import Tokenization
from reference import anchors as twin

EXAMPLE = Path(hb.__file__).parent / "example"


def example_lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").splitlines()


REFERENCES = example_lines("reference")
SYSTEMS = {name: example_lines(name) for name in ("literal", "phrasal", "fluent")}
METHODS = ("bootstrap", "randomization")
# The definition of order lists the anchors and D.
EXPECTED = {
    ("literal", "phrasal"): (581, -0.084150765),
    ("literal", "fluent"): (582, -0.220004991),
    ("phrasal", "fluent"): (525, -0.154485523),
}


def compare(names: Sequence[str] = tuple(SYSTEMS), n: int = 48, **options: Any) -> Comparison:
    systems = {name: SYSTEMS[name][:n] for name in names}
    options = {"metrics": "order", "samples": 200, **options}
    return hb.compare(systems, REFERENCES[:n], **options)


def words(lines: Sequence[str]) -> list[list[str]]:
    tokenization = Tokenization()
    return [tokenization.split(line) for line in lines]


def standard_error(segments: Sequence[twin.Segment]) -> float:
    """That of a ratio of sums: √(n/(n − 1) · Σ(w·(s_a − s_b − D))²) / Σw."""
    counted = [segment for segment in segments if segment.weight]
    n, total = len(counted), sum(segment.weight for segment in counted)
    mean = sum((s.weight * (s.a - s.b) for s in counted), Fraction(0)) / total
    squares = sum(((s.weight * (s.a - s.b - mean)) ** 2 for s in counted), Fraction(0))
    return math.sqrt(Fraction(n, n - 1) * squares) / total


def test_differences_of_the_example() -> None:
    found = compare()
    references = [[reference] for reference in words(REFERENCES)]
    assert [(d.a, d.b) for d in found.differences] == list(EXPECTED)
    for d in found.differences:
        texts = words(SYSTEMS[d.a]), words(SYSTEMS[d.b])
        expected = twin.compare(*texts, references)
        anchors, difference = EXPECTED[d.a, d.b]
        assert d.anchors == anchors
        assert d.difference == pytest.approx(difference, rel=0, abs=1e-9)
        assert d.anchored == pytest.approx(float(expected.share), rel=0, abs=1e-12)
        segments = [twin.compare_segment(*row) for row in zip(*texts, references, strict=True)]
        assert d.standard_error == pytest.approx(standard_error(segments))
        counted = [s for s in segments if s.weight]
        assert d.wins == sum(s.a > s.b for s in counted)
        assert d.ties == sum(s.a == s.b for s in counted)
        assert d.losses == sum(s.a < s.b for s in counted)
        assert (d.outcome, d.better) == ("farther", d.b)
        assert d.lower is not None
        assert d.upper is not None
        assert d.lower < float(expected.difference) < d.upper < 0


def test_the_difference_is_not_that_of_the_values() -> None:
    found = compare()
    for d in found.differences:
        values = [float(found.scores("order")[name]) for name in (d.a, d.b)]
        assert d.difference != pytest.approx(values[0] - values[1], abs=1e-3)


def test_json() -> None:
    found = compare(metrics=["order", "chrf"])
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["schema"] == "hyperbaton/compare/3"
    pairs = document["metrics"]["order"]["differences"]
    for pair, d in zip(pairs, found.differences_by("order"), strict=True):
        assert set(pair) == set(Difference.__dataclass_fields__)
        assert all(pair[key] == getattr(d, key) for key in pair)
        assert pair["anchors"] >= 500
        assert 0.6 < pair["anchored"] < 0.7
    for pair in document["metrics"]["chrf"]["differences"]:
        assert [pair[key] for key in ("anchors", "anchored", "standard_error")] == [None] * 3
        assert pair["outcome"] in ("better", "worse", "no certain difference")


def exchanged(d: Difference) -> dict[str, Any]:
    """What the difference is the other way round."""

    def negative(number: float | None) -> float | None:
        return None if number is None else -number

    other = {"closer": "farther", "farther": "closer"}
    return {
        "difference": negative(d.difference),
        "lower": pytest.approx(
            negative(d.upper)
        ),  # percentiles are interpolated from the other end
        "upper": pytest.approx(negative(d.lower)),
        "p": d.p,
        "effect": negative(d.effect),
        "wins": d.losses,
        "ties": d.ties,
        "losses": d.wins,
        "better": d.better,
        "outcome": other.get(d.outcome, d.outcome),
        "standard_error": d.standard_error,
        "anchors": d.anchors,
        "anchored": d.anchored,
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 5, 12, 48])
def test_exchanging_systems_changes_the_sign_alone(method: str, n: int) -> None:
    for names in combinations(SYSTEMS, 2):
        forwards, backwards = (compare(order, n, method=method) for order in (names, names[::-1]))
        (there,), (back,) = forwards.differences, backwards.differences
        assert {key: getattr(back, key) for key in exchanged(there)} == exchanged(there)
        assert forwards.ranking("order") == backwards.ranking("order")


def test_holm() -> None:
    plain, corrected = compare(samples=99), compare(samples=99, correction="holm")
    assert [d.p for d in plain.differences] == [0.01] * 3
    assert [d.p for d in corrected.differences] == [0.03] * 3  # by hand: 3 × 0.01, and not less
    strict = compare(samples=99, correction="holm", level=0.98)
    assert {d.outcome for d in strict.differences} == {"no certain difference"}
    assert {rank.cluster for rank in strict.ranking("order")} == {1}


@pytest.mark.parametrize("method", METHODS)
def test_baseline(method: str) -> None:
    every = {(d.a, d.b): d for d in compare(method=method).differences}
    found = compare(method=method, baseline="phrasal")
    literal, fluent = found.differences
    assert (literal.a, literal.b, literal.outcome) == ("literal", "phrasal", "farther")
    assert literal == every["literal", "phrasal"]
    assert (fluent.a, fluent.b, fluent.outcome) == ("fluent", "phrasal", "closer")
    there = every["phrasal", "fluent"]
    assert {key: getattr(fluent, key) for key in exchanged(there)} == exchanged(there)
    assert {rank.cluster for rank in found.ranking("order")} == {None}


def test_randomization_has_no_interval() -> None:
    for d in compare(method="randomization").differences:
        assert (d.lower, d.upper, d.p, d.outcome) == (None, None, 1 / 201, "farther")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n", "p", "outcome"),
    [
        (1, 1, "too few words in common"),
        (5, 1 / 16, "no certain difference"),
        (6, 1 / 32, "closer"),
    ],
)
def test_few_segments_need_the_exact_test(method: str, n: int, p: float, outcome: str) -> None:
    """All n segments go the same way, so that p is 2 of 2ⁿ exchanges."""
    line = "man bem dir fol gan kem lir nol ran sem"
    other = " ".join(reversed(line.split()))
    found = hb.compare({"a": [line] * n, "b": [other] * n}, [line] * n, "order", method=method)
    (d,) = found.differences
    assert (d.p, d.difference, d.outcome) == (p, 1, outcome)
    assert found.can_be_significant == (n == 6)


def test_equal_systems() -> None:
    same = {"a": SYSTEMS["fluent"], "b": list(SYSTEMS["fluent"])}
    found = hb.compare(same, REFERENCES, "order", samples=50)
    (d,) = found.differences
    assert (d.difference, d.p, d.effect, d.outcome) == (0, 1, None, "no certain difference")
    assert [rank.cluster for rank in found.ranking("order")] == [1, 1]
    assert "a and b are equal in every segment by order: p = 1" in found.notes


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", [1, 7, 48])
def test_batches_and_threads_change_nothing(size: int, threads: int) -> None:
    run = Run(
        metrics_by_spec(["order", "pef"]), keep=Keep(texts=True), batch_size=size, threads=threads
    )
    results = score_corpus(ListCorpus(SYSTEMS, REFERENCES), run)
    sampling = Sampling(samples=100, threads=threads)
    found = compare_results(results, sampling, None, "none")
    expected = compare(metrics=["order", "pef"], samples=100)
    assert found.differences == expected.differences
    assert found.to_json() == expected.to_json()


def test_several_references_and_empty_lines() -> None:
    """Blank lines drop out for both systems, and a second reference may have more anchors."""
    references = [[one, two] for one, two in zip(REFERENCES, SYSTEMS["literal"], strict=True)]
    blanked = ["" if k % 5 == 0 else line for k, line in enumerate(SYSTEMS["fluent"])]
    systems = {"fluent": SYSTEMS["fluent"], "blanked": blanked, "literal": SYSTEMS["literal"]}
    found = hb.compare(systems, references, "order", samples=50)
    rows = [words(texts) for texts in zip(*references, strict=True)]
    rows = [list(row) for row in zip(*rows, strict=True)]
    for d in found.differences:
        expected = twin.compare(words(systems[d.a]), words(systems[d.b]), rows)
        assert d.difference == pytest.approx(float(expected.difference), rel=0, abs=1e-12)
        assert (d.anchors, d.anchored) == (expected.anchors, float(expected.share))
    assert found.differences[0].difference == 0
