"""``hyperbaton compare``: is the difference between systems real?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.cli.commands import OptionGroup, Rules, flag, option
from hyperbaton.cli.link_options import FOR_ALIGNER, FOR_SOURCE, AlignmentOptions
from hyperbaton.cli.messages import print_notices, progress_hooks
from hyperbaton.cli.options import (
    OUTPUT_FILE,
    ComparisonOptions,
    PairedTestOptions,
    RunOptions,
    SystemOutputOptions,
    check_paths,
)
from hyperbaton.cli.systems import split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, read_texts
from hyperbaton.files.lines import check_standard_input, printable, zip_files
from hyperbaton.files.output_files import OutputFiles, write_beside
from hyperbaton.notices import DONE, Notice
from hyperbaton.stats.sampling import CORRECTIONS, PAIRED_TESTS
from hyperbaton.views.formats import FORMATS

if TYPE_CHECKING:
    from hyperbaton.runs.checks import Check
    from hyperbaton.runs.comparing import Comparison
    from hyperbaton.runs.file_runs import FileCorpus, FileRun


class CompareOptions(SystemOutputOptions):
    """What is printed, and where.

    Attributes
    ----------
    differences
        List the N segments with the largest differences between the two best systems, or between
        the best one and the baseline.
    details
        Also print all pairs by each metric, with p, effect size and counts of segments, and long
        signatures; JSON always has them.
    """

    differences: int = option("--differences N", 0, low=0)
    details: bool = flag("--details")


def has_folders(given: Any) -> bool:
    """Return whether systems are folders of scores."""
    return any(os.path.isdir(split_name(system)[1]) for system in given.systems or ())


TEXTS = "--reference --trees --ref-trees --source --alignment --ref-alignment --align-source"
COMPARE_RULES: Rules = {
    has_folders: {
        "--differences": "--differences needs the texts, which folders of scores do not have",
        TEXTS: "folders of scores are compared without texts: give only the folders",
        f"{FOR_ALIGNER} {FOR_SOURCE}": "{option} needs --align-source",
    },
    lambda given: not FORMATS[given.format].has_texts: {
        "--differences": "--differences can only be used with --format text or json"
    },
}


def compare_command(
    given: RunOptions, statistics: ComparisonOptions, output: CompareOptions
) -> None:
    """Compare systems: whose word order is closer to the reference?

    The verdict says whose order is closer to the order of the reference, and how sure that is. In
    the table, values are times 100, ± is half of the interval, ▼ marks values that are
    significantly below the best of their column or the baseline, and lines separate clusters: by
    order, the next system is farther than every system of the cluster above. With --details, a
    table of pairs follows for each metric: the difference, p (two-sided; * if significant), the
    effect size (mean of the segment differences divided by their standard deviation; positive if
    the first system is better), and the number of segments in which the first system is better,
    equal or worse.

    \b
    Examples:
      hyperbaton compare -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton compare -r ref.txt old=runs/3.txt new=runs/7.txt -l en --baseline old
      hyperbaton compare -r ref.txt sys*.txt -m pef --correction holm --format latex
      hyperbaton compare -r ref.txt a.txt b.txt -m pef --method randomization --samples 10000
      hyperbaton compare -r ref.txt a.txt b.txt -l en -m pef:bp=off --differences 5
      hyperbaton compare -r ref.txt a.txt b.txt -m lr_kb1 --source src.txt --align-source
      hyperbaton compare scores/a scores/b
      hyperbaton compare --example
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.views.comparison_tables import ComparisonView

    if has_folders(given.inputs):
        compare_folders(given, statistics, output)
        return
    run, systems = given.prepare("compare", [output.output])
    corpus = run.corpus
    if output.differences:
        files = [*corpus.systems, *corpus.references]
        check_rereadable(files, "--differences reads the files twice")
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline = statistics.find_baseline(systems)
    with write_beside(output.output) as out:
        run = run.with_run(sampling=sampling, baseline=baseline, correction=statistics.correction)
        evaluation = run.evaluate(progress=progress_hooks())
        comparison = evaluation.comparison
        assert comparison is not None  # there are several systems
        separating = [
            segment
            for metric in (comparison.metrics if output.differences else ())
            for segment in find_separating(comparison, metric, output.differences, corpus)
        ]
        view = ComparisonView(comparison, separating, output.details)
        out.write(output.render(view, out) + "\n")
    notices = [*run.warnings(evaluation.results), *evaluation.notes]
    print_notices(output.untold(view, notices))


