"""``hyperbaton check``, for continuous integration."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.compare.corpus import REFERENCES, SYSTEMS, compared, write
from command_line import CommandLine, NewProcess

FAIL = "--fail-below-baseline"
WORSE = ["check", "-r", "ref.txt", "worse.txt", "--baseline", "a.txt"]
BETTER = ["check", "-r", "ref.txt", "a.txt", "--baseline", "worse.txt"]
ALIKE = ["check", "-r", "ref.txt", "a.txt", "--baseline", "b.txt"]


@pytest.fixture(autouse=True)
def files(working_directory: Path) -> None:
    write("ref.txt", REFERENCES)
    for name, lines in SYSTEMS.items():
        write(name, lines)


def check_line(metric: str, system: str, relation: str, baseline: str) -> str:
    """Return the line that a check should print, with the numbers of ``hb.compare``."""
    comparison = compared([metric], system, baseline, baseline=baseline)
    (difference,) = comparison.differences
    values = {result.name: result[metric].value for result in comparison.results}
    sign = "−" if difference.difference < 0 else "+"
    return (
        f"{Path(system).stem} {relation} {Path(baseline).stem} by {metric}: "
        f"{values[system]:.4f} against "
        f"{values[baseline]:.4f} (difference {sign}{abs(difference.difference):.4f}, "
        f"p = {difference.p:.3f}, 40 segments)\n"
    )


@pytest.mark.parametrize("metric", ["pef", "wer"])
def test_a_worse_system_fails(metric: str, cli: CommandLine) -> None:
    """An error rate of a worse system is higher."""
    expected = check_line(metric, "worse.txt", "is significantly worse than", "a.txt")
    result = cli(*WORSE, "-m", metric, FAIL)
    assert (result.status, result.stdout, result.stderr) == (3, expected, "")
    assert cli.output(*WORSE, "-m", metric) == expected


@pytest.mark.parametrize("metric", ["pef", "wer"])
def test_a_better_system_passes(metric: str, cli: CommandLine) -> None:
    expected = check_line(metric, "a.txt", "is significantly better than", "worse.txt")
    assert cli.output(*BETTER, "-m", metric, FAIL) == expected


@pytest.mark.parametrize("metric", ["pef", "wer"])
def test_a_system_that_is_alike_passes(metric: str, cli: CommandLine) -> None:
    expected = check_line(metric, "a.txt", "is not significantly different from", "b.txt")
    assert cli.output(*ALIKE, "-m", metric, FAIL) == expected


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--method", "randomization"], {"method": "randomization"}),
        (["--samples", "300", "--seed", "7"], {"samples": 300, "seed": 7}),
        (["--level", "0.9"], {"level": 0.9}),
    ],
)
def test_p_values_are_those_of_compare(
    arguments: list[str], options: dict[str, Any], cli: CommandLine
) -> None:
    found = cli.succeed(*ALIKE, "-m", "hyper", "-m", "wer", "-f", "json", *arguments).json()
    comparison = compared(["hyper", "wer"], "a.txt", "b.txt", baseline="b.txt", **options)
    for check, difference in zip(found["checks"], comparison.differences, strict=True):
        for key in ("metric", "p", "difference", "lower", "upper", "better", "effect"):
            assert check[key] == getattr(difference, key)
    assert found["level"] == options.get("level", 0.95)


def test_one_of_several_metrics_fails(cli: CommandLine) -> None:
    """The words are the same in another order, so that only order gets worse."""
    write("reversed.txt", [" ".join(reversed(line.split())) for line in REFERENCES])
    arguments = ["check", "-r", "ref.txt", "reversed.txt", "--baseline", "perfect.txt"]
    result = cli(*arguments, "-m", "per", "-m", "pef", FAIL)
    assert result.status == 3
    per, pef = result.stdout.splitlines()
    assert per.startswith("reversed is not significantly different from perfect by per: ")
    assert pef.startswith("reversed is significantly worse than perfect by pef: ")
    assert cli(*arguments, "-m", "per", FAIL).status == 0


def test_the_default_metrics(cli: CommandLine) -> None:
    result = cli.succeed(*ALIKE)
    assert all(f" by {metric}: " in result.stdout for metric in ("order", "chrf"))
    assert "precedence" not in result.stderr  # no advice against the default


def test_json(cli: CommandLine) -> None:
    result = cli(*WORSE, "-m", "pef,wer", "-f", "json", FAIL)
    assert result.status == 3
    found = result.json()
    assert (found["schema"], found["passed"], found["can_fail"], found["baseline"]) == (
        "hyperbaton/check/1",
        False,
        True,
        "a.txt",
    )
    assert [(check["metric"], check["worse"]) for check in found["checks"]] == [
        ("pef", True),
        ("wer", True),
    ]
    comparison = compared(["wer"], "worse.txt", "a.txt")
    wer = found["checks"][1]
    assert [wer["value"], wer["baseline_value"]] == [
        score["wer"].value for score in comparison.results
    ]
    assert wer["signature"] == comparison.results[0]["wer"].signature


def test_equal_files(cli: CommandLine) -> None:
    write("copy.txt", SYSTEMS["a.txt"])
    arguments = ["check", "-r", "ref.txt", "copy.txt", "--baseline", "a.txt", "-m", "pef", FAIL]
    result = cli.succeed(*arguments)
    assert result.stdout.endswith("(difference 0.0000, p = 1.000, 40 segments)\n")
    assert "are equal in every segment by pef: p = 1" in result.stderr
    assert cli.succeed(*arguments, "--quiet").stderr == ""


def test_a_check_that_could_never_fail(cli: CommandLine) -> None:
    for name, lines in (("ref.txt", REFERENCES), *SYSTEMS.items()):
        write(name, lines[:5])
    message = cli.error(*WORSE, "-m", "pef", FAIL, "-o", "out.txt")
    assert message == (
        "5 segments are too few for intervals and significant differences: at least 6 are needed; "
        "this check could never fail"
    )
    assert not Path("out.txt").exists()
    result = cli.succeed(*WORSE, "-m", "pef", "--quiet")
    assert result.stdout.endswith("5 segments, no difference could be significant)\n")
    assert cli.succeed(*WORSE, "-m", "pef", "-f", "json").json()["can_fail"] is False


def test_too_few_samples_to_fail(cli: CommandLine) -> None:
    message = cli.error(*WORSE, "-m", "pef", "--samples", "10", FAIL)
    assert message.startswith("with 10 samples, no p can be less than 0.091")


def test_few_segments_may_be_enough(cli: CommandLine) -> None:
    for name, lines in (("ref.txt", REFERENCES), *SYSTEMS.items()):
        write(name, lines[:12])
    arguments = ["check", "-r", "ref.txt", "worse.txt", "--baseline", "perfect.txt", "-m", "wer"]
    result = cli(*arguments, FAIL)
    assert result.status == 3
    assert "12 segments are few" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "ref.txt", "a.txt"], "no baseline: hyperbaton check -r REF SYS... --baseline BASE"),
        (["-r", "ref.txt", "--baseline", "b.txt"], "no system: hyperbaton check -r REF SYS..."),
        (["a.txt", "--baseline", "b.txt"], "no reference: hyperbaton check -r REF SYS..."),
        (
            ["-r", "ref.txt", "a.txt", "--baseline", "none.txt"],
            "cannot read none.txt: No such file or directory",
        ),
        (["-r", "ref.txt", "a.txt", "--baseline", "a.txt"], "a.txt is given twice"),
        (["-r", "ref.txt", "x=a.txt", "--baseline", "x=b.txt"], "two systems have the name x"),
        (
            ["-r", "ref.txt", "a.txt", "--baseline", "short.txt"],
            "ref.txt has 40 lines, but short.txt has 3",
        ),
        (
            ["--example", "--baseline", "none"],
            "the baseline 'none' is not one of the systems: literal.txt, phrasal.txt, fluent.txt",
        ),
        (["-r", "ref.txt", "a.txt", "--baseline", "b.txt", "-o", "b.txt"], "b.txt would be over"),
    ],
)
def test_bad_input(arguments: list[str], message: str, cli: CommandLine) -> None:
    write("short.txt", REFERENCES[:3])
    assert cli.error("check", *arguments, "-m", "pef", FAIL).startswith(message)


def test_files_of_other_kinds(cli: CommandLine) -> None:
    expected = cli.output(*WORSE, "-m", "pef")
    Path("new.txt.gz").write_bytes(gzip.compress(Path("worse.txt").read_bytes()))
    rows = zip(REFERENCES, SYSTEMS["a.txt"], strict=True)
    write("data.tsv", ["ref\told", *("\t".join(row) for row in rows)])
    found = cli.output(
        *("check", "-r", "data.tsv:ref", "worse=new.txt.gz"),
        *("--baseline", "a=data.tsv:old", "-m", "pef"),
    )
    assert found == expected


def test_an_output_file(cli: CommandLine) -> None:
    result = cli(*WORSE, "-m", "pef", FAIL, "-o", "out.txt")
    assert (result.status, result.stdout) == (3, "")
    assert "is significantly worse than" in Path("out.txt").read_text("utf-8")


def test_the_configuration_sets_metrics(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HYPERBATON_CONFIG", raising=False)
    table = '[tool.hyperbaton]\nmetrics = ["wer", "pef"]\nformat = "latex"\n'
    Path("pyproject.toml").write_text(table, encoding="utf-8")
    found = cli.output(*WORSE)
    assert [line.split(" by ")[1].split(":")[0] for line in found.splitlines()] == ["wer", "pef"]


def test_the_exit_status_of_a_process(cli_process: NewProcess) -> None:
    """It is what continuous integration sees; there is no terminal, and the locale may be C."""
    run = cli_process.with_environment(LC_ALL="C", PYTHONUTF8="0")
    result = run(*WORSE, "-m", "pef", FAIL)
    assert (result.status, result.stderr) == (3, "")
    assert "difference −0." in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pipe that is closed")
def test_a_closed_pipe_does_not_pass() -> None:
    """The status says that the check failed even if nobody reads why."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "hyperbaton", *WORSE, "-m", "wer", FAIL]
    process = subprocess.run(command, stdout=writer, stderr=subprocess.DEVNULL)
    os.close(writer)
    assert process.returncode == 3
