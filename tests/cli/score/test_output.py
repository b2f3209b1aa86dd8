"""Output of ``hyperbaton score``: tables, formats, signatures, notes and warnings."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import hyperbaton as hb
from cli.score.corpus import GOOD, REF, SYS
from command_line import CommandLine
from hyperbaton.cli.options import use_colour
from hyperbaton.views.documents import table_text
from hyperbaton.views.tables import DIGITS, Column, Table


def test_text_table(cli: CommandLine) -> None:
    # By hand: 2 + 0 + 4 substitutions in 6 + 5 + 5 words; good.txt equals the reference.
    out = cli.output("score", *GOOD, "good.txt", "-m", "wer,lr_kb1")
    head, first, second, legend, blank, count, *signatures = out.splitlines()
    assert head.split() == ["system", "linked", "wer", "↓", "lr_kb1"]
    assert first.split() == ["good", "100", "%", "0.0", "100.0"]  # by the first metric
    assert second.split()[:4] == ["sys", "100", "%", "37.5"]
    assert legend == "values × 100; ↓ lower is better"
    assert (blank, count) == ("", "3 segments")
    assert [line.split("|")[0] for line in signatures] == ["wer", "lr_kb1"]
    assert "\x1b" not in out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_depends_on_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert use_colour(Terminal())
    assert not use_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not use_colour(Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not use_colour(Terminal())


def test_best_value_is_coloured() -> None:
    systems = Column("system", ("a", "b"), left=True)
    values = Column("wer ↓", ("0.5", "0.25"), frozenset({1}))
    lines = table_text(Table([systems, values]), DIGITS, width=80, colour=True).splitlines()
    assert lines == ["system  wer ↓", "a        0.5", "b       \x1b[1;32m0.25*\x1b[0m"]


def test_short_signatures(cli: CommandLine) -> None:
    long = cli.output("score", *GOOD, "-m", "pef", "--details").splitlines()[-1]
    short = cli.output("score", *GOOD, "-m", "pef").splitlines()[-1]
    assert hb.metrics.Signature.parse(short) == hb.metrics.Signature.parse(long)
    assert len(short) < len(long)


def test_formats(cli: CommandLine) -> None:
    arguments = [*GOOD, "good.txt", "-m", "wer", "-m", "kendall:bp=off"]
    lines = cli.output("score", *arguments, "-f", "tsv").splitlines()
    header, *rows = (line.split("\t") for line in lines)
    assert header == [
        *("system", "metric", "value", "lower", "upper", "linked", "matched"),
        *("not_scored", "n", "signature"),
    ]
    assert [[*row[:6], row[8]] for row in rows[2:]] == [
        ["good", "wer", "0.0", "", "", "", "3"],
        ["good", "kendall:bp=off", "1.0", "", "", "1.0", "3"],
    ]
    result = hb.score(REF.splitlines(), REF.splitlines(), ["kendall:bp=off"])
    assert [row[6] for row in rows[2:]] == ["", str(result.matched)]
    assert all(row[9].startswith(f"{row[1].split(':')[0]}|") for row in rows)
    markdown = cli.output("score", *arguments, "-f", "markdown").splitlines()
    assert markdown[0] == "| system | matched | linked | wer ↓ | kendall:bp=off |"
    assert markdown[2] == "| good | 100 % | 100 % | 0.0 | 100.0 |"
    assert markdown[5] == "values × 100; ↓ lower is better"
    assert markdown[7] == "- `3 segments`"
    assert markdown[8].startswith("- `wer|#:1|")
    latex = cli.output("score", *arguments, "-f", "latex").splitlines()
    assert latex[0] == r"\begin{tabular}{lrrrr}"
    assert r"good & 100 \% & 100 \% & 0.0 & 100.0 \\" in latex
    assert latex[-2].startswith("% wer|#:1|")


def test_json_and_segments(cli: CommandLine) -> None:
    arguments = [*GOOD, "good.txt", "-m", "default", "-f", "json", "--segments", "segments.tsv"]
    document = cli.json("score", *arguments)
    assert document["schema"] == "hyperbaton/score/3"
    assert [system["name"] for system in document["systems"]] == ["sys", "good"]
    result = hb.score(SYS.splitlines(), REF.splitlines())
    assert document["systems"][0]["scores"] == result.to_dict()["systems"][0]["scores"]
    head, *rows = Path("segments.tsv").read_text("utf-8").splitlines()
    assert head.split("\t") == ["segment", "system", *result]
    assert [row.split("\t")[:2] for row in rows[:3]] == [
        ["1", "sys"],
        ["1", "good"],
        ["2", "sys"],
    ]
    third = [float(cell) for cell in rows[4].split("\t")[2:]]
    assert third == [score.segments[2] for score in result.values()]


def test_warning_about_few_aligned_words(cli: CommandLine) -> None:
    Path("sys.txt").write_text("quite other words\n" * 3, encoding="utf-8")
    done = cli.succeed("score", *GOOD, "-m", "pef")
    assert "\nsys: pef: not ranked: only 2 % of " in done.stdout
    assert done.stderr == ""
    done = cli.succeed("score", *GOOD, "-m", "pef", "-f", "tsv")
    assert done.stderr.startswith("hyperbaton: warning: sys: pef: not ranked: only 2 % of ")


def test_note_about_a_language_without_a_stemmer(cli: CommandLine) -> None:
    note = "hyperbaton: note: there is no stemmer for 'sw': only equal words are linked\n"
    for systems in (GOOD, [*GOOD, "good.txt"]):
        assert cli.succeed("score", *systems, "-m", "pef,kendall", "-l", "sw").stderr == note
    assert cli.succeed("score", *GOOD, "-m", "wer", "-l", "sw").stderr == ""


def test_note_about_a_language_without_spaces(cli: CommandLine) -> None:
    Path("ref.txt").write_text("สวัสดีชาวโลก\n" * 3, encoding="utf-8")
    Path("sys.txt").write_text("สวัสดีชาวโลก\n" * 3, encoding="utf-8")
    done = cli.succeed("score", *GOOD, "-m", "wer", "-l", "th", "--format", "json")
    assert done.stderr.startswith("hyperbaton: note: Thai is written without spaces: ")
    assert done.stderr.count("\n") == 1
    signature = done.json()["systems"][0]["scores"]["wer"]["signature"]
    assert "|tok:char|" in signature
    for metric in ("wer:tok=none", "bleu"):  # bleu has sacreBLEU's default
        assert cli.succeed("score", *GOOD, "-m", metric, "-l", "th").stderr == ""


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_warning_about_tokenised_text(command: str, cli: CommandLine) -> None:
    # sacreBLEU warns from 100 lines on. More lines than a batch has, so that counts add up.
    for name, separate in (("sys.txt", 100), ("good.txt", 99)):
        lines = ["a b.\n"] * 2500
        lines[:50] = ["a b .\n"] * 50
        lines[2550 - separate :] = ["a b .\n"] * (separate - 50)
        Path(name).write_text("".join(lines), encoding="utf-8")
    Path("ref.txt").write_text("a b.\n" * 2500, encoding="utf-8")
    files = [*GOOD, "good.txt"]
    output = ["-o", "out.html"] if command == "report" else []
    for metric in ("pef", "bleu"):
        warning = cli.succeed(command, *files, "-m", metric, *output).stderr.splitlines()
        assert [line for line in warning if "tokenised" in line] == [
            "hyperbaton: warning: sys seems to be tokenised already (100 lines end in a "
            "separate full stop): give detokenised text, or use tok=none if it is split at spaces"
        ]
    for metric in ("pef:tok=none", "chrf"):
        assert "tokenised" not in cli.succeed(command, *files, "-m", metric, *output).stderr


@pytest.mark.parametrize("command", ["score", "compare"])
def test_note_on_measures_of_factorization(command: str, cli: CommandLine) -> None:
    """A reversed sentence has the best value there: people are told once."""
    done = cli.succeed(command, *GOOD, "good.txt", "-m", "pet_size,max_operator,kendall")
    assert done.stderr.count("a fully reversed sentence gets the best value") == 1
    assert "hyperbaton: note: pet_size, max_operator measure how far" in done.stderr
    assert "reversed" not in cli.succeed(command, *GOOD, "good.txt", "-m", "pef,senscore").stderr


def test_warning_about_an_exhausted_budget(cli: CommandLine) -> None:
    Path("sys.txt").write_text("d c b a e f\n" * 3, encoding="utf-8")
    Path("ref.txt").write_text("a b c d f e\n" * 3, encoding="utf-8")
    done = cli.succeed("score", *GOOD, "-m", "invwer:budget=0")
    assert "invwer:budget=0 is only an upper bound for 3 segments" in done.stderr


def test_wide_tables_are_split(cli: CommandLine) -> None:
    out = cli.succeed("score", *GOOD, "-m", "permutations").stdout
    lines = out.split("3 segments")[0].splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.startswith("system") for line in lines) > 1
