"""The references and the systems are in the current directory of each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.score.corpus import FILES


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the reference and the systems."""
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
