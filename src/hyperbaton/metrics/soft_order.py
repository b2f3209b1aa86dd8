"""Order without hard links: the metric ``order``, and a part of metrics."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import read_blocks, source_files, split_column
from hyperbaton.files.lines import file_identity, printable
from hyperbaton.files.model_files import is_model_file
from hyperbaton.metrics.matching import matches
from hyperbaton.metrics.metric import Floats, Metric, TokenMetric, Variant, variant
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import (
    LABEL,
    OFF,
    OWN,
    REFERENCES,
    Booleans,
    Ints,
    Needs,
    Part,
    PartSignature,
)
from hyperbaton.metrics.signature import Provenance
from hyperbaton.registries import similar_names
from hyperbaton.softorder.anchors import Anchors, find_anchors
from hyperbaton.softorder.evidence import has_evidence, least_matched
from hyperbaton.softorder.model_files import load_model, save_model
from hyperbaton.softorder.order import (
    NeighbourJudge,
    SoftLinks,
    order_statistics,
    order_values,
)
from hyperbaton.softorder.precedence import OwnReferences, PrecedenceCounter, PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

SOFT = "soft"  # what the option order of composites calls it
DEFAULT_LINKS = SoftLinks()
BLOCK_LINES = 10_000  # of a corpus that are read at a time


class PrecedenceOption(Option):
    """``precedence``: a word, the label of a model, or the name of a file."""

    def read(self, name: str, given: object) -> Value:
        """Return the word, the label or the name of the file."""
        path = os.fspath(given) if isinstance(given, os.PathLike) else given
        if not isinstance(path, str) or not path:
            kind = type(given).__name__ if path else "an empty name"
            raise InputError(
                f"{name} must be references, own, off or the name of a file, got {kind}"
            )
        try:
            path.encode()
        except UnicodeEncodeError:
            raise InputError(f"{name}: the file name {printable(path)} is not UTF-8") from None
        return path

    @property
    def numeric(self) -> bool:
        """Not a number."""
        return False

    @property
    def domain(self) -> str:
        """The valid values, for people."""
        return "references|own|off|FILE"


class PrecedenceFit:
    """Counts words and pairs of words in references."""

    def __init__(self, text: Tokenization, part: int = 0, parts: int = 1) -> None:
        self._text = text
        self._counter = PrecedenceCounter(text, part, parts)

    @property
    def key(self) -> Hashable:
        """The tokenisation: counts depend on nothing else."""
        return "precedence", self._text

    def add(self, lines: _core.Lines, threads: int) -> None:
        """Count in more lines."""
        self._counter.add(lines, threads)

    def model(self) -> PrecedenceModel:
        """Return the counts."""
        return self._counter.model()


@dataclass(frozen=True, eq=False)
class SoftOrdering(Part):
    """Order without hard links, by itself or beside a part for words.

    With ``precedence=references`` the metric is fitted before it scores: words and pairs of words
    are counted in all references. Two metrics that were fitted on the same lines are equal. With
    ``precedence=own`` they are counted, for each segment, in its references alone.

    Attributes
    ----------
    name : str
        Name of the metric, for error messages.
    precedence : str
        The option of this name.
    tokenization : Tokenization
        How lines become words.
    soft_links : SoftLinks
        The options of soft links.
    model : PrecedenceModel, optional
        Counts of words and pairs of words, if the metric has been fitted.

    Raises
    ------
    InputError
        If the model has other tokens, or is not the one that the options name.
    """

    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "tau": Option(
            DEFAULT_LINKS.tau,
            "how fast a link fades as words become less similar",
            least=0.01,
            most=10,
        ),
        "pi": Option(
            DEFAULT_LINKS.pi,
            "how much similarity a link loses with distance in the sentence",
            most=5,
        ),
        "theta": Option(
            DEFAULT_LINKS.theta,
            "how strong a step must be to count as unbroken",
            least=0.01,
            most=1,
        ),
        "precedence": PrecedenceOption(
            REFERENCES,
            "where pairs of words are counted: in all references, in those of the segment, in a "
            "text file of the target language (or a model of hyperbaton fit), or nowhere",
        ),
    }

    name: str
    precedence: str
    tokenization: Tokenization
    soft_links: SoftLinks
    model: PrecedenceModel | None = None

    def __post_init__(self) -> None:
        if self.model is not None:
            self._check(self.model)

    @classmethod
    def of(cls, metric: Metric) -> Self:
        """Return the order that the options of a metric ask for."""
        links = SoftLinks(*(metric.number_option(key) for key in ("tau", "pi", "theta")))
        precedence = metric.text_option("precedence")
        return cls(metric.name, precedence, metric.tokenization, links, metric.model)

    @property
    def needs(self) -> Needs:
        """A model, perhaps of a file."""
        return Needs(
            fitting=self if self._has_model else None,
            files=(self.precedence,) if self.reads_file else (),
            thread_safe=True,
        )

    @property
    def _has_model(self) -> bool:
        return self.precedence not in (OFF, OWN)

    @property
    def reads_file(self) -> bool:
        """Whether the model is in a file."""
        return self._has_model and not self._counts_references

    @property
    def resolved(self) -> Mapping[str, Value]:
        """Precedence is what was counted, wherever that came from."""
        return {} if self.model is None else {"precedence": self.model.label}

    @property
    def _counts_references(self) -> bool:
        return self.precedence == REFERENCES or LABEL.fullmatch(self.precedence) is not None

    @property
    def key(self) -> Hashable:
        """The options on which the model depends."""
        return self.precedence, self.tokenization

    def start(self, part: int = 0, parts: int = 1) -> PrecedenceFit:
        """Return what counts in references, or in one of several parts of them."""
        return PrecedenceFit(self.tokenization, part, parts)

    def read(self) -> PrecedenceModel | None:
        """Return the model of the file that the options name; None if they name none."""
        if not self.reads_file:
            return None
        model = _read_precedence(self.precedence, self.tokenization)
        try:
            self._check(model)
        except InputError as error:
            raise InputError(f"{printable(self.precedence)}: {error}") from None
        return model

    def without_model(self) -> Mapping[str, Value]:
        """Return the options with which pairs of words are counted in each segment's references.

        Raises
        ------
        InputError
            If the options name what has to be counted.
        """
        if LABEL.fullmatch(self.precedence):
            raise InputError(
                f"{self.name}: pairs of words were counted in {self.precedence}: fit the metric "
                "on these lines first, or give their model"
            )
        return {"precedence": OWN}

    def save(self, path: str) -> None:
        """Write the model to a file, which the option ``precedence`` takes."""
        assert self.model is not None
        save_model(self.model, path)

    def _check(self, model: PrecedenceModel) -> None:
        """Raise an error if the model does not belong to these options."""
        if not isinstance(model, PrecedenceModel):
            kind = type(model).__name__
            raise InputTypeError(f"{self.name}: a model must be a PrecedenceModel, got {kind}")
        if model.text != self.tokenization:
            difference = _text_difference(model.text, self.tokenization)
            raise InputError(f"{self.name}: the model was fitted on other tokens: {difference}")
        model.check_complete()
        if LABEL.fullmatch(self.precedence) and model.label != self.precedence:
            raise InputError(
                f"{self.name}: pairs of words were counted in other lines: {model.label} instead "
                f"of {self.precedence}"
            )

    def pair_statistics(self, batch: Batch) -> Floats:
        """Return X, M and N of each pair."""
        counted_in = self.precedence if self.model is None else self.model.label
        key = "order", self.tokenization, self.soft_links, counted_in
        return batch.memoize(key, self._pair_statistics, batch)

    def values(self, batch: Batch) -> Floats:
        """Return the value of each pair for composites: 0 if a side is empty."""
        lost, matched, _ = self.pair_statistics(batch).T
        hyp, ref = batch.lengths(self.tokenization)
        return np.where((hyp > 0) & (ref > 0), order_values(lost, matched), 0.0)

    def segment_model(self, references: _core.Lines) -> PrecedenceModel | None:
        """Return the counts that a segment with these references is judged by."""
        if self.precedence != OWN:
            return self.model
        counter = PrecedenceCounter(self.tokenization)
        counter.add(references, 1)
        return counter.model()

    def _pair_statistics(self, batch: Batch) -> Floats:
        found = matches(batch, self.tokenization, self.soft_links)
        judge = self._judge(batch)
        if judge is None:
            return order_statistics(found)
        words = batch.word_pairs(self.tokenization)
        return order_statistics(found, judge.values(*words, thread_count(batch.threads)))

    def _judge(self, batch: Batch) -> NeighbourJudge | None:
        """Return what says whether neighbours stand the right way round, if anything does."""
        if self.precedence == OFF:
            return None
        if self.precedence == OWN:
            return OwnReferences(batch.references.utf8, batch.references.starts)
        if self.model is None:
            raise InputError(
                f"{self.name} must be fitted before it scores: call fit with all references, or "
                "use precedence=own"
            )
        return self.model


def _read_precedence(source: str, text: Tokenization) -> PrecedenceModel:
    """Return a saved model, or the counts in a text."""
    identity = []
    for path in source_files(source):
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            words = similar_names(source, (REFERENCES, OWN, OFF))
            hint = (
                f"did you mean {words[0]}?"
                if words
                else "precedence must be references, own, off or a file"
            )
            raise InputError(f"cannot read {printable(path)}: {reason} ({hint})") from None
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise InputError(f"cannot read {printable(path)}: it is {kind}")
        identity.append((path, *file_identity(status)))
    return _read_unchanged_precedence(source, text, tuple(identity))


@functools.lru_cache(4)
def _read_unchanged_precedence(
    source: str, text: Tokenization, identity: tuple[tuple[str | int, ...], ...]
) -> PrecedenceModel:
    """Read a file once for all metrics, as long as it does not change."""
    path, kind, _ = split_column(source)
    if kind == "text" and is_model_file(path):
        return load_model(path)
    counter = PrecedenceCounter(text)
    for block in read_blocks(source, BLOCK_LINES):
        counter.add(as_utf8(block.texts), thread_count(None))
    try:
        return counter.model()
    except InputError as error:
        raise InputError(f"{printable(source)}: {error}") from None


def _text_difference(model: Tokenization, metric: Tokenization) -> str:
    """Return the first difference of two tokenisations in words."""
    differing = (
        f"{key}={printable(str(there))} there, {key}={here} here"
        for key, there in vars(model).items()
        if (here := getattr(metric, key)) != there
    )
    return next(differing)


@dataclass(frozen=True, eq=False)
class EvidenceLimit(Part):
    """The share of matched words below which there is no value.

    Attributes
    ----------
    tokenization : Tokenization
        How lines become words.
    """

    tokenization: Tokenization

    def signature(self, provenance: Provenance) -> PartSignature:
        """Return the limit, which depends on whether tokens are single characters."""
        limit = least_matched(self.tokenization.splits_characters)
        return PartSignature(method=(("least", limit),))


class Order(Metric):
    """Closeness to the order of the reference, without hard links: 1 − ΣX/ΣM.

    M are the words that have a counterpart in the reference, X those of them that have other
    neighbours there, or neighbours the wrong way round by the pairs of words in a text. Of several
    references, the one with the largest M − X counts.

    >>> metric = Order(precedence="own")
    >>> score = metric.sentence_score("the house big is old", ["the big house is old"])
    >>> round(score.value, 4)
    0.336
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {"order": variant("order")}
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        **SoftOrdering.OPTIONS,
        **{key: option for key, option in TokenMetric.OPTIONS.items() if key != "weight"},
    }

    @property
    def needs(self) -> Needs:
        """What the parts need, and the words that the value is told from."""
        parts = Needs.combine(part.needs for part in self.parts)
        return replace(
            parts,
            evidence=lambda batch: self._best_statistics(batch)[:, 1:],
            has_value=self._has_value,
            anchors=self._anchors,
            chosen=self._chosen,
        )

    @cached_property
    def order(self) -> SoftOrdering:
        """The order of the words."""
        return SoftOrdering.of(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words, their order, and how many must be matched."""
        return *super().parts, self.order, EvidenceLimit(self.tokenization)

    def statistics(self, batch: Batch) -> Floats:
        """Return X, M and N of each segment, with the reference that has most words in place."""
        return self._best_statistics(batch)

    def _best_statistics(self, batch: Batch) -> Floats:
        rows: Floats = self.order.pair_statistics(batch)[self._chosen(batch)]
        return rows

    def _chosen(self, batch: Batch) -> Ints:
        pairs = self.order.pair_statistics(batch)
        return batch.best(pairs[:, 1] - pairs[:, 0])

    def _has_value(self, sums: Floats) -> Booleans:
        return has_evidence(sums[..., 1], sums[..., 2], self.tokenization.splits_characters)

    def _anchors(self, batch: Batch) -> Anchors:
        words = batch.words(self.tokenization)
        return find_anchors(*words, batch.references.starts, thread_count(batch.threads))

    def aggregate(self, sums: Floats) -> Floats:
        """Return the share of matched words in place; 1 if none is matched."""
        return order_values(sums[..., 0], sums[..., 1])
