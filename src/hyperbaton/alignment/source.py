"""Permutations from alignments with a source sentence (Birch & Osborne 2010)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError

Ints = npt.NDArray[np.int64]
NULLS = ("paper", "moses")


def source_permutations(
    pair: Ints, source: Ints, target: Ints, lengths: Ints, nulls: str = "paper"
) -> tuple[Ints, Ints]:
    """Return the reorderings of many source sentences in their translations.

    See :meth:`hyperbaton.Alignment.source_permutation` for the definition.

    Parameters
    ----------
    pair, source, target
        Link ``m`` connects words ``source[m]`` and ``target[m]`` of sentence pair ``pair[m]``.
    lengths
        Number of words of each source sentence.
    nulls : {"paper", "moses"}
        Position of source words without a target.

    Returns
    -------
    values, offsets
        The permutation of pair ``k`` is ``values[offsets[k]:offsets[k + 1]]``.

    Examples
    --------
    >>> values, offsets = source_permutations(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([4, 3, 0]), np.array([3, 2])
    ... )
    >>> values.tolist(), offsets.tolist()
    ([2, 1, 3, 1, 2], [0, 3, 5])
    """
    if nulls not in NULLS:
        raise InputError(f"nulls must be one of {', '.join(NULLS)}, got {nulls!r}")
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    words = np.arange(offsets[-1])
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    no_target = np.iinfo(np.int64).max
    position = np.full(len(words), no_target)
    np.minimum.at(position, offsets[pair] + source, target)  # the first of several targets
    linked = np.where(position < no_target, words, -1)
    last_linked = np.maximum.accumulate(linked) if len(words) else linked
    leading = last_linked < offsets[sentence]
    shift = words - last_linked if nulls == "paper" else 0
    position = np.where(leading, -1, position[last_linked] + shift)
    order = np.lexsort((words, position, sentence))  # words at the same position keep their order
    values = np.empty(len(words), np.int64)
    values[order] = words
    return values - offsets[sentence] + 1, offsets


def relative_permutations(system: Ints, reference: Ints, offsets: Ints) -> Ints:
    """Return the reference ranks of the source words in the order of the system.

    The two arguments are reorderings of the same source sentences. Kendall and Hamming of the
    result compare the two reorderings, because both count source words.

    >>> relative_permutations(np.array([2, 1, 3]), np.array([3, 1, 2]), np.array([0, 3])).tolist()
    [1, 3, 2]
    """
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    values = np.empty_like(reference)
    values[starts + system - 1] = reference
    return values
