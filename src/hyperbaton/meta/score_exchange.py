"""Exchange of single scores between two metrics, as mt-metrics-eval does it.

The permutation test PERM-BOTH of Deutsch, Dror & Roth (2021) tosses a coin for each translation,
while an exchange of whole segments tosses one for all translations of a segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta.arrays import Booleans, Floats, Integers, mean_where_defined, standardize
from hyperbaton.meta.judgements import Judgements, Rankings, Scores
from hyperbaton.meta.measures import Correlation, Measure, PairMeasure
from hyperbaton.meta.pairs import PAIR_KINDS, classify_pairs, tie_threshold
from hyperbaton.stats.resampling import Counts
from hyperbaton.threads import thread_count


class TranslationAgreement(NamedTuple):
    """Agreement with people as a function of the scores of translations.

    ``system`` and ``segment`` say which translations these are.
    """

    system: Integers
    segment: Integers
    value: Callable[[Floats], float]

    def select(self, scores: Floats) -> Floats:
        """Return the standardized scores of the translations, from those of all."""
        return standardize(scores[self.system, self.segment])


def translation_agreement(
    measure: Measure, human: Judgements, scored: Booleans
) -> TranslationAgreement:
    """Return the agreement as a function of the scores of single translations.

    Parameters
    ----------
    measure : PairMeasure or Correlation
    human : Rankings or Scores
    scored : array of bool, shape (systems, segments)
        Which translations the metrics have scored.
    """
    if isinstance(measure, PairMeasure):
        people = human if isinstance(human, Rankings) else human.to_rankings()
        return _pair_agreement(measure, people, scored)
    if isinstance(measure, Correlation):
        scores = human if isinstance(human, Scores) else human.to_scores()
        return _correlation_agreement(measure, scores, scored)
    raise InputError(f"{measure.name} compares whole systems, which have no scores to exchange")


def _pair_agreement(
    measure: PairMeasure, people: Rankings, scored: Booleans
) -> TranslationAgreement:
    used = scored[people.first, people.segment] & scored[people.second, people.segment]
    segment, outcome, count = people.segment[used], people.outcome[used], people.count[used]
    weights = count.astype(np.float64)
    cells = np.stack([people.first[used], people.second[used]]) * people.n + segment
    translations, index = np.unique(cells, return_inverse=True)
    first, second = index.reshape(cells.shape)
    by_item = measure.average == "item"
    item = np.unique(segment, return_inverse=True)[1] if by_item else np.zeros_like(segment)
    items = int(item.max()) + 1 if len(item) else 1

    def value(x: Floats) -> float:
        difference = x[first] - x[second]
        threshold = 0.0
        if measure.calibrated:
            # Equal differences may differ by rounding since scores were standardized.
            difference = difference.round(9)
            threshold = tie_threshold(outcome, difference, count, item if by_item else None)
        cell = item * PAIR_KINDS + classify_pairs(outcome, difference, threshold)
        counts = np.bincount(cell, weights, items * PAIR_KINDS).astype(np.float64)
        return float(mean_where_defined(measure.formula(counts.reshape(items, PAIR_KINDS))))

    return TranslationAgreement(translations // people.n, translations % people.n, value)


def _correlation_agreement(
    measure: Correlation, people: Scores, scored: Booleans
) -> TranslationAgreement:
    system, segment = np.nonzero(scored & ~np.isnan(people.segments))
    y = standardize(people.segments[system, segment])
    group = np.zeros_like(system)
    if measure.average != "none":
        group = np.unique(segment if measure.average == "item" else system, return_inverse=True)[1]
    groups = int(group.max()) + 1 if len(group) else 1

    def value(x: Floats) -> float:
        return float(mean_where_defined(measure.group_values(x, y, group, groups)))

    return TranslationAgreement(system, segment, value)


def score_exchange_differences(
    agreement: TranslationAgreement,
    scores: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    coins: Counts,
    threads: int | None,
) -> Floats:
    """Return differences of agreement between two metrics that exchange single scores at random.

    Parameters
    ----------
    agreement : TranslationAgreement
    scores : sequence of array
        The scores of the translations by each metric; see :meth:`TranslationAgreement.select`.
    pairs : sequence of (int, int)
        The pairs of metrics to compare.
    coins : array of shape (samples, translations)
        1 where a metric keeps its own score, 0 where it gets that of the other metric.
    threads : int, optional

    Returns
    -------
    array of shape (samples, pairs)
    """

    def differences(row: Counts) -> list[float]:
        kept = row.astype(np.bool_)
        return [
            agreement.value(np.where(kept, scores[a], scores[b]))
            - agreement.value(np.where(kept, scores[b], scores[a]))
            for a, b in pairs
        ]

    if thread_count(threads) == 1:
        return np.array(list(map(differences, coins)))
    with ThreadPoolExecutor(thread_count(threads)) as pool:
        return np.array(list(pool.map(differences, coins)))
