"""Scores in Parquet files: shards, whose footers have the exact sums, and all of one system."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hyperbaton.errors import HyperbatonError, InputError
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.metrics.batches import ReferenceTexts
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import make_metric
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.engine import PartialScores
from hyperbaton.runs.results import Result, Score
from hyperbaton.runs.run import Keep
from hyperbaton.runs.tables.columns import import_pyarrow
from hyperbaton.runs.tables.plan import Shard, TablePlan, difference_of_settings, shard_name
from hyperbaton.runs.tables.scorer import LINKED
from hyperbaton.softorder.anchors import Anchors, pair_anchors
from hyperbaton.text.plurals import count_noun
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    import pyarrow.parquet


KEY = b"hyperbaton"
SHARD_NAME = re.compile(r"\d{5,}-of-\d{5,}\.parquet")
DIGEST_KEY = b"hyperbaton-digest"  # Parquet does not check its footers
MOST_REFERENCES = 1 << 20  # of a segment, in digests
DIGEST_BITS = 64
SCHEMA = "hyperbaton/shard/3"
FIELD_TYPES: dict[str, type] = {
    **dict.fromkeys(("system", "column", "inputs"), str),
    **dict.fromkeys(("shard", "shards", "skipped"), int),
    **dict.fromkeys(("settings", "input", "scores"), dict),
}


@dataclass(frozen=True)
class Footer:
    """What the footer of a shard says.

    Attributes
    ----------
    path : Path
        The shard's file.
    system, column : str
        Name and column of the system.
    shard, shards : int
        Number of the shard, from 0, and of all shards.
    settings : dict
        Settings of the run.
    inputs : str
        A digest of the names of all input files and of how they are split.
    input : dict
        The file and the rows that the shard was made from.
    scores : dict
        State of the partial scores.
    skipped : int
        Number of rows without scores.
    references : tuple of int
        Digest of the references. Digests of shards add up to that of the corpus.
    """

    path: Path
    system: str
    column: str
    shard: int
    shards: int
    settings: dict[str, Any]
    inputs: str
    input: dict[str, Any]
    scores: dict[str, Any]
    skipped: int
    references: tuple[int, int]


def shard_files(folder: Path) -> list[Path]:
    """Return the files of shards in a folder, in order."""
    named = (path for path in folder.glob("*-of-*.parquet") if is_shard_name(path.name))
    return sorted(filter(Path.is_file, named))


def is_shard_name(name: str) -> bool:
    """Return whether a name is that of a shard.

    >>> is_shard_name("00001-of-00050.parquet"), is_shard_name("1-of-a.parquet")
    (True, False)
    """
    return SHARD_NAME.fullmatch(name) is not None


def open_shard(path: Path) -> pyarrow.parquet.ParquetFile:
    """Open a file of scores. Its pages are checked when they are read."""
    import pyarrow.parquet

    file = pyarrow.OSFile(os.fsencode(path))  # as bytes, a path need not be UTF-8
    return pyarrow.parquet.ParquetFile(file, page_checksum_verification=True)


def make_footer(
    plan: TablePlan, shard: Shard, partial: PartialScores, skipped: int, references: tuple[int, int]
) -> dict[str, str]:
    """Return the footer of a shard, for a Parquet file."""
    content = {
        "schema": SCHEMA,
        "system": partial.system,
        "column": dict(plan.columns.systems)[partial.system],
        "shard": shard.index,
        "shards": len(plan.shards),
        "settings": plan.settings,
        "inputs": plan.inputs_digest,
        "input": shard.identity(),
        "scores": partial.state(),
        "skipped": skipped,
        "references": [str(part) for part in references],
    }
    text = json.dumps(content)
    return {KEY.decode(): text, DIGEST_KEY.decode(): digest_text(text.encode())}


def digest_text(text: bytes) -> str:
    """Return the digest of a footer, by which damage is found."""
    return hashlib.sha256(text).hexdigest()[:32]


def damaged(path: Path) -> InputError:
    """Return the error for a file or a folder that cannot be read."""
    return InputError(f"{printable(str(path))} is damaged: delete it, and run the command again")


@contextlib.contextmanager
def report_damage(path: Path) -> Iterator[None]:
    """Raise one error for all that footers can have wrong in spite of their digests.

    Whoever can write a footer can write its digest, too.
    """
    try:
        yield
    except HyperbatonError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError):
        raise damaged(path) from None


def read_footer(path: Path) -> Footer:
    """Read the footer of a shard.

    Raises
    ------
    InputError
        If the file is not a shard, is damaged, or was renamed.
    """
    arrow = import_pyarrow()
    name = printable(str(path))
    try:
        metadata = open_shard(path).metadata.metadata or {}
    except (arrow.ArrowException, OSError, ValueError):
        raise damaged(path) from None
    if KEY not in metadata:
        raise InputError(f"{name} was not written by Hyperbaton: give another folder")
    if metadata.get(DIGEST_KEY) != digest_text(metadata[KEY]).encode():
        raise damaged(path)
    with report_damage(path):
        content = json.loads(metadata[KEY], parse_constant=_refuse_constant)
        if content.pop("schema") != SCHEMA:
            raise InputError(f"{name} was written by another version of Hyperbaton")
        low, high = map(int, content.pop("references"))
        footer = Footer(path, **content, references=(low, high))
        if any(type(getattr(footer, name)) is not kind for name, kind in FIELD_TYPES.items()):
            raise TypeError("fields")
        if type(footer.input["rows"]) is not int or type(footer.settings["statistics"]) is not bool:
            raise TypeError("fields")
    if path.name != shard_name(footer.shard, footer.shards):
        raise InputError(
            f"{name} has the name of another shard: it was written as "
            f"{shard_name(footer.shard, footer.shards)}"
        )
    return footer


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # sums are finite


def check_same_run(
    footer: Footer, settings: Mapping[str, Any], inputs: str, system: str, column: str
) -> None:
    """Raise an error if a shard is of other settings, files, or of another system."""
    folder = printable(str(footer.path.parent))
    advice = "give another output folder"
    difference = difference_of_settings(settings, footer.settings)
    if difference:
        raise InputError(f"{folder} has scores with other settings ({difference}): {advice}")
    if footer.inputs != inputs:
        raise InputError(
            f"{folder} has scores of other input files, or of files with other rows: {advice}"
        )
    for kind, there, now in (("column", footer.column, column), ("system", footer.system, system)):
        if there != now:
            raise InputError(
                f"{folder} has scores of the {kind} {there!r}, not of {now!r}: {advice}"
            )


Floats = npt.NDArray[np.float64]
MOST_NAMED = 3


def read_scores(folder: StrPath) -> Result:
    """Read the scores of a system that :func:`hyperbaton.score_table` has written.

    The values of the corpus come from the footers of the files. The values and the statistics of
    segments are read when they are asked for.

    Parameters
    ----------
    folder : path
        The output folder, or the folder of one system in it.

    Returns
    -------
    Result
        The scores of the system.

    Raises
    ------
    InputError
        If the folder has no scores, lacks some of them, or has those of several systems.
    """
    systems = find_stored_scores(folder)
    if len(systems) > 1:
        names = ", ".join(printable(stored.path.name) for stored in systems)
        raise InputError(
            f"{printable(str(folder))} has several systems: give the folder of one ({names})"
        )
    return systems[0].result()


def find_stored_scores(folder: StrPath) -> list[StoredScores]:
    """Return the stored scores in an output folder: of one system, or of the folders in it."""
    path = Path(folder)
    if not os.path.isdir(path):  # Path.is_dir raises errors for names that are too long
        what = "is not a folder" if os.path.exists(path) else "does not exist"
        raise InputError(f"{printable(str(path))} {what}")
    folders = [path] if shard_files(path) else filter(Path.is_dir, sorted(path.iterdir()))
    stored = [StoredScores.open(folder) for folder in folders if shard_files(folder)]
    if not stored:
        raise InputError(f"{printable(str(path))} has no scores")
    return stored


@dataclass(frozen=True)
class StoredScores:
    """The shards of one system, all of them and all from the same run.

    Attributes
    ----------
    path : Path
        Their folder.
    footers : tuple of Footer
        Their footers, in order.
    """

    path: Path
    footers: tuple[Footer, ...]

    @classmethod
    def open(cls, path: Path) -> StoredScores:
        """Read the footers in a folder, and check that they belong together."""
        footers = [read_footer(file) for file in shard_files(path)]
        first = footers[0]
        with report_damage(path):
            for footer in footers[1:]:
                check_same_run(footer, first.settings, first.inputs, first.system, first.column)
            found = {footer.shard: footer for footer in footers}
            missing = first.shards - len(found)
            if not missing:
                return cls(path, tuple(found[k] for k in range(first.shards)))
            absent = (str(k + 1) for k in range(first.shards) if k not in found)
            named = ", ".join(islice(absent, MOST_NAMED))
            more = ", …" if missing > MOST_NAMED else ""
            raise InputError(
                f"{printable(str(path))}: {count_noun(missing, 'shard')} of {first.shards:,} "
                f"{'is' if missing == 1 else 'are'} missing ({named}{more})"
            )

    def same_run(self, other: StoredScores) -> bool:
        """Return whether both were scored with the same settings, from the same files."""
        mine, theirs = self.footers[0], other.footers[0]
        return (mine.settings, mine.inputs) == (theirs.settings, theirs.inputs)

    @property
    def system(self) -> str:
        """Name of the system."""
        return self.footers[0].system

    @property
    def skipped(self) -> int:
        """Number of rows without scores."""
        return sum(footer.skipped for footer in self.footers)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return sum(int(footer.input["rows"]) for footer in self.footers)

    @property
    def references(self) -> tuple[int, int]:
        """Digest of the references."""
        return reduce(add_digests, (footer.references for footer in self.footers))

    @property
    def has_statistics(self) -> bool:
        """Whether the statistics of segments were written."""
        return bool(self.footers[0].settings["statistics"])

    @property
    def language(self) -> str | None:
        """The language that was given."""
        languages = (metric.resources.language for metric in self.metrics.values())
        return next((language for language in languages if language), None)

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """The metrics."""
        return {
            key: make_metric(key, Resources(**resources))
            for key, resources in self.footers[0].settings["metrics"].items()
        }

    def _signature(self, key: str, score: Score) -> str:
        """Return the signature from when the rows were scored, with the number of references."""
        signature = Signature.parse(self.footers[0].settings["signatures"][key])
        signature.info["nrefs"] = Signature.parse(score.signature).info["nrefs"]
        return str(signature)

    def result(self) -> Result:
        """Return the scores, as if they came from one run over all rows.

        Raises
        ------
        InputError
            If no row has scores, or the footers are damaged.
        """
        with report_damage(self.path):
            merged = PartialScores(self.metrics, Keep(statistics=False), self.system)
            for footer in self.footers:
                merged.merge(PartialScores.from_state(footer.scores, self.metrics, self.system))
            if not merged.n:
                raise InputError(f"{printable(str(self.path))}: no row could be scored")
            scores = {key: self._stored_score(key, score) for key, score in merged.result().items()}
            if not scores:
                raise damaged(self.path)  # its footers name no metric
            return Result(scores, self.system, skipped=self.skipped)

    def _stored_score(self, key: str, score: Score) -> StoredScore:
        """Return a score whose segments are read when they are asked for."""
        fields = {**vars(score), "signature": self._signature(key, score)}
        if self.has_statistics:
            fields["stored"] = StatisticsColumn(self.footers, key, len(score.sums))
            if self.metrics[key].needs.anchors is not None:
                fields["stored_anchors"] = AnchorsColumn(self.footers, key)
        return StoredScore(**fields, footers=self.footers, key=key)


@dataclass(frozen=True, eq=False)
class StoredScore(Score):
    """A score whose segments are in files."""

    footers: Sequence[Footer] = ()
    key: str = ""

    @cached_property
    def segments(self) -> Floats:
        """The value of each row; NaN if it could not be scored, or is not scored."""
        may_lack = self.metric.needs.has_value is not None
        values = read_numbers(self.footers, self.key, may_lack)
        values.flags.writeable = False
        return values

    @property
    def linked_segments(self) -> Floats | None:
        """The share of linked words of each row; NaN if it could not be scored."""
        if self.linked is None:
            return None
        # A shard has one column of shares: those of the metric that the result's share is from.
        return read_numbers(self.footers, LINKED)


@dataclass(frozen=True)
class StatisticsColumn:
    """The statistics of segments in files; they are read anew each time."""

    footers: Sequence[Footer]
    key: str
    width: int

    def expand(self) -> Floats:
        """Return all rows as one array that cannot be changed."""
        parts = []
        for footer in self.footers:
            values, lengths = read_lists(footer, statistics_column(self.key))
            if values.dtype != np.float64 or (lengths != self.width).any():
                raise damaged_column(footer)
            parts.append(values.reshape(-1, self.width))
        rows: Floats = np.concatenate(parts)
        rows.flags.writeable = False
        return rows


@dataclass(frozen=True)
class AnchorsColumn:
    """The anchors of segments in files; they are read anew each time."""

    footers: Sequence[Footer]
    key: str

    def expand(self) -> Anchors:
        """Return the anchors of all rows that were scored."""
        return Anchors.concatenate([self._read(footer) for footer in self.footers])

    def _read(self, footer: Footer) -> Anchors:
        anchors = Anchors.of_lengths(*read_lists(footer, anchors_column(self.key)))
        try:
            pair_anchors(
                anchors, anchors, thread_count(None)
            )  # checks them, beside the file's name
        except (InputError, TypeError):
            raise damaged_column(footer) from None
        return anchors


def read_numbers(footers: Sequence[Footer], name: str, may_lack: bool = False) -> Floats:
    """Read a column of numbers of all shards; nulls become NaN.

    ``may_lack`` says that a row that was scored need not have a number.
    """
    columns = (read_score_column(footer, name, may_lack) for footer in footers)
    return np.concatenate([column.to_numpy() for column in columns])


def read_lists(footer: Footer, name: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Read a column of lists of numbers: the numbers of all rows that were scored, their counts."""
    column = read_score_column(footer, name).drop_null().combine_chunks()
    try:
        return column.flatten().to_numpy(), column.value_lengths().to_numpy()
    except (import_pyarrow().ArrowException, ValueError, AttributeError):  # no lists, or nulls
        raise damaged_column(footer) from None


