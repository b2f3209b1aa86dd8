"""The files of views: templates, scripts and style sheets of pages, and long texts."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from importlib import resources
from string import Template


def read_asset(name: str) -> str:
    """Return the text of a file."""
    return resources.files("hyperbaton.views").joinpath("assets", name).read_text("utf-8")


def read_rows(name: str) -> Iterator[list[str]]:
    """Return the rows of a table below its headings."""
    return (row.split("\t") for row in read_asset(name).splitlines()[1:])


@functools.cache
def style_template(name: str) -> Template:
    """Return a style sheet as a template, without comments and needless white space."""
    return Template(compact_css(read_asset(name)))


def compact_css(text: str) -> str:
    """Return a style sheet on one line.

    >>> compact_css("/* links */ p > a,\\n.b { color: red; margin: 0 1px; }")
    'p>a,.b{color:red;margin:0 1px}'
    """
    without_comments = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    joined = re.sub(r"\s*([{};,>+!])\s*", r"\1", without_comments.strip())
    return re.sub(r"\s+", " ", joined).replace(": ", ":").replace(";}", "}")
