"""Defaults of tuning. The command line shows them without loading any metric."""

# Birch & Osborne (2010) tune for consistency, which counts a tie of the metric as wrong. A measure
# that leaves ties out rewards a metric that seldom decides.
DEFAULT_AGREEMENT = "consistency"
DEFAULT_RESTARTS = 20  # Birch & Osborne 2010
DEFAULT_FOLDS = 5
