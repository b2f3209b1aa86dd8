"""How words are linked without a model: what was tried, and what is the default."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from rapidfuzz.distance import Levenshtein, Prefix
from rapidfuzz.process import cdist

import hyperbaton as hb
from evidence import order_sets, trials
from evidence.areas import Floats
from evidence.bitexts import gold_set, link_sets
from evidence.data import cached
from evidence.link_quality import Links, link_quality
from evidence.page import format_number, markdown_table
from hyperbaton.alignment.aligner import stemmer_name
from hyperbaton.meta.judgements import Scores
from hyperbaton.meta.testsets import TestSet
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.run import ListCorpus, Run

Tokens = Sequence[str]
LinkFinder = Callable[[Sequence[tuple[Tokens, Tokens]]], Iterable[Links]]

Paragraph = tuple[list[str], list[str], Links]  # both sides, and the links of their sentences

METRICS = ("adjacency", "kendall:bp=off", "kendall", "pef:bp=off", "pef", "pet_count", "full")
SEARCHED = ("exact", "stem")
ANCHORED, SIMILAR = "anchored", "similar"
MUTUAL = "mutual best by letters"
# Of mutual best: least similarity of letters, weight of neighbours, and of distance.
LETTERS, NEIGHBOURS, DISTANCE = 0.65, 0.2, 0.5
SENTENCES, SYSTEMS, SEGMENTS = 5, 4, 1000  # of a paragraph; of a test set
CHOSEN_ON = "wmt13 fr-en"


# Links ---------------------------------------------------------------------------------------


def similarity(hyp: Tokens, ref: Tokens) -> Floats:
    """Return the similarity of the letters of all pairs of words, as `order` has it."""
    lengths = [np.array([len(word) for word in words]) for words in (hyp, ref)]
    shared = 2 * cdist(hyp, ref, scorer=Prefix.similarity, dtype=np.float64)
    spelling = cdist(hyp, ref, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
    return np.asarray(np.maximum(spelling, shared / np.add.outer(*lengths)))


def mutual_best(hyp: Tokens, ref: Tokens) -> Links:
    """Link words that are each other's best by letters, neighbours and distance.

    >>> sorted(mutual_best("the cat saw a dog".split(), "a dog saw the cats".split()))
    [(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)]
    """
    if not hyp or not ref:
        return set()
    letters = similarity(hyp, ref)
    scores = letters.copy()
    scores[1:, 1:] += NEIGHBOURS * letters[:-1, :-1]
    scores[:-1, :-1] += NEIGHBOURS * letters[1:, 1:]
    places = [(np.arange(len(words)) + 0.5) / len(words) for words in (hyp, ref)]
    scores -= DISTANCE * np.abs(np.subtract.outer(*places))
    scores[letters < LETTERS] = -np.inf
    best, back = scores.argmax(axis=1), scores.argmax(axis=0)
    rows = np.arange(len(hyp))
    found = rows[(back[best] == rows) & (scores[rows, best] > -np.inf)]
    return set(zip(found.tolist(), best[found].tolist(), strict=True))


def all_mutual_best(pairs: Sequence[tuple[Tokens, Tokens]]) -> list[Links]:
    return [mutual_best(hyp, ref) for hyp, ref in pairs]


def matchers_for(language: str, *more: str) -> tuple[str, ...]:
    """Return the matchers of the search for a language, and more."""
    return (*(SEARCHED if stemmer_name(language) else SEARCHED[:1]), *more)


def matcher_links(language: str, *more: str) -> LinkFinder:
    aligner = hb.Aligner(language, matchers_for(language, *more), tokenize="none")

    def find(pairs: Sequence[tuple[Tokens, Tokens]]) -> Iterable[Links]:
        hyps, refs = ([pair[side] for pair in pairs] for side in (0, 1))
        return link_sets(aligner.align_many(hyps, refs, threads=1))

    return find


# Scores --------------------------------------------------------------------------------------


def by_matchers(*more: str) -> trials.Scoring:
    """Return how a test set is scored with the matchers of the search, and more."""

    def score(test_set: TestSet, metrics: Sequence[str], language: str) -> TestSet:
        align = "+".join(matchers_for(language, *more))
        return trials.with_option_scores(test_set, metrics, language, "align", align)

    return score


def by_mutual_best(test_set: TestSet, metrics: Sequence[str], language: str) -> TestSet:
    """Score a test set with links that are mutually best."""

    def compute() -> dict[str, list[list[float]]]:
        aligner = hb.Aligner(language)
        references = [[aligner.tokens(text) for text in texts] for texts in test_set.references]
        links = {
            name: [
                [pharaoh(mutual_best(hyp, ref)) for ref in refs]
                for hyp, refs in zip(map(aligner.tokens, lines), references, strict=True)
            ]
            for name, lines in test_set.systems.items()
        }
        corpus = ListCorpus(test_set.systems, test_set.references, alignments=links)
        run = Run(metrics_by_spec(metrics, Resources(language)), threads=1)
        results = list(score_corpus(corpus, run))
        return {
            metric: [list(result[metric].computed_segments) for result in results]
            for metric in metrics
        }

    segments = cached(test_set, [MUTUAL, metrics, language], compute)
    systems = tuple(test_set.systems)
    others = {metric: Scores(systems, np.array(segments[metric])) for metric in metrics}
    return replace(test_set, others=others)


def pharaoh(links: Links) -> str:
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


# Gold links ----------------------------------------------------------------------------------


def inversions(links: Links) -> set[tuple[int, int, int, int]]:
    """Return the pairs of links that cross.

    >>> inversions({(0, 1), (1, 0), (2, 2)})
    {(0, 1, 1, 0)}
    """
    return {(*a, *b) for a in links for b in links if a[0] < b[0] and a[1] > b[1]}


def kendall(links: Links, lengths: tuple[int, int]) -> float:
    return hb.kendall(hb.Alignment(*lengths, links).permutation())


def gold_rows() -> list[list[str]]:
    """Compare links with gold links between two translations of one source."""
    gold = gold_set("en-en")
    pairs = [(hyp.split(), ref.split()) for hyp, ref in gold.pairs]
    sure, every = link_sets(gold.sure), link_sets(gold.all_links())
    lengths = [(len(hyp), len(ref)) for hyp, ref in pairs]
    of_gold = [kendall(links, each) for links, each in zip(sure, lengths, strict=True)]
    finders: dict[str, LinkFinder] = {
        "exact+stem": matcher_links("en"),
        f"exact+stem+{ANCHORED}": matcher_links("en", ANCHORED),
        f"exact+stem+{SIMILAR}": matcher_links("en", SIMILAR),
        MUTUAL: all_mutual_best,
    }
    rows = []
    for name, find in finders.items():
        found = list(find(pairs))
        quality = gold.quality(found)
        crossing = link_quality(*(map(inversions, links) for links in (found, sure, every)))
        ours = [kendall(links, each) for links, each in zip(found, lengths, strict=True)]
        values = (quality.precision, quality.recall, quality.f1, crossing.precision)
        cells = (*values, crossing.recall, crossing.f1, np.corrcoef(ours, of_gold)[0, 1])
        rows.append([name if name == MUTUAL else f"`{name}`", *map(format_number, cells)])
    return rows


# Paragraphs ----------------------------------------------------------------------------------


@cache
def paragraph_sets() -> list[TestSet]:
    """Return the sets of which paragraphs are made: the one for the choice first."""
    names = (
        CHOSEN_ON,
        "wmt13 de-en",
        "wmt15 en-fr",
        "wmt15 en-ru",
        "wmt15 en-fi",
        "wmt21mqm en-de",
    )
    sets = {each.name: each for each in trials.test_sets()}
    return [sets[name] for name in names]


def describe_figures(figures: Sequence[trials.Figure]) -> str:
    """Count the figures that fall significantly, and name them."""
    worse = trials.significantly_worse(figures)
    names = ", ".join(
        f"`{each.metric}` {each.name or each.group} ({each.change:+.3f})" for each in worse
    )
    return (
        f"{len(worse)} of {len(figures)} figures fall significantly{': ' if worse else ''}{names}."
    )


def paragraph_rows() -> list[list[str]]:
    """Compare links in paragraphs with those of their sentences."""
    rows = []
    for test_set in paragraph_sets():
        language = order_sets.target_language(test_set)
        paragraphs = joined_sentences(test_set, language)
        truth = [links for _, _, links in paragraphs]
        pairs = [(hyp, ref) for hyp, ref, _ in paragraphs]
        for more in ((), (ANCHORED,)):
            found = list(matcher_links(language, *more)(pairs))
            quality = link_quality(found, truth, truth)
            wrong = quality.links - quality.links_that_are_sure
            cells = map(format_number, (quality.precision, quality.recall, quality.f1))
            matchers = "+".join(matchers_for(language, *more))
            rows.append([test_set.name, f"`{matchers}`", *cells, f"{wrong:,}"])
    return rows


def joined_sentences(test_set: TestSet, language: str) -> list[Paragraph]:
    """Return paragraphs, with the links of the search in each of their sentences."""
    aligner = hb.Aligner(language)
    references = [aligner.tokens(texts[0]) for texts in test_set.references[:SEGMENTS]]
    paragraphs = []
    for lines in list(test_set.systems.values())[:SYSTEMS]:
        pairs = list(zip(map(aligner.tokens, lines[:SEGMENTS]), references, strict=True))
        found = list(zip(pairs, matcher_links(language)(pairs), strict=True))
        for first in range(0, len(found), SENTENCES):
            hyp: list[str] = []
            ref: list[str] = []
            links: Links = set()
            for (more_hyp, more_ref), more_links in found[first : first + SENTENCES]:
                links = links | {(i + len(hyp), j + len(ref)) for i, j in more_links}
                hyp += more_hyp
                ref += more_ref
            paragraphs.append((hyp, ref, links))
    return paragraphs


def section() -> str:
    present = by_matchers()
    mutual = trials.all_figures(METRICS, present, by_mutual_best)
    anchored = trials.all_figures(METRICS, present, by_matchers(ANCHORED))
    return "\n\n".join(
        [
            "## Links without a model",
            "How words of one language are linked by default, and what else was tried. Links "
            "between two English translations of one source (800 pairs of MultiMWA-MTRef), against "
            "links by hand: precision counts sure and possible links, recall sure ones. "
            "*Inverted* are the pairs of links that cross. The last column is Pearson's r between "
            "Kendall's measure from these links and from the sure ones, over the pairs.",
            markdown_table(
                [
                    *("links", "precision", "recall", "F1"),
                    *("inverted: precision", "recall", "F1", "r of Kendall"),
                ],
                gold_rows(),
            ),
            f"`{SIMILAR}` finds more links, but worse permutations: use it to explain, not to "
            "measure order.",
            f"**{MUTUAL.capitalize()}**: words whose letters are alike (at least {LETTERS}, as in "
            f"`order`) and that are each other's best, with {NEIGHBOURS} of the likeness of the "
            f"neighbours on either side, less {DISTANCE} times the distance of their relative "
            "positions. The rule was: it becomes the default if its links are better and no τ, "
            f"label or swap falls significantly. {trials.METHOD}",
            trials.figure_table(mutual),
            f"{describe_figures(mutual)} It does not become the default.",
            f"**Repeated words.** With `{ANCHORED}`, a link of a word that occurs more than once "
            "stays only if it lies near a link of words that occur once ([how](alignment.md"
            f"#repeated-words)). Its limit, 12 words, is the best of 8, 10, 12, 14, 16, 20, 25 and "
            f"30 on {CHOSEN_ON}, by F1. The next table joins {SENTENCES} segments to a paragraph "
            f"(the first {SEGMENTS:,} segments and {SYSTEMS} systems of each set) and takes the "
            "links of `exact+stem` in each single segment for right. Wrong links are those that "
            "are not among them.",
            markdown_table(
                ["test set", "links", "precision", "recall", "F1", "wrong"],
                paragraph_rows(),
                left=2,
            ),
            "On sentences, against `exact+stem`:",
            trials.figure_table(anchored),
            f"{describe_figures(anchored)} The default was to change if links in paragraphs are "
            "better and no figure of sentences falls significantly.",
        ]
    )
