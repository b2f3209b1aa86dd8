"""Encoders for tests: tables that are written down, and a tiny ONNX model with its tokeniser."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import hyperbaton as hb

# Words of two dimensions: things that are large, things that one lives in, and what joins words.
TABLE = {
    "big": (1.0, 0.0, 0.0),
    "large": (0.8, 0.6, 0.0),
    "house": (0.0, 1.0, 0.0),
    "home": (0.0, 0.8, 0.6),
    "the": (0.0, 0.0, 1.0),
}


class Written(hb.Encoder):
    """An encoder with the vectors of a mapping, which counts what it encodes."""

    def __init__(self, vectors: Mapping[str, Sequence[float]] = TABLE, **settings: Any) -> None:
        self.name, self.digest = "written", "1"
        self.vectors = vectors
        self.encoded: list[tuple[str, ...]] = []
        for key, value in settings.items():
            setattr(self, key, value)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float64]]:
        """Return the vectors of words; zeros for unknown ones."""
        self.encoded += map(tuple, sentences)
        size = len(next(iter(self.vectors.values())))
        return [
            np.array([self.vectors.get(word, [0.0] * size) for word in words])
            for words in sentences
        ]


PIECES = ["[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "##c", "d"]
# The vector of each piece in the first layer; in the second, x and y are exchanged.
EMBEDDINGS = np.array(
    [[0, 0], [9, 9], [9, 9], [1, 0], [0, 1], [0.6, 0.8], [0, 3], [-1, 0]], np.float32
)


def write_model(folder: Path, window: int = 16, **changes: Any) -> Path:
    """Write a model whose layer 0 is its embeddings, layer 1 these with x and y exchanged.

    ``changes`` may have another ``vocabulary``, other ``pieces`` or another number of dimensions of
    the output (``rank``).
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    folder.mkdir(exist_ok=True)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["sentences", "pieces"])
    mask = helper.make_tensor_value_info(
        changes.get("second_input", "attention_mask"), TensorProto.INT64, ["sentences", "pieces"]
    )
    outputs = [
        helper.make_tensor_value_info(f"hidden_states.{k}", TensorProto.FLOAT, None) for k in (0, 1)
    ]
    weights = [
        numpy_helper.from_array(EMBEDDINGS, "embeddings"),
        numpy_helper.from_array(np.array([[0, 1], [1, 0]], np.float32), "exchange"),
        numpy_helper.from_array(np.array([1], np.int64), "axis"),
    ]
    rank = changes.get("rank", 3)
    nodes = [
        helper.make_node("Gather", ["embeddings", "input_ids"], ["gathered"]),
        helper.make_node("Cast", [mask.name], ["present"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["present", "minus_one"], ["column"]),
        helper.make_node("Mul", ["gathered", "column"], ["masked"]),
        helper.make_node("Identity", ["masked"], ["hidden_states.0"])
        if rank == 3
        else helper.make_node("ReduceSum", ["masked", "axis"], ["hidden_states.0"], keepdims=0),
        helper.make_node("MatMul", ["masked", "exchange"], ["hidden_states.1"]),
    ]
    weights.append(numpy_helper.from_array(np.array([-1], np.int64), "minus_one"))
    graph = helper.make_graph(nodes, "tiny", [ids, mask], outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    pieces = changes.get("pieces", PIECES)
    tokenizer = {
        "version": "1.0",
        "truncation": {
            "direction": "Right",
            "max_length": 4,
            "strategy": "LongestFirst",
            "stride": 0,
        },
        "padding": None,
        "added_tokens": [
            {
                "id": k,
                "content": PIECES[k],
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for k in range(3)
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {
                name: {"id": name, "ids": [PIECES.index(name)], "tokens": [name]}
                for name in ("[CLS]", "[SEP]")
            },
        },
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: k for k, piece in enumerate(pieces)},
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    vocabulary = changes.get("vocabulary", len(PIECES))
    config = {"vocab_size": vocabulary, "max_position_embeddings": window}
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return folder
