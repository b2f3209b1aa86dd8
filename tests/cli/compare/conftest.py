"""The files of the corpus are in the current directory of each test."""

from __future__ import annotations

import pytest

from cli.compare.corpus import REFERENCES, SYSTEMS, write


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the references and the systems."""
    write("ref.txt", REFERENCES)
    for name, lines in SYSTEMS.items():
        write(name, lines)
