"""Saved models: what is written is read back, and nothing else is read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hyperbaton.errors import InputError
from hyperbaton.files.model_files import END, MAGIC, is_model_file
from hyperbaton.softorder.model_files import PRECEDENCE_FORMAT, load_model, save_model
from hyperbaton.softorder.precedence import PrecedenceModel
from hyperbaton.text.tokenization import Tokenization
from softorder.sentences import AS_WRITTEN, count_lines, joined, random_pairs

SECTIONS = PRECEDENCE_FORMAT.sections

LINES = joined([ref for _, ref in random_pairs(2, 12, most=6)])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "the model"


def content(model: PrecedenceModel) -> list[Any]:
    arrays = model.word_counts, *model.next, *model.after_next
    fields = model.text, model.lines, model.digest, model.parts, model.part_count, model.words
    return [*fields, *((array.dtype, array.tolist()) for array in arrays)]


def saved(path: Path, model: PrecedenceModel | None = None) -> bytes:
    save_model(count_lines(LINES) if model is None else model, path)
    return path.read_bytes()


class ModelFile:
    """A file in pieces, which can be changed. Its checksum is right unless that is changed, too."""

    def __init__(self, data: bytes) -> None:
        self.first, header, rest = data.split(b"\n", 2)
        self.header = json.loads(header)
        self.arrays: dict[str, Any] = {}
        at = 0
        for name, kind in SECTIONS:
            size = self.header["sizes"][name] * np.dtype(kind).itemsize
            self.arrays[name] = np.frombuffer(rest[at : at + size], kind).copy()
            at += size
        assert len(rest) - at == 32 + 1  # checksum and end

    def set_array(self, name: str, values: Any) -> None:
        """Replace an array, and its size in the header."""
        self.arrays[name] = np.array(values, dict(SECTIONS)[name])
        self.header["sizes"][name] = len(self.arrays[name])

    def data(self) -> bytes:
        header = json.dumps(self.header).encode()
        arrays = b"".join(array.tobytes() for array in self.arrays.values())
        return with_checksum(b"\n".join([self.first, header, arrays]))


def with_checksum(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest() + b"\xff"


def check_refused(path: Path, data: bytes, message: str = "damaged: fit the model again") -> None:
    path.unlink(missing_ok=True)  # some file systems flush a file that is overwritten
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        load_model(path)
    text = str(error.value)
    assert message in text
    assert path.name in text
    assert "\n" not in text


# What is written -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model",
    [
        count_lines(LINES),
        count_lines([""]),
        count_lines(LINES, part=2, parts=5),
        count_lines(LINES, part=0, parts=3).merge(count_lines(LINES, part=2, parts=3)),
        count_lines(["x"], part=0, parts=2),  # one of these two
        count_lines(["x"], part=1, parts=2),  # has no lines
        count_lines(LINES, Tokenization("13a", "lc", "standard", "drop", turkic=True)),
    ],
    ids=["lines", "an empty line", "part", "parts", "first", "second", "other tokens"],
)
def test_a_model_is_read_back(model: PrecedenceModel, path: Path) -> None:
    save_model(model, path)
    assert is_model_file(path)
    assert content(load_model(path)) == content(model)
    assert load_model(str(path)).label == model.label


def test_equal_models_have_equal_files(path: Path) -> None:
    parts = [count_lines(LINES[::-1], part=part, parts=2) for part in range(2)]
    assert saved(path) == saved(path, parts[1].merge(parts[0]))


def test_the_format_is_what_its_description_says(path: Path) -> None:
    save_model(count_lines(["b a b", "é"]), path)
    data = path.read_bytes()
    first, header, rest = data.split(b"\n", 2)
    assert first == b"\xff\xf8hyperbaton\xf8\xff" + b"precedence/2"
    assert data == with_checksum(data[:-33])
    assert json.loads(header)["lines"] == 2
    assert json.loads(header)["text"]["tok"] == "none"
    # The words a, b and é have the numbers 0, 1 and 2; the marks are 3 and 4.
    words = "a\0b\0é\0".encode()
    # a b, b a, b <end>, é <end>, <begin> b, <begin> é, each once
    # b b, a <end>, <begin> a, <begin> <end>, each once
    arrays = [
        np.array([1, 2, 1, 2, 2], "<i8"),
        np.array([0, 1, 3, 4, 6, 6], "<i8"),
        np.array([1, 0, 4, 4, 1, 2], "<i4"),
        np.array([1, 1, 1, 1, 1, 1], "<u4"),
        np.array([0, 1, 2, 2, 4, 4], "<i8"),
        np.array([4, 1, 0, 4], "<i4"),
        np.array([1, 1, 1, 1], "<u4"),
    ]
    assert rest[:-33] == words + b"".join(array.tobytes() for array in arrays)


def test_an_existing_file_is_replaced(path: Path) -> None:
    path.write_text("something else")
    saved(path)
    assert content(load_model(path)) == content(count_lines(LINES))
    assert [child.name for child in path.parent.iterdir()] == [path.name]


# What is not a model ---------------------------------------------------------------------------


def test_files_that_are_no_models(path: Path) -> None:
    check_refused(path, b"", "is not a saved model: hyperbaton fit writes them")
    check_refused(path, b"a line of text\n", "is not a saved model")
    assert not is_model_file(path)
    check_refused(path, b"\x1f\x8b\x08\x00" * 9, "it is a damaged gzip file")
    with pytest.raises(InputError, match=r"^cannot read .*nowhere: No such file"):
        load_model(path.parent / "nowhere")
    with pytest.raises(InputError, match=r"^cannot read .*: Is a directory"):
        load_model(path.parent)


@pytest.mark.parametrize("version", ["1", "2.0", "", "22", "02", "two", "\x1b[31m", "2 \x00"])
def test_other_versions(version: str, path: Path) -> None:
    data = saved(path).replace(b"/2\n", b"/" + version.encode() + b"\n", 1)
    check_refused(path, data, "of the format, but only version 2 can be read: fit the model again")
    path.write_bytes(data)
    assert is_model_file(path)  # so that it is not counted as text
    with pytest.raises(InputError) as error:
        load_model(path)
    assert str(error.value).isprintable()


def test_another_kind_of_model(path: Path) -> None:
    data = saved(path).replace(b"precedence", b"source-aligner", 1)
    message = "is a model of the kind source-aligner, not precedence: hyperbaton fit writes them"
    check_refused(path, data, message)
    assert is_model_file(path)


def test_every_bit_counts(path: Path) -> None:
    """Most changes are of what the checksum covers, and the first line has messages of its own."""
    data = saved(path, count_lines(["b a b", "é"]))
    for place in range(len(data)):
        for bit in range(8):
            changed = bytearray(data)
            changed[place] ^= 1 << bit
            check_refused(path, bytes(changed), "model")
            if place < len(MAGIC):
                assert not is_model_file(path)


def test_every_length_counts(path: Path) -> None:
    data = saved(path, count_lines(["b a b", "é"]))
    for length in range(len(MAGIC), len(data)):
        check_refused(path, data[:length])
    check_refused(path, data + b"\0")
    check_refused(path, data + END)
    check_refused(path, data + data)


# Files with a right checksum and wrong content -------------------------------------------------


def change_header(key: str, value: Any) -> Callable[[ModelFile], None]:
    return lambda file: file.header.update({key: value})


def change_size(name: str, value: Any) -> Callable[[ModelFile], None]:
    return lambda file: file.header["sizes"].update({name: value})


def change_text(key: str, value: Any) -> Callable[[ModelFile], None]:
    return lambda file: file.header["text"].update({key: value})


def add_to(name: str, place: int, amount: int) -> Callable[[ModelFile], None]:
    def change(file: ModelFile) -> None:
        file.arrays[name][place] += np.array(amount).astype(file.arrays[name].dtype)

    return change


def set_array(name: str, change: Callable[[list[int]], Any]) -> Callable[[ModelFile], None]:
    return lambda file: file.set_array(name, change(file.arrays[name].tolist()))


def swap_followers(file: ModelFile) -> None:
    """Swap two words that follow the same word."""
    offsets = file.arrays["next_offsets"]
    (row, *_) = np.flatnonzero(np.diff(offsets) > 1)
    at = offsets[row]
    followers = file.arrays["next_followers"]
    followers[[at, at + 1]] = followers[[at + 1, at]]


def empty_tables(file: ModelFile) -> None:
    for table in ("next", "after_next"):
        file.set_array(f"{table}_offsets", [0] * len(file.arrays[f"{table}_offsets"]))
        file.set_array(f"{table}_followers", [])
        file.set_array(f"{table}_counts", [])


WRONG_FIELDS: dict[str, tuple[Any, ...]] = {
    "lines": (-1, 0, 7, 1.5, 11.0, "12", None, True, [], 10**30),
    "digest": ("", "0" * 31, "0" * 33, "-" + "0" * 31, "0x" + "0" * 30, "G" * 32, 5, None),
    "parts": ([], [1], [-1], [0, 0], [0.0], ["0"], "0", 0, None, [True], [[0]], {"0": 0}),
    "part_count": (0, -1, 1.0, "1", None, True, []),
    "text": (None, [], {}, "13a", {"tok": "none"}, 3),
    "sizes": (None, [], {}, 3),
}
WRONG_SIZES: tuple[Any, ...] = (0, 1, -1, 10**6, 10**30, 1.0, "3", None, [], float("nan"))
CHANGES: dict[str, Callable[[ModelFile], None]] = {
    **{
        f"{key} is {value!r:.20}": change_header(key, value)
        for key, values in WRONG_FIELDS.items()
        for value in values
    },
    **{
        f"{name} has the size {value!r:.20}": change_size(name, value)
        for name, _ in SECTIONS
        for value in WRONG_SIZES
    },
    "two parts that are one": lambda file: file.header.update(parts=[0, 0], part_count=2),
    "parts in the wrong order": lambda file: file.header.update(parts=[1, 0], part_count=3),
    "text with another field": change_text("lang", "en"),
    "text with a number": change_text("tok", 13),
    "turkic is a number": change_text("turkic", 0),
    "words without an end": set_array("words", lambda words: words[:-1]),
    "words that are not UTF-8": set_array("words", lambda words: [255, *words[1:]]),
    "words in the wrong order": set_array("words", lambda words: [*b"\xf0\x9d\x90\x80", *words]),
    "one more word": set_array("words", lambda words: [*words, *b"\xf4\x8f\xbf\xbf\0"]),
    "no words": set_array("words", lambda words: []),
    "one more count": set_array("word_counts", lambda counts: [*counts, 1]),
    "swapped followers": swap_followers,
    "no pairs": empty_tables,
    **{
        f"{name}[{place}] + {amount}": add_to(name, place, amount)
        for name, kind in SECTIONS[1:]
        for place in (0, 5, -1)
        for amount in (1, -1, np.iinfo(kind).max // 2)
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_contradictions(change: Callable[[ModelFile], None], path: Path) -> None:
    file = ModelFile(saved(path))
    path.write_bytes(file.data())
    assert content(load_model(path)) == content(count_lines(LINES))  # before the change
    change(file)
    check_refused(path, file.data())


@pytest.mark.parametrize("key", ["text", "lines", "digest", "parts", "part_count", "sizes"])
def test_missing_fields(key: str, path: Path) -> None:
    file = ModelFile(saved(path))
    del file.header[key]
    check_refused(path, file.data())


@pytest.mark.parametrize(
    "header",
    [b"", b"null", b"[]", b"3", b'"text"', b"{", b"\xff\xfe", b"[" * 100_000, b"{}" * 2, b"NaN"],
    ids=lambda header: repr(header[:8]),
)
def test_headers_that_are_no_objects(header: bytes, path: Path) -> None:
    first, _, rest = saved(path).split(b"\n", 2)
    check_refused(path, with_checksum(b"\n".join([first, header, rest[:-33]])))


def test_unfinished_writing_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved(path)
    monkeypatch.setattr("json.dumps", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save_model(count_lines(["other"], AS_WRITTEN), path)
    assert path.read_bytes() == before
