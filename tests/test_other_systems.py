"""What differs on Windows and macOS, simulated: paths, line ends, consoles, missing modules."""

from __future__ import annotations

import ast
import errno
import io
import os
import re
import signal
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.cli import cleanup_on_signals, is_closed_pipe, main
from hyperbaton.cli.align_source import open_file_limit
from hyperbaton.cli.completion import install_completion
from hyperbaton.files.columns import read_texts, split_column
from hyperbaton.files.output_files import write_beside
from hyperbaton.serve.storage import LOCK, LockedFolder
from hyperbaton.serve.worker import limit_resources
from hyperbaton.syntax import parsers
from hyperbaton.threads import thread_count
from waiting import wait_until

PACKAGE = Path(hb.__file__).parent
# Modules of the standard library that Windows does not have.
POSIX_ONLY = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"}


@cache
def modules() -> list[tuple[Path, ast.Module]]:
    """All modules of the package, parsed."""
    return [(path, ast.parse(path.read_text("utf-8"))) for path in PACKAGE.rglob("*.py")]


@pytest.mark.parametrize(
    ("source", "path", "kind", "column"),
    [
        (r"C:\data\ref.txt", r"C:\data\ref.txt", "text", None),
        (r"C:\data\ref.txt:column", r"C:\data\ref.txt:column", "text", None),
        (r"C:\data\ref.tsv:column", r"C:\data\ref.tsv", "tsv", "column"),
        (r"D:ref.jsonl:key", "D:ref.jsonl", "jsonl", "key"),
        (r"\\server\share\ref.TSV.gz:2", r"\\server\share\ref.TSV.gz", "tsv", "2"),
        (r"C:\x.tsv:dir\ref.txt", r"C:\x.tsv:dir\ref.txt", "text", None),
        (r"C:\data\*.parquet:mt", r"C:\data\*.parquet", "parquet", "mt"),
    ],
)
def test_drive_letters_are_no_columns(
    source: str, path: str, kind: str, column: str | None
) -> None:
    assert split_column(source) == (path, kind, column)


def test_a_missing_file_with_a_drive_letter_is_named() -> None:
    with pytest.raises(hb.InputError, match=re.escape(r"C:\data\ref.txt:column")):
        list(read_texts(r"C:\data\ref.txt:column"))


def test_parsers_take_paths_with_a_drive_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "UDPipeParser", lambda model: model)
    model: object = parsers.load_parser(r"udpipe:C:\models\en.udpipe")
    assert model == r"C:\models\en.udpipe"


def test_texts_with_windows_line_ends_score_the_same(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(b"one two\r\nthree\r\n")
    assert list(read_texts(str(path))) == [("one two",), ("three",)]


def test_written_files_have_plain_line_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "linesep", "\r\n")
    path = tmp_path / "out.txt"
    path.write_bytes(b"an older file\n")
    with write_beside(path) as file:
        file.write("naïve\ncafé\n")
    assert path.read_bytes() == "naïve\ncafé\n".encode()


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437"])
def test_output_is_utf_8_with_plain_line_ends_on_any_console(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = io.BytesIO()
    console = io.TextIOWrapper(stored, encoding=encoding, newline="\r\n")
    monkeypatch.setattr(sys, "stdout", console)
    assert main(["permutation", "2", "4", "1", "3"]) == 0
    console.flush()
    output = stored.getvalue()
    assert "⟨2,4,1,3⟩".encode() in output
    assert b"\r" not in output


def test_messages_can_be_printed_on_any_console(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = io.BytesIO()
    console = io.TextIOWrapper(stored, encoding="cp437")
    monkeypatch.setattr(sys, "stderr", console)
    assert main(["score", "-r", "Ω–文.txt", "also-missing.txt"]) == 2
    console.flush()
    assert "Ω–文.txt".encode() in stored.getvalue()


def test_completion_scripts_have_plain_line_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(os, "linesep", "\r\n")
    written = install_completion("bash")
    assert len(written) == 2
    for path in written:
        content = path.read_bytes()
        assert content.endswith(b"\n")
        assert b"\r" not in content


@pytest.mark.parametrize(
    ("error", "platform", "closed"),
    [
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), "linux", True),
        (OSError(errno.EINVAL, "Invalid argument"), "win32", True),
        (OSError(errno.EINVAL, "Invalid argument"), "darwin", False),
        (OSError(errno.EINVAL, "Invalid argument", "a:b.txt"), "win32", False),
        (OSError(errno.ENOSPC, "No space left on device"), "win32", False),
    ],
)
def test_a_reader_that_has_gone(error: OSError, platform: str, closed: bool) -> None:
    assert is_closed_pipe(error, platform) is closed


def test_signals_that_windows_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "SIGHUP")
    before = signal.getsignal(signal.SIGTERM)
    with cleanup_on_signals():
        assert signal.getsignal(signal.SIGTERM) is not before
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(
    ("number", "expected"), [(signal.SIGTERM, SystemExit), (signal.SIGINT, KeyboardInterrupt)]
)
def test_signals_in_finalizers_are_not_lost(
    number: int, expected: type[BaseException], capsys: pytest.CaptureFixture[str]
) -> None:
    """Python prints the exceptions of finalizers, and goes on."""

    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(number)
            time.sleep(0)  # the handler runs

    def interrupt() -> None:
        with cleanup_on_signals():
            Interrupted()
            wait_until(lambda: False)  # the signal is sent again

    before, hook = signal.signal(signal.SIGINT, signal.default_int_handler), sys.unraisablehook
    try:
        with pytest.raises(expected):
            interrupt()
    finally:
        signal.signal(signal.SIGINT, before)
    assert sys.unraisablehook is hook
    assert capsys.readouterr().err == ""


def test_modules_and_functions_that_windows_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert open_file_limit() > 0
    assert thread_count(None) == os.cpu_count()
    limit_resources(100)  # does not limit anything, and does not fail


def test_a_lock_that_cannot_be_removed_while_it_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = LockedFolder.create_temporary()
    (folder.path / "result.txt").touch()
    unlink = os.unlink

    def unlink_closed(path: str, **options: int) -> None:
        if os.fspath(path).endswith(LOCK) and not folder.lock.closed:
            raise PermissionError(errno.EACCES, "the file is open in another process")
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", unlink_closed)
    folder.close()
    assert not folder.path.exists()


def test_posix_modules_are_imported_only_inside_functions() -> None:
    for path, module in modules():
        for node in module.body:
            if isinstance(node, ast.Import):
                assert not POSIX_ONLY & {name.name for name in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert node.module not in POSIX_ONLY, path


def opens_text(call: ast.Call) -> bool:
    """Whether a call opens a text file, by the name of the function and a literal mode."""
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    if name in ("read_text", "write_text"):
        return True
    if not isinstance(call.func, ast.Name) or name != "open":
        return False
    return not any(
        isinstance(value, ast.Constant) and isinstance(value.value, str) and "b" in value.value
        for value in [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode")]
    )


def test_text_files_are_opened_with_an_encoding() -> None:
    calls = 0
    for path, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and opens_text(node):
                calls += 1
                given = {keyword.arg for keyword in node.keywords}
                literals = [a.value for a in node.args if isinstance(a, ast.Constant)]
                assert "encoding" in given or "utf-8" in literals, f"{path}, line {node.lineno}"
    assert calls > 5
