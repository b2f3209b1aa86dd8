"""``hyperbaton explain``: translations with their links, trees and moves."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.options import (
    EXAMPLE,
    EXAMPLE_LANGUAGE,
    EXAMPLE_SYSTEMS,
    AlignmentOptions,
    Fold,
    InputOptions,
    OutputFile,
    ScoringOptions,
    TreeOptions,
    check_paths,
    check_typed_texts,
    use_colour,
)
from hyperbaton.cli.systems import split_name
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.files.columns import describe_line, read_texts
from hyperbaton.files.lines import check_standard_input, printable, zip_files
from hyperbaton.files.output_files import OutputFiles, write_beside
from hyperbaton.text.display import safe_json
from hyperbaton.text.plurals import count_noun
from hyperbaton.views.drawings import DRAWINGS

if TYPE_CHECKING:
    from hyperbaton.explanations.explanation import Explanation
    from hyperbaton.metrics.batches import Batch
    from hyperbaton.runs.engine import MetricStatistics
    from hyperbaton.syntax.trees import DependencyTree

USAGE = 'hyperbaton explain "translation" "reference", or hyperbaton explain -r REF SYS --line N'
USAGE_OF_JSONL = "hyperbaton explain -r REF SYS... --format jsonl"


class ExplanationFormat(StrEnum):
    """Output formats."""

    text = "text"
    jsonl = "jsonl"


class Pair(NamedTuple):
    """A reference and a translation, with source, dependency trees and file if there are any."""

    reference: str
    system: str
    source: str | None = None
    reference_tree: DependencyTree | None = None
    system_tree: DependencyTree | None = None
    all_references: Sequence[str] | None = None  # of the file that the reference comes from


def explain(
    scoring: ScoringOptions,
    trees: TreeOptions,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TRANSLATION REFERENCE | SYS",
            help="Two sentences, the translation first; or, with -r, system files. NAME=SYS names "
            "a system.",
            show_default=False,
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            "-r",
            metavar="REF",
            help="Reference file; with --format jsonl it may be repeated.",
            rich_help_panel="Input",
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option(
            "--example",
            help="Explain a line of Hyperbaton's example set. SYS is literal (the default), "
            "phrasal or fluent; with --format jsonl, all lines of all three systems.",
            rich_help_panel="Input",
        ),
    ] = False,
    reference_first: Annotated[
        bool,
        typer.Option(
            "--reference-first",
            help="Read two sentences as reference first, translation second. Deprecated: will be "
            "removed in the next release.",
            rich_help_panel="Input",
        ),
    ] = False,
    line: Annotated[
        int | None,
        typer.Option(
            "--line",
            "-n",
            metavar="N",
            help="Line number in the files, counted from 1.",
            rich_help_panel="Input",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SRC",
            help="Source sentence or, with -r, source file. It is shown, but changes no number.",
            rich_help_panel="Input",
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        typer.Option(
            help="sacreBLEU tokeniser; none splits at spaces.",
            rich_help_panel="Input",
        ),
    ] = None,
    fold: Fold = None,
    links: Annotated[
        str | None,
        typer.Option(
            metavar="LINKS",
            help='Word links between translation and reference, such as "0-0 1-2"; words are '
            "counted from 0.",
            rich_help_panel="Alignments",
        ),
    ] = None,
    html: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write an HTML page to FILE.", rich_help_panel="Output"),
    ] = None,
    svg: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the drawings to FILE, as a single SVG.",
            rich_help_panel="Output",
        ),
    ] = None,
    drawings: Annotated[
        str | None,
        typer.Option(
            "--draw",
            metavar="NAMES",
            help=f"Drawings for --svg, separated by commas: {', '.join(DRAWINGS)}.",
            rich_help_panel="Output",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel="Output")
    ] = False,
    punctuation: Annotated[
        bool,
        typer.Option(
            help="List moves of punctuation alone, after all other moves.", rich_help_panel="Output"
        ),
    ] = True,
    output_format: Annotated[
        ExplanationFormat,
        typer.Option(
            "--format",
            "-f",
            help="text explains one translation; jsonl explains all lines, with one JSON object "
            "per line and system.",
            rich_help_panel="Output",
        ),
    ] = ExplanationFormat.text,
    output: OutputFile = "-",
) -> None:
    """Explain translations: links, trees, moves and every metric.

    One translation is explained in detail; --format jsonl writes the moves of all lines. The
    translation comes first and the reference second, as in Python and in hyperbaton align. With -r,
    soft_order counts word pairs in all of REF; for two sentences it uses precedence=off. With
    --html or --svg, nothing is printed unless --json is given. The default metrics of --format
    jsonl are those of score.

    \b
    Examples:
      hyperbaton explain "we meet at noon in the lobby" "we meet in the lobby at noon" -l en
      hyperbaton explain --example --line 7
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en --html line12.html
      hyperbaton explain -r ref.txt sys.txt --line 12 --svg line12.svg --draw alignment,tree
      hyperbaton explain -r ref.txt sys.txt --line 12 --ref-trees ref.conllu --trees sys.conllu
      hyperbaton explain -r ref.txt sysA.txt sysB.txt -l en --format jsonl -o moves.jsonl
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.explanations.explaining import explain as explain_pair
    from hyperbaton.runs.file_runs import score_warnings

    if output_format is ExplanationFormat.jsonl:
        for option, given in (
            *(("--line", line), ("--links", links), ("--html", html), ("--svg", svg)),
            *(("--draw", drawings), ("--json", as_json or None)),
        ):
            if given is not None:
                raise InputError(f"{option} cannot be used with --format jsonl")
        if reference_first:
            raise InputError("--reference-first can only be used with two sentences")
        inputs = InputOptions(texts, references, example)
        export_moves(inputs, scoring, trees, source, tokenize, fold, punctuation, output)
        return
    if output != "-" or scoring.threads is not None:
        option = "--threads" if output == "-" else "--output"
        raise InputError(f"{option} can only be used with --format jsonl")
    outputs = [name for name in (html, svg) if name is not None]
    if outputs == ["-", "-"]:
        raise InputError("--html and --svg cannot both be written to standard output")
    chosen = choose_drawings(drawings, svg)
    if example:
        texts, references, source, trees = find_example(texts, references, source, trees)
        scoring = replace(scoring, language=scoring.language or EXAMPLE_LANGUAGE)
    if references:
        if reference_first:
            raise InputError("--reference-first can only be used with two sentences")
        pair = read_pair(texts or [], references, source, line, trees, outputs)
    else:
        pair = check_sentences(texts or [], source, line, outputs, reference_first)
        if trees.paths:
            raise InputError(
                "--trees and --ref-trees can only be used with files: -r REF SYS --line N"
            )
    try:
        explanation = explain_pair(
            pair.system,
            pair.reference,
            scoring.metrics,
            scoring.language,
            alignment=links,
            tokenize=tokenize,
            fold=fold,
            tree=pair.system_tree,
            reference_tree=pair.reference_tree,
            parser=trees.parser,
            wordnet=scoring.wordnet,
            paraphrases=scoring.paraphrases,
            fit_on=pair.all_references,
            source=pair.source,
            punctuation=punctuation,
        )
    except TooLongError as error:
        where = (
            f"{describe_line(split_name(texts[0])[1], line)}: "
            if references and texts and line
            else ""
        )
        raise InputError(f"{where}{error}") from None
    if "dependencies" in chosen and explanation.edit is None:
        raise InputError(
            "there are no dependency trees to draw: give --trees and --ref-trees, or --parser"
        )
    write_explanation(explanation, html, svg, chosen, as_json)
    if reference_first:
        print_warnings(
            [
                "warning: --reference-first will be removed in the next release: give the "
                "translation first and the reference second"
            ]
        )
    # If a side has no words, or links were given, few aligned words are no news.
    searched = links is None and explanation.hypothesis_words and explanation.reference_words
    print_warnings(
        score_warnings([explanation.scores], scoring.language, few_aligned=bool(searched))
    )


