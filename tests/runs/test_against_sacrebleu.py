"""p-values and intervals of BLEU agree with those of sacreBLEU, up to chance."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from hyperbaton.runs.comparing import Comparison, compare

WORDS = [f"w{k}" for k in range(60)]
RATES = (0.2, 0.21, 0.22, 0.23, 0.24, 0.25)


def noisy(words: Sequence[str], rate: float, rng: random.Random) -> str:
    """Replace some words and delete some."""
    changed = []
    for word in words:
        u = rng.random()
        if u < rate:
            changed.append(rng.choice(WORDS))
        elif u > 0.3 * rate + rate:
            changed.append(word)
    return " ".join(changed)


@cache
def noisy_systems() -> tuple[dict[str, list[str]], list[str]]:
    """Systems by their error rates, and the references."""
    rng = random.Random(15)
    lines = [rng.choices(WORDS, k=rng.randint(8, 25)) for _ in range(100)]
    systems = {f"{rate}": [noisy(line, rate, rng) for line in lines] for rate in RATES}
    return systems, [" ".join(line) for line in lines]


MANY = 2000


@cache
def both_results(method: str) -> tuple[Comparison, list[Any]]:
    """The comparison of Hyperbaton, and the results of sacreBLEU's paired test."""
    systems, references = noisy_systems()
    kind = {"bootstrap": "bs", "randomization": "ar"}[method]
    ours = compare(systems, references, ["bleu"], method=method, samples=MANY, baseline="0.2")
    _, found = PairedTest(list(systems.items()), {"BLEU": BLEU()}, [references], kind, MANY)()
    results: list[Any] = list(found["BLEU"])
    for result, other in zip(ours.results, results, strict=True):
        assert result["bleu"].score == pytest.approx(other.score)
    return ours, results


def tolerance(p: float) -> float:
    """Three standard errors of the difference of two shares, with the bias of counting + 1."""
    return 3 * (math.sqrt(2 * p * (1 - p) / MANY) + 1 / MANY)


def test_randomization_p_agrees() -> None:
    ours, other = both_results("randomization")
    for pair, result in zip(ours.differences, other[1:], strict=True):
        assert abs(pair.p - result.p_value) < tolerance(max(pair.p, result.p_value))
    assert len([pair for pair in ours.differences if 0.02 < pair.p < 0.5]) >= 2


def test_bootstrap_p_of_sacrebleu_is_about_half() -> None:
    """For large p, it is a little less than half: sacreBLEU uses absolute differences."""
    ours, other = both_results("bootstrap")
    for pair, result in zip(ours.differences, other[1:], strict=True):
        sampling = tolerance(max(pair.p, result.p_value))
        least = 0.45 if pair.p < 0.15 else 0.3
        assert least * pair.p - sampling < result.p_value < 0.55 * pair.p + sampling
    clear = [k for k, pair in enumerate(ours.differences) if 0.05 < pair.p < 0.5]
    assert len(clear) >= 2
    for k in clear:  # where the factor is larger than the sampling error
        assert other[k + 1].p_value < 0.65 * ours.differences[k].p


def test_intervals_agree() -> None:
    """sacreBLEU reports half the width of the interval and the mean of the samples."""
    ours, other = both_results("bootstrap")
    for result, theirs in zip(ours.results, other, strict=True):
        score = result["bleu"]
        assert score.lower is not None
        assert score.upper is not None
        assert 50 * (score.upper - score.lower) == pytest.approx(theirs.ci, rel=0.08)
        assert 50 * (score.upper + score.lower) == pytest.approx(theirs.mean, abs=0.1 * theirs.ci)
