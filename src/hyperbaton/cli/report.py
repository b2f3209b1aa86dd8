"""``hyperbaton report``: systems in one HTML page."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hyperbaton.cli.declarations import OptionGroup, flag, option
from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import AlignmentOptions, ComparisonOptions, RunOptions, check_paths
from hyperbaton.errors import InputError
from hyperbaton.files.lines import check_standard_input, printable
from hyperbaton.notices import DONE, Notice
from hyperbaton.stats.sampling import PAIRED_TESTS

DEFAULT_OUTPUT = "report.html"


class ReportOptions(OptionGroup):
    """The page, and where it is written."""

    TITLE = "Output"

    named_output: str | None = option(
        "--output -o FILE", f"Output file (- for standard output); default: {DEFAULT_OUTPUT}."
    )
    force: bool = flag("--force", f"Without -o, overwrite {DEFAULT_OUTPUT} if it exists.")
    data: str | None = option("--json FILE", "Write the content of the page to FILE, as JSON.")
    title: str | None = option("--title", "Page title.")


def report(given: RunOptions, statistics: ComparisonOptions, page: ReportOptions) -> None:
    """Write an HTML report on systems.

    The page is a single file. It shows a table of systems with intervals and clusters, the
    distribution of scores, scores by length and by share of aligned words, the reorderings of each
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
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS, prepare_run
    from hyperbaton.files.output_files import OutputFiles
    from hyperbaton.runs.comparing import check_comparable
    from hyperbaton.runs.file_runs import check_source_length, read_source

    output = DEFAULT_OUTPUT if page.named_output is None else page.named_output
    outputs = [output, page.data]
    shown_source = find_shown_source(given.alignments, given.inputs.source)
    if shown_source is not None and not given.inputs.example:
        given = replace(given, alignments=replace(given.alignments, source=None))
        check_paths([shown_source], outputs)
        check_standard_input([shown_source, *given.inputs.given_paths])
    run, systems = prepare_run("report", given, outputs)
    names = run.corpus.names
    sampling = statistics.sampling(given.scoring.threads, statistics.method)
    baseline, correction = statistics.baseline, statistics.correction
    if len(names) > 1:
        baseline = statistics.baseline_name(systems)
        check_comparable(names, baseline, correction)
    elif baseline is not None or statistics.method != PAIRED_TESTS.default:
        raise InputError("--baseline and --method need at least two systems")
    source = None if shown_source is None else list(read_source(shown_source))
    if page.named_output is None and not page.force and os.path.lexists(output):
        raise InputError(f"{output} exists: overwrite it with --force, or name a file with -o")
    with OutputFiles() as files:
        content = None if page.data is None else files.open(page.data)
        written_page = files.open(output)
        run = run.with_run(sampling=sampling, baseline=baseline, correction=correction)
        evaluation = run.evaluate(progress=TERMINAL_PROGRESS)
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
