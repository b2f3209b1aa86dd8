"""``hyperbaton explain`` as a user calls it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from command_line import CommandLine, NewProcess
from hyperbaton.cli.options import EXAMPLE

REFERENCE, SYSTEM = "we meet in the lobby at noon", "we will meet at noon in the lobby"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The paths of a reference and a system with three lines."""
    ref, sys_ = tmp_path / "ref.txt", tmp_path / "sys.txt"
    ref.write_text(f"a b\n{REFERENCE}\n\n", encoding="utf-8")
    sys_.write_text(f"b a\n{SYSTEM}\n\n", encoding="utf-8")
    return str(ref), str(sys_)


def test_two_sentences(cli_process: NewProcess) -> None:
    out = cli_process.output("explain", SYSTEM, REFERENCE, "-l", "en")
    assert '\n  1  moved "at noon" after "in the lobby", 3 words later\n' in out
    assert out.startswith("system     we will meet at noon in the lobby\n")
    for name in ("kendall", "pef", "invwer", "ter"):
        assert f"\n  {name} " in out or f"  {name} " in out


def test_the_old_order_of_two_sentences(cli: CommandLine) -> None:
    found = cli.succeed("explain", SYSTEM, REFERENCE, "-m", "pef")
    old = cli.succeed("explain", REFERENCE, SYSTEM, "-m", "pef", "--reference-first")
    assert old.stdout == found.stdout
    assert old.stderr == (
        "hyperbaton: warning: --reference-first will be removed in the next release: give the "
        "translation first and the reference second\n"
    )
    message = cli.error("explain", "-r", "ref.txt", "sys.txt", "--line", "1", "--reference-first")
    assert message == "--reference-first can only be used with two sentences"


def test_one_line_of_two_files(files: tuple[str, str], cli: CommandLine) -> None:
    lines = ["explain", "-r", *files, "--line"]
    metrics = ["-m", "pef,wer", "-m", "order:precedence=off"]
    assert cli.succeed(*lines, "2", *metrics) == cli.succeed("explain", SYSTEM, REFERENCE, *metrics)
    first = cli.succeed("explain", "-r", *files, "-n", "1", "-m", "wer")
    assert 'moved "b" after "a"' in first.stdout
    assert "no word is linked" in cli.succeed(*lines, "3").stdout


def test_columns_of_one_file(tmp_path: Path, cli: CommandLine) -> None:
    table = tmp_path / "data.tsv"
    table.write_text(f"ref\tsys\na b\tb a\n{REFERENCE}\t{SYSTEM}\n", encoding="utf-8")
    done = cli.succeed("explain", "-r", f"{table}:ref", f"{table}:sys", "--line", "2")
    assert 'moved "at noon" after "in the lobby"' in done.stdout


