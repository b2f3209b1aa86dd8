"""Bindings of the aligner, of links and of paraphrases."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call
from fuzz.python.targets import require, target

from hyperbaton import _core


@target("binding_align")
def check_align(data: bytes) -> None:
    """Align a batch with stems, synsets and phrases."""
    source = ByteSource(data)
    words = source.integer(1, 12)
    count, longest = source.choice(((1, 8), (3, 5), (1, 24), (0, 0)))
    hyps, hyp_offsets = source.batch(count, longest, 0, words - 1)
    refs, ref_offsets = source.batch(count, longest, 0, words - 1)
    if source.chance(64):
        found = call(
            source, "context_links", _core.context_links, hyps, hyp_offsets, refs, ref_offsets, 1
        )
        require(found is None or (found >= -1).all(), "a link or -1")
        return
    stems = source.integers(words if source.chance(128) else 0, 0, words - 1).astype(np.int32)
    synsets, synset_offsets = source.batch(words, 3, 0, 5)
    if not source.chance(128):
        synsets, synset_offsets = synsets[:0], synset_offsets[:0]
    phrases: list[list[int]] = []
    sizes = []
    for k in range(count):
        n, m = np.diff(hyp_offsets)[k], np.diff(ref_offsets)[k]
        rows = sorted(_link(source, int(n), int(m)) for _ in range(source.integer(0, 3)) if n * m)
        phrases += rows
        sizes.append(len(rows))
    found = call(
        source,
        "align",
        _core.align,
        hyps,
        hyp_offsets,
        refs,
        ref_offsets,
        words,
        not source.chance(32),
        stems,
        synsets,
        synset_offsets,
        np.array(phrases, np.int32).ravel(),
        source.offsets(sizes),
        np.array([source.integer(1, 4) for _ in range(4)], np.int64),
        source.choice((1000, 0, 1, 50, 1 << 20)),
        source.chance(128),
        source.integer(0, 2),
    )
    if found is not None:
        _check_links(found, hyp_offsets, ref_offsets)


def _link(source: ByteSource, n: int, m: int) -> list[int]:
    h, r = source.integer(0, n - 1), source.integer(0, m - 1)
    return [h, source.integer(1, n - h), r, source.integer(1, m - r), source.integer(0, 3)]


def _check_links(found: Any, hyp_offsets: Any, ref_offsets: Any) -> None:
    """Links lie inside their sentences, and no word has two."""
    rows, offsets, proven = found
    rows = rows.reshape(-1, 5)
    require(len(proven) == len(offsets) - 1, "one flag for each pair")
    for k in range(len(offsets) - 1):
        used: tuple[set[int], set[int]] = (set(), set())
        lengths = int(np.diff(hyp_offsets)[k]), int(np.diff(ref_offsets)[k])
        for row in rows[offsets[k] : offsets[k + 1]].tolist():
            for side in (0, 1):
                covered = set(range(row[2 * side], row[2 * side] + row[2 * side + 1]))
                require(not covered & used[side], "a word has two links")
                require(max(covered) < lengths[side], "a link is outside of its sentence")
                used[side].update(covered)


@target("binding_vectors")
def check_vectors(data: bytes) -> None:
    """Link words by vectors, which may hold any bits."""
    source = ByteSource(data)
    count, longest = source.choice(((1, 8), (3, 5), (1, 24), (0, 0)))
    dimensions = source.choice((2, 0, 1, 17))
    hyps, hyp_offsets = source.batch(count, longest, 0, 5)
    refs, ref_offsets = source.batch(count, longest, 0, 5)
    vectors = []
    for words in (hyps, refs):
        size = len(words) * dimensions + (source.integer(0, 2) if source.chance(16) else 0)
        numbers = source.integers(size, -3, 3).astype(np.float32)
        if source.chance(64) and size:
            numbers[source.integer(0, size - 1)] = source.choice((np.nan, np.inf, 1e38, 1e-45))
        vectors.append(numbers)
    weights = [source.choice((0.1, 0.0, 1.0, float("nan"), -1.0)) for _ in range(3)]
    arguments = (hyps, hyp_offsets, vectors[0], refs, ref_offsets, vectors[1], dimensions, *weights)
    try:
        found = call(source, "vector_links", _core.vector_links, *arguments, source.integer(0, 2))
    except ValueError as error:
        require("vector" in str(error), "only vectors are wrong")
        return
    if found is None:
        return
    for k in range(count):
        linked = found[hyp_offsets[k] : hyp_offsets[k + 1]]
        linked = linked[linked >= 0]
        require(len(set(linked.tolist())) == len(linked), "a word has two links")
        require((linked < np.diff(ref_offsets)[k]).all(), "a link is outside of its sentence")


@target("binding_links")
def check_links(data: bytes) -> None:
    """Call a binding that counts links or makes permutations of them."""
    source = ByteSource(data)
    name = source.choice(("link_counts", "link_places", "link_permutations"))
    hyp_lengths, ref_lengths, sizes, rows = [], [], [], []
    for _ in range(source.integer(0, 3)):
        n, m = source.integer(0, 6), source.integer(0, 6)
        links = [_link(source, n, m) for _ in range(source.integer(0, 4)) if n * m]
        rows += sorted(links) if source.chance(200) else links
        hyp_lengths.append(n)
        ref_lengths.append(m)
        sizes.append(len(links))
    arguments: list[Any] = [
        np.array(rows, np.int32).ravel(),
        source.offsets(sizes),
        np.array(hyp_lengths, np.int64),
        np.array(ref_lengths, np.int64),
    ]
    if name == "link_permutations":
        arguments.append(source.integer(0, 2))
    found = call(source, name, getattr(_core, name), *arguments, source.integer(0, 2))
    if name == "link_permutations" and found is not None:
        values, offsets = found
        for a, b in pairwise(offsets):
            require(sorted(values[a:b]) == list(range(1, b - a + 1)), "a permutation")


@target("binding_paraphrases")
def check_paraphrases(data: bytes) -> None:
    """Find paraphrases with an index that may be damaged."""
    source = ByteSource(data)
    words = source.integer(1, 6)
    count = source.integer(0, 2)
    hyps, hyp_offsets = source.batch(count, 8, -1, words - 1)
    refs, ref_offsets = source.batch(count, 8, -1, words - 1)
    nodes = source.integer(0, 8)
    edges = np.unique(source.integers(nodes, 0, (nodes + 1) * words - 1))
    others, first = source.batch(len(edges) + 1, 3, 0, len(edges))
    arguments = (hyps, hyp_offsets, refs, ref_offsets, words, edges, first.astype(np.int32), others)
    call(source, "paraphrases", _core.paraphrases, *arguments, 1)