def choose_drawings(names: str | None, svg: str | None) -> list[str]:
    """Return the drawings that --draw names."""
    chosen = [name for name in re.split(r"[\s,]+", names or "") if name]
    for name in chosen:
        if name not in DRAWINGS:
            raise InputError(f"unknown drawing {name!r}; valid names: {', '.join(DRAWINGS)}")
    if names is not None and svg is None:
        raise InputError("--draw can only be used with --svg")
    if names is not None and not chosen:
        raise InputError(f"--draw names no drawing; valid names: {', '.join(DRAWINGS)}")
    return chosen


def find_example(
    texts: Sequence[str] | None,
    references: Sequence[str] | None,
    source: str | None,
    trees: TreeOptions,
) -> tuple[list[str], list[str], str, TreeOptions]:
    """Return the files of the example set: system, reference, source and trees."""
    if references or source is not None or trees.paths:
        raise InputError("--example has its own systems, reference, source and trees")
    (name,) = texts if texts and len(texts) == 1 else [EXAMPLE_SYSTEMS[0]] if not texts else [""]
    if name not in EXAMPLE_SYSTEMS:
        raise InputError(f"--example takes one of its systems: {', '.join(EXAMPLE_SYSTEMS)}")
    if trees.parser is None:
        trees = replace(
            trees,
            trees=[str(EXAMPLE / f"{name}.conllu")],
            reference_trees=[str(EXAMPLE / "reference.conllu")],
        )
    reference, source = EXAMPLE / "reference.txt", str(EXAMPLE / "source.txt")
    return [str(EXAMPLE / f"{name}.txt")], [str(reference)], source, trees


