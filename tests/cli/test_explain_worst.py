"""``hyperbaton explain --worst``: the lines to look at first, and ``--details``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from hyperbaton.cli.options import EXAMPLE

REFERENCE, LITERAL, FLUENT = (
    str(EXAMPLE / f"{name}.txt") for name in ("reference", "literal", "fluent")
)
PAIR = ["explain", "-r", REFERENCE, LITERAL, "-l", "en"]


def all_lines(cli: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    """Return what --format jsonl says of all lines."""
    done = cli.succeed("explain", *arguments, "--format", "jsonl")
    return [json.loads(line) for line in done.stdout.splitlines()]


def headings(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("segment ")]


def expected_headings(found: list[dict[str, Any]], count: int) -> list[str]:
    """Return the headings of the lines that lose most; ties keep their order."""
    losing = [one for one in found if one["lost"]]
    worst = sorted(losing, key=lambda one: -one["lost"])[:count]
    return [f"segment {one['segment']} of {one['system']}" for one in worst]


def test_the_worst_lines_are_those_that_lose_most(cli: CommandLine) -> None:
    found = all_lines(cli, "-r", REFERENCE, LITERAL, "-l", "en")
    shown = cli.succeed(*PAIR, "--worst", "5").stdout
    assert headings(shown) == expected_headings(found, 5)
    every = cli.succeed(*PAIR, "--worst", "500").stdout  # more than there are
    assert headings(every) == expected_headings(found, 500)
    assert 5 < len(headings(every)) < 48
    one, two = [REFERENCE, LITERAL, FLUENT], [REFERENCE, LITERAL, FLUENT, "-m", "chrf,order"]
    for several in (one, two):
        found = all_lines(cli, "-r", *several)
        shown = cli.succeed("explain", "-r", *several, "--worst", "7").stdout
        assert headings(shown) == expected_headings(found, 7)


def test_a_worst_line_is_explained_as_if_it_were_named(cli: CommandLine) -> None:
    shown = cli.succeed(*PAIR, "--worst", "3").stdout
    parts = shown.split("segment ")[1:]
    for part in parts:
        heading, _, text = part.partition("\n")
        named = cli.succeed(*PAIR, "--line", heading.split()[0]).stdout
        assert text.strip() == named.strip()


def test_the_report_begins_with_the_same_lines(cli: CommandLine, tmp_path: Path) -> None:
    data = tmp_path / "report.json"
    page = str(tmp_path / "page.html")
    cli.succeed("report", "-r", REFERENCE, LITERAL, "-l", "en", "-o", page, "--json", str(data))
    (system,) = json.loads(data.read_text("utf-8"))["systems"]
    worst = [str(one["segment"]) for one in system["scores"]["order"]["worst"]]
    shown = headings(cli.succeed(*PAIR, "--worst", str(len(worst))).stdout)
    assert [heading.split()[1] for heading in shown] == worst


def test_worst_lines_as_data(cli: CommandLine, tmp_path: Path) -> None:
    found = all_lines(cli, "-r", REFERENCE, LITERAL, "-l", "en")
    expected = sorted(found, key=lambda one: -one["lost"])[:4]
    assert all_lines(cli, "-r", REFERENCE, LITERAL, "-l", "en", "--worst", "4") == expected
    out = tmp_path / "worst.txt"
    assert cli.succeed(*PAIR, "--worst", "4", "-o", str(out)).stdout == ""
    assert out.read_text("utf-8") == cli.succeed(*PAIR, "--worst", "4").stdout


def test_sources_several_references_columns_and_standard_input(
    cli: CommandLine, tmp_path: Path
) -> None:
    table = tmp_path / "data.tsv"
    table.write_text("src\tref\tother\tsys\nq\ta b c\tc b a\tc b a\nz\td e f\tf d e\te f d\n")
    columns = [f"{table}:{name}" for name in ("src", "ref", "other", "sys")]
    source, ref, other, system = columns
    one = cli.succeed("explain", "-r", ref, system, "--source", source, "--worst", "9").stdout
    assert [heading.split()[1] for heading in headings(one)] == ["1", "2"]
    assert "source     q" in one
    # the other reference has the order of the first line, so that nothing is lost there
    both = cli.succeed("explain", "-r", ref, "-r", other, system, "--worst", "9").stdout
    assert [heading.split()[1] for heading in headings(both)] == ["2"]
    piped = cli.succeed("explain", "-r", "-", system, "--worst", "9", stdin="a b c\nd e f\n")
    assert headings(piped.stdout) == headings(one)


@pytest.mark.parametrize("lines", ["a b c\n", "x y z\n", "\n", "a b c\nx\n\n"])
def test_nothing_is_lost(lines: str, cli: CommandLine, tmp_path: Path) -> None:
    """Equal lines, lines without a common word, and empty ones."""
    ref, system = tmp_path / "ref.txt", tmp_path / "sys.txt"
    ref.write_text("a b c\n" * lines.count("\n"))
    system.write_text(lines)
    done = cli.succeed("explain", "-r", str(ref), str(system), "--worst", "5")
    assert done.stdout == "No segment has words with other neighbours than in the reference.\n"
    assert all_lines(cli, "-r", str(ref), str(system), "--worst", "5") == []


def test_a_system_that_is_not_scored_says_so(cli: CommandLine, tmp_path: Path) -> None:
    ref, system = tmp_path / "ref.txt", tmp_path / "sys.txt"
    ref.write_text("a b c d e f g h\n" * 2)
    system.write_text("q w r t y u b a\n" * 2)
    done = cli.succeed("explain", "-r", str(ref), str(system), "--worst", "1")
    assert [heading.split()[1] for heading in headings(done.stdout)] == ["1"]
    assert "not scored" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a", "b", "--worst", "5"], "--worst can only be used with files: hyperbaton explain -r"),
        ([*PAIR[1:], "--worst", "0"], "--worst must be a whole number, at least 1, got '0'"),
        ([*PAIR[1:], "--worst", "five"], "--worst must be a whole number"),
        ([*PAIR[1:], "--worst", "5", "--line", "2"], "--line cannot be used with --worst"),
        ([*PAIR[1:], "--worst", "5", "--details"], "--details cannot be used with --worst"),
        ([*PAIR[1:], "--worst", "5", "--json"], "--json cannot be used with --worst"),
        ([*PAIR[1:], "--worst", "5", "--html", "-"], "--html cannot be used with --worst"),
        ([*PAIR[1:], "--worst", "5", "-m", "chrf"], "--worst needs the metric order: add -m order"),
        (PAIR[1:], "for the worst segments, hyperbaton explain -r REF SYS --worst 5"),
        (["a", "b", "--details", "--json"], "--details is for printed text"),
        ([*PAIR[1:], "-f", "jsonl", "--details"], "--details cannot be used with --format jsonl"),
        (["a", "b", "-o", "x"], "--output can only be used with --format jsonl or --worst"),
    ],
)
def test_errors(arguments: list[str], message: str, cli: CommandLine) -> None:
    assert message in cli.error("explain", *arguments)
