"""Soft order: order without hard links, as a metric and as a part of metrics."""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import read_blocks, source_files, split_column
from hyperbaton.files.lines import file_identity, printable
from hyperbaton.files.model_files import is_model_file
from hyperbaton.metrics.fitting import LABEL, OFF, REFERENCES
from hyperbaton.metrics.metric import Floats, Metric, TokenMetric, Variant
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.parts import Needs, Part
from hyperbaton.registries import similar_names
from hyperbaton.softorder.adjacency import SoftLinks, soft_adjacency
from hyperbaton.softorder.model_files import load_model, save_model
from hyperbaton.softorder.precedence import PrecedenceCounter, PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.metrics.batches import Batch

SOFT_ORDER = "soft_order"
BLOCK_LINES = 10_000  # of a corpus that are read at a time


class PrecedenceOption(Option):
    """``precedence``: a word, the label of a model, or the name of a file."""

    def read(self, name: str, given: object) -> Value:
        """Return the word, the label or the name of the file."""
        path = os.fspath(given) if isinstance(given, os.PathLike) else given
        if not isinstance(path, str) or not path:
            kind = type(given).__name__ if path else "an empty name"
            raise InputError(f"{name} must be references, off or the name of a file, got {kind}")
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
        return "references|off|FILE"


SOFT_LINKS = SoftLinks()


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
    """Soft order, by itself or beside a part for words.

    With ``precedence=references`` the metric is fitted before it scores: words and pairs of words
    are counted in all references. Two metrics that were fitted on the same lines are equal.

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
            SOFT_LINKS.tau,
            "how fast a link fades as words become less similar",
            least=0.01,
            most=10,
        ),
        "pi": Option(
            SOFT_LINKS.pi, "how much similarity a link loses with distance in the sentence", most=5
        ),
        "theta": Option(
            SOFT_LINKS.theta, "how strong a step must be to count as unbroken", least=0.01, most=1
        ),
        "precedence": PrecedenceOption(
            REFERENCES,
            "where pairs of words are counted: in the references, in a text file of the target "
            "language (or a model of hyperbaton fit), or nowhere",
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
        """Return the soft order that the options of a metric ask for."""
        links = SoftLinks(*(metric.number_option(key) for key in ("tau", "pi", "theta")))
        precedence = metric.text_option("precedence")
        return cls(metric.name, precedence, metric.tokenization, links, metric.model)

    @property
    def needs(self) -> Needs:
        """A model, perhaps of a file."""
        reads_file = self.precedence != OFF and not self._counts_references
        return Needs(
            coverage=self.coverage,
            fitting=None if self.precedence == OFF else self,
            files=(self.precedence,) if reads_file else (),
            thread_safe=True,
        )

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
        if not self.needs.files:
            return None
        model = _read_precedence(self.precedence, self.tokenization)
        try:
            self._check(model)
        except InputError as error:
            raise InputError(f"{printable(self.precedence)}: {error}") from None
        return model

    def without_model(self) -> Mapping[str, Value]:
        """Return the options without precedence.

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
        return {"precedence": OFF}

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

    def coverage(self, batch: Batch) -> Floats:
        """Return the words that both sides have, and all words of each segment."""
        key = "shared words", self.tokenization
        return batch.memoize(key, lambda: batch.count_shared(self.tokenization))

    def values(self, batch: Batch) -> Floats:
        """Return soft order of each pair."""
        label = None if self.model is None else self.model.label
        key = SOFT_ORDER, self.tokenization, self.soft_links, label
        return batch.memoize(key, lambda: self._values(batch))

    def _values(self, batch: Batch) -> Floats:
        if self.model is None and self.precedence != OFF:
            raise InputError(
                f"{self.name} must be fitted before it scores: call fit with all references, or "
                "use precedence=off"
            )
        threads = thread_count(batch.threads)
        hyps, refs = batch.word_pairs(self.tokenization)
        with batch.locate_pairs():
            adjacency = batch.memoize(
                ("soft adjacency", self.tokenization, self.soft_links),
                lambda: soft_adjacency(hyps, refs, self.soft_links, threads),
            )
        if self.model is None:
            return adjacency
        return adjacency * self.model.values(hyps, refs, threads)


def _read_precedence(source: str, text: Tokenization) -> PrecedenceModel:
    """Return a saved model, or the counts in a text."""
    identity = []
    for path in source_files(source):
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            words = similar_names(source, (REFERENCES, OFF))
            hint = (
                f"did you mean {words[0]}?"
                if words
                else "precedence must be references, off or a file"
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


class SoftOrder(TokenMetric):
    """Order without hard links: soft adjacency × precedence.

    Soft adjacency compares every word with every other and asks how far neighbours stay
    neighbours, on both sides. Precedence asks whether neighbours stand the right way round, by the
    pairs of words in the references, or in another text of the language.

    >>> metric = SoftOrder(precedence="off")
    >>> round(metric.sentence_score("the saw dog it", ["the dog saw it"]).value, 4)
    0.4007
    """

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        SOFT_ORDER: Variant(
            "whether neighbours stay neighbours and are in the right order, without hard links",
            "ours",
            "It sees swapped words best, also where no word is linked, but it still reacts to "
            "removed and added words. It is no metric of quality: where two texts have few words "
            "in common, it says little and may be high. Precedence needs 100 references or more "
            "and says nothing about single characters: use precedence=off there. Where the "
            "reference is a minimal correction of the text, kendall and ulam are better.",
            example="precedence=off",
        )
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {**SoftOrdering.OPTIONS, **TokenMetric.OPTIONS}

    @cached_property
    def order(self) -> SoftOrdering:
        """The order of the words."""
        return SoftOrdering.of(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The words and their order."""
        return *super().parts, self.order

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        return self.best_statistics(batch, self.order.values(batch))
