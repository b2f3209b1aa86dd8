"""Options of ``hyperbaton compare``: method, baseline, correction, level, input columns."""

from __future__ import annotations

from pathlib import Path

import pytest

import hyperbaton as hb
from cli.compare.corpus import ALL, PAIR, REFERENCES, SYSTEMS, compare_json, compared, write
from command_line import CommandLine, NewProcess
from hyperbaton.stats.sampling import CORRECTIONS, PAIRED_TESTS
from reference.resampling import holm


def test_randomization(cli: CommandLine) -> None:
    options = ["--method", "randomization", "--samples", "300", "--seed", "2"]
    out = cli.output("compare", *PAIR, "-m", "wer", "--details", *options)
    assert "40 segments; significance at 0.05: randomization, 300 samples, seed 2\n" in out
    (pair,) = compared(
        ["wer"], "a.txt", "worse.txt", method="randomization", samples=300, seed=2
    ).differences
    row = out.split("\n\n")[3].splitlines()[1].split()
    assert row[3:5] == [f"{100 * (pair.difference or 0):.1f}", f"{pair.p:.3f}*"]
    assert "[" not in out
    assert "±" not in out
    found = compare_json(cli, *PAIR, "-m", "wer", *options)
    assert found["method"] == "randomization"
    assert found["metrics"]["wer"]["differences"][0]["p"] == pair.p


@pytest.mark.parametrize("baseline", ["a", "a.txt", "{folder}/a.txt"])
def test_baseline_by_name_and_by_path(baseline: str, cli: CommandLine, tmp_path: Path) -> None:
    baseline = baseline.format(folder=tmp_path)
    systems = [str(tmp_path / name) for name in SYSTEMS]
    found = compare_json(
        cli, "-r", "ref.txt", *systems, "-m", "wer", "--baseline", baseline, "--samples", "50"
    )
    assert found["baseline"] == "a"
    pairs = [(pair["a"], pair["b"]) for pair in found["metrics"]["wer"]["differences"]]
    assert pairs == [("worse", "a"), ("b", "a"), ("perfect", "a")]
    text = cli.output(
        *("compare", "-r", "ref.txt", *systems, "-m", "wer", "--baseline", baseline),
        *("--samples", "50", "--details"),
    )
    verdict, table, ranking, rows, _ = text.split("\n\n")
    assert verdict.startswith("By wer 2 of 3 pairs of systems differ significantly.")
    assert [line.split()[0] for line in table.splitlines() if "▼" in line] == ["worse", "▼"]
    assert "▼ significantly below the baseline (5 %); values × 100" in table
    assert "cluster" not in ranking
    assert "rank" not in ranking
    assert "─" not in table + ranking
    assert len(rows.splitlines()) == 4


def test_baseline_among_systems_with_the_same_file_name(cli: CommandLine) -> None:
    for folder, name in (("one", "a.txt"), ("two", "worse.txt")):
        Path(folder).mkdir()
        write(f"{folder}/out.txt", SYSTEMS[name])
    found = compare_json(
        cli,
        *("-r", "ref.txt", "one/out.txt", "two/out.txt", "-m", "wer"),
        *("--baseline", "one/out.txt"),
    )
    assert found["baseline"] == "one/out"
    assert found["metrics"]["wer"]["differences"][0]["better"] == "one/out"


def test_correction(cli: CommandLine) -> None:
    plain = compare_json(cli, *ALL, "-m", "wer")["metrics"]["wer"]["differences"]
    found = compare_json(cli, *ALL, "-m", "wer", "--correction", "holm")
    assert found["correction"] == "holm"
    p_values = [pair["p"] for pair in found["metrics"]["wer"]["differences"]]
    assert p_values == pytest.approx(holm([pair["p"] for pair in plain]))
    assert p_values != [pair["p"] for pair in plain]
    text = cli.output("compare", *ALL, "-m", "wer", "--correction", "holm")
    assert "; correction: holm\n" in text
    assert "correction" not in cli.output("compare", *ALL, "-m", "wer", "--correction", "none")


def test_confidence_level(cli: CommandLine) -> None:
    usual = compare_json(cli, *PAIR, "-m", "wer")["metrics"]["wer"]["differences"][0]
    wide = compare_json(cli, *PAIR, "-m", "wer", "--level", "0.999")
    pair = wide["metrics"]["wer"]["differences"][0]
    assert pair["lower"] < usual["lower"] < usual["upper"] < pair["upper"]
    assert (usual["better"], pair["better"], pair["p"]) == ("a", "a", usual["p"])
    few = cli.succeed("compare", *PAIR, "-m", "wer", "--level", "0.999", "--samples", "500")
    assert "no p can be less than 0.002: at least 1,000 samples are needed" in few.stdout.replace(
        "\n  ", " "
    )
    assert few.stderr == ""
    assert "▼" not in few.stdout  # 1/501 is more than 0.001
    assert "99.9 % intervals: bootstrap, 500 samples, seed 1" in few.stdout


@pytest.mark.parametrize("method", ["bootstrap", "randomization"])
def test_threads_do_not_change_the_output(method: str, cli: CommandLine) -> None:
    arguments = [*ALL, "-m", "default", "-f", "json", "--method", method, "--samples", "601"]
    one_thread = cli.output("compare", *arguments, "--threads", "1")
    assert cli.output("compare", *arguments, "--threads", "2") == one_thread
    assert cli.output("compare", *arguments) == one_thread


def test_default_metrics(cli: CommandLine) -> None:
    found = compare_json(cli, *PAIR, "--samples", "20")
    assert list(found["metrics"]) == list(hb.metrics.SETS["default"])


def test_example_systems(cli: CommandLine) -> None:
    out = cli.output("compare", "--example", "-m", "adjacency", "--details")
    assert out.split("\n\n")[1].splitlines()[1].split()[0] == "fluent"
    assert "\nadjacency|" in out
    assert "align:exact+stem.en" in out


def test_columns_of_one_file(cli: CommandLine) -> None:
    rows = zip(REFERENCES, SYSTEMS["a.txt"], SYSTEMS["worse.txt"], strict=True)
    write("d.tsv", ["ref\tgood\tbad", *("\t".join(row) for row in rows)])
    found = compare_json(
        cli, "-r", "d.tsv:ref", "d.tsv:good", "d.tsv:bad", "-m", "wer", "--baseline", "good"
    )
    plain = compare_json(cli, "-r", "ref.txt", "worse.txt", "a.txt", "-m", "wer")
    (pair,), (plain_pair,) = (doc["metrics"]["wer"]["differences"] for doc in (found, plain))
    assert (pair["a"], pair["b"], pair["better"]) == ("bad", "good", "good")
    assert (pair["p"], pair["difference"]) == (plain_pair["p"], plain_pair["difference"])


def test_system_from_standard_input(cli_process: NewProcess) -> None:
    out = cli_process.output(
        *("compare", "-r", "ref.txt", "-", "worse.txt", "-m", "wer", "-f", "tsv"),
        stdin="".join(f"{line}\n" for line in SYSTEMS["a.txt"]),
    )
    head, row = (line.split("\t") for line in out.splitlines())
    assert row[1:3] == ["standard input", "worse"]
    assert row[head.index("better")] == "standard input"


def test_choices_are_those_of_the_library(cli: CommandLine) -> None:
    text = cli.output("compare", "--help-all")
    assert f"--method <{'|'.join(PAIRED_TESTS)}>" in text
    assert f"--correction <{'|'.join(CORRECTIONS)}>" in text
