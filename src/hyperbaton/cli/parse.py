"""``hyperbaton parse``: parse a text into dependency trees, line by line."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperbaton import __version__
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, OutputFile, check_paths
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.errors import InputError
from hyperbaton.files.columns import count_source_lines, describe_line, read_single_texts
from hyperbaton.files.output_files import write_beside
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.conllu import to_conllu
from hyperbaton.syntax.parsers import Parser, load_parser

BATCH = 100  # lines between two updates of the progress bar


def parse(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="TEXT",
            help="Text file (- for standard input; .gz, .xz, .bz2, .zst), or a column: "
            "file.tsv:name, file.tsv:2, file.jsonl:key, file.parquet:column.",
            show_default=False,
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option(
            "--example",
            help="Parse the reference of Hyperbaton's example set.",
            rich_help_panel="Trees",
        ),
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            metavar="LANG",
            help="Language code such as en or pt-BR; selects spaCy's small pipeline.",
            rich_help_panel="Trees",
        ),
    ] = None,
    spec: Annotated[
        str | None,
        typer.Option(
            "--parser",
            metavar="PARSER",
            help="spacy:NAME or udpipe:MODEL_FILE.",
            rich_help_panel="Trees",
        ),
    ] = None,
    output: OutputFile = "-",
    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Do not read or write the cache.", rich_help_panel="Trees"),
    ] = False,
) -> None:
    """Parse a text into dependency trees in CoNLL-U format.

    Each line of the text becomes one block, even if it has several sentences.

    Trees are cached (see HYPERBATON_CACHE in the docs), so each line is parsed only once.

    \b
    Examples:
      hyperbaton parse text.txt -l en -o text.conllu
      hyperbaton parse text.txt --parser udpipe:english-ewt-ud-2.5.udpipe
      hyperbaton parse --example
    """
    if example:
        if text is not None:
            raise InputError("--example has its own text: do not give another one")
        text = str(EXAMPLE / "reference.txt")
        if spec is None:
            language = language or EXAMPLE_LANGUAGE
    if text is None:
        raise InputError("no text: hyperbaton parse TEXT -l LANG")
    check_paths([text], [output])
    uncached = load_parser(spec, language)
    parser: Parser = uncached if no_cache else CachedParser(uncached)
    comments = {"generator": f"hyperbaton {__version__}, {parser.name} {parser.version}"}
    number = 0
    with write_beside(output) as out:
        show_progress = not out.isatty()
        all_lines = batches(read_single_texts(text), BATCH)
        for batch in with_progress(all_lines, show_progress, count_source_lines(text)):
            for line, tree in zip(batch, parser.parse(batch), strict=True):
                number += 1
                try:
                    out.write(to_conllu(tree, line, comments))
                except InputError as error:  # such as a tree without words for a text with words
                    raise InputError(f"{describe_line(text, number)}: {error}") from None
                comments = {}  # only above the first tree
