"""Folders that ``evaluate.load`` reads, one for each metric. Writing them does not need a host."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, check_file_name, printable
from hyperbaton.files.output_files import create_folder, write_beside
from hyperbaton.metrics.options import parse_spec
from hyperbaton.metrics.registry import expand, find_class

# evaluate takes the first module class that it finds in the script. The base class must therefore
# not be imported by its name.
SCRIPT = Path(__file__).with_name("evaluate_module.txt")


def write_modules(folder: StrPath, metrics: Sequence[str]) -> dict[str, str]:
    """Write a folder with a script for each metric.

    Parameters
    ----------
    folder : path
        The folder of the new folders. It is created if it does not exist.
    metrics : sequence of str
        Names of metrics or of sets of metrics, without options.

    Returns
    -------
    dict of str to str
        The path that ``evaluate.load`` takes, by metric.

    Raises
    ------
    InputError
        If there are no metrics, if one is unknown or has options, if a file cannot be written, or
        if a file has other content. Such a file is left untouched.
    """
    root = os.fspath(folder)
    check_file_name(root)
    paths: dict[str, str] = {}
    scripts: dict[str, str] = {}
    for spec in expand(metrics):
        name, options = parse_spec(spec)
        find_class(name)  # raises an error if there is no such metric
        if options:
            raise InputError(f"{spec} has options: give them to evaluate.load, not to the folder")
        paths[name] = os.path.join(root, name)
        scripts[os.path.join(root, name, f"{name}.py")] = render_script(name)
    if not scripts:
        raise InputError("no metrics were given")
    for path, script in scripts.items():
        check_replaceable(path, script)
    for path, script in scripts.items():
        create_folder(os.path.dirname(path))
        with write_beside(path) as file:
            file.write(script)
    return paths


def render_script(metric: str) -> str:
    """Return the script of a module. ``evaluate`` derives the module's name from the class."""
    class_name = "".join(part.capitalize() for part in metric.split("_"))
    return SCRIPT.read_text("utf-8").format(metric=metric, class_name=class_name)


def check_replaceable(path: str, content: str) -> None:
    """Raise an error if a file exists and has other content."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            same = file.read() == content
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, UnicodeDecodeError):
        same = False
    if not same:
        raise InputError(f"{printable(path)} exists and has other content: remove it first")