def check_sentences(
    texts: Sequence[str],
    source: str | None,
    line: int | None,
    outputs: Sequence[str],
    reference_first: bool,
) -> Pair:
    """Return the sentences that were typed."""
    if len(texts) != 2 or line is not None:
        raise InputError(f"give two sentences, or files with -r and --line: {USAGE}")
    check_paths([], outputs)
    if all(map(os.path.isfile, texts)):
        raise InputError(f"{printable(texts[0])} is a file: {USAGE}")
    check_typed_texts([*texts, source or ""])
    system, reference = reversed(texts) if reference_first else texts
    return Pair(reference, system, source)


def read_pair(
    systems: Sequence[str],
    references: Sequence[str],
    source: str | None,
    line: int | None,
    trees: TreeOptions,
    outputs: Sequence[str],
) -> Pair:
    """Read one line of the reference, of the system and of the source, and their trees."""
    from hyperbaton.runs.file_input import read_checked_trees

    systems = [split_name(system)[1] for system in systems]
    sources = [] if source is None else [source]
    check_paths([*references, *systems, *sources, *trees.paths], outputs)
    if len(systems) != 1 or len(references) != 1:
        raise InputError(f"give one reference and one system: {USAGE}")
    if line is None:
        raise InputError(f"--line is missing: {USAGE}; for all lines, {USAGE_OF_JSONL}")
    if line < 1:
        raise InputError(f"lines are counted from 1, got {line}")
    files = [references[0], systems[0], *sources]
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
    reference_tree = system_tree = None
    if tree_files is not None:
        parsed = [list(read_checked_trees(*pair)) for pair in zip(tree_files, files, strict=False)]
        reference_tree, system_tree = (file_trees[line - 1] for file_trees in parsed)
    source_text = None if source is None else texts[2]
    return Pair(texts[0], texts[1], source_text, reference_tree, system_tree, all_references)


def write_explanation(
    explanation: Explanation,
    html: str | None,
    svg: str | None,
    drawings: Sequence[str],
    as_json: bool,
) -> None:
    """Write the explanation to files, all or none, or print it."""
    with OutputFiles() as files:
        if svg is not None:
            files.open(svg).write(explanation.to_svg(*drawings) + "\n")
        if html is not None:
            files.open(html).write(explanation.to_html())
    if as_json:
        typer.echo(safe_json(explanation.to_dict(), indent=2))
    elif html is None and svg is None:
        typer.echo(explanation.draw(colour=use_colour(sys.stdout)))


def export_moves(
    inputs: InputOptions,
    scoring: ScoringOptions,
    trees: TreeOptions,
    source: str | None,
    tokenize: str | None,
    fold: str | None,
    punctuation: bool,
    output: str,
) -> None:
    """Write one JSON object for each line and system."""
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS, prepare_run
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.explanations.explained_segments import BATCH_SIZE, SegmentExplainer
    from hyperbaton.explanations.explaining import find_metrics
    from hyperbaton.runs.engine import Keep

    if not inputs.references and not inputs.example:
        raise InputError(f"--format jsonl can only be used with files: {USAGE_OF_JSONL}")
    if inputs.example and source is None:
        source = str(EXAMPLE / "source.txt")
    check_paths([] if source is None else [source], [output])
    if source is not None:
        check_standard_input([source, *inputs.given_paths])
    run, _ = prepare_run(
        "explain", inputs, scoring, AlignmentOptions(), AlignerOptions(), trees, [output]
    )
    resources = scoring.resources(trees.parser, run.language)
    options = {"tok": tokenize, "fold": fold}
    run = replace(run, metrics=find_metrics(scoring.metrics or "default", resources, options))
    explainer = SegmentExplainer(
        run.metrics,
        run.language,
        tokenize,
        fold,
        system_count=len(run.corpus.names),
        sources=None if source is None else read_sources(source),
        source_name=printable(source or ""),
        punctuation=punctuation,
    )
    with write_beside(output) as out:

        def write(batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
            for segment in explainer.add(batch, statistics):
                out.write(safe_json(segment.to_dict()) + "\n")

        results = run.score(Keep(statistics=False), write, BATCH_SIZE, TERMINAL_PROGRESS)
        explainer.finish()
    print_warnings(run.warnings(results))


def read_sources(path: str) -> Iterator[str]:
    """Read the source sentence of each line."""
    for number, texts in enumerate(read_texts(path), 1):
        if len(texts) != 1:
            where = describe_line(path, number)
            raise InputError(f"{where}: expected one source sentence, got {len(texts)}")
        yield texts[0]
