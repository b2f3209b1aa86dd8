"""The contract of a metric: options, statistics of segments, a value of their sums, a signature.

Its language and linguistic data are its resources.
"""

from __future__ import annotations

import functools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.options import Option, Value, format_value, read_options
from hyperbaton.metrics.parts import Needs, Part, TextPart
from hyperbaton.metrics.signature import COMPUTED, Provenance, Signature, package_label
from hyperbaton.registries import load, unknown_name_message
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.languages import parse_language
from hyperbaton.text.tokenization import (
    DEFAULT_FOLD,
    PUNCTS,
    TOKENIZERS,
    Tokenization,
    default_tokenizer,
)

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch
    from hyperbaton.metrics.inputs import References

Floats = npt.NDArray[np.float64]
Streams = Sequence[Sequence[str | None]]
ADAPTER = "hyperbaton.runs.sacrebleu_adapter:SacrebleuAdapter"


@dataclass(frozen=True)
class Resources:
    """Language and linguistic data, described once for all metrics of a run.

    Attributes
    ----------
    language : str, optional
        Language code or BCP 47 tag, such as ``en`` or ``pt-BR``; it selects the stemmer and the
        tokeniser.
    wordnet : path, optional
        Folder of WordNet's files, for the matcher ``synonym``.
    paraphrases : path, optional
        Paraphrase table in METEOR's format, for the matcher ``paraphrase``.
    parser : str, optional
        Dependency parser for metrics over trees, such as ``spacy:en_core_web_sm``.
    """

    language: str | None = None
    wordnet: str | None = None
    paraphrases: str | None = None
    parser: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            parse_language(self.language)  # raises an error if there is no such language

    @classmethod
    def from_arguments(
        cls,
        language: str | None = None,
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        parser: str | None = None,
    ) -> Resources:
        """Return the resources that keyword arguments of public functions describe."""
        paths = as_path(wordnet, "wordnet"), as_path(paraphrases, "paraphrases")
        return cls(language, *paths, parser)


def as_path(path: StrPath | None, name: str) -> str | None:
    """Return a path as a string; errors call it by ``name``."""
    try:
        return None if path is None else os.fspath(path)
    except TypeError:
        raise InputTypeError(f"{name} must be a path, got {type(path).__name__}") from None


CASE = Option("lc", "lc: lower case; mixed: case as written", ("lc", "mixed"))
TOK = Option(None, "sacreBLEU's tokeniser; default: that of the language, or 13a", TOKENIZERS)
FOLD = Option(
    DEFAULT_FOLD,
    "standard: words that look the same are the same (docs/scoring.md has the table); none: "
    "characters as written",
    FOLDS,
)
PUNCT = Option(
    "keep", "drop: tokens without a letter or a digit do not count; keep: all tokens", PUNCTS
)
WEIGHT = Option(
    "none", "weight of a segment in the corpus: 1, or the length of its reference", ("none", "ref")
)
# Signatures write these after the number of references, in their own order.
TEXT_KEYS = ("tok", "case", "align")


@dataclass(frozen=True)
class Variant:
    """A metric by name: its description for people, and its own default options.

    Attributes
    ----------
    description, paper, caution : str
        What it measures, where it is defined, and when not to use it.
    defaults : mapping of str to value
        Options whose defaults differ from those of the class.
    example : str
        Options of an example, such as ``beta=0.5,unaligned=left``.
    slow : bool
        Whether a segment of several hundred words takes minutes.
    trees : bool
        Whether it compares dependency trees.
    range : tuple of (float, float), optional
        Lowest and highest value with the default options; by default those of the class.
    """

    description: str
    paper: str
    caution: str
    defaults: Mapping[str, Value] = field(default_factory=dict)
    example: str = ""
    slow: bool = False
    trees: bool = False
    range: tuple[float, float] | None = None


