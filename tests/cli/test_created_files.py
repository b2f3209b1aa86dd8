"""Files that commands create: who may read them, how temporary ones are named, what is executed."""

from __future__ import annotations

import ast
import io
import os
import pickle
import re
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import hyperbaton
from command_line import CommandLine
from hyperbaton.serve.storage import PREFIX, LockedFolder
from hyperbaton.syntax.cache import FILE, CachedParser
from parsing import FakeParser

SOURCE = Path(hyperbaton.__file__).parent
posix = pytest.mark.skipif(os.name != "posix", reason="Windows has other permissions")

# Commands that write, each with the files that it writes.
SCORE = ("score", "-r", "ref.txt", "a.txt", "-m", "pef")
WRITERS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    ((*SCORE, "-o", "scores", "--segments", "segments"), ("scores", "segments")),
    (
        ("compare", "-r", "ref.txt", "a.txt", "b.txt", "-m", "pef", "--samples", "9", "-o", "x"),
        ("x",),
    ),
    (
        ("report", "-r", "ref.txt", "a.txt", "-m", "pef", "-o", "page", "--json", "data"),
        ("page", "data"),
    ),
    (("explain", "a b", "b a", "--html", "page", "--svg", "drawing"), ("page", "drawing")),
    (("align", "a.txt", "ref.txt", "-o", "links"), ("links",)),
    (("fit", "-r", "ref.txt", "-o", "model"), ("model",)),
    (("meta", "--example", "-m", "pef,wer", "--samples", "9", "--plot", "x.svg"), ("x.svg",)),
)


@pytest.fixture
def texts(working_directory: Path) -> Path:
    for name in ("ref.txt", "a.txt", "b.txt"):
        Path(name).write_text("a b c\nd e f\n", "utf-8")
    return working_directory


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


# Permissions


@posix
@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize("mask", [0o077, 0o027, 0o022])
def test_new_files_have_the_permissions_of_the_umask(cli: CommandLine, mask: int) -> None:
    before = os.umask(mask)
    try:
        for command, files in WRITERS:
            cli.succeed(*command)
            assert [mode(file) for file in files] == [0o666 & ~mask] * len(files), command
            for file in files:
                os.unlink(file)
    finally:
        os.umask(before)


@posix
@pytest.mark.usefixtures("texts")
def test_replaced_files_keep_their_permissions(cli: CommandLine) -> None:
    for command, files in WRITERS:
        for file in files:
            Path(file).touch(0o600)
        cli.succeed(*command)
        assert [mode(file) for file in files] == [0o600] * len(files), command
        for file in files:
            os.unlink(file)


@posix
def test_caches_and_folders_of_a_server_are_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = os.umask(0)
    try:
        list(CachedParser(FakeParser(), tmp_path / "cache").parse(["a b"]))
        folder = LockedFolder.create_temporary()
    finally:
        os.umask(before)
    assert mode(tmp_path / "cache") == 0o700
    assert mode(folder.path) == 0o700
    folder.close()


# Names


@posix
def test_planted_links_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old folders of servers are removed, but not what links beside or in them lead to."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (tmp_path / f"{PREFIX}planted").symlink_to(precious)
    inside = tmp_path / f"{PREFIX}old"
    inside.mkdir()
    (inside / "link").symlink_to(precious)
    for folder in (precious, inside):
        os.utime(folder, (0, 0))  # as old as what a killed server leaves behind
    LockedFolder.create_temporary().close()
    assert (precious / "file").exists()
    assert not inside.exists()


RECORD = """
import os, sys
def note(event, arguments):
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & os.O_CREAT:
        print(int(bool(arguments[2] & os.O_EXCL)), arguments[0], file=sys.__stdout__)
sys.addaudithook(note)
from hyperbaton.cli import main
main(sys.argv[1:])
"""


@posix
@pytest.mark.usefixtures("texts")
def test_temporary_files_are_new_and_have_random_names() -> None:
    """A file is created exclusively: a link that somebody has planted would be an error."""
    names = []
    for _ in range(2):
        command = [sys.executable, "-B", "-c", RECORD, *WRITERS[0][0]]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
        lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
        # Python itself tests the folder for temporary files.
        created = [line for line in lines if line[1].startswith(os.getcwd())]
        # Two outputs, and the record of their renaming.
        assert len(created) == 3, created
        assert all(exclusive == "1" for exclusive, _ in created), created
        names += [name for _, name in created]
    assert len(set(names)) == 6
    # At least 64 random bits.
    assert all(re.search("[0-9a-f]{16}", os.path.basename(name)) for name in names), names


