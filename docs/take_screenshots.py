"""Take the pictures of ``hyperbaton serve`` and of reports in docs/img/, with Chromium."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parent / "img"
SIZE = {"width": 1280, "height": 860}


def picture_compare(page: Page, address: str) -> None:
    """Take the view Compare with the example set."""
    page.goto(f"{address}#compare")
    page.get_by_role("button", name="Use the example").click()
    page.get_by_text("All texts have 48 lines.").wait_for()
    page.screenshot(path=IMAGES / "serve-compare.png")


def picture_explain(page: Page, address: str) -> None:
    """Take the view Explain with its first example."""
    page.goto(f"{address}#explain")
    page.locator("svg.hb-drawing").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.screenshot(path=IMAGES / "serve-explain.png")


def picture_report(page: Page, folder: Path) -> None:
    """Take the first screen of a report on the example set, and one of its segments."""
    path = folder / "report.html"
    report = [sys.executable, "-m", "hyperbaton", "report", "--example", "-o", str(path)]
    subprocess.run(report, check=True, stderr=subprocess.DEVNULL)
    page.goto(path.as_uri())
    page.set_viewport_size({"width": 1280, "height": 800})
    page.screenshot(path=IMAGES / "report-systems.png")
    page.goto(f"{path.as_uri()}#segment=1&system=literal&other=")
    page.reload()
    page.locator("#segment-1").screenshot(path=IMAGES / "report-segment.png")
    page.set_viewport_size(SIZE)


def main() -> None:
    """Start a server and take all pictures."""
    command = [sys.executable, "-m", "hyperbaton", "serve", "--no-browser"]
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        assert server.stderr is not None
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"] if root else []
        )
        page = browser.new_page(viewport=SIZE)
        picture_compare(page, found[0])
        picture_explain(page, found[0])
        with tempfile.TemporaryDirectory() as folder:
            picture_report(page, Path(folder))
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
