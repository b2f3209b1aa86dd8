"""Words that moved, through the source: what the source aligner finds of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

import hyperbaton as hb
from evidence.areas import Floats
from evidence.bitexts import TrainingData, gold_set, link_sets
from evidence.link_quality import Links
from evidence.page import format_number, markdown_table
from hyperbaton.alignment.choices import DEFAULT_THRESHOLD
from hyperbaton.stats.correlation import spearman_rho

SETS = (
    TrainingData("en-nl", "en-nl"),
    TrainingData("en-fr", "en-fr, the 447 pairs alone"),
    TrainingData("en-fr", "en-fr, with references of wmt13", references=True),
    TrainingData("ja-en", "ja-en"),
)
SEEDS = (1, 2, 3)
BINS = {"none": range(1), "1–2": range(1, 3), "3 or more": range(3, 10**6)}
THRESHOLDS = tuple(k / 100 for k in range(30, 56))


class Found(NamedTuple):
    """How good the links of a set are.

    ``recalls`` and ``precisions`` are those of one-to-one links, by the number of crossings.
    """

    error_rate: float
    precision: float
    recall: float
    recalls: tuple[float, ...]
    precisions: tuple[float, ...]


# Made by :func:`quality_of_links` with version 0.2.0, whose threshold is 0.5: means of three seeds.
VERSION_0_2: dict[str, Found] = {
    "en-nl": Found(0.2813, 0.8343, 0.6312, (0.9479, 0.7320, 0.5874), (0.8542, 0.8473, 0.8410)),
    "en-fr, the 447 pairs alone": Found(
        0.1434, 0.8731, 0.8336, (0.9451, 0.5268, 0.4713), (0.8854, 0.9401, 0.8288)
    ),
    "en-fr, with references of wmt13": Found(
        0.0889, 0.9183, 0.9010, (0.9743, 0.7833, 0.7091), (0.9304, 0.9672, 0.8995)
    ),
    "ja-en": Found(0.5912, 0.6358, 0.3013, (0.7544, 0.5190, 0.3899), (0.6409, 0.6769, 0.6815)),
}


def count_crossings(links: Links) -> dict[tuple[int, int], int]:
    """Return how many one-to-one links each one-to-one link crosses.

    >>> count_crossings({(0, 2), (1, 1), (2, 0), (3, 3), (4, 4), (4, 5)})
    {(0, 2): 2, (1, 1): 2, (2, 0): 2, (3, 3): 0}
    """
    sources, targets = (Counter(link[side] for link in links) for side in (0, 1))
    single = sorted(link for link in links if sources[link[0]] == targets[link[1]] == 1)
    return {(i, j): sum((i - a) * (j - b) < 0 for a, b in single) for i, j in single}


def shares_by_crossings(links: Iterable[Links], known: Iterable[Links]) -> tuple[float, ...]:
    """Return how many of the one-to-one links are known, by the number of their crossings.

    >>> shares_by_crossings([{(0, 1), (1, 0), (2, 2)}], [{(1, 0), (2, 2)}])
    (1.0, 0.5, nan)
    """
    hits, totals = np.zeros(len(BINS)), np.zeros(len(BINS))
    for these, known_links in zip(links, known, strict=True):
        for link, crossings in count_crossings(these).items():
            (k,) = (k for k, numbers in enumerate(BINS.values()) if crossings in numbers)
            totals[k] += 1
            hits[k] += link in known_links
    with np.errstate(invalid="ignore"):
        return tuple((hits / totals).tolist())


def quality_of_links(data: TrainingData, found: Sequence[Links]) -> Found:
    gold = gold_set(data.gold)
    quality, sure = gold.quality(found), link_sets(gold.sure)
    return Found(
        quality.error_rate,
        quality.precision,
        quality.recall,
        shares_by_crossings(sure, found),
        shares_by_crossings(found, link_sets(gold.all_links())),
    )


def mean_of(found: Sequence[Found]) -> Found:
    numbers = np.mean([[*one[:3], *one.recalls, *one.precisions] for one in found], axis=0)
    end = 3 + len(BINS)
    error_rate, precision, recall = numbers[:3].tolist()
    by_crossings = tuple(numbers[3:end].tolist()), tuple(numbers[end:].tolist())
    return Found(error_rate, precision, recall, *by_crossings)


@cache
def aligner(data: TrainingData, seed: int) -> hb.SourceAligner:
    return hb.SourceAligner.train(data.pairs(), seed=seed, source_tokenize="none", tokenize="none")


def sides(data: TrainingData) -> tuple[list[str], list[str]]:
    pairs = gold_set(data.gold).pairs
    return [source for source, _ in pairs], [target for _, target in pairs]


@cache
def found_links(data: TrainingData, seed: int) -> list[dict[tuple[int, int], float]]:
    """Return the posterior of every link of a pair that any threshold keeps."""
    alignments = aligner(data, seed).align(
        *sides(data), symmetrization=f"mean:{THRESHOLDS[0]}", posteriors=True
    )
    return [dict(zip(one.links, one.posteriors or (), strict=True)) for one in alignments]


def links_above(data: TrainingData, seed: int, threshold: float) -> list[Links]:
    return [
        {link for link, posterior in links.items() if posterior > threshold}
        for links in found_links(data, seed)
    ]


def precision(data: TrainingData, threshold: float) -> float:
    gold = gold_set(data.gold)
    qualities = [gold.quality(links_above(data, seed, threshold)) for seed in SEEDS]
    return float(np.mean([quality.precision for quality in qualities]))


def quality_rows(data: TrainingData) -> Iterable[list[str]]:
    """Yield the quality of version 0.2.0, of the default, and of both other thresholds."""
    before = VERSION_0_2[data.name]
    alike = next(t for t in THRESHOLDS if precision(data, t) >= before.precision)
    rows = {"0.2.0, 0.5": before}
    for name, threshold in (
        (f"{DEFAULT_THRESHOLD:g}, the default", DEFAULT_THRESHOLD),
        ("0.5", 0.5),
        (f"{alike:g}, precision of 0.2.0", alike),
    ):
        found = (links_above(data, seed, threshold) for seed in SEEDS)
        rows[name] = mean_of([quality_of_links(data, links) for links in found])
    for k, (name, one) in enumerate(rows.items()):
        numbers = [*one[:3], *one.recalls, *one.precisions]
        yield ["" if k else data.name, name, *map(format_number, numbers)]


def order_row(data: TrainingData) -> list[str]:
    """Return Kendall from gold links, the best links and posteriors, and how well they agree."""
    gold = kendall_of_links(gold_set(data.gold).sure)
    numbers = []
    for seed in SEEDS:
        row = [gold.mean()]
        for ours in (
            kendall_of_links(aligner(data, seed).align(*sides(data))),
            aligner(data, seed).expected_kendall(*sides(data)),
        ):
            row += [ours.mean(), ours.mean() - gold.mean(), float(spearman_rho(ours, gold))]
        numbers.append(row)
    return [data.name, *map(format_number, np.mean(numbers, axis=0))]


def kendall_of_links(alignments: Iterable[hb.Alignment]) -> Floats:
    """Return Kendall's measure as for posteriors, with links that are certain.

    >>> kendall_of_links([hb.Alignment(2, 3, [(0, 1), (0, 2), (1, 0)])]).tolist()
    [0.0]
    """
    matrices = []
    for one in alignments:
        matrix = np.zeros((one.hyp_length, one.ref_length))
        for link in one.links:
            matrix[link] = 1
        matrices.append(matrix)
    values: Floats = hb.expected_kendall(matrices)
    return values


def section() -> str:
    headings = ["", "threshold", "AER", "precision", "recall"]
    headings += [f"{kind}, {name}" for kind in ("recall", "precision") for name in BINS]
    order = ["", "gold"]
    for kind in ("best links", "expected"):
        order += [kind, "bias", "ρ"]
    parts = [
        "## Words that moved, through the source",
        "The [source aligner](through-the-source.md) on gold alignments, trained on their text "
        "alone, or with the 3,000 references of wmt13 fr-en: means of the seeds "
        f"{SEEDS[0]} to {SEEDS[-1]}, with the symmetrisation `mean` and all other defaults. AER, "
        "precision and recall are defined [there](through-the-source.md#what-quality-to-expect). "
        "*Recall* by the number of crossings is that of the sure gold links whose two words have "
        "no other one, and the crossings are counted among these links. *Precision* by the number "
        "of crossings is that of the found links whose two words have no other one. Version 0.2.0 "
        "used the jump probabilities as they were counted, without a power.",
        markdown_table(headings, [row for data in SETS for row in quality_rows(data)], left=2),
        "Kendall's measure of order, mean over sentences: from the sure gold links, from the best "
        "links, and expected from the posteriors of all links "
        "([how](through-the-source.md#how-sure-a-link-is)). All three are C / (C + D) over pairs "
        "of links; those of gold and of the best links are certain. *Bias* is the difference to "
        "gold, ρ Spearman's correlation with it over sentences.",
        markdown_table(order, [order_row(data) for data in SETS]),
    ]
    return "\n\n".join(parts)
