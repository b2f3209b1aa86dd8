"""Test sets in the layout of mt-metrics-eval, the data of WMT's metrics task, and their scores.

A test set is a folder with ``sources/PAIR.txt``, ``references/PAIR.NAME.txt`` and
``system-outputs/PAIR/NAME.txt``. The scores of all systems by one metric and one choice of
references are a pair of files in ``metric-scores/PAIR/``: ``NAME-REF.seg.score`` and
``NAME-REF.sys.score``. mt-metrics-eval takes higher scores for better ones, so that error rates
are written as negative numbers.
"""

from __future__ import annotations

import glob
import json
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import check_rereadable
from hyperbaton.files.lines import StrPath, count_lines, different_lengths, printable
from hyperbaton.files.output_files import OutputFiles
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.notices import WARNING, Notice
from hyperbaton.runs.engine import NO_PROGRESS, ProgressHooks
from hyperbaton.runs.file_runs import FileCorpus, FileRun
from hyperbaton.runs.results import Score
from hyperbaton.runs.run import Run
from hyperbaton.text.tokenization import TOKENIZERS, insert_spaces
from hyperbaton.threads import thread_count

TEXT = ".txt"
RESERVED_REFERENCES = ("all", "src")
SCHEMA = "hyperbaton/mtme/1"
MAX_FILE_NAME = 255  # bytes, on most file systems
# The files of one metric: scores of segments, scores of systems, and what they were computed with.
SEGMENTS, SYSTEMS, SETTINGS = ".seg.score", ".sys.score", ".hyperbaton.json"


@dataclass(frozen=True)
class LanguagePair:
    """The texts of one language pair.

    Attributes
    ----------
    name : str
        Such as ``en-de``.
    references, systems : mapping of str to str
        Files by name.
    folder : Path
        The test set.
    in_test_set : bool
        Whether the files are those of a test set, where a system with the name of a reference is
        that reference.
    """

    name: str
    references: Mapping[str, str]
    systems: Mapping[str, str]
    folder: Path
    in_test_set: bool = True

    @property
    def scores(self) -> Path:
        """The folder of the score files."""
        return self.folder / "metric-scores" / self.name

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


@dataclass(frozen=True)
class ScoreTable:
    """The scores of all systems by one metric and one choice of references."""

    stem: Path  # of its files
    metric: Metric
    references: tuple[str, ...]
    scores: Mapping[str, Score]  # by system

    def write(self, outputs: OutputFiles) -> list[Path]:
        """Write the files; none of them replaces an old one before all are complete.

        The settings come first, because score files without settings are not replaced.
        """
        sign = 1 if self.metric.higher_is_better else -1
        settings = {
            "schema": SCHEMA,
            "metric": self.metric.spec,
            "signature": next(iter(self.scores.values())).signature,
            "references": self.references,
            "negated": sign == -1,
        }
        paths = [with_suffix(self.stem, suffix) for suffix in (SETTINGS, SEGMENTS, SYSTEMS)]
        of_settings, of_segments, of_systems = map(outputs.open, paths)
        of_settings.write(json.dumps(settings, ensure_ascii=False, indent=2) + "\n")
        for name, score in self.scores.items():
            # Metrics are evaluated by all values, whether they are shown to users or not.
            values = score.computed_segments.tolist()
            of_segments.writelines(score_line(name, value, sign) for value in values)
            of_systems.write(score_line(name, score.computed_value, sign))
        outputs.commit()
        return paths[:0:-1]


