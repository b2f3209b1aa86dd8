"""Metrics: objects with one contract, found by name, with a signature on every number."""

from hyperbaton.lazy_exports import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)  # the names are in __init__.pyi
