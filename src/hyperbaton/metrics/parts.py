"""The parts that metrics are made of, what they need beyond a batch, and how they are fitted.

A metric that is fitted has a :class:`Fitting` among its needs, which sees all references before the
first segment is scored and gives a model. The model is frozen, so that the fitted metric is a pure
function of a batch, like every other metric. Samples of segments, as in a bootstrap, do not refit
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from hyperbaton import _core
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.signature import Provenance, package_version
from hyperbaton.text.languages import language_code
from hyperbaton.text.tokenization import TOKENIZERS, Tokenization
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch
    from hyperbaton.metrics.linking import Linking
    from hyperbaton.metrics.metric import Metric
    from hyperbaton.softorder.anchors import Anchors

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
LABEL = re.compile("[0-9]+-[0-9a-f]{12}")  # of a model, as signatures write it
# What the option precedence may be, besides a file: all references, those of the segment, nothing.
REFERENCES, OWN, OFF = "references", "own", "off"


class Fit(Protocol):
    """What sees the references, block by block, and gives a model."""

    @property
    def key(self) -> Hashable:
        """What the fit depends on. Metrics with the same key share a model."""

    def add(self, lines: _core.Lines, threads: int) -> None:
        """See more references."""

    def model(self) -> Any:
        """Return what was learned: a frozen value that can be pickled."""


class Fitting(Protocol):
    """How a metric gets the model with which it scores: from all references, or from a file."""

    @property
    def model(self) -> Any:
        """The model; None before the metric is fitted."""

    @property
    def key(self) -> Hashable:
        """The options on which the model depends."""

    @property
    def reads_file(self) -> bool:
        """Whether the model is in a file, so that nothing has to be counted."""

    def start(self) -> Fit:
        """Return what sees the references."""

    def read(self) -> Any:
        """Return the model of the file that the options name; None if they name none."""

    def without_model(self) -> Mapping[str, Value]:
        """Return the options with which the metric scores where there are no references.

        Raises
        ------
        InputError
            If the options name a model.
        """

    def save(self, path: str) -> None:
        """Write the model to a file."""


@dataclass(frozen=True)
class Needs:
    """What a metric, or a part of it, needs beyond the lines of a batch.

    Attributes
    ----------
    linking : Linking, optional
        What links words, if the metric needs an alignment.
    coverage : callable, optional
        Counts the linked words and all words of each segment of a batch, if words are linked.
    evidence : callable, optional
        Returns two numbers of each segment of a batch, if the order of words is compared: the
        matched words, which have a counterpart in the reference, and the words that could be told
        apart.
    has_value : callable, optional
        Says, from statistics or sums of them, where there is enough evidence for a value. By
        default there always is.
    anchors : callable, optional
        Returns the words of each segment of a batch by which systems are compared, if that is not
        done by their values.
    chosen : callable, optional
        Returns the pair of each segment of a batch whose reference readers should see, if the
        metric chooses one.
    fitting : Fitting, optional
        How the metric gets its model, if it scores with one.
    measures : frozenset of str
        The measures of order that it asks a batch for, so that they are computed together.
    files : tuple of str
        The files that its options name, which must not be overwritten.
    trees : bool
        Whether it compares dependency trees.
    thread_safe : bool
        Whether two threads may compute the statistics of two batches at the same time.
    """

    linking: Linking | None = None
    coverage: Callable[[Batch], Floats] | None = None
    evidence: Callable[[Batch], Floats] | None = None
    has_value: Callable[[Floats], Booleans] | None = None
    anchors: Callable[[Batch], Anchors] | None = None
    chosen: Callable[[Batch], Ints] | None = None
    fitting: Fitting | None = None
    measures: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    trees: bool = False
    thread_safe: bool = False

    @property
    def fit(self) -> bool:
        """Whether the metric has to see all references before it can score a segment."""
        fitting = self.fitting
        return fitting is not None and fitting.model is None and not fitting.reads_file

    @classmethod
    def combine(cls, several: Iterable[Needs]) -> Needs:
        """Return the needs of a metric from those of its parts."""
        parts = list(several)
        return cls(
            next((part.linking for part in parts if part.linking is not None), None),
            next((part.coverage for part in parts if part.coverage is not None), None),
            next((part.evidence for part in parts if part.evidence is not None), None),
            next((part.has_value for part in parts if part.has_value is not None), None),
            next((part.anchors for part in parts if part.anchors is not None), None),
            next((part.chosen for part in parts if part.chosen is not None), None),
            next((part.fitting for part in parts if part.fitting is not None), None),
            frozenset().union(*(part.measures for part in parts)),
            tuple(file for part in parts for file in part.files),
            any(part.trees for part in parts),
            all(part.thread_safe for part in parts),
        )


Fields = tuple[tuple[str, Value], ...]
NO_VALUES: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True)
class PartSignature:
    """What a part says in the signature of its metric.

    Attributes
    ----------
    hidden : frozenset of str
        The options that the signature does not list: they have no effect, or ``text`` names them.
    method, text, versions : tuple of (key, value)
        How the value is computed, from which words, and with which versions of other software.
        They stand in this order behind the options and the number of references.
    """

    hidden: frozenset[str] = frozenset()
    method: Fields = ()
    text: Fields = ()
    versions: Fields = ()


class Part:
    """A part of a metric: what some of its options compute, need and say in the signature.

    A part is made with the metric, when all options have values, and never changes. ``OPTIONS`` are
    those of its own, which the metric has among its options.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = MappingProxyType({})
    # The fields that differ in the signature of a single segment's value.
    segment_fields: Mapping[str, Value] = NO_VALUES

    @property
    def resolved(self) -> Mapping[str, Value]:
        """What signatures say in place of the values of some options."""
        return NO_VALUES

    @property
    def needs(self) -> Needs:
        """What the part needs beyond the lines of a batch."""
        return Needs(thread_safe=True)

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return what the part says in the signature, with such alignments and trees."""
        return PartSignature()


@dataclass(frozen=True, eq=False)
class TextPart(Part):
    """How lines become tokens."""

    tokenization: Tokenization
    language: str | None

    @property
    def needs(self) -> Needs:
        """Whether the tokeniser allows several threads."""
        return Needs(thread_safe=self.tokenization.thread_safe)

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return case, tokeniser, folding and punctuation."""
        text = self.tokenization
        return PartSignature(text=text_fields(text, self.language), versions=tokenizer_fields(text))


