"""Statistics: exact sums, resampling, correlations, intervals and significance tests."""
