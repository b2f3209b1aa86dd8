"""Outputs in which annotators marked word-order errors: do metrics score them lower?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evidence.areas import Booleans, Floats, Integers, Pairs, comparable_pairs
from evidence.data import LEVEL, SAMPLES, SEED, data_folder, every_metric, label, with_scores
from evidence.page import format_number, markdown_table
from hyperbaton.meta.readers import read_table
from hyperbaton.meta.testsets import TestSet, read_text_lines
from hyperbaton.stats.significance import percentile_interval

TARGET_LANGUAGES = {"de-en": "en", "en-de": "de"}
FOLDER = "wordorder/popovic17"
SYSTEMS = ("nmt", "pbmt")
LENGTH = "−length"
VARIANTS = ("pef:unaligned=left", "full:bp=off")


@dataclass(frozen=True, eq=False)
class LabelledOutputs:
    """The outputs of all systems and segments as flat arrays.

    ``bad`` marks outputs with a word-order error; ``direction`` is the index of the language pair.
    """

    bad: Booleans
    segment: Integers
    length: Integers
    direction: Integers
    scores: dict[str, Floats]


def read_outputs(pair: str) -> TestSet:
    """Read the outputs and references of one direction."""
    path = data_folder() / FOLDER / pair
    texts = {name: read_text_lines(path / "systems" / f"{name}.txt") for name in SYSTEMS}
    references = read_text_lines(path / "reference.txt")
    return TestSet(f"labels {pair}", texts, [[reference] for reference in references])


def read_labelled_outputs(
    metrics: Mapping[str, Sequence[str]],
    score: Callable[[TestSet, Sequence[str], str], TestSet] = with_scores,
) -> LabelledOutputs:
    """Read the directions with these target languages, with the scores of their metrics.

    Segments of the second direction are numbered after those of the first. Metrics that are not
    listed for both languages are left out.
    """
    bad, segment, length, direction = [], [], [], []
    scores: dict[str, list[Floats]] = {}
    first_segment = 0
    for k, (pair, language) in enumerate(TARGET_LANGUAGES.items()):
        if language not in metrics:
            continue
        test_set = read_outputs(pair)
        n = test_set.n
        errors = np.zeros((len(SYSTEMS), n), np.int64)
        table = read_table(data_folder() / FOLDER / pair / "order_errors.tsv")
        columns = [table.require_column(name) for name in ("system", "seg_id", "n_order")]
        for _, row in table.rows:
            system, line, count = (row[column] for column in columns)
            errors[SYSTEMS.index(system), int(line)] += int(count)
        pair_scores = score(test_set, metrics[language], language).others
        bad.append(errors.ravel() > 0)
        segment.append(np.tile(np.arange(first_segment, first_segment + n), len(SYSTEMS)))
        length.append([len(line.split()) for name in SYSTEMS for line in test_set.systems[name]])
        direction.append(np.full(len(SYSTEMS) * n, k))
        for metric, metric_scores in pair_scores.items():
            scores.setdefault(metric, []).append(metric_scores.segments.ravel())
        first_segment += n
    lengths = np.concatenate(length)
    scores = {LENGTH: [-lengths.astype(np.float64)], **scores}
    flat_scores = {name: np.concatenate(parts) for name, parts in scores.items()}
    complete = {name: array for name, array in flat_scores.items() if len(array) == len(lengths)}
    return LabelledOutputs(
        np.concatenate(bad), np.concatenate(segment), lengths, np.concatenate(direction), complete
    )


def metrics_by_language(variants: Sequence[str]) -> dict[str, list[str]]:
    """Return every metric and these variants, for each target language."""
    languages = TARGET_LANGUAGES.values()
    return {language: [*every_metric(language), *variants] for language in languages}


def comparisons(outputs: LabelledOutputs) -> dict[str, Pairs]:
    """Return the compared pairs: of the same direction, the same segment, or the same length."""
    base = int(outputs.length.max()) + 1
    keys = {
        "all": outputs.direction,
        "same segment": outputs.segment,
        "same length": outputs.direction * base + outputs.length,
    }
    return {name: comparable_pairs(outputs.bad, outputs.segment, key) for name, key in keys.items()}


def section() -> str:
    outputs = read_labelled_outputs(metrics_by_language(VARIANTS))
    compared = comparisons(outputs)
    length_areas = {
        name: pairs.sample_areas(outputs.scores[LENGTH], SAMPLES, SEED)
        for name, pairs in compared.items()
    }
    rows = []
    better_than_length: list[str] = []
    above_chance: list[str] = []
    for metric, scores in outputs.scores.items():
        cells = [f"`{label(metric)}`" if metric != LENGTH else LENGTH]
        gains = {}
        for name, pairs in compared.items():
            samples = pairs.sample_areas(scores, SAMPLES, SEED)
            low, high = percentile_interval(samples, LEVEL)
            gains[name] = percentile_interval(samples - length_areas[name], LEVEL)
            area = format_number(pairs.area(scores))
            cells.append(f"{area} [{format_number(low)}, {format_number(high)}]")
            if name == "same length" and low > 0.5:
                above_chance.append(metric)
        if gains["all"][0] > 0:
            better_than_length.append(metric)
        rows.append((compared["same length"].area(scores), cells))
    rows.sort(key=lambda row: -row[0])
    length_area = compared["all"].area(outputs.scores[LENGTH])
    counts = ", ".join(f"{len(pairs):,} pairs ({name})" for name, pairs in compared.items())
    return "\n\n".join(
        [
            "## Word-order errors marked by annotators",
            "Popović (2017): outputs of a neural and a phrase-based system, German–English and "
            f"English–German. {int(outputs.bad.sum())} of {len(outputs.bad):,} outputs have a "
            "word-order label. The area under the ROC curve is the share of pairs, one output with "
            "such a label and one without, in which the first scores lower. Ties count half, and "
            "0.5 is chance. Long outputs have more errors of any kind, so "
            f"{LENGTH} alone reaches {format_number(length_area, 2)}. "
            "For this reason, outputs of the same segment and outputs with the same number of "
            f"words are also compared. Intervals are over segments; {counts}.",
            markdown_table(["metric", *compared], [cells for _, cells in rows]),
            summary(outputs, compared, better_than_length, above_chance),
        ]
    )


def summary(
    outputs: LabelledOutputs,
    compared: dict[str, Pairs],
    better_than_length: list[str],
    above_chance: list[str],
) -> str:
    def best(name: str) -> str:
        areas = {metric: compared[name].area(outputs.scores[metric]) for metric in outputs.scores}
        return f"`{label(max(areas, key=areas.__getitem__))}`"

    def names(metrics: list[str]) -> str:
        return ", ".join(f"`{label(metric)}`" for metric in metrics) or "none"

    return (
        f"Metrics that are significantly better than {LENGTH} over all pairs: "
        f"{names(better_than_length)}. The best metric on the same segment is "
        f"{best('same segment')}, and on the same length {best('same length')}. Metrics whose "
        f"intervals are above chance on the same length: {names(above_chance)}. With so few "
        "labels, this data alone cannot distinguish the metrics from each other."
    )
