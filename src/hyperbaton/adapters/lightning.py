"""A callback of Lightning that scores the word order of validation and test translations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hyperbaton.adapters.hosts import Metrics, MissingHost, named_metrics
from hyperbaton.errors import InputError

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    try:
        from pytorch_lightning.callbacks import Callback
    except ImportError as error:
        raise MissingHost("lightning", "hyperbaton[lightning]", error) from None

from hyperbaton.adapters.torchmetrics import WordOrder


class WordOrderCallback(Callback):
    """Score all translations of a validation or test epoch, and log the values.

    ``validation_step`` and ``test_step`` return a dictionary with the translations and the
    references of the batch, as :meth:`WordOrder.update` takes them. The values are logged as
    ``val_hyper`` or ``test_hyper``, so that ``EarlyStopping`` and ``ModelCheckpoint`` can monitor
    them. With several dataloaders, the names end in ``/dataloader_idx_0`` and so on. The values
    are those of :func:`hyperbaton.score` for the segments of all processes; NaN stands for one that
    is not scored.

    The sanity check before training checks what the steps return, but logs nothing.

    Parameters
    ----------
    metrics : str, Metric, or sequence or mapping of them
        The metrics, as :func:`hyperbaton.score` takes them; or names of your own with a metric
        for each: ``{"order": "pef:bp=off"}`` is logged as ``val_order``.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"``.
    predictions, references : str
        Keys of the translations and the references in what the steps return.

    Raises
    ------
    InputError, InputTypeError
        If a metric is invalid, or later if a step does not return the texts of a batch.
    """

    def __init__(
        self,
        metrics: Metrics = "order",
        language: str | None = None,
        *,
        predictions: str = "predictions",
        references: str = "references",
    ) -> None:
        super().__init__()
        self.metrics = named_metrics(metrics, language)
        self.predictions = predictions
        self.references = references
        self._loaders: list[dict[str, WordOrder]] = []  # metrics for each dataloader

    def on_validation_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Start without segments."""
        self._start(len(trainer.num_val_batches), pl_module)

    def on_test_epoch_start(self, trainer: Any, pl_module: Any) -> None:
        """Start without segments."""
        self._start(len(trainer.num_test_batches), pl_module)

    def on_validation_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Add the segments of a batch."""
        self._add("validation_step", outputs, dataloader_idx)

    def on_test_batch_end(
        self,
        trainer: Any,
        pl_module: Any,
        outputs: Any,
        batch: Any,
        batch_idx: int,
        dataloader_idx: int = 0,
    ) -> None:
        """Add the segments of a batch."""
        self._add("test_step", outputs, dataloader_idx)

    def on_validation_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Log the values."""
        if not trainer.sanity_checking:
            self._log("val", pl_module)

    def on_test_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Log the values."""
        self._log("test", pl_module)

    def _start(self, loaders: int, pl_module: Any) -> None:
        # Every process has metrics for every dataloader, because all take part in a computation,
        # also those without a batch.
        self._loaders = [
            {name: WordOrder(metric).to(pl_module.device) for name, metric in self.metrics.items()}
            for _ in range(loaders)
        ]

    def _add(self, step: str, outputs: Any, loader: int) -> None:
        keys = (self.predictions, self.references)
        if not (isinstance(outputs, Mapping) and all(key in outputs for key in keys)):
            raise InputError(
                f"{step} must return a dictionary with the texts of the batch, "
                f"{keys[0]!r} and {keys[1]!r}"
            )
        for metric in self._loaders[loader].values():
            metric.update(*(outputs[key] for key in keys))

    def _log(self, stage: str, pl_module: Any) -> None:
        for index, metrics in enumerate(self._loaders):
            suffix = f"/dataloader_idx_{index}" if len(self._loaders) > 1 else ""
            for name, metric in metrics.items():
                key = f"{stage}_{name}{suffix}"
                try:
                    value = metric.compute()
                except InputError as error:
                    raise InputError(f"{key}: {error}") from None
                # All processes have the same value, and a maximum keeps it to the last bit.
                pl_module.log(key, value, reduce_fx="max", sync_dist=True, add_dataloader_idx=False)
