"""axe-core is used only if its archive is the expected one."""

from __future__ import annotations

import hashlib
import os
import sys
import tarfile
from pathlib import Path

import pytest

from views import get_axe

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="npm is a shell script here")


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An archive, and an npm that "downloads" it into the current folder."""
    script = tmp_path / "axe.min.js"
    script.write_text("axe = {};", "utf-8")
    path = tmp_path / "axe-core.tgz"
    with tarfile.open(path, "w:gz") as files:
        files.add(script, "package/axe.min.js")
    programs = tmp_path / "bin"
    programs.mkdir()
    npm = programs / "npm"
    npm.write_text(f"#!/bin/sh\ncp '{path}' .\n", "utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return path


def test_another_archive_is_refused(archive: Path, tmp_path: Path) -> None:
    folder = tmp_path / "download"
    folder.mkdir()
    with pytest.raises(SystemExit, match=r"axe-core\.tgz has the wrong checksum"):
        get_axe.download(folder)


def test_the_script_is_extracted(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(get_axe, "SHA512", hashlib.sha512(archive.read_bytes()).hexdigest())
    folder = tmp_path / "download"
    folder.mkdir()
    assert get_axe.extract(get_axe.download(folder)) == b"axe = {};"


def test_npm_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="needs npm"):
        get_axe.download(tmp_path)
