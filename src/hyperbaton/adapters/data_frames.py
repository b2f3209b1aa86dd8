"""Scores of the rows of data frames, and what the accessors of pandas and Polars have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.registries import unknown_name_message
from hyperbaton.runs.tables.columns import check_column_name, import_pyarrow
from hyperbaton.runs.tables.scorer import LINKED, MATCHED, TableScorer

if TYPE_CHECKING:
    import pyarrow

COLUMN_OPTIONS = ("source", "alignments", "reference_alignments", "trees", "reference_trees")
RESOURCE_OPTIONS = ("wordnet", "paraphrases", "parser")
OPTIONS = (*COLUMN_OPTIONS, *RESOURCE_OPTIONS, LINKED, MATCHED, "on_error", "threads")
ARGUMENTS = ("hypothesis", "reference", "metrics", "language", "prefix", *OPTIONS)
Frame = TypeVar("Frame")


@dataclass(frozen=True)
class FrameScoring:
    """Which columns of a data frame to score, and how.

    Attributes
    ----------
    hypothesis : str
        Column of translations.
    reference : str or sequence of str
        Column of references, of strings or of lists of strings; or several columns of strings.
    metrics, language
        As for :func:`hyperbaton.score`.
    prefix : str
        What the names of the new columns start with.
    options : mapping
        Other options of :class:`hyperbaton.TableScorer`.
    """

    hypothesis: str
    reference: str | Sequence[str]
    metrics: Sequence[str | Metric] | str | Metric
    language: str | None
    prefix: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.options:
            if name not in OPTIONS:
                raise InputTypeError(unknown_name_message("argument", name, ARGUMENTS))
        if not isinstance(self.prefix, str):
            raise InputTypeError(f"prefix must be a string, got {type(self.prefix).__name__}")
        for name in self._given_columns:
            check_column_name(name)
        replaced = set(self.score_columns) & set(self.text_columns)
        if replaced:
            raise InputError(
                f"the scores would overwrite the input column {min(replaced)!r}: give a prefix"
            )

    @property
    def text_columns(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys(self._given_columns))

    @property
    def _given_columns(self) -> list[str]:
        is_list = isinstance(self.reference, (list, tuple))
        references = list(self.reference) if is_list else [self.reference]
        optional = [self.options.get(name) for name in COLUMN_OPTIONS]
        return [self.hypothesis, *references, *(name for name in optional if name is not None)]

    @property
    def score_columns(self) -> list[str]:
        """The columns that are added."""
        resources = {name: self.options.get(name) for name in RESOURCE_OPTIONS}
        named = metrics_by_spec(self.metrics, Resources.from_arguments(self.language, **resources))
        shares = (name for name in (LINKED, MATCHED) if self.options.get(name))
        return [self.prefix + name for name in (*named, *shares)]

    def score(self, table: pyarrow.Table) -> pyarrow.Table:
        """Return the new columns for the rows of a table.

        Metrics that are fitted are fitted on all of its references.
        """
        if not table.num_rows:  # metrics cannot be fitted on nothing
            arrow = import_pyarrow()
            empty = arrow.array([], arrow.float64())
            return arrow.table(dict.fromkeys(self.score_columns, empty))
        scorer = TableScorer(
            self.metrics,
            self.language,
            hypothesis=self.hypothesis,
            reference=self.reference,
            fit_on=table,
            **{"threads": None, **self.options},
        )
        return scorer(table).rename_columns(self.score_columns)


class FrameAccessor(ABC, Generic[Frame]):
    """What ``frame.hyperbaton`` gives: word order of the rows of a data frame."""

    MISSING_COLUMN: ClassVar[type[InputError]]  # an error of the host, too

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def score(
        self,
        hypothesis: str,
        reference: str | Sequence[str],
        metrics: Sequence[str | Metric] | str | Metric = "default",
        language: str | None = None,
        *,
        prefix: str = "",
        **options: Any,
    ) -> Frame:
        """Return the data frame with a column of scores for each metric.

        A column of the same name is replaced. Metrics that are fitted, such as ``hyper``, are
        fitted on the references of all rows. A lazy frame is scored as a whole when it is
        collected; ``TableScorer.polars`` scores it in batches.

        Parameters
        ----------
        hypothesis : str
            Column of translations.
        reference : str or sequence of str
            Column of references, of strings or of lists of strings; or several columns of strings.
        metrics, language
            As for :func:`hyperbaton.score`.
        prefix : str
            What the names of the new columns start with, to tell systems apart.
        **options
            ``linked`` and ``matched`` (columns with the share of words that have a link, and of
            those that have a counterpart in the reference), ``on_error`` (``"null"`` leaves rows
            that cannot be scored without scores), ``source``,
            ``alignments``, ``reference_alignments``, ``trees``, ``reference_trees`` (columns),
            ``wordnet``, ``paraphrases``, ``parser`` and ``threads`` (by default all cores), as for
            :class:`hyperbaton.TableScorer`.

        Returns
        -------
        data frame
            Of the same kind as the given one, which is left as it is.

        Raises
        ------
        KeyError, polars.exceptions.ColumnNotFoundError
            If a column is missing; which of both depends on the host.
        InputError, InputTypeError
            If a row cannot be scored. The message names the row, counted from 1.
        """
        scoring = FrameScoring(hypothesis, reference, metrics, language, prefix, options)
        known = [name for name in self._column_names() if isinstance(name, str)]
        for name in scoring.text_columns:
            if name not in known:
                raise self.MISSING_COLUMN(unknown_name_message("column", name, known))
        return self._add_scores(scoring)

    @abstractmethod
    def _column_names(self) -> Iterable[Any]: ...

    @abstractmethod
    def _add_scores(self, scoring: FrameScoring) -> Frame: ...