@functools.cache
def _catalogue() -> dict[str, list[str]]:
    lines = Path(__file__).with_name("catalogue.tsv").read_text("utf-8").splitlines()
    return {name: texts for name, *texts in (line.split("\t") for line in lines)}


def variant(name: str, **settings: Any) -> Variant:
    """Return the variant whose texts ``catalogue.tsv`` has, with settings that are no texts."""
    example, paper, description, caution = _catalogue()[name]
    return Variant(description, paper, caution, example=example, **settings)


class SingleScore(Protocol):
    """What a metric returns that scores by itself: a :class:`~hyperbaton.metrics.Score`.

    Attributes
    ----------
    value : float or None
        The value; None without enough evidence for one.
    score : float
        100 × ``value``, as sacreBLEU prints its own scores; NaN without a value.
    name : str
        The metric as a user would write it.
    n : int
        Number of segments.
    signature : str
        Everything that changes the value.
    lower, upper : float, optional
        Ends of the confidence interval, if one was asked for.
    segments : array
        The value of each segment; NaN without enough evidence for one.
    computed_value, computed_segments : float, array
        The values even where there is too little evidence to show them.
    """

    value: float | None
    score: float
    name: str
    n: int
    signature: str
    lower: float | None
    upper: float | None
    segments: Floats
    computed_value: float
    computed_segments: Floats

    def __float__(self) -> float:
        """Return the value; NaN without one."""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "") -> str:
        """Return one line as sacreBLEU prints it."""


