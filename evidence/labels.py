"""Outputs in which an annotator found errors of word order: do metrics score them lower?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evidence.areas import Booleans, Floats, Integers, Pairs, pairs
from evidence.data import LEVEL, SAMPLES, SEED, every_metric, folder, label, with_scores
from evidence.page import number, table
from hyperbaton.meta.tables import read_table
from hyperbaton.meta.testsets import TestSet, read_lines_of
from hyperbaton.stats.significance import percentile_interval

DIRECTIONS = {"de-en": "en", "en-de": "de"}
SYSTEMS = ("nmt", "pbmt")
LENGTH = "−length"
MORE = ("pef:unaligned=left", "full:bp=off")


@dataclass(frozen=True, eq=False)
class Labelled:
    """Outputs of all systems and segments, one after another."""

    bad: Booleans
    segment: Integers
    length: Integers
    direction: Integers
    scores: dict[str, Floats]


def read(metrics: Mapping[str, Sequence[str]]) -> Labelled:
    """Both directions, with the scores of metrics, which are given for each language.

    Segments of the second direction are numbered after those of the first. Metrics that are not
    for both languages are left out.
    """
    bad, segment, length, direction = [], [], [], []
    scores: dict[str, list[Floats]] = {}
    begin = 0
    for k, (pair, language) in enumerate(DIRECTIONS.items()):
        path = folder() / "wordorder" / "popovic17" / pair
        texts = {name: read_lines_of(path / "systems" / f"{name}.txt") for name in SYSTEMS}
        references = read_lines_of(path / "reference.txt")
        n = len(references)
        errors = np.zeros((len(SYSTEMS), n), np.int64)
        rows = read_table(path / "order_errors.tsv")
        columns = [rows.needed(name) for name in ("system", "seg_id", "n_order")]
        for _, row in rows.rows:
            system, line, count = (row[column] for column in columns)
            errors[SYSTEMS.index(system), int(line)] += int(count)
        given = TestSet(f"labels {pair}", texts, [[one] for one in references])
        found = with_scores(given, metrics[language], language).others
        bad.append(errors.ravel() > 0)
        segment.append(np.tile(np.arange(begin, begin + n), len(SYSTEMS)))
        length.append([len(line.split()) for name in SYSTEMS for line in texts[name]])
        direction.append(np.full(len(SYSTEMS) * n, k))
        for metric, own in found.items():
            scores.setdefault(metric, []).append(own.segments.ravel())
        begin += n
    lengths = np.concatenate(length)
    scores = {LENGTH: [-lengths.astype(np.float64)], **scores}
    whole = {name: np.concatenate(parts) for name, parts in scores.items()}
    complete = {name: one for name, one in whole.items() if len(one) == len(lengths)}
    return Labelled(
        np.concatenate(bad), np.concatenate(segment), lengths, np.concatenate(direction), complete
    )


def with_more(more: Sequence[str]) -> dict[str, list[str]]:
    """Every metric and some more, for each language."""
    return {one: [*every_metric(one), *more] for one in DIRECTIONS.values()}


def comparisons(given: Labelled) -> dict[str, Pairs]:
    """Which outputs are compared: of the same direction, the same segment, the same length."""
    far = int(given.length.max()) + 1
    keys = {
        "all": given.direction,
        "same segment": given.segment,
        "same length": given.direction * far + given.length,
    }
    return {name: pairs(given.bad, given.segment, key) for name, key in keys.items()}


def section() -> str:
    given = read(with_more(MORE))
    compared = comparisons(given)
    base = {
        name: own.sampled(given.scores[LENGTH], SAMPLES, SEED) for name, own in compared.items()
    }
    rows = []
    better: list[str] = []
    clear: list[str] = []
    for metric, scores in given.scores.items():
        cells = [f"`{label(metric)}`" if metric != LENGTH else LENGTH]
        bounds = {}
        for name, own in compared.items():
            samples = own.sampled(scores, SAMPLES, SEED)
            low, high = percentile_interval(samples, LEVEL)
            bounds[name] = percentile_interval(samples - base[name], LEVEL)
            cells.append(f"{number(own.area(scores))} [{number(low)}, {number(high)}]")
            if name == "same length" and low > 0.5:
                clear.append(metric)
        if bounds["all"][0] > 0:
            better.append(metric)
        rows.append((compared["same length"].area(scores), cells))
    rows.sort(key=lambda row: -row[0])
    counts = ", ".join(f"{len(own):,} pairs ({name})" for name, own in compared.items())
    return "\n\n".join(
        [
            "## Errors of word order that annotators named",
            "Popović (2017): outputs of a neural and a phrase-based system, German–English and "
            f"English–German, {int(given.bad.sum())} of {len(given.bad):,} with a label of word "
            "order. The area under the ROC curve is the share of pairs, an output with such a "
            "label and one without, in which the first scores lower; ties are half, and 0.5 is "
            f"chance. Long outputs have more errors of any kind, and {LENGTH} alone reaches "
            f"{number(compared['all'].area(given.scores[LENGTH]), 2)}: so outputs of the same "
            "segment are compared, too, and outputs of the same number of words. "
            f"Intervals are over segments; {counts}.",
            table(["metric", *compared], [cells for _, cells in rows]),
            said(given, compared, better, clear),
        ]
    )


def said(given: Labelled, compared: dict[str, Pairs], better: list[str], clear: list[str]) -> str:
    def best(name: str) -> str:
        metric = max(given.scores, key=lambda metric: compared[name].area(given.scores[metric]))
        return f"`{label(metric)}`"

    beat = ", ".join(f"`{label(one)}`" for one in better) or "none"
    above = ", ".join(f"`{label(one)}`" for one in clear) or "none"
    return (
        f"Over all pairs, the metrics that are significantly better than {LENGTH}: {beat}. Of the "
        f"same segment, {best('same segment')} is the best, and of the same length "
        f"{best('same length')}; above chance there, by their intervals: {above}. With so few "
        "labels, metrics cannot be told from each other by this alone."
    )
