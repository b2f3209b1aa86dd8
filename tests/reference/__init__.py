"""Naive twins of the package, written from the formulas and the pseudo-code of the papers.

They are slow on purpose: exact fractions, no optimisations beyond caching, and no code shared with
the package. They are the executable specification to which every fast result is compared.
"""
