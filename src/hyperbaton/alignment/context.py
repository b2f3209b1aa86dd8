"""The context aligner of RIBES, which links words that are unique in their context."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton import _core


def find_context_links(
    hyps: npt.NDArray[np.int32],
    hyp_offsets: npt.NDArray[np.int64],
    refs: npt.NDArray[np.int32],
    ref_offsets: npt.NDArray[np.int64],
    matcher: int,
    threads: int,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Link the words of many sentence pairs by their context.

    A hypothesis word is linked if it occurs once in both sentences, or else if a run of words that
    ends or begins with it does. The shortest such run is used; if two are equally long, the one
    that ends with the word. Isozaki et al. 2010 describe runs of two words only; the authors'
    program, version 1.03, uses runs of any length. Two hypothesis words may be linked with the
    same reference word.

    Parameters
    ----------
    hyps, hyp_offsets, refs, ref_offsets
        The words of all sentences as numbers; sentence ``k`` starts at ``offsets[k]``.
    matcher
        The number to put into the last column.
    threads
        Number of threads.

    Returns
    -------
    rows, offsets
        Rows (hyp, hyp_length, ref, ref_length, matcher); those of pair ``k`` are
        ``rows[offsets[k]:offsets[k + 1]]``.
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
