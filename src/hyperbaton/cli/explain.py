"""``hyperbaton explain``: one translation, with its links, trees and moves."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from hyperbaton.cli.options import (
    Fold,
    MetricOptions,
    TreeOptions,
    check_paths,
    check_typed_texts,
    use_colour,
)
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.report.drawings import DRAWINGS
from hyperbaton.text.columns import describe_line, read_texts
from hyperbaton.text.lines import printable, write_beside, zip_files
from hyperbaton.text.plurals import count_noun

if TYPE_CHECKING:
    from hyperbaton.report.explanation import Explanation
    from hyperbaton.syntax.trees import DependencyTree

USAGE = 'hyperbaton explain "reference" "system", or hyperbaton explain -r REF SYS --line N'


class Pair(NamedTuple):
    """A reference and a translation, with their dependency trees and file if there are any."""

    reference: str
    system: str
    reference_tree: DependencyTree | None = None
    system_tree: DependencyTree | None = None
    all_references: Sequence[str] | None = None  # of the file that the reference comes from


def explain(
    metric_options: MetricOptions,
    trees: TreeOptions,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="REFERENCE SYSTEM | SYS",
            help="Two sentences, the reference first; or with -r, the file of a system.",
            show_default=False,
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--reference", "-r", metavar="REF", help="Reference file.", rich_help_panel="Input"
        ),
    ] = None,
    line: Annotated[
        int | None,
        typer.Option(
            "--line", "-n", metavar="N", help="Line of the files.", rich_help_panel="Input"
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        typer.Option(
            help="sacreBLEU's tokeniser; none for tokens separated by spaces.",
            rich_help_panel="Input",
        ),
    ] = None,
    fold: Fold = None,
    links: Annotated[
        str | None,
        typer.Option(
            metavar="LINKS",
            help='Links of system and reference, such as "0-0 1-2"; words are counted from 0.',
            rich_help_panel="Alignments",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write a page to FILE.", rich_help_panel="Output"),
    ] = None,
    svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the drawings to FILE, as one SVG.", rich_help_panel="Output"
        ),
    ] = None,
    drawings: Annotated[
        str | None,
        typer.Option(
            "--draw",
            metavar="NAMES",
            help=f"Drawings of --svg: {', '.join(DRAWINGS)}.",
            rich_help_panel="Output",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel="Output")
    ] = False,
) -> None:
    """Explain one translation: links, trees, moves, every metric.

    The reference comes first (in Python, hb.explain takes the system first). With -r, soft_order
    counts pairs of words in all of REF; of two sentences it uses precedence=off. With --html or
    --svg, nothing is printed unless --json is given.

    \b
    Examples:
      hyperbaton explain "we meet in the lobby at noon" "we meet at noon in the lobby" -l en
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en --html line12.html
      hyperbaton explain -r ref.txt sys.txt --line 12 --svg line12.svg --draw alignment,tree
      hyperbaton explain -r ref.txt sys.txt --line 12 --ref-trees ref.conllu --trees sys.conllu
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.file_run import print_warnings, score_warnings
    from hyperbaton.report.explanation import explain as explain_pair

    outputs = [name for name in (html, svg) if name is not None]
    if outputs == ["-", "-"]:
        raise InputError("--html and --svg cannot both be written to standard output")
    chosen = choose_drawings(drawings, svg)
    if references:
        pair = read_pair(texts or [], references, line, trees, outputs)
    else:
        pair = check_sentences(texts or [], line, outputs)
        if trees.paths:
            raise InputError("--trees and --ref-trees are only for files: -r REF SYS --line N")
    try:
        explanation = explain_pair(
            pair.system,
            pair.reference,
            metric_options.metrics,
            metric_options.language,
            alignment=links,
            tokenize=tokenize,
            fold=fold,
            tree=pair.system_tree,
            reference_tree=pair.reference_tree,
            parser=trees.parser,
            wordnet=metric_options.wordnet,
            paraphrases=metric_options.paraphrases,
            fit_on=pair.all_references,
        )
    except TooLongError as error:
        where = f"{describe_line(texts[0], line)}: " if references and texts and line else ""
        raise InputError(f"{where}{error}") from None
    if "dependencies" in chosen and explanation.edit is None:
        raise InputError(
            "there are no dependency trees to draw: give --trees and --ref-trees, or --parser"
        )
    write_explanation(explanation, html, svg, chosen, as_json)
    # If a side has no words, or links were given, few aligned words are no news.
    searched = links is None and explanation.hypothesis_words and explanation.reference_words
    print_warnings(
        score_warnings([explanation.scores], metric_options.language, few_aligned=bool(searched))
    )


