"""From alignments with a source to permutations: Birch & Osborne 2010."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError

Ints = npt.NDArray[np.int64]
NULLS = ("paper", "moses")


def source_permutations(
    pair: Ints, source: Ints, target: Ints, lengths: Ints, nulls: str = "paper"
) -> tuple[Ints, Ints]:
    """Those of :meth:`hyperbaton.Alignment.source_permutation`, as flat values and offsets.

    Link m is of words ``source[m]`` and ``target[m]`` of sentence ``pair[m]``; the sources have
    these lengths.

    >>> values, offsets = source_permutations(
    ...     np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([4, 3, 0]), np.array([3, 2])
    ... )
    >>> values.tolist(), offsets.tolist()
    ([2, 1, 3, 1, 2], [0, 3, 5])
    """
    if nulls not in NULLS:
        raise InputError(f"nulls is one of {', '.join(NULLS)}, not {nulls!r}")
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    words = np.arange(offsets[-1])
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    none = np.iinfo(np.int64).max
    place = np.full(len(words), none)
    np.minimum.at(place, offsets[pair] + source, target)  # of several targets the first
    linked = np.where(place < none, words, -1)
    last = np.maximum.accumulate(linked) if len(words) else linked  # up to each word
    leading = last < offsets[sentence]
    after = words - last if nulls == "paper" else 0
    place = np.where(leading, -1, place[last] + after)
    order = np.lexsort((words, place, sentence))  # stable: words in one place keep their order
    values = np.empty(len(words), np.int64)
    values[order] = words
    return values - offsets[sentence] + 1, offsets


def between(system: Ints, reference: Ints, offsets: Ints) -> Ints:
    """From two reorderings of each source to one permutation of both.

    In the order in which the system has the source words, the ranks that the reference gives
    them. Kendall and Hamming of it are those of the two, since what is counted are source words.

    >>> between(np.array([2, 1, 3]), np.array([3, 1, 2]), np.array([0, 3])).tolist()
    [1, 3, 2]
    """
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    values = np.empty_like(reference)
    values[starts + system - 1] = reference
    return values
