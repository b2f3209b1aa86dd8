"""``compute_metrics`` decodes tokens and returns what ``hb.score`` does."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from adapters.conftest import Example
from hyperbaton.adapters.transformers import compute_metrics


class ToyTokenizer:
    """Words are tokens; the token 0 is padding."""

    pad_token_id: int | None = 0

    def __init__(self, lines: list[str]) -> None:
        self.words = ["", *sorted({word for line in lines for word in line.split()})]

    def encode(self, lines: list[str], padding: int) -> Any:
        rows = [[self.words.index(word) for word in line.split()] for line in lines]
        width = max(map(len, rows))
        return np.array([row + [padding] * (width - len(row)) for row in rows])

    def batch_decode(self, rows: Any, skip_special_tokens: bool) -> list[str]:
        assert skip_special_tokens
        return [" ".join(self.words[token] for token in row if token != 0) for row in rows]


@pytest.fixture(scope="module")
def tokenizer(example: Example) -> ToyTokenizer:
    return ToyTokenizer(example.hypotheses + example.references)


def evaluated(predictions: Any, labels: Any) -> Any:
    return SimpleNamespace(predictions=predictions, label_ids=labels)


def test_a_metric_that_is_not_scored_is_nan(example: Example) -> None:
    junk = ["xyzzy qwert plugh"] * len(example.references)
    tokenizer = ToyTokenizer(junk + example.references)
    compute = compute_metrics(tokenizer, ["order", "chrf"])
    values = compute(evaluated(tokenizer.encode(junk, 0), tokenizer.encode(example.references, 0)))
    assert math.isnan(values["order"])
    assert values["chrf"] > 0


@pytest.mark.parametrize("padding", [0, -100])
@pytest.mark.parametrize("in_tuple", [False, True])
def test_values_are_those_of_score(
    padding: int, in_tuple: bool, tokenizer: ToyTokenizer, example: Example
) -> None:
    metrics = ["hyper", "pef:bp=off", "wer"]
    compute = pickle.loads(pickle.dumps(compute_metrics(tokenizer, metrics, "en")))
    predictions = tokenizer.encode(example.hypotheses, padding)
    labels = tokenizer.encode(example.references, -100)
    given = (predictions, np.zeros(3)) if in_tuple else predictions
    result = hb.score(example.hypotheses, example.references, metrics, "en")
    values = compute(evaluated(given, labels))
    assert values == {name: score.value for name, score in result.items()}
    assert all(type(value) is float for value in values.values())


def test_hyper_is_the_default(tokenizer: ToyTokenizer, example: Example) -> None:
    tokens = tokenizer.encode(example.references, -100)
    assert list(compute_metrics(tokenizer)(evaluated(tokens, tokens))) == ["order"]


LOGITS = np.zeros((2, 3, 5))
IDS = np.zeros((2, 3), int)


@pytest.mark.parametrize(
    ("predictions", "labels", "message"),
    [
        (LOGITS, IDS, "predictions are not token ids: set predict_with_generate=True"),
        (IDS / 2, IDS, "predictions are not token ids"),
        (IDS, None, "labels are not token ids: the evaluation data needs a column 'labels'"),
        (IDS, IDS[:1], "2 hypotheses, but references for 1 segment"),
        (IDS[:0], IDS[:0], "there are no segments"),
    ],
)
def test_bad_input(predictions: Any, labels: Any, message: str, tokenizer: ToyTokenizer) -> None:
    with pytest.raises(ValueError, match=message):
        compute_metrics(tokenizer, "pef")(evaluated(predictions, labels))


def test_names_of_ones_own(tokenizer: ToyTokenizer, example: Example) -> None:
    tokens = tokenizer.encode(example.hypotheses, 0), tokenizer.encode(example.references, -100)
    metrics: dict[str, str | hb.Metric] = {
        "order": "pef:bp=off",
        "hyper": hb.metrics.get("hyper:precedence=off"),
    }
    result = hb.score(
        example.hypotheses, example.references, ["pef:bp=off", "hyper:precedence=off"], "en"
    )
    values = compute_metrics(tokenizer, metrics, "en")(tokens)  # a tuple, as some callers give it
    assert values["order"] == result["pef:bp=off"].value
    assert list(values) == ["order", "hyper"]


def test_errors_before_training(example: Example) -> None:
    tokenizer = ToyTokenizer(example.references)
    with pytest.raises(ValueError, match="pef"):
        compute_metrics(tokenizer, "pfe")
    with pytest.raises(TypeError, match="the first argument must be a tokenizer, got str"):
        compute_metrics("hyper", "en")
    with pytest.raises(TypeError, match="metrics must map names to metrics, got str and int"):
        compute_metrics(tokenizer, {"a": 1})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="batch_eval_metrics must be False"):
        compute_metrics(tokenizer)(evaluated(IDS, IDS), compute_result=True)  # type: ignore[call-arg]
    tokenizer.pad_token_id = None
    with pytest.raises(ValueError, match="the tokenizer has no padding token"):
        compute_metrics(tokenizer)


def test_trainer(example: Example, tmp_path: Path) -> None:
    """A model with random weights, in a real trainer, which finds the best model by ``chrf``."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    tokenizer = word_tokenizer(example)
    torch.manual_seed(1)
    model = transformers.BartForConditionalGeneration(
        transformers.BartConfig(
            vocab_size=len(tokenizer),
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=1,
            decoder_attention_heads=1,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            decoder_start_token_id=tokenizer.bos_token_id,
            forced_eos_token_id=tokenizer.eos_token_id,
        )
    )
    data = [
        {**tokenizer(hypothesis), "labels": tokenizer(reference)["input_ids"]}
        for hypothesis, reference in zip(example.hypotheses, example.references, strict=True)
    ]
    arguments = transformers.Seq2SeqTrainingArguments(
        str(tmp_path),
        predict_with_generate=True,
        generation_max_length=12,
        generation_num_beams=1,
        max_steps=2,
        per_device_train_batch_size=4,
        per_device_eval_batch_size=20,
        learning_rate=0.01,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="best",
        metric_for_best_model="chrf",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = transformers.Seq2SeqTrainer(
        model,
        arguments,
        transformers.DataCollatorForSeq2Seq(tokenizer, model),
        data,
        data,
        compute_metrics=compute_metrics(tokenizer, ["hyper", "chrf"], "en"),
    )
    trainer.train()
    evaluations = [entry for entry in trainer.state.log_history if "eval_hyper" in entry]
    assert len(evaluations) == 2
    assert trainer.state.best_metric == max(entry["eval_chrf"] for entry in evaluations)

    output = trainer.predict(data)
    tokens = np.where(output.predictions == -100, tokenizer.pad_token_id, output.predictions)
    hypotheses = tokenizer.batch_decode(tokens, skip_special_tokens=True)
    references = [tokenizer.decode(row["labels"], skip_special_tokens=True) for row in data]
    result = hb.score(hypotheses, references, ["hyper", "chrf"], "en")
    assert output.metrics["test_hyper"] == result["hyper"].value
    assert output.metrics["test_chrf"] == float(result["chrf"]) > 0


def word_tokenizer(example: Example) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    special = ["<s>", "</s>", "<pad>", "<unk>"]
    words = {word for line in example.hypotheses + example.references for word in line.split()}
    vocabulary = {word: k for k, word in enumerate([*special, *sorted(words)])}
    core = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    core.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    core.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", vocabulary["</s>"])]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    )
