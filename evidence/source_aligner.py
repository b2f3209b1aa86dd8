"""The source aligner: tables for docs/through-the-source.md, printed as Markdown.

Usage: ``HYPERBATON_DATA=… EFLOMAL=… python -m evidence.source_aligner``. EFLOMAL is optional (see
evidence/eflomal.py).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

import hyperbaton as hb
from evidence import eflomal
from evidence.areas import Floats
from evidence.bitexts import TRAINING, Pairs, TrainingData, Wmt13, gold_set, link_sets, wmt13
from evidence.data import data_folder
from evidence.link_quality import LinkQuality, Links, link_agreement, link_quality
from evidence.page import NOT_MEASURED, format_number, markdown_table
from hyperbaton.alignment.choices import DEFAULT_SYMMETRIZATION, SYMMETRIZATIONS
from hyperbaton.alignment.translation_model import DEFAULT_SEED, MAX_ITERATIONS, MIN_ITERATIONS
from hyperbaton.stats.correlation import kendall_tau, pearson
from hyperbaton.text.tokenization import Tokenization

DEFAULT, INTERSECTION, GROWN = DEFAULT_SYMMETRIZATION, "intersection", "grow-diag-final-and"
FACTORS = (0.25, 0.5, 1.0)
DEFAULT_FACTOR = 0.5
SEEDS = (1, 2)
PEER_RUNS = 3  # eflomal's links differ in each run
ANCHOR_LETTERS = 4
SETTINGS_HEADINGS = ("seeds", "anchors, precision", "recall", "F")
METRICS = ("lr_kb1", "lr_kb4", "pef")
TEXT = Tokenization()


# Links


def train(
    pairs: Pairs,
    seed: int = DEFAULT_SEED,
    iterations: int | None = None,
    *,
    words_given: bool = False,
) -> hb.SourceAligner:
    """Train an aligner; words are given if spaces separate them."""
    tokenize = "none" if words_given else None
    return hb.SourceAligner.train(
        pairs, seed=seed, iterations=iterations, source_tokenize=tokenize, tokenize=tokenize
    )


def align(aligner: hb.SourceAligner, pairs: Pairs, name: str = DEFAULT) -> list[hb.Alignment]:
    sources, targets = ([pair[side] for pair in pairs] for side in (0, 1))
    return aligner.align(sources, targets, symmetrization=name)


@cache
def gold_set_aligner(data: TrainingData) -> hb.SourceAligner:
    return train(data.pairs(), words_given=True)


@cache
def gold_set_links(data: TrainingData, name: str = DEFAULT) -> list[hb.Alignment]:
    return align(gold_set_aligner(data), gold_set(data.gold).pairs, name)


# Quality on gold alignments


def quality_section() -> list[str]:
    rows = []
    for data in TRAINING:
        gold, aligner = gold_set(data.gold), gold_set_aligner(data)
        rows += [
            [
                f"{data.name}: {aligner.pairs:,} pairs" if name == DEFAULT else "",
                f"`{name}`",
                *quality_cells([gold.quality(link_sets(gold_set_links(data, name)))]),
            ]
            for name in SYMMETRIZATIONS
        ]
        if eflomal.find():
            rows += [["", name, *quality_cells(found)] for name, found in peer_quality(data)]
    left_out = gold_set_aligner(TRAINING[2]).left_out
    parts = [
        "### Quality of the links",
        "Agreement with gold alignments, by what the aligner was trained on and by "
        "symmetrisation, with the default seed and all other defaults. The gold alignments have "
        "sure links S and possible links P, which include S. For the links A that were found, "
        "precision is |A ∩ P| / |A|, recall is |A ∩ S| / |S|, F is their harmonic mean, and the "
        "alignment error rate (AER; lower is better) is 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|). "
        "The text of wmt13 fr-en is English–French here, with words as in the gold alignments.",
        markdown_table(["trained on", "links", "AER", "precision", "recall", "F"], rows, left=2),
        f"With references and systems, {left_out.empty} pairs were not used because a side is "
        f"empty, and {left_out.long} because a side is too long.",
    ]
    if eflomal.find():
        parts.append(
            f"eflomal was trained on the same pairs, with its defaults; the figures are means of "
            f"{PEER_RUNS} runs, which differ because it has no seed. It has no symmetrisation of "
            "its own."
        )
    else:
        parts.append(f"eflomal: {NOT_MEASURED}.")
    return parts


def quality_cells(found: Sequence[LinkQuality]) -> list[str]:
    """Format the means of AER, precision, recall and F."""
    rows = [[one.error_rate, one.precision, one.recall, one.f1] for one in found]
    return [format_number(mean) for mean in np.mean(rows, axis=0)]


def peer_quality(data: TrainingData) -> list[tuple[str, list[LinkQuality]]]:
    """Return the quality of eflomal's links in several runs, by symmetrisation."""
    gold, pairs = gold_set(data.gold), data.pairs()
    found: dict[str, list[LinkQuality]] = {INTERSECTION: [], GROWN: []}
    for _ in range(PEER_RUNS):
        both = list(zip(*eflomal.align(pairs), strict=True))[: len(gold.pairs)]
        common = [forward & reverse for forward, reverse in both]
        found[INTERSECTION].append(gold.quality(common))
        grown = [eflomal.grow_diag_final_and(*directions) for directions in both]
        found[GROWN].append(gold.quality(grown))
    return [(f"eflomal, `{name}`", qualities) for name, qualities in found.items()]


