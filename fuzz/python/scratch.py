"""A folder for the files of a case, in memory if possible."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def _folder(process: int) -> Path:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    path = Path(tempfile.mkdtemp(prefix="hyperbaton-fuzz-", dir=memory))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def scratch_folder(name: str) -> Path:
    """Return an empty folder."""
    path = _folder(os.getpid()) / name
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    return path


def scratch_file(name: str, content: bytes) -> str:
    """Write a file, and return its path."""
    path = _folder(os.getpid()) / name
    path.write_bytes(content)
    return str(path)
