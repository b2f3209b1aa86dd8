"""``hyperbaton permutation``, run as a user runs it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest

import hyperbaton as hb


def run(
    *arguments: str, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hyperbaton", *arguments],
        capture_output=True,
        input=given,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


def test_text() -> None:
    done = run("permutation", "2", "4", "5", "6", "1", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "⟨2, 4, 5, 6, 1, 3⟩" in done.stdout
    assert hb.Permutation([2, 4, 5, 6, 1, 3]).tree().draw() in done.stdout
    assert "kendall           0.5333" in done.stdout  # 8 of 15 pairs
    assert "permutation trees 2" in done.stdout
    for name in hb.measures([[1]]):
        assert f"\n{name} " in done.stdout


def test_json() -> None:
    done = run("permutation", "2", "4", "5", "6", "1", "3", "--json")
    document = json.loads(done.stdout)
    assert document["schema"] == "hyperbaton/permutation/1"
    assert document["permutation"] == [2, 4, 5, 6, 1, 3]
    assert (document["trees"], document["size"], document["max_arity"]) == (2, 3, 4)
    assert document["measures"]["kendall"] == pytest.approx(8 / 15)
    assert document["operators"][0] == {"operator": [2, 4, 1, 3], "span": [0, 6]}
    assert [node["span"] for node in document["operators"]] == [[0, 6], [1, 4], [1, 3]]


@pytest.mark.parametrize(
    "words", [("4,3,2,1",), ("⟨4, 3,", "2, 1⟩"), ("<4 3 2 1>",), ("[4,3,2,1]",)]
)
def test_values_as_they_are_written(words: tuple[str, ...]) -> None:
    assert json.loads(run("permutation", *words, "--json").stdout)["permutation"] == [4, 3, 2, 1]


def test_options() -> None:
    done = run("permutation", "1", "3", "2", "--beta", "0", "--gamma", "0.5", "--json")
    scores = json.loads(done.stdout)["measures"]
    assert scores["pef"] == hb.pef([1, 3, 2], 0, 0.5) == 0.5
    assert scores["pef_beer"] is None  # 0/0
    assert "pef_beer               –  " in run("permutation", "1", "3", "2", "--beta", "0").stdout


def test_flattened_when_asked_for_or_too_wide() -> None:
    words = [str(value) for value in range(40, 0, -1)]
    assert "flattened tree" in run("permutation", *words, COLUMNS="80").stdout
    assert "39×⟨2,1⟩\n├── 40\n" in run("permutation", *words, COLUMNS="80").stdout
    assert "canonical tree" in run("permutation", *words, COLUMNS="500").stdout
    assert "2×⟨2,1⟩" in run("permutation", "3", "2", "1", "--flat").stdout


def test_long_permutations() -> None:
    words = [str(value) for value in range(1, 8_001)]
    done = run("permutation", *words, "--json")
    document = json.loads(done.stdout)
    assert document["trees"] is None  # more digits than JSON readers take
    asymptotic = 7999 * math.log10(4) - math.log10(math.sqrt(math.pi) * 7999**1.5)
    assert document["trees_log10"] == pytest.approx(asymptotic, abs=1e-3)
    assert "permutation trees about " in run("permutation", *words).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["permutation", "0", "1", "2"],
            "value 0 at position 1 is outside 1..3 (permutations count",
        ),
        (["permutation", "1", "1"], "value 1 at position 2 stands at position 1 already"),
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
def test_wrong_input_is_one_line_and_status_2(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("hyperbaton: error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 400


def test_help_and_version() -> None:
    assert run("--version").stdout == f"hyperbaton {hb.__version__}\n"
    for arguments in ([], ["--help"], ["-h"]):
        done = run(*arguments)
        assert done.returncode == 0
        assert "hyperbaton permutation 2 4 5 6 1 3" in done.stdout
    assert "Examples:" in run("permutation", "--help").stdout
    assert "Examples:" in run("permutation", "-h").stdout


def test_utf_8_whatever_the_locale() -> None:
    done = run("permutation", "2", "1", LC_ALL="C", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "⟨2, 1⟩" in done.stdout


def shell(command: str) -> subprocess.CompletedProcess[str]:
    hyperbaton = f"{sys.executable} -m hyperbaton"
    return subprocess.run(
        ["bash", "-c", command.replace("hyperbaton", hyperbaton)],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


def test_standard_input() -> None:
    assert json.loads(run("permutation", "-", "--json", given="2, 1\n3\n").stdout)[
        "permutation"
    ] == [2, 1, 3]
    assert "there are no values" in run("permutation", "-", given="").stderr
    done = run("permutation", "-", given="2\n2\n")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    if os.name == "posix":
        done = shell(r"printf '1 \xff' | hyperbaton permutation -")
        assert done.returncode == 2
        assert done.stderr == "hyperbaton: error: standard input is not UTF-8 at byte 2\n"
        done = shell("hyperbaton permutation - 0> /dev/null")  # open for writing only
        assert done.returncode == 2
        assert done.stderr == "hyperbaton: error: cannot read standard input: Bad file descriptor\n"


def test_narrow_terminals() -> None:
    for columns in (30, 60, 80):
        done = run("permutation", "2", "4", "5", "6", "1", "3", COLUMNS=str(columns))
        assert max(map(len, done.stdout.splitlines())) <= columns


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_a_reader_that_leaves_early() -> None:
    done = shell("seq 20000 | hyperbaton permutation - | head -c 10")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_output_that_cannot_be_written() -> None:
    done = shell("hyperbaton permutation 2 1 > /dev/full")
    assert (done.returncode, done.stderr) == (
        1,
        "hyperbaton: error: cannot write: No space left on device\n",
    )
    assert "Traceback" not in shell("hyperbaton permutation 2 1 >&-").stderr