# Settings, compared without gold alignments


def settings_section() -> list[str]:
    text = wmt13("de-en")
    system = next(iter(text.systems))
    corpora = {
        "references and one system": [*text.reference_pairs(), *text.system_pairs(system)],
        f"references and {len(text.systems)} systems": text.all_pairs(),
    }
    parts = [
        "### Settings, compared without gold alignments",
        "No gold alignments exist for wmt13 de-en, so settings can be compared on it without the "
        "gold alignments of the tables above. The number of iterations is factor · 5,000 / √pairs, "
        f"but at least {MIN_ITERATIONS} and at most {MAX_ITERATIONS}; the default factor is "
        f"{DEFAULT_FACTOR:g}. *Seeds* is the agreement of the links from two seeds, as F1. "
        f"*Directions* is the share of the links of `{GROWN}` that both directions have. "
        f"*Anchors* are words of at least {ANCHOR_LETTERS} "
        f"letters that occur once in the output of one system (`{system}`) and once in the "
        "reference. Both were most likely translated from the same source word, so links through "
        "the source should connect them: precision is the share of correct links among the links "
        "of anchors, recall the share of anchors that are linked. CPU time is for training.",
    ]
    for name, pairs in corpora.items():
        rows, aligners = [], {}
        for factor in FACTORS:
            number = iterations(factor, len(pairs))
            begin = time.process_time()
            first, second = (train(pairs, seed=seed, iterations=number) for seed in SEEDS)
            seconds = (time.process_time() - begin) / len(SEEDS)
            aligners[factor] = first, second
            rows.append(
                [
                    f"{factor:g}",
                    f"{number:,}",
                    *settings_cells(first, second, text, system, DEFAULT),
                    format_number(direction_agreement(first, text.reference_pairs())),
                    f"{seconds:.0f} s",
                ]
            )
        headings = ["factor", "iterations", *SETTINGS_HEADINGS, "directions", "CPU time"]
        parts += [f"**{name}, {len(pairs):,} pairs**", markdown_table(headings, rows)]
        rows = [
            [f"`{name}`", *settings_cells(*aligners[DEFAULT_FACTOR], text, system, name)]
            for name in SYMMETRIZATIONS
        ]
        title = f"factor {DEFAULT_FACTOR:g}, by symmetrisation"
        parts.append(markdown_table([title, *SETTINGS_HEADINGS], rows))
    return parts


