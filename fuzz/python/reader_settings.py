"""Readers of settings: configuration files, metrics with options, signatures, languages."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from fuzz.python.scratch import scratch_file
from fuzz.python.targets import only_user_errors, require, target

from hyperbaton.cli.configuration import VARIABLE, find_configuration
from hyperbaton.metrics import registry
from hyperbaton.metrics.signature import Signature
from hyperbaton.text.languages import language_code, parse_language


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@target(
    "reader_configuration",
    *(b"[tool.hyperbaton]\n", b'metrics = ["pef"]\n', b'language = "en"\n', b"digits = 3\n"),
    *(
        b"scale = 100\n",
        b"short = true\n",
        b'"""',
        b"{a=",
        b"[[",
        b"1979-05-27",
        b"inf",
        b"\\u0000",
    ),
)
def check_configuration(data: bytes) -> None:
    """Read a configuration file."""
    path = scratch_file("pyproject.toml", data)
    with _environment(VARIABLE, path), only_user_errors("find_configuration"):
        find_configuration().defaults("score", ["--example"])


NAMES = (
    *(
        b"pef",
        b"full:",
        b"order=ulam",
        b"bp=off",
        b"beta=0.5",
        b"align=exact+stem",
        b"lexical=bleu1",
    ),
    *(
        b"hyper:",
        b"order",
        b"dted:match=aligned",
        b"bleu:",
        b"chrf",
        b"ter",
        b"tok=13a",
        b"fold=none",
    ),
    *(b"weight=", b"nan", b"inf", b"-1", b"1e400", b"=", b",", b":", b"default", b"all"),
)


@target("reader_metrics", *NAMES)
def check_metrics(data: bytes) -> None:
    """Make the metrics that a text names; their signatures and names give them again."""
    text = data.decode("utf-8", "surrogateescape")
    metrics = []
    with only_user_errors("metrics_by_spec"):
        metrics = list(registry.metrics_by_spec(text).values())
    with only_user_errors("get"):
        metrics.append(registry.get(text, language="en"))
    for metric in metrics:
        language = metric.resources.language
        require(registry.get(metric.spec, language=language) == metric, f"{metric.spec} is another")
        with warnings.catch_warnings(), only_user_errors("from_signature"):
            warnings.simplefilter("ignore")
            signature = str(metric.signature(1))
            require(
                str(Signature.parse(signature)) == signature, f"{signature} is read in another way"
            )
            registry.from_signature(signature)


@target(
    "reader_signature", b"|", b":", b"pef|", b"nrefs:1|", b"case:lc", b"align:exact.en", b"version:"
)
def check_signature(data: bytes) -> None:
    """Make the metric of a signature."""
    text = data.decode("utf-8", "surrogateescape")
    with warnings.catch_warnings(), only_user_errors("from_signature"):
        warnings.simplefilter("ignore")
        registry.from_signature(text)
    with only_user_errors("parse_language"):
        parse_language(text)
    with only_user_errors("language_code"):
        language_code(text)
