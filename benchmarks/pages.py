"""How large a report is, and how long it takes to make and to open.

Twenty systems and 3,000 segments: those of HYPERBATON_DATA (wmt13/de-en), three of them twice;
there is nothing without it. It is opened in Chromium, if that is there. Prints Markdown.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.timing import header, table

import hyperbaton as hb


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def opening(path: Path, times: int = 5) -> float | None:
    """Seconds until all is loaded and drawn, in the median; None without a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"] if root else []
        )
        found = []
        for _ in range(times):
            page = browser.new_page()
            page.goto(path.as_uri())
            timing = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            found.append(page.evaluate(timing) / 1000)
            page.close()
        browser.close()
    return statistics.median(found)


def main() -> None:
    header()
    data = os.environ.get("HYPERBATON_DATA")
    if not data:
        print("\nno HYPERBATON_DATA: there is nothing to report on")
        return
    folder = Path(data) / "wmt13" / "de-en"
    systems = {path.stem: lines(path) for path in sorted((folder / "systems").glob("*.txt"))}
    systems |= {f"{name} again": systems[name] for name in list(systems)[: 20 - len(systems)]}
    comparison = hb.compare(systems, lines(folder / "reference.txt"), language="en")
    start = time.perf_counter()
    html = comparison.report().to_html()
    made = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "report.html"
        path.write_text(html, "utf-8")
        opened = opening(path)
        size = path.stat().st_size / 1e6
    table(
        f"{len(systems)} systems × {comparison.n:,} segments, {len(comparison.metrics)} metrics",
        ["step", ""],
        [
            ["the page, after the comparison", f"{made:.1f} s"],
            ["its size", f"{size:.1f} MB"],
            ["opening it in Chromium", "not there" if opened is None else f"{opened:.2f} s"],
        ],
    )


if __name__ == "__main__":
    main()
