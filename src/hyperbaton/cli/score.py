"""``hyperbaton score``: systems against references, in one table."""

from __future__ import annotations

import sys

import click

from hyperbaton.cli.commands import OptionGroup, Rules, flag, option
from hyperbaton.cli.link_options import FOR_ALIGNER, FOR_SOURCE
from hyperbaton.cli.messages import print_notices, progress_hooks
from hyperbaton.cli.options import (
    FOR_TABLES,
    NOT_WITH_SCORE_ONLY,
    RunOptions,
    SamplingOptions,
    ScoreOutputOptions,
    TableOptions,
    check_folder_name,
    writes_folder,
)

FOR_LINKS = f"--source --alignment --ref-alignment --align-source {FOR_ALIGNER} {FOR_SOURCE}"
FOR_SCORES = "--output --format --digits --sort --score-only --details"
ONLY_FILES = "--mtme writes score files only: it cannot be used with"
SCORE_RULES: Rules = {
    lambda given: given.score_only: {"--confidence": NOT_WITH_SCORE_ONLY},
    lambda given: not given.confidence: {
        "--samples --seed --level": "--samples, --seed and --level can only be used with "
        "--confidence"
    },
    lambda given: given.mtme is not None: {
        f"--confidence --segments {FOR_TABLES}": "--mtme cannot be used with --confidence, "
        "--segments or an output folder",
        "--example --test-set": "--mtme cannot be used with --example or --test-set",
        f"{FOR_LINKS} --one-based --sure": f"{ONLY_FILES} alignments",
        "--trees --ref-trees": f"{ONLY_FILES} trees",
        FOR_SCORES: f"{ONLY_FILES} --output, --format and other options of tables",
    },
    lambda given: writes_folder(given.output): {
        "--confidence --segments": "--confidence and --segments cannot be used with an output "
        "folder",
        "--align-source": "--align-source cannot be used with an output folder: compute the links "
        "with hyperbaton align, and give them as columns",
        f"{FOR_ALIGNER} {FOR_SOURCE}": "{option} cannot be used with an output folder",
        "--example": "--example cannot be scored to a folder: give an output file, or none",
        "--threads": "--threads cannot be used with Parquet files: give --workers, the number of "
        "processes",
        "--one-based --sure": "--one-based and --sure can only be used with link files, not with "
        "columns",
    },
    lambda given: not writes_folder(given.output): {
        FOR_TABLES: "{option} needs an output folder: -o FOLDER/"
    },
}


class ScoreOptions(OptionGroup):
    """The options of this command alone.

    Attributes
    ----------
    confidence
        Compute confidence intervals.
    segments
        Write the scores of every segment to FILE, as TSV.
    mtme
        Write score files for mt-metrics-eval to DIR/metric-scores/. Without REF and SYS, DIR is a
        test set in the layout of mt-metrics-eval, and all of its language pairs are scored, or
        those of --langpair en-de,zh-en.
    """

    confidence: bool = flag("--confidence -c", title="Statistics")
    segments: str | None = option("--segments FILE", title="Output")
    mtme: str | None = option("--mtme DIR", title="Output")


def score_command(
    given: RunOptions,
    statistics: SamplingOptions,
    tables: TableOptions,
    output: ScoreOutputOptions,
    options: ScoreOptions,
) -> None:
    """Score systems against references.

    Values are times 100, and systems are sorted by order if it is computed. "matched" is the share
    of words with a counterpart in the reference: below a limit, a system is not scored (–).
    "linked" is the share of words with a link; measures of few linked words mean little. Whether
    differences are real is a question for hyperbaton compare. The signatures below the table say
    how each number was computed.

    \b
    Examples:
      hyperbaton score -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton score -r ref.txt old=runs/3.txt new=runs/7.txt -l en --sort bleu
      hyperbaton score -r ref.txt sys.txt -m bleu --score-only --quiet
      hyperbaton score -r ref.txt sys.txt -l en -m pef -m full:order=ulam,bp=off
      hyperbaton score -r ref.txt sys.txt -l en -m pef --confidence --level 0.99
      hyperbaton score -r ref.txt sys.txt -l en -m permutations --segments segments.tsv
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
    """
    # Imported here and below, so that --help does not load any metric, and a run no page.
    if options.mtme is not None:
        from hyperbaton.cli.other_software import score_test_set

        score_test_set(options.mtme, given)
    elif writes_folder(output.output):
        score_parquet(given, tables, output)
    else:
        score_texts(given, statistics, output, options)


def score_parquet(given: RunOptions, tables: TableOptions, output: ScoreOutputOptions) -> None:
    """Score Parquet files to a folder, and print the scores unless only a part was done."""
    from hyperbaton.cli.folders import score_to_folder, skipped_warnings
    from hyperbaton.runs.cautions import score_warnings

    results = score_to_folder(given, output.output, tables)
    if results is None:
        return
    view = output.view(output.sorted(results))
    if sys.stdout is not None:
        click.echo(output.render_scores(view, sys.stdout))
    notices = [*skipped_warnings(results), *score_warnings(results, given.scoring.language)]
    print_notices(output.untold(view, notices))


def score_texts(
    given: RunOptions,
    statistics: SamplingOptions,
    output: ScoreOutputOptions,
    options: ScoreOptions,
) -> None:
    """Score files, and print the table."""
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.runs.run import Keep

    check_folder_name(given.inputs.given_paths, output.output)
    run, _ = given.prepare("score", [output.output, options.segments])
    metrics = run.run.metrics
    output.check_sort(metrics)
    sampling = statistics.sampling(given.scoring.threads) if options.confidence else None
    with OutputFiles() as files:
        observe = None
        if options.segments is not None:
            from hyperbaton.views.formats import segment_writer

            table = files.open(options.segments)
            observe = segment_writer(table, metrics, len(run.corpus.names))
        out = files.open(output.output)
        run = run.with_run(keep=Keep(statistics=options.confidence))
        results = run.score(observe, progress_hooks())
        if sampling is not None:
            from hyperbaton.runs.intervals import with_intervals

            results = with_intervals(results, sampling)
        view = output.view(output.sorted(results), sampling)
        out.write(output.render_scores(view, out) + "\n")
    print_notices(output.untold(view, run.warnings(results)))
    if sampling is not None:
        from hyperbaton.runs.intervals import few_segments_warning
        from hyperbaton.stats.significance import FEW_SEGMENTS, fewest_segments

        n = results[0].n
        if n <= FEW_SEGMENTS or n < fewest_segments(sampling.level):
            print_notices([few_segments_warning(n, sampling.level)])
