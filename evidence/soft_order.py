"""Order: checks against the study that found it, what precedence adds, and what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

import hyperbaton as hb
from evidence import labels, swaps
from evidence.areas import Floats, Integers
from evidence.data import LEVEL, SAMPLES, SEED, cached, evaluate
from evidence.forests import metric_difference
from evidence.order_sets import (
    COMPOSITES,
    choice_of_words,
    scored_sets,
    systems_and_people,
    unscored,
)
from evidence.overview import LABEL_COMPARISONS
from evidence.page import format_number, format_with_interval, join_names, markdown_table
from evidence.published import (
    HYPER_KEPT_ASIDE,
    HYPER_KEPT_ASIDE_SIGNIFICANT,
    SOFT_ORDER_KEPT_ASIDE,
    SOFT_ORDER_REFERENCES,
    SOFT_ORDER_STUDY,
)
from hyperbaton.meta.judgements import Scores
from hyperbaton.meta.results import MetricDifference
from hyperbaton.meta.testsets import TestSet
from hyperbaton.softorder.order import SoftLinks, match_words, order_statistics, order_values
from hyperbaton.softorder.precedence import PrecedenceCounter, PrecedenceModel
from hyperbaton.stats.significance import percentile_interval
from hyperbaton.text.words import WordTable, lines_from_strings
from hyperbaton.threads import thread_count

TEXT = hb.metrics.get("order").tokenization
SUM, PRODUCT, CHRF, ADJACENCY = "hyper", "hyper:combine=product", "chrf", "adjacency"
INTO = 6  # test sets into English; the others are out of it
MARGIN = 0.01  # smaller differences of scores are ties
ALONE, PRECEDENCE, BOTH = FACTORS = ("without B", "B", "order")
REFERENCE_COUNTS = (1, 10, 30, 100, 300, 1000)
DIVISIONS, DRAWS = 5, 20
ROUNDING = 0.001  # the study prints three decimals


def count_pairs(lines: Sequence[str]) -> PrecedenceModel:
    """Count words and pairs of words in lines."""
    counter = PrecedenceCounter(TEXT)
    counter.add(lines_from_strings(list(lines)), thread_count(None))
    return counter.model()


def only_references(test_set: TestSet) -> list[str]:
    """Return the references of a test set that has one for each segment."""
    return [reference for (reference,) in test_set.references]


class FactoredTestSet:
    """A test set whose matched words are known; B depends on the lines it is counted in."""

    def __init__(self, test_set: TestSet) -> None:
        self._test_set = test_set
        self._threads = thread_count(None)
        table = WordTable(TEXT)
        self._refs = table.number_lines(
            lines_from_strings(only_references(test_set)), self._threads
        )
        self._hyps = [
            table.number_lines(lines_from_strings(list(lines)), self._threads)
            for lines in test_set.systems.values()
        ]
        self._matches = [
            match_words(hyps, self._refs, SoftLinks(), self._threads) for hyps in self._hyps
        ]

    def scores(self, model: PrecedenceModel) -> TestSet:
        """Return the test set with the scores of order without B, of B, and of order."""
        precedence = np.stack(
            [model.values(hyps, self._refs, self._threads) for hyps in self._hyps]
        )
        arrays = self._values(None), precedence, self._values(precedence)
        systems = tuple(self._test_set.systems)
        others = {name: Scores(systems, array) for name, array in zip(FACTORS, arrays, strict=True)}
        return replace(self._test_set, others=others)

    def _values(self, precedence: Floats | None) -> Floats:
        """Return the value of each segment of each system."""
        neighbours = [None] * len(self._matches) if precedence is None else precedence
        rows = (order_statistics(*pair) for pair in zip(self._matches, neighbours, strict=True))
        return np.stack([order_values(row[:, 0], row[:, 1]) for row in rows])


@cache
def factored_items(category: str) -> FactoredTestSet:
    return FactoredTestSet(swaps.read_items(category))


def item_accuracy(category: str, factor: str, model: PrecedenceModel) -> float:
    """Return the accuracy of a factor on one category of DEMETR."""
    return swaps.accuracy_with_half_ties(factored_items(category).scores(model), factor)


def control_accuracy(factor: str, model: PrecedenceModel) -> float:
    """Return the mean accuracy of a factor on DEMETR's controls."""
    return float(np.mean([item_accuracy(name, factor, model) for name in swaps.CONTROLS]))


@cache
def label_scores() -> dict[str, Floats]:
    """Return all factors of all outputs with labels; B is counted in each direction."""
    scored = []
    for pair in labels.TARGET_LANGUAGES:
        outputs = labels.read_outputs(pair)
        model = count_pairs(only_references(outputs))
        scored.append(FactoredTestSet(outputs).scores(model).others)
    return {
        factor: np.concatenate([others[factor].segments.ravel() for others in scored])
        for factor in FACTORS
    }


