"""``hyperbaton score --mtme``: score files for mt-metrics-eval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import RunOptions
from hyperbaton.cli.systems import find_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import source_names, split_column, table_labels
from hyperbaton.files.lines import printable
from hyperbaton.notices import DONE, Notice
from hyperbaton.text.plurals import count_noun


def score_test_set(folder: str, given: RunOptions) -> None:
    """Score all systems of a test set, or given files, and write score files into a folder."""
    from hyperbaton.adapters.mt_metrics_eval import write_scores
    from hyperbaton.cli.file_run import TERMINAL_PROGRESS

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
        named_files = zip(found.names, found.paths, strict=True)
        systems = {found.labels[name]: file for name, file in named_files}
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
        progress=TERMINAL_PROGRESS,
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
