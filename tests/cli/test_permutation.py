"""``hyperbaton permutation`` as a user calls it; and the streams of any command."""

from __future__ import annotations

import math
import os
import subprocess

import pytest

import hyperbaton as hb
from command_line import PROGRAM, CommandLine, NewProcess
from hyperbaton.order.catalogue import MEASURES

PAPER = ["2", "4", "5", "6", "1", "3"]  # figure 1 of Stanojević & Sima'an 2014


def test_text(cli: CommandLine) -> None:
    out = cli.output("permutation", *PAPER)
    assert "⟨2, 4, 5, 6, 1, 3⟩" in out
    assert hb.Permutation([2, 4, 5, 6, 1, 3]).tree().draw() in out
    assert "kendall           0.5333" in out  # 8 of 15 pairs
    assert "permutation trees 2" in out
    for name in hb.measures([[1]]):
        assert f"\n{name} " in out


def test_json(cli: CommandLine) -> None:
    document = cli.succeed("permutation", *PAPER, "--json").json()
    assert document["schema"] == "hyperbaton/permutation/1"
    assert document["permutation"] == [2, 4, 5, 6, 1, 3]
    assert (document["trees"], document["size"], document["max_arity"]) == (2, 3, 4)
    assert document["measures"]["kendall"] == pytest.approx(8 / 15)
    assert document["operators"][0] == {"operator": [2, 4, 1, 3], "span": [0, 6]}
    assert [node["span"] for node in document["operators"]] == [[0, 6], [1, 4], [1, 3]]


@pytest.mark.parametrize(
    "words", [("4,3,2,1",), ("⟨4, 3,", "2, 1⟩"), ("<4 3 2 1>",), ("[4,3,2,1]",)]
)
def test_notations_of_values(words: tuple[str, ...], cli: CommandLine) -> None:
    document = cli.succeed("permutation", *words, "--json").json()
    assert document["permutation"] == [4, 3, 2, 1]


def test_options(cli: CommandLine) -> None:
    command = ["permutation", "1", "3", "2", "--beta", "0"]
    scores = cli.succeed(*command, "--gamma", "0.5", "--json").json()["measures"]
    assert scores["pef"] == hb.pef([1, 3, 2], 0, 0.5) == 0.5
    assert scores["pef_beer"] is None  # 0/0
    assert "pef_beer               –  " in cli.succeed(*command).stdout


def test_descriptions_come_from_the_catalogue(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns, described in (("80", True), ("60", False)):
        monkeypatch.setenv("COLUMNS", columns)
        printed = cli.output("permutation", "2", "1")
        for measure in MEASURES.values():
            assert (f"  {measure.description}\n" in printed) == described


def test_flat_tree_if_asked_for_or_if_the_tree_is_too_wide(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    reverse = ["permutation", *(str(value) for value in range(40, 0, -1))]
    monkeypatch.setenv("COLUMNS", "80")
    narrow = cli.succeed(*reverse).stdout
    assert "flattened tree" in narrow
    assert "39×⟨2,1⟩\n├── 40\n" in narrow
    monkeypatch.setenv("COLUMNS", "500")
    assert "canonical tree" in cli.succeed(*reverse).stdout
    assert "2×⟨2,1⟩" in cli.succeed("permutation", "3", "2", "1", "--flat").stdout


def test_long_permutations(cli: CommandLine) -> None:
    words = [str(value) for value in range(1, 8_001)]
    document = cli.succeed("permutation", *words, "--json").json()
    assert document["trees"] is None  # more digits than JSON readers accept
    asymptotic = 7999 * math.log10(4) - math.log10(math.sqrt(math.pi) * 7999**1.5)
    assert document["trees_log10"] == pytest.approx(asymptotic, abs=1e-3)
    assert "permutation trees about " in cli.succeed("permutation", *words).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["permutation", "0", "1", "2"],
            "value 0 at position 1 is outside 1..3 (permutations count",
        ),
        (["permutation", "1", "1"], "value 1 at position 2 already occurs at position 1"),
        (["permutation", "-1", "2"], "value -1 at position 1 is outside 1..2"),
        (["permutation", "1", "x"], "value 'x' at position 2 is not an integer"),
        (["permutation", "1.0"], "value '1.0' at position 1 is not an integer"),
        (["permutation", "1", "9" * 30], f"value {'9' * 30} at position 2 is outside 1..2"),
        (["permutation", "1", "9" * 5000], "position 2"),
        (["permutation"], "Missing argument"),
        (["permutation", ""], "there are no values"),
        (["permutation", "1", "--jsn"], "No such option: --jsn"),
        (["permutation", "1", "--beta", "2"], "beta is 2.0, but it must lie in [0, 1]"),
        (["permutation", "1", "--beta", "x"], "--beta"),
        (["permutation", "1", "--gamma", "nan"], "gamma is nan"),
        (["permutation", "2_0"], "value '2_0' at position 1 is not an integer"),
        (["permuttion", "1"], "No such command 'permuttion'"),
        (["--nothing"], "No such option: --nothing"),
    ],
)
def test_error_messages(arguments: list[str], message: str, cli: CommandLine) -> None:
    error = cli.error(*arguments)
    assert message in error
    assert len(error) < 380


def test_help_and_version(cli: CommandLine) -> None:
    assert cli.succeed("--version").stdout == f"hyperbaton {hb.__version__}\n"
    for arguments in ([], ["--help"], ["-h"]):
        assert "hyperbaton compare -r ref.txt" in cli.succeed(*arguments).stdout
    assert "Examples:" in cli.succeed("permutation", "--help").stdout
    assert "Examples:" in cli.succeed("permutation", "-h").stdout


def test_utf_8_in_every_locale(cli_process: NewProcess) -> None:
    locale = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    out = cli_process.with_environment(**locale).output("permutation", "2", "1")
    assert "⟨2, 1⟩" in out


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in bash, where ``hyperbaton`` is this package."""
    return subprocess.run(
        ["bash", "-c", command.replace("hyperbaton", " ".join(PROGRAM))],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def test_standard_input(cli: CommandLine) -> None:
    document = cli.succeed("permutation", "-", "--json", stdin="2, 1\n3\n").json()
    assert document["permutation"] == [2, 1, 3]
    assert "there are no values" in cli.error("permutation", "-", stdin="")
    assert "position 2" in cli.error("permutation", "-", stdin="2\n2\n")
    if os.name == "posix":
        done = shell(r"printf '1 \xff' | hyperbaton permutation -")
        assert done.returncode == 2
        assert (
            done.stderr
            == "hyperbaton: error: standard input, line 1, is not UTF-8: 0xff at byte 3\n"
        )
        done = shell("hyperbaton permutation - 0> /dev/null")  # open for writing only
        assert done.returncode == 2
        assert done.stderr == "hyperbaton: error: cannot read standard input: Bad file descriptor\n"


def test_narrow_terminals(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (30, 60, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = cli.succeed("permutation", *PAPER).stdout
        assert max(map(len, out.splitlines())) <= columns


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_reader_that_closes_the_pipe_early() -> None:
    done = shell("seq 20000 | hyperbaton permutation - | head -c 10")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written() -> None:
    done = shell("hyperbaton permutation 2 1 > /dev/full")
    assert (done.returncode, done.stderr) == (
        1,
        "hyperbaton: error: cannot write standard output: No space left on device\n",
    )
    assert "Traceback" not in shell("hyperbaton permutation 2 1 >&-").stderr