@cache
def studied_figures() -> dict[str, list[float]]:
    """Return what the study measured: swaps, controls, and areas for labels."""
    metrics = tuple(SOFT_ORDER_STUDY)
    items, controls = swaps.scored_items(metrics), swaps.control_accuracies(metrics)
    outputs = labels.read_labelled_outputs(dict.fromkeys(labels.TARGET_LANGUAGES.values(), metrics))
    compared = labels.comparisons(outputs)
    return {
        metric: [
            swaps.accuracy_with_half_ties(items, metric),
            float(np.mean(controls[metric])),
            *(compared[name].area(outputs.scores[metric]) for name in LABEL_COMPARISONS),
        ]
        for metric in metrics
    }


def study_comparison() -> list[str]:
    """Compare the study's figures with ours."""
    rows, differences = [], []
    for metric, published in SOFT_ORDER_STUDY.items():
        ours = studied_figures()[metric]
        cells = [f"`{metric}`"]
        for theirs, value in zip(published, ours, strict=True):
            cells += [format_number(theirs), format_number(value)]
            differences.append(abs(theirs - value))
        rows.append(cells)
    agreeing = sum(difference <= ROUNDING for difference in differences)
    headings = ["metric"]
    for name in ("swaps", "controls", *LABEL_COMPARISONS):
        headings += [f"{name}, study", "ours"]
    return [
        "### The study's figures",
        "[order](metrics/order.md) comes from a study of our own, which has not been "
        "published. The table shows its figures next to ours: accuracy on DEMETR's swaps and the "
        "mean of its four controls, with ties counted half, and areas for word-order labels.",
        markdown_table(headings, rows),
        f"{agreeing} of {len(differences)} figures agree to {ROUNDING:g}; the largest difference "
        f"is {max(differences):.4f}.",
        kept_aside(),
    ]


def kept_aside() -> str:
    """Say what the data of this page can show, and quote the study's other data."""
    areas = join_names(
        f"`{metric}` {format_number(segment)} / {format_number(length)}"
        for metric, (segment, length) in SOFT_ORDER_KEPT_ASIDE.items()
    )
    taus = join_names(
        f"{format_number(hyper)} / {format_number(chrf)} on {count} test sets"
        for count, (hyper, chrf) in HYPER_KEPT_ASIDE.items()
    )
    return (
        "All options have the values that the study fixed; nothing was tuned for this page. "
        "However, the data of this page was not held out in the study, so these figures may be too "
        "good. On labels of four held-out test sets, which are not available "
        f"here, it reports these areas (same segment / same length): {areas}. Its mean τ of "
        f"`{SUM}` / `{CHRF}` is {taus}; of the differences on the first, "
        f"{HYPER_KEPT_ASIDE_SIGNIFICANT} are significant."
    )


def controls_by_size() -> list[str]:
    """Show accuracies on swaps and controls by sign, with a margin, and the size of effects."""
    categories = (swaps.SWAPS, *swaps.CONTROLS)
    scored = {name: swaps.scored_items(tuple(SOFT_ORDER_STUDY), name) for name in categories}
    rows, reactions = [], {}
    for metric in SOFT_ORDER_STUDY:
        scores = {name: items.others[metric].segments for name, items in scored.items()}
        for kind, tie in (("by sign", swaps.TIE), (f"margin {MARGIN:g}", MARGIN)):
            shares = [
                swaps.half_ties(scores[name][0], scores[name][1], tie).mean() for name in categories
            ]
            cells = map(format_number, (*shares, np.mean(shares[1:])))
            rows.append([f"`{metric}`", kind, *cells])
        effects = [float(np.mean(better - worse)) for better, worse in scores.values()]
        effects.append(float(np.mean(effects[1:])))
        reactions[metric] = abs(effects[-1] / effects[0])
        signed = (f"{effect:+.4f}" for effect in effects)
        rows.append([f"`{metric}`", "mean difference", *signed])
    headings = ["metric", "", "swaps", *swaps.CONTROLS.values(), "mean of controls"]
    return [
        "### Swaps and controls by sign and by size",
        "A metric may react to every change a little. By sign, a difference counts however small "
        f"it is; with the margin, differences of up to {MARGIN:g} are ties, which count half.",
        markdown_table(headings, rows, left=2),
        "The mean difference on the controls, as a share of that on swaps, is "
        + join_names(f"{100 * share:.0f} % (`{name}`)" for name, share in reactions.items())
        + ".",
    ]


