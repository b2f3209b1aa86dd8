"""Choices and defaults. The command line shows them without loading any metric."""

from hyperbaton.registries import Registry

PEOPLE = ("rankings", "ranks", "segments", "systems")
AVERAGES = ("none", "item", "system")
UNITS = ("segments", "rankings", "systems")
EXCHANGES = ("segments", "scores")
SEARCHES = ("climb", "grid")

# Tests of the difference between two metrics, and the functions that compute their p-values.
TESTS = Registry(
    "test",
    {
        "permutation": "hyperbaton.meta.differences:permutation_p_values",
        "bootstrap": "hyperbaton.meta.differences:bootstrap_p_values",
        "williams": "hyperbaton.meta.differences:williams_p_values",
        "t": "hyperbaton.meta.differences:sample_t_p_values",
    },
)

# Birch & Osborne (2010) tune for consistency, which counts a tie of the metric as wrong. A measure
# that leaves ties out rewards a metric that seldom decides.
DEFAULT_AGREEMENT = "consistency"
DEFAULT_RESTARTS = 20  # Birch & Osborne 2010
DEFAULT_FOLDS = 5
