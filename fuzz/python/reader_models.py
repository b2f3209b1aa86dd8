"""Readers of saved models: of the soft order and of the source aligner."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from fuzz.python.byte_source import EXTREME_INTEGERS, ByteSource
from fuzz.python.scratch import scratch_file
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.alignment.source_aligner import SourceAligner
from hyperbaton.files.model_files import END, MAGIC
from hyperbaton.softorder.model_files import load_model, save_model
from hyperbaton.softorder.precedence import PrecedenceCounter
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import lines_from_strings

SOURCES = ["das Haus ist alt", "das Haus", "alt ist es", "ein Haus"]
TARGETS = ["the house is old", "the house", "old it is", "a house"]


@cache
def precedence_model(process: int) -> bytes:
    """Return the file of a model of the soft order."""
    counter = PrecedenceCounter(Tokenization())
    counter.add(lines_from_strings(TARGETS), 1)
    path = scratch_file("written", b"")
    save_model(counter.model(), path)
    return Path(path).read_bytes()


@cache
def aligner_model(process: int) -> bytes:
    """Return the file of a source aligner."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aligner = SourceAligner.train(zip(SOURCES, TARGETS, strict=True), seed=1)
    path = scratch_file("written", b"")
    aligner.save(path)
    return Path(path).read_bytes()


def _damage(source: ByteSource, content: bytes) -> bytes:
    """Change a file and, most often, make its checksum right again."""
    first, header, rest = content.split(b"\n", 2)
    arrays = bytearray(rest[: -hashlib.sha256().digest_size - len(END)])
    fields: dict[str, Any] = json.loads(header)
    for _ in range(source.integer(0, 3)):
        match source.integer(0, 4):
            case 0 if arrays:
                arrays[source.integer(0, len(arrays) - 1)] = source.byte()
            case 1:
                place = source.integer(0, len(arrays))
                arrays[place : place + 8] = source.choice(EXTREME_INTEGERS).to_bytes(
                    8, "little", signed=True
                )
            case 2:
                key = source.choice(list(fields))
                fields[key] = _odd_json(source)
            case 3:
                sizes = fields["sizes"]
                if isinstance(sizes, dict) and sizes:
                    sizes[source.choice(list(sizes))] = _odd_json(source)
            case 4:
                del arrays[source.integer(0, len(arrays)) :]
    header = json.dumps(fields).encode()
    if source.chance(24):
        header = source.take(20)
    if source.chance(16):
        first += source.take(4)
    body = first + b"\n" + header + b"\n" + arrays
    checksum = hashlib.sha256(body).digest()
    if source.chance(16):
        checksum = source.take(5)
    return body + checksum + END


def _odd_json(source: ByteSource) -> Any:
    makers: tuple[Callable[[], Any], ...] = (
        source.any_integer,
        lambda: source.choice((1 << 40, 1 << 64, 10**30, -1, 2.5, None, True)),
        lambda: source.text(3),
        lambda: [source.any_integer()],
        dict,
        lambda: {"tok": "13a"},
        lambda: float("nan"),
    )
    return source.choice(makers)()


@target("reader_models")
def check_models(data: bytes) -> None:
    """Load a damaged model, and use it if it loads."""
    source = ByteSource(data)
    if source.chance(128):
        path = scratch_file("model", _damage(source, precedence_model(os.getpid())))
        with only_user_errors("load_model"):
            model = load_model(path)
            again = scratch_file("again", b"")
            save_model(model, again)
            require(load_model(again).hexadecimal_digest == model.hexadecimal_digest, "the same")
    else:
        path = scratch_file("model", _damage(source, aligner_model(os.getpid())))
        with only_user_errors("SourceAligner.load"):
            aligner = SourceAligner.load(path)
            list(aligner.align(SOURCES[:2], TARGETS[:2]))


@target("reader_model_bytes", MAGIC + b"precedence/2\n", MAGIC + b"source-aligner/2\n")
def check_model_bytes(data: bytes) -> None:
    """Load a file of any bytes."""
    path = scratch_file("model", data)
    with only_user_errors("load_model"):
        load_model(path)
    with only_user_errors("SourceAligner.load"):
        SourceAligner.load(path)