def compare_folders(
    given: RunOptions, statistics: ComparisonOptions, output: CompareOptions
) -> None:
    """Compare systems whose scores are in folders."""
    from hyperbaton.cli.folders import read_comparable
    from hyperbaton.runs.cautions import score_warnings
    from hyperbaton.runs.comparing import compare_results
    from hyperbaton.views.comparison_tables import ComparisonView

    results, systems, language = read_comparable(given.inputs.systems or [], given.scoring.metrics)
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline = statistics.find_baseline(systems)
    with write_beside(output.output) as out:
        comparison = compare_results(results, sampling, baseline, statistics.correction)
        view = ComparisonView(comparison, details=output.details)
        out.write(output.render(view, out) + "\n")
    notices = [*score_warnings(results, language), *comparison.notes]
    print_notices(output.untold(view, notices))


def find_separating(
    comparison: Comparison, metric: str, count: int, corpus: FileCorpus
) -> list[dict[str, Any]]:
    """Return the segments that separate two systems most by a metric, with both outputs.

    The two systems are the best two, or the baseline and the best of the others.
    """
    a, b = comparison.contrast(metric)
    chosen = {k: values for k, *values in comparison.separating(metric, a, b, count)}
    files = dict(zip(corpus.names, corpus.systems, strict=True))
    rows = zip_files([*corpus.references, files[a], files[b]], read_texts)
    texts = {k: row for k, row in enumerate(rows) if k in chosen}
    return [
        {
            "metric": metric,
            "segment": k + 1,
            "references": [text for line_texts in texts[k][:-2] for text in line_texts],
            "systems": [
                {"name": a, "value": values[0], "text": texts[k][-2][0]},
                {"name": b, "value": values[1], "text": texts[k][-1][0]},
            ],
        }
        for k, values in chosen.items()
    ]


FAILED, CANNOT_TELL = 3, 4  # exit statuses; 1 and 2 mean that nothing could be checked
CHECK_METRICS = ["order", "chrf"]
CHECK_FORMATS = ("text", "json")


class CheckOptions(PairedTestOptions):
    """The baseline, and what a system may lose.

    Attributes
    ----------
    baseline
        Translations of the baseline: a file, as for SYS, or NAME=BASE. With --example, one of its
        systems.
    """

    baseline: str | None = option("--baseline BASE")
    fail_below_baseline: bool = flag(
        "--fail-below-baseline",
        about=f"Exit with status {FAILED} if a system is significantly worse than the baseline.",
    )
    max_drop: float | None = option(
        "--max-drop X",
        low=0,
        high=1,
        about=f"Exit with status {FAILED} if a system may have lost more than X (0 to 1) by a "
        "metric: if the upper end of the interval of its loss is above X.",
    )


class CheckOutputOptions(OptionGroup):
    """How the result is printed, and where.

    Attributes
    ----------
    format
        Output format.
    """

    TITLE = "Output"

    format: str = option("--format -f", CHECK_FORMATS[0], choices=CHECK_FORMATS)
    output: str = OUTPUT_FILE


CHECK_RULES: Rules = {
    lambda given: given.baseline is None: {
        "--fail-below-baseline --max-drop": "{option} needs --baseline"
    },
    lambda given: not PAIRED_TESTS[given.method].has_intervals: {
        "--max-drop": "--max-drop needs intervals, which --method bootstrap gives"
    },
}


