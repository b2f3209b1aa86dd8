"""Word order as ``compute_metrics`` of the Trainer of Hugging Face's transformers.

It needs nothing of transformers but the methods of a tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hyperbaton.adapters.hosts import Metrics, named_metrics
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.runs.scoring import score

IGNORED = -100  # the label of padding, also in predictions that were gathered from processes


def compute_metrics(
    tokenizer: Any, metrics: Metrics = "order", language: str | None = None
) -> Callable[[Any], dict[str, float]]:
    """Return the function that ``Seq2SeqTrainer(compute_metrics=...)`` takes.

    It decodes predictions and labels, and scores them with :func:`hyperbaton.score`. The arguments
    of the trainer must have ``predict_with_generate=True``. The trainer calls the values
    ``eval_hyper`` and so on.

    Parameters
    ----------
    tokenizer : PreTrainedTokenizerBase
        The tokenizer of the target language.
    metrics : str, Metric, or sequence or mapping of them
        The metrics, as :func:`hyperbaton.score` takes them; or names of your own with a metric
        for each: ``{"order": "pef:bp=off"}``.
    language : str, optional
        Language code or BCP 47 tag of the target language, such as ``"en"``.

    Returns
    -------
    callable
        A function from predictions and labels to a value for each metric, NaN if it is not scored.
        It can be pickled.

    Raises
    ------
    InputError, InputTypeError
        If a metric is invalid, or if the tokenizer has no padding token.
    """
    for attribute in ("batch_decode", "pad_token_id"):
        if not hasattr(tokenizer, attribute):
            kind = type(tokenizer).__name__
            raise InputTypeError(f"the first argument must be a tokenizer, got {kind}")
    if tokenizer.pad_token_id is None:
        raise InputError("the tokenizer has no padding token: set tokenizer.pad_token")
    named_metrics(metrics, language)  # finds errors before training
    return partial(score_predictions, tokenizer=tokenizer, metrics=metrics, language=language)


def score_predictions(
    evaluated: Any,
    compute_result: bool | None = None,
    *,
    tokenizer: Any,
    metrics: Metrics,
    language: str | None,
) -> dict[str, float]:
    """Return a value for each metric.

    Parameters
    ----------
    evaluated : EvalPrediction or tuple
        Token ids of predictions and labels.
    compute_result : bool, optional
        What the trainer gives for a part of the segments, which cannot be scored.
    tokenizer, metrics, language
        See :func:`compute_metrics`.

    Raises
    ------
    InputError
        If predictions or labels are not token ids, or if the trainer gives segments in parts.
    """
    if compute_result is not None:
        raise InputError("batch_eval_metrics must be False: metrics need all segments at once")
    predictions, labels = (
        evaluated if isinstance(evaluated, tuple) else (evaluated.predictions, evaluated.label_ids)
    )
    if isinstance(predictions, tuple):  # generated tokens come first
        predictions = predictions[0]
    if not is_token_ids(predictions):
        raise InputError("predictions are not token ids: set predict_with_generate=True")
    if not is_token_ids(labels):
        raise InputError("labels are not token ids: the evaluation data needs a column 'labels'")
    if not len(predictions):  # a tokenizer may decode no rows to one text
        raise InputError("there are no segments")
    hypotheses, references = (decode(tokenizer, tokens) for tokens in (predictions, labels))
    named = named_metrics(metrics, language)
    result = score(hypotheses, references, list(named.values()), keep_texts=False)
    return {name: float(result[metric.spec]) for name, metric in named.items()}


def is_token_ids(array: Any) -> bool:
    """Return whether an array holds a row of integers for each segment."""
    return np.ndim(array) == 2 and np.asarray(array).dtype.kind in "iu"


def decode(tokenizer: Any, tokens: Any) -> list[str]:
    """Return the texts of rows of token ids."""
    tokens = np.where(np.equal(tokens, IGNORED), tokenizer.pad_token_id, tokens)
    texts: list[str] = tokenizer.batch_decode(tokens, skip_special_tokens=True)
    return texts
