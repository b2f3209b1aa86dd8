"""The scoring engine: partial scores merge exactly, in any order and from any process."""

from __future__ import annotations

import pickle
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial as partial_function
from itertools import pairwise
from multiprocessing import get_context
from typing import Any, ClassVar

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import (
    MetricStatistics,
    PartialScores,
    ScoredBatch,
    score_batch,
    score_batches,
    score_corpus,
)
from hyperbaton.runs.run import Keep, KeptBatches, ListCorpus, Request, Run
from hyperbaton.syntax.trees import DependencyTree
from metrics import corpora
from parsing import ToyParser

CORPUS = corpora.corpus(51, 60)
SPECS = [
    "pef",
    "pef:weight=ref,bp=off",
    "full",
    "order:precedence=own",
    "adjacency",
    "ribes",
    "cder",
    "bleu",
    "ter",
    "dted",
]
METRICS = metrics_by_spec(SPECS)
Bits = dict[str, tuple[object, ...]]


@pytest.fixture(scope="module")
def expected() -> Bits:
    return bits(hb.score(*CORPUS, SPECS))


def bits(result: hb.Result) -> Bits:
    """Return everything that scoring computes, to the last bit."""
    return {
        spec: (
            float(score).hex(),
            [total.hex() for total in score.sums.tolist()],
            score.kept_statistics.tobytes(),
            score.segments.tobytes(),
            score.signature,
            score.linked,
            score.evidence,
            None if anchors is None else [part.tobytes() for part in anchors.expand()],
            score.n,
        )
        for spec, score in result.items()
        for anchors in (score.stored_anchors,)
    }


def transfer(partial: PartialScores) -> PartialScores:
    """Send partial scores through a pickle, as between processes."""
    sent: PartialScores = pickle.loads(pickle.dumps(partial))
    return sent


def sum_batches(
    batches: Iterable[Batch],
    metrics: Mapping[str, Metric] = METRICS,
    keep: Keep = Keep(),  # noqa: B008
) -> dict[str, PartialScores]:
    """Return the partial scores of each system."""
    partials: dict[str, PartialScores] = {}
    for batch, fitted, statistics in score_batches(
        KeptBatches(list(batches)), Run(metrics, keep=keep)
    ):
        partial = partials.setdefault(batch.system, PartialScores(fitted, keep, batch.system))
        partial.add(batch, statistics)
    return partials


def partial_scores(batches: Iterable[Batch], keep: Keep = Keep()) -> list[PartialScores]:  # noqa: B008
    """Return the partial scores of each batch alone."""
    found = (sum_batches([batch], keep=keep) for batch in batches)
    return [partial for partials in found for partial in partials.values()]


def batches_of(corpus: ListCorpus, size: int = 3000, trees: bool = True) -> list[Batch]:
    return list(corpus.batches(Request(size, trees=trees)))


def merge_two(a: PartialScores, b: PartialScores) -> PartialScores:
    merged = transfer(a)
    merged.merge(transfer(b))
    return merged


def merge_from_left(partials: list[PartialScores]) -> PartialScores:
    total = partials[0]
    for partial in partials[1:]:
        total = merge_two(total, partial)
    return total


def merge_from_right(partials: list[PartialScores]) -> PartialScores:
    total = partials[-1]
    for partial in partials[-2::-1]:
        total = merge_two(partial, total)
    return total


def merge_as_balanced_tree(partials: list[PartialScores]) -> PartialScores:
    if len(partials) == 1:
        return partials[0]
    middle = len(partials) // 2
    return merge_two(
        merge_as_balanced_tree(partials[:middle]), merge_as_balanced_tree(partials[middle:])
    )


def merge_at_random(partials: list[PartialScores]) -> PartialScores:
    rng = random.Random(len(partials))
    remaining = list(partials)
    while len(remaining) > 1:
        a, b = (remaining.pop(rng.randrange(len(remaining))) for _ in range(2))
        remaining.append(merge_two(a, b))
    return remaining[0]


MERGES: list[Callable[[list[PartialScores]], PartialScores]] = [
    merge_from_left,
    merge_from_right,
    merge_as_balanced_tree,
    merge_at_random,
]