def choose_drawings(names: str | None, svg: str | None) -> list[str]:
    """Return the drawings that --draw names."""
    chosen = [name for name in re.split(r"[\s,]+", names or "") if name]
    for name in chosen:
        if name not in DRAWINGS:
            raise InputError(f"unknown drawing {name!r}; valid names: {', '.join(DRAWINGS)}")
    if names is not None and svg is None:
        raise InputError("--draw is only for --svg")
    if names is not None and not chosen:
        raise InputError(f"--draw names no drawing; valid names: {', '.join(DRAWINGS)}")
    return chosen


def check_sentences(texts: Sequence[str], line: int | None, outputs: Sequence[str]) -> Pair:
    """Return the two sentences that were typed."""
    if len(texts) != 2 or line is not None:
        raise InputError(f"give two sentences, or files with -r and --line: {USAGE}")
    check_paths([], outputs)
    if all(map(os.path.isfile, texts)):
        raise InputError(f"{printable(texts[0])} is a file: {USAGE}")
    check_typed_texts(texts)
    reference, system = texts
    return Pair(reference, system)


def read_pair(
    systems: Sequence[str],
    references: Sequence[str],
    line: int | None,
    trees: TreeOptions,
    outputs: Sequence[str],
) -> Pair:
    """Read one line of the reference and of the system, and their trees."""
    from hyperbaton.metrics.file_input import read_checked_trees

    check_paths([*references, *systems, *trees.paths], outputs)
    if len(systems) != 1 or len(references) != 1:
        raise InputError(f"give one reference and one system: {USAGE}")
    if line is None:
        raise InputError(f"--line is missing: {USAGE}")
    if line < 1:
        raise InputError(f"lines are counted from 1, got {line}")
    files = [references[0], systems[0]]
    tree_files = trees.files(systems, references)
    texts: list[str] | None = None
    all_references: list[str] = []
    count = 0
    for count, row in enumerate(zip_files(files, read_texts), 1):  # checks all lines
        all_references += row[0]
        if count == line:
            for name, line_texts in zip(files, row, strict=True):
                if len(line_texts) != 1:
                    raise InputError(f"{describe_line(name, count)}, has several texts")
            texts = [line_texts[0] for line_texts in row]
    if texts is None:
        lines = count_noun(count, "line") if count else "no lines"
        raise InputError(f"there is no line {line:,}: {printable(references[0])} has {lines}")
    if tree_files is None:
        return Pair(texts[0], texts[1], all_references=all_references)
    parsed = [
        list(read_checked_trees(path, text)) for path, text in zip(tree_files, files, strict=True)
    ]
    reference_tree, system_tree = (file_trees[line - 1] for file_trees in parsed)
    return Pair(texts[0], texts[1], reference_tree, system_tree, all_references)


def write_explanation(
    explanation: Explanation,
    html: str | None,
    svg: str | None,
    drawings: Sequence[str],
    as_json: bool,
) -> None:
    """Write the explanation to files, all or none, or print it."""
    with contextlib.ExitStack() as files:
        if html is not None:
            files.enter_context(write_beside(html)).write(explanation.to_html())
        if svg is not None:
            files.enter_context(write_beside(svg)).write(explanation.to_svg(*drawings) + "\n")
    if as_json:
        typer.echo(json.dumps(explanation.to_dict(), ensure_ascii=False, indent=2))
    elif html is None and svg is None:
        typer.echo(explanation.draw(colour=use_colour(sys.stdout)))
