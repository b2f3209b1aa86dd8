"""The context aligner of RIBES: words that are linked by themselves, or by their neighbours."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton import _core

CONTEXT = "context"


def context_rows(
    hyps: npt.NDArray[np.int32],
    hyp_offsets: npt.NDArray[np.int64],
    refs: npt.NDArray[np.int32],
    ref_offsets: npt.NDArray[np.int64],
    matcher: int,
    threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Links as the aligner has them (hyp, hyp_length, ref, ref_length, matcher), and offsets.

    A word of a hypothesis is linked if it is once on both sides, or else if a run of words that
    ends or begins with it is: the shortest, and of two that are equally long the one that ends
    with it. Isozaki et al. 2010 look at pairs of words only; runs of any length are what the
    authors' program has, version 1.03. Two words may be linked with the same word of a reference.
    """
    ref = _core.context_links(hyps, hyp_offsets, refs, ref_offsets, threads)
    linked = np.flatnonzero(ref >= 0)
    pair = np.searchsorted(hyp_offsets, linked, "right") - 1
    rows = np.ones((len(linked), 5), np.int32)
    rows[:, 0] = linked - hyp_offsets[pair]
    rows[:, 2] = ref[linked]
    rows[:, 4] = matcher
    counts = np.bincount(pair, minlength=len(hyp_offsets) - 1)
    return rows, np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
