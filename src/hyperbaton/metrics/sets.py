"""The names of sets of metrics. The command line shows them without loading any metric."""

SET_NAMES = ("default", "order", "edit", "all")
