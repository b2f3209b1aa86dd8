"""Score files in the layout of mt-metrics-eval, the data of WMT's metrics task.

The scores of all systems by one metric and one choice of references are a pair of files in
``metric-scores/PAIR/``: ``NAME-REF.seg.score`` and ``NAME-REF.sys.score``. mt-metrics-eval takes
higher scores for better ones, so that error rates are written as negative numbers.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from hyperbaton.adapters.mtme_layout import LanguagePair, find_pairs, pair_of_files
from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.files.output_files import OutputFiles
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.metrics.resources import Resources
from hyperbaton.notices import WARNING, Notice
from hyperbaton.runs.engine import NO_PROGRESS, ProgressHooks
from hyperbaton.runs.file_runs import FileRun
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Run
from hyperbaton.text.tokenizers import TOKENIZERS, insert_spaces
from hyperbaton.threads import thread_count

Floats = npt.NDArray[np.float64]

SCHEMA = "hyperbaton/mtme/1"
MAX_FILE_NAME = 255  # bytes, on most file systems
# The files of one metric: scores of segments, scores of systems, and what they were computed with.
SEGMENTS, SYSTEMS, SETTINGS = ".seg.score", ".sys.score", ".hyperbaton.json"


@dataclass(frozen=True)
class ScoreTable:
    """The scores of all systems by one metric and one choice of references."""

    stem: Path  # of its files
    metric: Metric
    references: tuple[str, ...]
    signature: str
    systems: Mapping[str, float]
    segments: Mapping[str, Floats]

    def write(self, outputs: OutputFiles) -> list[Path]:
        """Write the files; none of them replaces an old one before all are complete.

        The settings come first, because score files without settings are not replaced.
        """
        sign = 1 if self.metric.higher_is_better else -1
        settings = {
            "schema": SCHEMA,
            "metric": self.metric.spec,
            "signature": self.signature,
            "references": self.references,
            "negated": sign == -1,
        }
        paths = [with_suffix(self.stem, suffix) for suffix in (SETTINGS, SEGMENTS, SYSTEMS)]
        of_settings, of_segments, of_systems = map(outputs.open, paths)
        of_settings.write(json.dumps(settings, ensure_ascii=False, indent=2) + "\n")
        for name, values in self.segments.items():
            of_segments.writelines(score_line(name, x, sign) for x in values.tolist())
        for name, value in self.systems.items():
            of_systems.write(score_line(name, value, sign))
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
        found = [pair_of_files(folder, pairs[0], _as_text(references), _as_text(systems))]
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
        for choice in pair.reference_choices:
            files = FileRun(pair.corpus(choice), run)
            results = files.score(progress=progress)
            notes += files.warnings(results)
            tables += score_tables(pair, choice, run.metrics, results)
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


def check_installed(metrics: Iterable[Metric]) -> None:
    """Raise an error if the package of a tokeniser is missing."""
    for metric in metrics:
        if metric.options.get("tok") in TOKENIZERS:
            insert_spaces(metric.text_option("tok"))


def score_tables(
    pair: LanguagePair,
    choice: tuple[str, ...],
    metrics: Mapping[str, Metric],
    results: Sequence[Result],
) -> Iterator[ScoreTable]:
    """Yield the scores of a language pair by each metric, with one choice of references."""
    for spec, metric in metrics.items():
        yield ScoreTable(
            score_stem(pair, metric, choice),
            metric,
            choice,
            results[0][spec].signature,
            {result.name: result[spec].value for result in results},
            {result.name: result[spec].segments for result in results},
        )


def _as_text(files: Mapping[str, StrPath] | None) -> dict[str, str]:
    return {name: os.fspath(path) for name, path in (files or {}).items()}


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
    for path in score_paths(pair, metrics):
        settings = with_suffix(strip_level(path), SETTINGS)
        if len(settings.name.encode()) > MAX_FILE_NAME:  # it is the longest of the three
            raise cannot_write(path, "File name too long")
        if path.exists() and not settings.exists():
            raise InputError(
                f"{printable(str(path))} exists, and Hyperbaton did not write it: move it away"
            )


def score_paths(pair: LanguagePair, metrics: Mapping[str, Metric]) -> Iterator[Path]:
    """Yield the score files of a language pair."""
    for references in pair.reference_choices:
        for metric in metrics.values():
            stem = score_stem(pair, metric, references)
            yield from (with_suffix(stem, suffix) for suffix in (SEGMENTS, SYSTEMS))


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


def strip_level(path: Path) -> Path:
    """Return the path of a score file without its suffix."""
    return path.with_name(path.name.rsplit(".", 2)[0])


def cannot_write(path: Path, reason: str | None) -> InputError:
    """Return the error for a file or folder that cannot be written."""
    return InputError(f"cannot write {printable(str(path))}: {reason}")
