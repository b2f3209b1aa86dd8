"""``print`` shows results as the command line does."""

from __future__ import annotations

from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.presentation import PrintedResult
from meta.test_tuning import REFERENCES, SYSTEMS, preferences

EXAMPLE = Path(hb.__file__).parent / "example"


def example_lines(name: str) -> list[str]:
    return (EXAMPLE / name).read_text(encoding="utf-8").splitlines()


def judged_test_set() -> str:
    """The folder of a test set whose judges follow a metric."""
    folder = Path("de-en")
    (folder / "systems").mkdir(parents=True)
    rows = ["\t".join(map(str, row)) for row in preferences("full:alpha=0.25")]
    files = {
        "reference.txt": [reference for (reference,) in REFERENCES],
        "pairwise.tsv": ["seg_id\tbetter\tworse\tn", *rows],
        **{f"systems/{name}.txt": lines for name, lines in SYSTEMS.items()},
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(folder)


def check(printed: PrintedResult, expected: str) -> None:
    assert f"{printed}\n" == expected
    assert len(repr(printed).splitlines()) == 1


@pytest.mark.parametrize("width", [60, 200])
def test_scores(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    names = ["reference.txt", "fluent.txt"]
    paths = [str(EXAMPLE / name) for name in names]
    metrics = ["-m", "pef", "-m", "wer", "-m", "chrf", "-l", "en", "--confidence"]
    expected = cli.output("score", "-r", *paths, *metrics)
    reference, system = map(example_lines, names)
    result = hb.score(system, reference, ["pef", "wer", "chrf"], "en", confidence=True)
    check(result.with_scores(result, "fluent"), expected)


def test_comparisons(cli: CommandLine) -> None:
    expected = cli.output("compare", "--example", "-m", "pef", "-m", "wer", "--correction", "holm")
    systems = {name: example_lines(f"{name}.txt") for name in ("literal", "phrasal", "fluent")}
    reference = example_lines("reference.txt")
    check(hb.compare(systems, reference, ["pef", "wer"], "en", correction="holm"), expected)


def test_agreement_with_people_and_tuning(cli: CommandLine) -> None:
    folder = judged_test_set()
    evaluation = hb.meta_evaluate(folder, ["wer", "chrf"], samples=20)
    options = ["-m", "wer", "-m", "chrf", "--samples", "20"]
    check(evaluation, cli.succeed("meta", folder, *options).stdout)
    tuning = hb.tune("full", folder, "alpha=0:1:0.5", folds=2)
    options = ["-m", "full", "-t", "alpha=0:1:0.5", "--folds", "2"]
    check(tuning, cli.succeed("tune", folder, *options).stdout)


def test_profiles(cli: CommandLine) -> None:
    source = ["a b c", "a b c d", "x"]
    Path("source.txt").write_text("\n".join(source), encoding="utf-8")
    Path("links.txt").write_text("0-1 1-0 2-2\n0-1 1-3 2-0 3-2\n\n", encoding="utf-8")
    expected = cli.output("align", "--source", "source.txt", "links.txt", "--profile")
    profile = hb.reordering_profile([[2, 1, 3], [2, 4, 1, 3], []])
    check(profile, expected)


def test_a_report_shows_its_title_its_verdict_and_its_scores() -> None:
    lines = ["we meet at noon"] * 12
    report = hb.score(lines, lines, ["pef"], confidence=True, samples=20).report(title="Ours")
    text = str(report)
    assert text.startswith("Ours\n\nThere is no verdict on word order: ")
    assert "system    100 %   100 %  100.0 ±0.0" in text
    assert 'report.save("report.html")' in text
    assert repr(report) == "<Report 'Ours': 1 system, 12 segments>"
