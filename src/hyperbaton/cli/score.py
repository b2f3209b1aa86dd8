"""``hyperbaton score``: systems against references, in one table."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TextIO

import typer

import hyperbaton
from hyperbaton.alignment.stems import stemmer_name
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.metrics.base import Floats
from hyperbaton.metrics.registry import SETS
from hyperbaton.metrics.scoring import BATCH, Result, Scorer, named_metrics, results_dict
from hyperbaton.metrics.segments import References, SegmentError, Segments
from hyperbaton.metrics.signature import Signature
from hyperbaton.report import catalogue, tables
from hyperbaton.text.columns import read_texts, split_column
from hyperbaton.text.errors import InputError
from hyperbaton.text.lines import side_by_side, write_beside
from hyperbaton.threads import thread_count

FEW_ALIGNED = 0.5  # a share of words below which order scores say little


class Format(StrEnum):
    """What is printed."""

    text = "text"
    json = "json"
    tsv = "tsv"
    markdown = "markdown"
    latex = "latex"


def score(
    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYS...",
            help="Translations, line by line: a text (or - or .gz), or a column: "
            "file.tsv:name, file.tsv:2, file.jsonl:key.",
            show_default=False,
        ),
    ] = None,
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", "-r", metavar="REF", help="A reference; may be repeated."),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            help="Such as pef or full:order=ulam,bp=off, or a set: "
            f"{', '.join(SETS)}; may be repeated.",
        ),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", help="Such as en: for stems and tokens.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="What is printed.")] = Format.text,
    segments: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write every segment's values to FILE, as TSV."),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to.")] = "-",
    digits: Annotated[int, typer.Option(min=1, max=15, help="Digits after the point.")] = 4,
    short: Annotated[bool, typer.Option("--short", help="Short signatures.")] = False,
    wordnet: Annotated[str | None, typer.Option(help="The folder of WordNet's files.")] = None,
    paraphrases: Annotated[
        str | None, typer.Option(help="A paraphrase table in METEOR's format.")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Default: all cores.")] = None,
    example: Annotated[
        bool, typer.Option("--example", help="Score the three systems that come with Hyperbaton.")
    ] = False,
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
      hyperbaton score -r ref.txt sys.txt -l en -m order --segments segments.tsv
      hyperbaton score -r ref1.txt -r ref2.txt sys.txt --format json -o scores.json
      hyperbaton score -r data.tsv:reference data.tsv:sysA data.tsv:sysB
      hyperbaton score --example
      hyperbaton score --explain pef
    """
    if explain is not None:
        with as_input_error():
            typer.echo(catalogue.explain(explain))
        return
    if example:
        if systems or references:
            raise InputError("--example has its own systems and reference: give no others")
        systems, references = example_files()
        language = language or "en"
    if not systems:
        raise InputError("no system: hyperbaton score -r REF SYS...")
    if not references:
        raise InputError("no reference: hyperbaton score -r REF SYS...")
    names = system_names(systems)
    check_outputs([output, *([segments] if segments else [])], [*references, *systems])
    with as_input_error():
        thread_count(threads)
        chosen = split_commas(metrics or ["default"])
        named = named_metrics(chosen, language, wordnet, paraphrases)
    scorers = [Scorer(named, keep=False, name=name) for name in names]
    with contextlib.ExitStack() as files:
        table = files.enter_context(write_beside(segments)) if segments else None
        if table:
            table.write("\t".join(["segment", "system", *named]) + "\n")
        out = files.enter_context(write_beside(output))
        run(scorers, systems, references, table, threads)
        results = [scorer.result() for scorer in scorers]
        out.write(shown(results, form, digits, short, colour=in_colour(out)) + "\n")
    for line in warnings(results, language):
        print(f"hyperbaton: {line}", file=sys.stderr)


def example_files() -> tuple[list[str], list[str]]:
    """The systems and the reference of the example set."""
    folder = Path(hyperbaton.__file__).parent / "example"
    systems = [str(folder / f"{name}.txt") for name in ("literal", "phrasal", "fluent")]
    return systems, [str(folder / "reference.txt")]


