"""Metrics over trees are tested as all others, with a parser that is always there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hyperbaton.metrics import dependency
from parsing import toy_parser


@pytest.fixture(autouse=True, scope="module")
def parsers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The toy parser in place of all others, and a cache of its own for each module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependency, "parser", toy_parser)
        patch.setenv("HYPERBATON_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
