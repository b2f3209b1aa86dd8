"""Public names that are imported when they are first used.

A package writes its public names once, as imports in its type stub ``__init__.pyi``. Type checkers
read the stub; at run time a name is imported on first use. ``import hyperbaton`` and the help of
the command line stay quick.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package with a type stub.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    file : str
        The package's ``__file__``; the stub lies beside it.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text("utf-8"))
    origins = {
        alias.asname: (node.module, alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for alias in node.names
        if alias.asname is not None
    }

    def import_name(name: str) -> Any:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, original = origins[name]
        if module == package:  # a subpackage
            return importlib.import_module(f"{package}.{original}")
        importlib.import_module(module)
        value = getattr(sys.modules[module], original, None)
        if value is None:  # a module
            value = importlib.import_module(f"{module}.{original}")
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(origins)
    return import_name, lambda: names, names
