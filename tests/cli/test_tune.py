"""``hyperbaton tune``, and the plots of ``hyperbaton meta``, as a user calls them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.cli import main
from hyperbaton.cli.tune import Method
from hyperbaton.meta.tuning import METHODS
from meta.test_tuning import REFERENCES, SYSTEMS, preferences

SVG = "{http://www.w3.org/2000/svg}"
ALPHA = ["-m", "full", "-t", "alpha=0:1:0.25"]


def write(name: str, lines: list[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two test sets of the same texts: people with a taste, and people who guess."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for pair, taste in (("de-en", "full:alpha=0.25"), ("fr-en", None)):
        Path(f"data/{pair}/systems").mkdir(parents=True)
        for name, lines in SYSTEMS.items():
            write(f"data/{pair}/systems/{name}.txt", lines)
        write(f"data/{pair}/reference.txt", [reference for (reference,) in REFERENCES])
        rows = ["\t".join(map(str, row)) for row in preferences(taste)]
        write(f"data/{pair}/pairwise.tsv", ["seg_id\tbetter\tworse\tn", *rows])


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(["tune", *arguments]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def dots(path: str) -> int:
    return len(list(ET.parse(path).getroot().iter(f"{SVG}circle")))


def test_json_is_what_the_function_finds(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "data/de-en", *ALPHA, "--method", "grid", "-f", "json", "--seed", "3")
    document = json.loads(out)
    assert document["schema"] == "hyperbaton/tune/1"
    expected = hb.tune("full", "data/de-en", "alpha=0:1:0.25", method="grid", seed=3)
    assert document["tunings"] == [expected.to_dict()]
    assert document["tunings"][0]["metric"] == "full:alpha=0.25"
    assert document["tunings"][0]["value"] == 1


def test_the_table_has_what_is_held_out_first_and_the_folds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, err = run(capsys, "data/de-en", *ALPHA, "--folds", "3")
    found = hb.tune("full", "data/de-en", "alpha=0:1:0.25", folds=3)
    head, row = out.split("\n")[:2]
    assert head.split("  ")[0] == "metric"
    values = (found.untuned_held_out, found.held_out, found.untuned, found.value)
    assert row.split() == ["full", found.spec, *(f"{value:.4f}" for value in values)]
    assert out.count("\n   ") == 3  # a line for each fold
    assert "mean over 3 folds of 55 judged segments" in out
    assert found.signature in out
    assert err == ""


def test_several_metrics_and_test_sets(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = ["-m", "full", "-m", "full:order=kendall"]
    out, _ = run(capsys, "data", *metrics, "-t", "alpha=0:1:0.5", "-f", "tsv")
    head, *rows = (line.split("\t") for line in out.rstrip("\n").split("\n"))
    table = [dict(zip(head, row, strict=True)) for row in rows]
    assert [row["given"] for row in table] == ["full", "full:order=kendall"]
    assert table[0]["test_sets"] == "de-en fr-en"
    single = hb.tune("full", "data", "alpha=0:1:0.5")
    assert float(table[0]["held_out"]) == single.held_out
    assert table[0]["folds"] == "5"


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_other_formats(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "data/de-en", *ALPHA, "-f", form, "--short")
    assert ("| full | full:alpha=0.25 |" if form == "markdown" else r"\begin{tabular}") in out
    assert "full|o:pef|b:0.6" in out


def test_files_instead_of_folders(capsys: pytest.CaptureFixture[str]) -> None:
    systems = [f"data/de-en/systems/{name}.txt" for name in SYSTEMS]
    given = ["-r", "data/de-en/reference.txt", "--human", "data/de-en/pairwise.tsv"]
    out, _ = run(capsys, *systems, *given, *ALPHA)
    folder, _ = run(capsys, "data/de-en", *ALPHA)
    assert out.split("\n")[:9] == folder.split("\n")[:9]


def test_the_plot_has_a_curve_for_each_metric(capsys: pytest.CaptureFixture[str]) -> None:
    metrics = ["-m", "full", "-m", "full:order=kendall"]
    run(capsys, "data/de-en", *metrics, "-t", "alpha=0:1:0.25", "--plot", "alpha.svg")
    assert dots("alpha.svg") == 10
    picture = Path("alpha.svg").read_text("utf-8")
    assert ">full:order=kendall<" in picture


def test_a_warning_if_it_does_not_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is better than the very metric whose taste people have."""
    _, err = run(capsys, "data/de-en", "-m", "full:alpha=0.25", "-t", "alpha=0:1:0.25")
    assert err == (
        "hyperbaton: warning: full:alpha=0.25 is best as it was given, of all that was tried\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no metric: hyperbaton tune FOLDER... -m METRIC -t OPTION"),
        (["data", "-m", "full"], "no option"),
        (["-m", "full", "-t", "alpha"], "no data: hyperbaton tune FOLDER..."),
        (["nowhere", *ALPHA], "there is no folder nowhere"),
        (["data", "-m", "full", "-t", "alfa"], "there is no option of full 'alfa'; did you mean"),
        (["data", "-m", "full", "-t", "bp"], "full: bp is not a number"),
        (["data", "-m", "full", "-t", "alpha=1:0"], "the range 1:0 is upside down"),
        (["data", "-m", "full,wer", "-t", "alpha"], "there is no option of wer 'alpha'"),
        (["data", *ALPHA, "-t", "alpha"], "alpha is to be tuned twice"),
        (["data", *ALPHA, "--folds", "1"], "folds is 1, but it must be at least 2"),
        (["data", *ALPHA, "--restarts", "0"], "restarts is 0, but it must be at least 1"),
        (["data", *ALPHA, "-a", "taw"], "there is no agreement 'taw'"),
        (["data", *ALPHA, "--folds", "99"], "de-en: 99 folds, but only 55 segments are judged"),
        (["data", *ALPHA, "--pair", "xx"], "data has no xx; it has de-en, fr-en"),
        (["data", *ALPHA, "-t", "beta", "--plot", "a.svg"], "over one option, but 2 are tuned"),
        (["data", *ALPHA, "--plot", "a.png"], "--plot draws SVG: a.png should end in .svg"),
        (["data", *ALPHA, "--plot", "no/a.svg"], "there is no folder"),
    ],
)
def test_bad_input_is_one_line_and_leaves_no_file(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(Path().iterdir())
    assert main(["tune", *arguments, "-o", "out.txt"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("hyperbaton: error: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err
    assert sorted(Path().iterdir()) == before


def test_methods_are_those_of_the_package() -> None:
    assert [method.value for method in Method] == list(METHODS)


# hyperbaton meta --plot -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "points", "words"),
    [
        (["data"], 6, ["de-en", "fr-en", "scaled tau"]),
        (["data/de-en"], 3 * 11, ["score of ranks", "tau of −wer = "]),
        (
            ["data/de-en", "-a", "pearson_sys"],
            3 * 4,
            ["share of comparisons won", "pearson_sys = "],
        ),
    ],
)
def test_meta_draws(
    arguments: list[str], points: int, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["-m", "pef", "-m", "kendall", "-m", "wer", "--samples", "20"]
    assert main(["meta", *arguments, *given, "--plot", "plot.svg"]) == 0
    picture = Path("plot.svg").read_text("utf-8")
    assert all(word in picture for word in words)
    assert dots("plot.svg") == points


def test_meta_draws_each_system_at_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["data/de-en", "-a", "pearson_sys", "-m", "pef", "--plot", "plot.svg"]
    assert main(["meta", *given]) == 0
    tips = {tip.text for tip in ET.parse("plot.svg").getroot().iter(f"{SVG}title")}
    for name, lines in SYSTEMS.items():
        won = sum(n for _, better, _, n in preferences("full:alpha=0.25") if better == name)
        lost = sum(n for _, _, worse, n in preferences("full:alpha=0.25") if worse == name)
        value = hb.score(lines, REFERENCES, "pef")["pef"].value
        assert f"{name}: {value:.4g}, share of comparisons won {won / (won + lost):.4g}" in tips
