"""Statistics: exact sums, samples of segments, intervals and tests."""