def iterations(factor: float, pairs: int) -> int:
    """Return the number of iterations for a factor; the default factor gives the default number.

    >>> iterations(0.5, 447), iterations(0.5, 10_000)
    (118, 25)
    """
    wanted = int(factor * 5000 / pairs**0.5 + 0.5)
    return min(MAX_ITERATIONS, max(MIN_ITERATIONS, wanted))


def settings_cells(
    first: hb.SourceAligner, second: hb.SourceAligner, text: Wmt13, system: str, name: str
) -> list[str]:
    references, outputs = text.reference_pairs(), text.system_pairs(system)
    reference_links, output_links = (align(first, pairs, name) for pairs in (references, outputs))
    seeds = link_agreement(link_sets(reference_links), link_sets(align(second, references, name)))
    anchors = [
        find_anchors(TEXT.split(output), TEXT.split(reference))
        for output, reference in zip(text.systems[system], text.references, strict=True)
    ]
    composed = [
        set(output.inverse().compose(reference).links)
        for output, reference in zip(output_links, reference_links, strict=True)
    ]
    quality = anchor_quality(composed, anchors)
    values = seeds, quality.precision, quality.recall, quality.f1
    return [format_number(value) for value in values]


def direction_agreement(aligner: hb.SourceAligner, pairs: Pairs) -> float:
    """Return the share of all links that both directions have."""
    common, grown = (link_sets(align(aligner, pairs, name)) for name in (INTERSECTION, GROWN))
    return sum(map(len, common)) / sum(map(len, grown))


def find_anchors(output: Sequence[str], reference: Sequence[str]) -> Links:
    """Return the positions of words that occur once in the output and once in the reference.

    >>> sorted(find_anchors("the house saw saws today".split(), "today the house the".split()))
    [(1, 2), (4, 0)]
    """
    once = [
        {word for word, count in Counter(words).items() if count == 1}
        for words in (output, reference)
    ]
    return {
        (output.index(word), reference.index(word))
        for word in once[0] & once[1]
        if word.isalpha() and len(word) >= ANCHOR_LETTERS
    }


def anchor_quality(found: Iterable[Links], anchors: Iterable[Links]) -> LinkQuality:
    """Compare the links of anchors with the anchors, which count as sure links.

    >>> anchor_quality([{(0, 0), (1, 0), (1, 2), (5, 5)}], [{(0, 0), (2, 1)}]).precision
    0.5
    """
    anchors = list(anchors)
    touching = []
    for links, sure in zip(found, anchors, strict=True):
        outputs, references = ({link[side] for link in sure} for side in (0, 1))
        touching.append({link for link in links if link[0] in outputs or link[1] in references})
    return link_quality(touching, anchors, anchors)


# Errors of alignment and measures of order


def measures_section() -> list[str]:
    parts = [
        "### How errors of alignment change measures of order",
        "Each measure of the source permutation (`nulls=paper`) from gold links and from the links "
        f"of the aligner (`{DEFAULT}`): the mean over all sentences, the mean absolute difference "
        "between the two values of a sentence, and Pearson's r over sentences.",
    ]
    for data in (TRAINING[0], TRAINING[2], TRAINING[3]):
        gold = gold_set(data.gold)
        ours = permutation_measures(gold_set_links(data))
        theirs = {"sure links": permutation_measures(gold.sure)}
        if any(alignment.links for alignment in gold.possible):
            theirs["all links"] = permutation_measures(gold.all_links())
        rows = []
        for name, values in ours.items():
            cells = [f"`{name}`", format_number(float(values.mean()))]
            for golds in theirs.values():
                cells += measure_cells(values, golds[name])
            rows.append(cells)
        headings = ["measure", "ours, mean"]
        for kind in theirs:
            headings += [f"gold, {kind}, mean", "difference", "r"]
        parts += [f"**Trained on {data.name}**", markdown_table(headings, rows)]
    return parts


def permutation_measures(alignments: Iterable[hb.Alignment]) -> dict[str, Floats]:
    return hb.measures([alignment.source_permutation() for alignment in alignments])


