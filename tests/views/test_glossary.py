"""The glossary: short, complete, and each term once."""

from __future__ import annotations

import re

import pytest

import hyperbaton as hb
from hyperbaton.views.comparison_tables import ComparisonView
from hyperbaton.views.glossary import TERMS, TOPICS, Term
from hyperbaton.views.tables import Table


@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
def test_a_term_has_one_or_two_sentences(term: Term) -> None:
    sentences = re.split(r"(?<=\.) (?=[^a-z])", term.text)
    assert 1 <= len(sentences) <= 2
    assert term.text.endswith(".")
    assert re.fullmatch("[a-z0-9-]+", term.key)


def test_terms_are_unique() -> None:
    terms = [term for topic in TOPICS.values() for term in topic]
    assert len(TERMS) == len(terms) == len({term.name for term in terms})


def test_headings_of_comparisons_are_explained() -> None:
    references = ["a b c d", "e f g h"] * 6
    systems = {"good": references, "bad": ["b a d c", "h g f e"] * 6}
    comparison = hb.compare(systems, references, ["pef"], samples=20)
    parts = ComparisonView(comparison, details=True).document().parts
    tables = [part for part in parts if isinstance(part, Table)]
    headings = {column.heading for table in tables for column in table.columns}
    names = {term.name for term in TERMS.values()}
    assert headings - names == {"pair", "pef"}
