"""lm-evaluation-harness: the task files of the documentation, run with given translations."""

from __future__ import annotations

import importlib
import json
import math
import re
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example, read_lines
from hyperbaton.adapters.hosts import MissingHost

pytest.importorskip("lm_eval")

from lm_eval.api import registry
from lm_eval.api.model import LM
from lm_eval.evaluator import evaluate, simple_evaluate
from lm_eval.tasks import TaskManager

from hyperbaton.adapters import lm_eval as adapter
from waiting import HANGING

PAGE = Path(__file__).parents[2] / "docs" / "adapters" / "lm-evaluation-harness.md"
TASK, REFERENCES_TASK = re.findall(r"^```yaml\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
_, UTILS, VARIANTS = re.findall(r"^```text\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)


class GivenTranslations(LM):
    """A model that knows a translation of each source sentence."""

    def __init__(self, translations: dict[str, str]) -> None:
        super().__init__()
        self.translations = translations

    def generate_until(self, requests: Sequence[Any]) -> list[str]:
        prompts = (request.args[0] for request in requests)
        sources = (re.fullmatch("Translate into English: (.*)\nEnglish:", p) for p in prompts)
        return [self.translations[source[1]] for source in sources if source]

    def loglikelihood(self, requests: Sequence[Any]) -> list[Any]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: Sequence[Any]) -> list[Any]:
        raise NotImplementedError


def test_a_metric_that_is_not_scored_is_nan(example: Example) -> None:
    items = [adapter.order([line], ["xyzzy qwert plugh"]) for line in example.references]
    assert math.isnan(registry.get_aggregation("order")(items))


@pytest.fixture
def model(example: Example) -> GivenTranslations:
    return GivenTranslations(dict(zip(read_lines("source"), example.hypotheses, strict=True)))


@pytest.fixture
def task(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The task file of the documentation, and its data in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISABLE_MULTIPROC", "1")  # the harness would fork to bootstrap BLEU
    pairs = zip(read_lines("source"), example.references, strict=True)
    write_json_lines("test.jsonl", [{"source": s, "reference": r} for s, r in pairs])
    path = tmp_path / "tasks" / "task.yaml"
    path.parent.mkdir()
    path.write_text(TASK, "utf-8")
    return path


def write_json_lines(path: str, rows: list[Any]) -> None:
    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def manager(task: Path) -> Any:
    return TaskManager(include_path=str(task.parent), include_defaults=False)


def run(model: GivenTranslations, task: Path, name: str = "to_english", **options: Any) -> Any:
    return simple_evaluate(model, tasks=[name], task_manager=manager(task), **options)


def test_the_task_of_the_documentation(
    example: Example, model: GivenTranslations, task: Path
) -> None:
    results = run(model, task)
    found = results["results"]["to_english"]
    expected = hb.score(
        example.hypotheses, example.references, ["hyper", "pef:bp=off", "bleu"], "en"
    )
    assert found["hyper,none"] == expected["hyper"].value
    assert found["pef,none"] == expected["pef:bp=off"].value
    assert found["wer,none"] == hb.score(example.hypotheses, example.references, "wer")["wer"].value
    assert found["bleu,none"] == pytest.approx(100 * float(expected["bleu"]), rel=1e-12)
    assert found["bleu_stderr,none"] != "N/A"
    assert found["hyper_stderr,none"] == "N/A"  # a bootstrap would fit it on each sample
    higher = results["higher_is_better"]["to_english"]
    assert higher == {"hyper": True, "pef": True, "wer": False, "bleu": True}
    sample = results["samples"]["to_english"][0]
    assert sample["wer"] == (example.references[0], example.hypotheses[0], {"metric": "wer"})
    json.dumps(results, default=str)


def test_two_variants_of_a_metric(example: Example, model: GivenTranslations, task: Path) -> None:
    """As the documentation shows it; the harness runs utils.py once for each function."""
    (task.parent / "utils.py").write_text(VARIANTS, "utf-8")
    lines = [
        f"  - metric: !function utils.{name}\n    aggregation: {name}\n    higher_is_better: true\n"
        for name in ("pef_with_penalty", "pef_order")
    ]
    head, tail = TASK.split("metric_list:\n")
    metadata = tail[tail.index("metadata:") :]
    task.write_text(f"{head}metric_list:\n{''.join(lines)}{metadata}", "utf-8")
    found = run(model, task)["results"]["to_english"]
    expected = hb.score(example.hypotheses, example.references, ["pef", "pef:bp=off"], "en")
    assert found["pef_with_penalty,none"] == expected["pef"].value
    assert found["pef_order,none"] == expected["pef:bp=off"].value
    with pytest.raises(ValueError, match="has another metric 'pef_order' already"):
        adapter.register("pef_order", "pef:bp=off", language="de")
    with pytest.raises(ValueError, match="unknown metric 'pff'"):
        adapter.register("new", "pff")


def test_an_aggregation_refuses_the_items_of_another_metric() -> None:
    item = adapter.FUNCTIONS["pef"](references=["a b"], predictions=["b a"])
    with pytest.raises(ValueError, match="the aggregation of wer was given to the metric pef"):
        registry.get_aggregation("wer")([item])


def test_options_are_a_string() -> None:
    item = adapter.FUNCTIONS["pef"](references=["a"], predictions=["a"], options={"bp": False})
    with pytest.raises(TypeError, match="pef: options must be a string such as bp=off, got dict"):
        registry.get_aggregation("pef")([item])


def test_several_references(example: Example, model: GivenTranslations, task: Path) -> None:
    references = [[r, h] for r, h in zip(example.references, example.hypotheses, strict=True)]
    references[0] = references[0][:1]
    pairs = zip(read_lines("source"), references, strict=True)
    write_json_lines("references.jsonl", [{"source": s, "references": r} for s, r in pairs])
    task.write_text(REFERENCES_TASK, "utf-8")
    (task.parent / "utils.py").write_text(UTILS, "utf-8")
    found = run(model, task, "to_english_references")["results"]["to_english_references"]
    expected = hb.score(example.hypotheses, references, "hyper", "en")
    assert found["hyper,none"] == expected["hyper"].value


def test_several_references_need_a_function(
    example: Example, model: GivenTranslations, task: Path
) -> None:
    """The harness gives 1.0 to the aggregation for every document with a list of references."""
    pairs = zip(read_lines("source"), example.references, strict=True)
    write_json_lines("test.jsonl", [{"source": s, "reference": [r, r]} for s, r in pairs])
    message = (
        "hyper: document 0 must be references and a translation, got 1.0; if a document has sev"
    )
    with pytest.raises(ValueError, match=message):
        run(model, task)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("langauge: en", "unknown option 'langauge' of hyper; did you mean language?"),
        ("language: xx", "unknown language 'xx'"),
        ("options: bp", "'hyper:bp': 'bp' is not an option such as bp=off"),
    ],
)
def test_invalid_options(model: GivenTranslations, task: Path, line: str, message: str) -> None:
    task.write_text(TASK.replace("language: en", line, 1), "utf-8")
    with pytest.raises(ValueError, match=re.escape(message)):
        run(model, task)


