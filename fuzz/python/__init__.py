"""Fuzz targets for the bindings and the readers: ``python -m fuzz.python --list``.

A target is a function of bytes that raises an exception only if there is a bug. The same bytes mean
the same under atheris, in the plain runner and in ``tests/fuzz``, which replays ``fuzz/corpus``.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# The naive twins are in tests/reference.
if str(ROOT / "tests") not in sys.path:
    sys.path.append(str(ROOT / "tests"))
