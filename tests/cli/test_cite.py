"""Citations of metrics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.metrics.registry import BUILTIN_NAMES
from hyperbaton.views.catalogue import HYPERBATON, OURS, citations, papers

ROOT = Path(__file__).parents[2]
ENTRY = re.compile(r"^@(\w+)\{([a-z0-9-]+),\n((?:  \w+ = \{.*\},\n)+)\}", re.M)


def fields_of(bibtex: str) -> dict[str, str]:
    """Return the fields of an entry."""
    return dict(re.findall(r"^  (\w+) = \{(.*)\},$", bibtex, re.M))


def test_entries_sentence_and_signature(cli: CommandLine) -> None:
    out = cli.output("cite", "pef:bp=off", "bleu", "-l", "en")
    keys = [key for _, key, _ in ENTRY.findall(out)]
    assert keys == ["stanojevic-simaan-2014", "papineni-etal-2002", "post-2018", "hyperbaton"]
    assert "pages = {138--147}" in out
    (sentence,) = (line for line in out.splitlines() if "{pef:bp=off}" in line)
    assert sentence.startswith(
        r"% We report \texttt{pef:bp=off}~\citep{stanojevic-simaan-2014} as computed by "
        r"Hyperbaton~\citep{hyperbaton}, with the signature \texttt{pef\textbar{}beta:0.6"
    )
    signature = re.sub(r"\\textbar\{\}", "|", sentence).replace("\\_", "_").split("texttt{")[-1]
    found = hb.metrics.from_signature(signature.removesuffix("}."))
    assert found == hb.metrics.get("pef:bp=off", language="en")
    assert cli.error("cite") == "no metric: hyperbaton cite METRIC..."
    assert cli.error("cite", "pfe").startswith("unknown metric 'pfe'")


@pytest.mark.parametrize("name", [name for name in BUILTIN_NAMES if name != "dted"])
def test_every_metric_has_its_papers(name: str) -> None:
    assert [c for c in citations(hb.metrics.get(name)) if c not in papers()] in ([], [OURS])


@pytest.mark.parametrize("citation", papers())
def test_papers_are_those_of_the_documentation(citation: str) -> None:
    """docs/papers.md, which was written from the papers, has the same titles, years and names."""
    paper = papers()[citation]
    entry = ENTRY.fullmatch(paper.bibtex)
    assert entry is not None
    assert entry[2] == paper.key
    assert paper.bibtex.count("{") == paper.bibtex.count("}")
    if entry[1] == "misc":  # a program
        return
    fields = fields_of(paper.bibtex)
    title = fields["title"].strip("{}")
    lines = (ROOT / "docs" / "papers.md").read_text("utf-8").splitlines()
    (line,) = (line for line in lines if f"*{title}.*" in line)
    assert f" {fields['year']}. " in line
    first = fields["author"].split(",")[0]
    assert first in line.split("*")[0]
    if "et al." not in line:
        surnames = [author.split(",")[0] for author in fields["author"].split(" and ")]
        assert all(surname in line for surname in surnames)


def test_hyperbaton_is_cited_as_in_its_citation_file() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    fields = fields_of(HYPERBATON)
    assert f'title: "{fields["title"].strip("{}")}"' in text
    assert f"version: {fields['version']}\n" in text
    assert f"license: {fields['license']}\n" in text


def test_chrf_with_words_has_a_paper_of_its_own() -> None:
    assert "Popović 2017" in citations(hb.metrics.get("chrf++"))
    assert "Popović 2017" not in citations(hb.metrics.get("chrf"))
