"""The speed of ``hyperbaton serve``: its first page, explanations as one types, and a large job.

The job has 17 systems × 3,000 segments, and runs in turns with ``hyperbaton report`` on the same
files. This benchmark requires HYPERBATON_DATA (wmt13/de-en) and Chromium. Prints Markdown.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.timing import print_header, print_table, read_lines, require_data

PROGRAM = (sys.executable, "-m", "hyperbaton")
RUNS = 2
PAIRS = 8  # of sentences in which a few letters are typed
LIMITS = {"first page": 300, "explanation": 200}  # milliseconds
# Records the time from each key to the drawing that follows it.
MEASURE_TYPING = """() => {
  globalThis.times = [];
  let pressed = 0;
  document.querySelector("#explain-hypothesis").addEventListener("keydown", () => {
    pressed = performance.now();
  });
  new MutationObserver(() => {
    const start = pressed;
    requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - start)));
  }).observe(document.querySelector("#explain-links"), { childList: true });
}"""


@contextlib.contextmanager
def running_server() -> Iterator[str]:
    """Start a server and yield its address."""
    command = [*PROGRAM, "serve", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found is not None
        process.stderr.readline()
        try:
            yield found[0].rstrip("/")
        finally:
            process.terminate()


def post(address: str, path: str, body: bytes, token: str) -> Any:
    headers = {"X-Hyperbaton-Form-Token": token}
    request = urllib.request.Request(address + path, body, headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def get(address: str, path: str) -> Any:
    with urllib.request.urlopen(address + path) as answer:
        return json.load(answer)


def time_job(address: str, systems: list[Path], reference: Path) -> float:
    """Return the seconds from the start of a job until its files can be downloaded."""
    token = get(address, "/api/info")["form_token"]

    def upload(path: Path) -> dict[str, str]:
        name = urllib.parse.quote(path.name)
        return {"file": post(address, f"/api/files?name={name}", path.read_bytes(), token)["id"]}

    request = {
        "systems": [upload(path) for path in systems],
        "references": [upload(reference)],
        "language": "en",
    }
    start = time.perf_counter()
    job = post(address, "/api/jobs", json.dumps(request).encode(), token)
    while (state := get(address, f"/api/jobs/{job['id']}"))["state"] in ("waiting", "running"):
        time.sleep(0.05)
    assert state["state"] == "done", state["error"]
    return time.perf_counter() - start


def time_command(systems: list[Path], reference: Path, folder: Path) -> float:
    """Return the seconds of ``hyperbaton report`` on the same files."""
    files = [str(path) for path in systems]
    output = str(folder / "report.html")
    command = [*PROGRAM, "report", "-r", str(reference), *files, "-l", "en", "-o", output]
    start = time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def time_pages(address: str, pairs: list[tuple[str, str]]) -> dict[str, list[float]]:
    """Return milliseconds: loading the first page, and from a keystroke to the new explanation."""
    from playwright.sync_api import sync_playwright

    root = hasattr(os, "geteuid") and os.geteuid() == 0
    times: dict[str, list[float]] = {name: [] for name in LIMITS}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"] if root else []
        )
        for _ in range(5):
            page = browser.new_page()
            page.goto(f"{address}/")
            page.wait_for_selector("#view-compare:not([hidden])")
            page.wait_for_load_state("networkidle")
            load = "performance.getEntriesByType('navigation')[0].loadEventEnd"
            times["first page"].append(page.evaluate(load))
            page.close()
        page = browser.new_page()
        for hypothesis, reference in pairs:
            query = urllib.parse.urlencode(
                {"h": hypothesis, "r": reference, "l": "en"}, quote_via=urllib.parse.quote
            )
            page.goto(f"{address}/#explain?{query}")
            page.reload()
            page.wait_for_load_state("networkidle")
            page.focus("#explain-hypothesis")
            page.keyboard.press("Control+End")
            page.evaluate(MEASURE_TYPING)
            for count, letter in enumerate("now", 1):
                page.keyboard.press(letter)
                page.wait_for_function("(count) => times.length >= count", arg=count)
                page.wait_for_load_state("networkidle")
            times["explanation"] += page.evaluate("times")
        browser.close()
    return times


def main() -> None:
    print_header()
    folder = require_data() / "wmt13" / "de-en"
    systems = sorted((folder / "systems").glob("*.txt"))
    reference = folder / "reference.txt"
    lines = [
        (h, r)
        for h, r in zip(read_lines(systems[0]), read_lines(reference), strict=True)
        if len(h.split()) == 30
    ]
    with running_server() as address, tempfile.TemporaryDirectory() as temporary:
        pages = time_pages(address, lines[:PAIRS])
        rows = [
            [name, f"{statistics.median(values):.0f} ms", f"{max(values):.0f} ms", f"{limit} ms"]
            for (name, limit), values in zip(LIMITS.items(), pages.values(), strict=True)
        ]
        print_table("In the browser", ["what", "median", "largest", "wanted: below"], rows)
        times = [
            (
                time_job(address, systems, reference),
                time_command(systems, reference, Path(temporary)),
            )
            for _ in range(RUNS)
        ]
    job, command = (min(column) for column in zip(*times, strict=True))
    print_table(
        f"{len(systems)} systems × {len(read_lines(reference)):,} segments, the default metrics",
        ["job of the page", "hyperbaton report", "ratio", "wanted: at most"],
        [[f"{job:.1f} s", f"{command:.1f} s", f"{job / command:.2f}", "1.10"]],
    )


if __name__ == "__main__":
    main()
