"""``hyperbaton explain``: translations with their links, trees and moves."""

from __future__ import annotations

import heapq
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import click

from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.messages import print_notices, progress_hooks
from hyperbaton.cli.options import (
    EXAMPLE,
    EXAMPLE_LANGUAGE,
    EXAMPLE_SYSTEMS,
    FOLD,
    OUTPUT_FILE,
    InputOptions,
    RunOptions,
    ScoringOptions,
    TreeOptions,
    check_paths,
    check_typed_texts,
    use_colour,
)
from hyperbaton.cli.systems import split_name
from hyperbaton.errors import InputError, TooLongError
from hyperbaton.files.columns import describe_line, read_texts
from hyperbaton.files.lines import check_standard_input, printable, short_names, zip_files
from hyperbaton.files.output_files import OutputFiles, write_beside
from hyperbaton.notices import Notice
from hyperbaton.text.display import isolated, safe_json
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import TOKENIZERS
from hyperbaton.views.drawings import DRAWINGS

if TYPE_CHECKING:
    from hyperbaton.explanations.explaining import ExplainedSegment, SegmentExplainer
    from hyperbaton.explanations.explanation import Explanation
    from hyperbaton.runs.engine import ScoredBatch
    from hyperbaton.runs.file_runs import FileRun
    from hyperbaton.syntax.trees import DependencyTree

USAGE = 'hyperbaton explain "translation" "reference", or hyperbaton explain -r REF SYS --line N'
FORMATS = ("text", "jsonl")
USAGE_OF_JSONL = "hyperbaton explain -r REF SYS... --format jsonl"
USAGE_OF_WORST = "hyperbaton explain -r REF SYS --worst 5"
NOTHING_LOST = "No segment has words with other neighbours than in the reference.\n"


class Pair(NamedTuple):
    """A reference and a translation, with source, dependency trees and file if there are any."""

    reference: str
    system: str
    source: str | None = None
    reference_tree: DependencyTree | None = None
    system_tree: DependencyTree | None = None
    all_references: Sequence[str] | None = None  # of the file that the reference comes from


class ExplainedTexts(OptionGroup):
    """The translations that are explained.

    Attributes
    ----------
    texts
        Two sentences, the translation first; or, with -r, system files. NAME=SYS names a system.
    references
        Reference file; with --format jsonl or --worst it may be repeated.
    example
        Explain a line of Hyperbaton's example set. SYS is literal (the default), phrasal or fluent;
        with --format jsonl, all lines of all three systems.
    reference_first
        Read two sentences as reference first, translation second. Deprecated: will be removed in
        the next release.
    line
        Line number in the files, counted from 1.
    worst
        Explain the N segments to look at first: those with most words that have other neighbours
        in the reference.
    source
        Source sentence or, with -r, source file. It is shown, but changes no number.
    tokenize
        Tokeniser: {suggestions}; none splits at spaces.
    links
        Word links between translation and reference, such as "0-0 1-2"; words are counted from 0.
    """

    TITLE = "Input"

    texts: list[str] | None = argument("TRANSLATION REFERENCE | SYS")
    references: list[str] | None = option("--reference -r REF")
    example: bool = flag("--example")
    reference_first: bool = flag("--reference-first")
    line: int | None = option("--line -n N")
    worst: int | None = option("--worst N", low=1)
    source: str | None = option("--source SRC")
    tokenize: str | None = option("--tokenize", suggestions=TOKENIZERS)
    fold: str | None = FOLD
    links: str | None = option("--links LINKS", title="Alignments")


class ExplanationOutput(OptionGroup):
    """What is printed and drawn, and where.

    Attributes
    ----------
    html
        Write an HTML page to FILE.
    svg
        Write the drawings to FILE, as a single SVG.
    drawings
        Drawings for --svg, separated by commas: {suggestions}.
    as_json
        Print JSON.
    details
        Also print the marks of order, the trees, the parse and the metrics.
    punctuation
        List moves of punctuation alone, after all other moves.
    format
        text explains one translation; jsonl explains all lines, with one JSON object per line and
        system.
    """

    TITLE = "Output"

    html: str | None = option("--html FILE")
    svg: str | None = option("--svg FILE")
    drawings: str | None = option("--draw NAMES", suggestions=DRAWINGS)
    as_json: bool = flag("--json")
    details: bool = flag("--details")
    punctuation: bool = flag("--punctuation/--no-punctuation", True)
    format: str = option("--format -f", FORMATS[0], choices=FORMATS)
    output: str = OUTPUT_FILE


