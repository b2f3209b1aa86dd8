"""The texts of results with their links, as reports and verdicts see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hyperbaton.alignment.aligner import Aligner
from hyperbaton.errors import InputError
from hyperbaton.metrics.alignment_metrics import first_linking
from hyperbaton.metrics.batches import ReferenceTexts, found_links_key
from hyperbaton.metrics.linking import Linking
from hyperbaton.runs.linked_batches import FoundMoves, LinkedBatch
from hyperbaton.runs.move_counts import MoveCounts
from hyperbaton.runs.results import Result
from hyperbaton.runs.stored_batches import StoredBatch
from hyperbaton.text.tokenization import Tokenization


def linked_batches(
    results: Sequence[Result], threads: int | None = None
) -> Iterator[tuple[ReferenceTexts, list[LinkedBatch]]]:
    """Yield the references of some segments and the batch of each system, then the next segments.

    The links are those of the first metric that aligns words, or of the default aligner if no
    metric does.

    Raises
    ------
    InputError
        If texts were not kept.
    """
    corpora = [_stored_batches(result) for result in results]
    linking = _shown_linking(results[0])
    aligner, tokenization = _shown_choice(results[0])
    for stored in zip(*corpora, strict=True):
        references = stored[0].open_references()
        batches = []
        for stored_batch in stored:
            batch = stored_batch.open(references, threads)
            links = batch.links(aligner, tokenization) if linking is None else linking.links(batch)
            found = stored_batch.moves.get(found_links_key(aligner, tokenization))
            batches.append(LinkedBatch.from_links(batch, links, tokenization, found))
        yield references, batches


def count_moves(results: Sequence[Result], threads: int | None = None) -> dict[str, MoveCounts]:
    """Return the moves of each system; nothing if the texts were not kept."""
    if any(result.corpus is None for result in results):
        return {}
    counts = {}
    for result, found in zip(results, _find_moves(results, threads), strict=True):
        moves, linked, words = zip(*found, strict=True)
        counts[result.name] = MoveCounts.of_moves(moves, sum(linked), sum(words))
    return counts


def _find_moves(results: Sequence[Result], threads: int | None) -> Sequence[Sequence[FoundMoves]]:
    """Return the moves of each system's batches, which may have been kept."""
    key = found_links_key(*_shown_choice(results[0]))
    corpora = [_stored_batches(result) for result in results]
    if all(key in stored.moves for corpus in corpora for stored in corpus):
        return [[stored.moves[key] for stored in corpus] for corpus in corpora]
    found: list[list[FoundMoves]] = [[] for _ in results]
    for _, batches in linked_batches(results, threads):
        for of_system, batch in zip(found, batches, strict=True):
            of_system.append(batch.find_moves())
    return found


def shown_tokenization(result: Result) -> Tokenization:
    """Return how the texts of a report become words."""
    return _shown_choice(result)[1]


def has_shown_links(result: Result, metric: str) -> bool:
    """Return whether a metric has the links that are shown, or needs none."""
    own = result[metric].metric
    if own.needs.linking is None:
        return True
    shown, same = _shown_linking(result), first_linking([own])
    if shown is None or same is None:
        return False
    keys = [found_links_key(linking.aligner, linking.tokenization) for linking in (shown, same)]
    return keys[0] == keys[1]


def _shown_linking(result: Result) -> Linking | None:
    """Return what gives the links that are shown; None if no metric aligns words."""
    return first_linking([score.metric for score in result.values()])


def _shown_choice(result: Result) -> tuple[Aligner, Tokenization]:
    """Return the aligner and the words of the links that are shown."""
    linking = _shown_linking(result)
    if linking is not None:
        return linking.aligner, linking.tokenization
    aligner = Aligner(next(iter(result.values())).metric.resources.language)
    return aligner, aligner.tokenization


def _stored_batches(result: Result) -> Sequence[StoredBatch]:
    if result.corpus is None:
        raise InputError(
            f"the texts of {result.name} were not kept: score them with keep_texts=True"
        )
    return result.corpus
