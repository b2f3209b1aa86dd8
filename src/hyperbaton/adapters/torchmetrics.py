"""Word order as a metric of torchmetrics.

The state holds the texts of all segments, not sums of their statistics, because fitted metrics
(``hyper``, ``order``) have to see all references before they score the first segment. The
texts are bytes in tensors of type uint8: torchmetrics gathers them from all processes like any
other state, and no conversion to another floating-point type changes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hyperbaton.adapters.hosts import MissingHost
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.inputs import check_lines, check_references
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import make_metric
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.results import Score
from hyperbaton.runs.run import ListCorpus, Run
from hyperbaton.threads import thread_count

try:
    import torch
    import torchmetrics
except ImportError as error:
    raise MissingHost("torchmetrics", "hyperbaton[torchmetrics]", error) from None

Targets = str | Sequence[str | Sequence[str]]


class WordOrder(torchmetrics.Metric):
    """A metric of Hyperbaton for torchmetrics.

    ``compute`` returns the number that :func:`hyperbaton.score` returns for all segments together,
    in one process or in several.

    Parameters
    ----------
    metric : str or Metric
        Name of a metric, with options or without, or an object of ``hb.metrics.get``.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``, for a metric given by name; it selects the
        stemmer and the tokeniser.
    parser, wordnet, paraphrases, threads
        As for :func:`hyperbaton.score`.
    **kwargs
        Arguments of :class:`torchmetrics.Metric`, such as ``sync_on_compute``.

    Attributes
    ----------
    metric : Metric
        The metric of Hyperbaton.
    signature : str, optional
        The signature of the value that ``compute`` returned last; None before, and after ``reset``.

    Raises
    ------
    InputError, InputTypeError
        If there is no such metric.

    Examples
    --------
    >>> metric = WordOrder("wer")
    >>> metric.update(["the dog saw the cat"], ["the cat saw the dog"])
    >>> metric.update(["a red house"], [["a red house", "a house that is red"]])
    >>> metric.compute()
    tensor(0.2222, dtype=torch.float64)
    """

    is_differentiable = False
    full_state_update = False

    segment_texts: list[torch.Tensor] | torch.Tensor

    def __init__(
        self,
        metric: str | Metric = "order",
        language: str | None = None,
        *,
        parser: str | None = None,
        wordnet: StrPath | None = None,
        paraphrases: StrPath | None = None,
        threads: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
        self.metric = metric if isinstance(metric, Metric) else make_metric(metric, resources)
        self.threads = threads
        self.signature: str | None = None
        self.add_state("segment_texts", default=[], dist_reduce_fx="cat")
        thread_count(threads)
        if self.metric.needs.trees:  # a missing parser is found before an epoch is translated
            self._score([torch.frombuffer(encode_segments("a", "a"), dtype=torch.uint8)])

    @property
    def higher_is_better(self) -> bool:
        """Whether higher values are better; False for error rates."""
        return self.metric.higher_is_better

    @property
    def plot_lower_bound(self) -> float:
        """The lowest possible value."""
        return self.metric.range[0]

    @property
    def plot_upper_bound(self) -> float | None:
        """The highest possible value; None for error rates, which have none."""
        upper = self.metric.range[1]
        return upper if upper < float("inf") else None

    @property
    def plot_legend_name(self) -> str:
        """The metric as a user would write it."""
        return self.metric.spec

    @property
    def dtype(self) -> torch.dtype:
        """The type of the texts. Processes without segments must send theirs in the same type."""
        return torch.uint8

    def set_dtype(self, dst_type: str | torch.dtype) -> WordOrder:
        """Return the metric unchanged: texts have no other type."""
        return self

    def _apply(self, fn: Callable[[torch.Tensor], torch.Tensor], *args: Any) -> WordOrder:
        # A stored value would lose digits with a change of type, and some devices have no float64.
        self._computed = self._forward_cache = None
        moved: WordOrder = super()._apply(fn, *args)
        return moved

    def update(self, preds: str | Sequence[str], target: Targets) -> None:
        """Add segments.

        Parameters
        ----------
        preds : str or sequence of str
            Translations, one for each segment. A string is one segment.
        target : str, or sequence of str or of sequences of str
            A reference, or a sequence of references, for each segment. If ``preds`` is a string, a
            sequence of strings has its references.

        Raises
        ------
        InputError, InputTypeError
            If the input is invalid. No segment is added then.
        """
        added = torch.frombuffer(encode_segments(preds, target), dtype=torch.uint8)
        # A new list, because metrics of a compute group share theirs, and `forward` updates each.
        self.segment_texts = [*self._blocks(), added.to(self.device)]

    def compute(self) -> torch.Tensor:
        """Return the value of all segments, of all processes if there are several.

        Returns
        -------
        Tensor
            A float64 number; NaN if the metric says nothing of so few words in common.

        Raises
        ------
        InputError
            If there are no segments.
        """
        try:
            score = self._score(self._blocks())
        except Exception:
            if self._is_synced:  # torchmetrics restores the state only if there is no error
                self.unsync()
            raise
        self.signature = score.signature
        return self._as_tensor(float(score))

    def forward(self, preds: str | Sequence[str], target: Targets) -> torch.Tensor:
        """Add segments, and return the value of these segments alone.

        A fitted metric is fitted on the batch.

        Parameters
        ----------
        preds, target
            See :meth:`update`.

        Returns
        -------
        Tensor
            A float64 number.

        Raises
        ------
        InputError, InputTypeError
            If the input is invalid. No segment is added then.
        """
        if self.dist_sync_on_step or self._is_synced:
            return super().forward(preds, target)
        self.update(preds, target)
        self._forward_cache = self._as_tensor(float(self._score(self._blocks()[-1:])))
        return self._forward_cache

    def reset(self) -> None:
        """Forget all segments."""
        super().reset()
        self.signature = None

    def merge_state(self, incoming_state: Any) -> None:
        """Add the segments of another metric.

        Parameters
        ----------
        incoming_state : WordOrder or dict
            The other metric, or its state.
        """
        super().merge_state(incoming_state)
        self._computed = None  # torchmetrics keeps the value from before

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._computed = None

    def __repr__(self) -> str:
        return f"WordOrder({self.metric.spec!r})"

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot one value or several with matplotlib; by default that of ``compute``.

        Parameters
        ----------
        val : Tensor or sequence of Tensor, optional
            Values of ``compute`` or ``forward``.
        ax : matplotlib axes, optional
            Where to plot.

        Returns
        -------
        tuple
            The figure and its axes.
        """
        return self._plot(val, ax)

    def _blocks(self) -> list[torch.Tensor]:
        # The state is a single tensor after it was gathered from several processes.
        state = self.segment_texts
        return [state] if isinstance(state, torch.Tensor) else state

    def _score(self, blocks: list[torch.Tensor]) -> Score:
        segments = [segment for block in blocks for segment in decode_segments(block)]
        hypotheses = [hypothesis for hypothesis, _ in segments]
        references = [references for _, references in segments]
        run = Run({self.metric.spec: self.metric}, threads=self.threads)
        (result,) = score_corpus(ListCorpus({"preds": hypotheses}, references), run)
        return result[self.metric.spec]

    def _as_tensor(self, value: float) -> torch.Tensor:
        device = torch.device("cpu") if self.device.type == "mps" else self.device
        return torch.tensor(value, dtype=torch.float64, device=device)  # MPS has no float64


def encode_segments(preds: str | Sequence[str], target: Targets) -> bytearray:
    """Return segments as lines of JSON: a translation and its references.

    Raises
    ------
    InputError, InputTypeError
        If the input is invalid.
    """
    lines: object = preds
    references: object = target
    if isinstance(preds, str):
        lines = [preds]
        if isinstance(target, Sequence) and all(isinstance(line, str) for line in target):
            references = [target]  # the reference, or all references, of the segment
    hypotheses = check_lines(lines, "preds")
    checked = check_references(references, len(hypotheses))
    segments = zip(hypotheses, checked.by_segment(), strict=True)
    return bytearray().join(
        json.dumps([hypothesis, list(given)], ensure_ascii=False).encode() + b"\n"
        for hypothesis, given in segments
    )


def decode_segments(block: torch.Tensor) -> list[tuple[str, list[str]]]:
    """Return the segments of :func:`encode_segments`."""
    lines = block.cpu().numpy().tobytes().split(b"\n")[:-1]
    return [tuple(json.loads(line)) for line in lines]
