"""A real browser for pages: Playwright with a Chromium that is installed already."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from report.opened import Opened

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Chromium, of the system: nothing is downloaded."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: pages unopened")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("no Chromium here (apt-get install chromium): pages are not opened")
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # whom Chromium's sandbox refuses
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


@pytest.fixture
def opened(browser: object, tmp_path: Path) -> Iterator[Opened]:
    """Opens pages, and has seen no error and no request to elsewhere when the test is over."""
    pages = Opened(browser, tmp_path)
    yield pages
    pages.close()
