"""Naive twins of the core, written straight from the papers' formulas and pseudo-code.

Slow on purpose: exact fractions, no cleverness, nothing shared with the package. They are the
executable specification that every fast result is compared with.
"""
