"""``hyperbaton explain``: what is wrong with the word order of one translation."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from hyperbaton.cli import options
from hyperbaton.cli.options import in_colour
from hyperbaton.cli.score import warnings
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.report.explanation import DRAWINGS, Explanation
from hyperbaton.report.explanation import explain as explain_pair
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.columns import read_texts
from hyperbaton.text.lines import printable, side_by_side, write_beside

HOW = 'hyperbaton explain "reference" "system", or hyperbaton explain -r REF SYS --line N'


def explain(
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
        typer.Option("--reference", "-r", metavar="REF", help="The reference's file."),
    ] = None,
    line: Annotated[
        int | None, typer.Option("--line", "-n", metavar="N", help="Which line of the files.")
    ] = None,
    language: options.Language = None,
    metrics: options.Metrics = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a page to FILE.")] = None,
    svg: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the drawings to FILE, as one SVG.")
    ] = None,
    drawings: Annotated[
        str | None,
        typer.Option("--draw", metavar="NAMES", help=f"Which, in --svg: {', '.join(DRAWINGS)}."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    links: Annotated[
        str | None,
        typer.Option(metavar="LINKS", help='Such as "0-0 1-2": system and reference, from 0.'),
    ] = None,
    tokenize: Annotated[
        str | None, typer.Option(help="sacreBLEU's tokeniser; none for tokens split by spaces.")
    ] = None,
    trees: options.Trees = None,
    reference_trees: options.ReferenceTrees = None,
    parser: options.ParserSpec = None,
    wordnet: options.Wordnet = None,
    paraphrases: options.Paraphrases = None,
) -> None:
    """Explain one translation: links, trees, what moved, every metric.

    The reference comes first (in Python, hb.explain takes the system first).
    With --html or --svg, that is written, and nothing is printed.

    \b
    Examples:
      hyperbaton explain "we meet in the lobby at noon" "we meet at noon in the lobby" -l en
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en --html line12.html
      hyperbaton explain -r ref.txt sys.txt --line 12 --svg line12.svg --draw alignment,tree
      hyperbaton explain -r ref.txt sys.txt --line 12 --ref-trees ref.conllu --trees sys.conllu
    """
    outputs = [name for name in (html, svg) if name is not None]
    if outputs == ["-", "-"]:
        raise InputError("--html and --svg cannot both go to standard output")
    chosen = [name for name in re.split(r"[\s,]+", drawings or "") if name]
    for name in chosen:
        if name not in DRAWINGS:
            raise InputError(f"there is no drawing {name!r}; there are {', '.join(DRAWINGS)}")
    if drawings is not None and svg is None:
        raise InputError("--draw is for --svg")
    if drawings is not None and not chosen:
        raise InputError(f"--draw names no drawing; there are {', '.join(DRAWINGS)}")
    parses: tuple[DependencyTree | None, DependencyTree | None] = (None, None)
    given = texts or []
    if references:
        reference, system, parses = of_files(
            given, references, line, trees, reference_trees, parser, outputs
        )
    else:
        reference, system = of_arguments(given, line, outputs)
        if trees or reference_trees:
            raise InputError("--trees and --ref-trees are for files: -r REF SYS --line N")
    try:
        explanation = explain_pair(
            system,
            reference,
            metrics,
            language,
            alignment=links,
            tokenize=tokenize,
            tree=parses[1],
            reference_tree=parses[0],
            parser=parser,
            wordnet=wordnet,
            paraphrases=paraphrases,
        )
    except TooLongError as error:
        where = f"{printable(given[0])}, line {line:,}: " if references else ""
        raise InputError(f"{where}{error}") from None
    except ValueError as error:
        raise InputError(str(error)) from error
    if "dependencies" in chosen and explanation.edit is None:
        raise InputError(
            "there are no dependency trees to draw: --trees and --ref-trees, or --parser"
        )
    write(explanation, html, svg, chosen, as_json)
    # where a side has no words, or the links were given, it is no news that few are aligned
    found = links is None and explanation.hypothesis_words and explanation.reference_words
    for note in warnings([explanation.scores], language, few_aligned=bool(found)):
        print(f"hyperbaton: {note}", file=sys.stderr)


def of_arguments(texts: Sequence[str], line: int | None, outputs: Sequence[str]) -> tuple[str, str]:
    """The two sentences that were typed."""
    if len(texts) != 2 or line is not None:
        raise InputError(f"two sentences, or files with -r and --line: {HOW}")
    if "" in outputs:
        raise InputError("the name of a file is empty")
    options.different(outputs)
    if all(map(os.path.isfile, texts)):
        raise InputError(f"{printable(texts[0])} is a file: {HOW}")
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"{printable(text)!r} is not UTF-8") from None
    return texts[0], texts[1]


def of_files(
    systems: Sequence[str],
    references: Sequence[str],
    line: int | None,
    trees: Sequence[str] | None,
    reference_trees: Sequence[str] | None,
    parser: str | None,
    outputs: Sequence[str],
) -> tuple[str, str, tuple[DependencyTree | None, DependencyTree | None]]:
    """Line ``line`` of the reference and of the system, and their trees; the files are checked."""
    options.files(
        "explain", systems, references, outputs, False, [*(trees or ()), *(reference_trees or ())]
    )
    if len(systems) != 1 or len(references) != 1:
        raise InputError(f"one reference and one system: {HOW}")
    if line is None:
        raise InputError(f"which line? {HOW}")
    if line < 1:
        raise InputError(f"lines are counted from 1, not from {line}")
    files = options.tree_files(systems, references, trees, reference_trees, parser, False)
    found: tuple[str, str] | None = None
    count = 0
    for count, row in enumerate(side_by_side([references[0], systems[0]], read_texts), 1):
        if count == line:
            for name, several in zip((references[0], systems[0]), row, strict=True):
                if len(several) != 1:
                    raise InputError(f"{printable(name)}, line {count:,}, has several texts")
            found = row[0][0], row[1][0]
    if found is None:
        lines = f"{count:,} line{'s' * (count != 1)}" if count else "no lines"
        raise InputError(f"there is no line {line:,}: {printable(references[0])} has {lines}")
    if files is None:
        return *found, (None, None)
    first, second = map(list, files)
    return *found, (first[line - 1], second[line - 1])


def write(
    explanation: Explanation,
    html: str | None,
    svg: str | None,
    drawings: Sequence[str],
    as_json: bool,
) -> None:
    """To files, all or none, or to the terminal."""
    with contextlib.ExitStack() as files:
        if html is not None:
            files.enter_context(write_beside(html)).write(explanation.to_html())
        if svg is not None:
            files.enter_context(write_beside(svg)).write(explanation.to_svg(*drawings) + "\n")
    if as_json:
        typer.echo(json.dumps(explanation.to_dict(), ensure_ascii=False, indent=2))
    elif html is None and svg is None:
        typer.echo(explanation.draw(colour=in_colour(sys.stdout)))
