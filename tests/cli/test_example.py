"""The example set: every command that reads texts runs on it as it is."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shlex
from itertools import combinations
from pathlib import Path

import pytest
import sacrebleu

import hyperbaton
from command_line import CommandLine

EXAMPLE = Path(hyperbaton.__file__).parent / "example"


def lines(name: str) -> list[str]:
    return (EXAMPLE / f"{name}.txt").read_text("utf-8").splitlines()


def test_agreement_with_the_made_up_rankings(cli: CommandLine) -> None:
    """Kendall's τ of the file and of sacreBLEU's sentence BLEU, counted here."""
    systems = {name: lines(name) for name in ("literal", "phrasal", "fluent")}
    reference = lines("reference")
    concordant = discordant = 0
    with (EXAMPLE / "judgements.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            k = int(row["seg_id"])
            ranks = {row[f"system{j}"]: int(row[f"rank{j}"]) for j in (1, 2, 3)}
            assert set(ranks) == set(systems)
            values = {
                name: sacrebleu.sentence_bleu(texts[k], [reference[k]]).score
                for name, texts in systems.items()
            }
            for a, b in combinations(systems, 2):
                product = (ranks[b] - ranks[a]) * (values[a] - values[b])
                concordant += product > 0
                discordant += product < 0
    found = cli.succeed("meta", "--example", "-m", "bleu", "--samples", "20", "-f", "json").json()
    (pair,) = found["pairs"]
    assert pair["name"] == "example"
    assert pair["metrics"]["bleu"]["value"] == (concordant - discordant) / (concordant + discordant)


def test_trees_and_source_of_the_example_in_meta(cli: CommandLine) -> None:
    out = cli.succeed("meta", "--example", "-m", "dted", "--samples", "20").stdout
    assert "parser:given" in out
    aligned = cli.succeed("meta", "--example", "-m", "lr_kb1", "--align-source", "--samples", "20")
    assert "aligner:" in aligned.stdout


def test_tuning(cli: CommandLine) -> None:
    out = cli.succeed("tune", "--example").stdout
    assert out.splitlines()[1].startswith("full ")
    assert "align:exact+stem+anchored.en" in out


def test_explanations(cli: CommandLine) -> None:
    for name in ("literal", "phrasal", "fluent"):
        chosen = [] if name == "literal" else [name]
        found = cli.succeed("explain", "--example", *chosen, "--line", "7", "--json").json()
        assert found["hypothesis"] == lines(name)[6]
        assert found["reference"] == lines("reference")[6]
    out = cli.succeed("explain", "--example", "--line", "7", "--details").stdout
    assert out.startswith("source     Der Mieter ist verpflichtet")
    assert "dependency trees" in out
    moves = cli.succeed("explain", "--example", "--format", "jsonl").stdout.splitlines()
    assert len(moves) == 3 * 48
    assert json.loads(moves[0])["source"] == lines("source")[0]


def test_alignment_and_counting(cli: CommandLine) -> None:
    texts = [str(EXAMPLE / f"{name}.txt") for name in ("literal", "reference")]
    assert cli.output("align", "--example") == cli.output("align", *texts, "-l", "en")
    cli.succeed("fit", "--example", "-o", "model")
    cli.succeed("fit", "-r", texts[1], "-l", "en", "-o", "same")
    assert Path("model").read_bytes() == Path("same").read_bytes()


def test_parsing(cli: CommandLine) -> None:
    if importlib.util.find_spec("spacy") is None:
        assert "spacy is not installed" in cli.error("parse", "--example")
    assert cli.error("parse") == "no text: hyperbaton parse TEXT -l LANG"


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "sys.txt"],
        ["explain", "sys.txt", "--line", "1"],
        ["explain", "-r", "ref.txt", "--line", "1"],
        ["meta", "folder"],
        ["tune", "-r", "ref.txt", "sys.txt"],
        ["align", "a", "b"],
        ["fit", "-r", "ref.txt", "-o", "model"],
        ["parse", "text.txt"],
    ],
    ids=" ".join,
)
def test_the_example_takes_no_other_texts(cli: CommandLine, arguments: list[str]) -> None:
    assert cli.error(*arguments, "--example").startswith("--example ")


def test_make_demo_takes_at_most_sixty_lines(cli: CommandLine, tmp_path: Path) -> None:
    """What its commands print, and what its recipe writes around them; lines of 80 columns."""
    makefile = Path(__file__).parents[2] / "Makefile"
    recipe = makefile.read_text("utf-8").partition("\ndemo:")[2].partition("\n\n")[0]
    commands = re.findall(r"\$\(BIN\)/hyperbaton (.*)", recipe.replace("\\\n", " "))
    assert [shlex.split(command)[0] for command in commands] == ["compare", "explain", "report"]
    count = recipe.count("echo")
    for command in commands:
        arguments = shlex.split(command.split("&&")[0])
        where = {"build/report.html": str(tmp_path / "report.html")}
        count += cli.succeed(*(where.get(one, one) for one in arguments)).stdout.count("\n")
    assert 20 < count <= 60
    assert (tmp_path / "report.html").exists()


def test_metrics_take_at_most_sixty_lines(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    printed = cli.output("metrics").splitlines()
    assert len(printed) <= 60
    assert max(map(len, printed)) <= 80
