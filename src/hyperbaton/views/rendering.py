"""Scores and comparisons in every output format, and the values of segments as TSV.

The command line prints them, and the web page offers them as downloads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TextIO

from hyperbaton.files.lines import printable
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.comparisons import Comparison
from hyperbaton.runs.engine import MetricStatistics
from hyperbaton.runs.intervals import interval_settings
from hyperbaton.runs.results import Result, results_dict
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.display import safe_json, visible
from hyperbaton.views.comparison_tables import comparison_document, comparison_rows
from hyperbaton.views.delimited import render_rows
from hyperbaton.views.displayed_values import displayed_comparison, displayed_results
from hyperbaton.views.score_tables import score_document, score_rows
from hyperbaton.views.tables import Document, format_number, render_document

DIGITS = 4


def render_scores(
    results: Sequence[Result],
    sampling: Sampling | None = None,
    format: str = "text",  # noqa: A002
    digits: int = DIGITS,
    *,
    short: bool = False,
    colour: bool = False,
    labels: Mapping[str, str] = MappingProxyType({}),
    scale: float = 1,
    width: int | None = None,
    details: bool = False,
) -> str:
    """Return the scores of systems, without a final newline.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    sampling : Sampling, optional
        How the intervals of the scores were computed.
    format : {"text", "json", "tsv", "csv", "markdown", "latex", "values"}
        The last one is a line for each value: all metrics of the first system, and so on.
    digits : int
        Number of decimals, in text, Markdown and LaTeX.
    short : bool
        Whether signatures are short.
    colour : bool
        Whether text may contain terminal colours.
    labels : mapping of str to str
        Shorter names of systems, in text, Markdown and LaTeX.
    scale : float
        What values are multiplied by, in text, Markdown and LaTeX.
    width : int, optional
        Columns of text; by default those of the terminal.
    details : bool
        Whether text, Markdown and LaTeX have what BLEU is computed from.
    """
    if format == "json":
        data = results_dict(results)
        if sampling is not None:
            data["confidence"] = interval_settings(sampling, results[0].n)
        return safe_json(data, indent=2)
    if format in ("tsv", "csv"):
        return render_rows(score_rows(results, sampling), format)
    displayed = displayed_results(results, labels, scale)
    if format == "values":
        values = (score.value for result in displayed for score in result.values())
        return "\n".join(format_number(value, digits) for value in values)
    document = score_document(displayed, digits, sampling)
    notes = [
        *_scaled_notes(document, scale),
        *(_detail_lines(displayed, digits, scale) if details else ()),
        *format_signatures(document.signatures, short),
    ]
    return render_document(
        document.parts, notes, format, width=width, colour=colour, notes_adjoin=True
    )


def render_comparison(
    comparison: Comparison,
    format: str = "text",  # noqa: A002
    digits: int = DIGITS,
    *,
    separating: Sequence[dict[str, Any]] = (),
    short: bool = False,
    colour: bool = False,
    labels: Mapping[str, str] = MappingProxyType({}),
    scale: float = 1,
    width: int | None = None,
) -> str:
    """Return a comparison of systems, without a final newline.

    Parameters
    ----------
    comparison : Comparison
    format, digits, short, colour, labels, scale, width
        As for :func:`render_scores`.
    separating : sequence of dict
        The segments that separate two systems most, with both outputs.
    """
    if format == "json":
        return safe_json({**comparison.to_dict(), "separating": list(separating)}, indent=2)
    if format in ("tsv", "csv"):
        return render_rows(comparison_rows(comparison), format)
    document = comparison_document(displayed_comparison(comparison, labels, scale), digits)
    examples = []
    for segment in separating:
        lines = [f"{segment['metric']}, segment {segment['segment']:,}"]
        lines += [f"  reference: {visible(text)}" for text in segment["references"]]
        for system in segment["systems"]:
            value = format_number(scale * system["value"], digits)
            name = labels.get(system["name"], system["name"])
            lines.append(f"  {name} ({value}): {visible(system['text'])}")
        examples.append("\n".join(lines))
    notes = [*_scaled_notes(document, scale), *format_signatures(document.signatures, short)]
    return render_document([*document.parts, *examples], notes, format, width=width, colour=colour)


def _scaled_notes(document: Document, scale: float) -> list[str]:
    """Return the notes of a document; the first one says whether its values are scaled."""
    first, *others = document.notes
    return [first if scale == 1 else f"{first}; values × {scale:g}", *others]


def _detail_lines(results: Sequence[Result], digits: int, scale: float) -> Iterator[str]:
    """Yield a line for each system and metric with details. Lists hold shares, which are scaled."""
    for result in results:
        for metric, score in result.items():
            cells = []
            for key, value in score.details.items():
                if isinstance(value, list):
                    text = "/".join(format_number(scale * share, digits) for share in value)
                else:
                    text = f"{value:,}" if isinstance(value, int) else format_number(value, digits)
                cells.append(f"{key.replace('_', ' ')} {text}")
            if cells:
                yield f"{result.name}, {metric}: {', '.join(cells)}"


def format_signatures(signatures: Sequence[str], short: bool) -> list[str]:
    """Return signatures, long or short."""
    if not short:
        return list(signatures)
    return [Signature.parse(text).format(short=True) for text in signatures]


def segment_writer(
    table: TextIO, metrics: Mapping[str, Metric], system_count: int
) -> Callable[[Batch, Mapping[str, MetricStatistics]], None]:
    """Return a function that writes the values of batches: a row for each segment and system."""
    table.write("\t".join(["segment", "system", *map(printable, metrics)]) + "\n")
    waiting: list[tuple[str, list[tuple[float, ...]]]] = []  # systems of the same segments

    def write(batch: Batch, statistics: Mapping[str, MetricStatistics]) -> None:
        columns = [
            metrics[key].segment_values(rows).tolist() for key, (rows, _) in statistics.items()
        ]
        waiting.append((printable(batch.system), list(zip(*columns, strict=True))))
        if len(waiting) < system_count:
            return
        for k in range(len(batch)):
            for name, rows in waiting:
                values = "\t".join(map(repr, rows[k]))
                table.write(f"{batch.first + k + 1}\t{name}\t{values}\n")
        waiting.clear()

    return write
