"""``hyperbaton parse``: a text as dependency trees, line by line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from hyperbaton import __version__
from hyperbaton.cli.options import Output
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.errors import InputError
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.conllu import to_conllu
from hyperbaton.syntax.parsers import Parser, parser
from hyperbaton.text.columns import read_texts, split_column
from hyperbaton.text.lines import count_lines, printable, write_beside

BATCH = 100  # lines at a time: progress is seen


def parse(
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT",
            help="A text (or - or .gz), or a column: file.tsv:name, file.tsv:2, file.jsonl:key.",
        ),
    ],
    language: Annotated[
        str | None,
        typer.Option("--language", "-l", help="Such as en: spaCy's small pipeline for it."),
    ] = None,
    spec: Annotated[
        str | None,
        typer.Option("--parser", metavar="PARSER", help="spacy:NAME, or udpipe:FILE, a model."),
    ] = None,
    output: Output = "-",
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Parse all, and keep no tree for another time.")
    ] = False,
) -> None:
    """Parse a text into dependency trees: CoNLL-U.

    Each line is one block, with all its sentences.

    Trees are kept (see HYPERBATON_CACHE in the docs), so that a line is parsed only once.

    \b
    Examples:
      hyperbaton parse text.txt -l en -o text.conllu
      hyperbaton parse text.txt --parser udpipe:english-ewt-ud-2.5.udpipe
    """
    if "" in (text, output):
        raise InputError("the name of a file is empty")
    path = split_column(text)[0]
    if output != "-" and os.path.realpath(output) == os.path.realpath(path):
        raise InputError(f"{printable(path)} would be written over while it is read")
    plain = parser(spec, language)
    chosen: Parser = plain if no_cache else CachedParser(plain)
    above = {"generator": f"hyperbaton {__version__}, {chosen.name} {chosen.version}"}
    number = 0
    with write_beside(output) as out:
        wanted = not out.isatty()
        for batch in with_progress(batches(lines(text), BATCH), wanted, count_lines(path)):
            for line, tree in zip(batch, chosen.parse(batch), strict=True):
                number += 1
                try:
                    out.write(to_conllu(tree, line, above))
                except ValueError as error:  # a parser that makes no words of what has some
                    raise InputError(f"{printable(text)}, line {number:,}: {error}") from None
                above = {}  # above the first tree is enough


def lines(text: str) -> Iterator[str]:
    """The lines of a text or a column, one text in each."""
    for number, texts in enumerate(read_texts(text), 1):
        if len(texts) != 1:
            raise InputError(f"{printable(text)}, line {number:,}, has {len(texts)} texts, not one")
        yield texts[0]
