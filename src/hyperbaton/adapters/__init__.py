"""Hyperbaton inside other software: one module for each host.

A module imports its host when it is imported itself, and ``import hyperbaton`` imports none of
them. Every number equals that of :func:`hyperbaton.score`.
"""
