"""``hyperbaton report``: systems in one page to send on."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

from hyperbaton.cli import options
from hyperbaton.cli.alignments import AlignmentFiles
from hyperbaton.cli.compare import Correction, Method, baseline_name, notes
from hyperbaton.cli.options import as_input_error, system_names
from hyperbaton.cli.score import alignment_warnings, run, warnings
from hyperbaton.errors import InputError
from hyperbaton.metrics.comparison import check_systems, compare_results
from hyperbaton.metrics.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.metrics.scoring import Scorer, named_metrics, with_intervals
from hyperbaton.report.reports import report_of
from hyperbaton.text.lines import write_beside
from hyperbaton.threads import thread_count


def report(
    systems: options.Systems = None,
    references: options.References = None,
    metrics: options.Metrics = None,
    language: options.Language = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the page goes.")
    ] = "report.html",
    data: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write what is in the page to FILE, as JSON."),
    ] = None,
    title: Annotated[str | None, typer.Option(help="What stands above it.")] = None,
    method: Annotated[
        Method, typer.Option(help="Segments drawn with replacement, or exchanged at random.")
    ] = Method.bootstrap,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYS", help="Compare with this one only; default: every pair."),
    ] = None,
    correction: Annotated[
        Correction, typer.Option(help="Of the p-values of a metric.")
    ] = Correction.none,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = DEFAULT_SEED,
    level: options.Level = DEFAULT_LEVEL,
    wordnet: options.Wordnet = None,
    paraphrases: options.Paraphrases = None,
    trees: options.Trees = None,
    reference_trees: options.ReferenceTrees = None,
    parser: options.ParserSpec = None,
    source: options.Source = None,
    alignments: options.Alignments = None,
    reference_alignments: options.ReferenceAlignments = None,
    one_based: options.OneBased = False,
    sure: options.Sure = False,
    threads: options.Threads = None,
    example: options.Example = False,
) -> None:
    """Write a page about systems: scores, reorderings, every segment with drawings.

    The page is one file that needs nothing else: the table of systems with intervals and clusters,
    how values are spread, by length and by share of aligned words; which reorderings each system
    has; and every segment with its links, tree and moves, to sort, filter and search.

    \b
    Examples:
      hyperbaton report -r ref.txt sysA.txt sysB.txt -l en -o report.html
      hyperbaton report -r ref.txt sys.txt -l en -m pef:bp=off,bleu --title "Release 3"
      hyperbaton report -r ref.txt old.txt new.txt -l en --baseline old.txt --json report.json
      hyperbaton report --example
    """
    language = language or ("en" if example else None)
    others = [
        *(trees or ()),
        *(reference_trees or ()),
        source,
        *(alignments or ()),
        *(reference_alignments or ()),
    ]
    outputs = [output, data]
    systems, references = options.files("report", systems, references, outputs, example, others)
    if outputs.count("-") > 1:
        raise InputError("two outputs would be written to standard output")
    parses = options.tree_files(systems, references, trees, reference_trees, parser, example)
    links = AlignmentFiles.of(
        systems, references, source, alignments, reference_alignments, one_based, sure
    )
    names = system_names(systems)
    with as_input_error():
        thread_count(threads)
        sampling = Sampling(method.value, samples, seed, level, threads)
        named = named_metrics(metrics or ["default"], language, wordnet, paraphrases, parser)
        if len(names) > 1:
            baseline = baseline_name(baseline, systems, names)
            check_systems(names, baseline, correction.value)
        elif baseline is not None or method is not Method.bootstrap:
            raise InputError("--baseline and --method are for two systems and more")
    with contextlib.ExitStack() as files:
        page = files.enter_context(write_beside(output))
        content = None if data is None else files.enter_context(write_beside(data))
        scorers = [Scorer(named, keep=True, name=name, texts=True) for name in names]
        run(scorers, systems, references, None, threads, parses, links)
        results = [scorer.result() for scorer in scorers]
        comparison = None
        if len(results) > 1:
            comparison = compare_results(results, sampling, baseline, correction.value)
            found = comparison.report(title, threads)
        else:
            found = report_of(with_intervals(results, sampling), sampling, None, title, threads)
        page.write(found.to_html())
        if content is not None:
            content.write(found.to_json() + "\n")
    more = [] if comparison is None else notes(comparison)
    for line in [*alignment_warnings(links), *warnings(results, language), *more]:
        print(f"hyperbaton: {line}", file=sys.stderr)
