"""Drawings: pure functions from an object to the text of an SVG."""

# The drawings of an explanation, with their titles.
DRAWINGS = {
    "alignment": "Links between words",
    "tree": "Permutation tree",
    "forest": "Permutation forest",
    "parse": "Inversion parse",
    "dependencies": "Dependency trees",
}
