"""Parquet files that are scored to a folder, and what the other commands do with such folders."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CommandLine, NewProcess
from hyperbaton.cli.folders import describe_run
from hyperbaton.runs.tables.running import RunProgress
from runs.tables.parquet_files import make_columns, names_in, write_split

COLUMNS = make_columns(40)
METRICS = ["-m", "pef", "-m", "full:bp=off", "-m", "wer", "-m", "bleu", "-l", "en"]
SHARDS = [f"0000{k}-of-00004.parquet" for k in (1, 2, 3, 4)]


@pytest.fixture(autouse=True)
def files(working_directory: Path) -> None:
    """Write the same texts as text files, and as four Parquet files."""
    for name in ("a", "b", "first", "last"):
        Path(name).write_text("".join(f"{text}\n" for text in COLUMNS[name]))
    write_split(Path("data"), COLUMNS, [10] * 4, 4)


def columns(*names: str) -> list[str]:
    return [f"data/*.parquet:{name}" for name in names]


def texts(*names: str) -> list[str]:
    """Return systems with both references, as columns."""
    first, last = columns("first", "last")
    return ["-r", first, "-r", last, *columns(*names)]


def score(*names: str, output: str = "scores/") -> list[str]:
    return ["score", *texts(*names), *METRICS, "-o", output, "--workers", "1"]


# The same numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("systems", [["a"], ["a", "b"]])
def test_the_same_as_text_files(systems: list[str], cli: CommandLine) -> None:
    plain = ["score", "-r", "first", "-r", "last", *systems, *METRICS, "-f", "json"]
    expected = cli.succeed(*plain, "--segments", "segments.tsv").json()
    assert cli.succeed(*score(*systems), "-f", "json").json() == expected
    assert cli.succeed("merge", "scores/", "-f", "json").json() == expected

    header, *lines = [line.split("\t") for line in Path("segments.tsv").read_text().splitlines()]
    for name in systems:
        folder = Path("scores") / (name if len(systems) > 1 else "")
        table = pa.concat_tables([pq.read_table(folder / shard) for shard in SHARDS])
        own = [line[2:] for line in lines if line[1] == name]
        for metric, values in zip(header[2:], zip(*own, strict=True), strict=True):
            written = [value.hex() for value in table.column(metric).to_pylist()]
            assert written == [float(value).hex() for value in values]


@pytest.mark.parametrize("parts", [1, 3, 9])
def test_parts_and_merge(parts: int, cli: CommandLine) -> None:
    expected = cli.succeed(*score("a", "b", output="whole/"))
    for k in range(parts, 0, -1):
        if k == parts - 1:
            assert "missing" in cli.error("merge", "scores/")
        done = cli.succeed(*score("a", "b"), "--shard", f"{k}/{parts}")
        assert done.stdout == ""
        assert done.stderr.startswith(f"hyperbaton: note: part {k}/{parts}: ")
    assert cli.succeed("merge", "scores/") == expected
    merged = cli.succeed("merge", "scores/a", "-o", "a.txt")
    assert merged.stdout == ""
    assert "pef" in Path("a.txt").read_text()


def test_two_workers(cli: CommandLine) -> None:
    expected = cli.succeed(*score("a", "b", output="one/"))
    assert cli.succeed(*score("a", "b")[:-1], "2") == expected


def test_an_existing_folder_needs_no_slash(cli: CommandLine) -> None:
    Path("scores").mkdir()
    cli.succeed(*score("a", output="scores"))
    assert names_in(Path("scores")) == SHARDS


def test_options(cli: CommandLine) -> None:
    cli.succeed(*score("a"), "--keep", "id", "--no-statistics", "--engine", "local")
    table = pq.read_table(f"scores/{SHARDS[1]}")
    assert table.column_names == ["id", "pef", "full:bp=off", "wer", "bleu", "linked", "matched"]
    assert table.column("id").to_pylist() == list(range(10, 20))


def test_links(cli: CommandLine) -> None:
    table = pa.table({"mt": ["b a", "c"], "ref": ["a b", "c"], "links": ["0-1 1-0", "0-0"]})
    pq.write_table(table, "links.parquet")
    for name in table.column_names:
        Path(name).write_text("".join(f"{text}\n" for text in table.column(name).to_pylist()))
    metric = ["-m", "pef:tok=none", "-f", "json"]
    expected = cli.succeed("score", "-r", "ref", "mt", "--alignment", "links", *metric).json()
    reference, system, links = (f"links.parquet:{name}" for name in ("ref", "mt", "links"))
    given = ["-r", reference, system, "--alignment", links, "-o", "scores/"]
    assert cli.succeed("score", *given, *metric).json() == expected


def test_progress_in_words() -> None:
    assert describe_run(RunProgress(0, 1, 0, 10, 0, 0.0, 0)) == "0 of 1 shard"
    done = RunProgress(1000, 3000, 10_000_000, 30_000_000, 10_000_000, 2000.0, 0)
    assert describe_run(done) == "1,000 of 3,000 shards, 5,000 segments/s, 1 h 6 min left"
    done = RunProgress(1, 2, 1000, 2000, 1000, 90.0, 0)
    assert describe_run(done) == "1 of 2 shards, 11 segments/s, 1 min 30 s left"


def test_progress_bar(cli_process: NewProcess) -> None:
    result = cli_process.on_terminal("stderr", *score("a"), "-f", "json")
    assert result.status == 0
    assert "4 of 4 shards" in result.stderr
    assert result.json()["systems"][0]["name"] == "a"


def test_help(cli: CommandLine) -> None:
    text = cli.output("score", "--help-all")
    for option in ("--engine", "--address", "--workers", "--shard", "--keep", "--on-error"):
        assert option in text
    assert "Folder written by hyperbaton score" in cli.output("merge", "--help")
    assert "compare scores/a scores/b" in cli.output("compare", "--help-all")


# Bad input --------------------------------------------------------------------------------------


def replace_column(file: str, name: str, values: Any) -> None:
    """Change a column of an input file."""
    table = pq.read_table(f"data/{file}")
    index = table.column_names.index(name)
    pq.write_table(table.set_column(index, name, values), f"data/{file}", row_group_size=4)


def test_missing_column(cli: CommandLine) -> None:
    message = cli.error("score", "-r", *columns("frst", "a"), "-o", "scores/")
    expected = "data/000.parquet has no column 'frst'; did you mean first? It has "
    assert message.startswith(expected)
    assert not Path("scores").exists()


def test_files_with_different_columns(cli: CommandLine) -> None:
    table = pq.read_table("data/002.parquet")
    pq.write_table(table.drop_columns(["last"]), "data/002.parquet")
    assert cli.error(*score("a")).startswith("data/002.parquet has no column 'last'; ")
    replace_column("001.parquet", "id", pa.array(["x"] * 10))
    message = cli.error("score", "-r", *columns("first", "a"), "-o", "scores/", "--keep", "id")
    assert message == (
        "data/001.parquet: column 'id' has the type string, but in data/000.parquet it has int64"
    )
    assert not Path("scores").exists()


def test_wrong_type(cli: CommandLine) -> None:
    replace_column("003.parquet", "a", pa.array(range(10)))
    message = cli.error(*score("a"))
    assert message == "data/003.parquet: the column 'a' must have strings, not int64"
    assert not Path("scores").exists()


def test_null(cli: CommandLine) -> None:
    values = pa.array(["x"] * 5 + [None] + ["y"] * 4)
    replace_column("002.parquet", "last", values)
    assert cli.error(*score("a")) == "data/002.parquet, row 6: last is null"
    assert names_in(Path("scores")) == SHARDS[:2]


def test_null_in_a_worker(cli: CommandLine) -> None:
    replace_column("002.parquet", "a", pa.array(["x"] * 9 + [None]))
    assert cli.error(*score("a")[:-1], "2") == "data/002.parquet, row 10: a is null"
    assert set(names_in(Path("scores"))) <= {SHARDS[0], SHARDS[1], SHARDS[3]}


def test_nulls_are_counted(cli: CommandLine) -> None:
    plain = cli.succeed(*score("a", output="plain/"), "-f", "json").json()
    assert "skipped" not in plain["systems"][0]
    replace_column("002.parquet", "a", pa.array(["x"] * 9 + [None]))
    result = cli.succeed(*score("a"), "--on-error", "null", "-f", "json")
    (system,) = result.json()["systems"]
    assert system["skipped"] == 1
    assert system["scores"]["pef"]["n"] == 39
    warning = "hyperbaton: warning: a: 1 row could not be scored and is left out\n"
    assert warning in result.stderr
    assert warning in cli.succeed("merge", "scores/").stderr
    replace_column("003.parquet", "a", pa.array([None] * 10, pa.string()))
    more = cli.succeed(*score("a", output="more/"), "--on-error", "null")
    assert "warning: a: 11 rows could not be scored and are left out\n" in more.stderr


def test_not_parquet(cli: CommandLine) -> None:
    Path("data/001.parquet").write_text("text\n" * 100)
    assert cli.error(*score("a")) == "data/001.parquet is not a Parquet file"
    Path("data/001.parquet").write_bytes(b"PAR1" + bytes(100))
    assert cli.error(*score("a")).startswith("data/001.parquet is a damaged Parquet file: ")


def test_damaged_pages(cli: CommandLine) -> None:
    content = bytearray(Path("data/001.parquet").read_bytes())
    content[4:300] = bytes(296)  # the footer is at the end
    Path("data/001.parquet").write_bytes(content)
    assert cli.error(*score("a")).startswith("data/001.parquet is a damaged Parquet file: ")
    assert names_in(Path("scores")) == SHARDS[:1]


def test_no_such_file(cli: CommandLine) -> None:
    for path, message in (
        ("none/*.parquet", "no file matches none/*.parquet"),
        ("none.parquet", "cannot read none.parquet: No such file or directory"),
    ):
        given = ["-r", f"{path}:ref", f"{path}:mt", "-o", "scores/"]
        assert cli.error("score", *given) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "first", "a", "-o", "scores/"], "a is not a column of Parquet files, such as "),
        (
            ["-r", "data/000.parquet:first", "data/001.parquet:a", "-o", "scores/"],
            "systems and references must be columns of the same files: data/001.parquet:a and ",
        ),
        ([*texts("a"), "--workers", "2"], "--workers needs an output folder: -o FOLDER/"),
        ([*texts("a"), "--shard", "1/2", "-o", "x.txt"], "--shard needs an output folder"),
        ([*texts("a"), "-o", "scores/", "-c"], "--confidence and --segments cannot be used with"),
        (
            [*texts("a"), "-o", "scores/", "--threads", "2"],
            "--threads cannot be used with Parquet files",
        ),
        ([*texts("a"), "-o", "scores/", "--workers", "0"], "workers must be at least 1, got 0"),
        ([*texts("a"), "-o", "scores/", "--shard", "5/4"], "shard must be K/N with K from 1 to N"),
        (
            [*texts("a"), "-o", "scores/", "--address", "x:1"],
            "address can only be used with the engine ray",
        ),
        ([*texts("a", "a"), "-o", "scores/"], "data/*.parquet:a is given twice"),
        (["--example", "-o", "scores/"], "--example cannot be scored to a folder"),
        ([*texts("a"), "-o", "a/"], "a is a file: give a folder for the output"),
        ([*texts("a"), "-o", "data/"], "data has other files, such as 000.parquet: give an empty"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, cli: CommandLine) -> None:
    assert cli.error("score", *arguments).startswith(message)
    assert not Path("scores").exists()


def test_changed_options(cli: CommandLine) -> None:
    cli.succeed(*score("a"))
    message = cli.error(*score("a"), "-m", "cder")
    assert message == (
        "scores has scores with other settings (metrics: pef, full:bp=off, wer, bleu there, "
        "pef, full:bp=off, wer, bleu, cder now): give another output folder"
    )


def closed_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
        return port


@pytest.mark.parametrize("address", ["ray://127.0.0.1:{}", "127.0.0.1:{}"])
def test_no_cluster(address: str, cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "init", pytest.fail)  # it would try for minutes
    place = address.format(closed_port())
    message = cli.error(*score("a"), "--engine", "ray", "--address", place)
    assert message == f"no Ray cluster answers at {place}: Connection refused"


def test_no_address(cli: CommandLine) -> None:
    pytest.importorskip("ray")
    message = cli.error(*score("a"), "--engine", "ray", "--address", "ray://host:x")
    assert message == "'ray://host:x' is not a cluster address such as host:6379"


def disk_error(cli: CommandLine, workers: str) -> str:
    result = cli(*score("a")[:-1], workers)
    assert result.status == 1
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("hyperbaton: error: ").removesuffix("\n")


@contextlib.contextmanager
def small_disk(size: str) -> Iterator[None]:
    """Mount a small disk as the folder ``scores``, or skip the test if that is not allowed."""
    Path("scores").mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", "scores"]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True, check=False).returncode
    ):
        pytest.skip("a file system cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", "scores"], check=True)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_full_disk(workers: str, cli_process: NewProcess) -> None:
    with small_disk("20k"):
        assert disk_error(cli_process, workers) == "scores: No space left on device"
        finished = names_in(Path("scores"))
        assert set(finished) <= set(SHARDS)
        assert 1 <= len(finished) < 4
        for name in finished:
            assert pq.read_table(f"scores/{name}").num_rows == 10


def test_write_error(cli_process: NewProcess) -> None:
    """A limit on the size of files is for everybody, unlike small disks."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        message = disk_error(cli_process, "1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert message == f"scores: {os.strerror(errno.EFBIG)}"
    assert names_in(Path("scores")) == []