def check_command(given: RunOptions, statistics: CheckOptions, output: CheckOutputOptions) -> None:
    """Test a system against a baseline, for continuous builds.

    The outcome is ok, worse or "cannot tell": the check never passes a system with too few words in
    common with the reference, or with the baseline, to judge it. One line per metric follows, with
    values as points out of 100. By order (the default, with chrf) systems are compared by the words
    that they share; by other metrics as hyperbaton compare does. Order does not see what is left
    out, such as half of the lines: keep a metric like chrf beside it. p-values are corrected for
    the number of metrics (Holm). Without a baseline, only the words in common with the reference
    are checked. The lines go to standard output, warnings go to standard error.

    \b
    Exit status:
      0  no system fails
      1  the output cannot be written
      2  the input is invalid, or so small that the check could never fail
      3  a system is significantly worse by at least one metric (--fail-below-baseline), or may
         have lost too much (--max-drop)
      4  cannot tell: a system is not scored, or has too few words in common

    \b
    Examples:
      hyperbaton check -r ref.txt new.txt --baseline old.txt --fail-below-baseline
      hyperbaton check -r ref.txt new.txt --baseline old.txt --max-drop 0.02
      hyperbaton check -r ref.txt new.txt --baseline old.txt -m order,bleu --format json
      hyperbaton check -r ref.txt new=runs/7.txt --baseline old=runs/3.txt --level 0.99
      hyperbaton check --example --baseline literal
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.runs.cautions import evidence_notices
    from hyperbaton.runs.checks import check_systems, select_metrics
    from hyperbaton.runs.comparing import check_comparable
    from hyperbaton.text.display import safe_json

    inputs, scoring = given.inputs, given.scoring
    if not inputs.example and inputs.systems and statistics.baseline is not None:
        inputs = inputs.replace(systems=[*inputs.systems, statistics.baseline])
    if not scoring.metrics:
        scoring = scoring.replace(metrics=CHECK_METRICS)
    given = given.replace(inputs=inputs, scoring=scoring)
    run, systems = given.prepare("check", [output.output])
    baseline = None
    if statistics.baseline is not None:
        baseline = systems.find(statistics.baseline) if inputs.example else systems.names[-1]
        check_comparable(systems.names, baseline, CORRECTIONS.default)
    sampling = statistics.sampling(scoring.threads, statistics.method)
    metrics = list(run.run.metrics)
    run, order = with_order(run)
    with write_beside(output.output) as out:
        results = run.score(progress=progress_hooks())
        check = check_systems(results, metrics, order, baseline, sampling, statistics.max_drop)
        check_can_fail(check, statistics)
        status = exit_status(check, statistics.fail_below_baseline)
        if output.format == "json":
            text = safe_json(check.to_dict(), indent=2)
        else:
            text = "\n".join(check.describe())
        try:
            out.write(text + "\n")
        except BrokenPipeError:
            if not status:
                raise
            # A check must not pass because nobody reads it.
            raise click.exceptions.Exit(status) from None
    notices = [*run.warnings(select_metrics(results, metrics)), *check.notes]
    told = frozenset(evidence_notices(results) if output.format == "text" else ())
    print_notices([notice for notice in notices if notice not in told])
    if status:
        raise click.exceptions.Exit(status)


def with_order(run: FileRun) -> tuple[FileRun, str]:
    """Return the run with a metric that says what can be told, and the name of this metric."""
    from hyperbaton.metrics.registry import make_metric
    from hyperbaton.text.tokenization import TOKENIZERS

    metrics = run.run.metrics
    found = (name for name, metric in metrics.items() if metric.needs.anchors is not None)
    name = next(found, None)
    if name is not None:
        return run, name
    resources = next(iter(metrics.values())).resources
    tokenizers = (m.options["tok"] for m in metrics.values() if "tok" in m.given)
    tokenizer = next((tok for tok in tokenizers if tok in TOKENIZERS), None)
    text = "" if tokenizer is None else f",tok={tokenizer}"
    order = make_metric(f"order:precedence=off{text}", resources)  # only its words are asked for
    return run.with_run(metrics={**metrics, order.spec: order}), order.spec


def check_can_fail(check: Check, options: CheckOptions) -> None:
    """Raise an error if a check that is to fail could not, because its input is too small."""
    comparison = check.comparison
    if comparison is None or not (options.fail_below_baseline or options.max_drop is not None):
        return
    if options.max_drop is not None:
        comparison = replace(comparison, corrected=1)  # intervals are not corrected
    if not comparison.can_be_significant:
        raise InputError(f"{comparison.warnings[-1]}; this check could never fail")


def exit_status(check: Check, fail_below_baseline: bool) -> int:
    """Return the exit status of a check. A system of which nothing is known never passes."""
    told = [system for system in check.systems if not system.reason]
    if any(s.drops_too_far or (fail_below_baseline and s.is_worse) for s in told):
        return FAILED
    return 0 if len(told) == len(check.systems) else CANNOT_TELL


DEFAULT_OUTPUT = "report.html"


class ReportOptions(OptionGroup):
    """The page, and where it is written.

    Attributes
    ----------
    data
        Write the content of the page to FILE, as JSON.
    title
        Page title.
    """

    TITLE = "Output"

    named_output: str | None = option(
        "--output -o FILE", about=f"Output file (- for standard output); default: {DEFAULT_OUTPUT}."
    )
    force: bool = flag("--force", about=f"Without -o, overwrite {DEFAULT_OUTPUT} if it exists.")
    data: str | None = option("--json FILE")
    title: str | None = option("--title")


def report_command(given: RunOptions, statistics: ComparisonOptions, page: ReportOptions) -> None:
    """Write an HTML report on systems.

    The page is a single file. It shows a table of systems with intervals and clusters, the
    distribution of scores, scores by length and by share of linked words, the reorderings of each
    system, and every segment with its links, tree and moves. Segments can be sorted, filtered and
    searched.

    \b
    Examples:
      hyperbaton report -r ref.txt sysA.txt sysB.txt -l en -o report.html
      hyperbaton report -r ref.txt sys.txt -l en -m pef:bp=off -m bleu --title "Release 3"
      hyperbaton report -r ref.txt old=3.txt new=7.txt -l en --baseline old --json report.json
      hyperbaton report -r ref.txt a.txt b.txt -l en --source src.txt
      hyperbaton report -r ref.txt a.txt b.txt -l en -m lr_kb1 --source src.txt --align-source
      hyperbaton report --example
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.runs.file_runs import check_source_length, read_source

    output = DEFAULT_OUTPUT if page.named_output is None else page.named_output
    outputs = [output, page.data]
    shown_source = find_shown_source(given.alignments, given.inputs.source)
    if shown_source is not None and not given.inputs.example:
        given = given.replace(alignments=given.alignments.replace(source=None))
        check_paths([shown_source], outputs)
        check_standard_input([shown_source, *given.inputs.given_paths])
    run, systems = given.prepare("report", outputs)
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline = None
    if len(systems.names) > 1:
        baseline = statistics.find_baseline(systems)
    elif statistics.baseline is not None or statistics.method != PAIRED_TESTS.default:
        raise InputError("--baseline and --method need at least two systems")
    source = None if shown_source is None else list(read_source(shown_source))
    if page.named_output is None and not page.force and os.path.lexists(output):
        raise InputError(f"{output} exists: overwrite it with --force, or name a file with -o")
    with OutputFiles() as files:
        content = None if page.data is None else files.open(page.data)
        written_page = files.open(output)
        run = run.with_run(sampling=sampling, baseline=baseline, correction=statistics.correction)
        evaluation = run.evaluate(progress=progress_hooks())
        results = evaluation.results
        if shown_source is not None and source is not None:
            check_source_length(shown_source, source, run.corpus.references[0], results[0].n)
        html_report = evaluation.report(page.title, given.scoring.threads, source)
        written_page.write(html_report.to_html())
        if content is not None:
            content.write(html_report.to_json() + "\n")
    print_notices([*run.warnings(results), *evaluation.notes, *written_files(outputs)])


def find_shown_source(alignments: AlignmentOptions, own_source: str | None) -> str | None:
    """Return the file of a source text that is only shown; None if links go through it.

    Some texts, such as the example, come with their source.
    """
    if alignments.align_source or alignments.alignments or alignments.reference_alignments:
        return None
    return own_source if alignments.source is None else alignments.source


def written_files(outputs: Sequence[str | None]) -> Iterator[Notice]:
    """Yield the name and the size of each output that is a file."""
    for name in outputs:
        if name is not None and os.path.isfile(name):
            size = format_size(os.path.getsize(name))
            yield Notice(f"wrote {printable(name)} ({size})", DONE)


def format_size(size: int) -> str:
    """Return a size in bytes for people.

    >>> format_size(812), format_size(45_678), format_size(1_345_678)
    ('0.8 kB', '46 kB', '1.3 MB')
    """
    value, unit = (size / 1e6, "MB") if size >= 1e6 else (size / 1e3, "kB")
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
