"""Comparisons: beside slow twins and sacreBLEU, by hand, in simulations, and with bad input."""

from __future__ import annotations

import json
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.significance import PairedTest
from scipy import stats

import hyperbaton as hb
from hyperbaton.metrics.comparison import Comparison, compare
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.stats import resampling as library
from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from metrics import corpora
from reference import resampling as reference
from reference import scoring

SAMPLES, SEED = 60, 5
CORPUS = corpora.corpus(31, 30)
NAMES = ("first", "second", "third")


def other_system(seed: int) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(corpora.edited(rng, line.split())) for line in CORPUS.hypotheses]


SYSTEMS = {"first": CORPUS.hypotheses, "second": other_system(1), "third": other_system(2)}


def draws(method: str, segments: int, samples: int, seed: int) -> list[list[int]]:
    counts = bootstrap_counts if method == "bootstrap" else swap_counts
    return [row for part in counts(segments, samples, seed) for row in part.tolist()]


# Beside the twin --------------------------------------------------------------------------------


def theirs(metric: Any, segments: Sequence[scoring.Segment]) -> float:
    """sacreBLEU's own score of these segments ÷ 100."""
    most = max(len(one.refs) for one in segments)
    several = [[" ".join(ref) for ref in one.refs] for one in segments]
    streams = [[dict(enumerate(refs)).get(k) for refs in several] for k in range(most)]
    return float(metric.corpus_score([" ".join(one.hyp) for one in segments], streams).score / 100)


# A corpus of its own for each sample, and none of Hyperbaton's metrics to score it.
TWINS: dict[str, Callable[[list[scoring.Segment]], float]] = {
    "wer": lambda segments: scoring.error_rate(segments, "wer").value,
    "pef": lambda segments: scoring.order(segments, "pef").value,
    "pef:weight=ref,bp=off": (
        lambda segments: scoring.order(segments, "pef", "ref", bp="off").value
    ),
    "lrscore": lambda segments: scoring.lrscore(segments).value,
    "bleu:case=lc": partial(theirs, BLEU(lowercase=True)),
    "chrf:case=lc": partial(theirs, CHRF(lowercase=True)),
}


@cache
def compared(method: str, **options: Any) -> Comparison:
    return compare(
        SYSTEMS,
        CORPUS.references,
        list(TWINS),
        method=method,
        samples=SAMPLES,
        seed=SEED,
        **options,
    )


@cache
def segments_of(name: str) -> list[scoring.Segment]:
    return corpora.aligned(corpora.Corpus(SYSTEMS[name], CORPUS.references))


@pytest.mark.parametrize("spec", TWINS)
def test_bootstrap_beside_the_twin(spec: str) -> None:
    found, score = compared("bootstrap", level=0.9), TWINS[spec]
    drawn = draws("bootstrap", 30, SAMPLES, SEED)
    values = {}
    for result in found.results:
        segments = segments_of(result.name)
        values[result.name] = reference.bootstrap_values(score, segments, drawn)
        own = result[spec]
        assert own.value == pytest.approx(score(segments), abs=1e-12)
        expected = reference.interval(values[result.name], 0.9)
        assert (own.lower, own.upper) == pytest.approx(expected, abs=1e-12)
        assert len(set(values[result.name])) > SAMPLES / 2
    assert [(one.a, one.b) for one in found.of(spec)] == [
        ("first", "second"),
        ("first", "third"),
        ("second", "third"),
    ]
    for one in found.of(spec):
        a, b = segments_of(one.a), segments_of(one.b)
        sampled = reference.bootstrap_differences(score, a, b, drawn)
        assert one.difference == pytest.approx(score(a) - score(b), abs=1e-12)
        assert (one.lower, one.upper) == pytest.approx(reference.interval(sampled, 0.9), abs=1e-12)
        assert one.p == float(reference.bootstrap_p(score(a) - score(b), sampled))


@pytest.mark.parametrize("spec", TWINS)
def test_randomization_beside_the_twin(spec: str) -> None:
    found, score = compared("randomization"), TWINS[spec]
    drawn = draws("randomization", 30, SAMPLES, SEED)
    for one in found.of(spec):
        a, b = segments_of(one.a), segments_of(one.b)
        sampled = reference.randomized_differences(score, a, b, drawn)
        assert one.p == float(reference.randomization_p(score(a) - score(b), sampled))
        assert (one.lower, one.upper) == (None, None)
    for result in found.results:
        assert (result[spec].lower, result[spec].upper) == (None, None)
    assert len({one.p for one in found.of(spec)}) > 1


def test_p_values_of_twins_are_not_all_the_same() -> None:
    """Or the tests above would show little."""
    for method in ("bootstrap", "randomization"):
        found = {one.p for one in compared(method).differences}
        assert len(found) > 6
        assert min(found) < 0.05
        assert max(found) > 0.3


