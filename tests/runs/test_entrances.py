"""All functions that score go through the engine: it refuses what breaks a metric's contract."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import hyperbaton as hb
from hyperbaton.metrics.options import Option
from hyperbaton.runs.run import Run
from hyperbaton.runs.scoring import source_alignment_for
from hyperbaton.stats.sampling import Sampling

REFERENCES = ["a b c", "c d"]
SYSTEMS = {"x": ["a b", "x d"], "y": ["b a", "d c"]}
HYPOTHESES = SYSTEMS["x"]
N = len(REFERENCES)
BREACHES: dict[str, tuple[Callable[[int], Any], str]] = {
    "a row too many": (
        lambda n: np.ones((n + 1, 1)),
        "statistics must have a row for each of {n} segments, got the shape ({more}, 1)",
    ),
    "no columns": (
        lambda n: np.ones((n, 0)),
        "statistics must have a row for each of {n} segments, got the shape ({n}, 0)",
    ),
    "flat": (
        np.ones,
        "statistics must have a row for each of {n} segments, got the shape ({n},)",
    ),
    "not finite": (
        lambda n: np.full((n, 2), [1, np.nan]),
        "the statistics of segment 0 of a batch are not finite",
    ),
    "another type": (
        lambda n: np.ones((n, 1), np.float32),
        "statistics must be an array of float64, got float32",
    ),
    "no array": (lambda n: [[1.0]] * n, "statistics must be an array of float64, got list"),
}


class Careless(hb.Metric):
    """A metric of another package, whose statistics are wrong in some way."""

    VARIANTS: ClassVar[Any] = {"careless": hb.metrics.get("wer").variant}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "breach": Option("flat", "what is wrong", tuple(BREACHES)),
        "alpha": Option(0.5, "a weight"),
    }

    def statistics(self, batch: hb.metrics.Batch) -> Any:
        make, _ = BREACHES[self.text_option("breach")]
        return make(len(batch))

    def aggregate(self, sums: Any) -> Any:
        return sums[..., 0]


def careless(breach: str) -> Careless:
    Careless.VARIANTS = {"careless": hb.metrics.Variant("", "", "", {"breach": breach})}
    return Careless()


def judged() -> hb.TestSet:
    people = hb.Rankings.from_pairs(["x", "y"], [0, 1], [0, 0], [1, 1], n=N)
    return hb.TestSet.of("de-en", SYSTEMS, [[line] for line in REFERENCES], [people])


def score_rows(metric: hb.Metric, on_error: str = "raise") -> Any:
    table = pa.table({"hypothesis": HYPOTHESES, "reference": REFERENCES})
    return hb.TableScorer(metric, on_error=on_error)(table)


ENTRANCES: dict[str, tuple[Callable[[hb.Metric], Any], int]] = {
    "score": (lambda metric: hb.score(HYPOTHESES, REFERENCES, metric), N),
    "compare": (lambda metric: hb.compare(SYSTEMS, REFERENCES, metric), N),
    "meta_evaluate": (lambda metric: hb.meta_evaluate(judged(), metric, samples=5), N),
    "tune": (lambda metric: hb.tune(metric, judged(), "alpha", folds=2), N),
    "TableScorer": (score_rows, N),
    "TableScorer with nulls": (lambda metric: score_rows(metric, "null"), N),
    "explain_many": (lambda metric: list(hb.explain_many(HYPOTHESES, REFERENCES, metric)), N),
    "explain": (lambda metric: hb.explain(HYPOTHESES[0], REFERENCES[0], metric), 1),
    "sentence_score": (lambda metric: metric.sentence_score("a b", ["b a"]), 1),
    "corpus_score": (lambda metric: metric.corpus_score(HYPOTHESES, [REFERENCES]), N),
}


@pytest.mark.parametrize("breach", BREACHES)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_statistics_that_break_the_contract_are_refused_everywhere(
    entrance: str, breach: str
) -> None:
    enter, n = ENTRANCES[entrance]
    with pytest.raises(hb.InputError) as caught:
        enter(careless(breach))
    assert str(caught.value) == "careless: " + BREACHES[breach][1].format(n=n, more=n + 1)


def test_a_run_can_be_pickled() -> None:
    run = Run(
        {"pef": hb.metrics.get("pef:beta=0.3", "en"), "hyper": hb.metrics.get("hyper")},
        "en",
        source_alignment=source_alignment_for(True, "de", None),
        sampling=Sampling(seed=3),
        baseline="x",
        correction="holm",
        threads=2,
    )
    assert pickle.loads(pickle.dumps(run)) == run
    with pytest.raises(hb.InputError, match="threads"):
        Run({}, threads=0)
