"""Modules of Hugging Face's evaluate: as objects, from a folder, combined, in two processes."""

from __future__ import annotations

import doctest
import importlib
import json
import math
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from adapters.conftest import Example
from hyperbaton.adapters.evaluate_modules import write_modules
from hyperbaton.adapters.hosts import MissingHost

evaluate = pytest.importorskip("evaluate")
from hyperbaton.adapters.evaluate import WordOrder  # noqa: E402

METRICS = ["hyper", "order", "pef:bp=off", "full", "wer", "bleu"]
DOG, CAT = "the dog saw the cat", "the cat saw the dog"


def expected(example: Example, metrics: list[str], references: Any = None) -> dict[str, Any]:
    """What a module must return, from ``hb.score``."""
    result = hb.score(example.hypotheses, references or example.references, metrics, "en")
    values = {name: score.value for name, score in result.items()}
    signatures = {f"{name}_signature": score.signature for name, score in result.items()}
    return {**values, **signatures, "segment_count": len(example.hypotheses)}


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_compute_gives_the_numbers_of_score(example: Example, keep_in_memory: bool) -> None:
    module = WordOrder(METRICS, language="en", keep_in_memory=keep_in_memory)
    for _ in range(2):  # a module can be used again
        result = module.compute(predictions=example.hypotheses, references=example.references)
        assert result == expected(example, METRICS)
    assert json.loads(json.dumps(result)) == result
    assert {type(value) for value in result.values()} == {float, str, int}


def test_a_metric_that_is_not_scored_is_nan(example: Example) -> None:
    junk = ["xyzzy qwert plugh"] * len(example.references)
    module = WordOrder(["order", "chrf"])
    result = module.compute(predictions=junk, references=example.references)
    assert math.isnan(result["order"])
    assert result["chrf"] > 0
    assert result["segment_count"] == len(junk)


def test_the_default_is_hyper_and_options_may_wait_for_compute(example: Example) -> None:
    module = WordOrder()
    module.add_batch(predictions=example.hypotheses, references=example.references)
    assert module.compute(language="en") == expected(example, ["order"])
    module.add_batch(predictions=example.hypotheses, references=example.references)
    found = module.compute(metrics="pef", language="en", threads=1)
    assert found == expected(example, ["pef"])


def test_segments_are_added_one_by_one_and_in_batches(example: Example) -> None:
    module = WordOrder(METRICS, "en")
    pairs = list(zip(example.hypotheses, example.references, strict=True))
    for hypothesis, reference in pairs[:5]:
        module.add(prediction=hypothesis, reference=reference)
    for begin, end in ((5, 20), (20, 48)):
        module.add_batch(
            predictions=example.hypotheses[begin:end], references=example.references[begin:end]
        )
    assert module.compute() == expected(example, METRICS)


def test_one_reference_and_several_may_be_mixed(example: Example) -> None:
    references = [
        reference if k % 2 else [reference, example.hypotheses[k]]
        for k, reference in enumerate(example.references)
    ]
    module = WordOrder(METRICS, "en")
    result = module.compute(predictions=example.hypotheses, references=references)
    assert result == expected(example, METRICS, references)
    assert "nrefs:var" in result["hyper_signature"]