class Standalone(Protocol):
    """A metric, perhaps with references, that scores by itself.

    :class:`~hyperbaton.metrics.SacrebleuAdapter` describes the methods.
    """

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references."""

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1
    ) -> SingleScore:
        """Score a corpus."""

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> SingleScore:
        """Score one segment."""

    def get_signature(self) -> Signature:
        """Return the signature; it names the number of references if they are known."""

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Streams | None
    ) -> Floats: ...

    def _aggregate_and_compute(self, stats: Floats) -> SingleScore: ...

    def _compute_score_from_stats(self, stats: Floats) -> SingleScore: ...


class Metric(ABC):
    """A small picklable value: a name, options, and the language where it matters.

    A metric maps each segment of a batch to a row of numbers, its *statistics*, and sums of such
    rows to the value of a corpus. Nothing else of a batch counts. Batches can therefore be computed
    in any order and on any machine, and a sample of segments is scored from their rows.

    A subclass defines ``VARIANTS`` (its names), ``OPTIONS``, ``statistics`` and ``aggregate``. It
    may be made of ``parts``, which say what it needs and what its signature names.

    Parameters
    ----------
    name : str, optional
        One of ``VARIANTS``; the first of them by default.
    resources : Resources, optional
        Language and data. ``language``, ``wordnet`` and ``paraphrases`` may be given instead.
    model : optional
        What the metric learned when it was fitted, if it is one that is fitted.
    **options
        Options, as ``options_for`` describes them.
    """

    VARIANTS: ClassVar[Mapping[str, Variant]]
    OPTIONS: ClassVar[Mapping[str, Option]] = {}
    RANGE: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True

    def __init__(
        self,
        name: str | None = None,
        resources: Resources | None = None,
        *,
        model: Any = None,
        **options: object,
    ) -> None:
        self.name = next(iter(self.VARIANTS)) if name is None else name
        if self.name not in self.VARIANTS:
            raise InputError(unknown_name_message("metric", self.name, self.VARIANTS))
        if resources is not None and not isinstance(resources, Resources):
            raise InputTypeError(f"resources must be Resources, got {type(resources).__name__}")
        if resources is None:
            keys = [key for key in ("language", "wordnet", "paraphrases") if key in options]
            arguments: dict[str, Any] = {key: options.pop(key) for key in keys}
            resources = Resources.from_arguments(**arguments)
        self.variant = self.VARIANTS[self.name]
        self.resources = resources
        self.model = model
        given = {**self.variant.defaults, **options}
        self._known_options = self.options_for(self.name, given)
        # Some options exist only beside others. A default of one that does not exist is left out.
        known = {*options, *self._known_options}
        chosen = {key: value for key, value in given.items() if key in known}
        self.given = frozenset(chosen)  # options that the caller or the variant set
        self._own_options = options  # without the defaults of the variant
        language = resources.language
        self.options = read_options(self.name, self._known_options, chosen, language)
        if self.options.get("tok", "") is None:
            self.options["tok"] = default_tokenizer(language)
        self.parts  # noqa: B018 - the parts check the options
        if model is not None and self.needs.fitting is None:
            raise InputError(f"{self.name} has nothing to fit")

    @property
    def spec(self) -> str:
        """The metric as a user would write it: its name, and the options that are not defaults.

        Options that depend on the language (``tok``, ``align``) appear only if they were given.
        """
        chosen = [
            f"{key}={format_value(value)}"
            for key, value in self.options.items()
            if key in self.given
            and value is not None
            and value != self.variant.defaults.get(key, self._known_options[key].default)
        ]
        return self.name + ":" * bool(chosen) + ",".join(chosen)

    def with_options(self, **options: object) -> Metric:
        """Return the same metric with some options changed. It stays fitted if it can.

        Parameters
        ----------
        **options
            The options and their new values; ``model``, if the metric is to be fitted.

        Returns
        -------
        Metric
            The changed metric.

        Examples
        --------
        >>> from hyperbaton import metrics
        >>> metrics.get("full:bp=off").with_options(alpha=0.3).spec
        'full:alpha=0.3,bp=off'
        """
        arguments: dict[str, Any] = {**self._own_options, **options}
        changed = type(self)(self.name, self.resources, **arguments)
        before, after = self.needs.fitting, changed.needs.fitting
        is_kept = before is not None and after is not None and before.key == after.key
        if self.model is None or "model" in options or not is_kept:
            return changed
        return changed.with_options(model=self.model)

    def text_option(self, key: str) -> str:
        """Return the value of an option that is a word."""
        return str(self.options[key])

    def number_option(self, key: str) -> float:
        """Return the value of an option that is a number."""
        value = self.options[key]
        assert isinstance(value, (int, float))
        return value

    @functools.cached_property
    def tokenization(self) -> Tokenization:
        """How lines become tokens; at white space if the metric has no option ``tok``."""
        has_punct = self._known_options.get("punct") == PUNCT
        return Tokenization.for_language(
            self.resources.language,
            str(self.options.get("tok", "none")),
            self.text_option("case"),
            str(self.options.get("fold", "none")),
            self.text_option("punct") if has_punct else "keep",
        )

    @functools.cached_property
    def parts(self) -> tuple[Part, ...]:
        """What the metric is made of."""
        if "tok" not in self.options:
            return ()
        return (TextPart(self.tokenization, self.resources.language),)

    @property
    def needs(self) -> Needs:
        """What the metric needs beyond the lines of a batch.

        It does not allow several threads, unless a subclass says so.
        """
        return Needs.combine([Needs(), *(part.needs for part in self.parts)])

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of the metric ``name``; some exist only beside other options."""
        return cls.OPTIONS

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return self.variant.range or self.RANGE

    @abstractmethod
    def statistics(self, batch: Batch) -> Floats:
        """Return a row of numbers for each segment. It must be a pure function of the batch."""

    @abstractmethod
    def aggregate(self, sums: Floats) -> Floats:
        """Return values from summed statistics, along the last axis."""

    def segment_values(self, statistics: Floats) -> Floats:
        """Return the value of each segment by itself."""
        return self.aggregate(statistics)

    def details(self, sums: Floats) -> dict[str, int | float | list[float]]:
        """Return what a value is computed from, for people; lists hold shares."""
        return {}

    def inexact(self, sums: Floats) -> int:
        """Return the number of segments whose statistics are only bounds."""
        return 0

    def signature(
        self, references: int | str | None, provenance: Provenance = COMPUTED
    ) -> Signature:
        """Return everything that changes the metric's number.

        Parameters
        ----------
        references : int, str or None
            Number of references per segment, ``"var"`` if it varies, None if it is unknown.
        provenance : Provenance
            Where alignments and trees come from.
        """
        parts = [part.signature(provenance) for part in self.parts]
        hidden = frozenset().union(*(part.hidden for part in parts))
        plugin = package_label(type(self))
        return Signature(
            self.name,
            [
                *((key, value) for key, value in self._listed_options() if key not in hidden),
                *([] if references is None else [("nrefs", references)]),
                *(field for part in parts for field in part.method),
                *(field for part in parts for field in part.text),
                *(field for part in parts for field in part.versions),
                *([] if plugin is None else [("plugin", plugin)]),
                self._program_field(),
            ],
        )

    def _listed_options(self) -> list[tuple[str, Value]]:
        """Return the options that signatures list if they have an effect."""
        return [
            (key, value)
            for key, value in self._resolved_options.items()
            if value is not None
            and key not in TEXT_KEYS
            and self._known_options[key] not in (FOLD, PUNCT)
            and not (self._known_options[key].silent and value == self._known_options[key].default)
        ]

    def _program_field(self) -> tuple[str, Value]:
        """Return the version of the program that computes the metric."""
        from hyperbaton import __version__

        return "v", __version__

    # Methods that score with this metric alone, most of them as sacreBLEU's metrics have them.

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references, ready to score segments one by one.

        It does not matter on what it was fitted before. A metric that needs no fit, or whose model
        is in a file, stays what it is.

        Parameters
        ----------
        references : sequence of str or of sequences of str, or data frame
            All references, as for :func:`hyperbaton.score`.
        threads : int, optional
            Number of threads; all cores by default.

        Returns
        -------
        Metric
            The fitted metric.
        """
        return self.with_references(None).fit(references, threads)

    def save(self, path: StrPath) -> None:
        """Write the model of a fitted metric to a file.

        The option that names a model takes the file, so that a value can be reproduced on one
        segment.

        Parameters
        ----------
        path : path
            The output file.

        Raises
        ------
        InputError
            If the metric has no model.
        """
        fitting, name = self.needs.fitting, as_path(path, "path")
        if fitting is None or fitting.model is None or name is None:
            raise InputError(f"{self.name} has no model to save: it is not fitted")
        fitting.save(name)

    def with_references(self, references: Streams | None) -> Standalone:
        """Return the metric with references, as ``sacrebleu.BLEU(references=…)`` takes them."""
        make: Callable[[Metric, Streams | None], Standalone] = load(ADAPTER)
        return make(self, references)

    def corpus_score(
        self, hypotheses: Sequence[str], references: Streams, n_bootstrap: int = 1
    ) -> SingleScore:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
            Translations.
        references : sequence of sequences
            One list for each reference stream; None stands for a missing reference.
        n_bootstrap : int
            With more than one bootstrap sample, the score has a 95 % interval.
        """
        return self.with_references(None).corpus_score(hypotheses, references, n_bootstrap)

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> SingleScore:
        """Score one segment."""
        return self.with_references(None).sentence_score(hypothesis, references)

    def get_signature(self) -> Signature:
        """Return the signature, without the number of references.

        The signature of a :class:`Score` names it, and so does that of ``with_references``.
        """
        return self.with_references(None).get_signature()

    def _extract_corpus_statistics(
        self, hypotheses: Sequence[str], references: Streams | None
    ) -> Floats:
        return self.with_references(None)._extract_corpus_statistics(hypotheses, references)

    def _aggregate_and_compute(self, stats: Floats) -> SingleScore:
        return self.with_references(None)._aggregate_and_compute(stats)

    def _compute_score_from_stats(self, stats: Floats) -> SingleScore:
        return self.with_references(None)._compute_score_from_stats(stats)

    @property
    def _resolved_options(self) -> Mapping[str, Value | None]:
        """The options that tell metrics apart."""
        options = dict(self.options)
        for part in self.parts:
            options |= part.resolved
        return options

    def _key(self) -> tuple[object, ...]:
        # Some options count only with given alignments, so the signature is not enough.
        data = self.resources.wordnet, self.resources.paraphrases
        return str(self.signature(None)), *self._resolved_options.items(), *data

    def __reduce__(self) -> tuple[object, ...]:
        make = functools.partial(type(self), model=self.model, **self._own_options)  # type: ignore[arg-type]
        return make, (self.name, self.resources)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        known = [(key, value) for key, value in self._resolved_options.items() if value is not None]
        options = ",".join(f"{key}={format_value(value)}" for key, value in known)
        given = self.resources.language
        language = f", language={given!r}" if given else ""
        return f"hyperbaton.metrics.get({self.name + ':' * bool(options) + options!r}{language})"


