"""Names of systems, and the order and scale of the tables that show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sacrebleu

from command_line import CommandLine

REFERENCE = ["the cat saw the dog", "one two three four five", "we meet at noon"]
SYSTEMS = {
    "good.txt": REFERENCE,
    "bad.txt": ["the dog saw the cat", "five two three four one", "at noon we meet"],
    "fair.txt": ["the cat saw the dog", "one two three four five", "at noon we meet"],
}


@pytest.fixture(autouse=True)
def files(working_directory: Path) -> None:
    for name, lines in {"ref.txt": REFERENCE, **SYSTEMS}.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def first_column(table: str) -> list[str]:
    """Return the first cell of each row of the first table, between heading and legend."""
    return [row.split()[0] for row in table.split("\n\n")[0].splitlines()[1:-1]]


def test_names_in_tables_and_json(cli: CommandLine) -> None:
    arguments = ["score", "-r", "ref.txt", "old=bad.txt", "good.txt", "-m", "wer"]
    assert first_column(cli.output(*arguments)) == ["good", "old"]  # the best first
    systems = cli.json(*arguments, "-f", "json")["systems"]
    assert [system["name"] for system in systems] == ["old", "good"]
    rows = cli.output(*arguments, "-f", "tsv").splitlines()[1:]
    assert [row.split("\t")[0] for row in rows] == ["old", "good"]


def test_an_existing_file_with_an_equals_sign_is_that_file(cli: CommandLine) -> None:
    Path("x=good.txt").write_text(Path("bad.txt").read_text("utf-8"), encoding="utf-8")
    found = cli.json("score", "-r", "ref.txt", "x=good.txt", "-m", "wer", "-f", "json")
    (system,) = found["systems"]
    assert system["name"] == "x=good"
    assert system["scores"]["wer"]["value"] > 0


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["a.txt", "a"], ["a.txt", "a"]),  # both would be "a"
        (["run.1", "run.2"], ["run.1", "run.2"]),
        (["a.de", "b.de"], ["a", "b"]),
        (["a.txt", "b.out"], ["a", "b.out"]),
    ],
)
def test_extensions_are_left_out_where_that_is_unambiguous(
    cli: CommandLine, names: list[str], labels: list[str]
) -> None:
    for name in names:
        Path(name).write_text(Path("bad.txt").read_text("utf-8"), encoding="utf-8")
    out = cli.output("score", "-r", "ref.txt", *names, "-m", "wer")
    assert first_column(out) == labels


def test_a_column_and_standard_input_can_be_named(cli: CommandLine) -> None:
    Path("data.tsv").write_text("mt\n" + Path("bad.txt").read_text("utf-8"), encoding="utf-8")
    text = Path("good.txt").read_text("utf-8")
    out = cli.output(
        *("score", "-r", "ref.txt", "column=data.tsv:mt", "piped=-", "-m", "wer"), stdin=text
    )
    assert first_column(out) == ["piped", "column"]


def test_two_systems_with_one_name(cli: CommandLine) -> None:
    message = cli.error("score", "-r", "ref.txt", "a=good.txt", "a=bad.txt")
    assert message == "two systems have the name a"
    message = cli.error("score", "-r", "ref.txt", "a=bad.txt", "b=./bad.txt")
    assert message == "./bad.txt is given twice: it is the same file as bad.txt"
    assert cli.error("score", "-r", "ref.txt", "a=") == "a file name is empty"
    assert cli.error("score", "-r", "ref.txt", "a=none.txt").startswith("cannot read none.txt: ")


@pytest.mark.parametrize("baseline", ["old", "bad.txt", "old=bad.txt"])
def test_the_baseline_is_a_name_or_a_file(cli: CommandLine, baseline: str) -> None:
    found = cli.succeed(
        *("compare", "-r", "ref.txt", "old=bad.txt", "good.txt", "-m", "wer", "-f", "json"),
        *("--samples", "20", "--baseline", baseline),
    ).json()
    assert found["baseline"] == "old"


def test_named_systems_in_explanations_reports_and_meta(cli: CommandLine) -> None:
    lines = cli.succeed(
        "explain", "-r", "ref.txt", "old=bad.txt", "good.txt", "--format", "jsonl"
    ).stdout.splitlines()
    assert {json.loads(line)["system"] for line in lines} == {"old", "good"}
    explained = cli.succeed("explain", "-r", "ref.txt", "old=bad.txt", "--line", "1").stdout
    assert "[1 the dog] [2 saw] the cat" in explained
    cli.succeed(
        *("report", "-r", "ref.txt", "old=bad.txt", "new=good.txt", "-m", "wer"),
        *("--samples", "20", "--json", "report.json"),
    )
    report = json.loads(Path("report.json").read_text("utf-8"))
    assert [system["name"] for system in report["systems"]] == ["old", "new"]
    Path("human.tsv").write_text("system\tscore\nold\t0.1\nnew\t0.9\nfair\t0.5\n", encoding="utf-8")
    found = cli.succeed(
        *("meta", "-r", "ref.txt", "old=bad.txt", "new=good.txt", "fair.txt"),
        *("--human", "human.tsv", "-m", "wer", "-a", "pearson-sys", "--samples", "20"),
    )
    assert "wer" in found.stdout


def test_sorting(cli: CommandLine) -> None:
    arguments = ["score", "-r", "ref.txt", *SYSTEMS, "-m", "wer,chrf"]
    # By hand: wer is 0, (2 + 2 + 4)/14 and 4/14.
    assert first_column(cli.output(*arguments, "--sort", "wer")) == ["good", "fair", "bad"]
    systems = cli.json(*arguments, "--sort", "chrf", "-f", "json")["systems"]
    assert [system["name"] for system in systems] == ["good", "fair", "bad"]
    message = cli.error(*arguments, "--sort", "bleu")
    assert message == "cannot sort by 'bleu': valid metrics: wer, chrf"


def test_sorting_by_shares_of_words(cli: CommandLine) -> None:
    Path("junk.txt").write_text("xyzzy one\n" * 3, encoding="utf-8")
    arguments = ["score", "-r", "ref.txt", "junk.txt", "bad.txt", "-m", "kendall"]
    for column in ("matched", "linked"):
        assert first_column(cli.output(*arguments, "--sort", column))[:2] == ["bad", "junk"]
    message = cli.error("score", "-r", "ref.txt", "bad.txt", "-m", "order", "--sort", "linked")
    assert message == "cannot sort by 'linked', which none of the metrics has"


def test_values_are_times_100_for_people(cli: CommandLine) -> None:
    arguments = ["score", "-r", "ref.txt", "bad.txt", "-m", "chrf"]
    points = sacrebleu.corpus_chrf(SYSTEMS["bad.txt"], [REFERENCE]).score
    out = cli.output(*arguments).splitlines()
    assert out[1].split() == ["bad", f"{points:.1f}"]
    assert out[2] == "values × 100"
    assert f"{points:.4f}" in cli.output(*arguments, "--digits", "4")
    assert f"| bad | {points:.1f} |" in cli.output(*arguments, "-f", "markdown")
    found = cli.json(*arguments, "-f", "json")["systems"][0]["scores"]["chrf"]["value"]
    assert found == pytest.approx(points / 100)


def test_values_of_comparisons_are_times_100(cli: CommandLine) -> None:
    arguments = ["compare", "-r", "ref.txt", "good.txt", "bad.txt", "-m", "chrf", "--samples", "20"]
    points = sacrebleu.corpus_chrf(SYSTEMS["bad.txt"], [REFERENCE]).score
    out = cli.succeed(*arguments, "--details", "--differences", "1").stdout
    assert f" {points:.1f} " in out
    assert f" {100 - points:.1f} " in out
    assert "values × 100" in out
    assert "  good (100.0): " in out


@pytest.mark.parametrize("source", ["=good.txt", "  =good.txt"])
def test_empty_names(cli: CommandLine, source: str) -> None:
    error = cli.error("score", "-r", "ref.txt", source, "-m", "wer")
    assert error.endswith("the name of the system is empty")


def test_example_has_no_test_set(cli: CommandLine) -> None:
    error = cli.error("score", "--example", "--test-set", "wmt13", "--langpair", "de-en")
    assert error == "--example cannot be combined with --test-set: it has its own references"


def test_missing_settings_are_empty_cells(cli: CommandLine) -> None:
    """With so few segments there are no intervals, and no name of their method."""
    files = ["-r", "ref.txt", "good.txt", "bad.txt", "-m", "wer"]
    for arguments in (["compare", *files], ["score", *files, "--confidence"]):
        assert "None" not in cli.succeed(*arguments, "-f", "csv").stdout
        below = cli.succeed(*arguments).stdout
        assert "; no intervals, significance at 0.05: bootstrap, 1,000 samples, seed 1" in below


def test_a_level_that_needs_more_segments(cli: CommandLine) -> None:
    """2¹⁻ⁿ, the least p of n segments, is below 10⁻⁷ from n = 25 on."""
    for name, line in (("many.txt", "a b c"), ("other.txt", "c b a"), ("refs.txt", "a b c")):
        Path(name).write_text(f"{line}\n" * 21, encoding="utf-8")
    files = ["-r", "refs.txt", "many.txt", "other.txt", "-m", "wer", "--level", "0.9999999"]
    for arguments in (["compare", *files], ["score", *files, "--confidence"]):
        done = cli(*arguments)
        assert "at least 25 are needed" in " ".join((done.stdout + done.stderr).split())
