"""Test sets that sacreBLEU has downloaded; nothing may access the network."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
import sacrebleu.utils
from sacrebleu.dataset import DATASETS
from sacrebleu.dataset.base import Dataset

from command_line import CommandLine

REFERENCES = ["the cat saw the dog", "we meet at noon"]


@pytest.fixture(autouse=True)
def cache(working_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in sacreBLEU's layout, and a network that fails."""
    folder = working_directory / "cache"
    files = {
        "wmt20/wmt20.de-en.src": ["die Katze sah den Hund", "wir treffen uns um zwölf"],
        "wmt20/wmt20.de-en.ref": REFERENCES,
        "wmt20/wmt20.de-en.docid": ["a", "a"],
        "wmt20/tworefs/wmt20_tworefs.de-en.ref-0": REFERENCES,
        "wmt20/tworefs/wmt20_tworefs.de-en.ref-1": ["x", "y"],
        "wmt21/wmt21.de-en.src": ["die Katze sah den Hund", "wir treffen uns um zwölf"],
        "wmt21/wmt21.de-en.ref-A": REFERENCES,
        "wmt21/wmt21.de-en.ref-B": ["x", "y"],
        "wmt19/raw/wmt19.de-en.ref": REFERENCES,  # not a text that was unpacked
        "unknown/unknown.de-en.ref": REFERENCES,
    }
    for name, lines in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    Path("sys.txt").write_text("the dog saw the cats\nwe meet at noon\n", encoding="utf-8")
    monkeypatch.setenv("SACREBLEU", str(folder))

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(sacrebleu.utils, "download_file", refuse)
    monkeypatch.setattr(Dataset, "maybe_download", refuse)
    for dataset in DATASETS.values():
        monkeypatch.setattr(type(dataset), "process_to_text", refuse)
    return folder


@pytest.mark.parametrize("name", ["wmt20", "wmt21"])  # of wmt21, sacreBLEU uses reference A
def test_scores_are_those_of_the_files(cli: CommandLine, cache: Path, name: str) -> None:
    path = min((cache / name).glob("*.ref*"))
    metrics = ["sys.txt", "-m", "bleu,pef", "-f", "json"]
    found = cli.json("score", "--test-set", name, "--langpair", "de-en", *metrics)
    assert found == cli.json("score", "-r", str(path), "-l", "en", *metrics)
    assert "|align:exact+stem.en|" in found["systems"][0]["scores"]["pef"]["signature"]


def test_several_references(cli: CommandLine) -> None:
    arguments = ["--test-set", "wmt20/tworefs", "--langpair", "de-en", "sys.txt", "-m", "bleu"]
    assert "|#:2|" in cli.output("score", *arguments)


def test_the_source_comes_with_the_test_set(cli: CommandLine) -> None:
    chosen = ["--test-set", "wmt20", "--langpair", "de-en", "sys.txt"]
    cli.succeed("report", *chosen, "-m", "wer", "-o", "report.html", "--samples", "20")
    assert "die Katze sah den Hund" in Path("report.html").read_text("utf-8")
    out = cli.succeed("score", *chosen, "-m", "lr_kb1", "--align-source", "--details")
    assert "aligner:" in out.stdout


def test_list_of_test_sets(cli: CommandLine, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [line.split() for line in cli.output("testsets").splitlines()]
    assert rows == [
        ["test", "set", "pair", "references", "segments"],
        ["wmt20", "de-en", "1", "2"],
        ["wmt20/tworefs", "de-en", "2", "2"],
        ["wmt21", "de-en", "1", "2"],
        [],
        [str(cache)],
    ]
    monkeypatch.setenv("SACREBLEU", str(cache / "none"))
    assert cli.output("testsets").startswith("There are no sacreBLEU test sets in ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--test-set", "wmt20", "--langpair", "en-de"], "the test set wmt20, en-de is not in "),
        (["--test-set", "wmt18", "--langpair", "de-en"], "the test set wmt18, de-en is not in "),
        (["--test-set", "../x", "--langpair", "de-en"], "the test set ../x, de-en is not in "),
        (["--test-set", "wmt20"], "--test-set and --langpair must be given together"),
        (
            ["--test-set", "wmt20", "--langpair", "de-en", "-r", "sys.txt"],
            "--test-set has its own references: do not give -r",
        ),
    ],
)
def test_errors(cli: CommandLine, arguments: list[str], message: str) -> None:
    assert cli.error("score", *arguments, "sys.txt").startswith(message)
