"""What all benchmarks share. Machines are noisy: peers take turns, the median of ratios counts."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import hyperbaton as hb

ROUNDS = 7


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compare(
    ours: Callable[[], Any], count: int, peer: Callable[[], Any], peer_count: int
) -> list[str]:
    """Time per item of both, and the median of the ratios of neighbouring runs."""
    ours(), peer()  # warm up
    pairs = [(seconds(ours) / count, seconds(peer) / peer_count) for _ in range(ROUNDS)]
    mine, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    return [micro(mine), micro(theirs), f"{statistics.median(b / a for a, b in pairs):,.0f} ×"]


def micro(duration: float) -> str:
    return f"{duration * 1e6:,.2f} µs"


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    print(f"\n**{title}**\n")
    for row in [head, ["---"] * len(head), *rows]:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def one_and_two_threads(title: str, work: Callable[[int], Any]) -> None:
    both = [tuple(seconds(lambda n=n: work(n)) for n in (1, 2)) for _ in range(2 * ROUNDS)]
    one, two = (statistics.median(times) for times in zip(*both, strict=True))
    ratio = statistics.median(a / b for a, b in both)
    table(
        title,
        ["one thread", "two threads", "ratio"],
        [[f"{1e3 * one:,.0f} ms", f"{1e3 * two:,.0f} ms", f"{ratio:.2f} ×"]],
    )


def peak(arguments: list[str]) -> float:
    """The most memory that the command ever has, in MB. (ru_maxrss would count its parent's.)"""
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
    return float(done.stderr)


def header() -> None:
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    print(f"Hyperbaton {hb.__version__}, Python {platform.python_version()}, {system}")
