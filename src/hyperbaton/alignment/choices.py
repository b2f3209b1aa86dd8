"""Names of matchers, and of ways to combine the links of both directions; quick to import."""

from __future__ import annotations

SEARCH_MATCHERS = ("exact", "stem", "synonym", "paraphrase")
SIMILAR = "similar"  # links words that the search left without a link
ANCHORED = "anchored"  # drops links of the search
MATCHERS = (*SEARCH_MATCHERS, SIMILAR, ANCHORED)
CONTEXT = "context"
GIVEN = "given"  # the matcher of links that no matcher of words has found
ROW_MATCHERS = (*SEARCH_MATCHERS, CONTEXT, GIVEN)  # by the number in the last column of a row
SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"
