"""The tables that ``hyperbaton compare`` prints as text."""

from __future__ import annotations

import pytest

from cli.compare.corpus import ALL, PAIR, REFERENCES, SYSTEMS, compared, write
from command_line import CommandLine
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.comparing import compare as compare_systems
from hyperbaton.views.tables import PValue


def test_text_has_a_verdict_and_a_table(cli: CommandLine) -> None:
    out = cli.output("compare", *ALL, "-m", "wer,bleu", "--samples", "500", "--seed", "7")
    verdict, table, below = out.rstrip("\n").split("\n\n")
    found = compared(["wer", "bleu"], *SYSTEMS, samples=500, seed=7)
    assert " ".join(verdict.split()) == " ".join(found.verdict().sentences)
    head, *rows, legend = table.splitlines()
    assert head.split() == ["system", "wer", "↓", "bleu"]
    assert legend == (
        "▼ significantly below the column's best (5 %); values × 100; ↓ lower is better"
    )
    assert [row.split()[0] for row in rows] == [rank.system for rank in found.ranking("wer")]
    for row, rank in zip(rows, found.ranking("wer"), strict=True):
        assert rank.value is not None
        assert rank.lower is not None
        assert rank.upper is not None
        half = (rank.upper - rank.lower) / 2
        sign = "" if rank.system == "perfect" else "▼"
        assert row.split()[1:3] == [f"{100 * rank.value:.1f}", f"±{100 * half:.1f}{sign}"]
    assert below.splitlines() == [
        "40 segments; 95 % intervals: bootstrap, 500 samples, seed 7",
        *(
            Signature.parse(score.signature).format(short=True)
            for score in found.results[0].values()
        ),
    ]
    assert "\x1b" not in out


