"""Input of ``hyperbaton score``: empty lines, encodings, columns, streams, file names."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyperbaton as hb
from cli.score.corpus import GOOD, REF, SYS
from command_line import PROGRAM, CommandLine, NewProcess


@pytest.mark.parametrize("metric", hb.metrics.SETS["all"])
def test_scores_of_empty_lines(metric: str) -> None:
    kind = hb.metrics.get(metric)
    worst = 0.0 if kind.higher_is_better else 1.0
    values = {
        (hyp, ref): hb.score([hyp], [ref], [metric])[metric].segments[0]
        for hyp in ("", "a b c d e")
        for ref in ("", "a b c d e")
    }
    if metric == "order":  # nothing is matched, so that nothing is known of the order
        worst = 0.0
        assert np.isnan([values[pair] for pair in values if "" in pair]).all()
    else:
        assert values["", "a b c d e"] == worst
        assert values["a b c d e", ""] == worst
        assert values["", ""] == 0.0
    assert values["a b c d e", "a b c d e"] == pytest.approx(1.0 - worst)


@pytest.mark.parametrize(("metric", "errors"), [("wer", 3), ("per", 3), ("cder", 1), ("invwer", 3)])
def test_words_against_an_empty_reference_are_errors(metric: str, errors: int) -> None:
    # The references have 0 + 5 words, and the second segment has no errors. CDER skips words by
    # a jump, which is one error.
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
def test_encodings_of_the_same_text(content: bytes, cli: CommandLine) -> None:
    plain = cli.succeed("score", *GOOD, "-m", "all", "-f", "tsv").stdout
    Path("sys.txt").write_bytes(content)
    assert cli.succeed("score", *GOOD, "-m", "all", "-f", "tsv").stdout == plain


def test_columns_of_tsv_and_jsonl_files(cli: CommandLine) -> None:
    form = ["-m", "pef", "-m", "bleu", "-f", "json"]
    plain = cli.json("score", *GOOD, *form)
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
        document = cli.json("score", "-r", reference, system, *form)
        assert document["systems"][0].pop("name") == name
        assert document["systems"][0]["scores"] == plain["systems"][0]["scores"]


def test_columns_of_parquet_files(cli: CommandLine) -> None:
    form = ["-m", "pef", "-m", "bleu", "-f", "json"]
    plain = cli.json("score", *GOOD, "good.txt", *form)
    refs, systems = REF.splitlines(), SYS.splitlines()
    table = pa.table({"ref": refs, "refs": [[r] for r in refs], "sys": systems, "good": refs})
    Path("data").mkdir()
    pq.write_table(table, "all.parquet", row_group_size=2)
    pq.write_table(table[:1], "data/a.parquet")
    pq.write_table(table[1:], "data/b.parquet")
    for reference, path in (
        ("all.parquet:ref", "all.parquet"),
        ("all.parquet:refs", "all.parquet"),
        ("data/*.parquet:ref", "data/*.parquet"),
        ("ref.txt", "data/?.parquet"),
    ):
        document = cli.json("score", "-r", reference, f"{path}:sys", f"{path}:good", *form)
        assert [system["name"] for system in document["systems"]] == ["sys", "good"]
        for found, expected in zip(document["systems"], plain["systems"], strict=True):
            assert found["scores"] == expected["scores"]


def test_two_references_in_parquet_columns(cli: CommandLine) -> None:
    references = [["a b c", "c b a"], ["x y"], ["p", "q", "r s"]]
    systems = ["c b a", "y x", "r s"]
    pq.write_table(pa.table({"r": references, "s": systems}), "d.parquet")
    document = cli.json("score", "-r", "d.parquet:r", "d.parquet:s", "-m", "wer", "-f", "json")
    expected = hb.score(systems, references, ["wer"])["wer"]
    assert document["systems"][0]["scores"]["wer"]["value"] == expected.value


def test_parquet_files_are_named_in_errors_and_not_overwritten(cli: CommandLine) -> None:
    columns = ["-r", "*.parquet:ref", "*.parquet:sys"]
    for name, system in (("a", "x"), ("b", "x " * 100_001)):
        pq.write_table(pa.table({"ref": ["y", "x"], "sys": ["y", system]}), f"{name}.parquet")
    message = cli.error("score", *columns, "-m", "pef")
    assert message.startswith("b.parquet, row 2: the sentences are too long: 100,001 and 1 words")
    message = cli.error("score", *columns, "-o", "b.parquet")
    assert message == "*.parquet:ref would be overwritten while it is read"


def test_any_number_of_references_in_jsonl(cli: CommandLine) -> None:
    references = [["a b c", "c b a"], ["x y"], ["p", "q", "r s"]]
    systems = ["c b a", "y x", "r s"]
    Path("d.jsonl").write_text(
        "".join(
            json.dumps({"r": several, "s": one}) + "\n"
            for several, one in zip(references, systems, strict=True)
        ),
        "utf-8",
    )
    document = cli.json("score", "-r", "d.jsonl:r", "d.jsonl:s", "-m", "wer", "-f", "json")
    found = document["systems"][0]["scores"]["wer"]
    expected = hb.score(systems, references, ["wer"])["wer"]
    assert (found["value"], found["signature"]) == (expected.value, expected.signature)
    assert "nrefs:var" in found["signature"]


def test_standard_input(cli_process: NewProcess) -> None:
    out = cli_process.output("score", "-r", "ref.txt", "-", "-m", "wer", stdin=SYS)
    assert out.splitlines()[1].split() == ["standard", "input", "37.5"]


def test_systems_with_the_same_file_name_keep_their_folders(cli: CommandLine) -> None:
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "out.txt").write_text(SYS, encoding="utf-8")
    out = cli.output("score", "-r", "ref.txt", "a/out.txt", "b/out.txt", "-m", "wer", "-f", "tsv")
    assert [line.split("\t")[0] for line in out.splitlines()] == [
        "system",
        "a/out",
        "b/out",
    ]


def test_example_systems(cli: CommandLine) -> None:
    rows = cli.output("score", "--example", "-m", "kendall:bp=off", "-f", "tsv").splitlines()[1:]
    names = [row.split("\t")[0] for row in rows]
    values = [float(row.split("\t")[2]) for row in rows]
    assert names == ["literal", "phrasal", "fluent"]
    assert values == sorted(values)
    assert cli("score", "--example", "sys.txt").status == 2


def test_unusual_file_names_and_streams(cli: CommandLine) -> None:
    odd = "na\tme\x1b\udcff.txt"
    Path(odd).write_text(SYS, encoding="utf-8")
    row = cli.output("score", "-r", "ref.txt", odd, "-m", "wer").splitlines()[1]
    assert row.startswith(r"na\tme\x1b\udcff ")
    message = cli.error("score", "-r", "no\nfile.txt", odd)
    assert message == "cannot read no\\nfile.txt: No such file or directory"
    assert cli("score", *GOOD, "-o", "").status == 2
    Path("log").write_text("before\n", encoding="utf-8")
    with open("log", "a", encoding="utf-8") as log:
        subprocess.run(
            [*PROGRAM, "score", *GOOD, "-m", "wer", "-o", "/dev/stdout"], stdout=log, check=True
        )
    assert Path("log").read_text("utf-8").startswith("before\nsystem")