def text_fields(text: Tokenization, language: str | None) -> Fields:
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
    return tuple(fields)


def tokenizer_fields(text: Tokenization) -> Fields:
    """Return the package that the tokeniser comes from, with its version."""
    owner = TOKENIZERS[text.tok].owner
    return () if owner is None else ((owner.replace("-", "_"), package_version(owner)),)


def with_saved_model(metric: Metric) -> Metric:
    """Return the metric with the model of its file, if its options name one."""
    fitting = metric.needs.fitting
    if fitting is None or fitting.model is not None:
        return metric
    model = fitting.read()
    return metric if model is None else metric.with_options(model=model)


def without_fit(metric: Metric) -> Metric:
    """Return the metric that is used where there are no references to fit it on.

    Raises
    ------
    InputError
        If its options name a model that it does not have.
    """
    needs = metric.needs
    if needs.fitting is None or not needs.fit:
        return metric
    return metric.with_options(**needs.fitting.without_model())


def fit_metrics(
    metrics: Mapping[str, Metric],
    read_references: Callable[[], Iterable[_core.Lines]],
    threads: int | None = None,
    models: dict[Hashable, Any] | None = None,
) -> dict[str, Metric]:
    """Return the metrics, those that need it fitted on references.

    Parameters
    ----------
    metrics : mapping of str to Metric
        The metrics.
    read_references : callable
        Returns all references, in blocks of any size and in any order. It is called only if a
        metric needs them.
    threads : int, optional
        Number of threads; all cores by default.
    models : dict, optional
        Models of earlier fits on the same references, by ``Fit.key``. New ones are added.
    """
    models = {} if models is None else models
    loaded = {key: with_saved_model(metric) for key, metric in metrics.items()}
    fits: dict[Hashable, Fit] = {}
    keys: dict[str, Hashable] = {}
    for name, metric in loaded.items():
        needs = metric.needs
        if needs.fitting is not None and needs.fit:
            fit = needs.fitting.start()
            keys[name] = fit.key
            if fit.key not in models:
                fits.setdefault(fit.key, fit)
    if fits:
        count = thread_count(threads)
        for lines in read_references():
            for fit in fits.values():
                fit.add(lines, count)
        models |= {key: fit.model() for key, fit in fits.items()}
    fitted = {name: loaded[name].with_options(model=models[key]) for name, key in keys.items()}
    return loaded | fitted