def test_details_have_a_ranking_and_a_table_of_pairs(cli: CommandLine) -> None:
    out = cli.output("compare", *ALL, "-m", "wer", "--samples", "500", "--seed", "7", "--details")
    _, _, ranking, pairs, below = out.rstrip("\n").split("\n\n")
    head, *rows = ranking.splitlines()
    assert head.split() == ["cluster", "system", "wer", "↓", "rank"]
    lines = [row for row in rows if set(row) == {"─"}]
    assert {len(line) for line in lines} == {len(head)}
    found = compared(["wer"], *SYSTEMS, samples=500, seed=7)
    cells = [row.split() for row in rows if row not in lines]
    assert [cell[:2] for cell in cells] == [
        ["1", "perfect"],
        ["2", "a"],
        ["2", "b"],
        ["3", "worse"],
    ]
    assert [cell[-1] for cell in cells] == ["1", "2–3", "2–3", "4"]
    assert rows.index(lines[0]) == 1  # one line after the first, another before the last
    assert rows.index(lines[1], 2) == 4
    assert len(lines) == 2
    for cell, rank in zip(cells, found.ranking("wer"), strict=True):
        bounds = [100 * (bound or 0) for bound in (rank.value, rank.lower, rank.upper)]
        assert cell[2:5] == [f"{bounds[0]:.1f}", f"[{bounds[1]:.1f},", f"{bounds[2]:.1f}]"]
    head, *rows = pairs.splitlines()
    assert head.split() == ["pair", "difference", "p", "effect", "better/equal/worse"]
    assert len(rows) == 6
    for row, pair in zip(rows, found.differences, strict=True):
        star = "*" if pair.better else ""
        assert pair.difference is not None
        assert pair.lower is not None
        assert pair.upper is not None
        assert row.split() == [
            pair.a,
            "–",
            pair.b,
            f"{100 * pair.difference:.1f}",
            f"[{100 * pair.lower:.1f},",
            f"{100 * pair.upper:.1f}]",
            f"{pair.p:.3f}{star}",
            f"{pair.effect:+.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        ]
    assert sum("*" in row for row in rows) == 5
    *note, signature = below.splitlines()
    assert " ".join(" ".join(note).split()) == (
        "40 segments; 95 % intervals: bootstrap, 500 samples, seed 7; p at least that of the "
        "randomization test"
    )
    assert signature == found.results[0]["wer"].signature


def test_details_of_each_metric(cli: CommandLine) -> None:
    out = cli.output("compare", *PAIR, "-m", "wer,bleu", "--details")
    parts = out.rstrip("\n").split("\n\n")
    assert len(parts) == 7
    assert [part.split()[2] for part in parts[2:6:2]] == ["wer", "bleu"]
    assert [line.split("|")[0] for line in parts[6].splitlines()[2:]] == ["wer", "bleu"]
    # a.txt is better by both metrics: its wer is lower, its bleu is higher, both effects are > 0.
    wer, bleu = (part.splitlines()[1].split() for part in parts[3:6:2])
    assert wer[:3] == bleu[:3] == ["a", "–", "worse"]
    assert wer[3].startswith("-")
    assert not bleu[3].startswith("-")
    assert wer[7].startswith("+")
    assert bleu[7].startswith("+")


def test_many_systems_give_a_matrix_of_p_values(cli: CommandLine) -> None:
    write("c.txt", [*SYSTEMS["b.txt"][:-1], "x"])
    out = cli.output("compare", *ALL, "c.txt", "-m", "wer", "--details")
    head, *rows = out.split("\n\n")[3].splitlines()
    assert head.split() == ["p", "2", "3", "4", "5"]
    assert [row.split()[:2] for row in rows] == [
        ["1", "perfect"],
        ["2", "a"],
        ["3", "b"],
        ["4", "c"],
        ["5", "worse"],
    ]
    texts = {**SYSTEMS, "c.txt": [*SYSTEMS["b.txt"][:-1], "x"]}
    found = compare_systems(texts, REFERENCES, ["wer"])
    order = [rank.system.removesuffix(".txt") for rank in found.ranking("wer")]
    for row in rows[:-1]:
        number, name, *cells = row.split()
        for cell, other in zip(cells, order[int(number) :], strict=True):
            (pair,) = (
                pair
                for pair in found.differences
                if {pair.a, pair.b} == {f"{name}.txt", f"{other}.txt"}
            )
            assert cell == PValue(pair.p).format(4) + "*" * (pair.better is not None)
    assert len(rows[-1].split()) == 2


def test_number_of_digits(cli: CommandLine) -> None:
    out = cli.output("compare", *PAIR, "-m", "wer", "--digits", "2", "--details")
    (pair,) = compared(["wer"], "a.txt", "worse.txt").differences
    assert pair.difference is not None
    assert pair.lower is not None
    assert pair.upper is not None
    interval = f"[{100 * pair.lower:.2f}, {100 * pair.upper:.2f}]"
    assert f"{100 * pair.difference:.2f} {interval}" in out


@pytest.mark.parametrize("width", ["20", "40", "60"])
def test_narrow_terminals_split_the_tables(
    width: str, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wide tables are split, and lose no column."""
    monkeypatch.setenv("COLUMNS", width)
    out = cli.output("compare", *ALL, "-m", "wer", "--details")
    for word in ("cluster", "rank", "effect", "better/equal/worse", "perfect", "0.0"):
        assert word in out


def test_long_names_are_shortened_in_the_middle(cli: CommandLine) -> None:
    names = [f"{letter * 90}.txt" for letter in "pq"]
    for name, lines in zip(names, (SYSTEMS["a.txt"], SYSTEMS["worse.txt"]), strict=True):
        write(name, lines)
    arguments = ["compare", "-r", "ref.txt", *names, "-m", "wer"]
    out = cli.output(*arguments)
    assert all(f"{letter * 8}…{letter * 7} " in out for letter in "pq")
    assert "p" * 9 not in out
    # A name works as it is printed, and machine formats have all of it.
    found = cli.json(*arguments, "-f", "json", "--baseline", "qqqqqqqq…qqqqqqq")
    assert found["baseline"] == "q" * 90


def test_format_of_p_values() -> None:
    assert [PValue(p).format(4) for p in (0.0005, 0.00049, 1 / 3001, 0.9996, 0.0494)] == [
        *("0.001", "<0.001", "<0.001", "1.000", "0.049")
    ]