def read_score_column(footer: Footer, name: str, may_lack: bool = False) -> Any:
    """Read one column of a shard."""
    arrow = import_pyarrow()
    try:
        column = open_shard(footer.path).read(columns=[name]).column(name)
    except (arrow.ArrowException, OSError, ValueError, KeyError):
        raise damaged_column(footer) from None
    lacking = column.null_count - footer.skipped
    if len(column) != footer.input["rows"] or lacking < 0 or (lacking and not may_lack):
        raise damaged_column(footer)
    return column


def damaged_column(footer: Footer) -> InputError:
    """Return the error for a shard one of whose columns cannot be read."""
    return InputError(f"{printable(str(footer.path))} is damaged: delete it, and score again")


def statistics_column(key: str) -> str:
    """Return the name of the column with the statistics of a metric."""
    return f"{key} statistics"


def anchors_column(key: str) -> str:
    """Return the name of the column with the words by which a metric compares systems."""
    return f"{key} anchors"


def digest_references(references: ReferenceTexts, first: int) -> tuple[int, int]:
    """Return a digest of references and of the segments they belong to."""
    rows: npt.NDArray[np.int64] = first + references.segment
    within = np.arange(len(references)) - references.starts[references.segment]
    return references.utf8.digest(rows * MOST_REFERENCES + within)


def add_digests(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Return the digest of two parts together."""
    return (a[0] + b[0]) % 2**DIGEST_BITS, (a[1] + b[1]) % 2**DIGEST_BITS
