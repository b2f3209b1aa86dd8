"""``hyperbaton score``: systems against references, in one table."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, TextIO

import typer

from hyperbaton.cli import options
from hyperbaton.cli.alignments import AlignmentFiles
from hyperbaton.cli.options import Format, as_input_error, in_colour, system_names
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.errors import InputError, SegmentError
from hyperbaton.metrics.base import Floats
from hyperbaton.metrics.comparison import FEW_SEGMENTS, few_segments
from hyperbaton.metrics.registry import expand
from hyperbaton.metrics.sampling import (
    DEFAULT_LEVEL,
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    Sampling,
)
from hyperbaton.metrics.scoring import (
    BATCH,
    Result,
    Scorer,
    named_metrics,
    results_dict,
    with_intervals,
)
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.metrics.signature import Signature
from hyperbaton.report import catalogue, tables
from hyperbaton.report.cautions import cautions
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.columns import read_texts, split_column
from hyperbaton.text.lines import count_lines, side_by_side, write_beside
from hyperbaton.threads import thread_count

PARSED = 100  # segments at a time if they are parsed: progress is seen


def score(
    systems: options.Systems = None,
    references: options.References = None,
    metrics: options.Metrics = None,
    language: options.Language = None,
    form: options.Form = Format.text,
    segments: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write every segment's values to FILE, as TSV."),
    ] = None,
    output: options.Output = "-",
    confidence: Annotated[
        bool, typer.Option("--confidence", "-c", help="Intervals for every number.")
    ] = False,
    samples: options.Samples = DEFAULT_SAMPLES,
    seed: options.Seed = DEFAULT_SEED,
    level: options.Level = DEFAULT_LEVEL,
    digits: options.Digits = 4,
    short: options.Short = False,
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
    explain: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Say what a metric means, and leave."),
    ] = None,
) -> None:
    """Score systems against references.

    The best of each column has a *; "aligned" is the share of words with a link, since an order
    score over few aligned words means little. Below the table is the signature of each number.

    \b
    Examples:
      hyperbaton score -r ref.txt sysA.txt sysB.txt -l en
      hyperbaton score -r ref.txt sys.txt -l en -m pef -m full:order=ulam,bp=off
      hyperbaton score -r ref.txt sys.txt -l en -m pef --confidence --level 0.99
      hyperbaton score -r ref.txt sys.txt -l en -m order --segments segments.tsv
      hyperbaton score -r ref1.txt -r ref2.txt sys.txt --format json -o scores.json
      hyperbaton score -r data.tsv:reference data.tsv:sysA data.tsv:sysB
      hyperbaton score -r ref.txt sys.txt -m dted --ref-trees ref.conllu --trees sys.conllu
      hyperbaton score -r ref.txt sys.txt -m lr_kb4:tok=none --source src.txt \
        --ref-alignment ref.align --alignment sys.align
      hyperbaton score --example
      hyperbaton score --explain pef
    """
    if explain is not None:
        with as_input_error():
            typer.echo("\n\n".join(map(catalogue.explain, expand([explain]))))
        return
    language = language or ("en" if example else None)
    others = [
        *(trees or ()),
        *(reference_trees or ()),
        source,
        *(alignments or ()),
        *(reference_alignments or ()),
    ]
    systems, references = options.files(
        "score", systems, references, [output, segments], example, others
    )
    parses = options.tree_files(systems, references, trees, reference_trees, parser, example)
    links = AlignmentFiles.of(
        systems, references, source, alignments, reference_alignments, one_based, sure
    )
    names = system_names(systems)
    with as_input_error():
        thread_count(threads)
        if not confidence and (samples, seed, level) != (
            DEFAULT_SAMPLES,
            DEFAULT_SEED,
            DEFAULT_LEVEL,
        ):
            raise InputError("--samples, --seed and --level are for --confidence")
        sampling = Sampling("bootstrap", samples, seed, level, threads) if confidence else None
        named = named_metrics(metrics or ["default"], language, wordnet, paraphrases, parser)
    scorers = [Scorer(named, keep=confidence, name=name) for name in names]
    with contextlib.ExitStack() as files:
        table = files.enter_context(write_beside(segments)) if segments else None
        if table:
            table.write("\t".join(["segment", "system", *named]) + "\n")
        out = files.enter_context(write_beside(output))
        run(scorers, systems, references, table, threads, parses, links)
        results = [scorer.result() for scorer in scorers]
        if sampling is not None:
            results = with_intervals(results, sampling)
        out.write(shown(results, form, digits, short, in_colour(out), sampling) + "\n")
    few = sampling is not None and results[0].n < FEW_SEGMENTS
    notes = [f"warning: {few_segments(results[0].n)}"] if few else []
    for line in [*alignment_warnings(links), *warnings(results, language), *notes]:
        print(f"hyperbaton: {line}", file=sys.stderr)


def run(
    scorers: Sequence[Scorer],
    systems: Sequence[str],
    references: Sequence[str],
    table: TextIO | None,
    threads: int | None,
    trees: Sequence[Iterator[DependencyTree]] | None,
    links: AlignmentFiles | None,
) -> None:
    """Read and score, batch by batch; ``trees`` are those of references, then of systems."""
    paths = [*references, *systems, *(links.paths if links else ())]
    rows = side_by_side(paths, links.read if links else read_texts)
    after = len(references) + len(systems)
    done = 0
    metrics = scorers[0].metrics.values()
    parsing = trees is None and any("parser" in metric.options for metric in metrics)
    parts = batches(rows, PARSED if parsing else BATCH)
    total = count_lines(split_column(systems[0])[0])
    for batch in with_progress(parts, total=total, unit="segments"):
        several = [[text for texts in row[: len(references)] for text in texts] for row in batch]
        reference_trees = own_trees = None
        if trees is not None:
            reference_trees = [
                tree
                for row in batch
                for own, texts in zip(trees, row[: len(references)], strict=False)
                for tree in islice(own, len(texts))
            ]
        shared = References(several, reference_trees)
        found = []
        for k, (scorer, system) in enumerate(zip(scorers, systems, strict=True)):
            lines: list[str] = []
            for number, row in enumerate(batch, done + 1):
                if len(row[len(references) + k]) != 1:
                    raise InputError(f"{system}, line {number:,}, has several translations")
                lines += row[len(references) + k]
            if trees is not None:
                own_trees = list(islice(trees[len(references) + k], len(lines)))
            beside = [row[after:] for row in batch]
            given = links.given(beside, done, several, k) if links else None
            try:
                found.append(scorer.add(Segments(lines, shared, threads, given, own_trees)))
            except SegmentError as error:
                number = done + error.segment + 1
                file = links.file_of(error, k) if links else None
                raise InputError(f"{file or system}, line {number:,}: {error}") from None
        if table:
            write_segments(table, done, scorers, found)
        done += len(batch)
    if not done:
        raise InputError(f"{references[0]} is empty")
    for own in trees or ():
        next(own, None)  # which says so if there are more


def write_segments(
    table: TextIO,
    done: int,
    scorers: Sequence[Scorer],
    statistics: Sequence[Mapping[str, Floats]],
) -> None:
    """The values of a batch: a row for each segment and system."""
    systems = []
    for scorer, found in zip(scorers, statistics, strict=True):
        columns = [scorer.metrics[key].segment_values(rows).tolist() for key, rows in found.items()]
        systems.append((scorer.name, list(zip(*columns, strict=True))))
    for k in range(len(systems[0][1])):
        for name, rows in systems:
            values = "\t".join(map(repr, rows[k]))
            table.write(f"{done + k + 1}\t{name}\t{values}\n")


def shown(
    results: Sequence[Result],
    form: Format,
    digits: int,
    short: bool,
    colour: bool,
    sampling: Sampling | None,
) -> str:
    """The table in a format."""
    if form is Format.json:
        document = results_dict(results)
        if sampling is not None:
            document["confidence"] = sampling.to_dict()
        return json.dumps(document, ensure_ascii=False, indent=2)
    if form is Format.tsv:
        return tables.scores_tsv(results, sampling)
    columns = tables.score_columns(results, digits)
    count = f"{results[0].n:,} segment{'s' * (results[0].n != 1)}"
    if sampling is not None:
        count += f"; {sampling}"
    below = [count, *signatures(results, short)]
    if form is Format.markdown:
        listed = "\n".join(f"- `{text}`" for text in below)
        return f"{tables.as_markdown(columns)}\n\n{listed}"
    if form is Format.latex:
        listed = "\n".join(f"% {text}" for text in below)
        return f"{tables.as_latex(columns)}\n{listed}"
    width = shutil.get_terminal_size((100, 24)).columns
    return "\n".join([tables.as_text(columns, width, colour), "", *below])


def signatures(results: Sequence[Result], short: bool) -> list[str]:
    """One for each metric."""
    texts = [score.signature for score in results[0].values()]
    return [Signature.parse(text).format(short=True) for text in texts] if short else texts


def alignment_warnings(links: AlignmentFiles | None) -> list[str]:
    """What a reader should know of the files with links."""
    return [f"warning: {text}" for text in links.warnings] if links else []


def warnings(
    results: Sequence[Result], language: str | None, few_aligned: bool = True
) -> Iterator[str]:
    """What a reader should know before trusting the numbers."""
    hint = "" if language else " (-l LANG also aligns words by their stems)"
    return cautions(results, hint, few_aligned)
