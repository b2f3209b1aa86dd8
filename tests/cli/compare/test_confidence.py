"""``hyperbaton score --confidence``: intervals of the scores of single systems."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hyperbaton as hb
from cli.compare.corpus import ALL, PAIR, REFERENCES, SYSTEMS, compare_json
from command_line import CommandLine


def test_confidence_in_text(cli: CommandLine) -> None:
    options = ["--confidence", "--samples", "300", "--seed", "8", "--level", "0.9"]
    out = cli.output("score", *PAIR, "-m", "wer,bleu", *options)
    head, *rows = out.splitlines()[:3]
    assert head.split() == ["system", "wer", "↓", "bleu"]
    for row, name in zip(rows, ("a.txt", "worse.txt"), strict=True):
        found = hb.score(
            SYSTEMS[name],
            REFERENCES,
            ["wer", "bleu"],
            confidence=True,
            samples=300,
            seed=8,
            level=0.9,
        )
        halves = [50 * ((score.upper or 0) - (score.lower or 0)) for score in found.values()]
        pairs = zip(found.values(), halves, strict=True)
        cells = [f"{score.score:.1f} ±{half:.1f}" for score, half in pairs]
        assert row.split() == [name.removesuffix(".txt"), *" ".join(cells).split()]
    assert "40 segments; 90 % intervals: bootstrap, 300 samples, seed 8\n" in out


def test_confidence_in_json(cli: CommandLine) -> None:
    arguments = [*PAIR, "-m", "wer", "-f", "json"]
    plain = json.loads(cli.output("score", *arguments))
    found = json.loads(cli.output("score", *arguments, "-c"))
    assert found.pop("confidence") == {
        "method": "bootstrap",
        "samples": 1000,
        "seed": 1,
        "level": 0.95,
        "interval": "percentile",
    }
    assert "confidence" not in plain
    for own, before in zip(found["systems"], plain["systems"], strict=True):
        wer, without = own["scores"]["wer"], before["scores"]["wer"]
        assert wer["lower"] < wer["value"] < wer["upper"]
        assert (without["lower"], without["upper"]) == (None, None)
        assert {**wer, "lower": None, "upper": None} == without
    compared = compare_json(cli, *PAIR, "-m", "wer")["metrics"]["wer"]["ranking"]
    bounds = [
        (own["scores"]["wer"]["lower"], own["scores"]["wer"]["upper"]) for own in found["systems"]
    ]
    assert bounds == [(rank["lower"], rank["upper"]) for rank in compared]


def test_confidence_in_tsv(cli: CommandLine) -> None:
    arguments = [*PAIR, "-m", "wer,bleu", "-f", "tsv"]
    head, *rows = (line.split("\t") for line in cli.output("score", *arguments, "-c").splitlines())
    cells = [dict(zip(head, row, strict=True)) for row in rows]
    plain = [line.split("\t") for line in cli.output("score", *arguments).splitlines()]
    assert [*plain[0], "method", "samples", "seed", "level", "interval"] == head
    assert {row["seed"] for row in cells} == {"1"}
    numbers = iter(cells)
    for name in ("a.txt", "worse.txt"):
        found = hb.score(SYSTEMS[name], REFERENCES, ["wer", "bleu"], confidence=True)
        for metric, own in found.items():
            row = next(numbers)
            assert (row["system"], row["metric"]) == (name.removesuffix(".txt"), metric)
            values = [float(row[key]) for key in ("value", "lower", "upper")]
            assert values == [own.value, own.lower, own.upper]
    for line in plain[1:]:
        without = dict(zip(plain[0], line, strict=True))
        assert (without["lower"], without["upper"]) == ("", "")


def test_confidence_in_markdown_and_latex(cli: CommandLine) -> None:
    wer = hb.score(SYSTEMS["a.txt"], REFERENCES, "wer", confidence=True)["wer"]
    assert wer.lower is not None
    assert wer.upper is not None
    half = 50 * (wer.upper - wer.lower)
    arguments = [*PAIR, "-m", "wer", "-c", "--digits", "2"]
    markdown = cli.output("score", *arguments, "-f", "markdown").splitlines()
    assert markdown[0] == "| system | wer ↓ |"
    assert markdown[2] == f"| a | {wer.score:.2f} ±{half:.2f} |"
    latex = cli.output("score", *arguments, "-f", "latex").splitlines()
    assert latex[4] == rf"a & {wer.score:.2f} $\pm${half:.2f} \\"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_the_seed_of_confidence_is_in_the_output(form: str, cli: CommandLine) -> None:
    out = cli.output("score", *PAIR, "-m", "wer", "-f", form, "-c", "--seed", "1234567")
    assert "1234567" in out


def test_threads_and_segment_files_do_not_change_intervals(cli: CommandLine) -> None:
    arguments = [*ALL, "-m", "default", "-f", "json", "-c"]
    one_thread = cli.output("score", *arguments, "--threads", "1")
    assert cli.output("score", *arguments, "--threads", "2") == one_thread
    assert cli.output("score", *arguments, "--segments", "segments.tsv") == one_thread
    with_intervals = Path("segments.tsv").read_text("utf-8")
    cli.output("score", *arguments[:-1], "--segments", "segments.tsv")
    assert Path("segments.tsv").read_text("utf-8") == with_intervals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--samples", "0"], "samples must be at least 1, got 0"),
        (["--level", "0"], "level must be between 0 and 1, such as 0.95, got 0.0"),
        (["--seed", "-3"], "seed must be at least 0, got -3"),
    ],
)
def test_error_messages_of_confidence(options: list[str], message: str, cli: CommandLine) -> None:
    assert cli.error("score", *PAIR, "-c", *options) == message
