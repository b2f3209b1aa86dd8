"""Requests: JSON in, checked texts, metrics and settings out.

The page offers the metrics that need only texts, without options that name files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hyperbaton.alignment.aligner import names_encoder
from hyperbaton.errors import InputError
from hyperbaton.files.columns import source_names
from hyperbaton.files.lines import printable
from hyperbaton.metrics.linking import MatchersOption
from hyperbaton.metrics.metric import Resources
from hyperbaton.metrics.options import Option, parse_spec
from hyperbaton.metrics.parts import OFF, REFERENCES
from hyperbaton.metrics.registry import expand, find_class, make_metric, names
from hyperbaton.runs.comparing import check_comparable
from hyperbaton.serve.commands import JobSettings
from hyperbaton.serve.job_texts import JobInput
from hyperbaton.serve.storage import Upload, UploadStore
from hyperbaton.stats.sampling import CORRECTIONS, Sampling
from hyperbaton.text.languages import parse_language
from hyperbaton.views.catalogue import metric_dict

TEXT_KEYS = ("systems", "references", "source")
SAMPLING_KEYS = ("method", "samples", "seed", "level")
TEXT_SETTINGS = ("language", "baseline", "correction", "title", "source_language")
KEYS = (*TEXT_KEYS, "metrics", "align_source", *TEXT_SETTINGS, *SAMPLING_KEYS)
MAX_TEXTS = 200
MAX_CHARACTERS = 200  # of a name or a title
MAX_SAMPLES = 100_000  # of one job; more take very long
MAX_METRICS = 100
MAX_SPEC = 200  # characters of a metric with its options
# Options of other types may take the name of a file, which the server must not open.
CLOSED_TYPES = (Option, MatchersOption)
CLOSED_VALUES = (REFERENCES, OFF)


def read_inputs(request: Mapping[str, Any], uploads: UploadStore) -> list[JobInput]:
    """Return the texts of a request.

    Raises
    ------
    InputError
        If the request is not valid.
    RequestError
        If an uploaded file does not exist.
    """
    source = request.get("source")
    given = {
        "reference": _check_list(request, "references"),
        "system": _check_list(request, "systems"),
        "source": [] if source is None else [source],
    }
    if sum(map(len, given.values())) > MAX_TEXTS:
        raise InputError(f"there are more than {MAX_TEXTS} texts")
    inputs: list[JobInput] = []
    for role, texts in given.items():
        read = [_read_input(role, text, uploads) for text in texts]
        names = source_names([(text.file_name, text.column) for text in read])
        for text, name in zip(read, names, strict=True):
            is_named = role == "system" and text.name not in ("", name)
            inputs.append(replace(text, name=text.name or name, is_named=is_named))
    return inputs


def _check_list(request: Mapping[str, Any], key: str) -> Sequence[Any]:
    texts = request.get(key, [])
    if not isinstance(texts, list):
        raise InputError(f"{key} must be a list of texts")
    return texts


def _read_input(role: str, given: Any, uploads: UploadStore) -> JobInput:
    if not isinstance(given, dict) or not {*given} <= {"file", "column", "name"}:
        raise InputError(f'a {role} must be an object such as {{"file": "…", "column": "…"}}')
    upload = uploads.get(given.get("file"))
    name = given.get("name") or ""
    if not isinstance(name, str) or len(name) > MAX_CHARACTERS:
        raise InputError(
            f"the name of a {role} must be a string of at most {MAX_CHARACTERS} characters"
        )
    column = given.get("column")
    _check_column(upload, column)
    return JobInput(
        role,
        str(upload.path),
        upload.kind,
        column,
        upload.name,
        printable(name.strip()),
        example=upload.example,
    )


def _check_column(upload: Upload, column: object) -> None:
    """Raise an error unless a file has the column: nothing else may become part of a path."""
    if upload.columns is None:
        if column is not None:
            raise InputError(f"{upload.name} has no columns")
        return
    if not isinstance(column, str) or not column:
        raise InputError(f"{upload.name} has columns: choose one")
    is_number = upload.kind == "tsv" and column.isdecimal() and len(column) < 6
    if column not in upload.columns and not is_number:
        raise InputError(f"{upload.name} has no column {printable(column[:MAX_CHARACTERS])!r}")


def read_settings(request: Mapping[str, Any], inputs: Sequence[JobInput]) -> JobSettings:
    """Return what a job computes, after checking everything that is known before texts are read.

    Raises
    ------
    InputError
        If the request is not valid.
    """
    for key in request:
        if key not in KEYS:
            raise InputError(f"unknown key {printable(key)!r}; the keys are {', '.join(KEYS)}")
    texts = {key: _read_text(request, key) for key in TEXT_SETTINGS}
    for key in ("language", "source_language"):
        if texts[key] is not None:
            parse_language(str(texts[key]))
    given = {key: request[key] for key in SAMPLING_KEYS if request.get(key) is not None}
    sampling = Sampling(**given, adjustable="samples" not in given)
    if sampling.samples > MAX_SAMPLES:
        raise InputError(f"samples must be at most {MAX_SAMPLES:,}, got {sampling.samples:,}")
    correction = CORRECTIONS.check(texts.pop("correction") or CORRECTIONS.default)
    metrics = tuple(check_metric_specs(_read_metrics(request), texts["language"]))
    align_source = request.get("align_source") or False
    if not isinstance(align_source, bool):
        raise InputError("align_source must be true or false")
    settings = JobSettings(
        metrics, sampling, correction=correction, align_source=align_source, **texts
    )
    _check_systems(inputs, settings)
    return settings


def _check_systems(inputs: Sequence[JobInput], settings: JobSettings) -> None:
    roles = [given.role for given in inputs]
    for role in ("system", "reference"):
        if role not in roles:
            raise InputError(f"there is no {role}")
    names = [given.name for given in inputs if given.role == "system"]
    if len(names) > 1:
        check_comparable(names, settings.baseline, settings.correction)
    elif settings.baseline is not None or settings.sampling.method != Sampling().method:
        raise InputError("a baseline and a comparison method need at least two systems")
    if settings.align_source and "source" not in roles:
        raise InputError("links through the source require the source text")
    if settings.source_language is not None and not settings.align_source:
        raise InputError("source_language can only be used with links through the source")


def _read_metrics(request: Mapping[str, Any]) -> list[str]:
    metrics = request.get("metrics") or ["default"]
    if not isinstance(metrics, list) or not all(isinstance(metric, str) for metric in metrics):
        raise InputError("metrics must be a list of texts such as pef or full:order=ulam")
    return metrics


def _read_text(request: Mapping[str, Any], key: str) -> str | None:
    value = request.get(key)
    if value is not None and (not isinstance(value, str) or len(value) > MAX_CHARACTERS):
        raise InputError(f"{key} must be a string of at most {MAX_CHARACTERS} characters")
    return None if value is None or not value.strip() else printable(value.strip())


def check_metric_specs(specs: Iterable[str], language: str | None = None) -> list[str]:
    """Return metrics as the command line expands them, after checking that the page offers them.

    Raises
    ------
    InputError
        If there are too many metrics, or one is not valid, needs more than texts, or has an option
        that names a file or a parser.
    """
    expanded = expand(specs)
    if not expanded:
        raise InputError("no metric was given")
    if len(expanded) > MAX_METRICS:
        raise InputError(f"there are more than {MAX_METRICS} metrics")
    for spec in expanded:
        if len(spec) > MAX_SPEC:
            raise InputError(f"{spec[:40]}…: a metric may have at most {MAX_SPEC} characters")
        _check_metric(spec, Resources(language))
    return expanded


def _check_metric(spec: str, resources: Resources) -> None:
    name, options = parse_spec(spec, names())
    metric_class = find_class(name)
    if metric_class.VARIANTS[name].trees:
        raise InputError(
            f"{name} needs dependency trees, which the page does not read: use hyperbaton score"
        )
    defaults = metric_class.VARIANTS[name].defaults
    known = metric_class.options_for(name, {**defaults, **options})
    for key, value in options.items():
        if key in known and type(known[key]) not in CLOSED_TYPES and value not in CLOSED_VALUES:
            raise _names_file(spec, f"{key}={value}")
        if names_encoder(value):
            raise _names_file(spec, f"{key}={value}")
    # Creating a metric reads no file. It finds everything else that is wrong with its options.
    metric = make_metric(spec, resources)
    files = metric.needs.files
    if files:
        raise _names_file(spec, files[0])


def _names_file(spec: str, what: str) -> InputError:
    return InputError(
        f"{spec}: {what} names a file or a program, which the page does not open: use hyperbaton "
        "score"
    )


def offered_metrics() -> list[dict[str, Any]]:
    """Return the descriptions of the metrics that need only texts."""
    return [
        {**metric_dict(name), "slow": variant.slow}
        for name in names()
        if not (variant := find_class(name).VARIANTS[name]).trees
    ]
