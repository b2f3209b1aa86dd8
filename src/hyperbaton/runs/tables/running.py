"""``score_table``: scores of whole folders of Parquet files, on one machine or many."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path

from hyperbaton import _core
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.files.output_files import create_folder, is_unfinished_name, remove_abandoned
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.parts import fit_metrics, with_saved_model, without_fit
from hyperbaton.metrics.registry import make_metric, metrics_by_spec
from hyperbaton.registries import check_choice, load
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Keep, Run
from hyperbaton.runs.tables.columns import TableColumns
from hyperbaton.runs.tables.engines import ENGINES, ON_ERROR
from hyperbaton.runs.tables.plan import Shard, TablePlan, choose_shards, parse_part, plan_shards
from hyperbaton.runs.tables.scorer import (
    LINKED,
    MATCHED,
    check_distinct_names,
    read_references,
)
from hyperbaton.runs.tables.shard_scoring import ShardSummary
from hyperbaton.runs.tables.stored_scores import (
    anchors_column,
    check_same_run,
    find_stored_scores,
    read_footer,
    shard_files,
    statistics_column,
)
from hyperbaton.threads import thread_count

RunShards = Callable[..., Generator[ShardSummary]]


@dataclass(frozen=True)
class RunProgress:
    """How far a run is.

    Attributes
    ----------
    shards, all_shards : int
        Shards that are finished, and all that this run has to do, also those of an earlier run.
    rows, all_rows : int
        The same for rows.
    rows_now : int
        Rows that this run has scored.
    seconds : float
        Time since this run began.
    skipped : int
        Rows without scores, of this run.
    fitting : bool
        Whether the rows are those that metrics are fitted on, before any is scored.
    """

    shards: int
    all_shards: int
    rows: int
    all_rows: int
    rows_now: int
    seconds: float
    skipped: int
    fitting: bool = False

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.rows_now / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest will take; None if it is not known."""
        return (self.all_rows - self.rows) / self.rate if self.rate > 0 else None


def score_table(
    inputs: StrPath | Sequence[StrPath],
    output: StrPath,
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    hypothesis: str | Sequence[str] | Mapping[str, str] = "hypothesis",
    reference: str | Sequence[str] = "reference",
    keep: Sequence[str] = (),
    source: str | None = None,
    alignments: str | None = None,
    reference_alignments: str | None = None,
    trees: str | None = None,
    reference_trees: str | None = None,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    shard: str | tuple[int, int] | None = None,
    resume: bool = True,
    statistics: bool = True,
    on_error: str = "raise",
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    parser: str | None = None,
    progress: Callable[[RunProgress], None] | None = None,
) -> dict[str, Result] | None:
    """Score columns of Parquet files, and write the scores to Parquet files.

    The rows are split into shards. Each shard is scored by itself and written to a file of its own
    with its exact sums in the footer. A run that was stopped goes on where it was. The values are
    the same to the last bit, however the work is split and whatever engine does it.

    Parameters
    ----------
    inputs : path or sequence of paths
        Parquet files, or patterns such as ``data/*.parquet``.
    output : path
        Folder of the output. If there are several systems, each has a folder in it.
    metrics, language, wordnet, paraphrases, parser
        As for :func:`hyperbaton.score`.
    hypothesis : str, sequence of str, or mapping of str to str
        The column of a system, the columns of several, or the columns by names of systems.
    reference : str or sequence of str
        Column of references, of strings or of lists of strings; or several columns of strings.
    keep : sequence of str
        Columns that are copied to the output.
    source, alignments, reference_alignments, trees, reference_trees : str, optional
        Columns, as for :class:`hyperbaton.TableScorer`.
    engine : {"local", "ray"}
        Processes on this machine, or a cluster of Ray.
    address : str, optional
        Address of the cluster, such as ``host:6379`` or ``ray://host:10001``; by default that in
        ``RAY_ADDRESS``. Without either, a cluster is started on this machine.
    workers : int, optional
        Number of processes at a time; by default one per core.
    shard : str or (int, int), optional
        Do only a part of the shards, such as ``3/64``. Parts may run anywhere and at any time.
    resume : bool
        Whether to keep the shards that an earlier run has finished. If not, the folder must not
        have any.
    statistics : bool
        Whether to write the statistics of each segment, which comparisons need.
    on_error : {"raise", "null"}
        What happens with a row that cannot be scored: an error that names file and row, or nulls
        in its columns of scores and a count in ``Result.skipped``.
    progress : callable
        Called with a :class:`RunProgress` when the run begins and after each shard.

    Returns
    -------
    dict of str to Result, or None
        The scores of each system, or None with ``shard``: then :func:`hyperbaton.read_scores` reads
        them when all parts are done.
    """
    run_shards = partial(find_engine(engine, address), workers=workers, address=address)
    check_choice("on_error", on_error, ON_ERROR)
    columns = TableColumns(
        name_columns(hypothesis),
        (reference,) if isinstance(reference, str) else tuple(reference),
        *(source, alignments, reference_alignments, trees, reference_trees),
    )
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    named = name_metrics(metrics, resources, keep)
    paths = check_inputs(inputs)
    part = None if shard is None else parse_part(shard)
    if workers is not None:
        thread_count(workers, "workers")
    named = {key: with_saved_model(metric) for key, metric in named.items()}
    report = progress or (lambda _: None)
    if part is not None:  # the others are scored elsewhere, perhaps before all files are there
        named = {key: without_fit(metric) for key, metric in named.items()}
    shards = tuple(plan_shards(paths, columns, keep))
    named = fit_on_shards(named, shards, columns, on_error, report)
    run = Run(named, language, Keep(statistics=False, anchors=statistics), threads=1)
    plan = TablePlan(shards, columns, run, tuple(keep), Path(output), statistics, on_error)
    finished = check_output(plan, resume)
    prepare_folders(plan.folders.values())
    run_plan(plan, finished, part, run_shards, report)
    if part is not None:
        return None
    return {stored.system: stored.result() for stored in find_stored_scores(output)}