def test_intervals_of_every_metric() -> None:
    """Beside hb.score of each sample, repeated segments and all."""
    lines, references = CORPUS.hypotheses[:12], CORPUS.references[:12]
    names = hb.metrics.names()
    found = hb.score(lines, references, names, confidence=True, samples=8, seed=3, level=0.6)
    pairs = list(zip(lines, references, strict=True))
    sampled = []
    for draw in draws("bootstrap", 12, 8, 3):
        sample = reference.repeated(pairs, draw)
        assert len(sample) == 12
        sampled.append(hb.score([line for line, _ in sample], [refs for _, refs in sample], names))
    assert list(found) == list(names)
    for name, score in found.items():
        values = [result[name].value for result in sampled]
        expected = reference.interval(values, 0.6)
        assert (score.lower, score.upper) == pytest.approx(expected, abs=1e-12), name
        assert score.lower is not None
        assert score.upper is not None
        assert score.lower < score.upper, name


# Samples are made of statistics, not of the scores of segments -----------------------------------

# A is wrong in short segments, B in long ones: of all words A has fewer wrong, but in the mean of
# segments B is better. A few of each are otherwise, or every sample would be alike.
LONG = [" ".join(f"w{k}" for k in range(n, n + 20)) for n in range(30)]
SHORT = [f"x{k} y{k}" for k in range(30)]
MIXED_REFERENCES = LONG + SHORT
MIXED = {
    "A": [line if k % 5 else line[3:] for k, line in enumerate(LONG)] + ["a b"] * 30,
    "B": [
        " ".join(w if i % 4 or i > k else "z" for i, w in enumerate(line.split()))
        for k, line in enumerate(LONG)
    ]
    + [line if k % 5 else "a b" for k, line in enumerate(SHORT)],
}


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("spec", ["wer", "lrscore:alpha=0", "bleu"])
def test_a_corpus_metric_is_not_resampled_from_segment_scores(spec: str, method: str) -> None:
    found = compare(MIXED, MIXED_REFERENCES, [spec], method=method, samples=300)
    (one,) = found.differences
    sign = 1 if found.results[0][spec].higher_is_better else -1
    assert sign * one.difference > 0
    assert one.better == "A"
    a, b = (result[spec].segments.tolist() for result in found.results)
    means = statistics.fmean(a) - statistics.fmean(b)
    assert sign * means < 0  # the other way round: they could never say A
    drawn = draws(method, 60, 300, 1)
    if method == "bootstrap":
        sampled = reference.bootstrap_differences(statistics.fmean, a, b, drawn)
        p = reference.bootstrap_p(means, sampled)
        low, high = reference.interval(sampled, 0.95)
        assert one.lower is not None
        assert one.upper is not None
        assert one.upper < low or high < one.lower
    else:
        sampled = reference.randomized_differences(statistics.fmean, a, b, drawn)
        p = reference.randomization_p(means, sampled)
    assert p > one.p or (spec == "wer" and p < 0.05)  # there, B would be significantly better
    assert one.effect is not None
    assert one.effect < 0  # which is that of the segments


@pytest.mark.parametrize("spec", ["wer", "lrscore:alpha=0"])
def test_an_interval_is_that_of_the_corpus_value(spec: str) -> None:
    score = hb.score(MIXED["A"], MIXED_REFERENCES, [spec], confidence=True)[spec]
    assert score.lower is not None
    assert score.upper is not None
    assert score.lower < score.value < score.upper
    mean = statistics.fmean(score.segments.tolist())
    assert not score.lower - 0.05 < mean < score.upper + 0.05
    # the share of long segments changes from sample to sample, and with it the denominator
    sampled = [
        statistics.fmean(reference.repeated(score.segments.tolist(), draw))
        for draw in draws("bootstrap", 60, 300, 1)
    ]
    low, high = reference.interval(sampled, 0.95)
    assert high < score.lower or score.upper < low


# Beside sacreBLEU -------------------------------------------------------------------------------

WORDS = [f"w{k}" for k in range(60)]
RATES = (0.2, 0.21, 0.22, 0.23, 0.24, 0.25)


def noisy(words: Sequence[str], rate: float, rng: random.Random) -> str:
    """Some words changed, some lost."""
    found = []
    for word in words:
        u = rng.random()
        if u < rate:
            found.append(rng.choice(WORDS))
        elif u > 0.3 * rate + rate:
            found.append(word)
    return " ".join(found)


