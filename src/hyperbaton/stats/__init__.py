"""Statistics: sums that do not depend on their order."""
