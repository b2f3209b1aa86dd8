"""Damaged models: no part or change of a file is taken for a text, or for another model."""

from __future__ import annotations

import gzip
import random
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperbaton import SourceAligner, metrics
from hyperbaton.errors import InputError
from hyperbaton.metrics.parts import with_saved_model
from hyperbaton.softorder.model_files import save_model
from hyperbaton.text.tokenization import Tokenization
from softorder.sentences import count_lines

EXAMPLE = Path(metrics.__file__).parents[1] / "example"
CHANGES, MORE_CHANGES = 2000, 100_000
Read = Callable[[Path], object]
Write = Callable[[Path, list[str]], None]


def use_precedence(path: Path) -> object:
    """Read what an option names: a text or a model."""
    return with_saved_model(metrics.get("hyper", precedence=path))


def write_precedence(path: Path, lines: list[str]) -> None:
    save_model(count_lines(lines, Tokenization()), path)


def write_aligner(path: Path, lines: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of few sentences
        pairs = list(zip(lines[::-1], lines, strict=True))
        SourceAligner.train(pairs, iterations=1, threads=1).save(path)


KINDS: dict[str, tuple[Write, Read]] = {
    "precedence": (write_precedence, use_precedence),
    "aligner": (write_aligner, SourceAligner.load),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def model(kind: str, folder: Path, lines: list[str]) -> bytes:
    KINDS[kind][0](folder / "model", lines)
    return (folder / "model").read_bytes()


def small_model(kind: str, folder: Path) -> bytes:
    return model(kind, folder, ["a b", "é"])


def large_model(kind: str, folder: Path) -> bytes:
    return model(kind, folder, (EXAMPLE / "reference.txt").read_text("utf-8").splitlines())


def check_refused(kind: str, path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)  # some file systems flush a file that is overwritten
    path.write_bytes(data)
    try:
        KINDS[kind][1](path)
    except InputError as error:
        message = str(error)
        assert message.isprintable(), message
        return
    pytest.fail(f"these bytes were read: {data!r:.200}")


@kinds
def test_models_are_read(kind: str, tmp_path: Path) -> None:
    """So that it is not by mistake that damaged ones are refused."""
    for data in (small_model(kind, tmp_path), large_model(kind, tmp_path)):
        (tmp_path / f"copy of {len(data)} bytes").write_bytes(data)
        KINDS[kind][1](tmp_path / f"copy of {len(data)} bytes")


@kinds
def test_every_prefix_and_every_suffix_is_refused(kind: str, tmp_path: Path) -> None:
    data = small_model(kind, tmp_path)
    path = tmp_path / "part"
    for length in range(len(data)):
        check_refused(kind, path, data[:length])
    for start in range(1, len(data)):
        check_refused(kind, path, data[start:])


@kinds
def test_every_change_of_a_bit_is_refused(kind: str, tmp_path: Path) -> None:
    data = small_model(kind, tmp_path)
    for place in range(8 * len(data)):
        changed = bytearray(data)
        changed[place // 8] ^= 1 << place % 8
        check_refused(kind, tmp_path / "changed", bytes(changed))


def random_change(data: bytes, rng: random.Random) -> bytes:
    """A change as disks, transfers and editors make it."""
    a, b = sorted(rng.sample(range(len(data) + 1), 2))
    if rng.random() < 0.3:  # near the begin, where a file says what it is
        a, b = min(a, rng.randrange(40)), min(b, rng.randrange(40, 80))
    part = data[a:b]
    changed = bytearray(data)
    match rng.randrange(8):
        case 0:
            for place in rng.choices(range(len(data)), k=rng.randint(1, 20)):
                changed[place] ^= 1 << rng.randrange(8)
        case 1:
            for place in rng.choices(range(a, b), k=rng.randint(1, 20)):
                changed[place] = rng.randrange(256)
        case 2:
            changed[a:b] = bytes(len(part))
        case 3:
            del changed[a:b]
        case 4:
            changed[a:b] = part + part
        case 5:
            changed[a:b] = rng.randbytes(rng.randint(0, 50))
        case 6:
            changed[a:b] = part.replace(b"\n", b"\r\n")
        case 7:
            del changed[rng.choice((b, len(data) - a)) :]
    return bytes(changed)


def check_random_changes(kind: str, folder: Path, count: int) -> None:
    data = large_model(kind, folder)
    assert len(data) > 10_000
    rng = random.Random(count)
    for _ in range(count):
        changed = random_change(data, rng)
        if changed != data:
            check_refused(kind, folder / "changed", changed)


@kinds
def test_random_changes_are_refused(kind: str, tmp_path: Path) -> None:
    check_random_changes(kind, tmp_path, CHANGES)


@pytest.mark.faults
@kinds
def test_many_random_changes_are_refused(kind: str, tmp_path: Path) -> None:
    check_random_changes(kind, tmp_path, MORE_CHANGES)


def test_a_damaged_model_is_no_text_if_compressed_or_in_a_column(tmp_path: Path) -> None:
    data = small_model("precedence", tmp_path)
    for part in (data[:5], data[:13], data[:20], data[-5:], b"\x7f" + data[1:]):
        (tmp_path / "part.gz").unlink(missing_ok=True)
        check_refused("precedence", tmp_path / "part.gz", gzip.compress(part))
        for name in ("part.tsv:1", "part.jsonl:text"):
            (tmp_path / name.split(":")[0]).write_bytes(part)
            with pytest.raises(InputError, match="is not UTF-8") as error:
                use_precedence(tmp_path / name)
            assert str(error.value).isprintable()


def test_a_compressed_model_is_read(tmp_path: Path) -> None:
    (tmp_path / "model.gz").write_bytes(gzip.compress(small_model("precedence", tmp_path)))
    use_precedence(tmp_path / "model.gz")
