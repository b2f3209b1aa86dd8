"""What folding words and dropping punctuation do to the agreement with people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

import hyperbaton as hb
from evidence import order_sets, trials
from evidence.data import (
    SOFT,
    SOFT_ADJACENCY_ONLY,
    evaluate,
    judged_segments,
    load_test_sets,
    with_scores,
)
from evidence.forests import metric_difference
from evidence.page import format_number, join_names, markdown_table
from evidence.trials import with_option
from hyperbaton.meta.results import MetaEvaluation, MetricDifference
from hyperbaton.meta.testsets import TestSet
from hyperbaton.text.tokenization import DEFAULT_FOLD

METRICS = (
    *("order", "hyper", "adjacency", "kendall:bp=off", "kendall", "pef:bp=off", "pef"),
    *("pet_count", "full", "ribes", "wer", "cder"),
)
NOT_ALIGNED = (*SOFT, *SOFT_ADJACENCY_ONLY)
OPTION, BEFORE, AFTER = "punct", "keep", "drop"
PUNCT_METRICS = ("pef", "pef:bp=off", "kendall", "adjacency", "full", "ribes", *NOT_ALIGNED)
CHANGED = "full"  # the metric whose changed values are counted
# Quotation marks that the tokeniser 13a leaves at a word. The single ones are apostrophes as well.
QUOTATION_MARK = re.compile("([\u201c\u201d\u201e\u201f«»])")


@cache
def scored_test_sets() -> list[TestSet]:
    """Return all test sets with the scores of the metrics with and without punctuation."""
    metrics = [
        with_option(name, OPTION, value) for name in PUNCT_METRICS for value in (BEFORE, AFTER)
    ]
    test_sets = [
        *load_test_sets("wmt13"),
        *map(judged_segments, load_test_sets("wmt15")),
        *load_test_sets("biomqm"),
    ]
    return [with_scores(test_set, metrics) for test_set in test_sets]


@cache
def evaluations() -> dict[str, MetaEvaluation]:
    """Return the agreement of all metrics with and without punctuation, by test set."""
    return {test_set.name: evaluate([test_set], "tau_wmt14") for test_set in scored_test_sets()}


def differences(metric: str) -> list[MetricDifference]:
    """Return, for each test set, what dropping punctuation changes."""
    names = with_option(metric, OPTION, AFTER), with_option(metric, OPTION, BEFORE)
    return [
        metric_difference(evaluation, test_set, *names)
        for test_set, evaluation in evaluations().items()
    ]


def mean_tau(value: str, metric: str) -> float:
    """Return the mean τ of a metric with this value of the option over all test sets."""
    name = with_option(metric, OPTION, value)
    values = [result[pair, name].value for pair, result in evaluations().items()]
    return float(np.mean(np.array(values, np.float64)))


def changed_share(test_set: TestSet) -> float:
    """Return the share of segment scores that change without punctuation."""
    first, second = (
        test_set.others[with_option(CHANGED, OPTION, value)].segments for value in (BEFORE, AFTER)
    )
    return float(np.mean(first != second))


def punctuation_table() -> str:
    """Return mean τ with and without punctuation, and the difference on each test set."""
    rows = []
    for metric in PUNCT_METRICS:
        cells = []
        for difference in differences(metric):
            cell = f"{difference.difference:+.4f} (p {format_number(difference.p)})"
            cells.append(cell if difference.better is None else f"**{cell}**")
        means = [mean_tau(value, metric) for value in (BEFORE, AFTER)]
        rows.append([f"`{metric}`", *(format_number(mean, 4) for mean in means), *cells])
    shares = [f"{changed_share(test_set):.1%}" for test_set in scored_test_sets()]
    rows.append([f"values of `{CHANGED}` that change", "", "", *shares])
    headings = ["metric", *(f"mean τ, {OPTION}={value}" for value in (BEFORE, AFTER))]
    return markdown_table([*headings, *evaluations()], rows)


def summary() -> str:
    """Count the metrics whose mean τ rises, and the significant differences."""
    rising = [
        metric for metric in PUNCT_METRICS if mean_tau(AFTER, metric) > mean_tau(BEFORE, metric)
    ]
    found = [difference for metric in PUNCT_METRICS for difference in differences(metric)]
    better = sum(difference.better == difference.a for difference in found)
    worse = sum(difference.better == difference.b for difference in found)
    return (
        f"With `{OPTION}={AFTER}`, the mean τ of {len(rising)} of {len(PUNCT_METRICS)} metrics "
        f"rises; {better} of {len(found)} differences are significantly positive and {worse} "
        "significantly negative."
    )


# Folding -------------------------------------------------------------------------------------


def folded(value: str) -> trials.Scoring:
    """Return how a test set is scored with this value of `fold`."""

    def score(test_set: TestSet, metrics: Sequence[str], language: str) -> TestSet:
        return trials.with_option_scores(test_set, metrics, language, "fold", value)

    return score


def quotes_apart(line: str) -> str:
    """Return the line with spaces around its quotation marks.

    >>> quotes_apart("„Er kam“, sagte sie.")
    ' „ Er kam “ , sagte sie.'
    """
    return QUOTATION_MARK.sub(r" \1 ", line)


def with_quotes_apart(test_set: TestSet, metrics: Sequence[str], language: str) -> TestSet:
    """Score a test set whose quotation marks are words of their own, without folding."""
    systems = {name: list(map(quotes_apart, lines)) for name, lines in test_set.systems.items()}
    references = [list(map(quotes_apart, texts)) for texts in test_set.references]
    changed = replace(test_set, systems=systems, references=references)
    return replace(test_set, others=folded("none")(changed, metrics, language).others)


def linked_shares(language: str) -> list[float]:
    """Return the share of words with a link, without folding and with it in several places."""
    plain = hb.Aligner(language, fold="none")
    standard = hb.Aligner(language, fold="standard")
    afterwards = hb.Aligner(language, tokenize="none", fold="standard")
    ways: tuple[tuple[hb.Aligner, Callable[[str], str | list[str]]], ...] = (
        (plain, str),
        (afterwards, plain.tokens),
        (standard, str),
        (plain, quotes_apart),
    )
    linked, words = np.zeros(len(ways)), np.zeros(len(ways))
    for test_set in trials.test_sets():
        if order_sets.target_language(test_set) != language:
            continue
        refs = [texts[0] for texts in test_set.references]
        for hyps in test_set.systems.values():
            for k, (aligner, prepare) in enumerate(ways):
                batch = aligner.align_batch(map(prepare, hyps), map(prepare, refs), threads=1)
                linked[k] += sum(int(side.sum()) for side in batch.covered_words)
                words[k] += batch.hyp_lengths.sum() + batch.ref_lengths.sum()
    return [float(share) for share in linked / words]


def decision(figures: Sequence[trials.Figure]) -> str:
    """Apply the rule for the default of fold to the measurements."""
    worse = trials.significantly_worse(figures)
    counts = Counter(each.group.removeprefix("τ, ") for each in worse)
    where = join_names(f"{count} in {group}" for group, count in counts.items())
    supported = "none" if worse else "standard"
    return (
        f"{len(worse)} of {len(figures)} figures fall significantly{f' ({where})' if worse else ''}"
        f". The rule therefore gives `fold={supported}`; the default is `fold={DEFAULT_FOLD}`."
    )


def section() -> str:
    standard = trials.all_figures(METRICS, folded("none"), folded("standard"))
    apart = trials.all_figures(METRICS, folded("none"), with_quotes_apart)
    languages = dict.fromkeys(map(order_sets.target_language, trials.test_sets()))
    shares = [
        [language, *(f"{share:.2%}" for share in linked_shares(language))] for language in languages
    ]
    return "\n\n".join(
        [
            "## Folded words and dropped punctuation",
            "The options `fold` and `punct` change [which words are equal and which "
            "count](scoring.md#which-words-are-equal). Folding happens before a line is split into "
            'words, because the tokeniser 13a leaves all quotation marks but `"` at their words: '
            "without it, `„Er` has no link to `Er`. The share of words of all systems and first "
            "references that have a link, by target language:",
            markdown_table(
                ["", "`fold=none`", "folded after", "`fold=standard`", "quotation marks apart"],
                shares,
            ),
            f"`fold=standard` against `fold=none`, for {len(METRICS)} metrics. The rule was: "
            "`fold=standard` becomes the default if no figure falls significantly. "
            f"{trials.METHOD}",
            trials.figure_table(standard),
            f"{decision(standard)} Folding also makes forms of punctuation equal that people may "
            "tell apart, such as the full-width comma of Chinese and the comma of ASCII, or dashes "
            "and hyphens.",
            "Tried after that, on the same data: quotation marks (“ ” „ ‟ « ») that are words of "
            "their own, but stay different. No option does this.",
            trials.figure_table(apart),
            "The next table is about `punct`: the mean of sentence-level τ over the six test sets "
            "into English with both values, and the gain of the second value on each test set, "
            "with p of the paired permutation test (1,000 samples, seed 1, not corrected; p < 0.05 "
            "is bold). The last row shows the share of segment values of "
            f"`{CHANGED}` that change.",
            punctuation_table(),
            f"{summary()} The default is `punct=keep`.",
        ]
    )