def test_an_unknown_metric(model: GivenTranslations, task: Path) -> None:
    task.write_text(TASK.replace("lm_eval.hyper", "lm_eval.hiper"), "utf-8")
    with pytest.raises(AttributeError, match="hiper"):
        run(model, task)
    with pytest.raises(AttributeError, match="unknown metric 'hiper'; did you mean hyper"):
        getattr(adapter, "hiper")  # noqa: B009 - mypy knows that there is none


def test_gathered_items_give_the_value_of_one_process(
    example: Example, model: GivenTranslations, task: Path
) -> None:
    """A process has every other document; the first one chains the items of all of them."""
    (loaded,) = manager(task).load(["to_english"])["tasks"].values()
    items = [
        loaded.process_results(doc, [model.translations[doc["source"]]])["hyper"]
        for rank in (0, 1)
        for _, doc in loaded.doc_iterator(rank=rank, limit=None, world_size=2)
    ]
    assert [item[0] for item in items] == example.references[::2] + example.references[1::2]
    expected = hb.score(example.hypotheses, example.references, "hyper", "en")
    assert loaded.aggregation()["hyper"](items) == expected["hyper"].value


class OneOfTwo(GivenTranslations):
    """A model in one of two processes, for which threads stand in."""

    device = "cpu"
    gathered: list[Any]
    barrier_of_both: threading.Barrier

    def all_gather(self, tensor: Any) -> Any:
        import torch

        return torch.stack([tensor, tensor])  # both have as many documents

    def gather_object(self, value: Any, dst: int = 0) -> list[Any] | None:
        self.gathered[self.rank] = value
        self.barrier()
        found = list(self.gathered)
        self.barrier()
        return found if self.rank == dst else None

    def barrier(self) -> None:
        self.barrier_of_both.wait(HANGING)


