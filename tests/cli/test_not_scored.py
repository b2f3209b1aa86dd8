"""What the command line says of systems whose words are not in the reference, in every format."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine

EXAMPLE = Path(hb.__file__).parent / "example"
REF = EXAMPLE / "reference.txt"
LINES = 48
REASON = (
    "only 0 % of its words are in the reference, as many as in any unrelated text. Are the lines "
    "shifted?"
)
OUTPUTS = ["text", "markdown", "latex", "json", "tsv", "csv"]


@pytest.fixture(autouse=True)
def files() -> None:
    Path("junk.txt").write_text("xyzzy qwert plugh\n" * LINES, encoding="utf-8")
    Path("empty.txt").write_text("\n" * LINES, encoding="utf-8")
    for name in ("literal", "fluent"):
        Path(f"{name}.txt").write_bytes((EXAMPLE / f"{name}.txt").read_bytes())


SYSTEMS = ["-r", str(REF), "junk.txt", "literal.txt", "fluent.txt"]
METRICS = ["-m", "order,kendall,chrf"]


def rows_of(output: str, separator: str | None = None) -> list[list[str]]:
    """The cells of the first table, whose heading is left out."""
    lines = output.split("\n\n")[0].splitlines()
    return [re.split(separator or r"\s\s+", line.strip("| \\")) for line in lines[1:]]


# score -----------------------------------------------------------------------------------------


def test_text(cli: CommandLine) -> None:
    done = cli.succeed("score", *SYSTEMS, *METRICS)
    head = re.split(r"\s\s+", done.stdout.splitlines()[0])
    assert head == ["system", "order", "matched", "linked", "kendall", "chrf"]
    fluent, literal, junk, _ = rows_of(done.stdout)
    # The matched words and order are those of the definition: ΣM/ΣN and 1 − ΣX/ΣM.
    assert junk[:5] == ["junk", "–", "0 %", "0 %", "0.0"]
    for row, lost, matched, words in (
        (literal, 279.810545, 748.212036, 805.863660),
        (fluent, 89.627680, 662.253309, 789.122278),
    ):
        assert row[1:3] == [f"{100 * (1 - lost / matched):.1f}", f"{100 * matched / words:.0f} %"]
    below = " ".join(done.stdout.split())
    assert f" junk: order: not scored: {REASON} junk: kendall: not ranked: {REASON} " in below
    assert done.stderr == ""


@pytest.mark.parametrize("output", ["json", "tsv"])
def test_warnings_beside_formats_for_programs(output: str, cli: CommandLine) -> None:
    assert cli.succeed("score", *SYSTEMS, *METRICS, "-f", output).stderr == (
        f"hyperbaton: warning: junk: order: not scored: {REASON}\n"
        f"hyperbaton: warning: junk: kendall: not ranked: {REASON}\n"
    )


@pytest.mark.parametrize(
    ("output", "separator", "missing", "mark"),
    [
        ("text", None, "–", "▼"),
        ("markdown", r" \| ", "–", "▼"),
        ("latex", " & ", "--", r"$\bigtriangledown$"),
    ],
)
def test_marks(
    output: str, separator: str | None, missing: str, mark: str, cli: CommandLine
) -> None:
    """By `order`, junk has none: nothing is known of its order. By other metrics it may have."""
    arguments = ["compare", *SYSTEMS, "-m", "order,kendall,wer", "-f", output, "--samples", "100"]
    out = cli.succeed(*arguments).stdout.split("\n\n", 1)[1]
    table = [row for row in rows_of(out, separator) if len(row) == 6]
    fluent, literal, junk = table[-3:]
    assert junk[1] == missing
    assert [mark in cell for cell in junk] == [False] * 5 + [True]
    assert [mark in row[1] for row in (fluent, literal)] == [False, True]


def test_a_system_that_is_not_scored_comes_last(cli: CommandLine) -> None:
    """An unrelated line of the same words has a value of pef, which may be the highest."""
    Path("ref.txt").write_text("a b c d e f g h\n" * 3, encoding="utf-8")
    Path("one.txt").write_text("a\n" * 3, encoding="utf-8")
    Path("all.txt").write_text("h g f e d c b a\n" * 3, encoding="utf-8")
    Path("most.txt").write_text("b a c d e f g h\n" * 3, encoding="utf-8")
    systems = ["one.txt", "all.txt", "most.txt"]
    arguments = ["score", "-r", "ref.txt", *systems, "-m", "kendall:bp=off"]
    most, everything, one, _ = rows_of(cli.succeed(*arguments).stdout)
    assert one[3] == "100.0"  # one word is in order, but the system is not scored
    assert (everything[3], most[3]) == ("0.0", f"{2700 / 28:.1f}")


def test_machine_readable_formats(cli: CommandLine) -> None:
    arguments = ["score", *SYSTEMS, "-m", "order,kendall", "--confidence"]
    tsv = cli.succeed(*arguments, "-f", "tsv").stdout
    head, *rows = (line.split("\t") for line in tsv.splitlines())
    found = list(csv.reader(io.StringIO(cli.succeed(*arguments, "-f", "csv").stdout)))
    assert found == [head, *rows]
    cells = [dict(zip(head, row, strict=True)) for row in rows]
    order, kendall = cells[0], cells[1]
    assert [order[key] for key in ("value", "lower", "upper", "linked")] == [""] * 4
    assert [kendall[key] for key in ("value", "lower", "linked")] == ["0.0"] * 3
    assert order["matched"] == kendall["matched"] != ""
    document = cli.succeed(*arguments, "-f", "json").json()  # fails on NaN
    scores = document["systems"][0]["scores"]
    assert [scores["order"][key] for key in ("value", "lower", "upper")] == [None] * 3
    assert scores["order"]["not_scored"] == f"not scored: {REASON}"
    assert str(scores["order"]["matched"]) == order["matched"]
    assert scores["kendall"]["value"] == 0


@pytest.mark.parametrize("output", OUTPUTS)
def test_nothing_prints_nan(output: str, cli: CommandLine) -> None:
    for command in ("score", "compare"):
        arguments = [command, *SYSTEMS, "empty.txt", "-m", "order,pef", "-f", output]
        printed = cli.succeed(*arguments).stdout
        assert not re.search(r"\bnan\b|\bNone\b|NaN", printed), command


def test_segments_and_plain_values(cli: CommandLine) -> None:
    arguments = ["score", "-r", str(REF), "junk.txt", "fluent.txt", "-m", "order"]
    done = cli.succeed(*arguments, "--score-only", "--segments", "segments.tsv")
    assert done.stdout == f"\n{1 - 89.627680 / 662.253309:.4f}\n"
    rows = [line.split("\t") for line in Path("segments.tsv").read_text("utf-8").splitlines()]
    assert {row[2] for row in rows[1::2]} == {""}
    assert all(0 <= float(row[2]) <= 1 for row in rows[2::2] if row[2])


@pytest.mark.parametrize("metric", ["order", "kendall"])
def test_sorting(metric: str, cli: CommandLine) -> None:
    arguments = ["score", *SYSTEMS, "empty.txt", *METRICS, "--sort", metric]
    names = [row[0] for row in rows_of(cli.succeed(*arguments).stdout)[:-1]]
    best = {"order": ["fluent", "literal"], "kendall": ["literal", "fluent"]}
    assert names == [*best[metric], "junk", "empty"]


@pytest.mark.parametrize("name", ["junk.txt", "empty.txt"])
def test_one_system(name: str, cli: CommandLine) -> None:
    done = cli.succeed("score", "-r", str(REF), name, "-m", "order", "--confidence")
    assert rows_of(done.stdout)[0] == [Path(name).stem, "–", "0 %"]
    assert f" {Path(name).stem}: order: not scored: {REASON} " in " ".join(done.stdout.split())


# compare ---------------------------------------------------------------------------------------


def test_comparison(cli: CommandLine) -> None:
    arguments = ["compare", *SYSTEMS, "-m", "order,pef", "--samples", "100", "--details"]
    out = cli.succeed(*arguments).stdout
    verdict, table, ranking, pairs, ranking_of_pef, pairs_of_pef, *_ = out.split("\n\n")
    assert f"junk is not scored: {REASON}" in " ".join(verdict.split())
    assert "junk: " not in verdict
    assert table.splitlines()[-2].split()[:4] == ["junk", "–", "0", "%"]
    assert ranking.splitlines()[-1].split() == ["junk", "–"]
    assert [line.split()[0] for line in ranking.splitlines()[1:4:2]] == ["1", "2"]
    for line in pairs.splitlines()[1:]:
        assert ("*" in line) == ("junk" not in line)
    # pef keeps its number and its interval, without a rank and without a mark.
    assert ranking_of_pef.splitlines()[-1].split() == ["junk", "0.0", "[0.0,", "0.0]"]
    assert not any("*" in line for line in pairs_of_pef.splitlines() if "junk" in line)


def test_comparison_as_rows(cli: CommandLine) -> None:
    arguments = ["compare", *SYSTEMS, "-m", "order", "--samples", "100", "-f", "tsv"]
    head, *rows = (line.split("\t") for line in cli.succeed(*arguments).stdout.splitlines())
    first, _, last = (dict(zip(head, row, strict=True)) for row in rows)
    assert (first["a"], first["b"], first["outcome"]) == ("junk", "literal", "not scored")
    keys = ("value_a", "difference", "lower", "upper", "effect", "better")
    assert [first[key] for key in keys] == [""] * 6
    assert (first["p"], first["anchors"], first["anchored"]) == ("1.0", "0", "0.0")
    assert (last["outcome"], last["better"], last["anchors"]) == ("farther", "fluent", "582")


def test_one_word_on_each_of_two_lines(cli: CommandLine) -> None:
    """A segment with a single word has no order, so that none is compared."""
    for name in ("a.txt", "b.txt", "ref.txt"):
        Path(name).write_text("word\nword\n", encoding="utf-8")
    done = cli.succeed("compare", "-r", "ref.txt", "a.txt", "b.txt", "-m", "order")
    assert "it cannot be told whether a or b is closer" in done.stdout
    assert ": 2 segments are too few for intervals" in " ".join(done.stdout.split())
    assert done.stderr == "hyperbaton: note: a and b are equal in every segment by order: p = 1\n"


# HTML ------------------------------------------------------------------------------------------


def test_tables_of_html() -> None:
    names = ("junk", "fluent")
    lines = {name: Path(f"{name}.txt").read_text("utf-8").splitlines() for name in names}
    found = hb.compare(lines, REF.read_text("utf-8").splitlines(), ["order"], samples=20)
    html = found._repr_html_() or ""
    assert ">–<" in html
    assert "nan" not in re.sub("<[^>]*>", " ", html).split()
    assert "<strong>" not in html.split("junk")[0].split("fluent")[0]
