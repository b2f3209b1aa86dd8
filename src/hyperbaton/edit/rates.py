"""Error rates over segments and corpora: WER, PER, CDER and invWER.

All follow equation 3 of Leusch, Ueffing & Ney 2003, each with its own distance d:

    rate = Σ_k min over references r of d(hypothesis_k, r) / Σ_k mean over references of |r|
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.edit.costs import Number
from hyperbaton.edit.distances import (
    DEFAULT_BUDGET,
    bag_distances,
    cder_distances,
    inversion_bounds,
    levenshtein_distances,
    translation_edits,
)
from hyperbaton.edit.tokens import NumberedPairs, Tokens, as_list, number_pair, number_pairs
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Segments = Sequence[Sequence[object]]  # one token list per segment
DISTANCES: dict[str, Callable[[NumberedPairs, int], Floats]] = {
    "cder": cder_distances,
    "per": bag_distances,
    "wer": levenshtein_distances,
    "ter": translation_edits,
}


def bag_distance(s: Tokens, t: Tokens) -> int:
    """Bag distance: max(\\|s\\|, \\|t\\|) − \\|multiset intersection\\|.

    It counts the errors that no reordering can repair.

    Parameters
    ----------
    s, t : sequence
        Token sequences; the tokens must be hashable.

    Returns
    -------
    int
        The distance.

    Examples
    --------
    >>> bag_distance("the cat sat".split(), "sat the dog".split())
    1
    """
    return int(bag_distances(number_pair(s, t), threads=1)[0])


@dataclass(frozen=True, slots=True, eq=False)
class ErrorRate:
    """An error rate; lower is better. ``float()`` returns the value of the corpus.

    Attributes
    ----------
    name
        Name of the rate.
    errors
        Distance of each segment to its nearest reference.
    lengths
        Mean reference length of each segment.
    nearest
        Index of the nearest reference of each segment, from 0.
    inexact
        Number of segments whose distance is only an upper bound because the budget of invWER ran
        out.
    """

    name: str
    errors: Floats
    lengths: Floats
    nearest: Ints
    inexact: int = 0

    @property
    def value(self) -> float:
        """The rate of the corpus: all errors divided by all lengths."""
        return float(rate(self.errors.sum(keepdims=True), self.lengths.sum(keepdims=True))[0])

    @property
    def segments(self) -> Floats:
        """The rate of each segment."""
        return rate(self.errors, self.lengths)

    def __float__(self) -> float:
        return self.value

    def __format__(self, specification: str) -> str:
        """Return the value in the format of a number: ``f"{rate:.2f}"``."""
        return format(self.value, specification) if specification else str(self)

    def __eq__(self, other: object) -> bool:
        """Return whether two rates have the same errors and lengths."""
        if not isinstance(other, ErrorRate):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.value, self.inexact, len(self.errors)))

    def __repr__(self) -> str:
        inexact = f", inexact={self.inexact}" if self.inexact else ""
        return f"ErrorRate({self.name}={self.value:.4f}, n={len(self.errors)}{inexact})"

    def to_dict(self) -> dict[str, Any]:
        """Return the rate as JSON types."""
        arrays = {name: getattr(self, name).tolist() for name in ("errors", "lengths", "nearest")}
        return {"name": self.name, "value": self.value, "inexact": self.inexact, **arrays}


def rate(errors: Floats, lengths: Floats) -> Floats:
    """Return errors / lengths; if a length is 0, 0 without errors and 1 with errors, as in TER."""
    nonempty = lengths > 0  # a mean length can be below 1 if some references are empty
    return np.where(nonempty, errors / np.where(nonempty, lengths, 1.0), np.minimum(errors, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class SegmentErrors:
    """Errors of segments against their nearest references, one array entry per segment.

    Attributes
    ----------
    errors
        Distance to the nearest reference.
    lengths
        Mean length of the references.
    nearest
        Index of the nearest reference among those of the segment, from 0.
    inexact
        Whether the distance is only an upper bound because the budget of invWER ran out.
    """

    errors: Floats
    lengths: Floats
    nearest: Ints
    inexact: npt.NDArray[np.bool_]


def nearest_errors(
    name: str,
    pairs: NumberedPairs,
    starts: Ints,
    *,
    threads: int | None,
    inversion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> SegmentErrors:
    """Compute the errors of each segment against its nearest reference.

    Parameters
    ----------
    name : {"wer", "per", "cder", "invwer", "ter"}
        The error rate.
    pairs
        Every hypothesis with each of its references.
    starts
        Index of the first pair of each segment.
    threads
        Number of threads for cder, invwer and ter; None for all cores.
    inversion, budget
        Cost of an inversion and budget of the search; only used by invwer.
    """
    counts = np.diff(np.append(starts, len(pairs)))
    lower, distances = _bounds(name, pairs, thread_count(threads), inversion, budget)
    errors: Floats = np.minimum.reduceat(distances, starts)
    lengths: Floats = np.add.reduceat(np.diff(pairs.t_offsets), starts) / counts
    segment = np.repeat(np.arange(len(starts)), counts)
    minima = np.flatnonzero(distances == errors[segment])
    _, first = np.unique(segment[minima], return_index=True)
    return SegmentErrors(
        errors=errors,
        lengths=lengths,
        nearest=minima[first] - starts,
        inexact=np.minimum.reduceat(lower, starts) < errors,
    )


def _bounds(
    name: str, pairs: NumberedPairs, threads: int, inversion: Number, budget: int
) -> tuple[Floats, Floats]:
    """Return lower and upper bounds of the distances; only those of invwer can differ."""
    if name == "invwer":
        return inversion_bounds(pairs, budget, threads, inversion)
    distances = DISTANCES[name](pairs, threads)
    return distances, distances


def wer(hypotheses: Segments, references: Sequence[Segments]) -> ErrorRate:
    """Word error rate (WER), based on the Levenshtein distance.

    Parameters
    ----------
    hypotheses : sequence of sequences of str
        One token list per segment.
    references : sequence of sequences of sequences of str
        One list of references, each a token list, per segment.

    Returns
    -------
    ErrorRate
        The rate of the corpus and of each segment, with errors, lengths and nearest references.

    Raises
    ------
    InputError
        If there are no segments, the numbers of segments differ, or a segment has no reference.
    InputTypeError
        If an argument is not a sequence of token lists.

    Examples
    --------
    >>> from hyperbaton import wer
    >>> rate = wer([["a", "b", "c"]], [[["a", "c"], ["b", "a", "c"]]])
    >>> rate
    ErrorRate(wer=0.4000, n=1)
    >>> rate.errors, rate.lengths, rate.nearest
    (array([1.]), array([2.5]), array([0]))
    """
    return _error_rate("wer", hypotheses, references)


def per(hypotheses: Segments, references: Sequence[Segments]) -> ErrorRate:
    """Position-independent error rate (PER), based on the bag distance.

    Parameters
    ----------
    hypotheses : sequence of sequences of str
        One token list per segment.
    references : sequence of sequences of sequences of str
        One list of references, each a token list, per segment.

    Returns
    -------
    ErrorRate
        The rate of the corpus and of each segment, with errors, lengths and nearest references.

    Raises
    ------
    InputError
        If there are no segments, the numbers of segments differ, or a segment has no reference.
    InputTypeError
        If an argument is not a sequence of token lists.

    Examples
    --------
    >>> from hyperbaton import per
    >>> per([["a", "b", "c"]], [[["c", "b", "a"]]]).value
    0.0
    """
    return _error_rate("per", hypotheses, references)


def cder(
    hypotheses: Segments, references: Sequence[Segments], threads: int | None = None
) -> ErrorRate:
    """CDER (Leusch, Ueffing & Ney 2006), where a jump within the hypothesis costs 1.

    Parameters
    ----------
    hypotheses : sequence of sequences of str
        One token list per segment.
    references : sequence of sequences of sequences of str
        One list of references, each a token list, per segment.
    threads : int, optional
        Number of threads; by default all cores.

    Returns
    -------
    ErrorRate
        The rate of the corpus and of each segment, with errors, lengths and nearest references.

    Raises
    ------
    InputError
        If there are no segments, the numbers of segments differ, or a segment has no reference.
    InputTypeError
        If an argument is not a sequence of token lists.

    Examples
    --------
    >>> from hyperbaton import cder
    >>> cder(["x a b".split()], [["a b x".split()]]).errors
    array([2.])
    """
    return _error_rate("cder", hypotheses, references, threads)


def invwer(
    hypotheses: Segments,
    references: Sequence[Segments],
    threads: int | None = None,
    budget: int = DEFAULT_BUDGET,
    inversion: Number = 1,
) -> ErrorRate:
    """Inversion word error rate (invWER), based on the inversion edit distance.

    Parameters
    ----------
    hypotheses
        One token list per segment.
    references
        One list of references, each a token list, per segment.
    threads
        Number of threads, by default one per core.
    budget
        Maximum number of search steps per pair. If it runs out, the cost of the best parse found
        is used, which is an upper bound of the distance; ``inexact`` counts these segments.
    inversion
        Cost of an inversion.

    Returns
    -------
    ErrorRate
        The rate of the corpus and of each segment, with errors, lengths and nearest references.

    Raises
    ------
    InputError
        If there are no segments, the numbers of segments differ, or a segment has no reference.
    InputTypeError
        If an argument is not a sequence of token lists.

    Examples
    --------

    >>> from hyperbaton import invwer, wer
    >>> hypothesis, reference = "x y a b c".split(), "a b c x y".split()
    >>> invwer([hypothesis], [[reference]]).value, wer([hypothesis], [[reference]]).value
    (0.2, 0.8)
    >>> invwer([hypothesis], [[reference]], inversion=0.5).value
    0.1
    """
    return _error_rate("invwer", hypotheses, references, threads, inversion, budget)


def _error_rate(
    name: str,
    hypotheses: Segments,
    references: Sequence[Segments],
    threads: int | None = 1,
    inversion: Number = 1,
    budget: int = DEFAULT_BUDGET,
) -> ErrorRate:
    pairs, starts = _number_segments(hypotheses, references)
    segments = nearest_errors(
        name, pairs, starts, threads=threads, inversion=inversion, budget=budget
    )
    inexact = int(np.count_nonzero(segments.inexact))
    return ErrorRate(name, segments.errors, segments.lengths, segments.nearest, inexact)


def _number_segments(
    hypotheses: Segments, references: Sequence[Segments]
) -> tuple[NumberedPairs, Ints]:
    """Pair every hypothesis with each of its references.

    Returns the pairs and the index of the first pair of each segment.
    """
    all_hypotheses = _as_list(hypotheses, "hypotheses", "hypotheses")
    all_references = [
        _as_list(candidates, f"references[{k}]", "references")
        for k, candidates in enumerate(_as_list(references, "references", "lists of references"))
    ]
    if len(all_hypotheses) != len(all_references):
        counts = (
            f"{len(all_hypotheses)} hypotheses, but references for {len(all_references)} segments"
        )
        if {len(stream) for stream in all_references} == {len(all_hypotheses)}:
            counts += " (pass one list per segment, not one list per set of references)"
        raise InputError(counts)
    if not all_hypotheses:
        raise InputError("there are no segments")
    pairs: list[tuple[Tokens, Tokens]] = []
    names = []
    starts = []
    for k, (hypothesis, candidates) in enumerate(zip(all_hypotheses, all_references, strict=True)):
        if not candidates:
            raise InputError(f"references[{k}] is empty: each segment needs a reference")
        starts.append(len(pairs))
        words = _as_list(hypothesis, f"hypotheses[{k}]", "words")
        for r, reference in enumerate(candidates):
            name = f"references[{k}][{r}]"
            if isinstance(reference, (str, bytes)):
                raise InputTypeError(
                    f"{name} must be a list of words, got {type(reference).__name__}; "
                    f"references[{k}] must be a list of references, also if there is only one"
                )
            pairs.append((words, _as_list(reference, name, "words")))
            names.append((f"hypotheses[{k}]", name))
    return number_pairs(pairs, names), np.array(starts, np.int64)


def _as_list(sequence: Any, name: str, items: str) -> list[Any]:
    """Return a sequence as a list; a string is not a sequence of its characters."""
    if isinstance(sequence, (str, bytes)):
        hint = "; use text.split()" if items == "words" else ""
        raise InputTypeError(
            f"{name} must be a list of {items}, got {type(sequence).__name__}{hint}"
        )
    return as_list(sequence, name, items)
