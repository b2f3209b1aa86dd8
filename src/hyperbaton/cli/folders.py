"""Scoring of Parquet files to a folder, and what is read from such folders."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hyperbaton.cli.commands import argument
from hyperbaton.cli.messages import print_notices, progress_bar
from hyperbaton.cli.options import RunOptions, ScoreOutputOptions, TableOptions
from hyperbaton.cli.systems import NamedSystems, name_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import split_column
from hyperbaton.files.lines import printable
from hyperbaton.files.output_files import write_beside
from hyperbaton.notices import NOTE, Notice
from hyperbaton.runs.tables.engines import ENGINES, ON_ERROR
from hyperbaton.text.plurals import count_noun

if TYPE_CHECKING:
    from hyperbaton.runs.results import Result
    from hyperbaton.runs.tables.running import RunProgress
    from hyperbaton.runs.tables.stored_scores import StoredScores


def score_to_folder(given: RunOptions, output: str, tables: TableOptions) -> list[Result] | None:
    """Score Parquet files to a folder. Return the scores, or None if only a part was done."""
    from hyperbaton.runs.tables.running import score_table

    alignments, trees, scoring = given.alignments, given.trees, given.scoring
    named, references = given.inputs.paths("score")
    systems = named.paths
    if any(split_name(system)[0] is not None for system in given.inputs.systems or ()):
        raise InputError(
            "NAME=SYS cannot be used with an output folder: systems are named after their columns"
        )
    path, columns = columns_of_files([*systems, *references])
    optional = {
        "source": alignments.source,
        "alignments": only_one(alignments.alignments, "--alignment"),
        "reference_alignments": only_one(alignments.reference_alignments, "--ref-alignment"),
        "trees": only_one(trees.trees, "--trees"),
        "reference_trees": only_one(trees.reference_trees, "--ref-trees"),
    }
    optional = {key: value for key, value in optional.items() if value is not None}
    _, optional_columns = columns_of_files([systems[0], *filter(None, optional.values())])
    last: list[RunProgress] = []
    # Ray prints its messages to standard output, which is for the scores.
    with (
        contextlib.redirect_stdout(sys.stderr),
        telling_where_it_stopped(last),
        progress_bar("reading the footers", ("spinner", "bar", "{task.description}")) as update,
    ):

        def progress(done: RunProgress) -> None:
            last[:] = [done]
            if update is not None:
                update(total=done.all_rows, completed=done.rows, description=describe_run(done))

        results = score_table(
            path,
            output,
            scoring.metrics or ["default"],
            scoring.language,
            hypothesis=columns[: len(systems)],
            reference=columns[len(systems) :],
            keep=tables.keep or (),
            engine=tables.engine or ENGINES.default,
            address=tables.address,
            workers=tables.workers,
            shard=tables.shard,
            statistics=not tables.no_statistics,
            on_error=tables.on_error or ON_ERROR[0],
            wordnet=scoring.wordnet,
            paraphrases=scoring.paraphrases,
            parser=trees.parser,
            progress=progress,
            **dict(zip(optional, optional_columns[1:], strict=True)),  # type: ignore[arg-type]
        )
    if results is None and last:
        print_notices([Notice(f"part {tables.shard}: {describe_part(last[0])}", NOTE)])
    return None if results is None else list(results.values())


@contextlib.contextmanager
def telling_where_it_stopped(last: Sequence[RunProgress]) -> Iterator[None]:
    """Say how to go on if the run is stopped."""
    try:
        yield
    except KeyboardInterrupt:
        if last:
            done = f"{last[0].shards:,} of {count_noun(last[0].all_shards, 'shard')}"
            resume = "run the same command again to continue"
            print_notices([Notice(f"stopped: {done} done; {resume}", NOTE)])
        raise


def describe_part(done: RunProgress) -> str:
    """Return what was done for a part of the shards, in words."""
    if not done.all_shards:
        return "there are fewer shards than parts, and this part has none"
    count = count_noun(done.all_shards, "shard")
    return f"{count} {'is' if done.all_shards == 1 else 'are'} done ({done.all_rows:,} rows)"


def columns_of_files(sources: Sequence[str]) -> tuple[str, list[str]]:
    """Return the files that all sources are columns of, and the columns."""
    columns = []
    paths = []
    for source in sources:
        path, kind, column = split_column(source)
        if kind != "parquet" or column is None:
            raise InputError(
                f"{printable(source)} is not a column of Parquet files, such as "
                "'data/*.parquet:column': only such columns can be scored to a folder"
            )
        paths.append(path)
        columns.append(column)
    for path, source in zip(paths, sources, strict=True):
        if path != paths[0]:
            raise InputError(
                f"systems and references must be columns of the same files: {printable(sources[0])}"
                f" and {printable(source)} are not"
            )
    return paths[0], columns


def only_one(given: Sequence[str] | None, option: str) -> str | None:
    """Return the value of an option that may be given once for a folder of Parquet files."""
    if given and len(given) > 1:
        raise InputError(f"{option} may be given once: a column of lists holds several")
    return given[0] if given else None


def skipped_warnings(results: Sequence[Result]) -> Iterator[Notice]:
    """Return a warning for each system with rows that could not be scored."""
    for result in results:
        if result.skipped:
            rows = count_noun(result.skipped, "row")
            verb = "is" if result.skipped == 1 else "are"
            yield Notice(f"{result.name}: {rows} could not be scored and {verb} left out")


def describe_run(done: RunProgress) -> str:
    """Return how far a run is, in words.

    >>> from hyperbaton.runs.tables.running import RunProgress
    >>> describe_run(RunProgress(3, 6, 9000, 18000, 9000, 3.0, 0))
    '3 of 6 shards, 3,000 segments/s, 3 s left'
    """
    text = f"{done.shards:,} of {count_noun(done.all_shards, 'shard')}"
    if done.fitting:
        return f"counting in the references, {done.rate:,.0f} rows/s"
    if done.seconds_left is None:
        return text
    minutes, seconds = divmod(round(done.seconds_left), 60)
    hours, full_minutes = divmod(minutes, 60)
    left = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    if hours:
        left = f"{hours} h {full_minutes} min"
    return f"{text}, {done.rate:,.0f} segments/s, {left} left"


def open_folders(folders: Sequence[str]) -> tuple[NamedSystems, list[StoredScores]]:
    """Return the systems of folders, and their stored scores.

    A folder may hold several systems, each in a folder of its own.
    """
    from hyperbaton.runs.tables.stored_scores import find_stored_scores

    names: list[str | None] = []
    stored: list[StoredScores] = []
    for given in folders:
        name, folder = split_name(given)
        found = find_stored_scores(folder)
        if name is not None and len(found) > 1:
            raise InputError(
                f"{printable(folder)} has {len(found)} systems, which cannot all have the name "
                f"{printable(name)}"
            )
        names += [name] * len(found)
        stored += found
    return name_systems(names, [str(scores.path) for scores in stored]), stored


def read_comparable(
    folders: Sequence[str], metrics: Sequence[str] | None
) -> tuple[list[Result], NamedSystems, str | None]:
    """Return results that can be compared, their systems, and their language.

    Raises
    ------
    InputError
        If the folders do not hold scores of the same segments by the same metrics.
    """
    systems, stored_scores = open_folders(folders)
    stored = dict(zip(systems.names, stored_scores, strict=True))
    first_name, first = next(iter(stored.items()))
    for name, scores in stored.items():
        if not scores.has_statistics:
            raise InputError(f"{name} has no segment statistics: score it without --no-statistics")
        if scores.skipped:
            rows = count_noun(scores.skipped, "row")
            raise InputError(
                f"{name} has {rows} without scores: only systems with scores of all rows can be "
                "compared"
            )
        if scores.rows != first.rows:
            raise InputError(
                f"{first_name} has {count_noun(first.rows, 'row')}, but {name} has {scores.rows:,}"
            )
        if scores.references != first.references:
            raise InputError(f"{first_name} and {name} have different references")
    results = [choose_metrics(scores.result(), name, metrics) for name, scores in stored.items()]
    for result in results:
        for one, other in ((results[0], result), (result, results[0])):
            for key in one:
                if key not in other:
                    raise InputError(
                        f"{one.name} has the metric {key}, but {other.name} has not: choose common "
                        "ones with -m"
                    )
        for key, score in results[0].items():
            if result[key].signature != score.signature:
                raise InputError(
                    f"{key} differs: {score.signature} in {first_name}, {result[key].signature} in "
                    f"{result.name}"
                )
    return results, systems, first.language


def choose_metrics(result: Result, name: str, metrics: Sequence[str] | None) -> Result:
    """Return the scores of the metrics that were asked for, under the name of a system."""
    from hyperbaton.metrics.registry import expand

    wanted = expand(metrics) if metrics else list(result)
    for key in wanted:
        if key not in result:
            raise InputError(f"{name} has no scores of {key}; it has {', '.join(result)}")
    return result.with_scores({key: result[key] for key in wanted}, name)


class MergeOptions(ScoreOutputOptions):
    """The folder, and how its scores are printed.

    Attributes
    ----------
    folder
        Folder written by hyperbaton score.
    """

    folder: str = argument("FOLDER", required=True)


def merge_command(options: MergeOptions) -> None:
    """Combine the scores of all shards in a folder.

    The values come from the footers of the files; texts and segments are not read. All shards must
    be present.

    \b
    Examples:
      hyperbaton score -r 'd/*.parquet:ref' 'd/*.parquet:mt' -m pef -o scores/ --shard 1/2
      hyperbaton score -r 'd/*.parquet:ref' 'd/*.parquet:mt' -m pef -o scores/ --shard 2/2
      hyperbaton merge scores/
      hyperbaton merge scores/ --format json -o scores.json
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.runs.cautions import score_warnings
    from hyperbaton.runs.tables.stored_scores import find_stored_scores

    stored = find_stored_scores(options.folder)
    for other in stored[1:]:
        if not other.same_run(stored[0]):
            raise InputError(
                f"{printable(str(stored[0].path))} and {printable(str(other.path))} come from "
                "different runs: merge each by itself"
            )
    results = [scores.result() for scores in stored]
    view = options.view(options.sorted(results))
    with write_beside(options.output) as out:
        out.write(options.render_scores(view, out) + "\n")
    notices = [*skipped_warnings(results), *score_warnings(results, stored[0].language)]
    print_notices(options.untold(view, notices))
