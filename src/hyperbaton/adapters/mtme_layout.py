"""The layout of a test set of mt-metrics-eval: where texts are, and what names may be.

A test set is a folder with ``sources/PAIR.txt``, ``references/PAIR.NAME.txt`` and
``system-outputs/PAIR/NAME.txt``. Scores of metrics are in ``metric-scores/PAIR/``.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import check_rereadable
from hyperbaton.files.lines import StrPath, count_lines, different_lengths, printable
from hyperbaton.runs.file_input import FileCorpus

TEXT = ".txt"
RESERVED_REFERENCES = ("all", "src")


@dataclass(frozen=True)
class LanguagePair:
    """The texts of one language pair.

    Attributes
    ----------
    name : str
        Such as ``en-de``.
    references, systems : mapping of str to str
        Files by name.
    scores : Path
        The folder of the score files.
    in_test_set : bool
        Whether the files are those of a test set, where a system with the name of a reference is
        that reference.
    """

    name: str
    references: Mapping[str, str]
    systems: Mapping[str, str]
    scores: Path
    in_test_set: bool = True

    @property
    def language(self) -> str:
        """The language of the translations."""
        return self.name.partition("-")[2]

    @property
    def reference_choices(self) -> list[tuple[str, ...]]:
        """Each reference by itself, and all together if there are several."""
        names = tuple(self.references)
        return [*((name,) for name in names), *([names] if len(names) > 1 else [])]

    def corpus(self, references: Sequence[str]) -> FileCorpus:
        """Return the texts for some references; outputs that are among them are no systems."""
        left_out = references if self.in_test_set else ()
        systems = {name: file for name, file in self.systems.items() if name not in left_out}
        files = [self.references[name] for name in references]
        return FileCorpus(list(systems), list(systems.values()), files)


def find_pairs(folder: StrPath, names: Sequence[str] | None = None) -> list[LanguagePair]:
    """Return the language pairs of a test set after checking that they follow the layout.

    Raises
    ------
    InputError
        If they do not. The message names the file.
    """
    path = Path(folder)
    outputs = path / "system-outputs"
    if not os.path.isdir(outputs):  # Path.is_dir raises errors for names that are too long
        raise InputError(
            f"{printable(str(path))} is not a test set of mt-metrics-eval: there is no folder "
            f"{printable(str(outputs))}"
        )
    known = [
        sub.name
        for sub in sorted(outputs.iterdir())
        if sub.is_dir() and not sub.name.startswith(".")
    ]
    if isinstance(names, str):
        raise InputTypeError("pairs must be a list such as ['en-de'], got str")
    if names is not None and not names:
        raise InputError("no language pairs were given")
    for name in known if names is None else names:
        if name not in known:
            has = ", ".join(map(printable, known)) or "none"
            raise InputError(
                f"{printable(str(outputs))} has no {printable(name)}; language pairs: {has}"
            )
    if not known:
        raise InputError(f"{printable(str(outputs))} has no language pair such as en-de")
    return [_find_pair(path, name) for name in known if names is None or name in names]


def _find_pair(folder: Path, name: str) -> LanguagePair:
    if not is_pair(name):
        where = printable(str(folder / "system-outputs" / name))
        raise InputError(f"{where} is not named as a language pair such as en-de")
    pattern = str(folder / "references" / f"{glob.escape(name)}.*")
    texts = [Path(file) for file in sorted(glob.glob(pattern))]
    named = [file for file in texts if file.name != f"{name}{TEXT}"]  # a text without a name
    references = _texts_by_name(named, f"{name}.")
    systems = _texts_by_name(sorted((folder / "system-outputs" / name).iterdir()))
    _check_names(references, systems)
    for files, where in (
        (references, f"{folder / 'references'} has no {name}.NAME.txt"),
        (set(systems) - set(references), f"{folder / 'system-outputs' / name} has no system"),
    ):
        if not files:
            raise InputError(printable(where))
    text = folder / "sources" / f"{name}{TEXT}"
    _check_lines([str(text), *references.values(), *systems.values()])
    return LanguagePair(name, references, systems, score_folder(folder, name))


def pair_of_files(
    folder: StrPath, name: str, references: Mapping[str, str], systems: Mapping[str, str]
) -> LanguagePair:
    """Return a language pair whose texts are files outside of a test set.

    Raises
    ------
    InputError
        If its name, or that of a reference or a system, does not follow the layout.
    """
    if not is_pair(name):
        raise InputError(f"{printable(name)!r} is not a language pair such as en-de")
    if not references or not systems:
        raise InputError("score files need references and systems")
    _check_names(references, systems)
    if len(references) > 1:
        reason = "with several references, files are read several times"
        check_rereadable([*references.values(), *systems.values()], reason)
    return LanguagePair(name, references, systems, score_folder(Path(folder), name), False)


def is_pair(name: str) -> bool:
    """Return whether a name is that of a language pair.

    >>> [name for name in ("en-de", "zh-en", "en", "-de", "a/b-c", "..-x") if is_pair(name)]
    ['en-de', 'zh-en']
    """
    return re.fullmatch(r"[^-./\\\s][^-/\\\s]*-[^./\\\s][^/\\\s]*", name) is not None


def score_folder(folder: Path, pair: str) -> Path:
    """Return the folder of a language pair's score files."""
    return folder / "metric-scores" / pair


def _check_names(references: Mapping[str, str], systems: Mapping[str, str]) -> None:
    """Raise an error for a name that mt-metrics-eval could not read back."""
    for name in (*references, *systems):
        _core.check_string(name, "the name of a reference or system")
    for name, file in references.items():
        if name in RESERVED_REFERENCES or set(".-") & set(name) or name.split() != [name]:
            raise InputError(
                f"{printable(file)}: a reference cannot be named {printable(name)!r}: names have "
                "no white space, . and -, and are not all or src"
            )
    for name, file in systems.items():
        if name.split() != [name]:
            raise InputError(f"{printable(file)}: the name of a system cannot have white space")


def _texts_by_name(files: Sequence[Path], prefix: str = "") -> dict[str, str]:
    """Return text files by their names without prefix and extension; hidden files are ignored."""
    visible = [file for file in files if not file.name.startswith(".")]
    for file in visible:
        if not file.name.endswith(TEXT):
            raise InputError(
                f"{printable(str(file))} is not a {TEXT} file, and mt-metrics-eval reads no others"
            )
    return {file.name.removeprefix(prefix).removesuffix(TEXT): str(file) for file in visible}


def _check_lines(files: Sequence[str]) -> None:
    """Raise an error unless all files are plain texts with the same number of lines."""
    first, *others = files
    counts = {file: count_lines(file) for file in files}
    for file, count in counts.items():
        if count is None:
            reason = "is compressed or cannot be read" if os.path.isfile(file) else "is missing"
            raise InputError(f"{printable(file)} {reason}: mt-metrics-eval needs a plain text")
    expected = counts[first] or 0
    if not expected:
        raise InputError(f"{printable(first)} is empty")
    for file in others:
        count = counts[file] or 0
        if count > expected:
            raise different_lengths(file, count, first, expected)
        if count < expected:
            raise different_lengths(first, expected, file, count)
