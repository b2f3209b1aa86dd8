"""Notes, warnings and errors of ``hyperbaton compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.compare.corpus import PAIR, SYSTEMS, write
from command_line import CommandLine


def test_warning_about_few_segments(cli: CommandLine) -> None:
    for name in ("ref.txt", "a.txt", "worse.txt"):
        lines = Path(name).read_text("utf-8").splitlines()
        write(name, lines[:20])
    done = cli.succeed("compare", *PAIR, "-m", "wer", "--details")
    assert "; p at least that of the exact test" in " ".join(done.stdout.split())
    # The verdict says it, and nothing repeats it.
    assert "20 segments are few: intervals are wide" in done.stdout
    assert done.stderr == ""
    done = cli.succeed("compare", *PAIR, "-m", "wer", "-f", "json")
    assert done.stderr == (
        "hyperbaton: warning: 20 segments are few: intervals are wide, and only large differences "
        "can be significant\n"
    )


def test_one_segment_decides_nothing(cli: CommandLine) -> None:
    write("ref.txt", ["a b c d"])
    write("a.txt", ["a b c d"])
    write("worse.txt", ["d c b a"])
    done = cli.succeed("compare", *PAIR, "-m", "kendall")
    assert "▼" not in done.stdout
    assert "±" not in done.stdout  # an interval
    assert " ".join(done.stdout.split()).startswith(
        "One segment is too few for intervals and significant differences: at least 6 are needed."
    )


def test_samples_are_raised_for_a_correction(cli: CommandLine) -> None:
    """Four times 66 pairs / 0.05, unless their number is given."""
    names = [f"copy{k}.txt" for k in range(11)]
    for name in names:
        write(name, SYSTEMS["worse.txt"])
    arguments = ["-r", "ref.txt", "a.txt", *names, "-m", "wer", "--correction", "holm", "-f"]
    done = cli.succeed("compare", *arguments, "json")
    found = json.loads(done.stdout)
    note = "5,280 samples instead of 1,000, because the correction for 66 pairs needs them"
    assert (found["samples"], found["notes"][0]) == (5280, note)
    assert f"hyperbaton: note: {note}\n" in done.stderr
    better = [pair["better"] for pair in found["metrics"]["wer"]["differences"]]
    assert (better.count("a"), better.count(None)) == (11, 55)
    fixed = cli.succeed("compare", *arguments, "json", "--samples", "1000")
    assert json.loads(fixed.stdout)["samples"] == 1000
    assert "with 1,000 samples and 66 tests, no p can be less than 0.066" in fixed.stderr
    assert "a" not in [
        pair["better"] for pair in json.loads(fixed.stdout)["metrics"]["wer"]["differences"]
    ]


def test_note_about_equal_systems(cli: CommandLine) -> None:
    write("same.txt", SYSTEMS["a.txt"])
    arguments = ["-r", "ref.txt", "a.txt", "same.txt", "-m", "wer,bleu"]
    done = cli.succeed("compare", *arguments, "--details")
    assert done.stderr == (
        "hyperbaton: note: a and same are equal in every segment by wer, bleu: p = 1\n"
    )
    for part in done.stdout.split("\n\n")[3:6:2]:
        assert part.splitlines()[1].split() == [
            *("a", "–", "same", "0.0", "[0.0,", "0.0]", "1.000", "0/40/0")
        ]
    assert "*" not in done.stdout
    assert "none significantly below the best (5 %)" in done.stdout
    done = cli.succeed("compare", *arguments, "--method", "randomization", "-f", "json")
    for metric in json.loads(done.stdout)["metrics"].values():
        assert metric["differences"][0]["p"] == 1
        assert [rank["cluster"] for rank in metric["ranking"]] == [1, 1]
    assert "p = 1" in done.stderr


def test_warning_about_few_aligned_words(cli: CommandLine) -> None:
    write("none.txt", ["quite other words"] * 40)
    done = cli.succeed("compare", "-r", "ref.txt", "a.txt", "none.txt", "-m", "pef")
    assert "none: pef: not ranked: only 0 % of its words are in the " in done.stdout
    assert done.stderr == ""
    done = cli.succeed("compare", "-r", "ref.txt", "a.txt", "none.txt", "-m", "pef", "-f", "json")
    message = "hyperbaton: warning: none: pef: not ranked: only 0 % of its words are in the "
    assert done.stderr.startswith(message)


ERRORS: dict[str, tuple[list[str], str]] = {
    "one system": (["-r", "ref.txt", "a.txt"], "a comparison needs at least two systems"),
    "no system": (["-r", "ref.txt"], "no system: hyperbaton compare -r REF SYS..."),
    "no reference": (["a.txt", "b.txt"], "no reference: hyperbaton compare -r REF SYS..."),
    "a system twice": ([*PAIR, "a.txt"], "a.txt is given twice"),
    "zero samples": ([*PAIR, "--samples", "0"], "samples must be at least 1, got 0"),
    "fewer": ([*PAIR, "--samples", "-1"], "samples must be at least 1, got -1"),
    "a bad seed": ([*PAIR, "--seed", "-1"], "seed must be at least 0, got -1"),
    "a level in per cent": (
        [*PAIR, "--level", "95"],
        "level must be between 0 and 1, such as 0.95, got 95.0",
    ),
    "a level of 1": (
        [*PAIR, "--level", "1"],
        "level must be between 0 and 1, such as 0.95, got 1.0",
    ),
    "an unknown baseline": (
        [*PAIR, "--baseline", "b.txt"],
        "the baseline 'b.txt' is not one of the systems: a, worse",
    ),
    "an unknown metric": ([*PAIR, "-m", "werr"], "unknown metric 'werr'"),
    "no threads": ([*PAIR, "--threads", "0"], "threads must be at least 1, got 0"),
    "standard input twice": (
        ["-r", "ref.txt", "-", "a.txt", "--differences", "1"],
        "--differences reads the files twice: standard input cannot be one",
    ),
    "the output is one of the files": (
        [*PAIR, "-o", "a.txt"],
        "a.txt would be overwritten while it is read",
    ),
    "an unknown method": (
        [*PAIR, "--method", "jackknife"],
        "--method must be one of bootstrap, randomization, got 'jackknife'",
    ),
    "an unknown correction": (
        [*PAIR, "--correction", "x"],
        "--correction must be one of none, holm, got 'x'",
    ),
    "differences below 0": (
        [*PAIR, "--differences", "-1"],
        "--differences must be a whole number, at least 0, got '-1'",
    ),
    "samples that are no number": (
        [*PAIR, "--samples", "x"],
        "--samples must be a whole number, got 'x'",
    ),
}


@pytest.mark.parametrize("row", ERRORS)
def test_error_messages(row: str, cli: CommandLine) -> None:
    arguments, message = ERRORS[row]
    assert cli.error("compare", *arguments).startswith(message)


@pytest.mark.parametrize("count", [1, 39])
def test_systems_with_different_numbers_of_lines(count: int, cli: CommandLine) -> None:
    write("short.txt", SYSTEMS["a.txt"][:count])
    message = cli.error("compare", "-r", "ref.txt", "a.txt", "short.txt", "-o", "out.txt")
    assert "short.txt" in message
    assert f"{count}" in message
    assert not Path("out.txt").exists()


def test_empty_files(cli: CommandLine) -> None:
    for name in ("ref.txt", "a.txt", "worse.txt"):
        write(name, [])
    assert cli.error("compare", *PAIR) == "ref.txt is empty"