def test_pages_drawings_and_data(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    page, drawing = tmp_path / "page.html", tmp_path / "drawing.svg"
    second_line = ["explain", "-r", *files, "--line", "2"]
    done = cli.succeed(*second_line, "--html", str(page), "--svg", str(drawing))
    assert done.stdout == ""
    assert "warning" not in done.stderr
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    ElementTree.parse(drawing)
    assert "permutation forest" in drawing.read_text("utf-8")
    done = cli.succeed(*second_line, "--svg", "-", "--draw", "alignment,parse")
    assert done.stdout.count("<svg") == 3
    data = cli.succeed(*second_line, "--json", "-m", "pef").json()
    assert data["schema"] == "hyperbaton/explanation/1"
    assert list(data["scores"]) == ["pef"]


def test_dependency_trees(cli: CommandLine) -> None:
    out = cli.succeed(
        *("explain", "-r", str(EXAMPLE / "reference.txt"), str(EXAMPLE / "literal.txt")),
        *("--ref-trees", str(EXAMPLE / "reference.conllu")),
        *("--trees", str(EXAMPLE / "literal.conllu"), "--line", "33", "-l", "en"),
    ).stdout
    assert "dependency trees at distance 32" in out
    assert "dted" in out


def test_given_links(cli: CommandLine) -> None:
    links = ["--links", "0-1 0-2 1-0"]
    done = cli.succeed("explain", "zum Haus", "house to the", *links, "-m", "pef")
    assert 'moved "Haus" before "zum/to zum/the"' in done.stdout


def test_warning_about_few_aligned_words(cli: CommandLine) -> None:
    done = cli.succeed("explain", "a x y z w", "a b c d e", "-m", "pef")
    assert "system: pef: not ranked: only 20 % of its words are in the reference" in done.stderr


def test_no_warning_without_words_or_with_given_links(cli: CommandLine) -> None:
    for arguments in (("", ""), ("a", ""), ("w x y z", "a b c d", "--links", "0-0")):
        assert cli.succeed("explain", *arguments, "-m", "pef").stderr == ""


def test_a_page_and_a_drawing_cannot_both_be_printed(cli: CommandLine) -> None:
    message = cli.error("explain", "a", "b", "--html", "-", "--svg", "-")
    assert "cannot both be written to standard output" in message


def test_tokens_separated_by_spaces(cli: CommandLine) -> None:
    spaced = ["explain", "b a.", "a. b", "-l", "ja", "-m", "wer,chrf"]
    out = cli.succeed(*spaced, "--tokenize", "none").stdout
    assert 'moved "b" after "a."' in out
    assert "wer " in out
    assert "chrf " in out
    if importlib.util.find_spec("MeCab") is None:
        assert "--tokenize none" in cli.error(*spaced)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("colour", [True, False])
def test_colour_on_a_terminal(colour: bool, cli_process: NewProcess) -> None:
    terminal = cli_process.with_environment(TERM="xterm", NO_COLOR="" if colour else "1")
    shown = terminal.on_terminal("stdout", "explain", SYSTEM, REFERENCE, "-m", "pef").stdout
    assert "at noon" in shown
    assert ("\x1b[34m" in shown) == colour


def test_error_messages(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    ref, sys_ = files
    short, bad, long = tmp_path / "short.txt", tmp_path / "bad.txt", tmp_path / "long.txt"
    short.write_text("one\n", encoding="utf-8")
    bad.write_bytes(b"one\ntwo \xff\nthree\n")
    long.write_text("a\n" + "b " * 100_001 + "\nc\n", encoding="utf-8")
    empty = tmp_path / "empty.txt"
    empty.write_text("", encoding="utf-8")
    out = tmp_path / "out.html"
    line = ("--line", "2")
    for arguments, message in (
        (("-r", ref, sys_, "--line", "4"), "there is no line 4: "),
        (("-r", ref, sys_, "--line", "4"), "ref.txt has 3 lines"),
        (("-r", ref, sys_, "--line", "0"), "lines are counted from 1, got 0"),
        (("-r", ref, sys_), "--line is missing"),
        (("-r", ref, *line), "give one reference and one system"),
        (("-r", ref, sys_, sys_, *line), "give one reference and one system"),
        (("-r", ref, "-r", ref, sys_, *line), "give one reference and one system"),
        (("-r", ref, str(short), *line), "has 3 lines, but"),
        (("-r", ref, str(bad), *line), "line 2, is not UTF-8"),
        (("-r", ref, str(tmp_path / "none.txt"), *line), "cannot read"),
        (("-r", ref, str(empty), *line), "is empty"),
        (("-r", str(empty), str(empty), *line), "has no lines"),
        (
            ("-r", ref, str(long), *line),
            "long.txt, line 2: the sentences are too long: 100,001 and 7 words",
        ),
        (("-r", ref, sys_, *line, "-m", "pfe"), "unknown metric 'pfe'"),
        (("-r", ref, sys_, *line, "--trees", ref), "--ref-trees is given 0 times"),
        (("-r", ref, sys_, *line, "--trees", sys_, "--ref-trees", ref), "ref.txt, line 1"),
        (("a", "b", "--fold", "yes"), "fold must be one of standard, none, got 'yes'"),
        (("one",), "give two sentences, or files"),
        (("one", "two", "three"), "give two sentences, or files"),
        (("one", "two", "--line", "1"), "give two sentences, or files"),
        ((), "give two sentences, or files"),
        ((ref, sys_), "is a file"),
        (("a", "b", "--draw", "bush", "--svg", "-"), "unknown drawing 'bush'"),
        (("a", "b", "--draw", "tree"), "--draw can only be used with --svg"),
        (("a", "b", "--svg", "-", "--draw", "dependencies"), "there are no dependency trees"),
        (("a", "b", "--links", "0-7"), "link 0-7 is outside the reference"),
        (("a", "b", "--trees", "x"), "--trees and --ref-trees can only be used with files"),
        (("a", "b", "--parser", "guess"), "unknown parser 'guess'"),
        (("a", "b", "--svg", ""), "a file name is empty"),
        (("a", "b", "--svg", str(out)), "the same file"),
        (("a", "b", "--svg", "-", "--draw", ""), "--draw names no drawing"),
        (("a", "b", "--tokenize", "words"), "there is no tokeniser 'words'"),
    ):
        assert message in cli.error("explain", *arguments, "--html", str(out)), arguments
        assert not out.exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_errors_of_output_files(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    ref, sys_ = files
    for arguments, message in (
        (("--html", ref), "would be overwritten"),
        (("--html", str(tmp_path / "no" / "x.html")), "there is no folder"),
        (("--html", str(tmp_path / "x"), "--svg", str(tmp_path / "x")), "the same file"),
        (("--html", str(tmp_path / "x"), "--svg", str(tmp_path)), "it is a folder"),
    ):
        options = ["--line", "2", "-m", "pef", *arguments]
        assert message in cli.error("explain", "-r", ref, sys_, *options)
        assert not (tmp_path / "x").exists()
    assert Path(ref).read_text("utf-8").startswith("a b\n")


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are text there")
def test_arguments_that_are_not_utf8(cli_process: NewProcess) -> None:
    not_utf8 = os.fsdecode(b"a \xff b")
    assert "is not UTF-8" in cli_process.error("explain", not_utf8, "b a")


def test_control_characters_are_not_printed(cli: CommandLine) -> None:
    out = cli.succeed("explain", "a \x1b[31m b \u202e c", "c \u202e b \x1b[31m a").stdout
    assert "\x1b" not in out
    assert "\u202e" not in out


# All lines, as JSONL


def read_objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_all_lines_of_several_systems(files: tuple[str, str], cli: CommandLine) -> None:
    ref, sys_ = files
    done = cli.succeed("explain", "-r", ref, sys_, ref, "--format", "jsonl", "--source", sys_)
    found = read_objects(done.stdout)
    assert [(one["segment"], one["system"]) for one in found] == [
        (k, name) for k in (1, 2, 3) for name in ("sys", "ref")
    ]
    assert [one["source"] for one in found[::2]] == ["b a", SYSTEM, ""]
    assert [move["text"] for move in found[2]["moves"]] == ['moved "at noon" after "in the lobby"']
    assert {one["schema"] for one in found} == {"hyperbaton/moves/2"}
    assert found[4]["links"] == []


def test_scores_of_all_lines_are_those_of_score(tmp_path: Path, cli: CommandLine) -> None:
    reference, system = str(EXAMPLE / "reference.txt"), str(EXAMPLE / "literal.txt")
    packed, table, out = tmp_path / "sys.txt.gz", tmp_path / "values.tsv", tmp_path / "moves.jsonl"
    packed.write_bytes(gzip.compress(Path(system).read_bytes()))
    metrics = ["-l", "en", "-m", "default", "-m", "order", "-m", "full:order=ulam"]
    cli.succeed("score", "-r", reference, system, *metrics, "--segments", str(table))
    arguments = ["explain", "-r", reference, str(packed), *metrics]
    assert cli.succeed(*arguments, "-f", "jsonl", "-o", str(out)).stdout == ""
    heading, *rows = [line.split("\t") for line in table.read_text("utf-8").splitlines()]
    found = read_objects(out.read_text("utf-8"))
    assert [list(one["scores"]) for one in found] == [heading[2:]] * len(rows)
    assert [list(map(repr, one["scores"].values())) for one in found] == [row[2:] for row in rows]


def test_options_of_all_lines(tmp_path: Path, cli: CommandLine) -> None:
    table = tmp_path / "data.tsv"
    table.write_text("ref\tsys\na, b\tb, a\nc d\tc d\n", encoding="utf-8")
    columns = ["-r", f"{table}:ref", f"{table}:sys"]
    jsonl = ["explain", *columns, "--format", "jsonl", "-m", "pef,wer", "--threads", "1"]
    (first, _) = read_objects(cli.succeed(*jsonl).stdout)
    assert first["hypothesis_words"] == ["b", ",", "a"]
    assert [move["punctuation"] for move in first["moves"]] == [False, True]
    (first, _) = read_objects(cli.succeed(*jsonl, "--no-punctuation").stdout)
    assert [move["punctuation"] for move in first["moves"]] == [False]
    (first, _) = read_objects(cli.succeed(*jsonl, "--tokenize", "none").stdout)
    assert first["hypothesis_words"] == ["b,", "a"]


def test_errors_of_all_lines(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    ref, sys_ = files
    two, four = tmp_path / "two.txt", tmp_path / "four.txt"
    two.write_text("a\nb\n", encoding="utf-8")
    four.write_text("a\nb\nc\nd\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    for arguments, message in (
        (
            ("a", "b"),
            "--format jsonl can only be used with files: hyperbaton explain -r REF SYS...",
        ),
        (("-r", ref), "no system"),
        (("-r", ref, sys_, "--line", "2"), "--line cannot be used with --format jsonl"),
        (("-r", ref, sys_, "--links", "0-0"), "--links cannot be used with --format jsonl"),
        (("-r", ref, sys_, "--html", "-"), "--html cannot be used with --format jsonl"),
        (("-r", ref, sys_, "--json"), "--json cannot be used with --format jsonl"),
        (("-r", ref, sys_, "--source", str(two)), "two.txt has 2 lines, and the references have"),
        (("-r", ref, sys_, "--source", str(four)), "four.txt has more lines than the references"),
        (("-r", ref, sys_, "--source", str(out)), "would be overwritten"),
        (("-r", ref, str(two)), "has 3 lines, but"),
        (("-r", ref, sys_, "-m", "pfe"), "unknown metric 'pfe'"),
    ):
        options = ["--format", "jsonl", "-o", str(out)]
        assert message in cli.error("explain", *arguments, *options), arguments
        assert not out.exists()
    for wrong, message in (
        (
            ["-r", ref, sys_, "-n", "2", "-o", str(out)],
            "--output can only be used with --format jsonl",
        ),
        (
            ["-r", ref, sys_, "-n", "2", "--threads", "2"],
            "--threads can only be used with --format jsonl",
        ),
        (["-r", ref, sys_, "-n", "2", "--source", str(two)], "has 3 lines, but"),
        (["a", "b", "--source", "\udcff"], "is not UTF-8"),
        (["a", "b", "--format", "tsv"], "--format must be one of text, jsonl, got 'tsv'"),
    ):
        assert message in cli.error("explain", *wrong), wrong
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_source_of_one_line(files: tuple[str, str], cli: CommandLine) -> None:
    ref, sys_ = files
    typed = cli.succeed("explain", SYSTEM, REFERENCE, "--source", "wir treffen uns", "-m", "pef")
    assert typed.stdout.startswith("source     wir treffen uns\nsystem     we will meet")
    line = cli.succeed(
        "explain", "-r", ref, sys_, "--source", ref, "-n", "2", "-m", "pef", "--json"
    )
    assert line.json()["source"] == REFERENCE
