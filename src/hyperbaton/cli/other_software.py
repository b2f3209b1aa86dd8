"""``hyperbaton score --mtme``: score files for mt-metrics-eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from hyperbaton.cli.commands import OptionGroup, argument, option
from hyperbaton.cli.messages import print_notices, progress_hooks
from hyperbaton.cli.options import RunOptions
from hyperbaton.cli.systems import find_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import source_names, split_column, table_labels
from hyperbaton.files.lines import printable
from hyperbaton.notices import DONE, Notice
from hyperbaton.registries import unknown_name_message
from hyperbaton.text.plurals import count_noun


def score_test_set(folder: str, given: RunOptions) -> None:
    """Score all systems of a test set, or given files, and write score files into a folder."""
    from hyperbaton.adapters.mt_metrics_eval import write_scores

    inputs, scoring = given.inputs, given.scoring
    if bool(inputs.systems) != bool(inputs.references):
        raise InputError("--mtme needs a test set alone, or references (-r REF) and systems")
    pairs = None if inputs.langpair is None else [*map(str.strip, inputs.langpair.split(","))]
    references = systems = None
    if inputs.systems and inputs.references:
        names, files = reference_names(inputs.references)
        pairs = pairs or [common_pair(names)]
        if len(pairs) > 1:
            raise InputError(
                f"REF and SYS need a single language pair, got --langpair {inputs.langpair}"
            )
        references = {
            name.removeprefix(f"{pairs[0]}."): file for name, file in zip(names, files, strict=True)
        }
        found = find_systems(inputs.systems)
        systems = dict(zip(found.names, found.paths, strict=True))
    written = write_scores(
        folder,
        scoring.metrics or ["default"],
        scoring.language,
        pairs=pairs,
        references=references,
        systems=systems,
        wordnet=scoring.wordnet,
        paraphrases=scoring.paraphrases,
        parser=given.trees.parser,
        threads=scoring.threads,
        progress=progress_hooks(),
        notify=lambda notice: print_notices([notice]),
    )
    folders = Counter(path.parent for path in written)
    print_notices(
        Notice(f"wrote {count_noun(count, 'score file')} to {printable(str(path))}", DONE)
        for path, count in folders.items()
    )


def reference_names(given: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the names of references, and their files.

    A name is given as ``name=file``, or is that of the file without extension, or of the column.

    Raises
    ------
    InputError
        If two references have the same name.
    """
    own_names, files = map(list, zip(*map(split_name, given), strict=True))
    parts = [split_column(file) for file in files]
    names = [
        name if own is None else own
        for own, name in zip(
            own_names, source_names([(path, column) for path, _, column in parts]), strict=True
        )
    ]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(f"two references have the name {name}")
    is_file = [
        own is None and column is None for own, (_, _, column) in zip(own_names, parts, strict=True)
    ]
    labels = table_labels(names, is_file)
    return [labels[name] for name in names], files


def common_pair(names: Sequence[str]) -> str:
    """Return the language pair that the names of all references begin with.

    >>> common_pair(["en-de.refA", "en-de.refB"])
    'en-de'
    """
    from hyperbaton.adapters.mt_metrics_eval import is_pair

    pairs = {name.partition(".")[0] for name in names}
    if len(pairs) != 1 or not all("." in name for name in names) or not is_pair(min(pairs)):
        raise InputError("--mtme needs the language pair of these files: --langpair en-de")
    return pairs.pop()


ADAPTERS = ("evaluate",)  # other hosts import Hyperbaton and need no files


class AdaptersOptions(OptionGroup):
    """The software, and what is written for it.

    Attributes
    ----------
    folder
        Output folder; it is created if it does not exist.
    metrics
        A metric without options, or a set of metrics; may be repeated. Default: every metric.
    """

    adapter: str = argument(
        "ADAPTER", about=f"The software to write files for: {', '.join(ADAPTERS)}.", required=True
    )
    folder: str = argument("DIR", required=True)
    metrics: list[str] | None = option("--metric -m METRIC")


def adapters_command(options: AdaptersOptions) -> None:
    """Write files for other evaluation software.

    For Hugging Face's evaluate, one folder per metric is written to DIR. evaluate.load reads it
    without network access. The installed version of Hyperbaton computes the values. An existing
    file with other content is left untouched.

    \b
    Examples:
      hyperbaton adapters evaluate modules
      hyperbaton adapters evaluate modules -m hyper -m pef
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.adapters.evaluate_modules import write_modules
    from hyperbaton.metrics.registry import names

    if options.adapter not in ADAPTERS:
        raise InputError(unknown_name_message("adapter", options.adapter, ADAPTERS))
    paths = write_modules(options.folder, options.metrics or names())
    count = count_noun(len(paths), "module")
    click.echo(f"wrote {count} to {printable(options.folder)}: {', '.join(paths)}")
    shown = next(iter(paths)) if options.metrics else "order"
    click.echo(f"To load one in Python: evaluate.load({paths[shown]!r}, language='en')")
