"""``hyperbaton align`` as a user calls it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from command_line import CommandLine, NewProcess

HYP = "The cat saw the dog.\n\nA b c\n"
REF = "The dog saw the cat.\nempty above\nc A b\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The paths of hypotheses and references."""
    hyp, ref = tmp_path / "hyp.txt", tmp_path / "ref.txt"
    hyp.write_text(HYP, encoding="utf-8")
    ref.write_text(REF, encoding="utf-8")
    return str(hyp), str(ref)


def test_links_of_files(files: tuple[str, str], cli_process: NewProcess) -> None:
    # By hand: "the cat" and "the dog" change places; no word is aligned; "c" goes to the front.
    assert (
        cli_process.output("align", *files, "-l", "en")
        == "0-3 1-4 2-2 3-0 4-1 5-5\n\n0-1 1-2 2-0\n"
    )


def test_permutations(files: tuple[str, str], cli: CommandLine) -> None:
    assert cli.output("align", *files, "-f", "permutation") == "4 5 3 1 2 6\n\n2 3 1\n"


def test_json_to_a_file(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    out = tmp_path / "links.jsonl"
    assert cli.output("align", *files, "-f", "json", "-o", str(out)) == ""
    head, *rest = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert head["signature"] == "lang:none|matchers:exact+anchored|tok:13a|case:lc"
    assert len(rest) == 3
    assert rest[2]["permutation"] == [2, 3, 1]
    assert rest[2]["links"][0]["matcher"] == "exact"
    assert rest[1]["links"] == []


def test_two_texts_are_drawn(cli: CommandLine) -> None:
    out = cli.output("align", "a b c", "c x a b")
    assert out.splitlines()[:4] == [
        "0 a ── 2 a  exact",
        "1 b ── 3 b  exact",
        "",
        "2 c ── 0 c  exact",
    ]
    assert "3 links in 2 chunks" in out
    assert "permutation: ⟨2, 3, 1⟩" in out


def test_folding(cli: CommandLine) -> None:
    out = cli.output("align", "Don’t go", "go don't", "--fold", "standard")
    assert "0 Don’t ── 1 don't  exact" in out  # words as they are written
    assert "case:lc|fold:standard" in out
    assert "── 1 don't" not in cli.output("align", "Don’t go", "go don't", "--fold", "none")


def test_standard_input(files: tuple[str, str], cli_process: NewProcess) -> None:
    out = cli_process.output("align", "-", files[1], stdin="the cat\nx\nc\n")
    assert out == "0-3 1-4\n\n0-0\n"


def test_error_messages(files: tuple[str, str], tmp_path: Path, cli: CommandLine) -> None:
    hyp, ref = files
    short, bad = tmp_path / "short.txt", tmp_path / "bad.txt"
    short.write_text("one\n", encoding="utf-8")
    bad.write_bytes(b"one\ntwo \xff\nthree\n")
    out = tmp_path / "out"
    for arguments, message in (
        ((hyp, str(short)), "has 3 lines, but"),
        ((hyp, str(bad)), "line 2, is not UTF-8"),
        ((hyp, str(tmp_path / "none.txt")), "there is no file"),
        ((hyp, ref, "-l", "sw", "-m", "stem"), "no stemmer for the language 'sw'"),
        ((hyp, ref, "-l", "xx"), "unknown language 'xx'"),
        ((hyp, ref, "-l", ""), "the language is empty"),
        ((hyp, ref, "-l", "en-de"), "looks like a language pair: give de, or en-DE"),
        ((hyp, ref, "-m", "guess"), "unknown matcher 'guess'"),
        ((hyp, ref, "--unaligned", "up"), "--unaligned must be one of"),
        ((hyp, ref, "--weights", "stem"), "is not a weight; weights look like"),
        ((hyp, ref, "--tokenize", "14b"), "14b"),
        ((hyp, ref, "--fold", "yes"), "fold must be one of standard, none, got 'yes'"),
        ((hyp, ref, "-m", "exact,synonym", "-l", "en", "--wordnet", str(tmp_path)), "wordnet"),
        ((hyp, str(tmp_path)), "cannot read"),
        ((hyp, ref, "--budget", "-1"), "budget must be a non-negative integer"),
        ((hyp, ref, "--threads", "0"), "threads must be at least 1, got 0"),
        ((hyp, ref, "--wordnet", str(tmp_path)), "wordnet is only used by the matcher synonym"),
    ):
        assert message in cli.error("align", *arguments, "-o", str(out))
        assert not out.exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_input_is_not_overwritten(files: tuple[str, str], cli: CommandLine) -> None:
    assert "would be overwritten" in cli.error("align", *files, "-o", files[0])
    assert Path(files[0]).read_text(encoding="utf-8") == HYP


def test_texts_that_are_long_or_look_like_files(files: tuple[str, str], cli: CommandLine) -> None:
    long = "word " * 200
    assert "200 links in 1 chunk;" in cli.output("align", long, long)
    plain = ["--tokenize", "none"]
    assert "1 link in 1 chunk" in cli.output("align", "Ja/Nein", "Ja/Nein", *plain)
    assert "0 links" in cli.output("align", "", "")
    assert "1 link in" in cli.output("align", "--text", files[0], files[0], *plain)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal(files: tuple[str, str], cli_process: NewProcess) -> None:
    done = cli_process.on_terminal("stderr", "align", *files)
    assert done.status == 0
    assert done.stdout.count("\n") == 3
    assert "lines" in done.stderr