def segment_signature(metric: Metric, signature: Signature) -> Signature:
    """Return the signature of a single segment's value, where it is computed differently."""
    segment = Signature(signature.name, signature)
    for part in metric.parts:
        for key, value in part.segment_fields.items():
            segment.update(key, value)
    return segment


def has_value(metric: Metric, statistics: Floats) -> npt.NDArray[np.bool_]:
    """Return, for statistics or sums of them, whether there is enough evidence for a value."""
    test = metric.needs.has_value
    return np.ones(statistics.shape[:-1], bool) if test is None else test(statistics)


def shown_values(metric: Metric, statistics: Floats) -> Floats:
    """Return the value of each segment by itself; NaN where there is too little evidence."""
    return np.where(has_value(metric, statistics), metric.segment_values(statistics), np.nan)


class MeanMetric(Metric):
    """A metric whose corpus value is the weighted mean of its segments."""

    @staticmethod
    def weighted_statistics(values: Floats, weights: Floats) -> Floats:
        """Return the statistics: value × weight, the weight, and the value itself.

        The value is there for segments without weight.
        """
        return np.stack([values * weights, weights, values], axis=1)

    def aggregate(self, sums: Floats) -> Floats:
        """Return the mean; 0 if nothing has weight."""
        total = sums[..., 1]
        mean: Floats = np.where(total > 0, sums[..., 0] / np.where(total > 0, total, 1), 0.0)
        return mean

    def segment_values(self, statistics: Floats) -> Floats:
        """Return the value of each segment, also of segments without weight."""
        return statistics[:, 2]


