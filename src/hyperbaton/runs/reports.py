"""Reports: the content of a page about systems, as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from hyperbaton.errors import InputError
from hyperbaton.files.lines import StrPath
from hyperbaton.files.output_files import write_beside
from hyperbaton.presentation import PrintedResult, presenter
from hyperbaton.stats.sampling import Sampling
from hyperbaton.text.plurals import count_noun


class Report(PrintedResult):
    """A report about one or several systems: a self-contained HTML page, and its content.

    Created by :meth:`hyperbaton.Result.report` and :meth:`hyperbaton.Comparison.report`.

    >>> import hyperbaton as hb
    >>> report = hb.score(["a dog sees a cat"], ["a cat sees a dog"], ["pef"]).report()
    >>> report
    <Report 'Word order of system': 1 system, 1 segment>
    >>> report.to_dict()["systems"][0]["segments"]["links"]
    [[0, 3, 2, 2, 2, 1, 3, 0, 2]]
    >>> report.to_html().startswith("<!doctype html>")
    True
    """

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def verdict(self, metric: str | None = None) -> tuple[str, ...]:
        """Return what the report shows by a metric, in a few sentences.

        Parameters
        ----------
        metric : str, optional
            The metric as it was written; by default the one that the page shows first.

        Returns
        -------
        tuple of str
            The sentences.
        """
        metrics = {content["name"]: content for content in self._content["metrics"]}
        name = self._content["metric"] if metric is None else metric
        if name not in metrics:
            raise InputError(f"the report has no metric {name!r}, only {', '.join(metrics)}")
        return tuple(metrics[name]["verdict"])

    def to_dict(self) -> dict[str, Any]:
        """Return the content as a dictionary for JSON; docs/report.md explains the keys."""
        return self._content

    def to_json(self) -> str:
        """Return the content as compact JSON."""
        return self._json

    @cached_property
    def _json(self) -> str:
        return json.dumps(self._content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    def to_html(self) -> str:
        """Return the page.

        Its content security policy allows its own script and style, by their hashes, and nothing
        else.
        """
        return presenter().report_page(self)

    def save(self, path: StrPath) -> None:
        """Write the page to a file; if that fails, an existing file is left untouched.

        Parameters
        ----------
        path : path
            The output file.
        """
        with write_beside(path) as file:
            file.write(self.to_html())

    def __repr__(self) -> str:
        systems = count_noun(len(self._content["systems"]), "system")
        segments = count_noun(self._content["n"], "segment")
        return f"<Report {self._content['title']!r}: {systems}, {segments}>"


def create_report(
    results: Sequence[Any],
    sampling: Sampling | None = None,
    comparison: PrintedResult | None = None,
    title: str | None = None,
    threads: int | None = None,
    source: Sequence[str] | None = None,
) -> Report:
    """Return the report of results whose texts and statistics were kept.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    sampling : Sampling, optional
        How the intervals of the scores were computed.
    comparison : Comparison, optional
        The comparison of the systems, if there are several.
    title : str, optional
        The page title.
    threads : int, optional
        The number of threads; the default is all cores.
    source : sequence of str, optional
        The source sentences, which are only shown.
    """
    content = presenter().report_content(results, sampling, comparison, title, threads, source)
    return Report(content)
