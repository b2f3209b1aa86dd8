"""Every input in fuzz/corpus of a Python target: seeds, and all crashes that were ever found."""

from __future__ import annotations

import ast
import runpy
import sys
import time
from pathlib import Path

import pytest
from fuzz.python import make_corpus, targets
from fuzz.python.runner import CORPUS, corpus_files, mutate
from fuzz.python.targets import (
    BugFoundError,
    CaseTimeoutError,
    Target,
    load_targets,
    outcomes,
    run_case,
)

import hyperbaton
from hyperbaton.errors import InputError
from waiting import HANGING

TARGETS = load_targets()
USED_DIRECTLY = ("vector_units", "Lines.from_bytes", "Lines.tolist")  # a case stops if they fail


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_of_the_corpus_fails(name: str) -> None:
    files = corpus_files(name)
    assert files
    for file in files:
        run_case(TARGETS[name], file.read_bytes())


def test_the_corpus_reaches_every_entrance() -> None:
    """Each function of the core returns a value for some input, so no target stops early."""
    outcomes.returned.clear()
    for name, target in TARGETS.items():
        if name.startswith("binding_"):
            for file in corpus_files(name):
                run_case(target, file.read_bytes())
    missing = [name for name in entrances() if name not in outcomes.returned]
    assert not missing


def entrances() -> list[str]:
    """The functions, constructors and methods of ``_core.pyi``; those that Python calls are not
    called by name, and neither are properties."""
    stub = Path(hyperbaton.__file__).with_name("_core.pyi").read_text("utf-8")
    names: list[str] = []
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.ClassDef):
            names += [
                f"{node.name}.{item.name}"
                for item in node.body
                if isinstance(item, ast.FunctionDef)
                and not item.name.startswith("__")
                and not any(getattr(d, "id", "") == "property" for d in item.decorator_list)
            ]
    return [name for name in dict.fromkeys(names) if name not in USED_DIRECTLY]


def test_the_corpus_is_small() -> None:
    sizes = [file.stat().st_size for name in TARGETS for file in corpus_files(name)]
    assert max(sizes) <= 4096
    assert sum(sizes) <= 300_000
    assert {path.name for path in CORPUS.iterdir()} >= set(TARGETS)


@pytest.mark.parametrize(
    "error", [ValueError("any"), RuntimeError("any"), MemoryError(), InputError("two\nlines")]
)
def test_bugs_are_found(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that raises anything but an error of its own fails, and so does an odd message."""
    from fuzz.python import reader_texts

    def read(path: str) -> None:
        raise error

    monkeypatch.setattr(reader_texts, "read_lines", read)
    if isinstance(error, InputError):
        monkeypatch.setattr(InputError, "__str__", Exception.__str__)
    target = Target("reader_lines", reader_texts.check_lines)
    with pytest.raises((BugFoundError, ValueError, RuntimeError)):
        run_case(target, b"")


def test_mutations_are_reproducible() -> None:
    import random

    found = [mutate(random.Random(5), b"abc" * 9, b"xyz" * 9, (b"word",)) for _ in range(2)]
    assert found[0] == found[1]
    assert len({mutate(random.Random(k), b"abc" * 9, b"xyz", ()) for k in range(50)}) > 40


@pytest.mark.skipif(sys.platform == "win32", reason="cases have no timer")
def test_a_single_file_is_run_with_the_same_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input that failed because it hangs fails again, instead of hanging for ever."""

    def spin(data: bytes) -> None:
        end = time.process_time() + HANGING
        while time.process_time() < end:
            pass

    monkeypatch.setitem(TARGETS, "slow", Target("slow", spin))
    monkeypatch.setattr(targets, "CASE_SECONDS", 0.1)
    (tmp_path / "input").write_bytes(b"")
    monkeypatch.setattr(sys, "argv", ["fuzz", "slow", "--run", str(tmp_path / "input")])
    with pytest.raises(CaseTimeoutError):
        runpy.run_module("fuzz.python", run_name="__main__")


def test_seeds_of_other_targets_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_corpus, "CORPUS", tmp_path)
    for name in ("reader_frames", "reader_pharaoh"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "seed-old").touch()
    make_corpus.main(["reader_frames"])
    assert not (tmp_path / "reader_frames" / "seed-old").exists()
    assert any((tmp_path / "reader_frames").iterdir())
    assert [path.name for path in (tmp_path / "reader_pharaoh").iterdir()] == ["seed-old"]