# Merging ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [3, 7, 59])
def test_partial_scores_merge_in_any_order(size: int, expected: Bits) -> None:
    batches = batches_of(ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references), size)
    partials = partial_scores(batches)
    assert len(partials) == len(batches) > 1
    for seed, merge in enumerate(MERGES):
        random.Random(seed).shuffle(partials)
        merged = merge(partials)
        assert merged.n == 60
        assert bits(merged.result()) == expected, merge.__name__
        assert bits(transfer(merged).result()) == expected, merge.__name__


def test_batches_of_different_sizes_in_any_order(expected: Bits) -> None:
    rng = random.Random(8)
    for _ in range(5):
        cuts = [0, *sorted(rng.sample(range(1, 60), 9)), 60]
        batches = [
            Batch(
                CORPUS.hypotheses[begin:end],
                ReferenceTexts.from_segments(CORPUS.references[begin:end]),
                first=begin,
            )
            for begin, end in pairwise(cuts)
        ]
        rng.shuffle(batches)
        (partial,) = sum_batches(batches).values()
        assert bits(partial.result()) == expected
        assert bits(merge_from_left(partial_scores(batches)).result()) == expected


def test_merging_does_not_change_the_other_partial_scores(expected: Bits) -> None:
    batches = batches_of(ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references), 20)
    partials = partial_scores(batches)
    before = [bits(partial.result()) for partial in partials]
    total = PartialScores(METRICS, Keep(), "system")  # empty at first
    for partial in partials:
        total.merge(partial)
    assert bits(total.result()) == expected
    assert [bits(partial.result()) for partial in partials] == before


def test_kept_texts_are_merged_in_the_order_of_segments() -> None:
    keep = Keep(texts=True, links=True)
    batches = batches_of(ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references), 13)
    random.Random(3).shuffle(batches)
    corpus = merge_as_balanced_tree(partial_scores(batches, keep)).result().corpus
    assert corpus is not None
    assert [stored.first for stored in corpus] == [0, 13, 26, 39, 52]
    assert [line for stored in corpus for line in stored.hypotheses] == CORPUS.hypotheses
    references = [
        list(lines) for stored in corpus for lines in stored.open_references().by_segment()
    ]
    assert references == CORPUS.references


def test_only_sums_are_kept_if_nothing_else_is_asked_for(expected: Bits) -> None:
    batches = batches_of(ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references), 13)
    result = merge_from_left(partial_scores(batches, Keep(statistics=False))).result()
    assert result.corpus is None
    for spec, score in result.items():
        assert float(score).hex() == expected[spec][0]
        assert score.statistics is None
        with pytest.raises(InputError, match=f"the segments of {score.name} were not kept"):
            _ = score.segments


def test_different_runs_cannot_be_merged() -> None:
    (batch,) = batches_of(ListCorpus({"system": ["a b"]}, ["b a"]))
    wer, pef = metrics_by_spec("wer"), metrics_by_spec("pef")
    partial = sum_batches([batch], wer)["system"]
    others = [
        sum_batches([batch], pef)["system"],
        sum_batches([batch], wer, Keep(texts=True))["system"],
        PartialScores(wer, Keep(), "other"),
    ]
    for other in others:
        with pytest.raises(ValueError, match="different metrics or systems cannot be merged"):
            partial.merge(other)


# Other processes -------------------------------------------------------------------------------


def test_a_batch_computed_in_another_process_gives_the_same_bits() -> None:
    parser = ToyParser()
    corpus = ListCorpus(
        {"system": CORPUS.hypotheses},
        CORPUS.references,
        trees={"system": list(parser.parse(CORPUS.hypotheses))},
        reference_trees=[list(parser.parse(lines)) for lines in CORPUS.references],
    )
    whole = sum_batches(batches_of(corpus))["system"].result()
    batches = batches_of(corpus, 25)
    compute = partial_function(score_batch, threads=1, metrics=METRICS, keep=Keep())
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        computed = list(pool.map(compute, batches))
    partial = PartialScores(METRICS, Keep(), "system")
    for batch, scored in reversed(list(zip(batches, computed, strict=True))):
        partial.add(batch, scored.statistics)
    assert bits(partial.result()) == bits(whole)


