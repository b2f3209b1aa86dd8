"""Runs: what is scored, the loop that scores it, results, comparisons and verdicts."""
