"""Bindings of edit distances and tree edit distances, with the naive twins on small pairs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call, odd_object
from fuzz.python.targets import require, target
from sacrebleu.metrics.lib_ter import translation_edit_rate

from hyperbaton import _core
from reference import inversion, scoring, tree_edit

MOST_FOR_TWIN = 5  # words
COST_LIMIT = 20


def _sentences(values: Any, offsets: Any) -> list[tuple[int, ...]]:
    return [tuple(values[a:b].tolist()) for a, b in pairwise(offsets)]


@target("binding_edit")
def check_edit(data: bytes) -> None:
    """Call a binding of an edit distance."""
    source = ByteSource(data)
    name = source.choice(("inversion_bounds", "inversion_parse", "cder", "units"))
    count, longest = source.choice(((1, 6), (3, 5), (1, 40), (0, 0)))
    s, s_offsets = source.batch(count, longest, 0, source.choice((3, 1, 30)))
    t, t_offsets = source.batch(count, longest, 0, 3)
    pairs = list(zip(_sentences(s, s_offsets), _sentences(t, t_offsets), strict=True))
    small = all(len(a) <= MOST_FOR_TWIN and len(b) <= MOST_FOR_TWIN for a, b in pairs)
    costs = [source.integer(0, COST_LIMIT) for _ in range(4)]
    budget = source.choice((1 << 20, 0, 1, 100, 5000, 1 << 40, (1 << 63) - 1, 1 << 63))
    if name == "units":
        call(source, "use_vector_unit", _core.use_vector_unit, int(_core.vector_units()[-1]))
        _core.use_vector_unit(int(source.choice(_core.vector_units().tolist())))
        name = "inversion_bounds"
    if name == "cder":
        distances = ((_core.cder, inversion.cder), (_core.levenshtein, scoring.levenshtein))
        for function, twin in distances:
            found = call(source, function.__name__, function, s, s_offsets, t, t_offsets, 1)
            if found is not None:
                expected = [twin(a, b) for a, b in pairs]
                require(found.tolist() == expected, f"{pairs}: {found}, not {expected}")
    elif name == "inversion_bounds":
        arguments = (s, s_offsets, t, t_offsets, *costs, budget, 1)
        found = call(source, name, _core.inversion_bounds, *arguments)
        if found is None:
            return
        for (a, b), lower, upper in zip(pairs, *map(np.ndarray.tolist, found), strict=True):
            require(lower <= upper, f"bounds {lower} and {upper} of {a} and {b}")
            if small:
                exact = inversion.distance(a, b, (costs[0], *costs[1:]))
                require(lower <= exact <= upper, f"{exact} is not in {lower}..{upper}: {a} {b}")
    else:
        found = call(source, name, _core.inversion_parse, s, t, *costs, budget)
        if found is not None and len(s) <= MOST_FOR_TWIN and len(t) <= MOST_FOR_TWIN:
            exact = inversion.distance(tuple(s.tolist()), tuple(t.tolist()), tuple(costs))
            require(found[1] <= exact <= found[0], f"parse {found[:2]}, distance {exact}")


@target("binding_translation_edits")
def check_translation_edits(data: bytes) -> None:
    """Count the edits of TER, as sacreBLEU does."""
    source = ByteSource(data)
    # sacreBLEU takes long for longer sentences.
    count, longest = source.choice(((1, 12), (3, 8), (1, 24), (0, 0)))
    types = source.choice((3, 1, 30))
    s, s_offsets = source.batch(count, longest, 0, types)
    t, t_offsets = source.batch(count, longest, 0, types)
    found = call(
        source, "translation_edits", _core.translation_edits, s, s_offsets, t, t_offsets, 1
    )
    if found is not None:
        pairs = list(zip(_sentences(s, s_offsets), _sentences(t, t_offsets), strict=True))
        expected = [translation_edit_rate(list(a), list(b))[0] for a, b in pairs]  # type: ignore[arg-type]
        require(found.tolist() == expected, f"edits of {pairs}: {found}, not {expected}")


@target("binding_trees")
def check_trees(data: bytes) -> None:
    """Call a binding of the tree edit distance."""
    source = ByteSource(data)
    name = source.choice(("tree_matches", "tree_savings", "tree_mapping", "pack_tree_pairs"))
    count, longest = source.choice(((1, 5), (3, 5), (1, 40), (0, 1)))
    a = [source.heads(longest) for _ in range(count)]
    b = [source.heads(longest) for _ in range(count)]
    kind = np.int32 if source.chance(128) else np.int64
    arrays: list[Any] = []
    for side in (a, b):
        arrays.append(np.array([head for heads in side for head in heads], kind))
        arrays.append(source.offsets([len(heads) for heads in side]))
    if name == "pack_tree_pairs":
        pairs: list[Any] = [list(pair) for pair in zip(a, b, strict=True)]
        if source.chance(96):
            pairs.insert(source.integer(0, len(pairs)), odd_object(source, pairs))
        call(source, name, _core.pack_tree_pairs, pairs)
    elif name == "tree_matches":
        found = call(source, name, _core.tree_matches, *arrays, 1)
        if found is not None and longest <= MOST_FOR_TWIN:
            expected = [_most_matched(x, y) for x, y in zip(a, b, strict=True)]
            require(found.tolist() == expected, f"matches of {a} and {b}: {found}")
    elif name == "tree_savings":
        size = sum(len(x) * len(y) for x, y in zip(a, b, strict=True))
        call(source, name, _core.tree_savings, *arrays, source.integers(size, -4, 9), 1)
    else:
        first, second = (np.array(side[0] if side else [0], kind) for side in (a, b))
        savings = None
        if source.chance(128):
            savings = source.integers(len(first) * len(second), -4, 9)
        call(source, name, _core.tree_mapping, first, second, savings, source.integer(-1, 5))


def _most_matched(a: list[int], b: list[int]) -> int:
    recursion = tree_edit.Recursion(a, b)
    return len(a) + len(b) - int(recursion.distance(recursion.a, recursion.b))