def write_scores(
    folder: StrPath,
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    pairs: Sequence[str] | None = None,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    references: Mapping[str, StrPath] | None = None,
    systems: Mapping[str, StrPath] | None = None,
    threads: int | None = None,
    progress: ProgressHooks = NO_PROGRESS,
    notify: Callable[[Notice], None] | None = None,
) -> list[Path]:
    """Score a test set of mt-metrics-eval, and write the score files into it.

    Every system is scored with each reference by itself and, if there are several, with all of them
    together. A reference that is also in ``system-outputs`` is a system where it is not used as a
    reference. Nothing is written before all language pairs are scored.

    Parameters
    ----------
    folder : path
        The test set: it has ``sources``, ``references`` and ``system-outputs``.
    metrics, wordnet, paraphrases, parser, threads
        As for :func:`hyperbaton.score`.
    language : str, optional
        Language of the translations; by default the target language of each pair.
    pairs : sequence of str, optional
        The language pairs to score, such as ``["en-de"]``; by default all.
    references, systems : mapping of str to path, optional
        Files of your own, by name, instead of those in the folder; ``pairs`` has their language
        pair. The score files are written to the folder, which need not exist.
    progress : ProgressHooks
        How progress is shown; by default not at all.
    notify : callable, optional
        Receives warnings and notes, texts with a ``kind``. By default, warnings become Python's.

    Returns
    -------
    list of Path
        The score files that were written, two for each metric and choice of references.

    Raises
    ------
    InputError
        If the folder does not follow the layout, a text is invalid, or a score file exists that
        Hyperbaton did not write. Nothing is written then.
    MissingData
        If a tokeniser, a parser or data is missing.
    """
    thread_count(threads)
    if references is None and systems is None:
        found = find_pairs(folder, pairs)
    else:
        if pairs is None or isinstance(pairs, str) or len(pairs) != 1:
            raise InputError("files of your own need one language pair, such as pairs=['en-de']")
        found = [pair_of_files(folder, pairs[0], references or {}, systems or {})]
    runs = []
    for pair in found:
        try:
            resources = Resources.from_arguments(
                pair.language if language is None else language, wordnet, paraphrases, parser
            )
        except InputError as error:
            raise InputError(f"{printable(pair.name)}: {error}") from None
        runs.append(Run(metrics_by_spec(metrics, resources), resources.language, threads=threads))
        check_installed(runs[-1].metrics.values())
        check_targets(pair, runs[-1].metrics)
    tables: list[ScoreTable] = []
    for pair, run in zip(found, runs, strict=True):
        notes: list[Notice] = []
        tables += score_pair(pair, run, progress, notes)
        for note in dict.fromkeys(notes):
            if notify is not None:
                notify(note.about(pair.name))
            elif note.kind == WARNING:
                warnings.warn(note.about(pair.name), stacklevel=2)
    for pair in found:
        try:
            pair.scores.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(pair.scores, error.strerror) from None
    with OutputFiles() as outputs:
        return [path for table in tables for path in table.write(outputs)]


def score_pair(
    pair: LanguagePair, run: Run, progress: ProgressHooks, notes: list[Notice]
) -> Iterator[ScoreTable]:
    """Yield the scores of a language pair with each choice of references; add to the notes."""
    for choice in pair.reference_choices:
        files = FileRun(pair.corpus(choice), run)
        results = files.score(progress=progress)
        notes += files.warnings(results)
        for spec, metric in run.metrics.items():
            scores = {result.name: result[spec] for result in results}
            yield ScoreTable(score_stem(pair, metric, choice), metric, choice, scores)


def check_installed(metrics: Iterable[Metric]) -> None:
    """Raise an error if the package of a tokeniser is missing."""
    for metric in metrics:
        if metric.options.get("tok") in TOKENIZERS:
            insert_spaces(metric.text_option("tok"))


