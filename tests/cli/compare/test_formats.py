"""``hyperbaton compare`` as JSON, TSV, Markdown and LaTeX."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.compare.corpus import ALL, PAIR, SYSTEMS, compare_json, compared, write
from command_line import CommandLine


def test_json(cli: CommandLine) -> None:
    options = ["--seed", "9", "--samples", "200", "--level", "0.9", "--method", "bootstrap"]
    found = compare_json(cli, *ALL, "-m", "wer", "-m", "pef", *options)
    assert found.pop("separating") == []
    same = compared(["wer", "pef"], *SYSTEMS, seed=9, samples=200, level=0.9)
    assert found == same.to_dict()
    assert (found["seed"], found["samples"], found["level"]) == (9, 200, 0.9)
    assert (found["schema"], found["n"]) == ("hyperbaton/compare/3", 40)


def test_tsv(cli: CommandLine) -> None:
    out = cli.output("compare", *ALL, "-m", "wer,bleu", "-f", "tsv")
    head, *rows = (line.split("\t") for line in out.splitlines())
    found = compared(["wer", "bleu"], *SYSTEMS)
    assert len(rows) == len(found.differences) == 12
    scores = {result.name: result for result in found.results}
    for row, pair in zip(rows, found.differences, strict=True):
        cells = dict(zip(head, row, strict=True))
        assert float(cells.pop("value_a")) == scores[pair.a][pair.metric].value
        assert float(cells.pop("value_b")) == scores[pair.b][pair.metric].value
        keys = ("method", "samples", "seed", "level", "interval", "least_p", "correction", "n")
        assert cells.pop("signature") == scores[pair.a][pair.metric].signature
        assert [cells.pop(key) for key in keys] == [
            *("bootstrap", "1000", "1", "0.95", "percentile", "randomization", "none", "40")
        ]
        for key, text in cells.items():
            value = getattr(pair, key)
            assert text == ("" if value is None else str(value)), key
    out = cli.output("compare", *PAIR, "-m", "wer", "-f", "tsv", "--method", "randomization")
    head, row = (line.split("\t") for line in out.splitlines())
    cells = dict(zip(head, row, strict=True))
    assert (cells["lower"], cells["upper"], cells["better"]) == ("", "", "a")


def test_markdown(cli: CommandLine) -> None:
    arguments = ["-m", "wer", "-f", "markdown", "--digits", "3", "--details"]
    out = cli.output("compare", *ALL, *arguments)
    parts = (part.splitlines() for part in out.rstrip("\n").split("\n\n"))
    verdict, table, legend, ranking, pairs, below = parts
    assert verdict[0] == "By wer 5 of 6 pairs of systems differ significantly."
    assert below[0] == (
        "- `40 segments; 95 % intervals: bootstrap, 1,000 samples, seed 1; p at least that of "
        "the randomization test`"
    )
    assert below[1].startswith("- `wer|nrefs:1|")
    assert table[:3] == ["| system | wer ↓ |", "| --- | ---: |", "| perfect | 0.000 ±0.000 |"]
    assert [row.endswith("▼ |") for row in table[3:]] == [True] * 3
    assert legend == [
        "▼ significantly below the column's best (5 %); values × 100; ↓ lower is better"
    ]
    assert ranking[:2] == ["| cluster | system | wer ↓ | rank |", "| ---: | --- | ---: | ---: |"]
    assert ranking[2] == "| 1 | perfect | 0.000 [0.000, 0.000] | 1 |"
    assert len(ranking) == 6
    assert pairs[0] == "| pair | difference | p | effect | better/equal/worse |"
    assert len({line.count("|") for line in pairs}) == 1
    bold = [line for line in pairs[2:] if "**0.0" in line]
    assert len(bold) == 5
    (plain,) = set(pairs[2:]) - set(bold)
    assert plain.startswith("| a – b | ")


def test_latex(cli: CommandLine) -> None:
    write("under_score.txt", SYSTEMS["a.txt"])
    arguments = ["-r", "ref.txt", "under_score.txt", "worse.txt", "-m", "wer", "--details"]
    out = cli.output("compare", *arguments, "-f", "latex")
    verdict, table, ranking, pairs, below = (
        part.splitlines() for part in out.rstrip("\n").split("\n\n")
    )
    assert verdict[0].startswith("% By wer under_score is significantly better than worse")
    assert below[0] == (
        "% 40 segments; 95 % intervals: bootstrap, 1,000 samples, seed 1; p at least that of "
        "the randomization test"
    )
    assert below[1].startswith("% wer|nrefs:1|")
    assert table[0] == r"\begin{tabular}{lr}"
    assert table[5].endswith(r"$\bigtriangledown$ \\")
    assert r" $\pm$" in table[4]
    assert table[-1].startswith("% ▼ significantly below")
    assert ranking[0] == r"\begin{tabular}{rlrr}"
    assert ranking[2] == r"cluster & system & wer $\downarrow$ & rank \\"
    assert ranking[4].startswith(r"1 & under\_score & ")
    assert pairs[0] == r"\begin{tabular}{lrrrr}"
    assert pairs[4].startswith(r"under\_score -- worse & -")
    assert r"& \textbf{0.001} &" in pairs[4]
    for part in (ranking, pairs):
        assert part[-1] == r"\end{tabular}"
        assert {line.count("&") for line in part if line.endswith(r"\\")} == {part[2].count("&")}


def test_small_p_values_are_latex_mathematics(cli: CommandLine) -> None:
    """In the default font encoding of LaTeX, < outside mathematics is printed as ¡."""
    arguments = [*PAIR, "-m", "wer", "--samples", "3000", "--details"]
    out = cli.output("compare", *arguments, "-f", "latex")
    assert "0.001" in out
    for place, sign in enumerate(out[out.index("\n\n") :]):
        if sign in "<>":
            assert out[out.index("\n\n") + place - 1] == "$"
    text = cli.output("compare", *arguments)
    assert "<0.001*" in text


def test_output_file(cli: CommandLine) -> None:
    plain = cli.output("compare", *PAIR, "-m", "wer")
    assert cli.output("compare", *PAIR, "-m", "wer", "-o", "out.txt") == ""
    assert Path("out.txt").read_text("utf-8") == plain


@pytest.mark.parametrize("form", ["text", "json", "markdown", "latex"])
@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_the_seed_is_in_the_output(form: str, method: str, cli: CommandLine) -> None:
    arguments = [*PAIR, "-m", "wer", "-f", form, "--method", method]
    first = cli.output("compare", *arguments, "--seed", "1234567")
    assert "1234567" in first
    assert cli.output("compare", *arguments, "--seed", "1234567") == first
    assert "1234567" not in cli.output("compare", *arguments)
