"""Explanations: moves, marks and words about single segments."""
