"""What every metric is: segment statistics, a value of their sums, a signature."""

from __future__ import annotations

import functools
import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError
from hyperbaton.metrics.inputs import as_lines, as_segment_references
from hyperbaton.metrics.options import Option, Value, read_options, shown, unknown
from hyperbaton.metrics.segments import References, Segments
from hyperbaton.metrics.signature import Signature, version_of
from hyperbaton.stats.sums import ExactSums
from hyperbaton.text.tokenizers import NAMES, default_tokenizer

Floats = npt.NDArray[np.float64]
StrPath = str | os.PathLike[str]

CASE = Option("lc", "lc: in lower case; mixed: as it is", ("lc", "mixed"))
TOK = Option(None, "sacreBLEU's tokeniser; default: that of the language, or 13a", NAMES)
WEIGHT = Option(
    "none", "what a segment counts in the corpus: 1, or its reference's length", ("none", "ref")
)


@dataclass(frozen=True)
class Variant:
    """A metric by name: what it is, for people, and where its defaults are its own."""

    about: str
    paper: str
    caution: str
    defaults: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Score:
    """A number and what belongs to it.

    ``value`` is that of the corpus; ``lower`` and ``upper`` bound it if an interval was asked for.
    ``statistics`` has a row for each segment, or is None if they were not kept; ``sums`` are their
    sums, of which ``value`` is made. ``aligned`` is the share of words that have a link, on both
    sides together, for metrics that need an alignment. ``inexact`` is the number of segments whose
    value is only a bound: in ``invwer``, if its budget ran out.
    """

    metric: Metric
    value: float
    n: int
    signature: str
    sums: Floats
    statistics: Floats | None = None
    aligned: float | None = None
    inexact: int = 0
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        for array in (self.sums, self.statistics):
            if array is not None:
                array.flags.writeable = False

    @property
    def name(self) -> str:
        """The metric, as one would write it."""
        return self.metric.spec

    @property
    def score(self) -> float:
        """100 × ``value``: what sacreBLEU prints beside its own."""
        return 100 * self.value

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value there can be."""
        return self.metric.range

    @property
    def higher_is_better(self) -> bool:
        """False for error rates."""
        return self.metric.higher_is_better

    @cached_property
    def segments(self) -> Floats:
        """The value of each segment."""
        if self.statistics is None:
            raise InputError(f"the segments of {self.name} were not kept")
        values = self.metric.segment_values(self.statistics)
        values.flags.writeable = False
        return values

    def to_dict(self) -> dict[str, Any]:
        """For JSON; what there is not is null."""
        low, high = self.range
        return {
            "value": self.value,
            "signature": self.signature,
            "n": self.n,
            "higher_is_better": self.higher_is_better,
            "range": [bound if math.isfinite(bound) else None for bound in (low, high)],
            "lower": self.lower,
            "upper": self.upper,
            "aligned": self.aligned,
            "inexact": self.inexact,
        }

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """One line, as sacreBLEU has it: its name, and 100 × its value."""
        text = f"{self.score:.{width}f}"
        name = f"{self.name}|{signature}" if signature else self.name
        return text if score_only else f"{name} = {text}"

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        return f"Score({self.value:.4f}, n={self.n}, {self.signature!r})"


class Metric(ABC):
    """A small value: a name, options, and the language where it matters.

    A metric maps each segment of a batch to a row of numbers, its *statistics*, and the sums of
    such rows to the value of a corpus. Nothing else of the batch counts, so that batches can be
    computed in any order and anywhere, and a sample of segments is scored from their rows.

    ``corpus_score``, ``sentence_score`` and ``get_signature`` are sacreBLEU's, whose paired tests
    take these metrics beside ``BLEU()``; there, references are one list for each set of them.
    """

    VARIANTS: ClassVar[Mapping[str, Variant]]
    OPTIONS: ClassVar[Mapping[str, Option]]
    RANGE: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True

    def __init__(
        self,
        name: str | None = None,
        language: str | None = None,
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        **options: object,
    ) -> None:
        self.name = next(iter(self.VARIANTS)) if name is None else name
        if self.name not in self.VARIANTS:
            raise InputError(unknown("metric", self.name, self.VARIANTS))
        self.variant = self.VARIANTS[self.name]
        self.language = language
        self.wordnet = None if wordnet is None else os.fspath(wordnet)
        self.paraphrases = None if paraphrases is None else os.fspath(paraphrases)
        self._given = {**self.variant.defaults, **options}
        self._allowed = self.allowed(self.name, self._given)
        self.options = read_options(self.name, self._allowed, self._given)
        if self.options.get("tok", "") is None:
            self.options["tok"] = default_tokenizer(language)
        self._references: int | None = None  # how many, of what was scored last
        self.check()

    @property
    def spec(self) -> str:
        """How one would write it: its name, and the options that are not its defaults.

        What depends on the language (``tok``, ``align``) is there if it was given.
        """
        chosen = [
            f"{key}={shown(value)}"
            for key, value in self.options.items()
            if key in self._given
            and value is not None
            and value != self.variant.defaults.get(key, self._allowed[key].default)
        ]
        return self.name + ":" * bool(chosen) + ",".join(chosen)

    @property
    def numeric_options(self) -> dict[str, Option]:
        """Its options that are numbers.

        >>> from hyperbaton import metrics
        >>> list(metrics.get("full:align=given").numeric_options)[:3]
        ['beta', 'gamma', 'alpha']
        """
        return {key: option for key, option in self._allowed.items() if option.numeric}

    def with_options(self, **options: object) -> Metric:
        """The same metric, of which some options are others.

        >>> from hyperbaton import metrics
        >>> metrics.get("full:bp=off").with_options(alpha=0.3).spec
        'full:alpha=0.3,bp=off'
        """
        given: Any = {**self._given, **options}
        return type(self)(self.name, self.language, self.wordnet, self.paraphrases, **given)

    def word(self, key: str) -> str:
        """An option that is a word."""
        return str(self.options[key])

    def number(self, key: str) -> float:
        """An option that is a number."""
        value = self.options[key]
        assert isinstance(value, (int, float))
        return value

    @property
    def text(self) -> tuple[str, str]:
        """Tokeniser and case."""
        return self.word("tok"), self.word("case")

    @classmethod
    def allowed(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """The options of a metric; some depend on others."""
        return cls.OPTIONS

    def check(self) -> None:  # noqa: B027 - most have nothing to say
        """Refuse what cannot be: options that contradict each other, data that is missing."""

    @classmethod
    def range_of(cls, name: str) -> tuple[float, float]:
        """The same for a metric's name."""
        return cls.RANGE

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest value there can be."""
        return self.range_of(self.name)

    @abstractmethod
    def statistics(self, segments: Segments) -> Floats:
        """A row of numbers for each segment."""

    @abstractmethod
    def aggregate(self, sums: Floats) -> Floats:
        """Values from summed statistics, along the last axis."""

    def segment_values(self, statistics: Floats) -> Floats:
        """The value of each segment on its own."""
        return self.aggregate(statistics)

    def coverage(self, segments: Segments) -> Floats | None:
        """Words with a link and all words, of each segment; None without an alignment."""
        return None

    def inexact(self, sums: Floats) -> int:
        """For how many segments the statistics are only bounds."""
        return 0

    @abstractmethod
    def fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        """What its signature says between the options and the versions."""

    def signature(
        self,
        references: int | str | None,
        given_alignments: str = "",
        given_trees: bool = False,
    ) -> Signature:
        """Everything that changes its number.

        ``references``: how many, or ``var``. ``given_alignments``: ``given``, or ``source`` if
        they go through it; nothing if they were found.
        """
        count = [] if references is None else [("nrefs", references)]
        options = self._option_fields(given_alignments)
        return Signature(self.name, [*options, *count, *self.fields(given_alignments)])

    def segment_signature(self, references: int | str | None) -> Signature:
        """That of a segment's own value, where it is made in another way."""
        return self.signature(references)

    def _option_fields(self, given_alignments: str) -> list[tuple[str, Value]]:
        return [
            (key, value)
            for key, value in self.options.items()
            if value is not None
            and key not in ("tok", "case", "align")
            and not (self._allowed[key].silent and value == self._allowed[key].default)
        ]

    # What follows is what sacreBLEU calls.

    def corpus_score(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str | None]],
        n_bootstrap: int = 1,
    ) -> Score:
        """The score of a corpus; ``references`` is one list for each set of references.

        With more than one of ``n_bootstrap`` samples, it has a 95 % interval.
        """
        segments = self._segments(hypotheses, references)
        score = self._aggregate_and_compute(self.statistics(segments))
        words = self.coverage(segments)
        if words is not None:
            linked, both = words.sum(0).tolist()
            score = replace(score, aligned=linked / max(both, 1))
        if n_bootstrap > 1:
            from hyperbaton.metrics.sampling import Sampling, bootstrap, with_interval

            sampling = Sampling(samples=n_bootstrap)
            values = bootstrap([[score]], sampling)[0][:, 0]
            score = with_interval(score, values, sampling.level)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Score:
        """The score of one segment."""
        lines = as_lines(references, "references")
        rows = self._extract_corpus_statistics([hypothesis], [[line] for line in lines])
        value = float(self.segment_values(rows)[0])
        signature = str(self.segment_signature(self._references))
        return Score(self, value, 1, signature, rows[0], rows, inexact=self.inexact(rows[0]))

    def get_signature(self) -> Signature:
        """The signature of what was scored last; of nothing yet, without a number of references."""
        count = self._references
        return self.signature("var" if count == -1 else count)

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Floats:
        return self.statistics(self._segments(hypotheses, references))

    def _segments(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str | None]] | None
    ) -> Segments:
        if references is None:
            raise InputError(f"{self.name} keeps no references: give them with the hypotheses")
        lines = as_lines(hypotheses, "hypotheses")
        rows = as_segment_references(references, len(lines))
        counts = {len(row) for row in rows}
        self._references = counts.pop() if len(counts) == 1 else -1
        return Segments(lines, References(rows))

    def _compute_score_from_stats(self, stats: Floats) -> Score:
        sums = np.asarray(stats, np.float64)
        value = float(self.aggregate(sums))
        return Score(self, value, 0, str(self.get_signature()), sums)

    def _aggregate_and_compute(self, stats: Floats) -> Score:
        rows = np.asarray(stats, np.float64)
        exact = ExactSums(rows.shape[1])
        exact.add(rows)
        sums = exact.totals()
        value = float(self.aggregate(sums))
        inexact = self.inexact(sums)
        signature = str(self.get_signature())
        return Score(self, value, len(rows), signature, sums, rows, inexact=inexact)

    def _key(self) -> tuple[object, ...]:
        # some options count only with alignments that are given: the signature is not enough
        return str(self.signature(None)), *self.options.items(), self.wordnet, self.paraphrases

    def __reduce__(self) -> tuple[object, ...]:
        make: Any = functools.partial(type(self), **self._given)  # type: ignore[arg-type]
        return make, (self.name, self.language, self.wordnet, self.paraphrases)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        options = ",".join(f"{k}={shown(v)}" for k, v in self.options.items() if v is not None)
        language = f", language={self.language!r}" if self.language else ""
        return f"hyperbaton.metrics.get({self.name + ':' * bool(options) + options!r}{language})"


class MeanMetric(Metric):
    """A metric whose value of a corpus is the mean of its segments', with weights."""

    @staticmethod
    def weigh(values: Floats, weights: Floats) -> Floats:
        """The statistics: value × weight, the weight, and the value, which may have no weight."""
        return np.stack([values * weights, weights, values], axis=1)

    def aggregate(self, sums: Floats) -> Floats:
        """The mean; 0 if nothing has weight."""
        total = sums[..., 1]
        mean: Floats = np.where(total > 0, sums[..., 0] / np.where(total > 0, total, 1), 0.0)
        return mean

    def segment_values(self, statistics: Floats) -> Floats:
        """Also of segments without weight."""
        return statistics[:, 2]


def text_fields(tok: str, case: str) -> list[tuple[str, Value]]:
    """Case and tokeniser, as signatures have them."""
    return [("case", case), ("tok", tok)]


def tokenizer_version(tok: str) -> list[tuple[str, Value]]:
    """The version of what splits lines, if it is not just white space."""
    return [] if tok == "none" else [("sacrebleu", version_of("sacrebleu"))]
