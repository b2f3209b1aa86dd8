"""``hyperbaton tune``, and the plots of ``hyperbaton meta``, as a user calls them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.meta.plan import SEARCHES
from meta.test_tuning import REFERENCES, SYSTEMS, preferences

SVG = "{http://www.w3.org/2000/svg}"
ALPHA = ["-m", "full", "-t", "alpha=0:1:0.25"]


def write(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def files() -> None:
    """Two test sets of the same texts: judges who follow a metric, and judges who guess."""
    for pair, taste in (("de-en", "full:alpha=0.25"), ("fr-en", None)):
        Path(f"data/{pair}/systems").mkdir(parents=True)
        for name, lines in SYSTEMS.items():
            write(f"data/{pair}/systems/{name}.txt", lines)
        write(f"data/{pair}/reference.txt", [reference for (reference,) in REFERENCES])
        rows = ["\t".join(map(str, row)) for row in preferences(taste)]
        write(f"data/{pair}/pairwise.tsv", ["seg_id\tbetter\tworse\tn", *rows])


def dots(path: str) -> int:
    """Return how many marks have a tooltip."""
    groups = ET.parse(path).getroot().iter(f"{SVG}g")
    return sum(group.find(f"{SVG}title") is not None for group in groups)


def test_json_equals_the_result_of_the_function(cli: CommandLine) -> None:
    options = ["--method", "grid", "--seed", "3", "-f", "json"]
    document = cli.succeed("tune", "data/de-en", *ALPHA, *options).json()
    assert document["schema"] == "hyperbaton/tune/1"
    expected = hb.tune("full", "data/de-en", "alpha=0:1:0.25", method="grid", seed=3)
    assert document["tunings"] == [expected.to_dict()]
    assert document["tunings"][0]["metric"] == "full:alpha=0.25"
    assert document["tunings"][0]["value"] == 1


def test_table_has_held_out_values_and_folds(
    cli: CommandLine,
) -> None:
    out = cli.output("tune", "data/de-en", *ALPHA, "--folds", "3")
    found = hb.tune("full", "data/de-en", "alpha=0:1:0.25", folds=3)
    head, row = out.split("\n")[:2]
    assert head.split("  ")[0] == "metric"
    values = (found.untuned_held_out, found.held_out, found.untuned, found.value)
    assert row.split() == ["full", found.spec, *(f"{value:.4f}" for value in values)]
    assert out.count("\n   ") == 3  # a line for each fold
    assert "mean over 3 folds of 55 judged segments" in out
    assert found.signature in out


def test_several_metrics_and_test_sets(cli: CommandLine) -> None:
    metrics = ["-m", "full", "-m", "full:order=kendall"]
    out = cli.succeed("tune", "data", *metrics, "-t", "alpha=0:1:0.5", "-f", "tsv").stdout
    head, *rows = (line.split("\t") for line in out.rstrip("\n").split("\n"))
    table = [dict(zip(head, row, strict=True)) for row in rows]
    assert [row["given"] for row in table] == ["full", "full:order=kendall"]
    assert table[0]["test_sets"] == "de-en fr-en"
    single = hb.tune("full", "data", "alpha=0:1:0.5")
    assert float(table[0]["held_out"]) == single.held_out
    assert table[0]["folds"] == "5"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_markdown_and_latex(form: str, cli: CommandLine) -> None:
    out = cli.succeed("tune", "data/de-en", *ALPHA, "-f", form).stdout
    assert ("| full | full:alpha=0.25 |" if form == "markdown" else r"\begin{tabular}") in out
    assert "full|order:pef|beta:0.6" in out


def test_files_instead_of_folders(cli: CommandLine) -> None:
    systems = [f"data/de-en/systems/{name}.txt" for name in SYSTEMS]
    given = ["-r", "data/de-en/reference.txt", "--human", "data/de-en/pairwise.tsv"]
    out = cli.succeed("tune", *systems, *given, *ALPHA).stdout
    folder = cli.succeed("tune", "data/de-en", *ALPHA).stdout
    assert out.split("\n")[:9] == folder.split("\n")[:9]


def test_plot_has_a_curve_for_each_metric(cli: CommandLine) -> None:
    metrics = ["-m", "full", "-m", "full:order=kendall"]
    cli.succeed("tune", "data/de-en", *metrics, "-t", "alpha=0:1:0.25", "--plot", "alpha.svg")
    assert dots("alpha.svg") == 10
    picture = Path("alpha.svg").read_text("utf-8")
    assert ">full:order=kendall<" in picture


def test_warning_if_tuning_does_not_help(cli: CommandLine) -> None:
    """The judges follow this metric exactly, so no other setting is better."""
    err = cli.succeed("tune", "data/de-en", "-m", "full:alpha=0.25", "-t", "alpha=0:1:0.25").stderr
    assert err == (
        "hyperbaton: warning: no setting that was tried is better than full:alpha=0.25 as given\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no metric: hyperbaton tune FOLDER... -m METRIC -t OPTION"),
        (["data", "-m", "full"], "no option"),
        (["-m", "full", "-t", "alpha"], "no data: hyperbaton tune FOLDER..."),
        (["nowhere", *ALPHA], "there is no folder nowhere"),
        (
            ["data", "-m", "full", "-t", "alfa"],
            "unknown numeric option 'alfa' of full",
        ),
        (["data", "-m", "full", "-t", "bp"], "full: bp is not numeric"),
        (["data", "-m", "full", "-t", "alpha=1:0"], "the range 1:0 starts above its end"),
        (["data", "-m", "full,wer", "-t", "alpha"], "unknown numeric option 'alpha' of wer"),
        (["data", *ALPHA, "-t", "alpha"], "alpha is given twice"),
        (["data", *ALPHA, "--folds", "1"], "folds must be at least 2, got 1"),
        (["data", *ALPHA, "--restarts", "0"], "restarts must be at least 1, got 0"),
        (["data", *ALPHA, "-a", "taw"], "unknown agreement 'taw'"),
        (["data", *ALPHA, "--folds", "99"], "de-en: 99 folds, but only 55 segments are judged"),
        (["data", *ALPHA, "--pair", "xx"], "data has no xx; it has de-en, fr-en"),
        (
            ["data", *ALPHA, "-t", "beta", "--plot", "a.svg"],
            "needs a single tuned option, but 2 are given",
        ),
        (
            ["data", *ALPHA, "--plot", "a.png"],
            "--plot writes SVG: the name must end in .svg, got a.png",
        ),
        (["data", *ALPHA, "--plot", "no/a.svg"], "there is no folder"),
    ],
)
def test_error_messages(arguments: list[str], message: str, cli: CommandLine) -> None:
    before = sorted(Path().iterdir())
    assert message in cli.error("tune", *arguments, "-o", "out.txt")
    assert sorted(Path().iterdir()) == before


def test_choices_are_those_of_the_library(cli: CommandLine) -> None:
    assert f"--method <{'|'.join(SEARCHES)}>" in cli.output("tune", "--help-all")


# hyperbaton meta --plot -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "points", "words"),
    [
        (["data"], 6, ["de-en", "fr-en", "scaled tau"]),
        (["data/de-en"], 3 * 11, ["score of ranks", "(lower is better)"]),
        (
            ["data/de-en", "-a", "pearson_sys"],
            3 * 4,
            ["share of comparisons won", "pearson_sys = "],
        ),
    ],
)
def test_plots_of_meta(
    arguments: list[str], points: int, words: list[str], cli: CommandLine
) -> None:
    given = ["-m", "pef", "-m", "kendall", "-m", "wer", "--samples", "20"]
    cli.succeed("meta", *arguments, *given, "--plot", "plot.svg")
    picture = Path("plot.svg").read_text("utf-8")
    assert all(word in picture for word in words)
    assert dots("plot.svg") == points


def test_plot_of_meta_has_each_system_at_its_share(cli: CommandLine) -> None:
    given = ["data/de-en", "-a", "pearson_sys", "-m", "pef", "--plot", "plot.svg"]
    cli.succeed("meta", *given)
    tips = {tip.text for tip in ET.parse("plot.svg").getroot().iter(f"{SVG}title")}
    for name, lines in SYSTEMS.items():
        won = sum(n for _, better, _, n in preferences("full:alpha=0.25") if better == name)
        lost = sum(n for _, _, worse, n in preferences("full:alpha=0.25") if worse == name)
        value = hb.score(lines, REFERENCES, "pef")["pef"].value
        assert f"{name}: {value:.4g}, share of comparisons won {won / (won + lost):.4g}" in tips
