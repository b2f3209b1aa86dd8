"""Permutations: measures, trees, growth and threads. Prints Markdown tables."""

from __future__ import annotations

import itertools
import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.timing import (
    ROUNDS,
    compare_speed,
    compare_threads,
    print_header,
    print_table,
    seconds,
)
from permuta import Perm
from scipy.stats import kendalltau

import hyperbaton as hb

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from reference import forest as reference
from reference.flat import FLAT

BETA = 0.6


def naive_measures(pi: tuple[int, ...]) -> None:
    """Compute every measure with its reference implementation."""
    for twin in FLAT.values():
        twin(pi)
    reference.pet_score(pi, BETA, reference.op_score())
    reference.pef_score(pi, BETA, reference.op_score())
    reference.pef_beer(pi, BETA)
    reference.pet_size(pi)
    reference.pet_count(pi)
    reference.max_operator(pi)
    reference.average_operator(pi)


def translation_like(count: int, n: int) -> np.ndarray[Any, Any]:
    """Return permutations of words that moved a little: the ranks of i + noise."""
    noise = np.random.default_rng(25).normal(0, 1.2, (count, n))
    return np.argsort(np.argsort(np.arange(n) + noise)) + 1


def measures() -> None:
    rows = []
    n = 25
    kinds = {
        "random": np.array([hb.Permutation.random(n, seed) for seed in range(20_000)], np.int64),
        "mostly in order": translation_like(20_000, n),
    }
    identity = np.arange(1, n + 1)
    for kind, perms in kinds.items():
        values, offsets = perms.reshape(-1), np.arange(len(perms) + 1) * n

        def ours(values: Any = values, offsets: Any = offsets) -> None:
            hb.measures(values, offsets, threads=1)

        few = perms[:300]
        fewest = [tuple(map(int, pi)) for pi in perms[:8]]
        peer = compare_speed(
            ours, len(perms), lambda few=few: [kendalltau(pi, identity) for pi in few], len(few)
        )
        rows.append([kind, "scipy.stats.kendalltau alone", *peer])
        peer = compare_speed(
            ours,
            len(perms),
            lambda fewest=fewest: [naive_measures(pi) for pi in fewest],
            len(fewest),
        )
        rows.append([kind, "the naive twins, all measures", *peer])
    print_table(
        "All measures together (`hb.measures`) at n = 25, one thread, per permutation",
        ["permutations", "peer", "Hyperbaton", "peer's time", "ratio"],
        rows,
    )


def trees() -> None:
    rows = []
    for kind, maker in {
        "random": lambda seed: hb.Permutation.random(200, seed),
        "mostly in order": lambda seed: hb.Permutation(translation_like(20, 200)[seed]),
    }.items():
        perms = [maker(seed) for seed in range(20)]
        peers = [Perm([value - 1 for value in pi]) for pi in perms]
        result = compare_speed(
            lambda perms=perms: [pi.tree() for pi in perms for _ in range(10)],
            len(perms) * 10,
            lambda peers=peers: [pi.block_decomposition() for pi in peers],
            len(peers),
        )
        rows.append([kind, "permuta's `block_decomposition`", *result])
    print_table(
        "`Permutation.tree()` at n = 200, per permutation",
        ["permutations", "peer", "Hyperbaton", "peer's time", "ratio"],
        rows,
    )


def nested(n: int) -> hb.Permutation:
    """Return ⟨2,4,1,3⟩ with another ⟨2,4,1,3⟩ in place of its 4, and so on."""
    depth = n // 3
    low = 3 * np.arange(depth) + 1
    after = np.stack([low + 2, low], axis=1).reshape(-1)[::-1]
    return hb.Permutation(np.concatenate([low + 1, [3 * depth + 1], after]))


def growth() -> None:
    rows = []
    for name, maker in {
        "random": lambda n: hb.Permutation.random(n, 1),
        "identity": hb.Permutation.identity,
        "reversed": hb.Permutation.reverse,
        "nested ⟨2,4,1,3⟩": nested,
    }.items():
        times = []
        for n in (10_000, 100_000, 1_000_000):
            pi = maker(n)
            pi.tree()
            times.append(statistics.median(seconds(pi.tree) for _ in range(ROUNDS)))
        steps = [f"{b / a:.1f} ×" for a, b in itertools.pairwise(times)]
        rows.append([name, *(f"{1e3 * t:,.2f} ms" for t in times), *steps])
    print_table(
        "`Permutation.tree()` as n grows",
        ["permutation", "n = 10⁴", "10⁵", "10⁶", "10⁴ → 10⁵", "10⁵ → 10⁶"],
        rows,
    )


def threads() -> None:
    perms = translation_like(100_000, 25)
    values, offsets = perms.reshape(-1), np.arange(len(perms) + 1) * 25
    compare_threads(
        "`hb.measures`, 100,000 permutations of 25 values",
        lambda n: hb.measures(values, offsets, threads=n),
    )


def input_forms() -> None:
    perms = translation_like(100_000, 25)
    inputs = {
        "flat values with `offsets=`": (perms.reshape(-1), np.arange(len(perms) + 1) * 25),
        "a list of lists": (perms.tolist(), None),
        "a list of `Permutation`": ([hb.Permutation(pi) for pi in perms], None),
        "a list of arrays": (list(perms), None),
    }
    rows = []
    for form, (values, offsets) in inputs.items():
        times = [seconds(lambda v=values, o=offsets: hb.measures(v, o)) for _ in range(ROUNDS)]
        rows.append([form, f"{1e3 * statistics.median(times):,.0f} ms"])
    print_table("`hb.measures`, the same 100,000 permutations, all cores", ["input", "time"], rows)


def long_chains() -> None:
    rows = []
    for k in (1_000, 10_000, 100_000):
        pairs = hb.Permutation(np.arange(1, 2 * k + 1).reshape(-1, 2)[:, ::-1].reshape(-1))
        times = [seconds(lambda m=m, p=pairs: m(p)) for m in (hb.pet, hb.pef, hb.pef_beer)]
        rows.append([f"{k:,}", *(f"{1e3 * t:,.1f} ms" for t in times)])
    print_table(
        "⟨2, 1, 4, 3, …⟩, one chain of k children that are not leaves: the worst case of `pef`",
        ["k", "pet", "pef", "pef_beer"],
        rows,
    )


def main() -> None:
    print_header()
    for part in (measures, trees, growth, threads, input_forms, long_chains):
        part()


if __name__ == "__main__":
    main()
