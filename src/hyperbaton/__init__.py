"""Hyperbaton: word order in translation.

>>> import hyperbaton as hb
>>> p = hb.Permutation([2, 4, 5, 6, 1, 3])
>>> print(p.tree())
⟨2,4,1,3⟩[2, ⟨1,2⟩[⟨1,2⟩[4, 5], 6], 1, 3]
>>> hb.pef(p)
0.4
"""

from hyperbaton.lazy_exports import attach

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = attach(__name__, __file__)  # the names are in __init__.pyi