def find_engine(engine: str, address: str | None) -> RunShards:
    """Return the function of an engine, after checking that it has an address if one is given."""
    row = ENGINES.find(engine)
    if address is not None and not row.takes_address:
        clusters = [name for name, one in ENGINES.items() if one.takes_address]
        raise InputError(f"address can only be used with the engine {' or '.join(clusters)}")
    run_shards: RunShards = load(row.function)
    return run_shards


def name_metrics(
    metrics: Sequence[str | Metric] | str | Metric, resources: Resources, keep: Sequence[str]
) -> dict[str, Metric]:
    """Return metrics by the names of their columns, which must differ from all others."""
    if isinstance(keep, str):
        raise InputTypeError("keep must be a list of columns, got str")
    named = metrics_by_spec(metrics, resources)
    for key, metric in named.items():
        make_metric(key, metric.resources)  # raises an error if it could not be read again
    stored = [column(key) for column in (statistics_column, anchors_column) for key in named]
    check_distinct_names([*keep, *named, *stored, LINKED, MATCHED])
    return named


def check_inputs(inputs: object) -> list[str]:
    """Return the names of Parquet files as a list."""
    if isinstance(inputs, (str, PathLike)):
        return [str(inputs)]
    if not isinstance(inputs, Sequence):
        kind = type(inputs).__name__
        raise InputTypeError(f"inputs must be names of Parquet files, got {kind}")
    return [str(path) for path in inputs]


def fit_on_shards(
    metrics: Mapping[str, Metric],
    shards: Sequence[Shard],
    columns: TableColumns,
    on_error: str,
    progress: Callable[[RunProgress], None],
) -> dict[str, Metric]:
    """Return the metrics, those that need it fitted on the references of all rows."""
    files = list(dict.fromkeys(shard.file for shard in shards))
    all_rows = sum(shard.rows for shard in shards)
    begin = time.monotonic()

    def read() -> Iterator[_core.Lines]:
        rows = 0
        for pieces, count in read_references(files, columns, on_error):
            yield from pieces
            rows += count
            seconds = time.monotonic() - begin
            progress(RunProgress(0, len(shards), rows, all_rows, rows, seconds, 0, fitting=True))

    return fit_metrics(metrics, read)