def check_targets(pair: LanguagePair, metrics: Mapping[str, Metric]) -> None:
    """Raise an error if the score files of a language pair cannot be written.

    Files that Hyperbaton wrote are replaced. Those of others are not.
    """
    existing = next(folder for folder in (pair.scores, *pair.scores.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        reason = "Permission denied" if existing.is_dir() else f"{existing} is not a folder"
        raise cannot_write(pair.scores, reason)
    specs: dict[str, str] = {}
    for spec, metric in metrics.items():
        # Some file systems do not tell upper from lower case.
        other = specs.setdefault(base_name(metric).casefold(), spec)
        if other != spec:
            raise InputError(f"{other} and {spec} would be written to the same files")
    for choice in pair.reference_choices:
        for metric in metrics.values():
            check_own_files(score_stem(pair, metric, choice))


def check_own_files(stem: Path) -> None:
    """Raise an error if the score files of a metric have other authors, or too long a name."""
    settings = with_suffix(stem, SETTINGS)
    for path in (with_suffix(stem, suffix) for suffix in (SEGMENTS, SYSTEMS)):
        if len(settings.name.encode()) > MAX_FILE_NAME:  # it is the longest of the three
            raise cannot_write(path, "File name too long")
        if path.exists() and not settings.exists():
            raise InputError(
                f"{printable(str(path))} exists, and Hyperbaton did not write it: move it away"
            )


def score_stem(pair: LanguagePair, metric: Metric, references: Sequence[str]) -> Path:
    """Return what the files of a metric and a choice of references have in common."""
    return pair.scores / f"{base_name(metric)}-{'.'.join(references)}"


def base_name(metric: Metric) -> str:
    """Return the name of a metric with its options, as a part of file names on all systems.

    The colon becomes a hyphen. What is neither a letter, a digit nor one of ``_.-~=,+`` is written
    as in web addresses.

    >>> from hyperbaton import metrics
    >>> base_name(metrics.get("full:order=ulam,bp=off")), base_name(metrics.get("pef"))
    ('full-order=ulam,bp=off', 'pef')
    """
    return quote(metric.spec.replace(":", "-", 1), safe="=,+")


def score_line(system: str, value: float, sign: int) -> str:
    """Return a line of a score file, with the shortest number that is read back as the same.

    >>> score_line("A", 0.1, 1), score_line("B", 0.0, -1)
    ('A\\t0.1\\n', 'B\\t0.0\\n')
    """
    score = sign * value + 0.0  # -0.0 + 0.0 is 0.0
    return f"{system}\t{score!r}\n"


def with_suffix(stem: Path, suffix: str) -> Path:
    """Return a path with a suffix; unlike ``Path.with_suffix``, it replaces nothing."""
    return stem.with_name(stem.name + suffix)


def cannot_write(path: Path, reason: str | None) -> InputError:
    """Return the error for a file or folder that cannot be written."""
    return InputError(f"cannot write {printable(str(path))}: {reason}")


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
    folders = sorted(filter(Path.is_dir, outputs.iterdir()))
    known = [sub.name for sub in folders if not sub.name.startswith(".")]
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
    return LanguagePair(name, references, systems, folder)


def pair_of_files(
    folder: StrPath,
    name: str,
    reference_files: Mapping[str, StrPath],
    system_files: Mapping[str, StrPath],
) -> LanguagePair:
    """Return a language pair whose texts are files outside of a test set.

    Raises
    ------
    InputError
        If its name, or that of a reference or a system, does not follow the layout.
    """
    if not is_pair(name):
        raise InputError(f"{printable(name)!r} is not a language pair such as en-de")
    references, systems = (
        {name: os.fspath(path) for name, path in files.items()}
        for files in (reference_files, system_files)
    )
    if not references or not systems:
        raise InputError("score files need references and systems")
    _check_names(references, systems)
    if len(references) > 1:
        reason = "with several references, files are read several times"
        check_rereadable([*references.values(), *systems.values()], reason)
    return LanguagePair(name, references, systems, Path(folder), in_test_set=False)


def is_pair(name: str) -> bool:
    """Return whether a name is that of a language pair.

    >>> [name for name in ("en-de", "zh-en", "en", "-de", "a/b-c", "..-x") if is_pair(name)]
    ['en-de', 'zh-en']
    """
    return re.fullmatch(r"[^-./\\\s][^-/\\\s]*-[^./\\\s][^/\\\s]*", name) is not None


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
    counts: dict[str, int] = {}
    for file in files:
        count = count_lines(file)
        if count is None:
            reason = "is compressed or cannot be read" if os.path.isfile(file) else "is missing"
            raise InputError(f"{printable(file)} {reason}: mt-metrics-eval needs a plain text")
        counts[file] = count
    first, expected = files[0], counts[files[0]]
    if not expected:
        raise InputError(f"{printable(first)} is empty")
    for file, count in counts.items():
        if count > expected:
            raise different_lengths(file, count, first, expected)
        if count < expected:
            raise different_lengths(first, expected, file, count)
