"""``hyperbaton score`` and ``hyperbaton metrics`` as a user calls them."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.cli import COMMANDS, main
from hyperbaton.cli.options import in_colour
from hyperbaton.report.tables import Column, as_text

REF = "The cat saw the dog .\nThis is a test .\nOne two three four .\n"
SYS = "The dog saw the cat .\nThis is a test .\nfour three two One .\n"
TABLE = Path(__file__).parent.parent.parent / "docs" / "bad-input.md"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    Path("ref.txt").write_text(REF, encoding="utf-8")
    Path("sys.txt").write_text(SYS, encoding="utf-8")
    Path("good.txt").write_text(REF, encoding="utf-8")


def score(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["score", *arguments]) == 0
    return capsys.readouterr().out


# Each row of the table of errors: how the input comes about, and the arguments.
GOOD = ["-r", "ref.txt", "sys.txt"]
LINKED = [*GOOD, "-m", "pef:tok=none", "--alignment", "sys.align"]
ROWS: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "an empty file": ({"sys.txt": b""}, GOOD),
    "all files empty": ({"sys.txt": b"", "ref.txt": b""}, GOOD),
    "line counts that differ": ({"sys.txt": b"a\nb\n"}, GOOD),
    "no such file": ({}, ["-r", "ref.txt", "sys.txt"]),
    "a folder": ({}, ["-r", "ref.txt", "sys"]),
    "bytes that are not UTF-8": ({"sys.txt": b"a\nb \xff\nc\n"}, GOOD),
    "a NUL byte": ({"sys.txt": b"a\nb\0\nc\n"}, GOOD),
    "a damaged gzip file": ({"sys.gz": b"\x1f\x8b\x08broken"}, ["-r", "ref.txt", "sys.gz"]),
    "an unknown metric": ({}, [*GOOD, "-m", "pfe"]),
    "an unknown option": ({}, [*GOOD, "-m", "pef:betta=1"]),
    "an option out of range": ({}, [*GOOD, "-m", "pef:beta=3"]),
    "an option that is no number": ({}, [*GOOD, "-m", "pef:beta=x"]),
    "an unknown value": ({}, [*GOOD, "-m", "pef:bp=no"]),
    "half an option": ({}, [*GOOD, "-m", "pef:beta"]),
    "an option twice": ({}, [*GOOD, "-m", "pef:beta=0.1,beta=0.2"]),
    "a system twice": ({}, [*GOOD, "sys.txt"]),
    "no reference": ({}, ["sys.txt"]),
    "no system": ({}, ["-r", "ref.txt"]),
    "standard input twice": ({}, ["-r", "-", "-"]),
    "a column that is not there": ({"sys.tsv": b"a\nx\n"}, ["-r", "ref.txt", "sys.tsv:b"]),
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
    "the output is one of the files": ({}, [*GOOD, "-o", "sys.txt"]),
    "no folder for the output": ({}, [*GOOD, "-o", "none/out.txt"]),
    "a line of very many words": (
        {"sys.txt": b"a\n" + b"a " * 100_001 + b"\nb\n", "ref.txt": b"a\nb c d\ne\n"},
        [*GOOD, "-m", "pef"],
    ),
    "two columns of one name": ({"sys.tsv": b"a\ta\n"}, ["-r", "ref.txt", "sys.tsv:a"]),
    "a name that is empty": ({}, ["-r", "ref.txt", ""]),
    "a matcher without its language": ({}, [*GOOD, "-m", "pef:align=stem"]),
    "trees of systems only": ({}, [*GOOD, "-m", "dted", "--trees", "sys.conllu"]),
    "no threads": ({}, [*GOOD, "--threads", "0"]),
    "a field that is no link": ({"sys.align": b"0-0\n0:1\n\n"}, LINKED),
    "a link outside its sentence": ({"sys.align": b"0-0\n\n0-5\n"}, LINKED),
    "alignments of fewer lines": ({"sys.align": b"0-0\n"}, LINKED),
    "a 0 where words count from 1": ({"sys.align": b"1-1\n0-1\n\n"}, [*LINKED, "--one-based"]),
    "half of the way through the source": ({}, [*GOOD, "--source", "ref.txt"]),
    "too few files of alignments": ({}, [*LINKED, "good.txt"]),
}


def documented() -> dict[str, str]:
    errors = TABLE.read_text("utf-8").split("## Errors")[1].split("## Defined")[0]
    return dict(re.findall(r"^\| (.+?) \| `(.+)` \|$", errors, re.M))


def test_the_table_and_the_tests_have_the_same_rows() -> None:
    assert list(documented()) == list(ROWS)


@pytest.mark.parametrize("row", ROWS)
def test_bad_input(row: str, capsys: pytest.CaptureFixture[str]) -> None:
    contents, arguments = ROWS[row]
    Path("sys").mkdir()
    if row == "no such file":
        Path("sys.txt").unlink()
    for name, content in contents.items():
        Path(name).write_bytes(content)
    before = sorted(os.listdir())
    assert main(["score", *arguments]) == 2
    out, err = capsys.readouterr()
    expected = documented()[row]
    if row == "no folder for the output":  # the folder is told with its whole path
        assert err.startswith("hyperbaton: error: cannot write none/out.txt: there is no folder /")
    else:
        assert err == f"hyperbaton: error: {expected}\n"
    assert out == ""
    assert sorted(os.listdir()) == before


def test_nothing_is_left_of_outputs_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.json").write_text("before", encoding="utf-8")
    Path("sys.txt").write_bytes(b"a\nb\n\xff\n")
    arguments = [*GOOD, "-o", "out.json", "--segments", "segments.tsv"]
    assert main(["score", *arguments]) == 2
    assert "line 3" in capsys.readouterr().err
    assert Path("out.json").read_text("utf-8") == "before"
    assert sorted(os.listdir()) == ["good.txt", "out.json", "ref.txt", "sys.txt"]


@pytest.mark.parametrize("metric", hb.metrics.SETS["all"])
def test_empty_lines_are_defined(metric: str) -> None:
    kind = hb.metrics.get(metric)
    worst = 0.0 if kind.higher_is_better else 1.0
    values = {
        (hyp, ref): hb.score([hyp], [ref], [metric])[metric].segments[0]
        for hyp in ("", "a b c d e")
        for ref in ("", "a b c d e")
    }
    assert values["", "a b c d e"] == worst
    assert values["a b c d e", ""] == worst
    assert values["", ""] == 0.0
    assert values["a b c d e", "a b c d e"] == pytest.approx(1.0 - worst)


@pytest.mark.parametrize(("metric", "errors"), [("wer", 3), ("per", 3), ("cder", 1), ("invwer", 3)])
def test_words_against_an_empty_reference_are_errors_of_the_corpus(
    metric: str, errors: int
) -> None:
    # none in the second segment; the references have 0 + 5 words; in CDER a jump passes over words
    result = hb.score(["x y z", "a b c d e"], ["", "a b c d e"], [metric])
    assert result[metric].value == errors / 5


@pytest.mark.parametrize(
    "content",
    [
        SYS.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + SYS.encode(),
        SYS.removesuffix("\n").encode(),
        gzip.compress(SYS.encode()),
    ],
    ids=["CRLF", "BOM", "no break at the end", "gzip"],
)
def test_the_same_text_in_other_clothes(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    plain = score(capsys, *GOOD, "-m", "all", "-f", "tsv")
    Path("sys.txt").write_bytes(content)
    assert score(capsys, *GOOD, "-m", "all", "-f", "tsv") == plain


def test_columns_of_other_files(capsys: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(score(capsys, *GOOD, "-m", "pef", "-m", "bleu", "-f", "json"))
    rows = list(zip(REF.split("\n"), SYS.split("\n"), strict=True))[:3]
    Path("d.tsv").write_text("ref\tsys\n" + "".join(f"{r}\t{s}\n" for r, s in rows), "utf-8")
    Path("n.tsv").write_text("".join(f"{r}\t{s}\n" for r, s in rows), "utf-8")
    lines = (json.dumps({"ref": [r], "sys": s}) for r, s in rows)
    Path("d.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for reference, system, name in (
        ("d.tsv:ref", "d.tsv:sys", "sys"),
        ("n.tsv:1", "n.tsv:2", "2"),
        ("d.jsonl:ref", "d.jsonl:sys", "sys"),
    ):
        found = score(capsys, "-r", reference, system, "-m", "pef", "-m", "bleu", "-f", "json")
        document = json.loads(found)
        assert document["systems"][0].pop("name") == name
        assert document["systems"][0]["scores"] == plain["systems"][0]["scores"]


def test_references_in_jsonl_may_be_any_number(capsys: pytest.CaptureFixture[str]) -> None:
    references = [["a b c", "c b a"], ["x y"], ["p", "q", "r s"]]
    systems = ["c b a", "y x", "r s"]
    Path("d.jsonl").write_text(
        "".join(
            json.dumps({"r": several, "s": one}) + "\n"
            for several, one in zip(references, systems, strict=True)
        ),
        "utf-8",
    )
    document = json.loads(score(capsys, "-r", "d.jsonl:r", "d.jsonl:s", "-m", "wer", "-f", "json"))
    found = document["systems"][0]["scores"]["wer"]
    expected = hb.score(systems, references, ["wer"])["wer"]
    assert (found["value"], found["signature"]) == (expected.value, expected.signature)
    assert "nrefs:var" in found["signature"]


def test_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hyperbaton", "score", "-r", "ref.txt", "-", "-m", "wer"],
        input=SYS.encode(),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().splitlines()[1].split() == ["standard", "input", "0.3750"]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    # wer by hand: 2 + 0 + 4 substitutions in 6 + 5 + 5 words; lr_kb1 of good.txt is perfect
    out = score(capsys, *GOOD, "good.txt", "-m", "wer,lr_kb1")
    head, first, second, blank, count, *signatures = out.splitlines()
    assert head.split() == ["system", "aligned", "wer", "↓", "lr_kb1", "↑"]
    assert first.split()[:3] == ["sys.txt", "1.00", "0.3750"]
    assert second.split() == ["good.txt", "1.00", "0.0000*", "1.0000*"]
    assert (blank, count) == ("", "3 segments")
    assert [line.split("|")[0] for line in signatures] == ["wer", "lr_kb1"]
    assert "\x1b" not in out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert in_colour(Terminal())
    assert not in_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not in_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not in_colour(Terminal())


def test_the_best_is_coloured() -> None:
    systems = Column("system", ("a", "b"), left=True)
    values = Column("wer ↓", ("0.5", "0.25"), frozenset({1}))
    lines = as_text([systems, values], 80, colour=True).splitlines()
    assert lines == ["system  wer ↓", "a        0.5", "b       \x1b[1;32m0.25*\x1b[0m"]


def test_short_signatures(capsys: pytest.CaptureFixture[str]) -> None:
    long = score(capsys, *GOOD, "-m", "pef").splitlines()[-1]
    short = score(capsys, *GOOD, "-m", "pef", "--short").splitlines()[-1]
    assert hb.metrics.Signature.parse(short) == hb.metrics.Signature.parse(long)
    assert len(short) < len(long)


def test_formats(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*GOOD, "good.txt", "-m", "wer", "-m", "kendall:bp=off"]
    lines = score(capsys, *arguments, "-f", "tsv").splitlines()
    header, *rows = (line.split("\t") for line in lines)
    assert header == ["system", "metric", "value", "lower", "upper", "aligned", "n", "signature"]
    assert [row[:7] for row in rows[2:]] == [
        ["good.txt", "wer", "0.0", "", "", "", "3"],
        ["good.txt", "kendall:bp=off", "1.0", "", "", "1.0", "3"],
    ]
    assert all(row[7].startswith(f"{row[1].split(':')[0]}|") for row in rows)
    markdown = score(capsys, *arguments, "-f", "markdown").splitlines()
    assert markdown[0] == "| system | aligned | wer ↓ | kendall:bp=off ↑ |"
    assert markdown[3] == "| good.txt | 1.00 | **0.0000** | **1.0000** |"
    assert markdown[5] == "- `3 segments`"
    assert markdown[6].startswith("- `wer|nrefs:1|")
    latex = score(capsys, *arguments, "-f", "latex").splitlines()
    assert latex[0] == r"\begin{tabular}{lrrr}"
    assert r"good.txt & 1.00 & \textbf{0.0000} & \textbf{1.0000} \\" in latex
    assert latex[-2].startswith("% wer|nrefs:1|")


def test_json_and_segments(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*GOOD, "good.txt", "-m", "default", "-f", "json", "--segments", "segments.tsv"]
    document = json.loads(score(capsys, *arguments))
    assert document["schema"] == "hyperbaton/score/1"
    assert [system["name"] for system in document["systems"]] == ["sys.txt", "good.txt"]
    result = hb.score(SYS.splitlines(), REF.splitlines())
    assert document["systems"][0]["scores"] == result.to_dict()["systems"][0]["scores"]
    head, *rows = Path("segments.tsv").read_text("utf-8").splitlines()
    assert head.split("\t") == ["segment", "system", *result]
    assert [row.split("\t")[:2] for row in rows[:3]] == [
        ["1", "sys.txt"],
        ["1", "good.txt"],
        ["2", "sys.txt"],
    ]
    third = [float(cell) for cell in rows[4].split("\t")[2:]]
    assert third == [score.segments[2] for score in result.values()]


def test_few_words_aligned_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sys.txt").write_text("quite other words\n" * 3, encoding="utf-8")
    assert main(["score", *GOOD, "-m", "pef"]) == 0
    err = capsys.readouterr().err
    assert err.startswith("hyperbaton: warning: sys.txt: only 0% of the words are aligned")


def test_a_language_without_a_stemmer_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", *GOOD, "-m", "pef", "-l", "eng"]) == 0
    note = "hyperbaton: note: there is no stemmer for 'eng': only equal words are aligned\n"
    assert capsys.readouterr().err == note
    assert main(["score", *GOOD, "-m", "wer", "-l", "eng"]) == 0
    assert capsys.readouterr().err == ""


def test_a_budget_that_runs_out_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    Path("sys.txt").write_text("d c b a e f\n" * 3, encoding="utf-8")
    Path("ref.txt").write_text("a b c d f e\n" * 3, encoding="utf-8")
    assert main(["score", *GOOD, "-m", "invwer:budget=0"]) == 0
    err = capsys.readouterr().err
    assert "invwer:budget=0 is only an upper bound for 3 segments" in err


def test_wide_tables_are_cut_into_parts(capsys: pytest.CaptureFixture[str]) -> None:
    out = score(capsys, *GOOD, "-m", "order")
    lines = out.split("3 segments")[0].splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.startswith("system") for line in lines) > 1


def test_systems_of_the_same_name_keep_their_folders(capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "out.txt").write_text(SYS, encoding="utf-8")
    out = score(capsys, "-r", "ref.txt", "a/out.txt", "b/out.txt", "-m", "wer", "-f", "tsv")
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "system",
        "a/out.txt",
        "b/out.txt",
    ]


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    rows = score(capsys, "--example", "-m", "kendall:bp=off", "-f", "tsv").splitlines()[1:]
    names = [row.split("\t")[0] for row in rows]
    values = [float(row.split("\t")[2]) for row in rows]
    assert names == ["literal.txt", "phrasal.txt", "fluent.txt"]
    assert values == sorted(values)
    assert main(["score", "--example", "sys.txt"]) == 2


def test_odd_file_names_and_streams(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    odd = "na\tme\x1b\udcff.txt"
    Path(odd).write_text(SYS, encoding="utf-8")
    assert (
        score(capsys, "-r", "ref.txt", odd, "-m", "wer")
        .splitlines()[1]
        .startswith(r"na\tme\x1b\udcff.txt")
    )
    assert main(["score", "-r", "no\nfile.txt", odd]) == 2
    err = capsys.readouterr().err
    assert err == "hyperbaton: error: cannot read no\\nfile.txt: No such file or directory\n"
    assert main(["score", *GOOD, "-o", ""]) == 2
    Path("log").write_text("before\n", encoding="utf-8")
    with open("log", "a", encoding="utf-8") as log:
        subprocess.run(
            [sys.executable, "-m", "hyperbaton", "score", *GOOD, "-m", "wer", "-o", "/dev/stdout"],
            stdout=log,
            check=True,
        )
    assert Path("log").read_text("utf-8").startswith("before\nsystem")


def test_sets_and_variants_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "default"]) == 0
    assert capsys.readouterr().out.count("example: hyperbaton score") == len(
        hb.metrics.SETS["default"]
    )
    assert main(["score", "--explain", "pef:bp=off"]) == 0
    assert capsys.readouterr().out.startswith("pef: ")


def test_metrics_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics"]) == 0
    listed = capsys.readouterr().out
    assert main(["metrics", "--brief"]) == 0
    brief = capsys.readouterr().out
    assert main(["metrics", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [metric["name"] for metric in document["metrics"]] == list(hb.metrics.names())
    for metric in document["metrics"]:
        assert f"\n{metric['name']}: {metric['about']}\n" in "\n" + listed
        assert f"  paper: {metric['paper']}\n" in listed
        assert f"  example: {metric['example']}\n" in listed
        assert f"\n{metric['name']} " in "\n" + brief
        spec = metric["example"].split(" -m ")[1]
        assert hb.metrics.get(spec).name == metric["name"]
    assert main(["metrics", "pfe"]) == 2


def test_a_metric_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert score(capsys, "--explain", "LR-HB1").startswith("lr_hb1: LRscore of hamming and BLEU1\n")
    assert main(["score", "--explain", "pfe"]) == 2


def test_the_list_of_commands_says_what_they_say_themselves() -> None:
    import importlib

    for name, about in COMMANDS.items():
        command = getattr(importlib.import_module(f"hyperbaton.cli.{name}"), name)
        assert command.__doc__.splitlines()[0] == about


def test_help_needs_nothing_heavy() -> None:
    code = (
        "import sys; from hyperbaton.cli import main; main(['--help']);"
        "sys.exit(bool({'numpy', 'sacrebleu', 'rich', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[bytes]]:
    """A scoring that waits for more of its standard input, with outputs begun."""
    command = [
        "score",
        "-r",
        "-",
        "sys.txt",
        "-m",
        "wer",
        "-o",
        "out.txt",
        "--segments",
        "segments.tsv",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(600):
        if any(name.endswith(".part") for name in os.listdir()):
            break
        time.sleep(0.05)
    yield process
    process.kill()
    process.communicate()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_no_half_written_files(number: int, status: int, endless: subprocess.Popen[bytes]) -> None:
    assert any(name.endswith(".part") for name in os.listdir())
    endless.send_signal(number)
    assert endless.wait(30) == status
    assert sorted(os.listdir()) == ["good.txt", "ref.txt", "sys.txt"]