def test_a_pickled_batch_leaves_out_what_was_computed() -> None:
    (batch,) = batches_of(ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references))
    fresh = len(pickle.dumps(batch))
    statistics = score_batch(batch, None, METRICS, Keep()).statistics
    assert len(pickle.dumps(batch)) == fresh
    again: Batch = pickle.loads(pickle.dumps(batch))
    assert (again.system, again.first, len(again)) == ("system", 0, 60)
    for spec, found in score_batch(again, None, METRICS, Keep()).statistics.items():
        assert raw(found) == raw(statistics[spec])


def raw(statistics: MetricStatistics) -> list[bytes | None]:
    """All arrays of a metric, to the last bit."""
    rows, coverage, evidence, anchors = statistics
    arrays = (rows, coverage, evidence, *(anchors or ()))
    return [None if array is None else array.tobytes() for array in arrays]


# Batches that do not belong together -----------------------------------------------------------


def batch_of(first: int, count: int, **more: Any) -> Batch:
    return Batch(["a b"] * count, ReferenceTexts(["b a"] * count), first=first, **more)


def result_of(*batches: Batch) -> hb.Result:
    (partial,) = sum_batches(batches, metrics_by_spec("pef")).values()
    return partial.result()


def test_a_segment_must_not_be_in_two_batches() -> None:
    for order in ((0, 2), (2, 0)):
        with pytest.raises(ValueError, match="segment 2 is in two batches") as caught:
            result_of(*(batch_of(first, 3) for first in order))
        assert not isinstance(caught.value, InputError)  # only a bug can cause it
    assert result_of(batch_of(3, 2), batch_of(0, 3)).n == 5


def test_links_must_be_given_for_all_batches_or_none() -> None:
    given = batch_of(0, 1, links=["0-0"])
    with pytest.raises(InputError, match="are given for some segments and not for others"):
        result_of(given, batch_of(1, 1))
    assert "|align:given|" in result_of(given, batch_of(1, 1, links=["0-1"]))["pef"].signature


def test_trees_must_be_given_for_all_batches_or_none() -> None:
    tree = DependencyTree(["a", "b"], [0, 1])
    references = ReferenceTexts(["a b"], given_trees=[tree])
    given = Batch(["a b"], references, system="system", trees=[tree])
    with pytest.raises(InputError, match=r"^system: alignments or trees are given for some"):
        result_of(given, batch_of(1, 1))


def test_no_batches() -> None:
    assert list(score_batches(KeptBatches([]), Run(METRICS))) == []
    assert score_corpus(KeptBatches([]), Run(METRICS)) == []
    with pytest.raises(InputError, match=r"^there are no segments$"):
        PartialScores(METRICS, Keep()).result()


# Observers and errors --------------------------------------------------------------------------


def test_an_observer_sees_every_batch() -> None:
    systems = {"one": CORPUS.hypotheses, "two": CORPUS.hypotheses[::-1]}
    seen: list[tuple[str, int, int]] = []
    rows: dict[str, list[Any]] = {name: [] for name in systems}

    def observe(scored: ScoredBatch) -> None:
        batch = scored.batch
        seen.append((batch.system, batch.first, len(batch)))
        assert list(scored.statistics) == SPECS
        rows[batch.system].append(scored.statistics["pef"].rows)

    corpus = ListCorpus(systems, CORPUS.references)
    results = score_corpus(corpus, Run(METRICS, batch_size=25), observe)
    sizes = [(0, 25), (25, 25), (50, 10)]
    assert seen == [(name, *size) for size in sizes for name in systems]
    assert [result.name for result in results] == ["one", "two"]
    for result in results:
        found = np.concatenate(rows[result.name])
        assert found.tobytes() == result["pef"].kept_statistics.tobytes()


def test_batches_are_scored_one_by_one() -> None:
    """A batch is scored before the next one is read, so that input may be larger than memory."""
    events: list[str] = []

    class Lazy:
        segment_count = None

        def batches(self, request: Request) -> Iterator[Batch]:
            for first in range(3):
                events.append(f"read {first}")
                yield batch_of(first, 1)

    run = Run(metrics_by_spec("pef"), threads=1)
    score_corpus(Lazy(), run, lambda _: events.append("scored"))
    assert events == ["read 0", "scored", "read 1", "scored", "read 2", "scored"]


