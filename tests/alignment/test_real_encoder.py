"""A real model, exported by ``make encoder``, beside PyTorch and on gold links between paraphrases.

The environment variable HYPERBATON_ENCODER names the folder of the exported model. The expected
vectors in it are PyTorch's.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from evidence import encoders as evidence

import hyperbaton as hb
from pairs import data_folder

LAYER, TOLERANCE = 4, 1e-4


@pytest.fixture(scope="module")
def folder() -> Path:
    path = os.environ.get("HYPERBATON_ENCODER")
    if not path:
        pytest.skip("needs a real model: make encoder exports one")
    pytest.importorskip("onnxruntime")
    return Path(path)


def test_the_vectors_of_pytorch(folder: Path) -> None:
    """Sentences of several lengths, together and each by itself."""
    with np.load(folder / "expected.npz") as expected:
        sentences = [str(text).split() for text in expected["sentences"]]
        encoder = hb.OnnxEncoder(folder, layer=LAYER)
        together = encoder.encode(sentences)
        for k, (sentence, vectors) in enumerate(zip(sentences, together, strict=True)):
            np.testing.assert_allclose(vectors, expected[f"vectors{k}"], rtol=0, atol=TOLERANCE)
            assert encoder.encode([sentence])[0].tobytes() == vectors.tobytes()


def test_links_between_paraphrases(folder: Path) -> None:
    """F1 is 0.08 above that of exact and stem, and half as many function words are wrong."""
    data_folder()
    found = evidence.measure(folder)
    plain, encoder = found[evidence.PLAIN], found[evidence.CONTEXTUAL]
    assert encoder.quality.f1 >= plain.quality.f1 + 0.08
    assert encoder.wrong_share < 0.55 * plain.wrong_share
