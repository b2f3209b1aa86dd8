"""Bindings of the statistics of BLEU and chrF."""

from __future__ import annotations

from typing import Any

import numpy as np
from fuzz.python.byte_source import ByteSource
from fuzz.python.hostile import call
from fuzz.python.targets import require, target

from hyperbaton import _core

LONGEST = 7  # words


@target("binding_ngrams")
def check_ngrams(data: bytes) -> None:
    """Count the n-grams of a few segments, with one or several references each."""
    source = ByteSource(data)
    count = source.integer(1, 3)
    starts = np.array(source.choice(([*range(count + 1)], [0, *range(2, count + 2)], [0, count])))
    references = int(starts[-1])
    longest = source.choice((1, 4, 6, 100, 255, 0, 256, 1 << 62))
    found: Any = None
    if source.chance(128):
        hyps, refs = (source.batch(size, LONGEST, 0, 5) for size in (count, references))
        words = call(source, "BleuReferences", _core.BleuReferences, *refs, starts, longest, 1)
        if words is not None:
            found = call(source, "BleuReferences.statistics", words.statistics, *hyps, 1)
        require(found is None or len(found) == count * (2 + 2 * longest), "rows of all lengths")
        return
    lines = [
        _core.Lines.from_strings([source.clean_text(9) for _ in range(size)])
        for size in (references, count)
    ]
    nw, space, effective = source.choice((0, 2, 255, 256)), source.chance(128), source.chance(128)
    beta = source.any_float()
    options = longest, nw, space, beta, effective, 1
    characters = call(source, "ChrfReferences", _core.ChrfReferences, lines[0], starts, *options)
    if characters is not None:
        found = call(source, "ChrfReferences.statistics", characters.statistics, lines[1], 1)
    require(found is None or len(found) == count * 3 * (longest + nw), "rows of all lengths")