# Comparison -------------------------------------------------------------------------------------


@pytest.fixture
def scored(cli: CommandLine) -> None:
    """Scores of both systems."""
    cli.succeed(*score("a", "b"))


PLAIN = ["compare", "-r", "first", "-r", "last", "a", "b"]
FORM = ["--samples", "200", "-f", "json"]


def test_compare(scored: None, cli: CommandLine) -> None:
    expected = cli.succeed(*PLAIN, *METRICS, *FORM).json()
    shutil.rmtree("data")
    assert cli.succeed("compare", "scores/a", "scores/b", *FORM).json() == expected
    assert cli.succeed("compare", "scores/", *FORM).json() == expected
    tables = [
        cli.succeed(*command).stdout.split("\n\n")[:2]
        for command in ((*PLAIN, *METRICS), ("compare", "scores/a/", "scores/b"))
    ]
    assert tables[0] == tables[1]


def test_compare_options(scored: None, cli: CommandLine) -> None:
    method = ["--method", "randomization", "--baseline", "b", "-m", "wer", "-m", "pef"]
    expected = cli.succeed(*PLAIN, *method, "-l", "en", *FORM).json()
    baseline = ["--baseline", "scores/b", *method[4:]]
    given = ["compare", "scores/a", "scores/b", "--method", "randomization", *baseline]
    assert cli.succeed(*given, *FORM).json() == expected
    assert cli.succeed("compare", "scores/", *method, *FORM).json() == expected


