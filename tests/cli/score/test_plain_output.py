"""Output for scripts: bare values, CSV, details of BLEU, and silence."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
import sacrebleu
from sacrebleu.metrics.chrf import CHRF

from cli.score.corpus import GOOD, REF, SYS
from command_line import CommandLine, NewProcess


def test_values_alone(cli: CommandLine) -> None:
    points = sacrebleu.corpus_bleu(SYS.splitlines(), [REF.splitlines()]).score
    arguments = ["score", *GOOD, "good.txt", "-m", "bleu,wer"]
    # By hand: 6 errors in 16 words; good.txt equals the reference.
    assert cli.output(*arguments, "-b") == f"{points / 100:.4f}\n0.3750\n1.0000\n0.0000\n"
    six = cli.output("score", *GOOD, "-m", "bleu", "-b", "--digits", "6")
    assert six == f"{points / 100:.6f}\n"
    message = cli.error(*arguments, "-b", "-f", "json")
    assert message == (
        "--score-only prints only values: it cannot be used with --format, --details or "
        "--confidence"
    )


@pytest.mark.parametrize("smooth", ["exp", "none"])
def test_details_of_bleu(cli: CommandLine, smooth: str) -> None:
    texts = "a b c d e f\nx y\n", "a b c e d f\nx z\n"  # no 4-gram in common
    for name, text in zip(("sys.txt", "ref.txt"), texts, strict=True):
        Path(name).write_text(text, encoding="utf-8")
    expected = sacrebleu.corpus_bleu(
        texts[0].splitlines(), [texts[1].splitlines()], smooth_method=smooth
    )
    spec = f"bleu:smooth={smooth}"
    document = cli.json("score", *GOOD, "-m", spec, "-m", "avgbleu", "-f", "json")
    scores = document["systems"][0]["scores"]
    details = scores[spec]["details"]
    assert [100 * p for p in details["precisions"]] == pytest.approx(expected.precisions)
    assert details["brevity_penalty"] == pytest.approx(expected.bp)
    lengths = details["system_length"], details["reference_length"]
    assert lengths == (expected.sys_len, expected.ref_len)
    assert "details" not in scores["avgbleu"]
    out = cli.output("score", *GOOD, "-m", spec, "--details")
    precisions = "/".join(f"{p:.1f}" for p in expected.precisions)
    assert (
        f"sys, {spec}: precisions {precisions}, brevity penalty {expected.bp:.4f}, "
        "system length 8, reference length 8 "
    ) in " ".join(out.split())


def test_chrf_plus_plus(cli: CommandLine) -> None:
    expected = CHRF(word_order=2).corpus_score(SYS.splitlines(), [REF.splitlines()]).score
    document = cli.json("score", *GOOD, "-m", "chrF++", "-f", "json")
    score = document["systems"][0]["scores"]["chrF++"]
    assert 100 * score["value"] == pytest.approx(expected)
    assert "|nw:2|" in score["signature"]
    assert cli.error("score", *GOOD, "-m", "chrf++:nw=1") == "'chrf++:nw=1' sets nw twice"


@pytest.mark.parametrize("command", ["score", "compare"])
def test_csv(cli: CommandLine, command: str) -> None:
    arguments = [command, *GOOD, "a, b=good.txt", "-m", "wer", "-m", "pef:bp=off,beta=0.5"]
    tsv = cli.succeed(*arguments, "-f", "tsv").stdout
    rows = list(csv.reader(io.StringIO(cli.succeed(*arguments, "-f", "csv").stdout)))
    assert rows == [line.split("\t") for line in tsv.splitlines()]
    assert any("a, b" in row for row in rows)


def test_quiet(cli: CommandLine) -> None:
    Path("sys.txt").write_text("quite other words\n" * 3, encoding="utf-8")
    assert "warning" in cli.succeed("score", *GOOD, "-m", "pef", "-b").stderr
    assert cli.succeed("score", *GOOD, "-m", "pef", "-b", "--quiet").stderr == ""
    assert cli.error("score", "-r", "none.txt", "sys.txt", "-q").startswith("cannot read none.txt")


def test_redirected_tables_are_not_split(cli_process: NewProcess) -> None:
    metrics = "bleu,chrf,ter,wer,per,cder,pef,kendall,spearman,ulam,hamming,fuzzy"
    columns = 5 + metrics.count(",") + 1  # shares of words have a sign of their own
    for width, blocks in (("", 1), ("60", 3)):
        out = cli_process.with_environment(COLUMNS=width).succeed("score", *GOOD, "-m", metrics)
        tables = out.stdout.split("\n\n")[:-1]
        assert len(tables) >= blocks
        assert (len(tables[0].splitlines()[1].split()) == columns) is (blocks == 1)
