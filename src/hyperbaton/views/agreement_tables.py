"""Tables of a meta-evaluation: metrics by language pairs, and metrics by metrics."""

from __future__ import annotations

from hyperbaton.meta.agreement import MEASURES
from hyperbaton.meta.results import Coverage, MetaEvaluation, MetricDifference
from hyperbaton.views.tables import (
    MISSING,
    Column,
    Document,
    Table,
    format_estimate,
    format_number,
    format_p_value,
)

JUDGEMENT_KINDS = {
    "rankings": "rankings by people",
    "ranks": "people's ranks as scores",
    "segments": "human scores of segments",
    "systems": "human scores of systems",
}


def agreement_document(
    evaluation: MetaEvaluation, digits: int, mark: str = "*", pairwise: bool = False
) -> Document:
    """Return the tables and the lines below them.

    Parameters
    ----------
    evaluation : MetaEvaluation
    digits : int
        Decimals of the agreements.
    mark : str
        How highlighted cells look: "*" in text, "bold" elsewhere.
    pairwise : bool
        Whether to add the tables that compare each two metrics.
    """
    return Document(
        agreement_tables(evaluation, digits, pairwise),
        agreement_notes(evaluation, mark, pairwise),
        [text for text in evaluation.signatures.values() if text is not None],
        [*evaluation.notes, *evaluation.warnings],
    )


def agreement_tables(
    evaluation: MetaEvaluation, digits: int, pairwise: bool = False
) -> list[Table]:
    """Return the table of agreements, then rankings of systems if there are any.

    With ``pairwise``, tables that compare each two metrics follow.
    """
    tables = [agreement_table(evaluation, digits)]
    tables += [ranking_table(evaluation, pair, digits) for pair in evaluation.systems]
    if pairwise and len(evaluation.metrics) > 1:
        if len(evaluation.pairs) > 1:
            tables.append(win_table(evaluation))
        tables += [p_value_table(evaluation, pair) for pair in evaluation.pairs]
    return tables


def agreement_table(evaluation: MetaEvaluation, digits: int) -> Table:
    """Return metrics by language pairs; metrics that no other one beats are highlighted.

    With several pairs, the last columns are the mean agreement and the mean rank of each metric.
    """
    metrics = evaluation.metrics
    columns = [Column("metric", metrics, left=True)]
    tested = _tested_pairs(evaluation)
    for pair in evaluation.pairs:
        cells = tuple(_agreement_cell(evaluation, pair, metric, digits) for metric in metrics)
        unbeaten = evaluation.unbeaten(pair)
        best = frozenset(k for k, metric in enumerate(metrics) if metric in unbeaten)
        columns.append(Column(pair, cells, best if pair in tested else frozenset()))
    if len(evaluation.pairs) > 1:
        by_metric = {average.metric: average for average in evaluation.averages()}
        averages = [by_metric.get(metric) for metric in metrics]
        values = (format_number(a.value, digits) if a else MISSING for a in averages)
        ranks = (format_number(a.rank, 2) if a else MISSING for a in averages)
        columns += [Column("mean", tuple(values)), Column("mean rank", tuple(ranks))]
    return Table(columns)


def _tested_pairs(evaluation: MetaEvaluation) -> set[str]:
    """The language pairs on which the test could compare at least two metrics."""
    return {d.pair for d in evaluation.differences if d.p is not None}


def _agreement_cell(evaluation: MetaEvaluation, pair: str, metric: str, digits: int) -> str:
    try:
        agreement = evaluation[pair, metric]
    except KeyError:  # only another test set has scores of this metric
        return MISSING
    if agreement.value is None:
        return MISSING
    return format_estimate(agreement.value, agreement.lower, agreement.upper, digits)


def ranking_table(evaluation: MetaEvaluation, pair: str, digits: int) -> Table:
    """Return the ranking of systems by each metric; S1 is the best system according to people."""
    agreements = [a for a in evaluation.agreements if a.pair == pair and a.ranking is not None]
    rankings = (" ".join(f"S{k}" for k in a.ranking or ()) for a in agreements)
    values = (MISSING if a.value is None else format_number(a.value, digits) for a in agreements)
    return Table(
        [
            Column(f"metric, {pair}", tuple(a.metric for a in agreements), left=True),
            Column("ranking", tuple(rankings), left=True),
            Column(evaluation.agreement, tuple(values)),
        ]
    )


def win_table(evaluation: MetaEvaluation) -> Table:
    """Return N/B/D: the pairs on which the row's metric, the column's metric, or neither wins."""
    columns = [Column("N/B/D", _numbered_metrics(evaluation), left=True)]
    for j, baseline in enumerate(evaluation.metrics, 1):
        cells, ahead = [], set()
        for k, metric in enumerate(evaluation.metrics):
            wins, losses, draws = evaluation.wins(metric, baseline)
            cells.append("" if metric == baseline else f"{wins}/{losses}/{draws}")
            if wins > losses:
                ahead.add(k)
        columns.append(Column(str(j), tuple(cells), frozenset(ahead)))
    return Table(columns)


