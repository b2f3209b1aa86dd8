"""Results of scoring: the score of a metric, the scores of a system, and reports about them."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.metrics.metric import Metric, shown_values
from hyperbaton.notices import Notice
from hyperbaton.presentation import NotebookDisplay, PrintedResult, presenter
from hyperbaton.registries import import_optional
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun

if TYPE_CHECKING:
    import pandas
    import polars

    from hyperbaton.files.lines import StrPath
    from hyperbaton.runs.stored_segments import StoredAnchors, StoredBatch, StoredStatistics
    from hyperbaton.runs.verdict_sentences import Verdict
    from hyperbaton.softorder.evidence import Evidence


Floats = npt.NDArray[np.float64]
SCHEMA = "hyperbaton/score/3"


@dataclass(frozen=True, eq=False)
class Score(NotebookDisplay):
    """The value of a metric for a corpus, with what belongs to it.

    Attributes
    ----------
    metric : Metric
        The metric.
    value : float or None
        The value of the corpus; None if the metric says nothing without evidence, and there is not
        enough of it.
    n : int
        Number of segments.
    signature : str
        Everything that changes the value.
    sums : array
        Sums of the segments' statistics. ``value`` follows from them.
    stored : StoredStatistics or None
        The statistics of each segment; None if they were not kept.
    linked : float or None
        Share of words with a link, on both sides together, for metrics that need an alignment.
    inexact : int
        Number of segments whose value is only a bound: in ``invwer``, where its budget ran out.
    lower, upper : float or None
        Confidence interval of ``value``, if one was asked for.
    stored_coverage : StoredStatistics or None
        Linked words and all words of each segment; None if they were not kept.
    evidence : Evidence or None
        How many words of the system have a counterpart in the reference, for metrics that compare
        their order.
    stored_anchors : StoredAnchors or None
        The words of each segment by which systems are compared; None if values are, or if they
        were not kept.
    """

    metric: Metric
    value: float | None
    n: int
    signature: str
    sums: Floats
    stored: StoredStatistics | None = None
    linked: float | None = None
    inexact: int = 0
    lower: float | None = None
    upper: float | None = None
    stored_coverage: StoredStatistics | None = None
    evidence: Evidence | None = None
    stored_anchors: StoredAnchors | None = None

    def __post_init__(self) -> None:
        self.sums.flags.writeable = False

    @property
    def name(self) -> str:
        """The metric as a user would write it."""
        return self.metric.spec

    @property
    def score(self) -> float:
        """100 × ``value``, as sacreBLEU prints its own scores; NaN without a value."""
        return 100 * float(self)

    @property
    def is_scored(self) -> bool:
        """Whether there is enough evidence for a value, a mark and a rank."""
        return self.value is not None and (self.evidence is None or self.evidence.is_scored)

    @property
    def matched(self) -> float | None:
        """The share of words with a counterpart in the reference, if order is compared."""
        return None if self.evidence is None else self.evidence.share

    @property
    def not_scored(self) -> str | None:
        """Why there is no value, no mark and no rank, for people; None if there is evidence."""
        return None if self.is_scored or self.evidence is None else self.evidence.reason

    @property
    def lost_words(self) -> Floats | None:
        """Where to look first, if systems are compared by anchors: X of each segment.

        They are the matched words that have other neighbours in the reference. X is not a number
        of words that could be counted in a text, so it is only there to sort by.
        """
        return None if self.metric.needs.anchors is None else self.kept_statistics[:, 0]

    @property
    def rank_key(self) -> tuple[bool, float]:
        """By which systems are sorted, the best first; those that are not scored are last."""
        if not self.is_scored:
            return True, 0.0  # in the order in which they were given
        return False, -self.computed_value if self.higher_is_better else self.computed_value

    @property
    def computed_value(self) -> float:
        """The value even where there is too little evidence to show it, for further computation."""
        return float(self.metric.aggregate(self.sums))

    @property
    def computed_segments(self) -> Floats:
        """The value of each segment, even where there is too little evidence to show it."""
        return self.metric.segment_values(self.kept_statistics)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return self.metric.range

    @property
    def higher_is_better(self) -> bool:
        """False for error rates."""
        return self.metric.higher_is_better

    @property
    def details(self) -> dict[str, int | float | list[float]]:
        """What the value is computed from: BLEU's precisions, brevity penalty and lengths.

        Other metrics have no details.
        """
        return self.metric.details(self.sums)

    @cached_property
    def segments(self) -> Floats:
        """The value of each segment; NaN where there is too little evidence for one."""
        values = shown_values(self.metric, self.kept_statistics)
        values.flags.writeable = False
        return values

    @property
    def linked_segments(self) -> Floats | None:
        """``linked`` of each segment; None if it was not kept."""
        if self.stored_coverage is None:
            return None
        return linked_share(self.stored_coverage.expand())

    @property
    def statistics(self) -> Floats | None:
        """A row of statistics for each segment; None if they were not kept."""
        return None if self.stored is None else self.stored.expand()

    @property
    def kept_statistics(self) -> Floats:
        """A row of statistics for each segment.

        Raises
        ------
        InputError
            If they were not kept.
        """
        statistics = self.statistics
        if statistics is None:
            raise InputError(f"the segments of {self.name} were not kept")
        return statistics

    def to_dict(self) -> dict[str, Any]:
        """Return the score for JSON; missing values are null."""
        return {
            "value": self.value,
            "signature": self.signature,
            "n": self.n,
            "higher_is_better": self.higher_is_better,
            "range": [bound if math.isfinite(bound) else None for bound in self.range],
            "lower": self.lower,
            "upper": self.upper,
            "linked": self.linked,
            "matched": self.matched,
            "not_scored": self.not_scored,
            "inexact": self.inexact,
            **({"details": self.details} if self.details else {}),
        }

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """Return one line as sacreBLEU prints it: the name and 100 × the value."""
        text = f"{self.score:.{width}f}"
        name = f"{self.name}|{signature}" if signature else self.name
        return text if score_only else f"{name} = {text}"

    def __float__(self) -> float:
        return math.nan if self.value is None else self.value

    def __format__(self, specification: str) -> str:
        """Return the value in the format of a number: ``f"{score:.2f}"``."""
        return format(float(self), specification) if specification else str(self)

    def __eq__(self, other: object) -> bool:
        """Return whether two scores of equal metrics have the same numbers, also of segments."""
        if not isinstance(other, Score):
            return NotImplemented
        return (
            self._numbers() == other._numbers()
            and self.metric == other.metric
            and np.array_equal(self.sums, other.sums, equal_nan=True)
            and _equal_arrays(self.statistics, other.statistics)
        )

    def __hash__(self) -> int:
        return hash(self._numbers())

    def _numbers(self) -> tuple[object, ...]:
        # repr, because a value that is not a number equals itself here
        values = (self.value, self.lower, self.upper, self.linked, self.evidence)
        return self.signature, self.n, self.inexact, *map(repr, values)

    def __repr__(self) -> str:
        return f"Score({shown_value(self.value)}, n={self.n}, {self.signature!r})"


class Report(PrintedResult):
    """A report about one or several systems: a self-contained HTML page, and its content.

    Created by :meth:`hyperbaton.Result.report` and :meth:`hyperbaton.Comparison.report`.

    >>> import hyperbaton as hb
    >>> report = hb.score(["a dog sees a cat"], ["a cat sees a dog"], ["pef"]).report()
    >>> report
    <Report 'Word order of system': 1 system, 1 segment>
    >>> report.to_dict()["systems"][0]["segments"]["links"]
    [[0, 3, 2, 2, 2, 1, 3, 0, 2]]
    >>> report.to_html().startswith("<!doctype html>")
    True
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def verdict(self) -> Verdict:
        """Return what the report says of the word order of the systems.

        Returns
        -------
        Verdict
            The verdict; ``print`` shows its sentences.
        """
        # imported here, because scoring does without
        from hyperbaton.runs.verdict_sentences import Verdict

        return Verdict.from_dict(self._content["word_order"])

    def to_dict(self) -> dict[str, Any]:
        """Return the content as a dictionary for JSON; docs/report.md explains the keys."""
        return self._content

    def to_json(self) -> str:
        """Return the content as compact JSON."""
        return self._json

    @cached_property
    def _json(self) -> str:
        return json.dumps(self._content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def to_html(self) -> str:
        """Return the page.

        Its content security policy allows its own script and style, by their hashes, and nothing
        else.
        """
        return presenter().report_page(self)

    def save(self, path: StrPath) -> None:
        """Write the page to a file; if that fails, an existing file is left untouched.

        Parameters
        ----------
        path : path
            The output file.
        """
        from hyperbaton.files.output_files import write_beside

        with write_beside(path) as file:
            file.write(self.to_html())

    def __repr__(self) -> str:
        systems = count_noun(len(self._content["systems"]), "system")
        segments = count_noun(self._content["n"], "segment")
        return f"<Report {self._content['title']!r}: {systems}, {segments}>"


class ReportedResult(PrintedResult):
    """Mixin for results of systems: their JSON text, and the report about them."""

    __slots__ = ()

    def _reported(self) -> tuple[Sequence[Result], Sampling | None, PrintedResult | None]:
        """Return what a report is about: results, how intervals were computed, a comparison."""
        raise NotImplementedError

    def to_json(self, indent: int | None = None) -> str:
        """Return ``to_dict()`` as JSON text.

        Parameters
        ----------
        indent : int, optional
            Number of spaces of indentation; by default the text is on one line.

        Returns
        -------
        str
            JSON text.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def report(
        self,
        title: str | None = None,
        threads: int | None = None,
        source: Sequence[str] | None = None,
    ) -> Report:
        """Return an HTML report: ``result.report().save("report.html")``.

        Parameters
        ----------
        title : str, optional
            The page title.
        threads : int, optional
            The number of threads; the default is all cores.
        source : sequence of str, optional
            The source sentences, which the page shows above the references.

        Returns
        -------
        Report
            The report.
        """
        content = presenter().report_content(*self._reported(), title, threads, source)
        return Report(content)


class Result(ReportedResult, Mapping[str, Score]):
    """The scores of one system, keyed by metric as the caller wrote it.

    ``corpus`` holds the texts that were scored, or is None if they were not kept. ``skipped`` is
    the number of rows of a table that could not be scored. ``sampling`` says how the intervals of
    the scores were computed; it is None if they have none. ``notices`` are what a reader should
    know of links that were found through the source.
    """

    def __init__(
        self,
        scores: Mapping[str, Score],
        name: str = "system",
        corpus: Sequence[StoredBatch] | None = None,
        skipped: int = 0,
        sampling: Sampling | None = None,
        notices: Sequence[Notice] = (),
    ) -> None:
        self.name = name
        self.notices = tuple(notices)
        self.skipped = skipped
        self.corpus = corpus
        self.sampling = sampling
        self._scores = dict(scores)

    def __getitem__(self, metric: str) -> Score:
        return self._scores[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __eq__(self, other: object) -> bool:
        """Return whether two systems have the same name and scores; texts are not compared."""
        if not isinstance(other, Result):
            return NotImplemented
        own, others = (
            (result.name, result.skipped, result.sampling, result._scores)
            for result in (self, other)
        )
        return own == others

    def __hash__(self) -> int:
        return hash((self.name, *self._scores))

    @property
    def n(self) -> int:
        """The number of segments."""
        return next(iter(self._scores.values())).n

    @property
    def linked(self) -> float | None:
        """The share of words with a link, by the first metric that needs an alignment."""
        score = self.linked_score
        return None if score is None else score.linked

    @property
    def linked_score(self) -> Score | None:
        """The score whose ``linked`` is that of the result."""
        return next((score for score in self._scores.values() if score.linked is not None), None)

    @property
    def evidence(self) -> Evidence | None:
        """How much of the system can be compared with the reference, if order is compared.

        It is that of the first metric that is compared by anchors, or else of the first metric that
        has any.
        """
        scores = [score for score in self._scores.values() if score.evidence is not None]
        scores.sort(key=lambda score: score.metric.needs.anchors is None)
        return scores[0].evidence if scores else None

    @property
    def matched(self) -> float | None:
        """The share of words with a counterpart in the reference, if order is compared."""
        return None if self.evidence is None else self.evidence.share

    def with_scores(
        self, scores: Mapping[str, Score], name: str | None = None, sampling: Sampling | None = None
    ) -> Result:
        """Return the result of the same texts with other scores, and perhaps another name."""
        changed = copy(self)
        changed._scores = dict(scores)
        changed.name = self.name if name is None else name
        changed.sampling = self.sampling if sampling is None else sampling
        return changed

    def to_dict(self) -> dict[str, Any]:
        """Return the scores for JSON, without segments."""
        return results_dict([self])

    def _reported(self) -> tuple[Sequence[Result], Sampling | None, None]:
        return [self], self.sampling, None

    def to_pandas(self) -> pandas.DataFrame:
        """Return a row for each segment, as a data frame of pandas.

        The columns are ``hypothesis`` and ``reference`` (lists if there are several references),
        ``linked``, and one for each metric. Texts and shares that were not kept are left out.
        """
        frame: pandas.DataFrame = self._frame("pandas")
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a row for each segment, as a data frame of Polars.

        The columns are those of :meth:`to_pandas`.
        """
        frame: polars.DataFrame = self._frame("polars")
        return frame

    def _frame(self, package: str) -> Any:
        message = f"{package} is not installed: pip install {package}"
        return import_optional(package, message).DataFrame(segment_columns(self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={shown_value(s.value)}" for name, s in self.items())
        return f"Result({values}, n={self.n})"


def shown_value(value: float | None) -> str:
    """Return a value as representations of objects show it."""
    return "not scored" if value is None else f"{value:.4f}"


def linked_share(coverage: Floats) -> Floats:
    """Return the share of linked, or matched, words of each row of such words and all words."""
    counted, words = coverage.T
    shares: Floats = counted / np.where(words > 0, words, 1)
    return shares


def segment_columns(result: Result) -> dict[str, Any]:
    """Return the texts of each segment, the share of linked words, and the values."""
    columns: dict[str, Any] = {}
    if result.corpus is not None:
        columns["hypothesis"] = [line for batch in result.corpus for line in batch.hypotheses]
        rows = [row for batch in result.corpus for row in batch.open_references().by_segment()]
        is_single = all(len(row) == 1 for row in rows)
        columns["reference"] = [row[0] for row in rows] if is_single else rows
    score = result.linked_score
    shares = None if score is None else score.linked_segments
    if shares is not None:
        columns["linked"] = shares
    return columns | {name: score.segments for name, score in result.items()}


def _equal_arrays(a: Floats | None, b: Floats | None) -> bool:
    if a is None or b is None:
        return a is b
    return np.array_equal(a, b, equal_nan=True)


def results_dict(results: Sequence[Result]) -> dict[str, Any]:
    """Return the results of several systems for JSON."""
    return {
        "schema": SCHEMA,
        "systems": [
            {
                "name": result.name,
                **({"skipped": result.skipped} if result.skipped else {}),
                "scores": {name: score.to_dict() for name, score in result.items()},
            }
            for result in results
        ],
    }


def default_order(result: Result) -> str:
    """Return the metric by which tables are sorted: `order`, or else the first one."""
    by_anchors = (name for name, s in result.items() if s.metric.needs.anchors is not None)
    return next(by_anchors, next(iter(result)))


SHARES = ("matched", "linked")  # of words, by which systems can be sorted, too


def check_sort(column: str | None, metrics: Collection[str]) -> None:
    """Raise an error if there is a column to sort by, but systems have no values of it."""
    if column is not None and column not in (*metrics, *SHARES):
        raise InputError(f"cannot sort by {column!r}: valid metrics: {', '.join(metrics)}")


def sort_results(results: Sequence[Result], column: str | None) -> list[Result]:
    """Return the results of systems, the best by a metric first; equal ones keep their order.

    Without a metric they keep their order, too. The share of matched or linked words is sorted by
    as well.

    Raises
    ------
    InputError
        If the systems have no scores of the metric.
    """
    check_sort(column, results[0])
    if column is None:
        return list(results)
    if column in SHARES and column not in results[0]:
        shares = [getattr(result, column) for result in results]
        if None in shares:
            raise InputError(f"cannot sort by {column!r}, which none of the metrics has")
        return [results[k] for k in sorted(range(len(results)), key=lambda k: -shares[k])]
    return sorted(results, key=lambda result: result[column].rank_key)