@cache
def noisy_systems() -> tuple[dict[str, list[str]], list[str]]:
    rng = random.Random(15)
    lines = [rng.choices(WORDS, k=rng.randint(8, 25)) for _ in range(100)]
    systems = {f"{rate}": [noisy(line, rate, rng) for line in lines] for rate in RATES}
    return systems, [" ".join(line) for line in lines]


MANY = 2000


@cache
def beside(method: str) -> tuple[Comparison, list[Any]]:
    systems, references = noisy_systems()
    kind = {"bootstrap": "bs", "randomization": "ar"}[method]
    ours = compare(systems, references, ["bleu"], method=method, samples=MANY, baseline="0.2")
    _, found = PairedTest(list(systems.items()), {"BLEU": BLEU()}, [references], kind, MANY)()
    results: list[Any] = list(found["BLEU"])
    for result, other in zip(ours.results, results, strict=True):
        assert result["bleu"].score == pytest.approx(other.score)
    return ours, results


def error(p: float) -> float:
    """The standard error of the difference of two shares, and what +1 makes of them."""
    return math.sqrt(2 * p * (1 - p) / MANY) + 1 / MANY


def test_sacrebleus_randomization() -> None:
    ours, other = beside("randomization")
    for one, result in zip(ours.differences, other[1:], strict=True):
        assert abs(one.p - result.p_value) < 3 * error(max(one.p, result.p_value))
    assert len([one for one in ours.differences if 0.02 < one.p < 0.5]) >= 2


def test_sacrebleus_bootstrap_has_about_half_of_p() -> None:
    """Where p is small; where it is large, a little less, since sacreBLEU takes sizes first."""
    ours, other = beside("bootstrap")
    for one, result in zip(ours.differences, other[1:], strict=True):
        sampling = 3 * error(max(one.p, result.p_value))
        least = 0.45 if one.p < 0.15 else 0.3
        assert least * one.p - sampling < result.p_value < 0.55 * one.p + sampling
    clear = [k for k, one in enumerate(ours.differences) if 0.05 < one.p < 0.5]
    assert len(clear) >= 2
    for k in clear:  # where it can be seen that it is not the same
        assert other[k + 1].p_value < 0.65 * ours.differences[k].p


def test_sacrebleus_intervals() -> None:
    """sacreBLEU has half the width of the interval, and the mean of the samples."""
    ours, other = beside("bootstrap")
    for result, theirs in zip(ours.results, other, strict=True):
        score = result["bleu"]
        assert score.lower is not None
        assert score.upper is not None
        assert 50 * (score.upper - score.lower) == pytest.approx(theirs.ci, rel=0.08)
        assert 50 * (score.upper + score.lower) == pytest.approx(theirs.mean, abs=0.1 * theirs.ci)


# Simulations ------------------------------------------------------------------------------------


def simulated(rng: random.Random, count: int) -> tuple[dict[str, list[str]], list[str]]:
    """Two systems that make as many errors, more of them in long segments."""
    lines = [["a"] * rng.randint(2, 20) for _ in range(count)]
    systems = {
        name: [
            " ".join("b" if rng.random() < len(line) / 60 else "a" for _ in line) for line in lines
        ]
        for name in ("one", "other")
    }
    return systems, [" ".join(line) for line in lines]


# Of lengths 2…20, all as likely: Σ n·n/60 / Σ n.
TRUE_WER = sum(n * n / 60 for n in range(2, 21)) / sum(range(2, 21))


@pytest.fixture(scope="module")
def simulations() -> dict[str, list[Comparison]]:
    rng = random.Random(8)
    found: dict[str, list[Comparison]] = {"bootstrap": [], "randomization": []}
    for k in range(150):
        systems, references = simulated(rng, 80)
        for method, own in found.items():
            own.append(
                compare(systems, references, ["wer:tok=none"], method=method, samples=300, seed=k)
            )
    return found


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_p_is_uniform_for_systems_that_are_alike(
    method: str, simulations: dict[str, list[Comparison]]
) -> None:
    found = [one.differences[0].p for one in simulations[method]]
    assert stats.kstest(found, "uniform").pvalue > 0.02
    assert abs(np.mean([p < 0.1 for p in found]) - 0.1) < 3 * math.sqrt(0.1 * 0.9 / 150)


def test_intervals_cover_the_true_rate(simulations: dict[str, list[Comparison]]) -> None:
    bounds = [
        (score.lower, score.upper, statistics.fmean(score.segments.tolist()))
        for comparison in simulations["bootstrap"]
        for score in (comparison.results[0]["wer:tok=none"],)
    ]
    assert 0.89 < np.mean([low <= TRUE_WER <= high for low, high, _ in bounds]) < 0.985  # type: ignore[operator]
    # the mean of segments, without their denominators, is another number
    assert np.mean([mean for _, _, mean in bounds]) < 0.85 * TRUE_WER
    differences = [comparison.differences[0] for comparison in simulations["bootstrap"]]
    covered = [one.lower <= 0 <= one.upper for one in differences]  # type: ignore[operator]
    assert 0.89 < np.mean(covered) < 0.985