def p_value_table(evaluation: MetaEvaluation, pair: str) -> Table:
    """Return the p-values of all pairs of metrics on one test set; columns have numbers."""
    metrics = evaluation.metrics
    by_metrics = {frozenset((d.a, d.b)): d for d in evaluation.differences if d.pair == pair}
    columns = [Column(f"p, {pair}", _numbered_metrics(evaluation), left=True)]
    for j, other in enumerate(metrics[1:], 2):
        differences = [by_metrics.get(frozenset((name, other))) for name in metrics[: j - 1]]
        cells = [_p_value_cell(d) if d else "" for d in differences]
        significant = frozenset(k for k, d in enumerate(differences) if d and d.better)
        padding = [""] * (len(metrics) - len(cells))
        columns.append(Column(str(j), tuple(cells + padding), significant))
    return Table(columns)


def _numbered_metrics(evaluation: MetaEvaluation) -> tuple[str, ...]:
    return tuple(f"{k:>2} {name}" for k, name in enumerate(evaluation.metrics, 1))


def _p_value_cell(difference: MetricDifference) -> str:
    return MISSING if difference.p is None else format_p_value(difference.p)


def agreement_notes(
    evaluation: MetaEvaluation, mark: str = "*", pairwise: bool = False
) -> list[str]:
    """Return the lines below the tables: what the numbers mean and how much data they are from.

    Parameters
    ----------
    evaluation : MetaEvaluation
    mark : str
        How highlighted cells look: "*" in text, "bold" in Markdown and LaTeX.
    pairwise : bool
        Whether to explain the tables that compare each two metrics.
    """
    average = f", mean by {evaluation.average}" if evaluation.average != "none" else ""
    sampling = evaluation.sampling
    lines = [
        f"{evaluation.agreement}: {MEASURES[evaluation.agreement].about}{average}; "
        f"{100 * sampling.level:.10g} % intervals: bootstrap over {evaluation.bootstrap}, "
        f"{sampling.samples:,} samples, seed {sampling.seed}"
    ]
    if _tested_pairs(evaluation):
        exchange = f" of {evaluation.exchange}" if evaluation.exchange else ""
        lines.append(
            f"{mark}: no other metric is significantly better ({evaluation.test} test{exchange}, "
            f"p < {sampling.alpha:.10g})"
        )
    if pairwise and len(evaluation.metrics) > 1:
        if len(evaluation.pairs) > 1:
            lines.append(
                "N/B/D: number of pairs on which the row's metric is significantly better (N), "
                f"the column's metric is (B), or neither is (D); {mark}: N > B"
            )
        lines.append(f"p: two-sided p-value of two metrics; {mark}: p < {sampling.alpha:.10g}")
    for pair, systems in evaluation.systems.items():
        names = ", ".join(f"S{k} {name}" for k, name in enumerate(systems, 1))
        lines.append(f"{pair}: ranked by people, best first: {names}")
    scores_segments = MEASURES[evaluation.agreement].level == "sentence"
    return lines + [_coverage_line(counts, scores_segments) for counts in evaluation.counts]


def _coverage_line(counts: Coverage, scores_segments: bool) -> str:
    """Which judgements were used, and how many; a system-level measure scores all segments."""
    start = f"{counts.pair}: {JUDGEMENT_KINDS[counts.people]}; "
    systems = f"{counts.used_systems} of {counts.systems} systems used"
    if counts.people == "systems":
        return f"{start}{counts.judgements} of {counts.systems} systems judged; {systems}"
    scored = f", {counts.scored:,} scored, {counts.used:,} both" if scores_segments else ""
    return (
        f"{start}{systems}; {counts.judged:,} of {counts.segments:,} segments judged{scored}; "
        f"{counts.used_judgements:,} of {counts.judgements:,} judgements used"
    )


def agreement_rows(evaluation: MetaEvaluation) -> list[list[str]]:
    """Return the headings, and one row per metric and language pair, with all digits."""
    heading = ["pair", "metric", "value", "lower", "upper", "mean", "deviation", "unbeaten"]
    settings = {
        "agreement": evaluation.agreement,
        "average": evaluation.average,
        "bootstrap": evaluation.bootstrap,
        "test": evaluation.test,
        "exchange": evaluation.exchange or "",
        **{k: v for k, v in evaluation.sampling.to_dict().items() if k != "method"},
    }
    rows = [[*heading, *settings, "signature"]]
    for agreement in evaluation.agreements:
        values = (
            agreement.value,
            agreement.lower,
            agreement.upper,
            agreement.mean,
            agreement.deviation,
        )
        cells = ["" if value is None else repr(value) for value in values]
        unbeaten = "yes" if agreement.metric in evaluation.unbeaten(agreement.pair) else "no"
        shared = [*map(str, settings.values()), agreement.signature or ""]
        rows.append([agreement.pair, agreement.metric, *cells, unbeaten, *shared])
    return rows


def measure_table() -> Table:
    """Return all measures of agreement with their descriptions and papers."""
    return Table(
        [
            Column("agreement", tuple(MEASURES), left=True),
            Column("", tuple(measure.about for measure in MEASURES.values()), left=True),
            Column("paper", tuple(measure.paper for measure in MEASURES.values()), left=True),
        ]
    )
