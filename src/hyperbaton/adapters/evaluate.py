"""Hyperbaton's metrics as modules of Hugging Face's ``evaluate``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.inputs import check_lines, check_references
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.registries import unknown_name_message
from hyperbaton.runs.scoring import score
from hyperbaton.threads import thread_count
from hyperbaton.views.catalogue import LICENSE, bibtex_entries

try:
    import datasets
    import evaluate
except ImportError as error:
    raise MissingHost("evaluate", "hyperbaton[evaluate]", error) from None

HOST_OPTIONS = set(inspect.signature(evaluate.EvaluationModule).parameters) - {"kwargs"}
INPUTS = Path(__file__).with_name("evaluate_inputs.txt").read_text("utf-8")


class WordOrder(evaluate.Metric):
    """Metrics of Hyperbaton as one module of ``evaluate``.

    Parameters
    ----------
    metrics : str, Metric, or sequence of them, optional
        As for :func:`hyperbaton.score`; ``"order"`` by default.
    language, parser, wordnet, paraphrases, threads
        As for :func:`hyperbaton.score`.
    **host_options
        Parameters of ``evaluate.EvaluationModule``, such as ``cache_dir`` or ``num_process``.

    Raises
    ------
    InputError, InputTypeError
        If the metrics or the options are invalid.
    """

    default_metrics: ClassVar[str] = "order"  # modules for evaluate.load have their own

    def __init__(
        self,
        metrics: Sequence[str | Metric] | str | Metric | None = None,
        language: str | None = None,
        *,
        parser: str | None = None,
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        threads: int | None = None,
        **host_options: Any,
    ) -> None:
        self.options: dict[str, Any] = {
            "metrics": self.default_metrics if metrics is None else metrics,
            "language": language,
            "parser": parser,
            "wordnet": wordnet,
            "paraphrases": paraphrases,
            "threads": threads,
        }
        for name in host_options:
            if name not in HOST_OPTIONS:
                known = [*self.options, *sorted(HOST_OPTIONS)]
                raise InputTypeError(unknown_name_message("argument", name, known))
        if host_options.get("config_name") is not None:
            raise InputError("there are no configurations: give metrics= and language= by name")
        super().__init__(**host_options)

    def _info(self) -> Any:
        chosen = chosen_metrics(self.options)
        variants = {name: metric.VARIANTS[metric.name] for name, metric in chosen.items()}
        return evaluate.MetricInfo(
            description="\n".join(
                f"{name}: {v.description}. {v.caution}" for name, v in variants.items()
            ),
            # Without signatures, for which dted would need its parser.
            citation=bibtex_entries(chosen.values()),
            inputs_description=INPUTS,
            # Every reference is stored as a list, so that both forms may be mixed.
            features=[
                datasets.Features({"predictions": datasets.Value("string"), "references": kind})
                for kind in (datasets.Sequence(datasets.Value("string")), datasets.Value("string"))
            ],
            license=LICENSE,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **inputs: Any) -> None:
        """Add one segment.

        Parameters
        ----------
        prediction : str
            The translation.
        reference : str or list of str
            The reference, or several.

        Raises
        ------
        InputError, InputTypeError
            If a text is invalid. The segment is not added then.
        """
        # evaluate.combine gives the names of add_batch to add.
        prediction = inputs.pop("predictions", prediction)
        reference = inputs.pop("references", reference)
        (line,), (lines,) = check_batch([prediction], [reference])
        super().add(prediction=line, reference=lines, **inputs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **inputs: Any) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : list of str
            Translations, one for each segment.
        references : list of str or of lists of str
            A reference, or a list of references, for each segment.

        Raises
        ------
        InputError, InputTypeError
            If a text is invalid, or the numbers of segments differ. No segment is added then.
        """
        lines, by_segment = check_batch(predictions, references)
        super().add_batch(predictions=lines, references=by_segment, **inputs)

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Score all segments that were added or are given.

        Parameters
        ----------
        predictions, references : list, optional
            Segments as in :meth:`add_batch`, besides those that were added.
        **options
            Options of :func:`hyperbaton.score` that differ from those of the module.

        Returns
        -------
        dict or None
            The value of each metric (NaN if it is not scored), its signature as
            ``NAME_signature``, and ``segment_count``. If several processes score together, it is
            None except in process 0.

        Raises
        ------
        InputError, InputTypeError
            If there are no segments, or an option or a text is invalid.
        """
        # Checked first, so that invalid options do not lose the segments that were added.
        for name in options:
            if name not in self.options:
                raise InputTypeError(unknown_name_message("argument", name, self.options))
        options = {**self.options, **options}
        chosen_metrics(options)
        if predictions is None and references is None and self.writer is None:
            raise InputError("there are no segments: add them, or give predictions and references")
        return super().compute(predictions=predictions, references=references, **options)

    def _compute(
        self, *, predictions: list[str], references: list[list[str]], **options: Any
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, metric_score in score(predictions, references, **options).items():
            result[name] = float(metric_score)
            result[f"{name}_signature"] = metric_score.signature
        return {**result, "segment_count": len(predictions)}


def chosen_metrics(options: Mapping[str, Any]) -> dict[str, Metric]:
    """Return the metrics that options of :func:`hyperbaton.score` describe."""
    thread_count(options["threads"])
    resources = Resources.from_arguments(
        options["language"], options["wordnet"], options["paraphrases"], options["parser"]
    )
    return metrics_by_spec(options["metrics"], resources)


def check_batch(predictions: object, references: object) -> tuple[list[str], list[list[str]]]:
    """Return translations and the references of each, as lists of strings."""
    lines = check_lines(predictions, "predictions")
    checked = check_references(references, len(lines))
    return list(lines), [list(in_segment) for in_segment in checked.by_segment()]