def test_a_folder_is_loaded_without_network(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("there must be no network access")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.chdir(tmp_path)
    write_modules("modules", ["pef", "order"])
    assert str(evaluate.config.HF_CACHE_HOME) == os.environ["HF_HOME"]
    for path, metric in (("modules/pef", "pef"), (f"{tmp_path}/modules/order", "order")):
        module = evaluate.load(path)
        assert module.name == metric
        result = module.compute(
            predictions=example.hypotheses, references=example.references, language="en"
        )
        assert result == expected(example, [metric])
    module = evaluate.load("modules/pef", metrics="pef:bp=off", language="en")
    result = module.compute(predictions=example.hypotheses, references=example.references)
    assert result == expected(example, ["pef:bp=off"])


def test_modules_have_the_names_of_their_metrics(tmp_path: Path) -> None:
    """Results of combined modules and the folders of caches are called by these names."""
    from evaluate.naming import camelcase_to_snakecase

    for name, folder in write_modules(tmp_path, hb.metrics.names()).items():
        namespace: dict[str, Any] = {}
        exec(Path(folder, f"{name}.py").read_text("utf-8"), namespace)
        (module_class,) = (
            value for value in namespace.values() if getattr(value, "default_metrics", None)
        )
        assert camelcase_to_snakecase(module_class.__name__) == name
        assert module_class.default_metrics == name


def test_combined_modules(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_modules("modules", ["pef", "wer"])
    combined = evaluate.combine(["modules/pef", "modules/wer"])
    pef, wer = expected(example, ["pef"]), expected(example, ["wer"])
    for hypothesis, reference in zip(example.hypotheses, example.references, strict=True):
        combined.add(hypothesis, reference)
    result = combined.compute(language="en")
    assert (result["pef"], result["wer"]) == (pef["pef"], wer["wer"])
    assert result["pef_segment_count"] == result["wer_segment_count"] == 48
    prefixed = evaluate.combine(
        {"exact": WordOrder("pef"), "stems": WordOrder("pef", language="en")}
    ).compute(predictions=example.hypotheses, references=example.references)
    assert prefixed["stems_pef"] == pef["pef"]
    assert prefixed["exact_pef"] < prefixed["stems_pef"]


SECOND_PROCESS = """
import json, sys
from hyperbaton.adapters.evaluate import WordOrder

options, segments = json.loads(sys.stdin.read())
module = WordOrder(process_id=1, **options)
module.add_batch(**segments)
print(module.compute())
"""


def test_two_processes_give_the_number_of_one(example: Example, tmp_path: Path) -> None:
    """Each process has every other segment, and the second one has its references in lists."""
    options: dict[str, Any] = {
        "metrics": METRICS,
        "language": "en",
        "cache_dir": str(tmp_path),
        "num_process": 2,
        "experiment_id": "two processes",
    }
    share = {
        "predictions": example.hypotheses[1::2],
        "references": [[reference] for reference in example.references[1::2]],
    }
    with subprocess.Popen(
        [sys.executable, "-c", SECOND_PROCESS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as second:
        assert second.stdin is not None
        second.stdin.write(json.dumps([options, share]))
        second.stdin.close()
        module = WordOrder(process_id=0, **options)
        module.add_batch(predictions=example.hypotheses[::2], references=example.references[::2])
        assert module.compute() == expected(example, METRICS)
        assert second.stdout is not None
        assert second.stdout.read() == "None\n"
    assert second.returncode == 0


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        ([DOG], [CAT, CAT], ValueError, "1 hypothesis, but references for 2 segments"),
        ([], [], ValueError, "there are no segments"),
        ([DOG, 3], [CAT, CAT], TypeError, "predictions[1] must be a string, got int"),
        ([DOG, None], [CAT, CAT], TypeError, "predictions[1] must be a string, got NoneType"),
        (DOG, [CAT], TypeError, "predictions must be a list of strings, got str"),
        ([DOG], None, TypeError, "references must be a list of references, got NoneType"),
        ([DOG], [3], TypeError, "references[0] must be a string or a list, got int"),
        ([DOG], [[CAT, 3]], TypeError, "references[0][1] must be a string, got int"),
        ([DOG], [[]], ValueError, "references[0] is empty: each segment needs a reference"),
        (["a\0b"], [CAT], ValueError, "predictions[0] has a NUL character"),
        ([DOG], ["a\ud800"], ValueError, "references[0] has an unpaired surrogate"),
    ],
)
def test_invalid_segments(
    predictions: Any, references: Any, error: type[Exception], message: str
) -> None:
    module = WordOrder("pef")
    with pytest.raises(error) as raised:
        module.compute(predictions=predictions, references=references)
    assert str(raised.value) == message
    module.add(prediction=DOG, reference=CAT)  # it can be used afterwards
    assert module.compute()["pef"] == hb.score([DOG], [CAT], "pef")["pef"].value


def test_one_invalid_segment() -> None:
    with pytest.raises(TypeError, match=r"predictions\[0\] must be a string, got int"):
        WordOrder("pef").add(prediction=3, reference=CAT)
    with pytest.raises(TypeError, match=r"references\[0\] must be a string or a list, got None"):
        WordOrder("pef").add(prediction=DOG)
    with pytest.raises(ValueError, match="Bad inputs for evaluation module"):
        WordOrder("pef").add(prediction=DOG, reference=CAT, sources="x")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metrics": "pfe"}, ValueError, "unknown metric 'pfe'; did you mean"),
        ({"metrics": []}, ValueError, "no metrics were given"),
        ({"metrics": 3}, TypeError, "metrics must be a list of metrics, got int"),
        ({"language": "xx"}, ValueError, "unknown language 'xx'"),
        ({"threads": 0}, ValueError, "threads must be at least 1, got 0"),
        ({"langauge": "en"}, TypeError, "unknown argument 'langauge'; did you mean language?"),
    ],
)
def test_invalid_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    """They are found when a module is made and when it computes, and lose no segments."""
    with pytest.raises(error) as raised:
        WordOrder(**options)
    assert str(raised.value).startswith(message)
    module = WordOrder("pef")
    module.add(prediction=DOG, reference=CAT)
    with pytest.raises(error) as raised:
        module.compute(**options)
    assert str(raised.value).startswith(message)
    assert module.compute()["segment_count"] == 1


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_nothing_was_added(keep_in_memory: bool) -> None:
    with pytest.raises(ValueError, match="there are no segments: add them, or give predictions"):
        WordOrder("pef", keep_in_memory=keep_in_memory).compute()


def test_there_are_no_configurations(tmp_path: Path) -> None:
    path = write_modules(tmp_path, ["pef"])["pef"]
    with pytest.raises(ValueError, match="there are no configurations: give metrics= and langua"):
        evaluate.load(path, "en")


def test_what_a_module_says_about_itself() -> None:
    module = WordOrder(["pef", "bleu"], "en")
    assert "pef: operators of all permutation trees. " in module.description
    for key in ("stanojevic-simaan-2014", "papineni-etal-2002", "hyperbaton"):
        assert f"{{{key},\n" in module.citation
    assert module.license == "Apache-2.0"
    assert module.homepage == ""
    assert [set(features) for features in module.features] == [{"predictions", "references"}] * 2
    examples = doctest.DocTestParser().get_doctest(
        module.inputs_description, {}, "inputs", None, None
    )
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0
    assert "predictions (`list` of `str`)" in str(module.compute.__doc__)


def test_data_is_needed_only_to_compute() -> None:
    """A module of dted is made without its parser, which ``compute`` may name."""
    module = WordOrder(hb.metrics.names())
    assert "mccaffery-nederhof-2016" in module.citation
    with pytest.raises(ValueError, match="no parser: specify a language such as en"):
        module.compute(predictions=[DOG], references=[CAT])
    assert module.compute(predictions=[DOG], references=[CAT], metrics="wer")["wer"] == 0.4


def test_without_evaluate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "evaluate", None)
    monkeypatch.delitem(sys.modules, "hyperbaton.adapters.evaluate")
    with pytest.raises(MissingHost, match=r"pip install 'hyperbaton\[evaluate\]'"):
        importlib.import_module("hyperbaton.adapters.evaluate")
