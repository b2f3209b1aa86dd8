"""Drawings: pure functions from an object to the text of an SVG."""
