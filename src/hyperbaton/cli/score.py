"""``hyperbaton score``: systems against references, in one table."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.mtme_run import score_test_set
from hyperbaton.cli.options import (
    AlignmentOptions,
    InputOptions,
    SamplingOptions,
    ScoreOutputOptions,
    ScoringOptions,
    TreeOptions,
)
from hyperbaton.cli.table_run import (
    TableOptions,
    check_folder_name,
    score_to_folder,
    skipped_warnings,
    writes_folder,
)
from hyperbaton.errors import InputError


def score(
    inputs: InputOptions,
    scoring: ScoringOptions,
    alignments: AlignmentOptions,
    aligner: AlignerOptions,
    trees: TreeOptions,
    statistics: SamplingOptions,
    tables: TableOptions,
    output_options: ScoreOutputOptions,
    confidence: Annotated[
        bool,
        typer.Option(
            "--confidence",
            "-c",
            help="Compute confidence intervals.",
            rich_help_panel="Statistics",
        ),
    ] = False,
    segments: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write the scores of every segment to FILE, as TSV.",
            rich_help_panel="Output",
        ),
    ] = None,
    mtme: Annotated[
        str | None,
        typer.Option(
            "--mtme",
            metavar="DIR",
            help="Write score files for mt-metrics-eval to DIR/metric-scores/. Without REF and "
            "SYS, DIR is a test set in the layout of mt-metrics-eval, and all of its language "
            "pairs are scored, or those of --langpair en-de,zh-en.",
            rich_help_panel="Output",
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="METRIC", help="Describe a metric and exit.", rich_help_panel="Metrics"
        ),
    ] = None,
) -> None:
    """Score systems against references.

    A * marks the best value of each column. "aligned" is the share of words with a link; an order
    score over few aligned words means little. The signatures below the table say how each number
    was computed.

    \b
    Examples:
      hyperbaton score -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton score -r ref.txt old=runs/3.txt new=runs/7.txt -l en --sort bleu --scale 100
      hyperbaton score -r ref.txt sys.txt -m bleu --scale 100 --score-only --quiet
      hyperbaton score -r ref.txt sys.txt -l en -m pef -m full:order=ulam,bp=off
      hyperbaton score -r ref.txt sys.txt -l en -m pef --confidence --level 0.99
      hyperbaton score -r ref.txt sys.txt -l en -m order --segments segments.tsv
      hyperbaton score -r ref1.txt -r ref2.txt sys.txt --format json -o scores.json
      hyperbaton score -r data.tsv:reference data.tsv:sysA data.tsv:sysB
      hyperbaton score -r ref.txt sys.txt -m dted --ref-trees ref.conllu --trees sys.conllu
      hyperbaton score -r ref.txt sys.txt -m lr_kb4:tok=none --source src.txt \\
        --ref-alignment ref.align --alignment sys.align
      hyperbaton score -r ref.txt sysA.txt sysB.txt -m lr_kb1 --source src.txt --align-source
      hyperbaton score -r 'data/*.parquet:ref' 'data/*.parquet:mt' -l en -m pef -o scores/
      hyperbaton score --test-set wmt20 --langpair en-de sys.txt
      hyperbaton score --mtme wmt22 --langpair en-de,zh-en -m hyper -m pef
      hyperbaton score -r refA.txt sysA.txt sysB.txt -m hyper --mtme scores --langpair en-de
      hyperbaton score --example
      hyperbaton score --explain pef
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS, prepare_run
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.metrics.registry import expand
    from hyperbaton.runs.comparisons import few_segments_warning
    from hyperbaton.runs.engine import Keep
    from hyperbaton.runs.file_runs import score_warnings
    from hyperbaton.runs.intervals import with_intervals
    from hyperbaton.stats.few_segments import FEW_SEGMENTS, fewest_segments
    from hyperbaton.views.catalogue import describe_metric
    from hyperbaton.views.score_tables import check_sort, sort_results
    from hyperbaton.views.segment_values import segment_writer

    if explain is not None:
        specs = expand([explain])
        if not specs:
            raise InputError("--explain needs a metric")
        typer.echo("\n\n".join(map(describe_metric, specs)))
        return
    output_options.check(confidence)
    if not confidence and statistics != SamplingOptions():
        raise InputError("--samples, --seed and --level can only be used with --confidence")
    if mtme is not None:
        if confidence or segments is not None or tables.given:
            raise InputError(
                "--mtme cannot be used with --confidence, --segments or an output folder"
            )
        score_test_set(mtme, inputs, scoring, alignments, aligner, trees, output_options)
        return
    if tables.given or writes_folder(output_options.output):
        if confidence or segments is not None:
            raise InputError("--confidence and --segments cannot be used with an output folder")
        if not writes_folder(output_options.output):
            raise InputError(f"{tables.given[0]} needs an output folder: -o FOLDER/")
        if alignments.align_source:
            raise InputError(
                "--align-source cannot be used with an output folder: compute the links with "
                "hyperbaton align, and give them as columns"
            )
        for option, given in (*aligner.for_aligner, *aligner.for_source):
            if given:
                raise InputError(f"{option} cannot be used with an output folder")
        results = score_to_folder(inputs, scoring, alignments, trees, output_options, tables)
        if results is None:
            return
        results = sort_results(results, output_options.sort)
        if sys.stdout is not None:
            typer.echo(output_options.render_scores(results, sys.stdout))
        print_warnings([*skipped_warnings(results), *score_warnings(results, scoring.language)])
        return
    check_folder_name(inputs.given_paths, output_options.output)
    outputs = [output_options.output, segments]
    run, systems = prepare_run("score", inputs, scoring, alignments, aligner, trees, outputs)
    check_sort(output_options.sort, run.metrics)
    sampling = statistics.sampling(scoring.threads) if confidence else None
    with OutputFiles() as files:
        observe = None
        if segments is not None:
            table = files.open(segments)
            observe = segment_writer(table, run.metrics, len(run.corpus.names))
        out = files.open(output_options.output)
        results = run.score(Keep(statistics=confidence), observe, progress=TERMINAL_PROGRESS)
        if sampling is not None:
            results = with_intervals(results, sampling)
        results = sort_results(results, output_options.sort)
        text = output_options.render_scores(results, out, sampling, systems.labels)
        out.write(text + "\n")
    print_warnings(run.warnings(results))
    n = results[0].n
    if sampling is not None and (n <= FEW_SEGMENTS or n < fewest_segments(sampling.level)):
        print_warnings([f"warning: {few_segments_warning(n, sampling.level)}"])
