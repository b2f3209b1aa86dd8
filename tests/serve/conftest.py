"""Fixtures for the page of a server, which each module starts with its own options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from serve.page_server import SiteOpener


@pytest.fixture
def open_site(browser: object, server: Any) -> Iterator[SiteOpener]:
    """Opens views; at the end of the test, there must be no errors and no external requests."""
    site = SiteOpener(browser, server.url)
    yield site
    site.close()
