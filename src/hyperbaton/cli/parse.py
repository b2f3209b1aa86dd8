"""``hyperbaton parse``: parse a text into dependency trees, line by line."""

from __future__ import annotations

from hyperbaton import __version__
from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.messages import batches, with_progress
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, OUTPUT_FILE, check_paths
from hyperbaton.errors import InputError
from hyperbaton.files.columns import count_source_lines, describe_line, read_single_texts
from hyperbaton.files.output_files import write_beside
from hyperbaton.syntax.cache import CachedParser
from hyperbaton.syntax.conllu import to_conllu
from hyperbaton.syntax.parsers import Parser, load_parser

BATCH = 100  # lines between two updates of the progress bar


class ParseOptions(OptionGroup):
    """The text, its parser and its trees.

    Attributes
    ----------
    text
        Text file (- for standard input; .gz, .xz, .bz2, .zst), or a column: file.tsv:name,
        file.tsv:2, file.jsonl:key, file.parquet:column.
    example
        Parse the reference of Hyperbaton's example set.
    language
        Language code such as en or pt-BR; selects spaCy's small pipeline.
    spec
        spacy:NAME or udpipe:MODEL_FILE.
    no_cache
        Do not read or write the cache.
    """

    TITLE = "Trees"

    text: str | None = argument("TEXT")
    example: bool = flag("--example")
    language: str | None = option("--language -l LANG")
    spec: str | None = option("--parser PARSER")
    output: str = OUTPUT_FILE
    no_cache: bool = flag("--no-cache")


PARSE_RULES: Rules = {
    lambda given: given.example: {"TEXT": "--example has its own text: do not give another one"}
}


def parse_command(options: ParseOptions) -> None:
    """Parse a text into dependency trees in CoNLL-U format.

    Each line of the text becomes one block, even if it has several sentences.

    Trees are cached (see HYPERBATON_CACHE in the docs), so each line is parsed only once.

    \b
    Examples:
      hyperbaton parse text.txt -l en -o text.conllu
      hyperbaton parse text.txt --parser udpipe:english-ewt-ud-2.5.udpipe
      hyperbaton parse --example
    """
    text, language = options.text, options.language
    if options.example:
        text = str(EXAMPLE / "reference.txt")
        if options.spec is None:
            language = language or EXAMPLE_LANGUAGE
    if text is None:
        raise InputError("no text: hyperbaton parse TEXT -l LANG")
    check_paths([text], [options.output])
    uncached = load_parser(options.spec, language)
    parser: Parser = uncached if options.no_cache else CachedParser(uncached)
    comments = {"generator": f"hyperbaton {__version__}, {parser.name} {parser.version}"}
    number = 0
    with write_beside(options.output) as out:
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
