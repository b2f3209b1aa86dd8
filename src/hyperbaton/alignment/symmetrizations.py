"""Names of the ways to combine the alignments of both directions. Importing them is quick."""

SYMMETRIZATIONS = ("mean", "geometric", "intersection", "grow-diag-final-and")
DEFAULT_SYMMETRIZATION = "mean"
