"""The seed alone decides the samples: not threads, batches, or other systems and metrics."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

import hyperbaton as hb
from hyperbaton.runs.comparing import compare, compare_results
from runs.systems import (
    CORPUS,
    SAMPLES,
    SEED,
    SYSTEMS,
    TWINS,
    compared,
)


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_the_same_seed_gives_the_same_numbers(method: str) -> None:
    first = compared(method).to_json()
    options: dict[str, Any] = {"method": method, "samples": SAMPLES}
    for threads in (None, 1, 2, 5):
        again = compare(
            SYSTEMS, CORPUS.references, list(TWINS), seed=SEED, threads=threads, **options
        )
        assert again.to_json() == first
    other = compare(SYSTEMS, CORPUS.references, list(TWINS), seed=6, **options)
    assert other.sampling.seed == 6
    mine, others = compared(method).differences, other.differences
    assert [pair.difference for pair in mine] == [pair.difference for pair in others]
    assert sum(a.p != b.p for a, b in zip(mine, others, strict=True)) > 5


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("draws_per_batch", [1, 100])
def test_batch_size_does_not_change_numbers(method: str, draws_per_batch: int) -> None:
    whole = compared(method)
    sampling = replace(whole.sampling, draws_per_batch=draws_per_batch)
    in_batches = compare_results(whole.results, sampling, whole.baseline, whole.correction)
    assert in_batches.to_json() == whole.to_json()


def test_many_samples_on_several_threads() -> None:
    """There are enough samples to start threads."""
    found = [
        compare(SYSTEMS, CORPUS.references, ["chrf", "pef"], samples=5003, threads=threads)
        for threads in (1, 2, 5)
    ]
    assert found[0].to_json() == found[1].to_json() == found[2].to_json()


def test_score_and_compare_have_the_same_intervals() -> None:
    found = compared("bootstrap")
    for result in found.results:
        alone = hb.score(
            SYSTEMS[result.name],
            CORPUS.references,
            list(TWINS),
            confidence=True,
            samples=SAMPLES,
            seed=SEED,
        )
        for spec in TWINS:
            bounds = (alone[spec].lower, alone[spec].upper)
            assert bounds == (result[spec].lower, result[spec].upper)


def test_other_systems_and_metrics_change_nothing() -> None:
    pair = {name: SYSTEMS[name] for name in ("first", "third")}
    for method in ("bootstrap", "randomization"):
        (alone,) = compare(
            pair, CORPUS.references, ["wer"], method=method, samples=SAMPLES, seed=SEED
        ).differences
        assert alone == compared(method).differences_by("wer")[1]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_exchanging_systems_negates_differences(method: str) -> None:
    """a − b becomes b − a, and p stays the same."""
    backwards = dict(reversed(SYSTEMS.items()))
    other = compare(
        backwards, CORPUS.references, list(TWINS), method=method, samples=SAMPLES, seed=SEED
    )
    found = {(pair.metric, pair.a, pair.b): pair for pair in other.differences}
    for pair in compared(method).differences:
        turned = found[pair.metric, pair.b, pair.a]
        assert turned.p == pair.p
        assert turned.difference is not None
        assert -turned.difference == pair.difference
        assert (turned.wins, turned.ties, turned.losses) == (pair.losses, pair.ties, pair.wins)
        assert turned.better == pair.better
        if pair.effect is not None:
            assert turned.effect == pytest.approx(-pair.effect)
        if pair.lower is not None and pair.upper is not None:
            assert (turned.lower, turned.upper) == pytest.approx((-pair.upper, -pair.lower))


def test_an_error_rate_and_its_complement_have_the_same_p() -> None:
    """1 − wer is F1 of bags of words if the lengths are equal and the order is right."""
    references = ["a b c d"] * 40
    rng = random.Random(3)
    systems = {
        name: [" ".join(w if rng.random() > rate else "x" for w in "abcd") for _ in range(40)]
        for name, rate in (("one", 0.3), ("two", 0.4))
    }
    found = compare(systems, references, ["wer", "senscore:alpha=1,weight=none"], samples=200)
    wer, f1 = found.differences
    assert wer.difference is not None
    assert f1.difference == pytest.approx(-wer.difference)
    assert f1.p == wer.p
    assert (f1.wins, f1.ties, f1.losses) == (wer.wins, wer.ties, wer.losses)
    assert f1.effect == pytest.approx(wer.effect)
