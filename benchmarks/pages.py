"""The size of a report, and the time to create and to open it.

The report has twenty systems and 3,000 segments. This benchmark requires HYPERBATON_DATA; it uses
the systems of wmt13/de-en, three of them twice. If Chromium is installed, the report is opened in
it. Prints Markdown.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.timing import print_header, print_table, read_lines, require_data

import hyperbaton as hb


def time_to_open(path: Path, times: int = 5) -> float | None:
    """Return the median time in seconds until the page is loaded, or None without a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"] if root else []
        )
        load_times = []
        for _ in range(times):
            page = browser.new_page()
            page.goto(path.as_uri())
            timing = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            load_times.append(page.evaluate(timing) / 1000)
            page.close()
        browser.close()
    return statistics.median(load_times)


def main() -> None:
    print_header()
    data = require_data()
    folder = data / "wmt13" / "de-en"
    systems = {path.stem: read_lines(path) for path in sorted((folder / "systems").glob("*.txt"))}
    systems |= {f"{name} again": systems[name] for name in list(systems)[: 20 - len(systems)]}
    comparison = hb.compare(systems, read_lines(folder / "reference.txt"), language="en")
    start = time.perf_counter()
    html = comparison.report().to_html()
    creation_time = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "report.html"
        path.write_text(html, "utf-8")
        load_time = time_to_open(path)
        size = path.stat().st_size / 1e6
    print_table(
        f"{len(systems)} systems × {comparison.n:,} segments, {len(comparison.metrics)} metrics",
        ["step", "result"],
        [
            ["creating the page, after the comparison", f"{creation_time:.1f} s"],
            ["size of the page", f"{size:.1f} MB"],
            [
                "opening it in Chromium",
                "not installed" if load_time is None else f"{load_time:.2f} s",
            ],
        ],
    )


if __name__ == "__main__":
    main()
