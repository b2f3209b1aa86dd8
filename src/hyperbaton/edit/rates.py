"""Error rates over segments and corpora: WER, PER, CDER and invWER.

All are Leusch, Ueffing & Ney 2003, equation 3, each with its distance d:

    rate = Σ_k min over references r of d(hypothesis_k, r) / Σ_k mean over references of |r|
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hyperbaton.edit.costs import Number
from hyperbaton.edit.distances import bag_distances, cders, inversion_bounds, levenshteins
from hyperbaton.edit.inversion import DEFAULT_BUDGET
from hyperbaton.edit.tokens import NumberedPairs, Tokens, as_tokens, number_pair, number_pairs
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]
Segments = Sequence[Sequence[object]]  # a list of tokens for each segment
References = Sequence[Segments]  # for each segment, a list of references


def bag_distance(s: Tokens, t: Tokens) -> int:
    """max(\\|s\\|, \\|t\\|) − \\|multiset intersection\\|: what no reordering can repair.

    >>> bag_distance("the cat sat".split(), "sat the dog".split())
    1
    """
    pair = number_pair(s, t)
    a, b = pair.s.tolist(), pair.t.tolist()
    return max(len(a), len(b)) - (Counter(a) & Counter(b)).total()


@dataclass(frozen=True, slots=True, eq=False)
class ErrorRate:
    """A rate, lower is better; ``float()`` of it is its ``value``, that of the corpus.

    The arrays have an entry for each segment: ``segments`` is its own rate, ``errors`` the distance
    to the nearest reference, ``nearest`` which of them that is, from 0, and ``lengths`` the mean
    length of the references. ``inexact`` is the number of segments whose distance is only known to
    be no larger (invWER, if its budget ran out).
    """

    name: str
    errors: Floats
    lengths: Floats
    nearest: npt.NDArray[np.int64]
    inexact: int = 0

    @property
    def value(self) -> float:
        """The rate of the corpus: all errors over all lengths."""
        return float(rate(self.errors.sum(keepdims=True), self.lengths.sum(keepdims=True))[0])

    @property
    def segments(self) -> Floats:
        """The rate of each segment."""
        return rate(self.errors, self.lengths)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        more = f", inexact={self.inexact}" if self.inexact else ""
        return f"ErrorRate({self.name}={self.value:.4f}, n={len(self.errors)}{more})"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "inexact": self.inexact,
            "errors": self.errors.tolist(),
            "lengths": self.lengths.tolist(),
            "nearest": self.nearest.tolist(),
        }


def rate(errors: Floats, lengths: Floats) -> Floats:
    """errors / lengths; against an empty reference 0 without errors and else 1, as TER has it."""
    some = lengths > 0  # less than a word is possible: the mean with an empty reference
    return np.where(some, errors / np.where(some, lengths, 1.0), np.minimum(errors, 1.0))


def wer(hypotheses: Segments, references: References) -> ErrorRate:
    """Word error rate: Levenshtein distance.

    >>> from hyperbaton import wer
    >>> rate = wer([["a", "b", "c"]], [[["a", "c"], ["b", "a", "c"]]])
    >>> rate
    ErrorRate(wer=0.4000, n=1)
    >>> rate.errors, rate.lengths, rate.nearest
    (array([1.]), array([2.5]), array([0]))
    """
    return _nearest("wer", hypotheses, references, levenshteins)


def per(hypotheses: Segments, references: References) -> ErrorRate:
    """Position-independent error rate: bag distance.

    >>> from hyperbaton import per
    >>> per([["a", "b", "c"]], [[["c", "b", "a"]]]).value
    0.0
    """
    return _nearest("per", hypotheses, references, bag_distances)


def cder(hypotheses: Segments, references: References, threads: int | None = None) -> ErrorRate:
    """CDER of Leusch, Ueffing & Ney 2006: jumps within the hypothesis cost 1.

    >>> from hyperbaton import cder
    >>> cder(["x a b".split()], [["a b x".split()]]).errors
    array([2.])
    """
    count = thread_count(threads)
    return _nearest(
        "cder",
        hypotheses,
        references,
        lambda pairs: cders(pairs, count),
    )


def invwer(
    hypotheses: Segments,
    references: References,
    threads: int | None = None,
    budget: int = DEFAULT_BUDGET,
    inversion: Number = 1,
) -> ErrorRate:
    """Inversion word error rate: inversion edit distance; ``inversion`` is the cost of one.

    >>> from hyperbaton import invwer, wer
    >>> hypothesis, reference = "x y a b c".split(), "a b c x y".split()
    >>> invwer([hypothesis], [[reference]]).value, wer([hypothesis], [[reference]]).value
    (0.2, 0.8)
    >>> invwer([hypothesis], [[reference]], inversion=0.5).value
    0.1

    Where the budget runs out, the cost of the parse that was found counts, which is no less than
    the distance; ``inexact`` says for how many segments.
    """
    pairs, which = _pairs(hypotheses, references)
    lower, upper = inversion_bounds(pairs, budget, thread_count(threads), inversion)
    return _error_rate("invwer", upper, pairs, which, np.minimum.reduceat(lower, which))


def _nearest(
    name: str,
    hypotheses: Segments,
    references: References,
    distances: Callable[[NumberedPairs], Floats],
) -> ErrorRate:
    pairs, which = _pairs(hypotheses, references)
    return _error_rate(name, distances(pairs), pairs, which)


def _error_rate(
    name: str,
    distances: Floats,
    pairs: NumberedPairs,
    which: npt.NDArray[np.int64],
    least: Floats | None = None,
) -> ErrorRate:
    """The rate of these distances; ``least`` is what is certain, where that is less."""
    errors = np.minimum.reduceat(distances, which)
    ends = [*which.tolist()[1:], len(pairs)]
    spans = zip(which.tolist(), ends, strict=True)
    nearest = np.array([int(distances[a:b].argmin()) for a, b in spans], np.int64)
    inexact = 0 if least is None else int(np.count_nonzero(least < errors))
    return ErrorRate(name, errors, _mean_lengths(pairs, which), nearest, inexact)


def _mean_lengths(pairs: NumberedPairs, which: npt.NDArray[np.int64]) -> Floats:
    counts = np.diff(np.append(which, len(pairs)))
    lengths: Floats = np.add.reduceat(np.diff(pairs.t_offsets), which) / counts
    return lengths


def _pairs(
    hypotheses: Segments, references: References
) -> tuple[NumberedPairs, npt.NDArray[np.int64]]:
    """Every hypothesis with each of its references, and where those of each segment begin."""
    systems = _texts(hypotheses, "hypotheses", "hypotheses")
    several = [
        _texts(given, f"references[{k}]", "references")
        for k, given in enumerate(_texts(references, "references", "lists of references"))
    ]
    if len(systems) != len(several):
        counts = f"{len(systems)} hypotheses, but references for {len(several)} segments"
        if {len(stream) for stream in several} == {len(systems)}:
            counts += " (one list for each segment, please, not one for each set of references)"
        raise InputError(counts)
    if not systems:
        raise InputError("no segments: there is no error rate of nothing")
    pairs: list[tuple[Tokens, Tokens]] = []
    names = []
    which = []
    for k, (hypothesis, candidates) in enumerate(zip(systems, several, strict=True)):
        if not candidates:
            raise InputError(f"references[{k}] is empty: each segment needs a reference")
        which.append(len(pairs))
        words = _texts(hypothesis, f"hypotheses[{k}]", "words")
        for r, reference in enumerate(candidates):
            name = f"references[{k}][{r}]"
            if isinstance(reference, (str, bytes)):
                raise InputTypeError(
                    f"{name} is a {type(reference).__name__}, but references[{k}] is a list of "
                    "references, each a list of words: of one reference, [words]"
                )
            pairs.append((words, _texts(reference, name, "words")))
            names.append((f"hypotheses[{k}]", name))
    return number_pairs(pairs, names), np.array(which, np.int64)


def _texts(sequence: Any, name: str, of: str) -> list[Any]:
    """A list, or an error that says of what; a text is not taken for its characters."""
    if isinstance(sequence, (str, bytes)):
        kind = type(sequence).__name__
        hint = ": give its words, e.g. text.split()" if of == "words" else f", not a list of {of}"
        raise InputTypeError(f"{name} is a {kind}{hint}")
    return as_tokens(sequence, name, of)
