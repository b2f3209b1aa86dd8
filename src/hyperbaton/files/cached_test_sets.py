"""Test sets that sacreBLEU has downloaded before. Nothing here accesses the network.

sacreBLEU keeps the texts of a test set as ``FOLDER/SET/SET.PAIR.src`` and ``.ref``, or ``.ref-A``
and so on if there are several references. Only these files, and sacreBLEU's list of test sets, are
read: its functions that return files would download them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.files.lines import printable

FIELD = re.compile(r"(?P<pair>[^.]+-[^.]+)\.(?P<field>src|ref(?:[:-].+)?)")


@dataclass(frozen=True)
class CachedTestSet:
    """A test set of one language pair.

    Attributes
    ----------
    name, pair : str
        Its name and language pair, such as ``wmt20`` and ``en-de``.
    source : Path or None
        The source text.
    references : tuple of Path
        The references that sacreBLEU uses for it.
    """

    name: str
    pair: str
    source: Path | None
    references: tuple[Path, ...]

    @property
    def language(self) -> str:
        """The language of the translations."""
        return self.pair.partition("-")[2]


def cache_folder() -> Path:
    """Return the folder of sacreBLEU's files, which the variable SACREBLEU may set."""
    return Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu")


def find_test_set(name: str, pair: str) -> CachedTestSet:
    """Return a test set that sacreBLEU has downloaded.

    Raises
    ------
    InputError
        If there is no such test set. The message says how to get it.
    """
    for found in _read_folder(name):
        if found.pair == pair and found.references:
            return found
    shown = printable(f"{name}, {pair}")
    raise InputError(
        f"the test set {shown} is not in {printable(str(cache_folder()))}: hyperbaton testsets "
        f"lists those that are; sacrebleu -t {printable(name)} -l {printable(pair)} --echo src "
        "gets it"
    )


def cached_test_sets() -> list[CachedTestSet]:
    """Return all test sets that sacreBLEU has downloaded, sorted by name and language pair."""
    from sacrebleu.dataset import DATASETS

    return [found for name in sorted(DATASETS) for found in _read_folder(name) if found.references]


def _read_folder(name: str) -> Iterator[CachedTestSet]:
    """Yield the language pairs of a test set."""
    from sacrebleu.dataset import DATASETS

    folder = cache_folder() / name
    if name not in DATASETS or not folder.is_dir():
        return
    prefix = f"{name.replace('/', '_')}."
    files: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.iterdir()):
        match = FIELD.fullmatch(path.name.removeprefix(prefix))
        if path.name.startswith(prefix) and match is not None and path.is_file():
            files.setdefault(match["pair"], {})[match["field"].replace(":", "-")] = path
    for pair, fields in files.items():
        wanted = _chosen_references(DATASETS[name], pair)
        references = tuple(
            path
            for field, path in fields.items()
            if field != "src" and (wanted is None or field in wanted)
        )
        yield CachedTestSet(name, pair, fields.get("src"), references)


def _chosen_references(dataset: Any, pair: str) -> set[str] | None:
    """Return which references sacreBLEU uses; None if all."""
    choose = getattr(dataset, "_get_langpair_allowed_refs", None)  # of test sets from WMT21 on
    if choose is None or pair not in dataset.langpairs:
        return None
    return {field.replace(":", "-") for field in choose(pair)}