CONCURRENT = (
    "order",
    "pef",
    "pef:weight=ref,bp=off",
    "full",
    "adjacency",
    "ribes",
    "cder",
    "invwer",
)


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("size", [1, 7, 25])
def test_batches_on_several_threads_give_the_same_bits(threads: int, size: int) -> None:
    systems = {"one": CORPUS.hypotheses, "two": CORPUS.hypotheses[::-1]}
    metrics = metrics_by_spec(CONCURRENT)
    assert all(metric.needs.thread_safe for metric in metrics.values())

    def score(threads: int) -> list[Bits]:
        corpus = ListCorpus(systems, CORPUS.references)
        run = Run(metrics, batch_size=size, threads=threads)
        return [bits(result) for result in score_corpus(corpus, run)]

    assert score(threads) == score(1)


def test_metrics_that_may_not_be_thread_safe_take_one_batch_at_a_time() -> None:
    active, most_active = 0, 0

    class Counting(hb.metrics.Metric):
        """A metric of another package, which promises nothing."""

        VARIANTS: ClassVar[Any] = {"counting": hb.metrics.get("wer").variant}

        def statistics(self, batch: Batch) -> Any:
            nonlocal active, most_active
            active += 1
            most_active = max(active, most_active)
            time.sleep(0.001)
            active -= 1
            return np.ones((len(batch), 1))

        def aggregate(self, sums: Any) -> Any:
            return sums[..., 0]

    corpus = ListCorpus({"system": CORPUS.hypotheses}, CORPUS.references)
    metrics = {"counting": Counting(), "pef": METRICS["pef"]}
    score_corpus(corpus, Run(metrics, batch_size=5, threads=4))
    assert most_active == 1


LONG = "a " * 60_000  # two such lines have more words than the aligner takes


@pytest.mark.parametrize("size", [1, 2, 100])
def test_errors_name_the_segment_of_a_list(size: int) -> None:
    score = corpora.score_in_batches
    texts = ["a", "a", "a"], ["a", ["a", "a"], "a"]
    with pytest.raises(InputError, match=r"^segment 1: alignments: link 0-7 is outside"):
        score(size, *texts, "pef", alignments=["", ["0-0", "0-7"], ""])
    links: dict[str, Any] = {
        "source": ["x"] * 3,
        "alignments": ["0-0"] * 3,
        "reference_alignments": ["0-0", ["", ""], "0-5"],
    }
    with pytest.raises(InputError, match=r"^segment 2: reference_alignments: link 0-5 is outside"):
        score(size, *texts, "pef", **links)
    with pytest.raises(InputError, match=r"^segment 2: the sentences are too long"):
        score(size, ["a", "a", LONG], ["a", ["a", "a"], ["a", LONG]], "pef:tok=none")


def test_errors_name_the_place_that_the_origin_describes() -> None:
    class Described:
        def __init__(self, system: str) -> None:
            self.system = system

        def describe(self, segment: int, part: tuple[str, int] | None) -> str:
            return f"{self.system} of the test set, segment {segment}, {part}"

    corpus = ListCorpus(
        {"one": ["a"] * 3, "two": ["a"] * 3},
        ["a"] * 3,
        alignments={"one": ["0-0"] * 3, "two": ["0-0", "0-0", "1-0"]},
        origin_for=Described,
    )
    message = r"^two of the test set, segment 2, \('alignments', 0\): link 1-0 is outside"
    with pytest.raises(InputError, match=message):
        score_corpus(corpus, Run(metrics_by_spec("pef"), batch_size=2))


def test_methods_of_sacrebleu_say_which_segment_is_invalid() -> None:
    metric = hb.metrics.get("pef:tok=none")
    hypotheses, streams = ["a", LONG], [["a", LONG]]
    message = r"^segment 1: the sentences are too long"
    with pytest.raises(InputError, match=message):
        metric.corpus_score(hypotheses, streams)
    with pytest.raises(InputError, match=message):
        metric._extract_corpus_statistics(hypotheses, streams)
