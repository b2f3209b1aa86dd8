"""Turns docstrings into Markdown for the API pages: a Griffe extension, named in mkdocs.yml.

Docstrings are written for ``help()``: they have roles such as ``:class:`Score```, and examples
without a heading, which Markdown would read as quotations.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc|obj):`([^`]*)`")
SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.M)
EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.M)


def to_markdown(docstring: str) -> str:
    """Return a docstring as Markdown with the sections of NumPy's style.

    Griffe reads a section ``Examples`` by itself. Examples before the first section become blocks
    of code, and examples after another section get a section of their own.
    """
    text = ROLE.sub(_name_as_code, docstring)
    section = SECTION.search(text)
    start = section.start() if section else len(text)
    before = EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text[:start])
    after = text[start:]
    if "Examples\n---" not in after:
        after = EXAMPLE.sub(lambda match: f"Examples\n--------\n{match[0]}", after, count=1)
    return before + after


def _name_as_code(role: re.Match[str]) -> str:
    name = role[1]
    return f"`{name.rsplit('.', 1)[-1] if name.startswith('~') else name}`"


class DocstringMarkdown(griffe.Extension):
    """Rewrites the docstring of every object that Griffe reads."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring:
            obj.docstring.value = to_markdown(obj.docstring.value)