class TokenMetric(MeanMetric):
    """A mean of segments that are compared as tokens, with or without punctuation.

    Several threads may compute its statistics if its parts allow it.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "weight": WEIGHT,
        "case": CASE,
        "tok": TOK,
        "fold": FOLD,
        "punct": PUNCT,
    }

    @property
    def needs(self) -> Needs:
        """What the parts need, and nothing else."""
        return Needs.combine(part.needs for part in self.parts)

    def best_statistics(self, batch: Batch, values: Floats) -> Floats:
        """Return the statistics of a mean, from the value of each pair.

        The best value of each segment counts, with the weight that the options ask for.
        """
        best = batch.best(values)
        if self.options["weight"] == "ref":
            _, ref = batch.lengths(self.tokenization)
            weights = ref[best].astype(np.float64)
        else:
            weights = np.ones(len(batch))
        return self.weighted_statistics(values[best], weights)


def brevity_penalty(lengths: Any, references: Any) -> npt.NDArray[np.float64]:
    """Return 1 for a length above the reference's, else exp(1 − reference/length); 0 for 0.

    >>> brevity_penalty(np.array([5, 4, 0]), np.array([4, 5, 0]))
    array([1.        , 0.77880078, 0.        ])
    """
    divisor = np.maximum(lengths, 1)
    return np.where(lengths > 0, np.exp(np.minimum(0.0, 1 - references / divisor)), 0.0)