ONLY_WITH_SENTENCES = "{option} can only be used with two sentences"
EXPLAIN_RULES: Rules = {
    lambda given: given.format == "jsonl": {
        "--line --links --html --svg --draw --json --details": "{option} cannot be used with "
        "--format jsonl",
        "--reference-first": ONLY_WITH_SENTENCES,
    },
    lambda given: given.worst: {
        "--line --links --html --svg --draw --json --details": "{option} cannot be used with "
        "--worst",
        "--reference-first": ONLY_WITH_SENTENCES,
    },
    lambda given: given.format == "text" and not given.worst: {
        "--output --threads": "{option} can only be used with --format jsonl or --worst"
    },
    lambda given: given.format == "text" and given.example: {
        "--reference --source --trees --ref-trees": "--example has its own systems, reference, "
        "source and trees"
    },
    lambda given: given.as_json or given.html or given.svg: {
        "--details": "--details is for printed text: JSON, pages and drawings have everything"
    },
    lambda given: given.svg is None: {"--draw": "--draw can only be used with --svg"},
    lambda given: given.references or given.example: {"--reference-first": ONLY_WITH_SENTENCES},
}


def explain_command(
    scoring: ScoringOptions, trees: TreeOptions, given: ExplainedTexts, output: ExplanationOutput
) -> None:
    """Explain a translation: what has to move, and what is linked.

    Words that have to move are in brackets, with the number of their move. Of files, one line is
    explained, the segments to look at first, or all lines as data. The translation comes first and
    the reference second, as in Python and in hyperbaton align. With -r, order counts word pairs in
    all of REF; for two sentences it uses precedence=own. Nothing is printed with --html or --svg
    unless --json is given. The default metrics of --format jsonl are those of score.

    \b
    Examples:
      hyperbaton explain "we meet at noon in the lobby" "we meet in the lobby at noon" -l en
      hyperbaton explain --example --line 7 --details
      hyperbaton explain -r ref.txt sys.txt -l en --worst 5
      hyperbaton explain -r ref.txt sys.txt --line 12 -l en --html line12.html
      hyperbaton explain -r ref.txt sys.txt --line 12 --svg line12.svg --draw alignment,tree
      hyperbaton explain -r ref.txt sys.txt --line 12 --ref-trees ref.conllu --trees sys.conllu
      hyperbaton explain -r ref.txt sysA.txt sysB.txt -l en --format jsonl -o moves.jsonl
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.explanations.explaining import explain as explain_pair

    if output.format == "jsonl" or given.worst:
        explain_lines(scoring, trees, given, output)
        return
    outputs = [name for name in (output.html, output.svg) if name is not None]
    if outputs == ["-", "-"]:
        raise InputError("--html and --svg cannot both be written to standard output")
    chosen = choose_drawings(output.drawings)
    if given.example:
        given, trees = find_example(given, trees)
        scoring = scoring.replace(language=scoring.language or EXAMPLE_LANGUAGE)
    pair = find_pair(given, trees, outputs)
    try:
        explanation = explain_pair(
            pair.system,
            pair.reference,
            scoring.metrics,
            scoring.language,
            alignment=given.links,
            tokenize=given.tokenize,
            fold=given.fold,
            tree=pair.system_tree,
            reference_tree=pair.reference_tree,
            parser=trees.parser,
            wordnet=scoring.wordnet,
            paraphrases=scoring.paraphrases,
            fit_on=pair.all_references,
            source=pair.source,
            punctuation=output.punctuation,
        )
    except TooLongError as error:
        where = ""
        if given.references and given.texts and given.line:
            where = f"{describe_line(split_name(given.texts[0])[1], given.line)}: "
        raise InputError(f"{where}{error}") from None
    if "dependencies" in chosen and explanation.edit is None:
        raise InputError(
            "there are no dependency trees to draw: give --trees and --ref-trees, or --parser"
        )
    write_explanation(explanation, output, chosen)
    print_cautions(explanation, scoring, given, output)


def print_cautions(
    explanation: Explanation,
    scoring: ScoringOptions,
    given: ExplainedTexts,
    output: ExplanationOutput,
) -> None:
    """Print what a reader should know of the metrics that are shown, or of the first ones."""
    from hyperbaton.runs.cautions import score_warnings
    from hyperbaton.runs.results import Result
    from hyperbaton.views.catalogue import FIRST_METRICS

    if given.reference_first:
        change = "give the translation first and the reference second"
        print_notices([Notice(f"--reference-first will be removed in the next release: {change}")])
    # If a side has no words, or links were given, few linked words are no news.
    have_words = bool(explanation.hypothesis_words and explanation.reference_words)
    searched = given.links is None and have_words
    scores = explanation.scores
    shows_all = output.html or output.svg or output.as_json or output.details
    if not shows_all and len(scores) > len(FIRST_METRICS):
        scores = Result({name: scores[name] for name in FIRST_METRICS if name in scores})
    print_notices(score_warnings([scores], scoring.language, few_linked=searched))


def find_pair(given: ExplainedTexts, trees: TreeOptions, outputs: Sequence[str]) -> Pair:
    """Return the line of the files, or the sentences that were typed."""
    if given.references:
        return read_pair(given, trees, outputs)
    pair = check_sentences(given, outputs)
    if trees.paths:
        raise InputError("--trees and --ref-trees can only be used with files: -r REF SYS --line N")
    return pair


def choose_drawings(names: str | None) -> list[str]:
    """Return the drawings that --draw names."""
    chosen = [name for name in re.split(r"[\s,]+", names or "") if name]
    for name in chosen:
        if name not in DRAWINGS:
            raise InputError(f"unknown drawing {name!r}; valid names: {', '.join(DRAWINGS)}")
    if names is not None and not chosen:
        raise InputError(f"--draw names no drawing; valid names: {', '.join(DRAWINGS)}")
    return chosen


def find_example(given: ExplainedTexts, trees: TreeOptions) -> tuple[ExplainedTexts, TreeOptions]:
    """Return the files of the example set: system, reference, source and trees."""
    texts = given.texts
    (name,) = texts if texts and len(texts) == 1 else [EXAMPLE_SYSTEMS[0]] if not texts else [""]
    if name not in EXAMPLE_SYSTEMS:
        raise InputError(f"--example takes one of its systems: {', '.join(EXAMPLE_SYSTEMS)}")
    if trees.parser is None:
        trees = trees.replace(
            trees=[str(EXAMPLE / f"{name}.conllu")],
            reference_trees=[str(EXAMPLE / "reference.conllu")],
        )
    files = [str(EXAMPLE / f"{one}.txt") for one in (name, "reference", "source")]
    return given.replace(texts=files[:1], references=files[1:2], source=files[2]), trees


def check_sentences(given: ExplainedTexts, outputs: Sequence[str]) -> Pair:
    """Return the sentences that were typed."""
    texts = given.texts or []
    if len(texts) != 2 or given.line is not None:
        raise InputError(f"give two sentences, or files with -r and --line: {USAGE}")
    check_paths([], outputs)
    if all(map(os.path.isfile, texts)):
        raise InputError(f"{printable(texts[0])} is a file: {USAGE}")
    check_typed_texts([*texts, given.source or ""])
    system, reference = reversed(texts) if given.reference_first else texts
    return Pair(reference, system, given.source)


def read_pair(given: ExplainedTexts, trees: TreeOptions, outputs: Sequence[str]) -> Pair:
    """Read one line of the reference, of the system and of the source, and their trees."""
    from hyperbaton.runs.file_runs import read_checked_trees

    references, line = given.references or [], given.line
    systems = [split_name(system)[1] for system in given.texts or ()]
    sources = [] if given.source is None else [given.source]
    check_paths([*references, *systems, *sources, *trees.paths], outputs)
    if len(systems) != 1 or len(references) != 1:
        raise InputError(f"give one reference and one system: {USAGE}")
    if line is None:
        raise InputError(f"--line is missing: {USAGE}; for the worst segments, {USAGE_OF_WORST}")
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
    source_text = texts[2] if sources else None
    return Pair(texts[0], texts[1], source_text, reference_tree, system_tree, all_references)


def write_explanation(
    explanation: Explanation, output: ExplanationOutput, drawings: Sequence[str]
) -> None:
    """Write the explanation to files, all or none, or print it."""
    with OutputFiles() as files:
        if output.svg is not None:
            files.open(output.svg).write(explanation.to_svg(*drawings) + "\n")
        if output.html is not None:
            files.open(output.html).write(explanation.to_html())
    if output.as_json:
        click.echo(safe_json(explanation.to_dict(), indent=2))
    elif output.html is None and output.svg is None:
        click.echo(explanation.draw(colour=use_colour(sys.stdout), details=output.details))


def prepare_lines(
    scoring: ScoringOptions, trees: TreeOptions, given: ExplainedTexts, output: ExplanationOutput
) -> tuple[FileRun, SegmentExplainer]:
    """Return the run over all lines, and what explains its batches."""
    from hyperbaton.explanations.explaining import BATCH_SIZE, SegmentExplainer, find_metrics
    from hyperbaton.runs.file_runs import read_source
    from hyperbaton.runs.run import Keep

    if not given.references and not given.example:
        option, usage = (
            ("--worst", USAGE_OF_WORST) if given.worst else ("--format jsonl", USAGE_OF_JSONL)
        )
        raise InputError(f"{option} can only be used with files: {usage}")
    texts, references, source = given.texts, given.references, given.source
    inputs = InputOptions(systems=texts, references=references, example=given.example)
    if given.example and source is None:
        source = inputs.source
    check_paths([] if source is None else [source], [output.output])
    if source is not None:
        check_standard_input([source, *inputs.given_paths])
    options = RunOptions(inputs=inputs, scoring=scoring, trees=trees)
    run, _ = options.prepare("explain", [output.output])
    resources = scoring.resources(trees.parser, run.run.language)
    text_options = {"tok": given.tokenize, "fold": given.fold}
    default = "order" if output.format == "text" else "default"
    metrics = find_metrics(scoring.metrics or default, resources, text_options)
    if given.worst and not any(metric.needs.anchors for metric in metrics.values()):
        raise InputError("--worst needs the metric order: add -m order")
    run = run.with_run(metrics=metrics, keep=Keep(statistics=False), batch_size=BATCH_SIZE)
    return run, SegmentExplainer(
        metrics,
        run.run.language,
        given.tokenize,
        given.fold,
        system_count=len(run.corpus.names),
        sources=None if source is None else read_source(source),
        source_name=printable(source or ""),
        punctuation=output.punctuation,
    )


def explain_lines(
    scoring: ScoringOptions, trees: TreeOptions, given: ExplainedTexts, output: ExplanationOutput
) -> None:
    """Explain all lines of all systems, or the worst of them."""
    run, explainer = prepare_lines(scoring, trees, given, output)
    worst: list[ExplainedSegment] = []
    with write_beside(output.output) as out:

        def write(scored: ScoredBatch) -> None:
            segments = explainer.add(scored)
            if given.worst:
                found = (segment for segment in segments if segment.lost)
                worst[:] = heapq.nlargest(given.worst, chain(worst, found), key=words_lost)
                return
            for segment in segments:
                out.write(safe_json(segment.to_dict()) + "\n")

        results = run.score(write, progress_hooks())
        explainer.finish()
        if output.format == "text":
            colour = output.output == "-" and use_colour(sys.stdout)
            names = short_names(run.corpus.names)
            parts = (
                segment_heading(segment, names, colour)
                + explainer.explain(segment).draw(colour=colour)
                for segment in worst
            )
            out.write("\n\n".join(parts) + "\n" if worst else NOTHING_LOST)
        else:
            out.writelines(safe_json(segment.to_dict()) + "\n" for segment in worst)
    print_notices(run.warnings(results))


def words_lost(segment: ExplainedSegment) -> float:
    """Return how much of the order is lost. It is soft, so that it is not shown as a number."""
    return segment.lost or 0


def segment_heading(segment: ExplainedSegment, names: Mapping[str, str], colour: bool) -> str:
    """Return a line that says which segment it is."""
    title = f"segment {segment.segment:,} of {isolated(names[segment.system])}"
    return (click.style(title, bold=True) if colour else title) + "\n"