def name_columns(
    hypothesis: str | Sequence[str] | Mapping[str, str],
) -> tuple[tuple[str, str], ...]:
    """Return the name and the column of each system."""
    if isinstance(hypothesis, str):
        return ((hypothesis, hypothesis),)
    if isinstance(hypothesis, Mapping):
        systems = tuple(hypothesis.items())
    else:
        systems = tuple((column, column) for column in hypothesis)
    if not systems:
        raise InputError("no column of a system was given")
    names = [name for name, _ in systems]
    for k, name in enumerate(names):
        if name in names[:k]:
            raise InputError(f"the system {name!r} is given twice")
        if not name:
            raise InputError("a system needs a name")
    return systems


def check_output(plan: TablePlan, resume: bool) -> set[int]:
    """Return the shards that are finished already. Nothing is written.

    Raises
    ------
    InputError
        If a folder has something else, or scores that do not belong to the plan.
    """
    folders = plan.folders
    finished = set(range(len(plan.shards)))
    for folder in dict.fromkeys([plan.output, *folders.values()]):
        check_only_scores(folder, folders.values())
    for system, folder in folders.items():
        files = shard_files(folder)
        if files and not resume:
            raise InputError(f"{printable(str(folder))} already has scores: give an empty folder")
        finished &= finished_shards(plan, system, files)
    return finished


def check_only_scores(folder: Path, system_folders: Iterable[Path]) -> None:
    """Raise an error if a path is not a folder, or has something else than scores."""
    name = printable(str(folder))
    if not os.path.exists(folder):  # Path.exists raises errors for names that are too long
        return
    if not folder.is_dir():
        raise InputError(f"{name} is a file: give a folder for the output")
    own = {*system_folders}
    scores = shard_files(folder) if folder in own else []
    others = {*folder.iterdir()} - {*scores} - own
    foreign = sorted(path.name for path in others if not is_unfinished_name(path.name))
    if foreign:
        raise InputError(
            f"{name} has other files, such as {printable(foreign[0])}: give an empty folder"
        )


def prepare_folders(folders: Iterable[Path]) -> None:
    """Create folders, and remove what killed runs have left in them."""
    for folder in folders:
        create_folder(folder)
        remove_abandoned(str(folder))


def finished_shards(plan: TablePlan, system: str, files: Sequence[Path]) -> set[int]:
    """Return the shards of a system that are in these files; they must be of the same plan."""
    column = dict(plan.columns.systems)[system]
    finished = set()
    for file in files:
        footer = read_footer(file)
        check_same_run(footer, plan.settings, plan.inputs_digest, system, column)
        folder = printable(str(file.parent))
        if footer.input != plan.shards[footer.shard].identity():
            changed = printable(plan.shards[footer.shard].file.path)
            raise InputError(
                f"{changed} has changed since it was scored to {folder}: give another output folder"
            )
        if footer.skipped and plan.on_error == "raise":
            raise InputError(
                f"{folder} has rows without scores, from a run with on_error=null: use the same "
                "option again, or give another output folder"
            )
        finished.add(footer.shard)
    return finished


def run_plan(
    plan: TablePlan,
    finished: set[int],
    part: tuple[int, int] | None,
    run_shards: RunShards,
    progress: Callable[[RunProgress], None],
) -> None:
    """Score the shards that are not finished."""
    chosen = range(len(plan.shards)) if part is None else choose_shards(len(plan.shards), part)
    indices = [index for index in chosen if index not in finished]
    all_rows = sum(plan.shards[index].rows for index in chosen)
    done = len(chosen) - len(indices)
    rows_before = all_rows - sum(plan.shards[index].rows for index in indices)
    begin = time.monotonic()
    rows = skipped = 0

    def report() -> None:
        seconds, all_done = time.monotonic() - begin, rows_before + rows
        progress(RunProgress(done, len(chosen), all_done, all_rows, rows, seconds, skipped))

    report()
    if not indices:
        return
    with contextlib.closing(run_shards(plan, indices)) as summaries:
        for summary in summaries:
            done, rows, skipped = done + 1, rows + summary.rows, skipped + summary.skipped
            report()
