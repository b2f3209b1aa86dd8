"""Eight threads call every function of the core and the public functions at the same time.

``make tsan`` runs these tests under ThreadSanitizer, for THREADS_SECONDS each.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton import _core
from threads.core_calls import SENTENCES, core_calls, names_of_core, text_lines
from threads.running import rounds, run_together

CALLERS = 8
METRICS = ["pef", "order", "invwer", "ribes", "bleu"]


def same(a: object, b: object) -> bool:
    """Whether results are the same to the last bit."""
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        assert isinstance(b, dict)
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple | list):
        assert isinstance(b, tuple | list)
        return len(a) == len(b) and all(map(same, a, b))
    # Other objects of the core have no value.
    return type(a) is type(b) if type(a).__module__ == _core.__name__ else a == b


def public_calls() -> dict[str, Callable[[], object]]:
    """Calls of public functions that use the core."""
    rng = random.Random(2)
    hyps, refs = text_lines(rng, SENTENCES), text_lines(rng, SENTENCES)
    words = [(hyp.split(), ref.split()) for hyp, ref in zip(hyps, refs, strict=True)]
    error_rate_words = [hyp for hyp, _ in words], [[ref] for _, ref in words]
    perms = [rng.sample(range(1, n + 1), n) for n in rng.choices(range(12), k=SENTENCES)]
    tree = [0, 1, 1, 2, 2], [2, 0, 2, 3, 3]
    systems = {"a": hyps, "b": hyps[::-1]}
    aligner = hb.SourceAligner.train(zip(hyps, refs, strict=True), iterations=2, threads=1)
    return {
        "measures": lambda: hb.measures(perms),
        "reordering_profile": lambda: str(hb.reordering_profile(perms)),
        "align_many": lambda: hb.align_many(hyps, refs, "en", threads=2),
        "align": lambda: hb.align(hyps[1], refs[1]),
        "inversion_distances": lambda: hb.inversion_distances(words, threads=2),
        "cder": lambda: hb.cder(*error_rate_words, threads=2),
        "tree_distances": lambda: hb.tree_distances([tree] * 50, threads=2),
        "SourceAligner.align": lambda: aligner.align(hyps, refs, threads=2),
        "score": lambda: str(hb.score(hyps, refs, METRICS, threads=2)),
        "compare": lambda: str(hb.compare(systems, refs, "pef", samples=50, threads=2)),
        "explain_many": lambda: len(list(hb.explain_many(hyps[:20], refs[:20], "pef", threads=2))),
    }


def test_every_function_of_the_core_is_called() -> None:
    assert {name.partition(" ")[0] for name in core_calls()} == names_of_core()


@pytest.mark.parametrize("kind", ["core", "public"])
def test_results_do_not_depend_on_other_threads(kind: str) -> None:
    calls = dict(core_calls()) if kind == "core" else public_calls()
    expected = {name: call() for name, call in calls.items()}

    def work(seed: int) -> None:
        # Each call at least once, in an order of its own.
        names = random.Random(seed).sample(list(calls), len(calls))
        for number in rounds(len(names)):
            name = names[number % len(names)]
            assert same(calls[name](), expected[name]), name

    run_together([partial(work, seed) for seed in range(CALLERS)])
