"""What an sdist and a wheel must contain: the files under version control, and nothing else."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from collections.abc import Collection
from pathlib import Path, PurePosixPath

PACKAGE = "src/hyperbaton/"
EXTENSIONS = (".so", ".pyd")


class ContentsError(Exception):
    """An archive lacks files or contains others."""


def tracked_files(root: Path) -> set[str]:
    """Return the paths of the files that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True)
    return set(listed.stdout.decode("utf-8").split("\0")) - {""}


def expected_in_sdist(tracked: Collection[str], excluded: Collection[str]) -> set[str]:
    """Return the tracked files that no name of ``sdist.exclude`` covers."""
    return {
        path
        for path in tracked
        if not any(path == name or path.startswith(f"{name}/") for name in excluded)
    }


def expected_in_wheel(tracked: Collection[str]) -> set[str]:
    """Return the files of the package, without the compiled core."""
    return {path.removeprefix("src/") for path in tracked if path.startswith(PACKAGE)}


def compare_names(what: str, found: Collection[str], expected: Collection[str]) -> None:
    """Raise `ContentsError` unless an archive has the expected files."""
    surplus, missing = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
    if surplus or missing:
        raise ContentsError(f"{what}: not expected: {surplus[:9]}; missing: {missing[:9]}")


def check_sdist(archive: Path, tracked: Collection[str], excluded: Collection[str]) -> str:
    """Compare an sdist with the tracked files, and describe it."""
    with tarfile.open(archive) as tar:
        names = [member.name.partition("/")[2] for member in tar.getmembers() if member.isfile()]
    compare_names(archive.name, set(names) - {"PKG-INFO"}, expected_in_sdist(tracked, excluded))
    return f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1e6:.1f} MB"


def check_wheel(archive: Path, tracked: Collection[str]) -> str:
    """Compare a wheel with the tracked files of the package, and describe it."""
    with zipfile.ZipFile(archive) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith("/")]
    compiled = [name for name in names if name.endswith(EXTENSIONS)]
    if [PurePosixPath(name).parent.name for name in compiled] != ["hyperbaton"]:
        raise ContentsError(f"{archive.name}: one compiled module is expected, not {compiled}")
    package = {name for name in names if ".dist-info/" not in name} - set(compiled)
    compare_names(archive.name, package, expected_in_wheel(tracked))
    return f"{archive.name}: {len(names)} files, {archive.stat().st_size / 1e6:.1f} MB"
