"""Write the vectors that PyTorch gives some sentences, for ``test_real_encoder.py``.

``make encoder`` runs this in an environment of its own: write_expected_vectors.py MODEL FOLDER.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

LAYER = 4
SENTENCES = [
    "the delegations arrived yesterday .",
    "yesterday , the delegation arrived in oslo .",
    "unbelievably long wordpieces",
    "yes",
    "the police have now sealed off the scene of the explosion near the old harbour .",
]

source, folder = sys.argv[1:]
tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)
model = AutoModel.from_pretrained(source, local_files_only=True).eval()
expected = {}
for k, sentence in enumerate(SENTENCES):
    words = sentence.split()
    pieces = tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.no_grad():
        layer = model(**pieces, output_hidden_states=True).hidden_states[LAYER][0].numpy()
    word_of_piece = np.array([-1 if word is None else word for word in pieces.word_ids()])
    expected[f"vectors{k}"] = np.stack(
        [layer[word_of_piece == word].mean(axis=0) for word in range(len(words))]
    )
expected["sentences"] = np.array(SENTENCES)
with open(Path(folder) / "expected.npz", "wb") as file:
    np.savez(file, **expected)  # type: ignore[arg-type]
