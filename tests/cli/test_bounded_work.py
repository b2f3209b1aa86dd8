"""Inputs of less than a megabyte that took all memory: they are answered or refused in one line."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import ERROR, CommandLine, Result
from hyperbaton.cli.messages import long_run_note, suppressed_messages

resource = pytest.importorskip("resource", reason="Windows cannot limit the memory of a process")

WORDS = [f"w{k}" for k in range(50_000)]
LIMIT = 2 << 30  # bytes of address space: the former code asked for ten times as much


def run_limited(*arguments: str, limit: int = LIMIT) -> Result:
    """Run the command line in a process that may not ask for more memory than the limit."""
    program = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}));"
        "from hyperbaton.cli import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, encoding="utf-8"
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def long_line(tmp_path: Path) -> tuple[str, str]:
    """A system and a reference of one line; the first two words have changed places."""
    paths = tmp_path / "sys.txt", tmp_path / "ref.txt"
    for path, words in zip(paths, ([WORDS[1], WORDS[0], *WORDS[2:]], WORDS), strict=True):
        path.write_text(" ".join(words) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit")
def test_ter_of_a_very_long_line(long_line: tuple[str, str]) -> None:
    system, reference = long_line
    result = run_limited(
        *("score", "-m", "ter", "-r", reference, system, "--digits", "6", "--score-only"),
    )
    assert (result.status, result.stderr) == (0, "")
    assert result.stdout == "0.000020\n"  # one shift of 50,000 words


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit")
def test_similar_words_of_a_very_long_line(long_line: tuple[str, str]) -> None:
    system, reference = long_line
    result = run_limited("align", "-m", "similar", system, reference)
    assert (result.status, result.stdout) == (2, "")
    assert result.stderr == (
        f"{ERROR}{system} and {reference}, line 1: too many words for the matcher similar: 50,000 "
        "and 50,000 words without a link, at most 1,000,000 pairs of words\n"
    )


def test_long_runs_say_so(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        with suppressed_messages(quiet), long_run_note(0) as timer:
            timer.join()
    note = "hyperbaton: note: this takes longer than 0 seconds, and may take minutes; Ctrl-C"
    assert capsys.readouterr().err.startswith(note)
    with long_run_note() as timer:
        pass
    timer.join()
    assert capsys.readouterr().err == ""


def test_short_runs_say_nothing(cli: CommandLine) -> None:
    assert cli.output("permutation", "2", "1")


def test_a_small_file_that_becomes_a_huge_line(tmp_path: Path) -> None:
    """The line is refused before it takes all memory."""
    system, reference = tmp_path / "sys.gz", tmp_path / "ref.txt"
    system.write_bytes(gzip.compress(b"a " * 50_000_000, compresslevel=1))
    assert system.stat().st_size < 1_000_000
    reference.write_text("a\n", encoding="utf-8")
    result = run_limited("score", "-r", str(reference), str(system), "-m", "wer", limit=1 << 30)
    message = f"{ERROR}{system}, line 1, has more than 10,000,000 bytes\n"
    assert result == Result(2, "", message)
