"""A tiny ONNX model, made here: its vectors and its links are known by hand.

Its pieces are a, b, c, ##c and d; layer 0 has their embeddings, layer 1 these with both numbers
exchanged. Its tokeniser would cut texts at four pieces if it was not told otherwise.
"""

from __future__ import annotations

import json
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from alignment.encoders import EMBEDDINGS, PIECES, write_model
from command_line import CommandLine
from hyperbaton.alignment.onnx_encoder import window_starts

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("models") / "tiny")


def encode(folder: Path, *sentences: str, **settings: Any) -> list[list[list[float]]]:
    encoder = hb.OnnxEncoder(folder, **settings)
    found = encoder.encode([sentence.split(" ") for sentence in sentences])
    return [array.tolist() for array in found]


def test_layers_and_pooling(folder: Path) -> None:
    # "bc" is b and ##c: (0, 1) and (0, 3). "x" is unknown.
    assert encode(folder, "a bc x", layer=0) == [[[1, 0], [0, 2], [0, 0]]]
    assert encode(folder, "a bc x", layer="1") == [[[0, 1], [2, 0], [0, 0]]]
    assert encode(folder, "a bc", layer="hidden_states.0", pooling="first") == [[[1, 0], [0, 1]]]


def test_words_without_pieces(folder: Path) -> None:
    """Invisible characters and empty words have no pieces, and so no vector."""
    assert encode(folder, "\u200b a  b", layer=0) == [[[0, 0], [1, 0], [0, 0], [0, 1]]]
    assert encode(folder, "\u200b", layer=0) == [[[0, 0]]]
    tokens = ["a", "\u200b"], ["\u200b", "b", "a"]
    assert hb.align(*tokens, matchers=hb.OnnxEncoder(folder, layer=0)).links == ((0, 2), (1, 0))


def test_links_by_hand(folder: Path) -> None:
    # cos(c, b) = .8, cos(c, a) = .6, cos(a, d) = −1
    aligner = hb.Aligner(matchers=f"encoder:{folder}:layer=0:neighbours=0")
    assert aligner.align("a b", "c a").links == ((0, 1), (1, 0))
    assert aligner.align("a c", "d b").links == ((1, 1),)
    settings = "neighbours=0,distance=0.2,threshold=0.4"
    versions = f"onnxruntime={version('onnxruntime')},tokenizers={version('tokenizers')}"
    model = hb.OnnxEncoder(folder, layer=0)
    assert aligner.signature == (
        f"lang:none|matchers:encoder(tiny-{model.digest},layer=hidden_states.0,pooling=mean,"
        f"{versions},{settings})|tok:13a|case:lc"
    )


def version(package: str) -> str:
    from importlib import metadata

    return metadata.version(package)


def test_texts_longer_than_the_model(folder: Path) -> None:
    """Windows of four pieces and [CLS] and [SEP] give what a longer window gives."""
    words = [PIECES[k % 3 + 3] for k in range(37)] + ["bc"] * 3
    whole = encode(write_model(folder.parent / "long", window=100), " ".join(words), layer=0)
    (found,) = encode(folder, " ".join(words), layer=0, window=6)
    assert found == whole[0]
    assert found[:3] == EMBEDDINGS[3:6].tolist()
    assert found[-1] == [0, 2]
    # 37 + 6 pieces: the model knows 16, of which 14 are free.
    assert encode(folder, " ".join(words), layer=0) == whole
    assert "window=6," in hb.Aligner(matchers=f"encoder:{folder}:layer=0:window=6").signature


def test_windows_cover_every_piece() -> None:
    for content in range(4, 12):
        for length in range(60):
            starts = list(window_starts(length, content))
            ends = [start + content for start in starts]
            assert starts == sorted(set(starts))
            assert starts[0] == 0
            assert ends[-1] >= length
            # Each piece is in the middle of a window, or at an end of the text.
            for start, end in zip(starts[1:], ends[:-1], strict=True):
                assert end - start >= content // 2
                assert start + content // 4 <= end


def test_the_same_bits_in_any_company(folder: Path) -> None:
    encoder = hb.OnnxEncoder(folder, layer=1)
    rng = np.random.default_rng(42)
    sentences = [
        [PIECES[k] for k in rng.integers(3, 8, length)] for length in rng.integers(1, 25, 60)
    ]
    together = encoder.encode(sentences)
    for sentence, vectors in zip(sentences, together, strict=True):
        assert encoder.encode([sentence])[0].tobytes() == vectors.tobytes()
    again = pickle.loads(pickle.dumps(encoder))
    assert again.digest == encoder.digest
    assert again.settings == encoder.settings
    assert again.encode(sentences[:1])[0].tobytes() == together[0].tobytes()


