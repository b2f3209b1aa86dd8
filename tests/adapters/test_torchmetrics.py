"""WordOrder computes what ``hb.score`` does, in one process and in two, as torchmetrics uses it."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example
from waiting import HANGING, environment_of_tests

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")

from hyperbaton.adapters.torchmetrics import WordOrder  # noqa: E402 - after the check for its host

METRICS = ("hyper", "order", "pef", "full:order=ulam,bp=off", "wer", "bleu")
RANK = Path(__file__).with_name("torchmetrics_rank.py")


def expected(example: Example, metric: str = "pef", language: str = "en") -> float:
    return float(hb.score(example.hypotheses, example.references, metric, language)[metric])


def add_batches(metric: Any, example: Example, sizes: Sequence[int] = (7, 1, 40)) -> Any:
    start = 0
    for size in sizes:
        batch = slice(start, start + size)
        metric.update(example.hypotheses[batch], example.references[batch])
        start += size
    return metric


@pytest.mark.parametrize("metric", METRICS)
def test_value_is_that_of_score(metric: str, example: Example) -> None:
    word_order = add_batches(WordOrder(metric, "en"), example)
    value = word_order.compute()
    assert value.dtype == torch.float64
    assert value.shape == ()
    score = hb.score(example.hypotheses, example.references, metric, "en")[metric]
    assert value.item() == score.value
    assert word_order.signature == score.signature


def test_hyper_is_the_default(example: Example) -> None:
    assert add_batches(WordOrder(language="en"), example).compute() == expected(example, "order")


def test_a_metric_that_is_not_scored_is_nan(example: Example) -> None:
    metric = WordOrder("order", "en")
    junk = ["xyzzy qwert plugh"] * len(example.references)
    assert torch.isnan(metric(junk, example.references))
    assert torch.isnan(metric.compute())
    assert "|least:" in (metric.signature or "")
    metric.update(example.references, example.references)  # half of the words are enough
    assert metric.compute().item() > 0.9


def test_metric_object_and_several_references() -> None:
    hypotheses = ["the dog saw the cat", "a\nred “house”"]
    references = [["the cat saw the dog", "the dog has seen the cat"], ["a red house"]]
    word_order = WordOrder(hb.metrics.get("pef:bp=off", language="en"))
    word_order.update(hypotheses, references)
    assert (
        word_order.compute()
        == hb.score(hypotheses, references, "pef:bp=off", "en")["pef:bp=off"].value
    )


@pytest.mark.parametrize(
    "target", ["the cat saw the dog", ["the cat saw the dog"], [["the cat saw the dog"]]]
)
def test_string_is_one_segment(target: Any) -> None:
    word_order = WordOrder("wer")
    word_order.update("the dog saw the cat", target)
    assert word_order.compute() == 0.4


def test_string_with_several_references() -> None:
    word_order = WordOrder("wer")
    assert word_order("the dog saw the cat", ["the cat saw the dog", "the dog saw the cat"]) == 0


def test_forward_returns_value_of_batch(example: Example) -> None:
    word_order = WordOrder("pef", "en")
    for batch in (slice(0, 20), slice(20, 48)):
        given = example.hypotheses[batch], example.references[batch]
        assert word_order(*given) == hb.score(*given, "pef", "en")["pef"].value
    assert word_order.compute() == expected(example)
    assert word_order.update_count == 2


def test_reset(example: Example) -> None:
    word_order = add_batches(WordOrder("pef", "en"), example)
    word_order.reset()
    word_order.update(["the dog saw the cat"], ["the cat saw the dog"])
    assert word_order.compute() == pytest.approx(0.28)
    assert word_order.signature is not None
    word_order.reset()
    assert word_order.signature is None


def test_the_metric_is_shown() -> None:
    assert repr(WordOrder("pef:bp=off", "en")) == "WordOrder('pef:bp=off')"


def test_a_missing_parser_is_found_at_once() -> None:
    with pytest.raises(hb.MissingData, match="nothing_like_it"):
        WordOrder("dted", "en", parser="spacy:nothing_like_it")


BAD_INPUT: list[tuple[Any, Any, type[Exception], str]] = [
    (["a", "b"], ["a"], ValueError, "2 hypotheses, but references for 1 segment"),
    (["a", 1], ["a", "b"], TypeError, r"preds\[1\] must be a string, got int"),
    (["a"], [None], TypeError, r"references\[0\] must be a string or a list, got NoneType"),
    (["a"], "a", TypeError, "references must be a list of references, got str"),
    (["a\0"], ["a"], ValueError, r"preds\[0\] has a NUL character"),
    (["a"], [["a", "\0"]], ValueError, r"references\[0\]\[1\] has a NUL character"),
    (["a"], [[]], ValueError, r"references\[0\] is empty"),
    ([], [], ValueError, "there are no segments"),
]


@pytest.mark.parametrize(("preds", "target", "error", "message"), BAD_INPUT)
@pytest.mark.parametrize("method", ["update", "forward"])
def test_bad_input_changes_nothing(
    method: str, preds: Any, target: Any, error: type[Exception], message: str
) -> None:
    word_order = WordOrder("wer")
    word_order.update("the dog saw the cat", "the cat saw the dog")
    with pytest.raises(error, match=message):
        getattr(word_order, method)(preds, target)
    assert word_order.compute() == 0.4


@pytest.mark.parametrize(("metric", "message"), [("pfe", "pef"), ("default", "set of metrics")])
def test_unknown_metric(metric: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        WordOrder(metric)


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric WordOrder was called before")
def test_compute_without_segments() -> None:
    with pytest.raises(ValueError, match="there are no segments"):
        WordOrder("pef").compute()


def test_collection_shares_texts(example: Example) -> None:
    """Metrics of a compute group share a list, which ``forward`` must not extend twice."""
    metrics = {"hyper": WordOrder("hyper", "en"), "wer": WordOrder("wer", "en")}
    collection = torchmetrics.MetricCollection(metrics)
    collection.update(example.hypotheses[:7], example.references[:7])
    assert collection.compute_groups == {0: ["hyper", "wer"]}
    assert metrics["hyper"].segment_texts is metrics["wer"].segment_texts
    collection(example.hypotheses[7:20], example.references[7:20])
    collection.update(example.hypotheses[20:], example.references[20:])
    for name, value in collection.compute().items():
        assert value == expected(example, name)
    collection.reset()
    add_batches(collection, example)
    assert collection.compute()["wer"] == expected(example, "wer")


def test_collection_with_another_metric(example: Example) -> None:
    collection = torchmetrics.MetricCollection(
        {"chrf": torchmetrics.text.CHRFScore(), "pef": WordOrder("pef", "en")}
    )
    references = [[line] for line in example.references]
    collection.update(example.hypotheses, references)
    assert collection.compute()["pef"] == expected(example)
    assert collection.compute()["chrf"] > 0


def test_tracker_knows_the_direction() -> None:
    tracker = torchmetrics.MetricTracker(WordOrder("wer"), maximize=None)
    for hypothesis in ("the dog saw the cat", "the cat saw the dog", "the cat saw"):
        tracker.increment()
        tracker.update([hypothesis], ["the cat saw the dog"])
    assert tracker.best_metric(return_step=True) == (0.0, 1)


def test_direction_and_bounds() -> None:
    wer, pef = WordOrder("wer"), WordOrder("pef:bp=off")
    assert (wer.higher_is_better, pef.higher_is_better) == (False, True)
    assert (wer.plot_lower_bound, wer.plot_upper_bound) == (0, None)
    assert (pef.plot_lower_bound, pef.plot_upper_bound) == (0, 1)
    assert not pef.is_differentiable
    assert pef.plot_legend_name == "pef:bp=off"


def test_conversion_of_type_keeps_the_texts(example: Example) -> None:
    word_order = add_batches(WordOrder("hyper", "en"), example)
    value = word_order.compute()
    torch.nn.ModuleList([word_order]).half()
    for convert in (word_order.half, word_order.float, lambda: word_order.to(torch.bfloat16)):
        convert()
        assert word_order.compute() == value
    word_order.set_dtype(torch.float16)
    assert {block.dtype for block in word_order.segment_texts} == {torch.uint8}
    assert word_order.compute() == value


def test_other_device() -> None:
    word_order = WordOrder("wer").to("meta")
    word_order.update("a b", "b a")
    assert word_order.segment_texts[0].device.type == "meta"


def test_copies_are_independent(example: Example) -> None:
    word_order = add_batches(WordOrder("pef", "en"), example, (20,))
    copies = [word_order.clone(), pickle.loads(pickle.dumps(word_order))]
    word_order.reset()
    for copied in copies:
        copied.update(example.hypotheses[20:], example.references[20:])
        assert copied.compute() == expected(example)


def test_saved_and_merged_state(example: Example) -> None:
    first, second = WordOrder("pef", "en"), WordOrder("pef", "en")
    assert first.state_dict() == {}
    first.persistent(True)
    add_batches(first, example, (20,))
    second.load_state_dict(first.state_dict())
    second.update(example.hypotheses[20:], example.references[20:])
    assert second.compute() == expected(example)
    second.persistent(True)
    first.compute()
    first.load_state_dict(second.state_dict())
    assert first.compute() == expected(example)  # not the value from before
    first.reset()
    add_batches(first, example, (20,))
    merged = WordOrder("pef", "en")
    merged.update(example.hypotheses[20:], example.references[20:])
    assert merged.compute() != expected(example)  # torchmetrics would keep this value
    merged.merge_state(first)
    assert merged.compute() == expected(example)


def test_plot() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    word_order = WordOrder("wer")
    values = [word_order("the dog saw the cat", "the cat saw the dog") for _ in range(2)]
    _, axes = word_order.plot(values)
    assert axes.get_ylim()[0] <= 0.4 <= axes.get_ylim()[1]


def test_two_processes(example: Example, tmp_path: Path) -> None:
    """Whatever their shares are, both have the number of one process to the last bit."""
    texts = tmp_path / "texts.json"
    texts.write_text(json.dumps([example.hypotheses, example.references]), "utf-8")
    command = [sys.executable, str(RANK)]
    meeting_point = str(tmp_path / "meeting-point")
    ranks = [
        subprocess.Popen(
            [*command, str(rank), meeting_point, str(texts)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment_of_tests(),
        )
        for rank in range(2)
    ]
    try:
        outputs = [rank.communicate(timeout=HANGING) for rank in ranks]
    finally:
        for rank in ranks:
            rank.kill()
    result = hb.score(example.hypotheses, example.references, ["hyper", "pef", "wer", "bleu"], "en")
    values = {name: float(score).hex() for name, score in result.items()}
    pef = values["pef"]
    for stdout, stderr in outputs:
        assert stdout, stderr
        assert "there are no segments" in stderr
        assert json.loads(stdout) == {
            **dict.fromkeys(("both", "uneven", "first", "second"), values),
            "stepwise": {"step": pef, "all": pef},
            "after an error": {"pef": pef},
        }
