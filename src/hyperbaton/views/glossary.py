"""The terms that pages and tables show, each in a sentence or two that need no other knowledge.

Pages link their terms to these texts, and docs/glossary.md is generated from them. The texts are in
``assets/glossary.tsv``.
"""

from __future__ import annotations

from typing import NamedTuple

from hyperbaton.views.asset_files import read_rows


class Term(NamedTuple):
    """A term of the glossary; ``key`` identifies it in addresses."""

    key: str
    name: str
    text: str


def _read_topics() -> dict[str, list[Term]]:
    """Return the terms of each topic, in the order of the file."""
    topics: dict[str, list[Term]] = {}
    for topic, *texts in read_rows("glossary.tsv"):
        topics.setdefault(topic, []).append(Term(*texts))
    return topics


TOPICS = _read_topics()
TERMS = {term.key: term for terms in TOPICS.values() for term in terms}
