"""Names of matchers, and of ways to combine the links of both directions; quick to import."""

from __future__ import annotations

from typing import NamedTuple

from hyperbaton.errors import InputError

SEARCH_MATCHERS = ("exact", "stem", "synonym", "paraphrase")
SIMILAR = "similar"  # links words that the search left without a link
ANCHORED = "anchored"  # drops links of the search
MATCHERS = (*SEARCH_MATCHERS, SIMILAR, ANCHORED)
CONTEXT = "context"
ENCODER = "encoder"  # before the path of word vectors or of a model: encoder:PATH
GIVEN = "given"  # the matcher of links that no matcher of words has found
# By the number in the last column of a row.
ROW_MATCHERS = (*SEARCH_MATCHERS, CONTEXT, GIVEN, ENCODER)
SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"
WITH_THRESHOLD = SYMMETRIZATIONS[:2]
DEFAULT_THRESHOLD = 0.45


class Symmetrization(NamedTuple):
    """How the links of both directions become one alignment.

    Attributes
    ----------
    method : str
        One of ``SYMMETRIZATIONS``.
    threshold : float
        Links whose mean posterior is above it are kept, by the methods in ``WITH_THRESHOLD``.
    """

    method: str
    threshold: float = DEFAULT_THRESHOLD

    @classmethod
    def parse(cls, text: str, name: str = "symmetrization") -> Symmetrization:
        """Parse a method, or a method with its threshold.

        >>> Symmetrization.parse("mean:0.3")
        Symmetrization(method='mean', threshold=0.3)
        """
        method, colon, number = text.partition(":") if isinstance(text, str) else (text, "", "")
        if method not in SYMMETRIZATIONS:
            raise InputError(f"{name} must be one of {', '.join(SYMMETRIZATIONS)}, got {text!r}")
        if not colon:
            return cls(method)
        if method not in WITH_THRESHOLD:
            raise InputError(f"{name}: {method} has no threshold, got {text!r}")
        try:
            threshold = float(number)
        except ValueError:
            threshold = -1
        if not 0 <= threshold < 1:
            raise InputError(
                f"{name}: the threshold must be a number from 0 to below 1, such as {method}:0.3, "
                f"got {text!r}"
            )
        return cls(method, threshold)

    def __str__(self) -> str:
        """Return the text that :meth:`parse` reads, without the default threshold."""
        if self.threshold == DEFAULT_THRESHOLD:
            return self.method
        return f"{self.method}:{self.threshold!r}"

    @property
    def signature(self) -> str:
        """The method and, if it has one, the threshold."""
        if self.method not in WITH_THRESHOLD:
            return self.method
        return f"{self.method}.threshold-{self.threshold!r}"
