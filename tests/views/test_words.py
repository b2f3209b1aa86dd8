"""One word for one thing: the glossary lists the words, and what people see uses no others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hyperbaton
from command_line import CommandLine
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.views.glossary import TERMS

ASSETS = [
    path
    for folder in ("views/assets", "serve/assets")
    for path in sorted((Path(hyperbaton.__file__).parent / folder).iterdir())
]
# What is said instead, by what must not be said of it.
OTHER_WORDS = {
    r"\b[Uu]naligned\b|\b[Aa]ligned\b": "linked",
    r"\b[Hh]ypothes[ie]s\b": "translation, or system",
    r"\b[Aa]nchors?\b": "shared word",
    r"\bmoved “": "move, as an instruction",
}
FILES = [str(EXAMPLE / f"{name}.txt") for name in ("reference", "literal", "fluent")]


def shown_texts(path: Path) -> Iterator[str]:
    """Yield what a reader may see of a file of a page."""
    text = path.read_text("utf-8") if path.suffix in (".html", ".js", ".tsv") else ""
    if path.suffix == ".html":
        yield re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]*>", " ", text, flags=re.DOTALL)
    elif path.suffix == ".js":
        for line in text.splitlines():
            if not line.lstrip().startswith("//"):
                for found in re.findall(r'"[^"]*"|`[^`]*`', line):
                    yield re.sub(r"\$\{[^}]*\}", "", found) if " " in found else ""
    elif path.name != "glossary.tsv":
        yield text


def test_the_glossary_has_the_words() -> None:
    names = {term.name for term in TERMS.values()}
    words = {"matched", "linked", "shared word", "move", "segment", "system", "reference"}
    assert words | {"closer, farther"} <= names
    assert not names & {"aligned", "unaligned word", "anchor"}
    # the word of definitions stands in the text of the word that is used
    assert [key for key, term in TERMS.items() if "anchor" in term.text] == ["shared-word"]


@pytest.mark.parametrize("path", ASSETS, ids=lambda path: path.name)
def test_pages_use_the_words(path: Path) -> None:
    for text in shown_texts(path):
        for pattern, word in OTHER_WORDS.items():
            assert not re.search(pattern, text), f"say {word}"


@pytest.mark.parametrize("command", ["score", "compare", "explain"])
def test_keys_and_texts_of_commands_use_the_words(command: str, cli: CommandLine) -> None:
    files = [command, "-r", *FILES, "-l", "en", "-m", "order,kendall,chrf"]
    files += ["--samples", "50"] if command == "compare" else []
    as_data = "jsonl" if command == "explain" else "json"
    data = cli.succeed(*files, "--format", as_data).stdout
    lines = data.splitlines() if command == "explain" else [data]
    keys = {key for line in lines for key in all_keys(json.loads(line))}
    assert ("linked" in keys) == (command != "compare")
    assert not keys & {"aligned", "unaligned"}
    shown = cli.succeed(*files, *(["--worst", "3"] if command == "explain" else [])).stdout
    for pattern, word in OTHER_WORDS.items():
        text = "\n".join(line for line in shown.splitlines() if "|" not in line)  # no signatures
        assert not re.search(pattern, text), f"say {word}"


def all_keys(value: Any) -> Iterator[str]:
    """Yield the keys of all objects in a document."""
    if isinstance(value, dict):
        yield from value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list)):
            yield from all_keys(one)