def test_two_ranks_of_the_harness(example: Example, model: GivenTranslations, task: Path) -> None:
    pytest.importorskip("torch")
    OneOfTwo.gathered, OneOfTwo.barrier_of_both = [None, None], threading.Barrier(2)
    results: list[Any] = [None, None]

    def run_rank(rank: int, tasks: Any) -> None:
        lm = OneOfTwo(model.translations)
        lm._rank, lm._world_size = rank, 2
        results[rank] = evaluate(lm, tasks)

    loaded = [manager(task).load(["to_english"]) for _ in range(2)]
    threads = [threading.Thread(target=run_rank, args=pair) for pair in enumerate(loaded)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = hb.score(example.hypotheses, example.references, "hyper", "en")
    assert results[0]["results"]["to_english"]["hyper,none"] == expected["hyper"].value
    assert results[1] is None


@pytest.mark.parametrize("name", adapter.FUNCTIONS)
def test_every_metric_is_registered(name: str, example: Example) -> None:
    assert registry.get_metric(name) is getattr(adapter, name)
    assert registry.get_metric_aggregation(name) is registry.get_aggregation(name)
    assert registry.is_higher_better(name) is hb.metrics.get(name).higher_is_better
    if name == "dted":  # it needs trees
        return
    segments = list(zip(example.hypotheses, example.references, strict=True))[:8]
    items = [getattr(adapter, name)([r], [h], language="en") for h, r in segments]
    hypotheses, references = zip(*segments, strict=True)
    expected = hb.score(hypotheses, references, name, "en")[name].value
    aggregate = registry.get_aggregation(name)
    assert aggregate is not None
    assert aggregate(items) == expected


def test_the_metrics_of_the_harness_stay() -> None:
    assert set(hb.metrics.names()) - set(adapter.FUNCTIONS) == {"bleu", "chrf", "ter"}
    assert registry.get_metric("exact_match") is not None
    aggregate = registry.get_aggregation("bleu")
    assert aggregate is not None
    assert aggregate.__module__ == "lm_eval.api.metrics"


@pytest.mark.parametrize(
    ("items", "error", "message"),
    [
        ([], ValueError, "there are no segments"),
        ([("a", 3, {})], TypeError, "hypotheses[0] must be a string, got int"),
        ([("a", ["b"], {})], TypeError, "hypotheses[0] must be a string, got list"),
        ([(None, "b", {})], TypeError, "references[0] must be a string or a list, got NoneType"),
        ([([], "b", {})], ValueError, "references[0] is empty: each segment needs a reference"),
        ([("a\0", "b", {})], ValueError, "references[0] has a NUL character"),
        (
            [("a", "b", {}), ("a", "b", {"language": "en"})],
            ValueError,
            "pef: two documents have different options",
        ),
    ],
)
def test_invalid_items(items: list[Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        adapter.corpus_value("pef", items)
    assert str(raised.value) == message


def test_without_the_harness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lm_eval.api.metrics", None)
    monkeypatch.delitem(sys.modules, "hyperbaton.adapters.lm_eval")
    with pytest.raises(MissingHost, match=r"pip install 'hyperbaton\[lm-eval\]'"):
        importlib.import_module("hyperbaton.adapters.lm_eval")