def test_compare_folders_of_separate_runs(cli: CommandLine) -> None:
    """Each system is the column ``a`` of its own file."""
    expected = cli.succeed(*PLAIN, *METRICS, *FORM).json()
    for name in ("a", "b"):
        texts = {key: COLUMNS[key] for key in ("first", "last")}
        pq.write_table(pa.table({**texts, "mt": COLUMNS[name]}), f"{name}.parquet")
        first, last, mt = (f"{name}.parquet:{column}" for column in ("first", "last", "mt"))
        references = ["-r", first, "-r", last]
        cli.succeed("score", *references, mt, *METRICS, "-o", f"runs/{name}/")
    assert cli.succeed("compare", "runs/", *FORM).json() == expected
    message = cli.error("merge", "runs/")
    assert message == "runs/a and runs/b come from different runs: merge each by itself"


def test_one_system(scored: None, cli: CommandLine) -> None:
    assert cli.error("compare", "scores/a") == cli.error("compare", "-r", "first", "a")


def refused(cli: CommandLine, *changes: str, names: tuple[str, ...] = ("a", "b")) -> str:
    """Score ``b`` in another way, and return why it cannot be compared with ``a``."""
    cli.succeed(*score("a", output="one/"))
    cli.succeed("score", *(changes or texts("b")), "-o", "two/", "--workers", "1")
    return cli.error("compare", "one", "two")


