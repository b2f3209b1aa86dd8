"""``hyperbaton align`` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HYP = "The cat saw the dog.\n\nA b c\n"
REF = "The dog saw the cat.\nempty above\nc A b\n"


def run(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hyperbaton", "align", *arguments],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    hyp, ref = tmp_path / "hyp.txt", tmp_path / "ref.txt"
    hyp.write_text(HYP, encoding="utf-8")
    ref.write_text(REF, encoding="utf-8")
    return str(hyp), str(ref)


def test_files_as_pharaoh(files: tuple[str, str]) -> None:
    done = run(*files, "-l", "en")
    assert (done.returncode, done.stderr) == (0, "")
    # by hand: "the cat" and "the dog" change places; then nothing; then "c" goes to the front
    assert done.stdout == "0-3 1-4 2-2 3-0 4-1 5-5\n\n0-1 1-2 2-0\n"


def test_permutations(files: tuple[str, str]) -> None:
    assert run(*files, "-f", "permutation").stdout == "4 5 3 1 2 6\n\n2 3 1\n"


def test_json_to_a_file(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "links.jsonl"
    done = run(*files, "-f", "json", "-o", str(out))
    assert (done.returncode, done.stdout) == (0, "")
    head, *rest = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert head["signature"] == "lang:none|matchers:exact|tok:13a|case:lc"
    assert len(rest) == 3
    assert rest[2]["permutation"] == [2, 3, 1]
    assert rest[2]["links"][0]["matcher"] == "exact"
    assert rest[1]["links"] == []


def test_two_texts_are_drawn() -> None:
    done = run("a b c", "c x a b")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:4] == [
        "0 a ── 2 a  exact",
        "1 b ── 3 b  exact",
        "",
        "2 c ── 0 c  exact",
    ]
    assert "3 links in 2 chunks" in done.stdout
    assert "permutation: ⟨2, 3, 1⟩" in done.stdout


def test_standard_input(files: tuple[str, str]) -> None:
    assert run("-", files[1], stdin="the cat\nx\nc\n").stdout == "0-3 1-4\n\n0-0\n"


def test_wrong_input_is_one_line(files: tuple[str, str], tmp_path: Path) -> None:
    hyp, ref = files
    short, bad = tmp_path / "short.txt", tmp_path / "bad.txt"
    short.write_text("one\n", encoding="utf-8")
    bad.write_bytes(b"one\ntwo \xff\nthree\n")
    out = tmp_path / "out"
    for arguments, message in (
        ((hyp, str(short)), "has 3 lines, but"),
        ((hyp, str(bad)), "line 2, is not UTF-8"),
        ((hyp, str(tmp_path / "none.txt")), "there is no file"),
        ((hyp, ref, "-l", "xx", "-m", "stem"), "no stemmer for the language 'xx'"),
        ((hyp, ref, "-m", "guess"), "'guess' is no matcher"),
        ((hyp, ref, "--unaligned", "up"), "--unaligned is one of"),
        ((hyp, ref, "--weights", "stem"), "is not a weight such as"),
        ((hyp, ref, "--tokenize", "14b"), "14b"),
        ((hyp, ref, "-m", "exact,synonym", "-l", "en", "--wordnet", str(tmp_path)), "wordnet"),
        ((hyp, str(tmp_path)), "cannot read"),
        ((hyp, ref, "--budget", "-1"), "budget is a number of steps"),
        ((hyp, ref, "--threads", "0"), "threads is 0"),
        ((hyp, ref, "--wordnet", str(tmp_path)), "wordnet is for the matcher synonym"),
    ):
        done = run(*arguments, "-o", str(out))
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
        assert done.stderr.startswith("hyperbaton: error: ")
        assert not out.exists()
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_an_input_is_not_written_over(files: tuple[str, str]) -> None:
    done = run(*files, "-o", files[0])
    assert done.returncode == 2
    assert "would be written over" in done.stderr
    assert Path(files[0]).read_text(encoding="utf-8") == HYP


def test_texts_that_are_long_or_look_like_files(files: tuple[str, str]) -> None:
    long = "word " * 200
    assert "200 links in 1 chunk;" in run(long, long).stdout
    assert "1 link in 1 chunk" in run("Ja/Nein", "Ja/Nein", "--tokenize", "none").stdout
    assert "0 links" in run("", "").stdout
    assert "1 link in" in run("--text", files[0], files[0], "--tokenize", "none").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not there")
def test_progress_on_a_terminal(files: tuple[str, str]) -> None:
    import os
    import pty

    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", "align", *files],
        stdout=subprocess.PIPE,
        stderr=follower,
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read().decode()
        os.close(follower)
        seen = b""
        try:
            while part := os.read(leader, 4096):
                seen += part
        except OSError:  # the end, on Linux
            pass
    os.close(leader)
    assert process.returncode == 0
    assert out.count("\n") == 3
    assert b"lines" in seen
