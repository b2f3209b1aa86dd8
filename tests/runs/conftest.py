"""Metrics over trees are compared as all others, with a parser that needs no model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from parsing import toy_parsers


@pytest.fixture(autouse=True, scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use the toy parser, and a new cache for each module."""
    with toy_parsers(tmp_path_factory.mktemp("cache")):
        yield