# Seeds and threads ------------------------------------------------------------------------------


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
    assert [one.difference for one in mine] == [one.difference for one in others]
    assert sum(a.p != b.p for a, b in zip(mine, others, strict=True)) > 5


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("at_once", [1, 100])
def test_memory_does_not_change_numbers(
    method: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "AT_ONCE", at_once)
    again = compare(
        SYSTEMS, CORPUS.references, list(TWINS), method=method, samples=SAMPLES, seed=SEED
    )
    assert again.to_json() == compared(method).to_json()


def test_many_samples_on_many_threads() -> None:
    """So much that threads are started for it."""
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


def test_a_system_or_metric_more_changes_no_other_number() -> None:
    pair = {name: SYSTEMS[name] for name in ("first", "third")}
    for method in ("bootstrap", "randomization"):
        (alone,) = compare(
            pair, CORPUS.references, ["wer"], method=method, samples=SAMPLES, seed=SEED
        ).differences
        assert alone == compared(method).of("wer")[1]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_exchanged_systems(method: str) -> None:
    """What was a − b is b − a; p stays."""
    backwards = dict(reversed(SYSTEMS.items()))
    other = compare(
        backwards, CORPUS.references, list(TWINS), method=method, samples=SAMPLES, seed=SEED
    )
    found = {(one.metric, one.a, one.b): one for one in other.differences}
    for one in compared(method).differences:
        turned = found[one.metric, one.b, one.a]
        assert turned.p == one.p
        assert turned.difference == -one.difference
        assert (turned.wins, turned.ties, turned.losses) == (one.losses, one.ties, one.wins)
        assert turned.better == one.better
        if one.effect is not None:
            assert turned.effect == pytest.approx(-one.effect)
        if one.lower is not None and one.upper is not None:
            assert (turned.lower, turned.upper) == pytest.approx((-one.upper, -one.lower))


def test_a_rate_and_what_is_left_of_it() -> None:
    """An error rate turned round has the same p: per segment, 1 − wer where lengths are equal."""
    references = ["a b c d"] * 40
    rng = random.Random(3)
    systems = {
        name: [" ".join(w if rng.random() > rate else "x" for w in "abcd") for _ in range(40)]
        for name, rate in (("one", 0.3), ("two", 0.4))
    }
    found = compare(systems, references, ["wer", "senscore:alpha=1,weight=none"], samples=200)
    wer, f1 = found.differences  # F1 of bags of four words each is 1 − wer here
    assert f1.difference == pytest.approx(-wer.difference)
    assert f1.p == wer.p
    assert (f1.wins, f1.ties, f1.losses) == (wer.wins, wer.ties, wer.losses)
    assert f1.effect == pytest.approx(wer.effect)


# By hand ----------------------------------------------------------------------------------------

QUARTERS = ["a b c d"] * 4
#  A: 0, 1, 2, 0 of 4 words wrong; B: 1, 1, 0, 2
A = ["a b c d", "a b c x", "a b x x", "a b c d"]
B = ["a b c x", "a b x d", "a b c d", "a x x d"]


def test_effects_by_hand() -> None:
    (one,) = compare({"A": A, "B": B}, QUARTERS, "wer").differences
    better = [0.25, 0.0, -0.5, 0.5]  # of A, in each segment
    assert one.difference == pytest.approx((3 - 4) / 16)
    assert (one.wins, one.ties, one.losses) == (2, 1, 1)
    assert one.effect == pytest.approx(statistics.fmean(better) / statistics.stdev(better))
    assert one.effect is not None
    assert one.effect > 0
    assert (one.metric, one.a, one.b, one.better) == ("wer", "A", "B", None)
    (same,) = compare({"A": A, "B": list(A)}, QUARTERS, "wer").differences
    assert same.effect is None
    (alone,) = compare({"A": A[2:3], "B": B[2:3]}, QUARTERS[:1], "wer").differences
    assert (alone.effect, alone.wins, alone.ties, alone.losses) == (None, 0, 0, 1)


@pytest.mark.parametrize("spec", ["wer", "pef", "bleu", "chrf"])
def test_effects_are_those_of_segments(spec: str) -> None:
    found = compare(SYSTEMS, CORPUS.references, [spec], samples=5)
    segments = {result.name: result[spec].segments.tolist() for result in found.results}
    sign = -1 if spec == "wer" else 1
    for one in found.differences:
        better = [sign * (a - b) for a, b in zip(segments[one.a], segments[one.b], strict=True)]
        assert one.wins == sum(value > 0 for value in better)
        assert one.losses == sum(value < 0 for value in better)
        assert one.wins + one.ties + one.losses == 30
        assert one.effect == pytest.approx(statistics.fmean(better) / statistics.stdev(better))