def test_comparison_without_statistics(cli: CommandLine) -> None:
    message = refused(cli, *texts("b"), *METRICS, "--no-statistics")
    assert message == "two has no segment statistics: score it without --no-statistics"


def test_comparison_with_other_metrics(cli: CommandLine) -> None:
    message = refused(cli, *texts("b"), *METRICS[2:])
    assert message == "one has the metric pef, but two has not: choose common ones with -m"
    assert "two has no scores of pef" in cli.error("compare", "one", "two", "-m", "pef")
    assert cli.succeed("compare", "one", "two", "-m", "wer", *FORM).json()
    message = cli.error("compare", "one", "two", "-m", "kendall")
    assert message == "one has no scores of kendall; it has pef, full:bp=off, wer, bleu"


def test_comparison_with_more_metrics(cli: CommandLine) -> None:
    message = refused(cli, *texts("b"), *METRICS, "-m", "cder")
    assert message == "two has the metric cder, but one has not: choose common ones with -m"


def test_comparison_with_other_signatures(cli: CommandLine) -> None:
    message = refused(cli, *texts("b"), *METRICS[:-2])
    assert message.startswith("pef differs: ")


def test_comparison_with_other_references(cli: CommandLine) -> None:
    last, first, system = columns("last", "first", "b")
    message = refused(cli, "-r", last, "-r", first, system, *METRICS)
    assert message == "one and two have different references"


def test_comparison_with_other_rows(cli: CommandLine) -> None:
    files = "data/00[012].parquet:"
    message = refused(cli, "-r", f"{files}first", "-r", f"{files}last", f"{files}b", *METRICS)
    assert message == "one has 40 rows, but two has 30"


def test_comparison_with_skipped_rows(cli: CommandLine) -> None:
    replace_column("002.parquet", "b", pa.array(["x"] * 9 + [None]))
    message = refused(cli, *texts("b"), *METRICS, "--on-error", "null")
    assert message.startswith("two has 1 row without scores: only systems with scores of all")


def test_comparison_with_texts(scored: None, cli: CommandLine) -> None:
    message = "folders of scores are compared without texts: give only the folders"
    assert cli.error("compare", "scores/a", "scores/b", "-r", "first") == message
    assert "needs the texts" in cli.error("compare", "scores/a", "scores/b", "--differences", "2")
    assert cli.error("compare", "scores/a", "scores/x") == "scores/x does not exist"
    assert cli.error("compare", "scores/a", "b", "-r", "first")
    assert cli.error("compare", "scores/a", "scores/a") == "scores/a is given twice"
    Path("empty").mkdir()
    assert cli.error("compare", "scores/a", "empty") == "empty has no scores"
