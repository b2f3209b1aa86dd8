"""Export a Hugging Face model with its tokeniser as a folder that Hyperbaton reads.

    pip install torch transformers onnx
    python export_encoder.py MODEL FOLDER

MODEL is a folder that is on disk. All layers become outputs, hidden_states.0 (the embeddings) to
hidden_states.N, so that any of them can be tried.
"""

import sys
from pathlib import Path

import torch
from transformers import AutoModel, AutoTokenizer

source, folder = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)
model = AutoModel.from_pretrained(source, local_files_only=True, attn_implementation="eager")
tokenizer.save_pretrained(folder)
model.config.save_pretrained(folder)


class AllLayers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = model

    def forward(self, *values):
        given = dict(zip(inputs, values, strict=True))
        return self.model(**given, output_hidden_states=True).hidden_states


pieces = tokenizer(["two sentences", "of equal length"], padding=True, return_tensors="pt")
inputs = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in pieces]
outputs = [f"hidden_states.{layer}" for layer in range(model.config.num_hidden_layers + 1)]
torch.onnx.export(
    AllLayers().eval(),
    tuple(pieces[name] for name in inputs),
    str(Path(folder) / "model.onnx"),
    input_names=inputs,
    output_names=outputs,
    dynamic_axes={name: {0: "sentences", 1: "pieces"} for name in [*inputs, *outputs]},
    dynamo=False,
)