GOOD = ["a b c d e f"] * 24
WORSE = ["a b c d x f"] * 12 + ["a b c d e f"] * 12
BAD = ["a b x x x f", "a c b x e f"] * 12
FOUR = {"bad": BAD, "good": GOOD, "worse": WORSE, "good too": [*GOOD[:-1], "a b c e d f"]}


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("spec", ["wer", "bleu", "pef"])
def test_rankings(spec: str, method: str) -> None:
    found = compare(FOUR, GOOD, [spec], method=method)
    assert list(found.scores(spec)) == ["good", "good too", "worse", "bad"]
    values = [score.value for score in found.scores(spec).values()]
    assert values == sorted(values, reverse=spec != "wer")
    ranking = found.ranking(spec)
    assert [rank.system for rank in ranking] == ["good", "good too", "worse", "bad"]
    assert [rank.cluster for rank in ranking] == [1, 1, 2, 3]
    assert [(rank.first, rank.last) for rank in ranking] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert [rank.value for rank in ranking] == values
    for rank in ranking:
        score = found.scores(spec)[rank.system]
        assert (rank.lower, rank.upper) == (score.lower, score.upper)
        assert (rank.lower is None) == (method == "randomization")
    for one in found.differences:
        order = [rank.system for rank in ranking]
        if {one.a, one.b} == {"good", "good too"}:
            assert one.better is None
            assert one.p > 0.05
        else:
            assert one.better == min(one.a, one.b, key=order.index)
            assert one.p < 0.05


def test_clusters_are_those_of_the_twin() -> None:
    for method in ("bootstrap", "randomization"):
        found = compared(method)
        seen = set()
        for spec in TWINS:
            order = list(found.scores(spec))
            pairs = {(one.better, other(one.better, one.a, one.b)) for one in found.of(spec)}
            better = [[(i, j) in pairs for j in order] for i in order]
            ranking = found.ranking(spec)
            assert [rank.cluster for rank in ranking] == reference.clusters(better)
            ranges = [(rank.first, rank.last) for rank in ranking]
            assert ranges == reference.rank_ranges(better)
            seen.add(str(better))
        assert len(seen) > 1


def other(name: str | None, a: str, b: str) -> str | None:
    return None if name is None else b if name == a else a


def test_equal_values_are_ranked_as_they_were_given() -> None:
    systems = {"z": A, "m": list(A), "a": list(A)}
    found = compare(systems, QUARTERS, "wer")
    assert list(found.scores("wer")) == ["z", "m", "a"]
    assert [rank.cluster for rank in found.ranking("wer")] == [1, 1, 1]
    assert [(rank.first, rank.last) for rank in found.ranking("wer")] == [(1, 3)] * 3


