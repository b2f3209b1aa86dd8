"""Tables: a TableScorer beside lists, processes, Ray, memory. Prints Markdown.

Usage: ``HYPERBATON_DATA=… python -m benchmarks.tables [SEGMENTS]``, 2,000,000 by default. The
engines need about 1 GB of disk for each 2,000,000 segments. Each run has a process of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

SEGMENTS = 2_000_000
ROUNDS = 5
METRICS = ("pef", "adjacency")
ROWS_PER_FILE = 500_000
TICKS = os.sysconf("SC_CLK_TCK")


def texts(count: int) -> tuple[list[str], list[str]]:
    """Return outputs of the systems of wmt13 de-en, and their references, over and over."""
    folder = Path(os.environ["HYPERBATON_DATA"]) / "wmt13" / "de-en"
    references = (folder / "reference.txt").read_text("utf-8").split("\n")[:3000]
    lines = [
        line
        for path in sorted((folder / "systems").iterdir())
        for line in path.read_text("utf-8").split("\n")[:3000]
    ]
    return list(islice(cycle(lines), count)), list(islice(cycle(references), count))


def write_input(folder: Path, count: int) -> None:
    import pyarrow
    import pyarrow.parquet

    for begin in range(0, count, ROWS_PER_FILE):
        rows = min(ROWS_PER_FILE, count - begin)
        hyps, refs = texts(begin + rows)
        table = pyarrow.table(
            {"id": range(begin, begin + rows), "mt": hyps[begin:], "ref": refs[begin:]}
        )
        path = folder / f"{begin // ROWS_PER_FILE:04}.parquet"
        pyarrow.parquet.write_table(table, path, compression="zstd", row_group_size=100_000)


def measure_scorer() -> dict[str, float]:
    """Compare a TableScorer with ``hb.score`` on lists, on one core, in turns."""
    import pyarrow

    import hyperbaton as hb

    hyps, refs = texts(51_000)
    table = pyarrow.table({"mt": hyps, "ref": refs})
    scorer = hb.TableScorer(METRICS, "en", hypothesis="mt", reference="ref")

    def score_lists() -> None:
        hb.score(hyps, refs, METRICS, "en", threads=1, keep_texts=False)

    def cpu_time(work: object) -> float:
        begin = time.process_time()
        work()  # type: ignore[operator]
        return time.process_time() - begin

    rounds = [(cpu_time(score_lists), cpu_time(lambda: scorer(table))) for _ in range(ROUNDS + 1)][
        1:
    ]
    lists, tables = (statistics.median(column) for column in zip(*rounds, strict=True))
    ratio = statistics.median(a / b for a, b in rounds)
    return {"lists": lists / len(hyps), "table": tables / len(hyps), "ratio": ratio}


def measure_engine(engine: str, workers: int, source: str) -> dict[str, float]:
    """Score a folder, and return wall time, CPU time of all processes, and memory of a worker."""
    import hyperbaton as hb

    peak = 0.0

    def watch(_: object) -> None:
        nonlocal peak
        peak = max([peak, *map(peak_memory, workers_of(engine))])

    if engine == "ray":
        import ray

        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        warm_up = ray.remote(lambda: hb.score(["a"], ["a"], METRICS, "en", threads=1))
        ray.get([warm_up.remote() for _ in range(4 * workers)])
    idle = min(map(peak_memory, workers_of(engine)), default=0.0)
    with tempfile.TemporaryDirectory(dir=source) as output:
        begin, begin_cpu = time.perf_counter(), tree_cpu_time()
        hb.score_table(
            f"{source}/*.parquet",
            f"{output}/scores",
            METRICS,
            "en",
            hypothesis="mt",
            reference="ref",
            engine=engine,
            workers=workers,
            progress=watch,
        )
        wall, cpu = time.perf_counter() - begin, tree_cpu_time() - begin_cpu
    if engine == "local" and workers == 1:
        peak = peak_memory(os.getpid())
    return {"wall": wall, "cpu": cpu, "peak": peak, "idle": idle}


def processes() -> dict[int, tuple[int, str, float]]:
    """Return parent, command line and CPU time of each process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended
        # With the children that have ended.
        found[int(entry.name)] = int(fields[1]), command, sum(map(int, fields[11:15])) / TICKS
    return found


def descendants() -> dict[int, tuple[int, str, float]]:
    everyone = processes()
    mine = {os.getpid()}
    while more := {pid for pid, (parent, *_) in everyone.items() if parent in mine} - mine:
        mine |= more
    return {pid: everyone[pid] for pid in mine if pid in everyone}


def tree_cpu_time() -> float:
    """Return the CPU time of this process and all its descendants."""
    return sum(cpu for *_, cpu in descendants().values())


def workers_of(engine: str) -> list[int]:
    """Return the processes that score shards."""
    mark = "ray::" if engine == "ray" else "tables.workers"
    return [pid for pid, (_, command, _) in descendants().items() if mark in command]


def peak_memory(pid: int) -> float:
    """Return the largest memory of a process so far, in MB."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return int(lines["VmHWM"].split()[0]) * 1024 / 1e6 if "VmHWM" in lines else 0.0


def run(*arguments: str) -> dict[str, float]:
    """Run one of the measurements in a process of its own."""
    command = [sys.executable, __file__, "--measure", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return measured


def main() -> None:
    if sys.argv[1:2] == ["--measure"]:
        what, *arguments = sys.argv[2:]
        if what == "scorer":
            print(json.dumps(measure_scorer()))
        else:
            print(json.dumps(measure_engine(what, int(arguments[0]), arguments[1])))
        return
    from benchmarks.timing import print_header, print_table, require_data

    require_data()
    print_header()
    scorer = run("scorer")
    print_table(
        "CPU time per segment on one core",
        ["`hb.score`, Python lists", "`TableScorer`", "lists ÷ table"],
        [
            [
                f"{1e6 * scorer['lists']:.1f} µs",
                f"{1e6 * scorer['table']:.1f} µs",
                f"{scorer['ratio']:.2f}",
            ]
        ],
    )
    count = int(sys.argv[1]) if sys.argv[1:] else SEGMENTS
    source = tempfile.mkdtemp()
    try:
        write_input(Path(source), count)
        rows = []
        for engine, workers in (("local", 1), ("local", 2), ("ray", 2)):
            if engine == "ray" and not has_ray():
                continue
            measured = run(engine, str(workers), source)
            rows.append(
                [
                    f"{engine}, {workers}",
                    f"{measured['wall']:.1f} s",
                    f"{count / measured['wall']:,.0f}",
                    f"{measured['cpu']:.1f} s",
                    f"{measured['peak']:.0f} MB",
                    f"{measured['idle']:.0f} MB" if measured["idle"] else "",
                ]
            )
        print_table(
            f"`hb.score_table`, {count:,} segments, {', '.join(METRICS)}",
            [
                "engine, workers",
                "time",
                "segments per second",
                "CPU time of all processes",
                "memory of a worker",
                "idle",
            ],
            rows,
        )
    finally:
        shutil.rmtree(source)


def has_ray() -> bool:
    import importlib.util

    return importlib.util.find_spec("ray") is not None


if __name__ == "__main__":
    main()
