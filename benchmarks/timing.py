"""Helpers for all benchmarks.

Machines are noisy, so Hyperbaton and its peers take turns, and the median of the ratios counts.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hyperbaton as hb

ROUNDS = 7


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare_speed(
    ours: Callable[[], Any], count: int, peer: Callable[[], Any], peer_count: int
) -> list[str]:
    """Return the time per item of both, and the median of the ratios of neighbouring runs."""
    ours(), peer()  # warm up
    times = [(seconds(ours) / count, seconds(peer) / peer_count) for _ in range(ROUNDS)]
    our_time, peer_time = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(b / a for a, b in times)
    return [microseconds(our_time), microseconds(peer_time), f"{ratio:,.0f} ×"]


def microseconds(duration: float) -> str:
    return f"{duration * 1e6:,.2f} µs"


def measure_in_process(python: str, script: str, *arguments: str) -> dict[str, float]:
    """Run ``script --measure …`` in a process of its own; its last line is JSON."""
    command = [python, script, "--measure", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def require_data() -> Path:
    """Return the folder of the data; end the benchmark with a hint if it is not set."""
    folder = os.environ.get("HYPERBATON_DATA")
    if not folder:
        print("\nThis benchmark needs data: set HYPERBATON_DATA to its folder.")
        raise SystemExit
    return Path(folder)


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def print_table(title: str, headings: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    print(f"\n**{title}**\n")
    for row in [headings, ["---"] * len(headings), *rows]:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def compare_threads(title: str, work: Callable[[int], Any]) -> None:
    """Time the work on one and on two threads."""
    times = [tuple(seconds(lambda n=n: work(n)) for n in (1, 2)) for _ in range(2 * ROUNDS)]
    one, two = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(a / b for a, b in times)
    print_table(
        title,
        ["one thread", "two threads", "ratio"],
        [[f"{1e3 * one:,.0f} ms", f"{1e3 * two:,.0f} ms", f"{ratio:.2f} ×"]],
    )


def peak_memory(arguments: list[str]) -> float:
    """Return the peak memory of a `hyperbaton` command in MB.

    VmHWM is used because ru_maxrss would include the memory of the parent process.
    """
    code = (
        "import re, sys\n"
        "from hyperbaton.cli import main\n"
        "status = main(sys.argv[1:])\n"
        "kilobytes = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]\n"
        "print(int(kilobytes) / 1024, file=sys.stderr)\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stderr.splitlines()[-1])  # after notes


def print_header() -> None:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"Hyperbaton {hb.__version__}, Python {platform.python_version()}, {system}")
