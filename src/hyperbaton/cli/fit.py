"""``hyperbaton fit``: count in references, or in any text, and keep the counts in a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.messages import print_notices, with_progress
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, ScoringOptions, check_paths
from hyperbaton.errors import InputError
from hyperbaton.files.lines import check_standard_input, printable
from hyperbaton.notices import NOTE, Notice
from hyperbaton.text.plurals import count_noun

if TYPE_CHECKING:
    from hyperbaton.softorder.precedence import PrecedenceModel

USAGE = "hyperbaton fit -r TEXT -o MODEL, or hyperbaton fit PART PART... -o MODEL"


class FitOptions(OptionGroup):
    """What is counted, and where the counts are kept.

    Attributes
    ----------
    models
        Models of all parts of a text, to be merged.
    texts
        References, or another text in the target language, line by line: a text file (or -; .gz,
        .xz, .bz2, .zst), or a column: file.tsv:name, file.parquet:column; may be repeated.
    example
        Fit on the reference of Hyperbaton's example set.
    part
        Fit only on the lines of part K of N; a hash of each line decides its part.
    output
        Output file.
    """

    TITLE = "Input"

    models: list[str] | None = argument("PART...")
    texts: list[str] | None = option("--reference -r TEXT")
    example: bool = flag("--example")
    part: str | None = option("--part K/N")
    output: str | None = option("--output -o MODEL", title="Output")


FIT_RULES: Rules = {
    lambda given: given.example: {
        "PART... --reference": "--example has its own reference: do not give texts or models"
    },
    lambda given: given.models and not given.texts: {
        "--part --metric --language": "--part, -m and -l can only be used with texts, not when "
        "models are merged"
    },
}


def fit_command(scoring: ScoringOptions, options: FitOptions) -> None:
    """Fit order and hyper on a text, and save the model.

    The model holds counts of word pairs. score fits these metrics on its references by itself. A
    saved model gives single sentences reproducible values, avoids counting a large text twice, and
    is required for scoring a table in parts. -l, and options of -m such as tok and case, must match
    the metric that uses the model.

    \b
    Examples:
      hyperbaton fit -r ref.txt -o ref.model
      hyperbaton score -r ref.txt sys.txt -m order:precedence=ref.model
      hyperbaton fit --example -o example.model
      hyperbaton fit -r news.en.gz -r books.en.gz -o news.model
      hyperbaton fit -r ref.zh -l zh -m order:case=mixed -o zh.model
      hyperbaton fit -r news.en.gz --part 1/2 -o part1.model
      hyperbaton fit -r news.en.gz --part 2/2 -o part2.model
      hyperbaton fit part1.model part2.model -o news.model
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.softorder.model_files import save_model

    texts, models, output = options.texts or [], options.models or [], options.output
    if options.example:
        texts = [str(EXAMPLE / "reference.txt")]
        scoring = scoring.replace(language=scoring.language or EXAMPLE_LANGUAGE)
    if bool(models) == bool(texts):
        raise InputError(f"give texts with -r, or models to merge: {USAGE}")
    if output is None or output == "-":
        raise InputError(f"a model needs an output file, -o MODEL: {USAGE}")
    if "," in output:
        raise InputError("the name of a model must have no comma, which separates options")
    check_paths([*models, *texts], [output])
    model = merge_models(models) if models else count_texts(texts, scoring, options.part)
    save_model(model, output)
    name, lines = printable(output), count_noun(model.lines, "distinct line")
    words = count_noun(len(model.words), "word")
    hint = f"use it as precedence={name}"
    if len(model.parts) < model.part_count:
        present = ", ".join(str(part + 1) for part in model.parts)
        hint = f"part {present} of {model.part_count}: merge all parts with fit"
    print_notices([Notice(f"{name}: {lines}, {words}; {hint}", NOTE)])


def count_texts(texts: Sequence[str], scoring: ScoringOptions, part: str | None) -> PrecedenceModel:
    """Count in texts."""
    from hyperbaton.files.columns import read_blocks
    from hyperbaton.files.model_files import is_model_file
    from hyperbaton.metrics.registry import metrics_by_spec
    from hyperbaton.metrics.soft_order import BLOCK_LINES, SoftOrdering
    from hyperbaton.runs.tables.plan import parse_part
    from hyperbaton.text.words import as_utf8
    from hyperbaton.threads import thread_count

    metrics = metrics_by_spec(scoring.metrics or ["order"], scoring.resources(None))
    if len(metrics) > 1:
        raise InputError(f"give one metric, not {len(metrics)}: {', '.join(metrics)}")
    ((key, metric),) = metrics.items()
    ordering = metric.needs.fitting
    if not isinstance(ordering, SoftOrdering) or not metric.needs.fit:
        raise InputError(f"{key} counts nothing in references: there is nothing to fit")
    threads = thread_count(scoring.threads)
    check_standard_input(texts)
    for text in texts:
        if os.path.isfile(text) and is_model_file(text):
            raise InputError(f"{printable(text)} is a saved model, not a text: give it without -r")
    k, parts = (1, 1) if part is None else parse_part(part, "--part")
    fitting = ordering.start(k - 1, parts)
    blocks = (block for text in texts for block in read_blocks(text, BLOCK_LINES))
    for block in with_progress(blocks, unit="lines"):
        fitting.add(as_utf8(block.texts), threads)
    try:
        model = fitting.model()
        if part is None:
            metric.with_options(model=model)  # raises an error if the option names other lines
        return model
    except InputError as error:
        raise InputError(f"{', '.join(map(printable, texts))}: {error}") from None


def merge_models(paths: Sequence[str]) -> PrecedenceModel:
    """Merge the models of parts of a text."""
    from hyperbaton.softorder.model_files import load_model

    merged = load_model(paths[0])
    for path in paths[1:]:
        model = load_model(path)
        try:
            merged = merged.merge(model)
        except InputError as error:
            raise InputError(f"{printable(path)}: {error}") from None
    return merged
