"""Drawings: pure functions from an object to the text of an SVG."""

DRAWINGS = ("alignment", "tree", "forest", "parse", "dependencies")  # of an explanation
