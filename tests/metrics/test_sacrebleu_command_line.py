"""Against sacreBLEU's command line, which drops white space at the end of each line of a file."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from sacrebleu.metrics.chrf import CHRF

import hyperbaton as hb
from command_line import CommandLine
from pairs import data_folder

# Our metrics, and the options for which sacreBLEU's command line prints the same.
METRICS = {
    "chrf:space=yes": "-m chrf --chrf-whitespace",
    "chrf:nw=2,case=lc,space=yes": "-m chrf --chrf-whitespace --chrf-lowercase --chrf-word-order 2",
    "chrf": "-m chrf",
    "bleu": "-m bleu",
    "bleu:tok=intl": "-m bleu --tokenize intl",
    "ter": "-m ter",
}
ENDS = ["", " ", "  ", "\t", "\u00a0", "\u3000", " \u3000\t", "\x1f", "\u2003", "\r"]
HYPOTHESES = [f" the cat {k} sat\u00a0on a\tmat in 1999.{end}" for k, end in enumerate(ENDS)]
REFERENCES = [f"on the mat {k} sat the cat, in 1999.{end}" for k, end in enumerate(ENDS[::-1])]
HYPOTHESES += ["", " \u3000"]
REFERENCES += ["no translation", "one of white space "]


def write_lines(path: Path, lines: list[str]) -> str:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return str(path)


def sacrebleu_score(reference: str, system: str, options: str) -> float:
    """Return what sacreBLEU's command line prints of two files, ÷ 100."""
    command = [sys.executable, "-m", "sacrebleu", reference, "-i", system, *options.split()]
    command += ["--format", "json", "--width", "12"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    return float(json.loads(done.stdout)["score"]) / 100


def check_scores(
    hypotheses: list[str],
    references: list[str],
    folder: Path,
    cli: CommandLine,
    metrics: Iterable[str] = METRICS,
) -> None:
    """Compare the scores of lists and of files with those of sacreBLEU's command line."""
    reference = write_lines(folder / "reference.txt", references)
    system = write_lines(folder / "system.txt", hypotheses)
    options = [option for metric in metrics for option in ("-m", metric)]
    printed = cli.json("score", "-r", reference, system, *options, "--format", "json")
    of_files = printed["systems"][0]["scores"]
    of_lists = hb.score(hypotheses, references, list(metrics))
    for metric in metrics:
        expected = sacrebleu_score(reference, system, METRICS[metric])
        assert of_lists[metric].value == pytest.approx(expected, abs=1e-11), metric
        assert of_files[metric]["value"] == of_lists[metric].value


def test_white_space_at_the_end_of_lines(tmp_path: Path, cli: CommandLine) -> None:
    check_scores(HYPOTHESES, REFERENCES, tmp_path, cli)
    # sacreBLEU's Python interface, which leaves reading to its caller, counts this white space.
    counted = CHRF(whitespace=True).corpus_score(HYPOTHESES, [REFERENCES])
    ours = hb.score(HYPOTHESES, REFERENCES, "chrf:space=yes")["chrf:space=yes"]
    assert abs(counted.score / 100 - ours.value) > 0.001


def test_several_references() -> None:
    references = [
        [line, f"{line}\u3000", line.upper()][: 1 + k % 3] for k, line in enumerate(REFERENCES)
    ]
    stripped = [[line.rstrip() for line in several] for several in references]
    with_ends = hb.score(HYPOTHESES, references, "chrf:space=yes")["chrf:space=yes"]
    without = hb.score(HYPOTHESES, stripped, "chrf:space=yes")["chrf:space=yes"]
    assert with_ends.segments.tolist() == without.segments.tolist()


def test_white_space_at_the_end_of_real_lines(tmp_path: Path, cli: CommandLine) -> None:
    folder = data_folder() / "wmt13" / "de-en"

    def first_lines(path: Path) -> list[str]:
        return path.read_text("utf-8").split("\n")[:1200]

    references = first_lines(folder / "reference.txt")
    assert sum(line != line.rstrip() for line in references) == 5
    system = folder / "systems" / "online-B.txt"
    fast = [metric for metric in METRICS if metric != "ter"]
    check_scores(first_lines(system), references, tmp_path, cli, fast)
