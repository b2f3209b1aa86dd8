"""Errors of ``hyperbaton score``: every row of the table in docs/bad-input.md."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.score.corpus import GOOD
from command_line import PROGRAM, CommandLine
from hyperbaton import _core
from hyperbaton.softorder.model_files import save_model
from hyperbaton.softorder.precedence import PrecedenceCounter
from hyperbaton.text.tokenization import Tokenization
from waiting import HANGING, wait_until

TABLE = Path(__file__).parents[3] / "docs" / "bad-input.md"
LINKED = [*GOOD, "-m", "pef:tok=none", "--alignment", "sys.align"]
PARQUET = ["-r", "ref.txt", "sys.parquet:mt"]


def parquet(texts: Sequence[object]) -> bytes:
    """Return a Parquet file with the columns id and mt."""
    kind = None if texts else pa.string()
    file = io.BytesIO()
    ids = pa.array(range(len(texts)), pa.int64())
    pq.write_table(pa.table({"id": ids, "mt": pa.array(texts, kind)}), file)
    return file.getvalue()


def model(parts: int = 1) -> bytes:
    """Return the file of a model of two lines, or of a part of them."""
    counter = PrecedenceCounter(Tokenization(), 0, parts)
    counter.add(_core.Lines.from_strings(["a b", "c d"]), 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")
        save_model(counter.model(), path)
        return path.read_bytes()


# For each row of the table: the files that are changed, and the arguments.
ROWS: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "an empty file": ({"sys.txt": b""}, GOOD),
    "all files empty": ({"sys.txt": b"", "ref.txt": b""}, GOOD),
    "different numbers of lines": ({"sys.txt": b"a\nb\n"}, GOOD),
    "no such file": ({}, ["-r", "ref.txt", "sys.txt"]),
    "a folder": ({}, ["-r", "ref.txt", "sys"]),
    "bytes that are not UTF-8": ({"sys.txt": b"a\nb \xff\nc\n"}, GOOD),
    "UTF-16": ({"sys.txt": "a\nb\nc\n".encode("utf-16")}, GOOD),
    "a NUL byte": ({"sys.txt": b"a\nb\0\nc\n"}, GOOD),
    "a damaged compressed file": ({"sys.gz": b"\x1f\x8b\x08broken"}, ["-r", "ref.txt", "sys.gz"]),
    "a file with the extension of a compressed format that is not compressed": (
        {"sys.gz": b"a\nb\nc\n"},
        ["-r", "ref.txt", "sys.gz"],
    ),
    "an unknown metric": ({}, [*GOOD, "-m", "pfe"]),
    "an unknown option": ({}, [*GOOD, "-m", "pef:betta=1"]),
    "an option out of range": ({}, [*GOOD, "-m", "pef:beta=3"]),
    "an option that is not a number": ({}, [*GOOD, "-m", "pef:beta=x"]),
    "an unknown value": ({}, [*GOOD, "-m", "pef:bp=no"]),
    "an unknown folding": ({}, [*GOOD, "-m", "pef:fold=yes"]),
    "an unknown treatment of punctuation": ({}, [*GOOD, "-m", "pef:punct=no"]),
    "a `precedence` file that does not exist": (
        {},
        [*GOOD, "-m", "order:precedence=news.txt"],
    ),
    "an empty `precedence` file": (
        {"news.txt": b""},
        [*GOOD, "-m", "order:precedence=news.txt"],
    ),
    "a damaged model": (
        {"news.model": model()[:-1]},
        [*GOOD, "-m", "order:precedence=news.model"],
    ),
    "the first few bytes of a model": (
        {"news.model": model()[:13]},
        [*GOOD, "-m", "order:precedence=news.model"],
    ),
    "a model of another version": (
        {"news.model": model().replace(b"/2", b"/3", 1)},
        [*GOOD, "-m", "order:precedence=news.model"],
    ),
    "a model for other tokens": (
        {"news.model": model()},
        [*GOOD, "-m", "order:precedence=news.model,case=mixed"],
    ),
    "a model of one part only": (
        {"news.model": model(parts=2)},
        [*GOOD, "-m", "order:precedence=news.model"],
    ),
    "an option without a value": ({}, [*GOOD, "-m", "pef:beta"]),
    "the same option twice": ({}, [*GOOD, "-m", "pef:beta=0.1,beta=0.2"]),
    "the same system twice": ({}, [*GOOD, "sys.txt"]),
    "no reference": ({}, ["sys.txt"]),
    "no system": ({}, ["-r", "ref.txt"]),
    "standard input twice": ({}, ["-r", "-", "-", "-m", "bleu"]),
    "a missing column": ({"sys.tsv": b"a\nx\n"}, ["-r", "ref.txt", "sys.tsv:b"]),
    "a line with too few columns": (
        {"sys.tsv": b"x\ty\nx\nx\ty\n"},
        ["-r", "ref.txt", "sys.tsv:2"],
    ),
    "a line that is not JSON": (
        {"sys.jsonl": b'{"b": "x"}\nno\n'},
        ["-r", "ref.txt", "sys.jsonl:b"],
    ),
    "JSON without the key": (
        {"sys.jsonl": b'{"b": "x"}\n{"c": "x"}\n'},
        ["-r", "ref.txt", "sys.jsonl:b"],
    ),
    "a file that is not a Parquet file": ({"sys.parquet": b"x\ny\nz\n"}, PARQUET),
    "a pattern that matches no file": ({}, ["-r", "ref.txt", "sys/*.parquet:mt"]),
    "a missing column in Parquet": (
        {"sys.parquet": parquet(["x", "y", "z"])},
        ["-r", "ref.txt", "sys.parquet:mtt"],
    ),
    "a column without texts in Parquet": (
        {"sys.parquet": parquet(["x", "y", "z"])},
        ["-r", "ref.txt", "sys.parquet:id"],
    ),
    "a null in Parquet": ({"sys.parquet": parquet(["x", None, "z"])}, PARQUET),
    "a NUL character in Parquet": ({"sys.parquet": parquet(["x", "\0", "z"])}, PARQUET),
    "a list for a system in Parquet": (
        {"sys.parquet": parquet([["x"], ["y", "y"], ["z"]])},
        PARQUET,
    ),
    "a Parquet file without rows": ({"sys.parquet": parquet([])}, PARQUET),
    "the output is one of the files": ({}, [*GOOD, "-o", "sys.txt"]),
    "a missing output folder": ({}, [*GOOD, "-o", "none/out.txt"]),
    "a line with too many words": (
        {"sys.txt": b"a\n" + b"a " * 100_001 + b"\nb\n", "ref.txt": b"a\nb c d\ne\n"},
        [*GOOD, "-m", "pef"],
    ),
    "a line without an end, for example in a small compressed file": (
        {"sys.txt": b"a\n" + b"a" * 10_000_001},
        [*GOOD, "-m", "wer"],
    ),
    "a line with too many different words for the matcher `similar`": (
        {
            "sys.txt": b"a\n" + b" ".join(b"a%d" % k for k in range(1001)) + b"\nb\n",
            "ref.txt": b"a\n" + b" ".join(b"b%d" % k for k in range(1000)) + b"\nb\n",
        },
        [*GOOD, "-m", "pef:align=exact+similar"],
    ),
    "two columns with the same name": ({"sys.tsv": b"a\ta\n"}, ["-r", "ref.txt", "sys.tsv:a"]),
    "an empty file name": ({}, ["-r", "ref.txt", ""]),
    "an unknown language": ({}, [*GOOD, "-l", "jp"]),
    "an empty language": ({}, [*GOOD, "-l", ""]),
    "a language pair": ({}, [*GOOD, "-l", "en-de"]),
    "an unknown region": ({}, [*GOOD, "-l", "en-EN"]),
    "a matcher without its language": ({}, [*GOOD, "-m", "pef:align=stem"]),
    "`anchored` without another matcher": ({}, [*GOOD, "-m", "pef:align=anchored"]),
    "trees for systems only": ({}, [*GOOD, "-m", "dted", "--trees", "sys.conllu"]),
    "zero threads": ({}, [*GOOD, "--threads", "0"]),
    "a field that is not a link": ({"sys.align": b"0-0\n0:1\n\n"}, LINKED),
    "a link outside its sentence": ({"sys.align": b"0-0\n\n0-5\n"}, LINKED),
    "an alignment file with fewer lines": ({"sys.align": b"0-0\n"}, LINKED),
    "a 0 in a file that counts from 1": ({"sys.align": b"1-1\n0-1\n\n"}, [*LINKED, "--one-based"]),
    "incomplete alignments through the source": ({}, [*GOOD, "--source", "ref.txt"]),
    "too few alignment files": ({}, [*LINKED, "good.txt"]),
}


def documented() -> dict[str, str]:
    errors = TABLE.read_text("utf-8").split("## Errors")[1].split("## Edge cases")[0]
    return dict(re.findall(r"^\| (.+?) \| `(.+)` \|$", errors, re.M))


def test_every_documented_error_is_tested() -> None:
    assert list(documented()) == list(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_error_messages(row: str, cli: CommandLine) -> None:
    contents, arguments = ROWS[row]
    Path("sys").mkdir()
    if row == "no such file":
        Path("sys.txt").unlink()
    for name, content in contents.items():
        Path(name).write_bytes(content)
    before = sorted(os.listdir())
    message = cli.error("score", *arguments)
    if row == "a missing output folder":  # the message has the absolute path
        assert message.startswith("cannot write none/out.txt: there is no folder /")
    else:
        assert message == documented()[row]
    assert sorted(os.listdir()) == before


def test_no_output_files_after_an_error(cli: CommandLine) -> None:
    Path("out.json").write_text("before", encoding="utf-8")
    Path("sys.txt").write_bytes(b"a\nb\n\xff\n")
    message = cli.error("score", *GOOD, "-o", "out.json", "--segments", "segments.tsv")
    assert "line 3" in message
    assert Path("out.json").read_text("utf-8") == "before"
    assert sorted(os.listdir()) == ["good.txt", "out.json", "ref.txt", "sys.txt"]


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[bytes]]:
    """A process that begins its output files, and waits for more of its standard input."""
    outputs = ["-o", "out.txt", "--segments", "segments.tsv"]
    process = subprocess.Popen(
        [*PROGRAM, "score", "-r", "-", "sys.txt", "-m", "wer", *outputs],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_no_output_files_after_a_signal(
    number: int, status: int, endless: subprocess.Popen[bytes]
) -> None:
    wait_until(lambda: any(name.endswith(".part") for name in os.listdir()))
    endless.send_signal(number)
    assert endless.wait(HANGING) == status
    assert sorted(os.listdir()) == ["good.txt", "ref.txt", "sys.txt"]
