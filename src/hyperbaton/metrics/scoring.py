"""Scoring a corpus: hypotheses and references in, a score for each metric out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hyperbaton.errors import InputError, InputTypeError, SegmentError
from hyperbaton.metrics.base import Floats, Metric, Score, StrPath
from hyperbaton.metrics.corpus import Batch, Corpus
from hyperbaton.metrics.inputs import (
    as_alignments,
    as_lines,
    as_list,
    as_reference_trees,
    as_references,
    as_trees,
)
from hyperbaton.metrics.registry import expand, get
from hyperbaton.metrics.sampling import (
    DEFAULT_LEVEL,
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    Sampling,
    bootstrap,
    with_interval,
)
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.metrics.through import ThroughSource, through_source
from hyperbaton.presentation import present
from hyperbaton.stats.sums import ExactSums

if TYPE_CHECKING:
    import pandas

    from hyperbaton.report.reports import Report

BATCH = 2000  # segments at a time: enough for all threads, little memory
SCHEMA = "hyperbaton/score/1"


class Result(Mapping[str, Score]):
    """The scores of one system, by metric as it was written.

    ``corpus`` has the texts that were scored, or is None if they were not kept.
    """

    def __init__(
        self, scores: Mapping[str, Score], name: str = "system", corpus: Corpus | None = None
    ) -> None:
        self.name = name
        self.corpus = corpus
        self._scores = dict(scores)

    def __getitem__(self, metric: str) -> Score:
        return self._scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    @property
    def n(self) -> int:
        """The number of segments."""
        return next(iter(self._scores.values())).n

    @property
    def aligned(self) -> float | None:
        """The share of words aligned, for the first metric that needs an alignment."""
        shares = (score.aligned for score in self._scores.values())
        return next((share for share in shares if share is not None), None)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: one system, without its segments."""
        return results_dict([self])

    def to_json(self, indent: int | None = None) -> str:
        """``to_dict`` as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def to_pandas(self) -> pandas.DataFrame:
        """A row for each segment and a column for each metric; needs pandas."""
        import pandas

        return pandas.DataFrame({name: score.segments for name, score in self.items()})

    def report(self, title: str | None = None, threads: int | None = None) -> Report:
        """A page to send on: ``result.report().save("report.html")``."""
        report: Report = present("report_of", [self], title=title, threads=threads)
        return report

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={score.value:.4f}" for name, score in self.items())
        return f"Result({values}, n={self.n})"


def results_dict(results: Sequence[Result]) -> dict[str, Any]:
    """Several systems, for JSON."""
    return {
        "schema": SCHEMA,
        "systems": [
            {
                "name": result.name,
                "scores": {name: score.to_dict() for name, score in result.items()},
            }
            for result in results
        ],
    }


class Scorer:
    """The metrics of one system, over a corpus that comes in batches.

    ``keep`` says whether the statistics of segments are kept, ``texts`` whether their texts are.
    """

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        keep: bool,
        name: str = "system",
        texts: bool = False,
    ) -> None:
        self.metrics = metrics
        self.name = name
        self._keep = keep
        self._batches: list[Batch] | None = [] if texts else None
        self._rows: dict[str, list[Floats]] = {key: [] for key in metrics}
        self._sums: dict[str, ExactSums] = {}
        self._words: dict[str, ExactSums] = {}
        self._n = 0
        self._references: set[int] = set()
        self._given = ""
        self._given_trees = False

    def add(self, segments: Segments) -> dict[str, Floats]:
        """Score one more batch; its statistics."""
        found = {}
        for key, metric in self.metrics.items():
            rows = metric.statistics(segments)
            self._sums.setdefault(key, ExactSums(rows.shape[1])).add(rows)
            words = metric.coverage(segments)
            if words is not None:
                self._words.setdefault(key, ExactSums(2)).add(words)
            if self._keep:
                self._rows[key].append(rows)
            found[key] = rows
        if self._batches is not None:
            self._batches.append(Batch.of(segments))
        self._n += len(segments)
        self._references.update(segments.references.counts.tolist())
        self._given = segments.way
        self._given_trees |= segments.has_trees
        return found

    def result(self) -> Result:
        """The scores of all that was added."""
        corpus = None if self._batches is None else Corpus(tuple(self._batches))
        return Result({key: self._score(key) for key in self.metrics}, self.name, corpus)

    def _score(self, key: str) -> Score:
        metric, sums = self.metrics[key], self._sums[key].totals()
        count = max(self._references) if len(self._references) == 1 else "var"
        linked, words = self._words[key].totals().tolist() if key in self._words else (None, 0)
        return Score(
            metric,
            float(metric.aggregate(sums)),
            self._n,
            str(metric.signature(count, self._given, self._given_trees)),
            sums,
            np.concatenate(self._rows[key]) if self._keep else None,
            None if linked is None else linked / max(words, 1),
            metric.inexact(sums),
        )


def score(
    hypotheses: Sequence[str],
    references: Sequence[str] | Sequence[Sequence[str]],
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    source: Sequence[str] | None = None,
    alignments: Sequence[Any] | None = None,
    reference_alignments: Sequence[Any] | None = None,
    trees: Sequence[Any] | None = None,
    reference_trees: Sequence[Any] | None = None,
    parser: str | None = None,
    confidence: bool = False,
    samples: int = DEFAULT_SAMPLES,
    seed: int = DEFAULT_SEED,
    level: float = DEFAULT_LEVEL,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    threads: int | None = None,
) -> Result:
    """Score translations against references.

    >>> import hyperbaton as hb
    >>> result = hb.score(["the dog saw the cat"], ["the cat saw the dog"], ["pef", "wer"])
    >>> result
    Result(pef=0.2800, wer=0.4000, n=1)
    >>> result["wer"].value
    0.4
    >>> print(result["wer"].signature)
    wer|nrefs:1|case:lc|tok:13a|sacrebleu:...|v:...

    ``references`` has a line for each segment, or a list of them, as many as there are. A metric
    is a name, with options or without (``"full:order=ulam,bp=off"``), the name of a set of metrics
    (``"default"``, ``"order"``, ``"edit"``, ``"all"``), or an object of ``hb.metrics.get``.
    ``alignments`` has an ``Alignment`` or a Pharaoh line for each segment (a list of them where
    there are several references), in place of those that the aligner would find: links of system
    and reference. With ``reference_alignments``, they go through the ``source``: ``alignments``
    then has links of source and system, ``reference_alignments`` those of source and reference,
    and the words of a source are what is between spaces. ``trees`` and ``reference_trees`` are
    :class:`~hyperbaton.DependencyTree`s (or sentences of ``conllu``, or Docs of spaCy), in place of
    those that the ``parser`` would find: one for each segment, or a list of them where there are
    several references. With ``confidence``, each score has the bounds ``lower`` and ``upper`` of
    its ``level`` interval, by as many bootstrap ``samples`` from the ``seed``. ``wordnet`` and
    ``paraphrases`` are where the matchers' data is.
    """
    sampling = Sampling("bootstrap", samples, seed, level, threads) if confidence else None
    named = named_metrics(metrics, language, wordnet, paraphrases, parser)
    found = score_systems(
        {"hypotheses": hypotheses},
        references,
        named,
        threads,
        alignments=None if alignments is None else {"hypotheses": alignments},
        source=source,
        reference_alignments=reference_alignments,
        trees=None if trees is None else {"hypotheses": trees},
        reference_trees=reference_trees,
    )
    scored = found[0] if sampling is None else with_intervals(found, sampling)[0]
    return Result(scored, corpus=scored.corpus)


def with_intervals(results: Sequence[Result], sampling: Sampling) -> list[Result]:
    """The same results, whose scores have intervals."""
    scored: list[dict[str, Score]] = [{} for _ in results]
    metrics = list(results[0])
    tables = [[result[metric] for result in results] for metric in metrics]
    for metric, scores, values in zip(metrics, tables, bootstrap(tables, sampling), strict=True):
        for k, score in enumerate(scores):
            scored[k][metric] = with_interval(score, values[:, k], sampling.level)
    return [
        Result(own, result.name, result.corpus) for own, result in zip(scored, results, strict=True)
    ]


def score_systems(
    systems: Mapping[str, Sequence[str]],
    references: object,
    metrics: Mapping[str, Metric],
    threads: int | None = None,
    *,
    alignments: Mapping[str, Sequence[Any]] | None = None,
    source: object = None,
    reference_alignments: object = None,
    trees: Mapping[str, Sequence[Any]] | None = None,
    reference_trees: Sequence[Any] | None = None,
    progress: Callable[[Iterable[range]], Iterable[range]] = iter,
) -> list[Result]:
    """The results of several systems, which share what is made of the references.

    ``progress`` is handed the batches, and hands them on one by one.
    """
    lines = {name: as_lines(given, name) for name, given in systems.items()}
    first, count = next((name, len(one)) for name, one in lines.items())
    for name, one in lines.items():
        if len(one) != count:
            raise InputError(f"{first} has {count:,} segments, but {name} has {len(one):,}")
    several = as_references(references, count)
    given: Mapping[str, Any] | None = through_source(
        source, alignments, reference_alignments, several
    )
    if given is None:
        given = {name: as_alignments(own, several) for name, own in (alignments or {}).items()}
    if (trees is None) != (reference_trees is None):
        raise InputError("trees and reference_trees go together: give both, or neither")
    own_trees = {
        name: as_trees(own, lines[name], name if len(lines) > 1 else "trees")
        for name, own in (trees or {}).items()
    }
    their_trees = None if reference_trees is None else as_reference_trees(reference_trees, several)
    scorers = {name: Scorer(metrics, keep=True, name=name, texts=True) for name in lines}
    starts = np.concatenate(([0], np.cumsum([len(one) for one in several]))).tolist()
    for part in progress(range(*ends) for ends in pairwise([*range(0, count, BATCH), count])):
        begin, end = part.start, part.stop
        pairs = slice(starts[begin], starts[end])
        shared = References(several[begin:end], their_trees and their_trees[pairs])
        for name, scorer in scorers.items():
            links, parses = given.get(name), own_trees.get(name)
            if isinstance(links, ThroughSource):
                links = links.batch(begin, end, starts)
            elif links is not None:
                links = links[pairs]
            segments = Segments(
                lines[name][begin:end],
                shared,
                threads,
                links,
                parses and parses[begin:end],
            )
            try:
                scorer.add(segments)
            except SegmentError as error:
                raise InputError(f"segment {begin + error.segment}: {error.located}") from None
    return [scorer.result() for scorer in scorers.values()]


def named_metrics(
    metrics: Sequence[str | Metric] | str | Metric,
    language: str | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
) -> dict[str, Metric]:
    """Metrics by what the caller wrote; an object by what one would write for it."""
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    named: dict[str, Metric] = {}
    for given in as_list(metrics, "metrics", "metrics"):
        if not isinstance(given, (str, Metric)):
            kind = given.__name__ if isinstance(given, type) else type(given).__name__
            raise InputTypeError(
                f"a metric is a text such as 'pef:bp=off', or one of ours, not {kind}"
            )
        found = (
            {given.spec: given}
            if isinstance(given, Metric)
            else {
                spec: get(spec, language, wordnet, paraphrases, parser) for spec in expand([given])
            }
        )
        for spec, metric in found.items():
            if named.setdefault(spec, metric) != metric:
                raise InputError(f"two metrics are called {spec}")
    if not named:
        raise InputError("no metrics were asked for")
    return named