def measure_cells(ours: Floats, theirs: Floats) -> list[str]:
    numbers = theirs.mean(), np.abs(ours - theirs).mean(), pearson(ours, theirs)
    return [format_number(float(number)) for number in numbers]


# Rankings of systems


def ranking_section() -> list[str]:
    text = wmt13("fr-en")
    half = len(text.sources) // 2
    first_half, second_half = text.lines(0, half), text.lines(half, len(text.sources))
    all_pairs = text.all_pairs()
    direct = {
        name: hb.score(out, text.references, METRICS, "en") for name, out in text.systems.items()
    }
    scores = {
        "direct alignment, no source": system_scores(direct),
        "references and all systems, seed 1": shared_scores(text, train(all_pairs, seed=1)),
        "references and all systems, seed 2": shared_scores(text, train(all_pairs, seed=2)),
        "references alone": shared_scores(text, train(text.reference_pairs())),
        "references and the system itself": system_scores(
            {
                name: score_through_source(
                    text, name, train([*text.reference_pairs(), *text.system_pairs(name)])
                )
                for name in text.systems
            }
        ),
    }
    alone = shared_scores(first_half, train(first_half.all_pairs()))
    extended = [*first_half.all_pairs(), *second_half.all_pairs()]
    with_more = shared_scores(first_half, train(extended))
    human = np.array([text.human_scores[name] for name in text.systems])
    agreement = [
        [name, *(format_number(float(kendall_tau(values[metric], human))) for metric in METRICS)]
        for name, values in scores.items()
    ]
    _, base, *others = scores
    changes = [change_row(f"{other}", scores[base], scores[other]) for other in others]
    changes.append(
        change_row("the first half of the lines, with and without the others", alone, with_more)
    )
    return [
        "### Rankings of systems",
        f"wmt13 fr-en, {len(text.systems)} systems, with links through the source from aligners "
        "that were trained on different pairs. The table compares them with an aligner trained on "
        f"the references and the outputs of all systems ({len(all_pairs):,} pairs) with seed 1: "
        "Kendall's τ between the two rankings, and the largest change of a system's score. "
        "*References and the system itself* trains an aligner for each system, as if the systems "
        "were scored one by one. The last row scores the first half of the lines alone: once "
        "trained on it, and once with the other half as additional bitext.",
        markdown_table(
            [
                "trained on",
                *(f"`{m}`, {kind}" for m in METRICS for kind in ("τ", "largest change")),
            ],
            changes,
        ),
        "Kendall's τ between the scores of the systems and those of people:",
        markdown_table(["links", *(f"`{metric}`" for metric in METRICS)], agreement),
    ]


def shared_scores(text: Wmt13, aligner: hb.SourceAligner) -> dict[str, Floats]:
    """Score all systems with the links of one aligner."""
    return system_scores({name: score_through_source(text, name, aligner) for name in text.systems})


def score_through_source(text: Wmt13, system: str, aligner: hb.SourceAligner) -> hb.Result:
    return hb.score(
        text.systems[system],
        text.references,
        METRICS,
        "en",
        source=[" ".join(TEXT.split(line)) for line in text.sources],
        alignments=align(aligner, text.system_pairs(system)),
        reference_alignments=align(aligner, text.reference_pairs()),
    )


def system_scores(results: Mapping[str, hb.Result]) -> dict[str, Floats]:
    """Return the scores of all systems, by metric."""
    return {
        metric: np.array([result[metric].value for result in results.values()])
        for metric in METRICS
    }


def change_row(name: str, first: Mapping[str, Floats], second: Mapping[str, Floats]) -> list[str]:
    cells = [name]
    for metric in METRICS:
        tau = float(kendall_tau(first[metric], second[metric]))
        change = float(np.abs(first[metric] - second[metric]).max())
        cells += [format_number(tau), format_number(change, 4)]
    return cells


def main() -> None:
    data_folder()  # exits if there is no data
    for section in (quality_section, settings_section, measures_section, ranking_section):
        print("\n\n".join(section()), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