def agreement_with_people() -> list[str]:
    """Compare composites with chrF, and the product with the sum, on all test sets."""
    pairs = [*((metric, CHRF) for metric in COMPOSITES[:-1]), (PRODUCT, SUM)]
    rows, means = [], []
    found: dict[tuple[str, str], list[MetricDifference]] = {pair: [] for pair in pairs}
    for test_set in scored_sets():
        name, known = test_set.name, {BOTH, *COMPOSITES}
        others = {metric: each for metric, each in test_set.others.items() if metric in known}
        evaluation = evaluate([replace(test_set, others=others)], "tau_wmt14")
        taus = [evaluation[name, metric] for metric in (BOTH, *COMPOSITES)]
        means.append([tau.value for tau in taus])
        cells = [name, *map(format_with_interval, taus)]
        for pair, results in found.items():
            result = metric_difference(evaluation, name, *pair)
            results.append(result)
            cells.append(f"{result.difference:+.3f}, p {format_number(result.p)}")
        rows.append(cells)
    parts = {"into English": slice(INTO), "out of English": slice(INTO, None)}
    for direction, part in parts.items():
        columns = np.mean(np.array(means[part], np.float64), axis=0)
        cells = [
            f"{np.mean([each.difference for each in found[pair][part]]):+.4f}" for pair in pairs
        ]
        rows.append([f"mean {direction}", *(format_number(tau, 4) for tau in columns), *cells])
    product = found[PRODUCT, SUM][INTO:]
    headings = ["", *(f"`{metric}`" for metric in (BOTH, *COMPOSITES))]
    headings += [f"`{a}` − `{b}`" for a, b in pairs]
    return [
        "### Words and order together",
        f"Sentence-level τ (`tau_wmt14`) of `{BOTH}`, of composites and of `{CHRF}`, with "
        "intervals, and differences with p of the paired permutation test over segments.",
        markdown_table(headings, rows),
        " ".join(
            describe_differences(pair, results[part], direction)
            for direction, part in parts.items()
            for pair, results in found.items()
        ),
        "The rule of the study for `hyper` takes the product of words and order if it is not "
        "significantly worse than the sum on any test set out of English. So the "
        f"{'sum stays' if any(each.better == SUM for each in product) else 'product replaces it'}.",
    ]


def describe_differences(
    pair: tuple[str, str], results: Sequence[MetricDifference], direction: str
) -> str:
    metric, rival = pair
    higher = [result.pair for result in results if result.difference > 0]
    better = [result.pair for result in results if result.better == metric]
    worse = [result.pair for result in results if result.better == rival]

    def names(pairs: list[str]) -> str:
        return f"{len(pairs)} ({join_names(pairs)})" if pairs else "0"

    return (
        f"{direction[0].upper()}{direction[1:]}, τ of `{metric}` is above that of `{rival}` on "
        f"{len(higher)} of {len(results)} test sets; it is significantly better on "
        f"{names(better)} and significantly worse on {names(worse)}."
    )


def ablation() -> list[str]:
    """Measure all factors on swaps, controls and labels."""
    model = count_pairs(only_references(swaps.read_items()))
    outputs = labels.read_labelled_outputs({language: [] for language in ("en", "de")})
    compared = labels.comparisons(outputs)
    rows = []
    values: dict[str, list[float]] = {}
    for factor, scores in label_scores().items():
        accuracies = [
            item_accuracy(swaps.SWAPS, factor, model),
            *(item_accuracy(category, factor, model) for category in swaps.CONTROLS),
            control_accuracy(factor, model),
        ]
        cells = [factor, *map(format_number, accuracies)]
        areas = []
        for name in LABEL_COMPARISONS:
            samples = compared[name].sample_areas(scores, SAMPLES, SEED)
            low, high = percentile_interval(samples, LEVEL)
            areas.append(compared[name].area(scores))
            bounds = f"[{format_number(low)}, {format_number(high)}]"
            cells.append(f"{format_number(areas[-1])} {bounds}")
        rows.append(cells)
        values[factor] = [accuracies[0], accuracies[-1], *areas]
    headings = ["", "swaps", *swaps.CONTROLS.values(), "mean of controls", *LABEL_COMPARISONS]
    a, b, both = (values[factor] for factor in FACTORS)
    return [
        "### What precedence adds",
        "Without B, `order` compares the neighbours of each word with those in the reference. B, "
        "precedence, asks whether neighbours are in the right order, based on the word pairs in "
        "all references. Here B is also measured alone.",
        markdown_table(headings, rows),
        f"On swaps, `order` has {format_number(both[0])}, without B {format_number(a[0])}, and B "
        f"alone {format_number(b[0])}. On the controls, where 0.5 is right, they have "
        f"{format_number(both[1])}, {format_number(a[1])} and {format_number(b[1])}. For labels, B "
        f"adds {both[2] - a[2]:+.3f} on the same segment and {both[3] - a[3]:+.3f} on the same "
        "length.",
    ]


