"""What may be in the archives of a release."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from release.contents import ContentsError, check_sdist, check_wheel

TRACKED = ["README.md", ".ci/run", "src/hyperbaton/__init__.py", "tests/test_it.py"]
SDIST = ["PKG-INFO", "README.md", "src/hyperbaton/__init__.py", "tests/test_it.py"]
WHEEL = ["hyperbaton/__init__.py", "hyperbaton/_core.abi3.so", "hyperbaton-1.dist-info/METADATA"]


def sdist(folder: Path, names: list[str]) -> Path:
    """Write an sdist with empty files."""
    path = folder / "hyperbaton-1.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(f"hyperbaton-1/{name}"))
    return path


def wheel(folder: Path, names: list[str]) -> Path:
    """Write a wheel with empty files."""
    path = folder / "hyperbaton-1-cp312-abi3-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_an_sdist_has_the_tracked_files(tmp_path: Path) -> None:
    assert "4 files" in check_sdist(sdist(tmp_path, SDIST), TRACKED, [".ci"])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([*SDIST, "build/report.html"], r"not expected: \['build/report.html'\]; missing: \[\]"),
        ([*SDIST, ".ci/run"], r"not expected: \['.ci/run'\]"),
        (SDIST[:-1], r"missing: \['tests/test_it.py'\]"),
    ],
)
def test_an_sdist_with_other_files(tmp_path: Path, names: list[str], message: str) -> None:
    with pytest.raises(ContentsError, match=message):
        check_sdist(sdist(tmp_path, names), TRACKED, [".ci"])


def test_a_wheel_has_the_package_and_its_core(tmp_path: Path) -> None:
    assert "3 files" in check_wheel(wheel(tmp_path, WHEEL), TRACKED)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([*WHEEL, "hyperbaton/_core.cpython-311.so"], "one compiled module is expected"),
        ([WHEEL[0], WHEEL[2]], "one compiled module is expected"),
        ([*WHEEL, "tests/test_it.py"], r"not expected: \['tests/test_it.py'\]"),
        (WHEEL[1:], r"missing: \['hyperbaton/__init__.py'\]"),
    ],
)
def test_a_wheel_with_other_files(tmp_path: Path, names: list[str], message: str) -> None:
    with pytest.raises(ContentsError, match=message):
        check_wheel(wheel(tmp_path, names), TRACKED)
