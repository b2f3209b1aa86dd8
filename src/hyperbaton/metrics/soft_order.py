"""Soft order: order without hard links, and what metrics with soft order in them share."""

from __future__ import annotations

import copy
import functools
import os
import re
import stat
import warnings
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, ClassVar, Self

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import read_blocks, source_files, split_column
from hyperbaton.files.lines import file_identity, printable
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.input_types import References
from hyperbaton.metrics.metric import (
    CASE,
    FOLD,
    PUNCT,
    TOK,
    WEIGHT,
    Floats,
    Metric,
    TokenMetric,
    Variant,
)
from hyperbaton.metrics.options import Option, Value
from hyperbaton.metrics.resources import StrPath, as_path
from hyperbaton.metrics.signature import Signature
from hyperbaton.softorder.adjacency import SoftLinks, soft_adjacency
from hyperbaton.softorder.model_files import is_model_file, load_model, save_model
from hyperbaton.softorder.precedence import PrecedenceCounter, PrecedenceModel
from hyperbaton.text.names import similar_names
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8
from hyperbaton.threads import thread_count

SOFT_ORDER = "soft_order"
REFERENCES, OFF = "references", "off"
LABEL = re.compile("[0-9]+-[0-9a-f]{12}")  # of a model, as signatures write it
FEW_LINES = 100  # below this number, pairs of words say little
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
SOFT_OPTIONS: Mapping[str, Option] = {
    "tau": Option(
        SOFT_LINKS.tau, "how fast a link fades as words become less similar", least=0.01, most=10
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
TOKEN_OPTIONS: Mapping[str, Option] = {
    "weight": WEIGHT,
    "case": CASE,
    "tok": TOK,
    "fold": FOLD,
    "punct": PUNCT,
}


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


class SoftOrdering(TokenMetric):
    """A metric with soft order in it: soft order itself, or one combined with words.

    With ``precedence=references`` the metric is fitted before it scores: words and pairs of words
    are counted in all references. Two metrics that were fitted on the same lines are equal.
    """

    model: PrecedenceModel | None = None

    @property
    def precedence(self) -> str:
        """The option ``precedence``; off if the metric has no soft order in it."""
        return str(self.options.get("precedence", OFF))

    @property
    def needs_fit(self) -> bool:
        """Whether pairs of words have to be counted in the references."""
        return self.model is None and self._counts_references

    @property
    def files(self) -> tuple[str, ...]:
        """The file of precedence, if it is one."""
        reads_file = self.precedence != OFF and not self._counts_references
        return (self.precedence,) if reads_file else ()

    @property
    def _counts_references(self) -> bool:
        return self.precedence == REFERENCES or LABEL.fullmatch(self.precedence) is not None

    def load(self) -> Self:
        """Return the metric with the model of its file, if precedence is one."""
        if self.model is not None or not self.files:
            return self
        model = _read_precedence(self.precedence, self.tokenization)
        try:
            return self.with_model(model)
        except InputError as error:
            raise InputError(f"{printable(self.precedence)}: {error}") from None

    def start_fit(self, part: int = 0, parts: int = 1) -> PrecedenceFit:
        """Return what counts in references, or in one of several parts of them."""
        return PrecedenceFit(self.tokenization, part, parts)

    def with_model(self, model: PrecedenceModel) -> Self:
        """Return the metric with counts of words and pairs of words.

        Raises
        ------
        InputError
            If the model has other tokens, or is not the one that the options name.
        """
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
        fitted = copy.copy(self)
        fitted.model = model
        return fitted

    def fit(self, references: References, threads: int | None = None) -> Metric:
        """Return the metric fitted on references, whatever it was fitted on before.

        If precedence is a file, that is what counts.
        """
        unfitted = copy.copy(self)
        unfitted.model = None
        fitted = super(SoftOrdering, unfitted).fit(references, threads)
        for text in few_lines_warnings({self.name: str(fitted.signature(None))}):
            warnings.warn(text, stacklevel=2)
        return fitted

    def without_fit(self) -> Metric:
        """Return the metric without precedence, unless it has been fitted.

        Raises
        ------
        InputError
            If the options name what has to be counted.
        """
        if not self.needs_fit:
            return self
        if LABEL.fullmatch(self.precedence):
            raise InputError(
                f"{self.name}: pairs of words were counted in {self.precedence}: fit the metric "
                "on these lines first, or give their model"
            )
        return self.with_options(precedence=OFF)

    def with_options(self, **options: object) -> Metric:
        """Return the same metric with some options changed. It stays fitted if it can."""
        changed = super().with_options(**options)
        fits = isinstance(changed, SoftOrdering) and changed.precedence == self.precedence
        if self.model is None or not fits or changed.tokenization != self.tokenization:
            return changed
        return changed.with_model(self.model)

    def save(self, path: StrPath) -> None:
        """Write the model of a fitted metric to a file.

        The option ``precedence`` takes the file, so that a value can be reproduced on one segment.

        Raises
        ------
        InputError
            If the metric has not been fitted.
        """
        name = as_path(path, "path")
        if self.model is None or name is None:
            super().save(path)
        else:
            save_model(self.model, name)

    def coverage(self, batch: Batch) -> Floats | None:
        """Return the words that both sides have, and all words of each segment."""
        key = "shared words", self.tokenization
        return batch.memoize(key, lambda: batch.count_shared(self.tokenization))

    @property
    def soft_links(self) -> SoftLinks:
        """The options of soft links."""
        return SoftLinks(*(self.number_option(key) for key in ("tau", "pi", "theta")))

    def soft_order(self, batch: Batch) -> Floats:
        """Return soft order of each pair."""
        label = None if self.model is None else self.model.label
        key = SOFT_ORDER, self.tokenization, self.soft_links, label
        return batch.memoize(key, lambda: self._soft_order(batch))

    def _soft_order(self, batch: Batch) -> Floats:
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

    @property
    def _resolved_options(self) -> Mapping[str, Value | None]:
        """The options. Precedence is what was counted, wherever that came from."""
        if self.model is None:
            return self.options
        return {**self.options, "precedence": self.model.label}

    def __reduce__(self) -> tuple[object, ...]:
        made = super().__reduce__()
        return made if self.model is None else (_restore, (made, self.model))


def _restore(made: tuple[Any, tuple[object, ...]], model: PrecedenceModel) -> Metric:
    make, arguments = made
    metric: SoftOrdering = make(*arguments)
    return metric.with_model(model)


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


def few_lines_warnings(signatures: Mapping[str, str]) -> Iterator[str]:
    """Yield a warning if pairs of words were counted in few lines, from signatures by metric."""
    counted: dict[int, list[str]] = {}
    for name, signature in signatures.items():
        label = dict(Signature.parse(signature)).get("precedence", "")
        if LABEL.fullmatch(label):
            counted.setdefault(int(label.partition("-")[0]), []).append(name)
    for lines, names in counted.items():
        if lines < FEW_LINES:
            yield (
                f"{', '.join(names)}: pairs of words were counted in only "
                f"{count_noun(lines, 'line')}, and below {FEW_LINES} they say little: use "
                "precedence=off, or count in a larger text, precedence=FILE"
            )


class SoftOrder(SoftOrdering):
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
    OPTIONS: ClassVar[Mapping[str, Option]] = {**SOFT_OPTIONS, **TOKEN_OPTIONS}

    def statistics(self, batch: Batch) -> Floats:
        """Return the best value over references, and its weight."""
        return self.best_statistics(batch, self.soft_order(batch))
