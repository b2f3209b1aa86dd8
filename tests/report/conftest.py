"""Fixtures for pages: Playwright with the Chromium of the system."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.page_checks import PageOpener

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """The Chromium of the system; nothing is downloaded."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pages unopened")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium here (apt-get install chromium): pages are not opened")
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium's sandbox does not run as root
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


@pytest.fixture
def open_page(browser: object, tmp_path: Path) -> Iterator[PageOpener]:
    """Opens pages; at the end of the test, there must be no errors and no external requests."""
    pages = PageOpener(browser, tmp_path)
    yield pages
    pages.close()
