"""Intervals and p-values equal those of twins, which score every sample as a corpus."""

from __future__ import annotations

import pytest

import hyperbaton as hb
from hyperbaton.runs.comparing import compare
from reference import resampling as reference
from runs.systems import (
    CORPUS,
    SAMPLES,
    SEED,
    SYSTEMS,
    TWINS,
    compared,
    draws,
    segments_of,
)


@pytest.mark.parametrize("spec", TWINS)
def test_bootstrap_equals_the_twin(spec: str) -> None:
    found, score = compared("bootstrap", level=0.9), TWINS[spec]
    drawn = draws("bootstrap", 30, SAMPLES, SEED)
    coins = draws("randomization", 30, SAMPLES, SEED)
    values = {}
    for result in found.results:
        segments = segments_of(result.name)
        values[result.name] = reference.bootstrap_values(score, segments, drawn)
        corpus = result[spec]
        assert corpus.value == pytest.approx(score(segments), abs=1e-12)
        expected = reference.interval(values[result.name], 0.9)
        assert (corpus.lower, corpus.upper) == pytest.approx(expected, abs=1e-12)
        assert len(set(values[result.name])) > SAMPLES / 2
    assert [(pair.a, pair.b) for pair in found.differences_by(spec)] == [
        ("first", "second"),
        ("first", "third"),
        ("second", "third"),
    ]
    for pair in found.differences_by(spec):
        a, b = segments_of(pair.a), segments_of(pair.b)
        sampled = reference.bootstrap_differences(score, a, b, drawn)
        assert pair.difference == pytest.approx(score(a) - score(b), abs=1e-12)
        assert (pair.lower, pair.upper) == pytest.approx(
            reference.interval(sampled, 0.9), abs=1e-12
        )
        p = reference.bootstrap_p(score(a) - score(b), sampled)
        exchanged = reference.randomized_differences(score, a, b, coins)
        least = reference.randomization_p(score(a) - score(b), exchanged)  # with 30 segments
        assert pair.p == float(max(p, least))


@pytest.mark.parametrize("spec", TWINS)
def test_randomization_equals_the_twin(spec: str) -> None:
    found, score = compared("randomization"), TWINS[spec]
    drawn = draws("randomization", 30, SAMPLES, SEED)
    for pair in found.differences_by(spec):
        a, b = segments_of(pair.a), segments_of(pair.b)
        sampled = reference.randomized_differences(score, a, b, drawn)
        assert pair.p == float(reference.randomization_p(score(a) - score(b), sampled))
        assert (pair.lower, pair.upper) == (None, None)
    for result in found.results:
        assert (result[spec].lower, result[spec].upper) == (None, None)
    assert len({pair.p for pair in found.differences_by(spec)}) > 1


def test_p_values_of_the_twins_vary() -> None:
    """If they were all equal, the tests above would show little."""
    for method in ("bootstrap", "randomization"):
        found = {pair.p for pair in compared(method).differences}
        assert len(found) > 6
        assert min(found) < 0.05
        assert max(found) > 0.3


@pytest.mark.parametrize("spec", TWINS)
@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_p_of_few_segments_equals_the_twin(spec: str, method: str) -> None:
    """It is at least that of the exact test, here of 2⁶ exchanges."""
    start, end = 4, 10
    systems = {name: lines[start:end] for name, lines in SYSTEMS.items()}
    references = CORPUS.references[start:end]
    found = compare(systems, references, [spec], method=method, samples=SAMPLES, seed=SEED)
    score, drawn = TWINS[spec], draws(method, end - start, SAMPLES, SEED)
    for pair in found.differences:
        a, b = segments_of(pair.a)[start:end], segments_of(pair.b)[start:end]
        difference = score(a) - score(b)
        if method == "bootstrap":
            sampled = reference.bootstrap_differences(score, a, b, drawn)
            p = reference.bootstrap_p(difference, sampled)
        else:
            p = reference.randomization_p(
                difference, reference.randomized_differences(score, a, b, drawn)
            )
        exact = reference.exact_exchange_p(score, a, b)
        assert pair.p == float(max(p, exact))


def test_p_of_few_segments_is_that_of_the_exact_test() -> None:
    """Under the default method, the exact test decides in most cases."""
    start, end = 4, 10
    decided = 0
    for spec in ("wer", "pef", "lrscore"):
        systems = {name: lines[start:end] for name, lines in SYSTEMS.items()}
        for pair in compare(systems, CORPUS.references[start:end], spec).differences:
            a, b = segments_of(pair.a)[start:end], segments_of(pair.b)[start:end]
            exact = float(reference.exact_exchange_p(TWINS[spec], a, b))
            assert pair.p >= exact
            decided += pair.p == exact
    assert decided > 4


def test_intervals_of_every_metric() -> None:
    """They equal those of ``hb.score`` for each sample, with its repeated segments.

    With 12 segments they are expanded.
    """
    lines, references = CORPUS.hypotheses[:12], CORPUS.references[:12]
    names = hb.metrics.names()
    found = hb.score(lines, references, names, confidence=True, samples=8, seed=3, level=0.6)
    pairs = list(zip(lines, references, strict=True))
    fitted = [hb.metrics.get(name).fit(references) for name in names]  # once for all samples
    sampled = []
    for draw in draws("bootstrap", 12, 8, 3):
        sample = reference.repeated(pairs, draw)
        assert len(sample) == 12
        sampled.append(hb.score([line for line, _ in sample], [refs for _, refs in sample], fitted))
    assert list(found) == list(names)
    for name, score in found.items():
        values = [float(result[name]) for result in sampled]
        expected = reference.expanded_interval(values, 0.6, 12)
        assert (score.lower, score.upper) == pytest.approx(expected, abs=1e-7), name
        assert expected != pytest.approx(reference.interval(values, 0.6), abs=1e-7)
        assert score.lower is not None
        assert score.upper is not None
        assert score.lower < score.upper, name


def test_clusters_equal_the_twin() -> None:
    for method in ("bootstrap", "randomization"):
        found = compared(method)
        seen = set()
        for spec in TWINS:
            order = list(found.scores(spec))
            pairs = {
                (pair.better, loser(pair.better, pair.a, pair.b))
                for pair in found.differences_by(spec)
            }
            better = [[(i, j) in pairs for j in order] for i in order]
            ranking = found.ranking(spec)
            assert [rank.cluster for rank in ranking] == reference.clusters(better)
            ranges = [(rank.first, rank.last) for rank in ranking]
            assert ranges == reference.rank_ranges(better)
            seen.add(str(better))
        assert len(seen) > 1


def loser(winner: str | None, a: str, b: str) -> str | None:
    """The system that is not the winner, if there is one."""
    return None if winner is None else b if winner == a else a


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("baseline", [None, "second"])
def test_holm_correction_equals_the_twin(method: str, baseline: str | None) -> None:
    """The p-values of a metric are corrected together, and decide which system is better."""
    plain = compared(method, baseline=baseline, level=0.8)
    found = compared(method, baseline=baseline, level=0.8, correction="holm")
    assert (plain.correction, found.correction) == ("none", "holm")
    changed = 0
    for spec in TWINS:
        expected = reference.holm([pair.p for pair in plain.differences_by(spec)])
        assert [pair.p for pair in found.differences_by(spec)] == pytest.approx(expected)
        for pair, before in zip(
            found.differences_by(spec), plain.differences_by(spec), strict=True
        ):
            assert (pair.better is not None) == (pair.p < 1 - 0.8)
            changed += pair.better != before.better
            assert (pair.lower, pair.upper) == (before.lower, before.upper)
    assert changed > 0
