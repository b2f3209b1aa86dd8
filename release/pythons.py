"""Find the Python interpreters of this machine that a release must work with."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

OLDEST = (3, 11)
NEWEST_TRIED = (3, 20)

# Prints the version of a usable interpreter: CPython with the GIL and the module venv.
PROBE = """
import ensurepip, platform, sys, sysconfig, venv
with_gil = not sysconfig.get_config_var("Py_GIL_DISABLED")
usable = platform.python_implementation() == "CPython" and with_gil
print(*sys.version_info[:2] if usable else (0, 0))
"""


@dataclass(frozen=True)
class Python:
    """An interpreter and its version."""

    version: tuple[int, int]
    path: str

    def __str__(self) -> str:
        return "Python {}.{}".format(*self.version)


def find_pythons() -> list[Python]:
    """Return one interpreter per version, oldest first, from ``PATH`` and from pyenv."""
    minors = range(OLDEST[1], NEWEST_TRIED[1] + 1)
    on_path = [shutil.which(f"python3.{minor}") for minor in minors]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [*filter(None, on_path), *map(str, sorted(pyenv.glob("versions/*/bin/python3")))]
    found: dict[tuple[int, int], Python] = {}
    for path in candidates:
        probe = subprocess.run([path, "-c", PROBE], capture_output=True, text=True, check=False)
        if probe.returncode != 0:  # such as a shim of pyenv, or a Python without venv
            continue
        major, minor = map(int, probe.stdout.split())
        if (major, minor) >= OLDEST:
            found.setdefault((major, minor), Python((major, minor), path))
    return [found[version] for version in sorted(found)]