def test_digests_tell_models_apart(folder: Path) -> None:
    other = write_model(folder.parent / "other", window=20)
    digests = {hb.OnnxEncoder(path, layer=0).digest for path in (folder, other)}
    assert len(digests) == 2


def rewrite(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | changes), "utf-8")


def test_bad_folders(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "bad")
    for settings, message in {
        "": r"model.onnx has several outputs: choose a layer; outputs: hidden_states.0, hidden_st",
        ":layer=2": r"has no layer 2; outputs: hidden_states.0, hidden_states.1",
        ":layer=x": "has no layer x",
        ":layer=0:pooling=max": "pooling must be one of mean, first, got 'max'",
        ":layer=0:window=5": "window must be a number of pieces from 6 to 16: '5'",
        ":layer=0:window=17": "window must be a number of pieces from 6 to 16: '17'",
        ":layer=0:window=x": "window must be a number of pieces from 6 to 16: 'x'",
        ":layer=0:threshold=-1": "threshold must be a number from 0 to 1, got '-1'",
    }.items():
        with pytest.raises(hb.InputError, match=message):
            hb.Aligner(matchers=f"encoder:{folder}{settings}")
    with pytest.raises(hb.InputError, match=r"is no model folder: it has no model\.onnx"):
        hb.OnnxEncoder(tmp_path)


def test_damaged_files(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "bad")
    (folder / "config.json").write_text("{", "utf-8")
    with pytest.raises(hb.InputError, match=r"cannot read .*config.json: "):
        hb.OnnxEncoder(folder, layer=0)
    (folder / "config.json").unlink()  # it is not needed
    assert hb.OnnxEncoder(folder, layer=0).encode([["a"]])[0].tolist() == [[1, 0]]
    (folder / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(hb.InputError, match=r"cannot read .*tokenizer.json: "):
        hb.OnnxEncoder(folder, layer=0)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(hb.InputError, match=r"is no model folder: it has no tokenizer\.json"):
        hb.OnnxEncoder(folder, layer=0)
    write_model(folder)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(hb.InputError, match=r"cannot read .*model.onnx: "):
        hb.OnnxEncoder(folder, layer=0)


def test_models_that_do_not_fit(tmp_path: Path) -> None:
    small = write_model(tmp_path / "small", vocabulary=7)
    message = "tokenizer.json has 8 pieces, but the model knows 7: they do not belong together"
    with pytest.raises(hb.InputError, match=message):
        hb.OnnxEncoder(small, layer=0)
    # Without config.json, the model fails where a piece is unknown.
    more = write_model(tmp_path / "more", pieces=[*PIECES, "e"])
    (more / "config.json").unlink()
    encoder = hb.OnnxEncoder(more, layer=0)
    with pytest.raises(hb.InputError, match=r"model.onnx fails on sentences of 3 pieces: "):
        encoder.encode([["e"]])
    pooled = write_model(tmp_path / "pooled", rank=2)
    with pytest.raises(hb.InputError, match=r"the output hidden_states.0 has the shape \(1, 2\)"):
        hb.OnnxEncoder(pooled, layer=0)
    other = write_model(tmp_path / "other", second_input="pixels")
    with pytest.raises(hb.InputError, match="needs the input 'pixels'; known: input_ids, attent"):
        hb.OnnxEncoder(other, layer=0)


def test_missing_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("onnxruntime", "tokenizers"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            message = f"the package {package} is missing: pip install 'hyperbaton\\[onnx\\]'"
            with pytest.raises(hb.MissingData, match=message):
                hb.OnnxEncoder(folder, layer=0)


def test_commands(folder: Path, cli: CommandLine) -> None:
    shown = cli.succeed("align", "a b", "c a", "-m", f"encoder:{folder}:layer=0:neighbours=0")
    assert "0 a ── 1 a  encoder" in shown.stdout
    message = cli.error("align", "a", "a", "-m", f"encoder:{folder}:layer=7")
    assert message == (
        f"{folder / 'model.onnx'} has no layer 7; outputs: hidden_states.0, hidden_states.1"
    )
    message = cli.error("explain", "a", "a", "-m", f"pef:align=encoder:{folder.parent}")
    assert message == f"{folder.parent} is no model folder: it has no model.onnx"
