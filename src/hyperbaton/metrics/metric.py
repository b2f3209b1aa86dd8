"""The contract of a metric: options, statistics of segments, a value of their sums, a signature."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.fitting import Fit, fit_metrics, reference_lines
from hyperbaton.metrics.input_types import References
from hyperbaton.metrics.options import Option, Value, format_value, read_options
from hyperbaton.metrics.plugins import package_label
from hyperbaton.metrics.provenance import COMPUTED, Provenance
from hyperbaton.metrics.resources import Resources, StrPath
from hyperbaton.metrics.sacrebleu_adapter import SacrebleuMethods
from hyperbaton.metrics.signature import Signature, package_version
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.languages import language_code
from hyperbaton.text.names import unknown_name_message
from hyperbaton.text.tokenization import DEFAULT_FOLD, PUNCTS, Tokenization
from hyperbaton.text.tokenizers import TOKENIZERS, default_tokenizer

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

Floats = npt.NDArray[np.float64]

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
    """

    description: str
    paper: str
    caution: str
    defaults: Mapping[str, Value] = field(default_factory=dict)
    example: str = ""
    slow: bool = False


class Metric(SacrebleuMethods, ABC):
    """A small picklable value: a name, options, and the language where it matters.

    A metric maps each segment of a batch to a row of numbers, its *statistics*, and sums of such
    rows to the value of a corpus. Nothing else of a batch counts. Batches can therefore be computed
    in any order and on any machine, and a sample of segments is scored from their rows.

    A subclass defines ``VARIANTS`` (its names), ``OPTIONS``, ``statistics`` and ``aggregate``.

    Parameters
    ----------
    name : str, optional
        One of ``VARIANTS``; the first of them by default.
    resources : Resources, optional
        Language and data. ``language``, ``wordnet`` and ``paraphrases`` may be given instead.
    **options
        Options, as ``options_for`` describes them.
    """

    VARIANTS: ClassVar[Mapping[str, Variant]]
    OPTIONS: ClassVar[Mapping[str, Option]] = {}
    RANGE: ClassVar[tuple[float, float]] = (0.0, 1.0)
    higher_is_better: ClassVar[bool] = True
    needs_trees: ClassVar[bool] = False

    def __init__(
        self, name: str | None = None, resources: Resources | None = None, **options: object
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
        given = {**self.variant.defaults, **options}
        self._known_options = self.options_for(self.name, given)
        # Some options exist only beside others. A default of one that does not exist is left out.
        self._given_options = {
            key: value
            for key, value in given.items()
            if key in options or key in self._known_options
        }
        self._own_options = options  # without the defaults of the variant
        self.options = read_options(self.name, self._known_options, self._given_options)
        if self.options.get("tok", "") is None:
            self.options["tok"] = self.default_tokenizer()
        self.resolve_options()

    @property
    def language(self) -> str | None:
        """The language code, if one was given."""
        return self.resources.language

    def default_tokenizer(self) -> str:
        """Return the tokeniser that is used unless the option ``tok`` is given."""
        return default_tokenizer(self.language)

    @property
    def spec(self) -> str:
        """The metric as a user would write it: its name, and the options that are not defaults.

        Options that depend on the language (``tok``, ``align``) appear only if they were given.
        """
        chosen = [
            f"{key}={format_value(value)}"
            for key, value in self.options.items()
            if key in self._given_options
            and value is not None
            and value != self.variant.defaults.get(key, self._known_options[key].default)
        ]
        return self.name + ":" * bool(chosen) + ",".join(chosen)

    def is_given(self, key: str) -> bool:
        """Return whether the caller or the variant set an option."""
        return key in self._given_options

    @property
    def numeric_options(self) -> dict[str, Option]:
        """The options that are numbers.

        >>> from hyperbaton import metrics
        >>> list(metrics.get("full:align=given").numeric_options)[:3]
        ['beta', 'gamma', 'alpha']
        """
        return {key: option for key, option in self._known_options.items() if option.numeric}

    def with_options(self, **options: object) -> Metric:
        """Return the same metric with some options changed.

        Parameters
        ----------
        **options
            The options and their new values.

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
        return type(self)(self.name, self.resources, **{**self._own_options, **options})

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
        """How lines become tokens."""
        return Tokenization.for_language(
            self.language,
            self.text_option("tok"),
            self.text_option("case"),
            str(self.options.get("fold", "none")),
        )

    @property
    def thread_safe(self) -> bool:
        """Whether two threads may compute the statistics of two batches at the same time."""
        return False

    @property
    def measures(self) -> frozenset[str]:
        """The measures of order that the metric asks a batch for."""
        return frozenset()

    @classmethod
    def options_for(cls, name: str, given: Mapping[str, object]) -> Mapping[str, Option]:
        """Return the options of the metric ``name``; some exist only beside other options."""
        return cls.OPTIONS

    def resolve_options(self) -> None:
        """Fill in options that depend on the language or on each other.

        Raises
        ------
        HyperbatonError
            If options contradict each other, or if data or a package is missing.
        """

    @classmethod
    def range_for(cls, name: str) -> tuple[float, float]:
        """Return the bounds of the metric ``name`` with its default options."""
        return cls.RANGE

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return self.range_for(self.name)

    @property
    def aligns(self) -> bool:
        """Whether the metric needs alignments with these options."""
        return False

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the options name, which must not be overwritten."""
        return ()

    @property
    def needs_fit(self) -> bool:
        """Whether the metric has to see all references before it can score a segment."""
        return False

    def load(self) -> Metric:
        """Return the metric with what it needs from files."""
        return self

    def start_fit(self) -> Fit:
        """Return what sees the references of a metric that needs to be fitted."""
        raise NotImplementedError(f"{self.name} has nothing to fit")

    def with_model(self, model: Any) -> Metric:
        """Return the metric fitted with a model, which its ``start_fit`` has given."""
        raise NotImplementedError(f"{self.name} has nothing to fit")

    def without_fit(self) -> Metric:
        """Return the metric that is used where there are no references to fit it on."""
        return self

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references, ready to score segments one by one.

        A metric that needs no fit returns itself.

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
        blocks = [reference_lines(references)]
        return fit_metrics({self.name: self}, lambda: blocks, threads)[self.name]

    def save(self, path: StrPath) -> None:
        """Write the model of a fitted metric to a file.

        Parameters
        ----------
        path : path
            The output file.

        Raises
        ------
        InputError
            If the metric has no model.
        """
        raise InputError(f"{self.name} has no model to save: it is not fitted")

    @abstractmethod
    def statistics(self, batch: Batch) -> Floats:
        """Return a row of numbers for each segment. It must be a pure function of the batch."""

    @abstractmethod
    def aggregate(self, sums: Floats) -> Floats:
        """Return values from summed statistics, along the last axis."""

    def segment_values(self, statistics: Floats) -> Floats:
        """Return the value of each segment by itself."""
        return self.aggregate(statistics)

    def coverage(self, batch: Batch) -> Floats | None:
        """Return linked words and all words of each segment; None if no words are compared.

        For soft order, words that both sides have count as linked.
        """
        return None

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
        count = [] if references is None else [("nrefs", references)]
        fields = [
            *self.option_fields(provenance),
            *count,
            *self.signature_fields(provenance),
        ]
        signature = Signature(self.name, fields)
        plugin = package_label(type(self))
        if plugin is not None:
            signature.update("plugin", plugin)
        return signature

    def segment_signature(self, references: int | str | None) -> Signature:
        """Return the signature of a single segment's value, where it is computed differently."""
        return self.signature(references)

    def option_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return the options that the signature names before the number of references."""
        return [
            (key, value)
            for key, value in self._resolved_options.items()
            if value is not None
            and key not in TEXT_KEYS
            and self._known_options[key] not in (FOLD, PUNCT)
            and not (self._known_options[key].silent and value == self._known_options[key].default)
        ]

    def signature_fields(self, provenance: Provenance) -> list[tuple[str, Value]]:
        """Return what the signature says of the text, and versions."""
        if "tok" not in self.options:
            return version_fields()
        text = self.tokenization
        return [
            *text_fields(text, self.language),
            *tokenizer_fields(text),
            *version_fields(),
        ]

    @property
    def _resolved_options(self) -> Mapping[str, Value | None]:
        """The options that tell metrics apart."""
        return self.options

    def _key(self) -> tuple[object, ...]:
        # Some options count only with given alignments, so the signature is not enough.
        data = self.resources.wordnet, self.resources.paraphrases
        return str(self.signature(None)), *self._resolved_options.items(), *data

    def __reduce__(self) -> tuple[object, ...]:
        make: Any = functools.partial(type(self), **self._own_options)  # type: ignore[arg-type]
        return make, (self.name, self.resources)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        options = ",".join(
            f"{key}={format_value(value)}"
            for key, value in self._resolved_options.items()
            if value is not None
        )
        language = f", language={self.language!r}" if self.language else ""
        return f"hyperbaton.metrics.get({self.name + ':' * bool(options) + options!r}{language})"


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
    """A mean of segments that are compared as tokens, with or without punctuation."""

    @functools.cached_property
    def tokenization(self) -> Tokenization:
        """How lines become tokens."""
        return replace(super().tokenization, punct=str(self.options.get("punct", "keep")))

    @property
    def thread_safe(self) -> bool:
        """Whether two threads may compute statistics at the same time."""
        return self.tokenization.thread_safe

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


def text_fields(text: Tokenization, language: str | None) -> list[tuple[str, Value]]:
    """Return case, tokeniser, folding and punctuation as signatures name them.

    Folding names the language if lower case depends on it. What signatures do not say is
    ``fold:none`` and ``punct:keep``.
    """
    fields: list[tuple[str, Value]] = [("case", text.case), ("tok", text.tok)]
    if text.fold != "none":
        suffix = f".{language_code(language)}" if text.turkic else ""
        fields.append(("fold", text.fold + suffix))
    if text.punct != "keep":
        fields.append(("punct", text.punct))
    return fields


def tokenizer_fields(text: Tokenization) -> list[tuple[str, Value]]:
    """Return the package that the tokeniser comes from, with its version."""
    owner = TOKENIZERS[text.tok].owner
    return [] if owner is None else [(owner.replace("-", "_"), package_version(owner))]


def version_fields() -> list[tuple[str, Value]]:
    """Return the version of Hyperbaton."""
    from hyperbaton import __version__

    return [("v", __version__)]
