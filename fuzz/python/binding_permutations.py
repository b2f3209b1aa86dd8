"""Bindings of permutations, with the naive twins on small ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call, odd_object
from fuzz.python.targets import require, target

from hyperbaton import _core
from reference import flat, forest

SIMPLE: dict[str, Callable[[Sequence[int]], Any]] = {
    "kendall": flat.kendall,
    "kendall_sqrt": flat.kendall_sqrt,
    "spearman": flat.spearman,
    "footrule": flat.footrule,
    "hamming": flat.hamming,
    "ulam": flat.ulam,
    "fuzzy": flat.fuzzy,
    "breakpoints": flat.breakpoints,
    "pet_size": forest.pet_size,
    "pet_count": forest.pet_count,
    "max_operator": forest.max_operator,
    "average_operator": forest.average_operator,
}
OTHERS = ("measures", "pet", "pef", "pet_scores", "pef_scores", "pef_beer", "operators")
MOVES = ("block_moves", "reorderings", "flat_tree", "pet_tree", "checked", "integers", "pack")
MOST_FOR_TWIN = 6  # values; some twins try everything
MOST_VALUES = 14


def _same(found: float, expected: Any) -> bool:
    return math.isclose(found, float(expected), rel_tol=1e-9, abs_tol=1e-12)


def _permutations(source: ByteSource) -> list[list[int]]:
    return [source.permutation(MOST_VALUES) for _ in range(source.integer(0, 4))]


@target("binding_permutations")
def check_permutations(data: bytes) -> None:
    """Call one binding with a batch of permutations."""
    source = ByteSource(data)
    name = source.choice((*SIMPLE, *OTHERS, *MOVES))
    perms = _permutations(source)
    kind = np.int32 if source.chance(128) else np.int64
    values: npt.NDArray[Any] = np.array([v for perm in perms for v in perm], kind)
    offsets = source.offsets([len(perm) for perm in perms])
    threads = source.integer(0, 3)
    if name in SIMPLE:
        scores = call(source, name, getattr(_core, name), values, offsets, threads)
        if scores is not None:
            _compare(SIMPLE[name], perms, scores)
    elif name == "measures":
        columns = call(source, name, _core.measures, values, offsets, threads)
        for measure in columns or ():
            if measure in SIMPLE:
                _compare(SIMPLE[measure], perms, columns[measure])
    elif name in ("pet", "pef", "pef_beer"):
        _check_recursive(source, name, perms, values, offsets)
    elif name in ("pet_scores", "pef_scores"):
        _, starts, nodes = _core.operators(values, offsets, 1)
        scores = source.floats(len(starts) - 1)
        beta = source.any_float()
        function = getattr(_core, name[:3])
        call(source, name[:3], function, values, offsets, threads, beta, scores, nodes)
    elif name == "block_moves":
        minor = source.integers(len(values), 0, 1).astype(np.uint8)
        call(source, name, _core.block_moves, values, offsets, minor, threads)
    elif name in ("operators", "reorderings"):
        call(source, name, getattr(_core, name), values, offsets, threads)
    else:
        _check_one(source, name, perms)


def _compare(
    twin: Callable[[Sequence[int]], Any], perms: list[list[int]], scores: npt.NDArray[np.float64]
) -> None:
    require(len(scores) == len(perms), "one score for each permutation")
    for perm, score in zip(perms, scores, strict=True):
        if len(perm) <= MOST_FOR_TWIN:
            require(_same(score, twin(tuple(perm))), f"{twin.__name__} of {perm} is not {score}")


def _check_recursive(
    source: ByteSource,
    name: str,
    perms: list[list[int]],
    values: npt.NDArray[Any],
    offsets: npt.NDArray[np.int64],
) -> None:
    beta, gamma = source.integer(0, 4) / 4, source.integer(0, 4) / 4
    is_usual = not source.chance(64)
    if not is_usual:
        beta, gamma = source.any_float(), source.any_float()
    options = (beta,) if name == "pef_beer" else (beta, gamma)
    scores = call(source, name, getattr(_core, name), values, offsets, 1, *options)
    # The twin of pef_beer divides by 0 if all trees have the same score.
    if scores is None or not is_usual or (name == "pef_beer" and beta in (0, 1)):
        return
    twins: dict[str, Callable[[Sequence[int]], Any]] = {
        "pet": lambda pi: forest.pet_score(pi, beta, forest.op_score(gamma)),
        "pef": lambda pi: forest.pef_score(pi, beta, forest.op_score(gamma)),
        "pef_beer": lambda pi: forest.pef_beer(pi, beta),
    }
    _compare(twins[name], [perm for perm in perms if perm], scores[[bool(p) for p in perms]])


def _check_one(source: ByteSource, name: str, perms: list[list[int]]) -> None:
    perm: list[Any] = list(perms[0]) if perms else [1]
    if source.chance(64):
        perm.insert(source.integer(0, len(perm)), odd_object(source, [perm, *perms]))
    if name == "integers":
        call(source, name, _core.integers, perm)
    elif name == "pack":
        call(source, name, _core.pack, [perm, *perms])
    else:
        values = np.array(perms[0] if perms else [1], np.int32)
        reduces = [source.integers(source.integer(0, 6), 0, 4).astype(np.int32)]
        arguments = [values, *(reduces if name == "pet_tree" else [])]
        found = call(source, name, getattr(_core, name), *arguments)
        if name == "checked" and found is not None:
            require(found.tolist() == values.tolist(), "a copy of the values")
