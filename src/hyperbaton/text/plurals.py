"""Counts with their nouns."""

from __future__ import annotations


def count_noun(n: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun, in the singular or the plural.

    Parameters
    ----------
    n : int
        The count; thousands are separated by commas.
    noun : str
        The noun in the singular.
    plural : str, optional
        The noun in the plural, if it is not the singular with an "s".

    Examples
    --------
    >>> count_noun(1, "segment"), count_noun(2000, "segment"), count_noun(0, "segment")
    ('1 segment', '2,000 segments', '0 segments')
    >>> count_noun(2, "hypothesis", "hypotheses")
    '2 hypotheses'
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