def take_items(test_set: TestSet, items: Integers) -> TestSet:
    """Return some items of a test set, without judgements."""
    chosen = items.tolist()
    return TestSet(
        test_set.name,
        {name: [lines[k] for k in chosen] for name, lines in test_set.systems.items()},
        [test_set.references[k] for k in chosen],
    )


def won_items(test_set: TestSet, model: PrecedenceModel) -> Floats:
    """Return 1, 0, or 1/2 for a tie, for each item, by order."""
    return swaps.half_ties(*FactoredTestSet(test_set).scores(model).others[BOTH].segments)


def small_test_sets(category: str, count: int) -> Floats:
    """Divide a category into test sets of this size, at random; return which items are won.

    B is counted in the references of each small test set. There are several divisions, unless all
    are the same.
    """
    items = swaps.read_items(category)
    won = []
    for seed in range(1 if count in (1, items.n) else DIVISIONS):
        order = np.random.default_rng([SEED, seed]).permutation(items.n)
        for k in range(items.n // count):
            part = take_items(items, order[k * count : (k + 1) * count])
            won.append(won_items(part, count_pairs(only_references(part))))
    return np.concatenate(won)


def without_own_reference(count: int) -> float:
    """Return the accuracy on swaps whose own reference is not among those counted."""
    items = swaps.read_items()
    references = only_references(items)
    accuracies = []
    for seed in range(DRAWS):
        order = np.random.default_rng([SEED, seed]).permutation(items.n)
        model = count_pairs([references[k] for k in order[:count]])
        accuracies.append(won_items(take_items(items, order[count:]), model).mean())
    return float(np.mean(accuracies))


def measure_reference_counts() -> dict[str, list[float | None]]:
    """Return accuracy on swaps, on controls, and on swaps without the own reference, by number."""
    total = swaps.read_items().n
    return {
        str(count): [
            float(small_test_sets(swaps.SWAPS, count).mean()),
            float(np.mean([small_test_sets(name, count).mean() for name in swaps.CONTROLS])),
            without_own_reference(count) if count < total else None,
        ]
        for count in REFERENCE_COUNTS
    }


def reference_counts() -> list[str]:
    """Show how the swaps that order detects depend on the number of references."""
    items = swaps.read_items()
    measured = cached(
        items, ["B by references", REFERENCE_COUNTS, DIVISIONS, DRAWS], measure_reference_counts
    )
    model = count_pairs(only_references(items))
    alone = [item_accuracy(swaps.SWAPS, ALONE, model), control_accuracy(ALONE, model)]
    rows = [["without B", "–", *map(format_number, (*alone, alone[0]))]]
    for count in REFERENCE_COUNTS:
        study = SOFT_ORDER_REFERENCES.get(count)
        cells = "–" if study is None else f"{study:g}", *map(format_number, measured[str(count)])
        rows.append([f"{count:,}", *cells])
    most = str(REFERENCE_COUNTS[-1])
    adjacency = studied_figures()[ADJACENCY][0]
    enough = [
        min(count for count in REFERENCE_COUNTS if (measured[str(count)][k] or 0) > adjacency)
        for k in (0, 2)
    ]
    return [
        "### How many references B needs",
        f"Accuracy of `order` on DEMETR, with ties counted half. The {items.n:,} items are divided "
        "into test sets of equal size at random, and B is counted in the references of each test "
        f"set (mean over {DIVISIONS} divisions; one for 1 and {items.n:,}). In the last column, B "
        "is counted only in references of other items, drawn at random (mean over "
        f"{DRAWS} draws): this shows how much word pairs in other sentences help.",
        markdown_table(
            [
                "references",
                "swaps, study of A·B in 0.2",
                "ours",
                "controls",
                "swaps, own reference not counted",
            ],
            rows,
        ),
        f"B adds {measured['1'][0] - alone[0]:+.3f} to the accuracy on swaps even if only the "
        f"item's own reference is counted, and {measured[most][0] - alone[0]:+.3f} with "
        f"{int(most):,} references. Without the item's own reference, it adds "
        f"{measured['100'][2] - alone[0]:+.3f} with 100 references and "
        f"{measured['300'][2] - alone[0]:+.3f} with 300. `order` exceeds `{ADJACENCY}` "
        f"({format_number(adjacency)}) with {enough[0]:,} or more references if the own reference "
        f"is counted, and with {enough[1]:,} or more if it is not.",
    ]


def section() -> str:
    return "\n\n".join(
        [
            "## Order",
            *study_comparison(),
            *controls_by_size(),
            *agreement_with_people(),
            *systems_and_people(),
            *ablation(),
            *reference_counts(),
            *unscored(),
            *choice_of_words(),
        ]
    )
