"""Names of matchers, and of ways to combine the links of both directions; quick to import."""

from __future__ import annotations

MATCHERS = ("exact", "stem", "synonym", "paraphrase", "similar")
SEARCH_MATCHERS = MATCHERS[:-1]  # "similar" links words that the search left without a link
CONTEXT = "context"
ENCODER = "encoder"  # before the path of word vectors or of a model: encoder:PATH
GIVEN = "given"  # the matcher of links that no matcher of words has found
# By the number in the last column of a row.
ROW_MATCHERS = (*SEARCH_MATCHERS, CONTEXT, GIVEN, ENCODER)
SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"


def is_encoder(given: object) -> bool:
    """Return whether an object gives words vectors, as :class:`hyperbaton.Encoder` does."""
    return not isinstance(given, str) and hasattr(given, "encode")


def names_encoder(matchers: object) -> bool:
    """Return whether a text asks for an encoder.

    >>> names_encoder("encoder:vectors.txt:threshold=0.5"), names_encoder("exact+stem")
    (True, False)
    """
    return isinstance(matchers, str) and matchers.startswith(f"{ENCODER}:")