def run(
    scorers: Sequence[Scorer],
    systems: Sequence[str],
    references: Sequence[str],
    table: TextIO | None,
    threads: int | None,
) -> None:
    """Read and score, batch by batch."""
    rows = side_by_side([*references, *systems], read_texts)
    done = 0
    for batch in with_progress(batches(rows, BATCH)):
        several = [[text for texts in row[: len(references)] for text in texts] for row in batch]
        shared = References(several)
        found = []
        for k, (scorer, system) in enumerate(zip(scorers, systems, strict=True)):
            lines: list[str] = []
            for number, row in enumerate(batch, done + 1):
                if len(row[len(references) + k]) != 1:
                    raise InputError(f"{system}, line {number:,}, has several translations")
                lines += row[len(references) + k]
            try:
                found.append(scorer.add(Segments(lines, shared, threads)))
            except SegmentError as error:
                number = done + error.segment + 1
                raise InputError(f"{system}, line {number:,}: {error}") from None
        if table:
            write_segments(table, done, scorers, found)
        done += len(batch)
    if not done:
        raise InputError(f"{references[0]} is empty")


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


def system_names(systems: Sequence[str]) -> list[str]:
    """What systems are called: their files, without folders where that is enough."""
    parts = [split_column(system) for system in systems]
    real = [(os.path.realpath(path), column) for path, _, column in parts]
    for k, one in enumerate(real):
        if one in real[:k]:
            raise InputError(f"{systems[k]} is given twice")
    paths = {path for path, _ in real}
    names = []
    for path, _, column in parts:
        base = "standard input" if path == "-" else os.path.basename(path)
        if column is not None:
            base = column if len(paths) == 1 else f"{base}:{column}"
        names.append(base)
    clash = len(set(names)) < len(names)
    return [system if clash else name for system, name in zip(systems, names, strict=True)]


def check_outputs(outputs: Sequence[str], inputs: Sequence[str]) -> None:
    """No file is written over while it is read, nor written twice."""
    written = [os.path.realpath(name) for name in outputs if name != "-"]
    read = {os.path.realpath(split_column(name)[0]): name for name in inputs if name != "-"}
    for name in written:
        if name in read:
            raise InputError(f"{read[name]} would be written over while it is read")
    if len(set(written)) < len(written):
        raise InputError("the table and the segments would be written to the same file")


def split_commas(metrics: Sequence[str]) -> list[str]:
    """``-m bleu,chrf`` is two metrics: options come after a colon."""
    return [
        one.strip()
        for spec in metrics
        for one in ([spec] if ":" in spec else spec.split(","))
        if one.strip()
    ]


def shown(results: Sequence[Result], form: Format, digits: int, short: bool, colour: bool) -> str:
    """The table in a format."""
    if form is Format.json:
        return json.dumps(results_dict(results), ensure_ascii=False, indent=2)
    if form is Format.tsv:
        return tables.as_tsv(tables.score_columns(results, None))
    columns = tables.score_columns(results, digits)
    if form is Format.markdown:
        return tables.as_markdown(columns)
    if form is Format.latex:
        return tables.as_latex(columns)
    width = shutil.get_terminal_size((100, 24)).columns
    texts = [score.signature for score in results[0].values()]
    signatures = [Signature.parse(text).format(short=True) for text in texts] if short else texts
    count = results[0].n
    below = [f"{count:,} segment{'s' * (count != 1)}", *signatures]
    return "\n".join([tables.as_text(columns, width, colour), "", *below])


def in_colour(out: TextIO) -> bool:
    """Whether colour is wanted: on a terminal, unless NO_COLOR says otherwise."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def warnings(results: Sequence[Result], language: str | None) -> Iterator[str]:
    """What a reader should know before trusting the numbers."""
    exact = any(score.metric.options.get("align") == "exact" for score in results[0].values())
    if language and exact and stemmer_name(language) is None:
        yield f"note: there is no stemmer for {language!r}: only equal words are aligned"
    for result in results:
        if result.aligned is not None and result.aligned < FEW_ALIGNED:
            hint = "" if language else " (-l LANG also aligns words by their stems)"
            yield (
                f"warning: {result.name}: only {result.aligned:.0%} of the words are aligned, "
                f"so its order scores say little{hint}"
            )
        for name, score in result.items():
            if score.inexact:
                many = f"{score.inexact:,} segment{'s' * (score.inexact > 1)}"
                yield (
                    f"note: {result.name}: {name} is only an upper bound for {many}, where its "
                    "budget ran out"
                )


@contextlib.contextmanager
def as_input_error() -> Iterator[None]:
    """What is wrong with an option is the user's to put right."""
    try:
        yield
    except ValueError as error:
        raise InputError(str(error)) from error
