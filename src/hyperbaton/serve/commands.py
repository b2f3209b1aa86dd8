"""The commands of the command line that write the same files as a job."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hyperbaton.metrics.registry import SETS
from hyperbaton.serve.job_texts import JobInput
from hyperbaton.stats.sampling import Sampling
from hyperbaton.views.formats import FORMATS

REPORT = "report.html"
SEGMENTS = "segments.tsv"
EXAMPLE_SYSTEMS = ("literal", "phrasal", "fluent")
EXAMPLE_FILES = [
    ("reference", "reference.txt"),
    *(("system", f"{name}.txt") for name in EXAMPLE_SYSTEMS),
    ("source", "source.txt"),
]


@dataclass(frozen=True)
class JobSettings:
    """What a job computes, apart from its texts.

    Attributes
    ----------
    metrics : tuple of str
        The metrics, expanded.
    sampling : Sampling
        How samples are drawn.
    language, baseline, title : str or None
    correction : str
        Multiple-comparison correction.
    align_source : bool
        Whether links are found through the source.
    source_language : str or None
        Language of the source, for its tokens, if links are found through it.
    """

    metrics: tuple[str, ...]
    sampling: Sampling
    language: str | None = None
    baseline: str | None = None
    correction: str = "none"
    title: str | None = None
    align_source: bool = False
    source_language: str | None = None


def score_files() -> dict[str, str]:
    """Return the files of scores, with their formats on the command line."""
    return {f"scores{row.suffix}": name for name, row in FORMATS.items() if row.label}


def file_labels() -> dict[str, str]:
    """Return what the page calls the files of a job, in its order."""
    scores = {name: FORMATS[format_name] for name, format_name in score_files().items()}
    return {
        REPORT: "HTML report",
        **{name: row.label for name, row in scores.items() if row.for_machines},
        SEGMENTS: "scores of all segments as TSV",
        **{name: row.label for name, row in scores.items() if not row.for_machines},
    }


def equivalent_commands(inputs: Sequence[JobInput], settings: JobSettings) -> dict[str, str]:
    """Return, for each file of a job, the command that writes it from the user's files."""
    systems = [given for given in inputs if given.role == "system"]
    compared = len(systems) > 1
    source = next((given.user_source for given in inputs if given.role == "source"), None)
    texts = _options(("-r", given.user_source) for given in inputs if given.role == "reference")
    texts += [given.user_source for given in systems]
    shown = _options([("--source", source)])
    shared = _options([("-l", settings.language)])
    if is_whole_example(inputs, settings):
        texts, shown, shared = ["--example"], [], []
    if settings.metrics != SETS["default"]:
        shared += _options(("-m", metric) for metric in settings.metrics)
    if settings.align_source:
        language = _options([("--source-language", settings.source_language)])
        shared, shown = [*shared, *shown, "--align-source", *language], []
    statistics = _statistics(settings, compared)
    scores = ["compare"] if compared else ["score", "--confidence"]
    commands = {
        REPORT: [
            *("report", *texts, *shared, *shown, *statistics),
            *_options([("--title", settings.title), ("-o", REPORT)]),
        ],
        SEGMENTS: ["score", *texts, *shared, "--segments", SEGMENTS],
    }
    for name, format_name in score_files().items():
        output = ["--format", format_name, "-o", name]
        commands[name] = [*scores, *texts, *shared, *statistics, *output]
    return {name: shlex.join(["hyperbaton", *commands[name]]) for name in file_labels()}


def is_whole_example(inputs: Sequence[JobInput], settings: JobSettings) -> bool:
    """Return whether a job is what ``--example`` means on the command line."""
    files = [(given.role, given.file_name) for given in inputs]
    return (
        settings.language == "en"
        and files == EXAMPLE_FILES
        and all(given.example and not given.is_named for given in inputs)
    )


def command_notes(inputs: Sequence[JobInput], settings: JobSettings) -> list[str]:
    """Return what a user must know before running the commands."""
    notes = []
    paths: dict[str, set[str]] = {}
    for given in inputs:
        paths.setdefault(given.file_name, set()).add(given.path)
        if given.is_named and not given.can_be_named:
            notes.append(f"The command line cannot give a system the name {given.name}.")
    for name, different in paths.items():
        if len(different) > 1:
            notes.append(f"{len(different)} files have the name {name}: write the path of each.")
    if any(given.example for given in inputs) and not is_whole_example(inputs, settings):
        notes.append("The files of the example come with Hyperbaton, in its folder example.")
    return notes


def _statistics(settings: JobSettings, compared: bool) -> list[str]:
    """The options of statistics that differ from their defaults."""
    given, default = settings.sampling, Sampling()
    options = [
        (f"--{key}", str(getattr(given, key)))
        for key in ("samples", "seed", "level")
        if getattr(given, key) != getattr(default, key)
        or (key == "samples" and not given.adjustable)  # a given number is not raised
    ]
    if compared:
        if given.method != default.method:
            options.append(("--method", given.method))
        if settings.correction != "none":
            options.append(("--correction", settings.correction))
    return _options([*options, ("--baseline", settings.baseline)])


def _options(pairs: Iterable[tuple[str, str | None]]) -> list[str]:
    """Return options and their values; those without a value are left out."""
    return [word for option, value in pairs if value is not None for word in (option, value)]
