"""Trains a tiny model that gives the translations of the example set.

As a script, it validates with two processes, which have 43 and 5 segments, and each writes its
values to a file.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import Checkpoint
from torch.utils.data import DataLoader

from hyperbaton.adapters.lightning import WordOrderCallback


class Translator(LightningModule):
    """A batch holds the indexes of segments."""

    def __init__(self, hypotheses: Sequence[str], references: Sequence[str]) -> None:
        super().__init__()
        self.hypotheses = hypotheses
        self.references = references
        self.layer = torch.nn.Linear(1, 1)

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.layer(batch.float().view(-1, 1)).sum()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.01)

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        return {
            "predictions": [self.hypotheses[k] for k in batch.tolist()],
            "references": [self.references[k] for k in batch.tolist()],
        }

    def test_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        outputs = self.validation_step(batch, batch_idx)
        return {"mt": outputs["predictions"], "ref": outputs["references"]}


class UnevenTranslator(Translator):
    def val_dataloader(self) -> Any:
        return indexes(range(43) if self.trainer.global_rank == 0 else range(43, 48))


def indexes(segments: Sequence[int]) -> Any:
    return DataLoader(torch.tensor(segments), batch_size=7)


def trainer(folder: Path, callbacks: list[Any], **arguments: Any) -> Any:
    return Trainer(
        accelerator="cpu",
        default_root_dir=folder,
        logger=False,
        enable_checkpointing=any(isinstance(callback, Checkpoint) for callback in callbacks),
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=callbacks,
        **arguments,
    )


def main(folder: Path, texts: Path) -> None:
    warnings.simplefilter("ignore")
    two_processes = trainer(
        folder,
        [WordOrderCallback(["hyper", "pef"], "en")],
        devices=2,
        strategy="ddp",
        max_epochs=1,
        use_distributed_sampler=False,
    )
    hypotheses, references = json.loads(texts.read_text("utf-8"))
    two_processes.fit(UnevenTranslator(hypotheses, references), indexes(range(4)))
    values = {name: value.item() for name, value in two_processes.callback_metrics.items()}
    (folder / f"rank-{two_processes.global_rank}.json").write_text(json.dumps(values), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
