"""Files for other evaluation software."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import PROGRAM, CommandLine


def test_modules_for_evaluate(cli: CommandLine) -> None:
    assert cli.output("adapters", "evaluate", "a/b", "-m", "pef,hyper", "-m", "WER") == (
        "wrote 3 modules to a/b: pef, hyper, wer\n"
        "To load one in Python: evaluate.load('a/b/pef', language='en')\n"
    )
    assert sorted(map(str, Path("a").rglob("*.py"))) == [
        "a/b/hyper/hyper.py",
        "a/b/pef/pef.py",
        "a/b/wer/wer.py",
    ]
    script = Path("a/b/pef/pef.py").read_text("utf-8")
    assert "class Pef(hyperbaton.adapters.evaluate.WordOrder):" in script
    assert 'default_metrics = "pef"' in script


def test_every_metric_is_the_default(cli: CommandLine) -> None:
    out = cli.output("adapters", "evaluate", "modules")
    assert sorted(os.listdir("modules")) == sorted(hb.metrics.names())
    assert "evaluate.load('modules/order', language='en')" in out


def test_the_command_needs_no_host() -> None:
    code = (
        "import sys; sys.modules['evaluate'] = None; from hyperbaton.cli import main;"
        "sys.exit(main(['adapters', 'evaluate', 'modules', '-m', 'pef']))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert Path("modules/pef/pef.py").exists()


def test_existing_files_are_kept(cli: CommandLine) -> None:
    cli.output("adapters", "evaluate", "modules", "-m", "pef")
    Path("modules/notes.txt").write_text("mine")
    cli.output("adapters", "evaluate", "modules", "-m", "pef")  # the same content
    Path("modules/pef/pef.py").write_text("mine")
    message = cli.error("adapters", "evaluate", "modules", "-m", "wer,pef")
    assert message == "modules/pef/pef.py exists and has other content: remove it first"
    assert Path("modules/pef/pef.py").read_text() == "mine"
    assert Path("modules/notes.txt").read_text() == "mine"
    assert not Path("modules/wer").exists()  # nothing is written before everything is checked


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evalute", "x"], "unknown adapter 'evalute'; did you mean evaluate?"),
        (["evaluate", "x", "-m", "pfe"], "unknown metric 'pfe'; did you mean pet or per or pef?"),
        (["evaluate", "x", "-m", ""], "no metrics were given"),
        (["evaluate", ""], "a file name is empty"),
        (
            ["evaluate", "x", "-m", "pef:bp=off"],
            "pef:bp=off has options: give them to evaluate.load, not to the folder",
        ),
        (
            ["evaluate", "file", "-m", "pef"],
            "cannot create the folder file/pef: Not a directory",
        ),
        (["evaluate"], "Missing argument 'DIR'. Try 'hyperbaton adapters --help'."),
    ],
)
def test_invalid_arguments(cli: CommandLine, arguments: list[str], message: str) -> None:
    Path("file").touch()
    assert cli.error("adapters", *arguments) == message
    assert os.listdir() == ["file"]


def test_a_folder_in_the_place_of_a_script(cli: CommandLine) -> None:
    Path("modules/pef/pef.py").mkdir(parents=True)
    message = cli.error("adapters", "evaluate", "modules", "-m", "pef")
    assert message == "modules/pef/pef.py exists and has other content: remove it first"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_standard_output_is_full() -> None:
    command = f"{shlex.join(PROGRAM)} adapters evaluate modules -m pef > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "hyperbaton: error: cannot write standard output: No space left on device\n"
    )
