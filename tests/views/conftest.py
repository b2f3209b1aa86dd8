"""Fixtures for pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from views.page_checks import PageOpener


@pytest.fixture
def open_page(browser: object, tmp_path: Path) -> Iterator[PageOpener]:
    """Opens pages; at the end of the test, there must be no errors and no external requests."""
    pages = PageOpener(browser, tmp_path)
    yield pages
    pages.close()
