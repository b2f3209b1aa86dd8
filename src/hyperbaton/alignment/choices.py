"""Names of matchers, and of ways to combine the links of both directions; quick to import."""

from __future__ import annotations

MATCHERS = ("exact", "stem", "synonym", "paraphrase", "similar")
SEARCH_MATCHERS = MATCHERS[:-1]  # "similar" links words that the search left without a link
CONTEXT = "context"
GIVEN = "given"  # the matcher of links that no matcher of words has found
ROW_MATCHERS = (*SEARCH_MATCHERS, CONTEXT, GIVEN)  # by the number in the last column of a row
SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"