# Execution

# Modules and functions that execute what a file contains. Workers and their parent process send
# each other pickles through pipes, which nobody else can write to.
UNSAFE_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "yaml"}
UNSAFE_NAMES = {"eval", "exec", "compile", "__import__"}
UNSAFE_METHODS = {("np", "load"), ("numpy", "load"), ("torch", "load"), ("os", "system")}
# Vectors are read without pickles, which would execute code.
ALLOWED = {("runs/tables/workers.py", "pickle"), ("alignment/word_vectors.py", "np.load")}


def unsafe_uses(tree: ast.AST) -> Iterator[str]:
    """Yield what in a module may execute the content of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in UNSAFE_MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in UNSAFE_MODULES:
            yield node.module
        elif isinstance(node, ast.Call):
            function = node.func
            if isinstance(function, ast.Name) and function.id in UNSAFE_NAMES:
                yield function.id
            if (
                isinstance(function, ast.Attribute)
                and isinstance(function.value, ast.Name)
                and (function.value.id, function.attr) in UNSAFE_METHODS
            ):
                yield f"{function.value.id}.{function.attr}"
            yield from (
                str(keyword.arg)
                for keyword in node.keywords
                if keyword.arg in ("allow_pickle", "shell")
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
            )


def test_nothing_in_the_package_executes_files() -> None:
    found = {
        (path.relative_to(SOURCE).as_posix(), use)
        for path in SOURCE.rglob("*.py")
        for use in unsafe_uses(ast.parse(path.read_bytes()))
    }
    assert found == ALLOWED


@pytest.mark.parametrize(
    "line",
    ["import pickle", "from marshal import loads", "eval(x)", "np.load(f)", "f(allow_pickle=True)"],
)
def test_the_check_finds_execution(line: str) -> None:
    assert list(unsafe_uses(ast.parse(line)))


class Bomb:
    """Creates a folder when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("harmed",)


def bombs() -> Iterator[bytes]:
    """Yield pickles, alone and as NumPy and torch store them."""
    for protocol in (0, 2, pickle.HIGHEST_PROTOCOL):
        yield pickle.dumps(Bomb(), protocol)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb()))
    yield content.getvalue()
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    size = len(header).to_bytes(2, "little")
    yield b"\x93NUMPY\x01\x00" + size + header + pickle.dumps([Bomb()])


@pytest.mark.usefixtures("texts")
def test_pickles_are_refused(cli: CommandLine) -> None:
    pickle.loads(next(bombs()))
    os.rmdir("harmed")  # it works
    os.makedirs("scores")
    cli.succeed("fit", "-r", "ref.txt", "-o", "model")
    model = Path("model").read_bytes()
    head = model[: model.index(b"\n") + 1]
    counting = (*SCORE, "-m", "order:precedence=bomb")
    for bomb in bombs():
        for content in (bomb, head + bomb):
            Path("bomb").write_bytes(content)
            Path("scores/00001-of-00001.parquet").write_bytes(content)
            for command in (
                counting,
                (*SCORE, "-m", "dted", "--trees", "bomb", "--ref-trees", "bomb"),
                (*SCORE, "-a", "bomb"),
                ("merge", "scores"),
                ("align", "--source", "a.txt", "--aligner-model", "bomb", "ref.txt"),
                ("align", "a", "b", "--text", "--paraphrases", "bomb", "-m", "exact,paraphrase"),
            ):
                status = cli(*command).status
                assert not os.path.exists("harmed"), command
                # A pickle of the oldest kind is text, and word pairs are counted in any text.
                assert status == 2 or (content.isascii() and command == counting), command


def test_a_cache_of_pickles_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for bomb in bombs():
        (tmp_path / FILE).write_bytes(bomb)
        with pytest.warns(UserWarning, match="is damaged: the cache of trees is built again"):
            assert len(list(CachedParser(FakeParser(), tmp_path).parse(["a b"]))) == 1
    assert not os.path.exists("harmed")
