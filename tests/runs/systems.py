"""Systems to compare, and twins: slow functions that score a whole corpus."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from hyperbaton.runs.comparing import Comparison, compare
from hyperbaton.stats.resampling import bootstrap_counts, swap_counts
from metrics import corpora
from reference import scoring

SAMPLES, SEED = 60, 5
CORPUS = corpora.corpus(31, 30)


def other_system(seed: int) -> list[str]:
    """An edited copy of the hypotheses."""
    rng = random.Random(seed)
    return [" ".join(corpora.edited(rng, line.split())) for line in CORPUS.hypotheses]


SYSTEMS = {"first": CORPUS.hypotheses, "second": other_system(1), "third": other_system(2)}


def draws(method: str, segments: int, samples: int, seed: int) -> list[list[int]]:
    """The samples that the library draws, as the twins of resampling take them."""
    counts = bootstrap_counts if method == "bootstrap" else swap_counts
    return [row for part in counts(segments, samples, seed) for row in part.tolist()]


def sacrebleu_score(metric: Any, segments: Sequence[scoring.Segment]) -> float:
    """sacreBLEU's score of these segments, divided by 100."""
    most = max(len(segment.refs) for segment in segments)
    references = [[" ".join(ref) for ref in segment.refs] for segment in segments]
    streams = [[dict(enumerate(refs)).get(k) for refs in references] for k in range(most)]
    hypotheses = [" ".join(segment.hyp) for segment in segments]
    return float(metric.corpus_score(hypotheses, streams).score / 100)


# The twins score each sample as a corpus, without the metrics of Hyperbaton.
TWINS: dict[str, Callable[[list[scoring.Segment]], float]] = {
    "wer": lambda segments: scoring.error_rate(segments, "wer").value,
    "pef": lambda segments: scoring.order(segments, "pef").value,
    "pef:weight=ref,bp=off": (
        lambda segments: scoring.order(segments, "pef", "ref", bp="off").value
    ),
    "lrscore": lambda segments: scoring.lrscore(segments).value,
    "bleu:case=lc": partial(sacrebleu_score, BLEU(lowercase=True)),
    "chrf:case=lc": partial(sacrebleu_score, CHRF(lowercase=True)),
}


@cache
def compared(method: str, **options: Any) -> Comparison:
    """Compare the three systems by all metrics that have a twin."""
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
    """The segments of a system as the twins take them."""
    return corpora.aligned(corpora.Corpus(SYSTEMS[name], CORPUS.references))


# Four references of four words. A has 0, 1, 2, 0 wrong words, and B has 1, 1, 0, 2.
QUARTERS = ["a b c d"] * 4
A = ["a b c d", "a b c x", "a b x x", "a b c d"]
B = ["a b c x", "a b x d", "a b c d", "a x x d"]

# GOOD is the reference, too.
GOOD = ["a b c d e f"] * 24
WORSE = ["a b c d x f"] * 12 + ["a b c d e f"] * 12
BAD = ["a b x x x f", "a c b x e f"] * 12
FOUR = {"bad": BAD, "good": GOOD, "worse": WORSE, "good too": [*GOOD[:-1], "a b c e d f"]}
