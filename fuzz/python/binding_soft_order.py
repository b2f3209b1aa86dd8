"""Bindings of the soft order: similarity of characters, counts of a corpus, precedence, anchors."""

from __future__ import annotations

from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call
from fuzz.python.targets import require, target

from hyperbaton import _core

LONGEST = 7
MOST_COUNTED = 100  # words; a spoilt number may be a million


@target("binding_order_statistics")
def check_order_statistics(data: bytes) -> None:
    """Call a binding that compares the characters of words."""
    source = ByteSource(data)
    name = source.choice(
        ("order_statistics", "matched_steps", "own_precedence", "character_overlap")
    )
    words = source.integer(1, 6)
    characters, character_offsets = source.batch(words, 5, 0, 40)
    count = source.integer(1, 3)
    hyps, hyp_offsets = source.batch(count, LONGEST, 0, words - 1)
    refs, ref_offsets = source.batch(count, LONGEST, 0, words - 1)
    batches: tuple[Any, ...] = (hyps, hyp_offsets, refs, ref_offsets, characters, character_offsets)
    options = [source.integer(1, 8) / 4 for _ in range(3)]
    if source.chance(64):
        options = [source.any_float() for _ in range(3)]
    if name == "order_statistics":
        vocabulary = source.choice((0, 1, 2, 1 << 62))
        given = *batches, vocabulary, *options, source.chance(128), 1
        found = call(source, name, _core.order_statistics, *given)
        require(found is None or all(len(row) == count for row in found), "one for each pair")
    elif name == "matched_steps":
        call(source, name, _core.matched_steps, hyps, refs, characters, character_offsets, *options)
    elif name == "own_precedence":
        lines = _core.Lines.from_strings([f"line {k}" for k in range(count)])
        starts = np.array(source.choice(([0, count], [0, *range(count + 1)], [0, 1, count])))
        classes = source.integers(words, 0, 1).astype(np.int32)
        call(source, name, _core.own_precedence, lines, starts, *batches, classes, 1)
    else:
        call(source, name, _core.character_overlap, *batches, options[0], 1)


@target("binding_precedence")
def check_precedence(data: bytes) -> None:
    """Count the pairs of a small corpus, and score with the model of it."""
    source = ByteSource(data)
    words = source.integer(1, 5)
    numbers, offsets = source.batch(source.integer(1, 4), 5, 0, words - 1)
    names = [f"line {k}" for k in range(len(offsets) - 1)]
    parts = source.integer(1, 3)
    counter = call(
        source, "LineCounter", _core.LineCounter, source.integer(0, parts - 1), parts
    ) or _core.LineCounter(0, 1)
    lines = _core.Lines.from_strings(names)
    call(source, "LineCounter.add", counter.add, lines, numbers, offsets)
    require(0 <= counter.lines <= len(names) and len(counter.digest) == 2, "as many as were added")
    word_counts = call(source, "LineCounter.word_counts", counter.word_counts)
    if word_counts is None or len(word_counts) > MOST_COUNTED:
        return
    seen = len(word_counts)
    ranks = np.arange(seen, dtype=np.int32)
    tables: list[Any] = []
    for distance in (1, 2):
        table = call(source, "LineCounter.take_table", counter.take_table, distance, ranks, seen)
        if table is None:
            return
        tables += table
    word_counts = np.append(word_counts, [counter.lines] * 2)  # the marks of begin and end
    classes = source.integers(len(word_counts), 0, 1).astype(np.int32)
    model = call(source, "PrecedenceModel", _core.PrecedenceModel, word_counts, *tables, classes, 2)
    if model is None:
        return
    items = source.integers(words, 0, seen + 4).astype(np.int32)
    hyps, hyp_offsets = source.batch(2, LONGEST, 0, words - 1)
    refs, ref_offsets = source.batch(2, LONGEST, 0, words - 1)
    batches = (hyps, hyp_offsets, refs, ref_offsets, items)
    call(source, "PrecedenceModel.values", model.values, *batches, 1)
    call(source, "PrecedenceModel.losses", model.losses, hyps, refs, items)


@target("binding_anchors")
def check_anchors(data: bytes) -> None:
    """Find the anchors of two systems, and pair them; some come from a damaged file."""
    source = ByteSource(data)
    segments = source.integer(1, 3)
    counts = [source.integer(0, 2) for _ in range(segments)]
    starts = np.array([sum(counts[:k]) for k in range(segments + 1)], np.int64)
    refs, ref_offsets = source.batch(sum(counts), LONGEST, 0, 9)
    anchors: list[Any] = []
    for _ in range(2):
        hyps, hyp_offsets = source.batch(segments, LONGEST, 0, 9)
        batches = hyps, hyp_offsets, refs, ref_offsets, starts
        found = call(source, "find_anchors", _core.find_anchors, *batches, 1)
        anchors += found or source.batch(segments, LONGEST, -1, LONGEST)
    paired = call(source, "pair_anchors", _core.pair_anchors, *anchors, 1)
    if paired is not None:
        weights, a, b, tokens = paired
        require(len(weights) == len(a) == len(b) == len(tokens), "a number for each segment")
        require(
            all(0 <= weight <= count for weight, count in zip(weights, tokens, strict=True)),
            "no more anchors than words",
        )
        require(all(0 <= share <= 1 for share in (*a, *b)), "shares of neighbours")
