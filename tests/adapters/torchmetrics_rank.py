"""One of two processes that score the example set together. Prints its values as JSON."""

from __future__ import annotations

import json
import sys
import warnings
from datetime import timedelta
from pathlib import Path

import torch
from torchmetrics import MetricCollection

from hyperbaton.adapters.torchmetrics import WordOrder
from hyperbaton.errors import InputError
from waiting import HANGING

METRICS = ("hyper", "pef", "wer", "bleu")
# The segments of the first process; the second has the others.
SHARES = {"both": range(24), "uneven": range(43, 48), "first": range(48), "second": range(0)}
BATCH = 10


def main(rank: int, meeting_point: str, texts: str) -> None:
    hypotheses, references = json.loads(Path(texts).read_text("utf-8"))
    torch.distributed.init_process_group(
        "gloo",
        init_method=f"file://{meeting_point}",
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=HANGING),
    )
    warnings.simplefilter("ignore")
    values: dict[str, dict[str, str]] = {}
    for name, share in SHARES.items():
        own = [k for k in range(len(hypotheses)) if (k in share) == (rank == 0)]
        metrics = MetricCollection({metric: WordOrder(metric, "en") for metric in METRICS})
        for start in range(0, len(own), BATCH):
            batch = own[start : start + BATCH]
            metrics.update([hypotheses[k] for k in batch], [references[k] for k in batch])
        values[name] = {metric: value.item().hex() for metric, value in metrics.compute().items()}

    stepwise = WordOrder("pef", "en", dist_sync_on_step=True)
    half = slice(24 * rank, 24 * rank + 24)
    step_value = stepwise(hypotheses[half], references[half])
    values["stepwise"] = {"step": step_value.item().hex(), "all": stepwise.compute().item().hex()}

    metric = WordOrder("pef", "en")
    try:
        metric.compute()
    except InputError as error:
        print(error, file=sys.stderr)
    metric.update(hypotheses[half], references[half])
    values["after an error"] = {"pef": metric.compute().item().hex()}
    torch.distributed.destroy_process_group()
    print(json.dumps(values))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
