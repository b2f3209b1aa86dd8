"""WordOrderCallback logs what ``hb.score`` returns, in one process and in two."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example

pytest.importorskip("torch")
pytest.importorskip("lightning")

from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint

from adapters import lightning_run
from adapters.lightning_run import Translator, indexes
from hyperbaton.adapters.lightning import WordOrderCallback
from hyperbaton.adapters.torchmetrics import WordOrder
from waiting import HANGING

METRICS = ["hyper", "pef", "full:alpha=0.25"]
pytestmark = [  # warnings of Lightning itself
    pytest.mark.filterwarnings("ignore:.*LeafSpec"),
    pytest.mark.filterwarnings("ignore:.*does not have many workers"),
    pytest.mark.filterwarnings("ignore:The number of training batches"),
    pytest.mark.filterwarnings("ignore:.*litlogger"),
]


def expected(example: Example, prefix: str, suffix: str = "") -> dict[str, float]:
    result = hb.score(example.hypotheses, example.references, METRICS, "en")
    return {f"{prefix}_{name}{suffix}": float(score) for name, score in result.items()}


def logged(trainer: Any) -> dict[str, float]:
    return {name: value.item() for name, value in trainer.callback_metrics.items()}


def test_a_metric_that_is_not_scored_is_nan(example: Example, tmp_path: Path) -> None:
    """Lightning stops at it unless it is told not to, and keeps no checkpoint for it."""
    junk = ["xyzzy qwert plugh"] * len(example.references)
    for check_finite, epochs in ((True, 1), (False, 3)):
        callbacks = [
            WordOrderCallback("order"),
            EarlyStopping("val_order", mode="max", check_finite=check_finite),
        ]
        trainer = lightning_run.trainer(tmp_path, callbacks, max_epochs=3)
        trainer.fit(Translator(junk, example.references), indexes(range(4)), indexes(range(48)))
        assert math.isnan(logged(trainer)["val_order"])
        assert trainer.current_epoch == epochs


def test_training(example: Example, tmp_path: Path) -> None:
    """Every epoch starts without segments, and other callbacks can monitor the values."""
    callbacks = [
        WordOrderCallback(METRICS, "en"),
        EarlyStopping("val_hyper", mode="max", patience=2),
        ModelCheckpoint(tmp_path, monitor="val_pef", mode="max"),
    ]
    trainer = lightning_run.trainer(tmp_path, callbacks, max_epochs=9)
    model = Translator(example.hypotheses, example.references)
    trainer.fit(model, indexes(range(4)), indexes(range(48)))
    values = expected(example, "val")
    assert logged(trainer) == values
    assert trainer.current_epoch == 3  # the second and third epoch were no better
    assert callbacks[2].best_model_score == values["val_pef"]


def test_several_dataloaders_and_other_keys(example: Example, tmp_path: Path) -> None:
    callback = WordOrderCallback(METRICS, "en", predictions="mt", references="ref")
    trainer = lightning_run.trainer(tmp_path, [callback])
    model = Translator(example.hypotheses, example.references)
    trainer.test(model, [indexes(range(48)), indexes(range(5))], verbose=False)
    few = Example(example.hypotheses[:5], example.references[:5])
    assert logged(trainer) == {
        **expected(example, "test", "/dataloader_idx_0"),
        **expected(few, "test", "/dataloader_idx_1"),
    }


class LossTranslator(Translator):
    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        return self.training_step(batch, batch_idx)


class UnequalTranslator(Translator):
    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        return {"predictions": ["a", "b"], "references": ["a"]}


@pytest.mark.parametrize(
    ("model_class", "message"),
    [
        (LossTranslator, "validation_step must return a dictionary with .* 'predictions'"),
        (UnequalTranslator, "2 hypotheses, but references for 1 segment"),
    ],
)
def test_sanity_check_finds_bad_output(
    model_class: type[Translator], message: str, example: Example, tmp_path: Path
) -> None:
    trainer = lightning_run.trainer(tmp_path, [WordOrderCallback()], max_steps=0)
    model = model_class(example.hypotheses, example.references)
    with pytest.raises(ValueError, match=message):
        trainer.fit(model, indexes(range(4)), indexes(range(4)))


def test_unknown_metric() -> None:
    with pytest.raises(ValueError, match="pef"):
        WordOrderCallback("pfe")


class LoggingTranslator(Translator):
    """Logs the metric itself, without the callback."""

    def __init__(self, example: Example) -> None:
        super().__init__(example.hypotheses, example.references)
        self.word_order = WordOrder("pef", "en")

    def validation_step(self, batch: Any, batch_idx: int, dataloader_idx: int = 0) -> Any:
        outputs = super().validation_step(batch, batch_idx)
        self.word_order(outputs["predictions"], outputs["references"])
        self.log("val_pef", self.word_order, on_epoch=True, batch_size=len(batch))


def test_metric_without_callback(example: Example, tmp_path: Path) -> None:
    trainer = lightning_run.trainer(tmp_path, [])
    trainer.validate(LoggingTranslator(example), indexes(range(48)), verbose=False)
    assert logged(trainer)["val_pef"] == expected(example, "val")["val_pef"]


def test_two_processes(example: Example, tmp_path: Path) -> None:
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps([example.hypotheses, example.references]), "utf-8")
    command = [sys.executable, lightning_run.__file__, str(tmp_path), str(texts)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=HANGING, check=False)
    assert run.returncode == 0, run.stderr
    values = expected(example, "val")
    for rank in range(2):
        assert json.loads((tmp_path / f"rank-{rank}.json").read_text("utf-8")) == {
            name: values[name] for name in ("val_hyper", "val_pef")
        }
