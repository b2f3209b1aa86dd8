"""Files of precedence models.

Their arrays are the words; the counts of words (int64); and for neighbours, then for words two
apart, the offsets (int64), the followers (int32) and the counts (uint32) of a
:class:`~hyperbaton.softorder.precedence.PairCounts`. :mod:`hyperbaton.files.model_files` has the
rest of the format.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy.typing as npt

from hyperbaton.files.lines import StrPath
from hyperbaton.files.model_files import ModelFormat, pack_words, read_tokenization, unpack_words
from hyperbaton.softorder.precedence import PairCounts, PrecedenceModel

PRECEDENCE_FORMAT = ModelFormat(
    b"precedence",
    b"2",
    (
        ("words", "u1"),
        ("word_counts", "<i8"),
        ("next_offsets", "<i8"),
        ("next_followers", "<i4"),
        ("next_counts", "<u4"),
        ("after_next_offsets", "<i8"),
        ("after_next_followers", "<i4"),
        ("after_next_counts", "<u4"),
    ),
    "hyperbaton fit writes them",
    "fit the model again",
)
DIGEST = re.compile("[0-9a-f]{32}")


def save_model(model: PrecedenceModel, path: StrPath) -> None:
    """Write a model to a file, which is replaced only when it is complete."""
    header = {
        "text": asdict(model.text),
        "lines": model.lines,
        "digest": model.hexadecimal_digest,
        "parts": list(model.parts),
        "part_count": model.part_count,
    }
    arrays: list[npt.NDArray[Any]] = [pack_words(model.words), model.word_counts]
    PRECEDENCE_FORMAT.write(path, header, [*arrays, *model.next, *model.after_next])


def load_model(path: StrPath) -> PrecedenceModel:
    """Read a model from a file.

    Raises
    ------
    InputError
        If it is not a model of this version, or damaged.
    """
    return PRECEDENCE_FORMAT.read(path, _build_model)


def _build_model(header: dict[str, Any], arrays: list[npt.NDArray[Any]]) -> PrecedenceModel:
    """Return the model of a file, or raise one of several errors if the file is damaged."""
    words, word_counts, *pairs = arrays
    if not DIGEST.fullmatch(header["digest"]):
        raise ValueError("digest")
    model = PrecedenceModel(
        read_tokenization(header["text"]),
        header["lines"],
        (int(header["digest"][:16], 16), int(header["digest"][16:], 16)),
        tuple(header["parts"]),
        header["part_count"],
        unpack_words(words),
        word_counts,
        PairCounts(*pairs[:3]),
        PairCounts(*pairs[3:]),
    )
    _check_numbers(model)
    return model


def _check_numbers(model: PrecedenceModel) -> None:
    """Raise an error if the numbers of a model contradict each other."""
    integers = [model.lines, model.part_count, *model.parts]
    if not all(type(number) is int and number >= 0 for number in integers):
        raise ValueError("integers")
    is_sorted = all(a < b for a, b in pairwise(model.words)) and all(
        a < b for a, b in pairwise(model.parts)
    )
    parts_exist = model.parts and model.parts[-1] < model.part_count
    if not is_sorted or not parts_exist or len(model.word_counts) != len(model.words) + 2:
        raise ValueError("words")
    if model.word_counts[-2:].tolist() != [model.lines, model.lines]:
        raise ValueError("lines")
    model.check_counts()
