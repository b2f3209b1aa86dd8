"""Bindings of the source aligner: training and links."""

from __future__ import annotations

from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call, refuse
from fuzz.python.targets import require, target

from hyperbaton import _core

WORDS = 6
LONGEST = 6
JUMPS = 201


def _spellings(source: ByteSource, words: int) -> tuple[Any, Any]:
    return (
        source.integers(words, 0, 20).astype(np.int32),
        source.integers(words, -1, 9).astype(np.int32),
    )


@target("binding_translation")
def check_translation(data: bytes) -> None:
    """Train on a small bitext, and align with the model."""
    source = ByteSource(data)
    bitext = _core.Bitext()
    for _ in range(source.integer(1, 2)):
        count = source.integer(0, 4)
        sides = (
            *source.batch(count, LONGEST, 0, WORDS - 1),
            *source.batch(count, LONGEST, 0, WORDS - 1),
        )
        call(source, "Bitext.add", bitext.add, *sides)
    require(len(bitext) >= 0, "a length")
    require(bitext.distinct_sources <= len(bitext) + 1, "no more sources than pairs")
    require(bitext.empty_pairs >= 0 and bitext.long_pairs >= 0, "counts")
    call(source, "Bitext.used_words", bitext.used_words, source.integer(0, 1), WORDS)
    tables = [np.arange(WORDS, dtype=np.int32) for _ in range(2)]
    call(source, "Bitext.arrange", bitext.arrange, *tables)
    spellings = (*_spellings(source, WORDS), *_spellings(source, WORDS))
    iterations = tuple(source.integer(0, 3) for _ in range(3))

    def reenter(done: int, total: int) -> None:
        is_refused = False
        try:
            bitext.arrange(*tables)
        except RuntimeError:
            is_refused = True
        require(is_refused or done == total, "nobody changes a bitext in training")

    progress = source.choice((None, lambda done, total: None, refuse, reenter))
    if source.chance(64):
        side = source.integer(0, 1)
        call(source, "sample_chain", _core.sample_chain, bitext, *spellings, side, 7, iterations)
    trained = call(
        source, "train_aligner", _core.train_aligner, bitext, *spellings, 1, iterations, 1, progress
    )
    if trained is None:
        return
    to_target, to_source, samples = trained
    check_aligner(source, [*spellings, max(samples, 1), *to_target, *to_source])


@target("binding_source_aligner")
def check_source_aligner(data: bytes) -> None:
    """Align with counts that were never trained."""
    source = ByteSource(data)
    arguments: list[Any] = [*_spellings(source, WORDS), *_spellings(source, WORDS)]
    arguments.append(source.integer(1, 9))
    for _ in range(2):
        words, offsets = source.batch(WORDS, 3, 0, WORDS - 1)
        jumps = np.zeros(JUMPS, np.uint64)
        jumps[source.integer(0, JUMPS - 1)] = abs(source.any_integer())
        nulls = np.array([abs(source.any_integer()) for _ in range(WORDS)], np.uint64)
        counts = source.integers(len(words), 0, 9).astype(np.uint32)
        arguments += [offsets, words, counts, nulls, jumps]
    check_aligner(source, arguments)
    matrix = source.integers(12, 0, 9).astype(np.float64)
    order = call(source, "expected_kendall", _core.expected_kendall, matrix, source.integer(0, 12))
    require(order is None or 0 <= order <= 1, "an order is from 0 to 1")


def check_aligner(source: ByteSource, arguments: list[Any]) -> None:
    """Make an aligner, and ask it for links and posteriors."""
    aligner = call(source, "SourceAligner", _core.SourceAligner, *arguments)
    if aligner is None:
        return
    sides: list[Any] = []
    count = source.integer(0, 2)
    for _ in range(2):
        words, offsets = source.batch(count, LONGEST, -1, WORDS - 1)
        sides.append([words, *_spellings(source, len(words)), offsets])
    method, threshold, threads = source.integer(0, 4), source.integer(-1, 5) / 4, 1
    both = (*sides[0], *sides[1])
    call(source, "SourceAligner.links", aligner.links, *both, method, threshold, threads)
    call(source, "SourceAligner.expected_kendall", aligner.expected_kendall, *both, threads)
    pair = (*sides[0][:3], *sides[1][:3])
    quarters = source.integer(-1, 5)
    found = call(source, "SourceAligner.posteriors", aligner.posteriors, *pair, quarters)
    for values in found or ():
        require(np.isfinite(values).all(), "posteriors are finite")
