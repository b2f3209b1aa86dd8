"""Metrics of other packages: how they are found, and how signatures name them."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from importlib import metadata

ENTRY_POINT_GROUP = "hyperbaton.metrics"
# Labels of classes that entry points lead to. Others are labelled by their modules.
_labels: dict[type, str] = {}


def load_entry_points() -> Iterator[type]:
    """Return the metric classes that installed packages announce.

    A package that cannot be loaded is skipped with a warning, so that it does not break others.
    """
    for entry in metadata.entry_points(group=ENTRY_POINT_GROUP):
        try:
            metric_class = entry.load()
        except (Exception, SystemExit) as error:  # whatever another package raises
            warnings.warn(
                f"the metric {entry.value} cannot be loaded: {type(error).__name__}: {error}",
                stacklevel=2,
            )
            continue
        if entry.dist is not None and isinstance(metric_class, type):
            _labels[metric_class] = f"{entry.dist.name}-{entry.dist.version}"
        yield metric_class


def package_label(metric_class: type) -> str | None:
    """Return the package and version that define a metric; None for Hyperbaton itself."""
    package = metric_class.__module__.partition(".")[0]
    if package == "hyperbaton":
        return None
    if metric_class not in _labels:
        _labels[metric_class] = _label_module(package)
    return _labels[metric_class]


def _label_module(package: str) -> str:
    distributions = metadata.packages_distributions().get(package)
    if distributions:
        return f"{distributions[0]}-{metadata.version(distributions[0])}"
    version = getattr(sys.modules.get(package), "__version__", None)
    return package if version is None else f"{package}-{version}"