def test_significance_follows_the_level() -> None:
    found = {level: compared("bootstrap", level=level) for level in (0.3, 0.9, 0.95, 0.999)}
    for level, comparison in found.items():
        for one in comparison.differences:
            assert (one.better is not None) == (one.p < 1 - level)
            if one.better is not None:
                higher = comparison.results[0][one.metric].higher_is_better
                assert one.better == (one.a if (one.difference > 0) == higher else one.b)
    counts = [sum(one.better is not None for one in c.differences) for c in found.values()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[2] > 0
    assert counts[3] == 0  # of 60 samples no p is below 1/61


@pytest.mark.parametrize(("samples", "level"), [(19, 0.95), (99, 0.99)])
def test_p_that_is_just_1_less_the_level_is_not_less(samples: int, level: float) -> None:
    """1 − 0.95 is 0.05, though not for a computer."""
    (one,) = compare(
        {"good": GOOD, "bad": BAD}, GOOD, "wer", samples=samples, level=level
    ).differences
    assert one.p == 1 / (samples + 1)
    assert one.better is None


@pytest.mark.parametrize("count", [10, 20, 23, 50])
def test_differences_that_are_all_the_same_have_no_effect_size(count: int) -> None:
    """Their standard deviation is 0: what rounding leaves of it is no measure."""
    systems = {"A": ["a b c d e f g h i x"] * count, "B": ["a b c d e f x y z j"] * count}
    found = compare(systems, ["a b c d e f g h i j"] * count, ["wer", "bleu", "pef", "chrf"])
    assert [one.effect for one in found.differences] == [None] * 4
    assert [one.wins for one in found.differences] == [count] * 4


def test_a_baseline() -> None:
    every = compare(FOUR, GOOD, ["wer", "pef"])
    found = compare(FOUR, GOOD, ["wer", "pef"], baseline="worse")
    assert found.baseline == "worse"
    pairs = [(one.metric, one.a, one.b) for one in found.differences]
    assert pairs == [
        (metric, name, "worse") for metric in ("wer", "pef") for name in ("bad", "good", "good too")
    ]
    of_pairs = {(one.metric, frozenset((one.a, one.b))): one for one in every.differences}
    for one in found.differences:
        same = of_pairs[one.metric, frozenset((one.a, one.b))]
        assert one.p == same.p
        assert one.better == same.better
        assert abs(one.difference) == abs(same.difference)
    assert [one.better for one in found.of("wer")] == ["worse", "good", "good too"]
    for rank in found.ranking("wer"):
        assert (rank.cluster, rank.first, rank.last) == (None, None, None)
    assert [rank.system for rank in found.ranking("wer")] == ["good", "good too", "worse", "bad"]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("baseline", [None, "second"])
def test_holm(method: str, baseline: str | None) -> None:
    """The p-values of a metric are corrected together, and decide who is better."""
    plain = compared(method, baseline=baseline, level=0.8)
    found = compared(method, baseline=baseline, level=0.8, correction="holm")
    assert (plain.correction, found.correction) == ("none", "holm")
    changed = 0
    for spec in TWINS:
        expected = reference.holm([one.p for one in plain.of(spec)])
        assert [one.p for one in found.of(spec)] == pytest.approx(expected)
        for one, before in zip(found.of(spec), plain.of(spec), strict=True):
            assert (one.better is not None) == (one.p < 1 - 0.8)
            changed += one.better != before.better
            assert (one.lower, one.upper) == (before.lower, before.upper)
    assert changed > 0


# Notes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "few"), [(2, True), (9, True), (10, False), (11, False)])
def test_few_segments_are_said(count: int, few: bool) -> None:
    found = compare({"A": GOOD[:count], "B": BAD[:count]}, GOOD[:count], "wer")
    notes = [f"{count} segments are too few for samples to mean much"] if few else []
    assert found.notes == notes


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("correction", ["none", "holm"])
def test_equal_systems(method: str, correction: str) -> None:
    systems = {"A": BAD, "B": GOOD, "C": list(BAD)}
    found = compare(systems, GOOD, ["wer", "pef"], method=method, correction=correction)
    for metric in ("wer", "pef"):
        one = next(one for one in found.of(metric) if (one.a, one.b) == ("A", "C"))
        assert one.p == 1
        assert one.difference == 0
        assert one.better is None
        assert (one.wins, one.ties, one.losses, one.effect) == (0, 24, 0, None)
        assert (one.lower, one.upper) == ((0, 0) if method == "bootstrap" else (None, None))
    assert found.notes == ["A and C are equal in every segment by wer, pef: p = 1"]


def test_equal_by_one_metric_only() -> None:
    # other words, as many of them wrong
    systems = {"A": ["a b c d e x"] * 20, "B": ["a b c d x f"] * 20}
    found = compare(systems, ["a b c d e f"] * 20, ["wer", "bleu"])
    wer, bleu = found.differences
    assert (wer.p, wer.better, bleu.better) == (1, None, "A")
    assert found.notes == ["A and B are equal in every segment by wer: p = 1"]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_equal_scores_of_other_words(method: str) -> None:
    """Other numbers of words, all of them wrong: by BLEU and chrF all segments are equal."""
    systems = {"A": ["x y"] * 20, "B": ["x y x"] * 20}
    found = compare(systems, ["a b c d"] * 20, ["bleu", "chrf"], method=method)
    for one in found.differences:
        assert (one.difference, one.p, one.ties, one.better) == (0, 1, 20, None)
    assert found.notes == ["A and B are equal in every segment by bleu, chrf: p = 1"]


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_no_difference_but_not_equal(method: str) -> None:
    """As many errors, in other segments: p = 1, too, but they are not equal."""
    a, b = ["a b c d", "a b c x"] * 10, ["a b c x", "a b c d"] * 10
    found = compare({"A": a, "B": b}, ["a b c d"] * 20, "wer", method=method)
    (one,) = found.differences
    assert (one.difference, one.p, one.better) == (0, 1, None)
    assert (one.wins, one.ties, one.losses, one.effect) == (10, 0, 10, 0)
    assert found.notes == []


def test_notes_say_both() -> None:
    found = compare({"A": A, "B": list(A)}, QUARTERS, "wer")
    assert found.notes == [
        "4 segments are too few for samples to mean much",
        "A and B are equal in every segment by wer: p = 1",
    ]


# Scores with intervals --------------------------------------------------------------------------


def test_intervals_of_scores() -> None:
    plain = hb.score(*CORPUS, "default")
    found = hb.score(*CORPUS, "default", confidence=True)
    for name, score in found.items():
        assert (plain[name].lower, plain[name].upper) == (None, None)
        assert score.value == plain[name].value
        assert score.signature == plain[name].signature
        assert score.segments.tolist() == plain[name].segments.tolist()
        assert score.lower is not None
        assert score.upper is not None
        assert type(score.lower) is float
        assert type(score.upper) is float
        assert score.lower < score.value < score.upper, name
        document = score.to_dict()
        assert (document["lower"], document["upper"]) == (score.lower, score.upper)


def test_options_of_intervals() -> None:
    def bounds(**options: Any) -> tuple[float, float]:
        score = hb.score(*CORPUS, "wer", confidence=True, **options)["wer"]
        assert score.lower is not None
        assert score.upper is not None
        return score.lower, score.upper

    assert bounds() == bounds(level=0.95, samples=1000, seed=1) == bounds(threads=1)
    narrow, usual, wide = bounds(level=0.5), bounds(), bounds(level=0.99)
    assert wide[0] < usual[0] < narrow[0] < narrow[1] < usual[1] < wide[1]
    assert bounds(seed=2) != usual
    assert bounds(samples=999) != usual
    low, high = bounds(samples=1)
    assert low == high
    # a sample more is a sample more, not other samples
    drawn = draws("bootstrap", 30, 2, 1)
    score = TWINS["wer"]
    values = reference.bootstrap_values(score, segments_of("first"), drawn)
    assert bounds(samples=2, level=0.5) == pytest.approx(reference.interval(values, 0.5))


def test_intervals_of_one_segment() -> None:
    score = hb.score(["a b c x"], ["a b c d"], ["wer"], confidence=True)["wer"]
    assert (score.lower, score.value, score.upper) == (0.25, 0.25, 0.25)


def test_without_confidence_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hyperbaton.metrics.scoring.bootstrap", None)
    assert hb.score(["a"], ["a"], "wer")["wer"].lower is None
    with pytest.raises(TypeError):
        hb.score(["a"], ["a"], "wer", confidence=True)


# As data ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
@pytest.mark.parametrize("baseline", [None, "third"])
def test_json(method: str, baseline: str | None) -> None:
    found = compared(method, baseline=baseline)
    document = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert document == found.to_dict()
    assert json.loads(found.to_json(indent=1)) == document
    head = {key: value for key, value in document.items() if key != "metrics"}
    assert head == {
        "schema": "hyperbaton/compare/1",
        "method": method,
        "samples": SAMPLES,
        "seed": SEED,
        "level": 0.95,
        "correction": "none",
        "baseline": baseline,
        "n": 30,
        "notes": found.notes,
    }
    assert list(document["metrics"]) == list(TWINS) == list(found.metrics)
    for spec, own in document["metrics"].items():
        assert own["signature"] == found.results[0][spec].signature
        assert own["higher_is_better"] is (spec != "wer")
        assert [rank["system"] for rank in own["ranking"]] == list(found.scores(spec))
        assert {rank["cluster"] is None for rank in own["ranking"]} == {baseline is not None}
        for one, plain in zip(found.of(spec), own["differences"], strict=True):
            assert plain["p"] == one.p
            assert plain["metric"] == spec
            assert set(plain) == set(one.__dataclass_fields__)
    assert found.n == 30
    assert repr(found).startswith("Comparison(first, second, third; wer, pef")


@pytest.mark.parametrize(
    "options",
    [
        {"seed": np.int64(3)},
        {"samples": np.int32(20)},
        {"level": np.float64(0.9)},
        {"level": np.float32(0.5)},
    ],
)
def test_numbers_of_numpy_are_numbers(options: dict[str, Any]) -> None:
    found = compare({"A": A, "B": B}, QUARTERS, "wer", **options)
    plain = {key: value.item() for key, value in options.items()}
    assert found.to_json() == compare({"A": A, "B": B}, QUARTERS, "wer", **plain).to_json()


# Bad input --------------------------------------------------------------------------------------

GOOD_CALL: dict[str, Any] = {
    "systems": {"A": GOOD, "B": BAD},
    "references": GOOD,
    "metrics": ["wer"],
}
ERRORS: list[tuple[Mapping[str, Any], type[Exception], str]] = [
    ({"systems": {"A": GOOD}}, ValueError, "two systems at least are needed"),
    ({"systems": {}}, ValueError, "two systems at least are needed"),
    (
        {"systems": {"A": GOOD, "B": BAD[:20]}},
        ValueError,
        "^A has 24 segments, but B has 20$",
    ),
    ({"references": GOOD[:3]}, ValueError, "24 hypotheses, but references for 3 segments"),
    ({"systems": {"A": [], "B": []}, "references": []}, ValueError, "there are no segments"),
    ({"systems": {"A": GOOD, "B": "a b"}}, TypeError, "B is a list of lines, not one str"),
    ({"samples": 0}, ValueError, "samples is 0, but it must be at least 1"),
    ({"samples": -5}, ValueError, "samples is -5, but it must be at least 1"),
    ({"samples": 10.0}, TypeError, "samples is a whole number, not float"),
    ({"samples": True}, TypeError, "samples is a whole number, not bool"),
    ({"seed": -1}, ValueError, "seed is -1, but it must be at least 0"),
    ({"seed": 1.5}, TypeError, "seed is a whole number, not float"),
    ({"level": 0.0}, ValueError, "level is a share between 0 and 1"),
    ({"level": 1}, ValueError, "level is a share between 0 and 1"),
    ({"level": 95}, ValueError, "level is a share between 0 and 1, such as 0.95, not 95"),
    ({"level": math.nan}, ValueError, "level is a share between 0 and 1"),
    ({"level": True}, ValueError, "level is a share between 0 and 1"),
    ({"method": "jackknife"}, ValueError, "method is one of bootstrap, randomization, not 'jack"),
    ({"correction": "Holm"}, ValueError, "correction is one of none, holm, not 'Holm'"),
    ({"baseline": "C"}, ValueError, "the baseline 'C' is none of the systems: A, B"),
    ({"threads": 0}, ValueError, "threads is 0"),
    ({"metrics": []}, ValueError, "no metrics"),
]


@pytest.mark.parametrize(("changed", "kind", "message"), ERRORS)
def test_errors(changed: Mapping[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        compare(**{**GOOD_CALL, **changed})


@pytest.mark.parametrize("options", [{"samples": 0}, {"level": 1.5}, {"seed": -1}])
def test_errors_of_intervals(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=f"^{name} is "):
        hb.score(GOOD, GOOD, "wer", confidence=True, **options)


def test_unknown_metrics_are_errors_of_the_caller() -> None:
    found = compared("bootstrap")
    assert found.of("ter") == []
    with pytest.raises(KeyError):
        found.ranking("ter")


def test_sampling_says_what_it_is() -> None:
    assert str(Sampling()) == "95 % intervals: bootstrap, 1,000 samples, seed 1"
    assert (
        str(Sampling("randomization", 20, 3))
        == "significance at 0.05: randomization, 20 samples, seed 3"
    )
    assert "99.9 %" in str(Sampling(level=0.999))
    assert str(Sampling(threads=3)) == str(Sampling())
    assert Sampling(threads=3).to_dict() == {
        "method": "bootstrap",
        "samples": 1000,
        "seed": 1,
        "level": 0.95,
    }


def test_compare_has_given_alignments() -> None:
    """Links of each system, by its name."""
    lines, references = ["a b"] * 12, ["a b"] * 12
    crossed = {"A": ["0-0 1-1"] * 12, "B": ["0-1 1-0"] * 12}
    found = compare(
        {"A": lines, "B": lines}, references, ["kendall:bp=off"], alignments=crossed, samples=9
    )
    assert [rank.system for rank in found.ranking("kendall:bp=off")] == ["A", "B"]
    assert [rank.value for rank in found.ranking("kendall:bp=off")] == [1, 0]


def test_alignments_are_those_of_all_systems() -> None:
    """Or numbers of other metrics would stand side by side."""
    systems = {"A": ["a"] * 12, "B": ["a"] * 12}
    with pytest.raises(ValueError, match="alignments has none for 'B'"):
        compare(systems, ["a"] * 12, "pef", alignments={"A": ["0-0"] * 12})
    with pytest.raises(ValueError, match="alignments has 'C', which is none of the systems"):
        compare(systems, ["a"] * 12, "pef", alignments=dict.fromkeys("ABC", ["0-0"] * 12))


def test_samples_that_are_too_few_are_said() -> None:
    systems = {name: GOOD if name == "a" else BAD for name in "abcd"}
    few = compare(systems, GOOD, "wer", samples=119, correction="holm")  # 6 pairs: 6/120 = 0.05
    assert few.warnings == [
        "with 119 samples and 6 pairs, no p can be less than 0.050: at least 120 samples are needed"
    ]
    assert compare(systems, GOOD, "wer", samples=120, correction="holm").warnings == []
    assert compare(systems, GOOD, "wer", samples=20).warnings == []
    (alone,) = compare(systems, GOOD, "wer", samples=19).warnings
    assert alone.startswith("with 19 samples, no p can be less than 0.050: at least 20 samples")


def test_it_is_exported() -> None:
    assert hb.compare is compare
    assert hb.metrics.Comparison is Comparison
