"""Get axe-core, which tests the accessibility of pages, from npm into the Python environment.

It is used by tests only. Its archive must have the checksum below, whatever the registry says.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.14.0"
SHA512 = (
    "f564d9c448ec67b6f5dd31fc24f99b576cfc0876e5f34ff6866dd73c41b82603"
    "5d40b2bcd480515e64b11df3003a44aa41e4714ffd1dc0d0f3d863a6df3ce971"
)
SCRIPT = Path(sys.prefix) / f"axe-core-{VERSION}.js"


def download(folder: Path) -> Path:
    """Download the archive of axe-core with npm, and return it if its checksum is right."""
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("axe-core needs npm, such as Debian's package npm")
    command = [npm, "pack", "--silent", "--ignore-scripts", f"axe-core@{VERSION}"]
    subprocess.run(command, cwd=folder, check=True)
    (archive,) = folder.iterdir()
    found = hashlib.sha512(archive.read_bytes()).hexdigest()
    if found != SHA512:
        sys.exit(f"{archive.name} has the wrong checksum: {found}")
    return archive


def extract(archive: Path) -> bytes:
    """Return the script in the archive."""
    with tarfile.open(archive) as files:
        script = files.extractfile("package/axe.min.js")
        assert script is not None, f"{archive.name} has no script"
        return script.read()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        SCRIPT.write_bytes(extract(download(Path(name))))
