"""Test sets: translations of a text by several systems, with human judgements; their readers."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.files.columns import read_single_texts
from hyperbaton.files.lines import StrPath, printable
from hyperbaton.meta.agreement import Correlation, Measure, PairMeasure, SystemMeasure
from hyperbaton.meta.judgements import Judgements, Rankings, Scores, combine_levels
from hyperbaton.meta.readers import read_judgements, read_score_file, strip_text_suffix
from hyperbaton.metrics.inputs import check_lines, check_references, check_source
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.syntax.trees import DependencyTree

# The kinds of judgements that a measure takes, in order of preference.
ACCEPTED: Mapping[type[Measure], tuple[str, ...]] = {
    PairMeasure: ("rankings", "segments"),
    Correlation: ("segments", "ranks"),
    SystemMeasure: ("systems", "segments", "rankings", "ranks"),
}
# The attribute of a test set that has judgements of a kind, and what messages call them.
KINDS = {
    "rankings": ("rankings", "rankings"),
    "ranks": ("rankings", "rankings"),
    "segments": ("segments", "segment scores"),
    "systems": ("whole", "system scores"),
}
# Files of judgements in a folder, in order of preference; pairwise.tsv lacks the ties.
RANKING_FILES = ("judgments.csv", "judgements.csv", "rankings.csv", "pairwise.tsv")
SEGMENT_SCORES, SYSTEM_SCORES = "human_seg.tsv", "human_sys.tsv"
TEXT_SUFFIXES = (".txt", ".txt.gz")
SCORE_LEVELS = ("seg", "sys")  # of mt-metrics-eval; other levels are ignored


@dataclass(frozen=True, eq=False)
class TestSet:
    """Texts of systems and references, line by line, with human judgements of one or more kinds.

    Attributes
    ----------
    name : str
    systems : mapping of str to sequence of str
        The lines of each system.
    references : sequence of sequence of str
        The references of each segment.
    rankings : Rankings, optional
    segments : Scores, optional
        Scores of segments by people.
    whole : Scores, optional
        Scores of whole systems by people.
    others : mapping of str to Scores
        Scores by other metrics.
    trees : mapping of str to sequence of DependencyTree, optional
        Trees of the systems' lines, for metrics that need them. Without trees, these metrics parse
        the lines.
    reference_trees : sequence of sequence of DependencyTree, optional
        Trees of the references of each segment.
    source : sequence of str, optional
        The source sentences, for links through the source.
    """

    __test__ = False  # pytest would take it for a class of tests

    name: str
    systems: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]]
    rankings: Rankings | None = None
    segments: Scores | None = None
    whole: Scores | None = None
    others: Mapping[str, Scores] = field(default_factory=dict)
    trees: Mapping[str, Sequence[DependencyTree]] | None = None
    reference_trees: Sequence[Sequence[DependencyTree]] | None = None
    source: Sequence[str] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        systems: Mapping[str, Sequence[str]],
        references: Sequence[str | Sequence[str]],
        judgements: Sequence[Judgements],
        others: Mapping[str, Scores] | None = None,
        source: Sequence[str] | None = None,
    ) -> TestSet:
        """Build a test set, with the systems in its judgements put in the same order.

        Parameters
        ----------
        name : str
        systems : mapping of str to sequence of str
            The lines of each system.
        references : sequence of str or of sequence of str
            One reference or several per segment, as for ``hb.score``.
        judgements : sequence of Rankings or Scores
            At most one each of rankings, scores of segments and scores of systems.
        others : mapping of str to Scores, optional
            Scores by other metrics.
        source : sequence of str, optional
            The source sentences, for links through the source.

        Raises
        ------
        InputError
            If the numbers of lines differ, or the judgements do not fit the systems.

        >>> people = Rankings.from_pairs(["x", "y"], [0], [0], [1], n=1)
        >>> TestSet.of("de-en", {"y": ["a"], "x": ["b"]}, ["b"], [people]).rankings.first.tolist()
        [1]
        """
        names = tuple(systems)
        if not names:
            raise InputError(f"{name} has no systems")
        texts = {key: check_lines(lines, f"system {key}") for key, lines in systems.items()}
        try:
            check_line_counts(texts)
            checked = check_references(references, len(texts[names[0]]))
            rows = [list(lines) for lines in checked.by_segment()]
            sources = None if source is None else check_source(source, len(rows))
        except InputError as error:
            raise InputError(f"{name}: {error}") from None
        given: dict[str, Judgements] = {}
        for human in judgements:
            if human.n not in (0, len(rows)):
                raise InputError(
                    f"{name} has {len(rows):,} segments, but its judgements have {human.n:,}"
                )
            reordered = human.of_systems(names)
            kind = "rankings" if isinstance(reordered, Rankings) else "segments"
            if isinstance(reordered, Scores) and not reordered.judged.any():
                kind = "systems"
            attribute, description = KINDS[kind]
            if attribute in given:
                raise InputError(f"{name} has two sets of {description}; give only one")
            given[attribute] = reordered
        if not given:
            raise InputError(f"{name} has no human judgements")
        external = {key: scores.of_systems(names) for key, scores in (others or {}).items()}
        return cls(name, texts, rows, others=external, source=sources, **given)  # type: ignore[arg-type]

    @property
    def n(self) -> int:
        """Number of segments."""
        return len(self.references)

    def human(
        self, measure: Measure, people: str | None = None, over: str = "segments"
    ) -> tuple[Measure, Judgements]:
        """Return the judgements to compare with, and the measure adapted to them.

        Parameters
        ----------
        measure : Measure
        people : {"rankings", "ranks", "segments", "systems"}, optional
            Which human judgements to use: ``rankings`` (for scores of systems, the share of
            comparisons won), ``ranks`` (scores computed from ranks), scores of ``segments`` or
            scores of ``systems``. By default, the first kind that the test set has: rankings,
            then segments for a measure of pairs; segments, then ranks for a correlation; systems,
            segments, then rankings for a measure of systems.
        over : {"segments", "rankings", "systems"}
            What is resampled. To resample rankings, a measure of systems needs rankings.

        Raises
        ------
        InputError
            If the test set lacks the judgements, or the measure cannot use them.
        """
        kinds = ACCEPTED[type(measure)]
        if over == "rankings" and measure.level == "system":
            kinds = ("rankings", "ranks")
        if people is not None:
            if people not in kinds:
                raise InputError(
                    f"people must be one of {', '.join(kinds)} for {measure.name} over {over}, "
                    f"got {people!r}"
                )
            kinds = (people,)
        for kind in kinds:
            judgements: Judgements | None = getattr(self, KINDS[kind][0])
            if judgements is not None:
                if isinstance(measure, SystemMeasure) and kind == "ranks":
                    measure = replace(measure, ranking_method="ranks")
                return measure, judgements
        needed = list(dict.fromkeys(KINDS[kind][1] for kind in kinds))
        neither = "neither" if len(needed) == 2 else "none"
        raise InputError(f"{measure.name} needs {' or '.join(needed)}; {self.name} has {neither}")

    def kind(self, measure: Measure, human: Judgements) -> str:
        """Return which of ``PEOPLE`` these judgements are, as the measure uses them."""
        if human is self.rankings:
            uses_ranks = isinstance(measure, Correlation) or (
                isinstance(measure, SystemMeasure) and measure.ranking_method == "ranks"
            )
            return "ranks" if uses_ranks else "rankings"
        return "segments" if human is self.segments else "systems"


def check_line_counts(texts: Mapping[str, Sequence[str]]) -> None:
    """Raise InputError if the texts, given by name, differ in their number of lines."""
    first, first_lines = next(iter(texts.items()))
    for name, lines in texts.items():
        if len(lines) != len(first_lines):
            raise InputError(
                f"{first} has {len(first_lines):,} lines, but {name} has {len(lines):,}"
            )


Data = StrPath | TestSet


def as_test_sets(
    data: Data | Sequence[Data], others: bool = False, trees: bool = False, source: bool = False
) -> list[TestSet]:
    """Return test sets; those of folders are read with :func:`read_test_sets`."""
    test_sets: list[TestSet] = []
    if not isinstance(data, (str, os.PathLike, TestSet, Iterable)):
        raise InputTypeError(
            f"data must be a folder, a TestSet or a list of them, got {type(data).__name__}"
        )
    for entry in [data] if isinstance(data, (str, os.PathLike, TestSet)) else data:
        if isinstance(entry, TestSet):
            test_sets.append(entry)
        else:
            test_sets += read_test_sets(entry, others=others, trees=trees, source=source)
    return test_sets


def read_test_sets(
    folder: StrPath,
    *,
    pairs: Sequence[str] | None = None,
    scores: str | None = None,
    references: Sequence[str] | None = None,
    others: bool = False,
    standardize: bool = False,
    trees: bool = False,
    source: bool = False,
) -> list[TestSet]:
    """Read the test sets in a folder.

    The folder is a test set, contains one test set per subfolder, or has the layout of
    mt-metrics-eval. A test set has ``reference*.txt``, ``systems/*.txt`` and files of judgements:
    ``judgments.csv`` (or else ``pairwise.tsv``), ``human_seg.tsv``, ``human_sys.tsv``. All files
    may be gzipped. The layout of mt-metrics-eval has ``system-outputs/``, ``references/`` and
    ``human-scores/``.

    Parameters
    ----------
    folder : path-like
    pairs : sequence of str, optional
        Names of the test sets to read, such as ``de-en``; by default all.
    scores : str, optional
        Which human scores of mt-metrics-eval to use, such as ``mqm``.
    references : sequence of str, optional
        Which references of mt-metrics-eval to use; by default all.
    others : bool
        Also read the metric scores of mt-metrics-eval.
    standardize : bool
        Scale the scores of each judge to mean 0 and variance 1.
    trees : bool
        Read CoNLL-U files beside the texts (``reference.conllu``, ``systems/name.conllu``), if
        there are any.
    source : bool
        Read the source sentences (``source.txt``, or ``sources/`` in mt-metrics-eval).

    Returns
    -------
    list of TestSet
        The test sets.

    Raises
    ------
    InputError
        If the folder is not a test set or one of its files is invalid.
    """
    path = Path(folder)
    name = printable(str(path))
    if not os.path.isdir(path):  # Path.is_dir raises errors for names that are too long
        raise InputError(f"there is no folder {name}")
    mt_metrics_eval = (path / "system-outputs").is_dir() and not (path / "systems").is_dir()
    folders = _find_test_sets(path, mt_metrics_eval)
    only_elsewhere = {
        "references can be chosen": references,
        "human scores can be chosen": scores,
        "scores of other metrics can be read": others,
    }
    if mt_metrics_eval and standardize:
        raise InputError(f"{name}: scores of mt-metrics-eval cannot be standardized by judge")
    for action in () if mt_metrics_eval else filter(only_elsewhere.get, only_elsewhere):
        raise InputError(f"{name}: {action} only in folders of mt-metrics-eval")
    chosen = _choose(folders, pairs, name)
    if mt_metrics_eval:
        read = [_read_mt_metrics_eval(path, pair, scores, references, others) for pair in chosen]
        sources = [path / "sources" / f"{pair}.txt" for pair in chosen]
    else:
        read = [_read_folder(path, pair, standardize) for pair, path in chosen.items()]
        sources = [_find_file(p, ["source.txt"]) or p / "source.txt" for p in chosen.values()]
    if source:
        read = list(map(add_source, read, sources))
    return list(map(_add_trees, read, chosen.values())) if trees and not mt_metrics_eval else read


def _choose(folders: dict[str, Path], pairs: Sequence[str] | None, name: str) -> dict[str, Path]:
    """Return the folders of the test sets that were asked for; by default all."""
    for pair in pairs or ():
        if pair not in folders:
            raise InputError(f"{name} has no {printable(pair)}; it has {', '.join(folders)}")
    return {pair: path for pair, path in folders.items() if pairs is None or pair in pairs}


def _find_test_sets(path: Path, mt_metrics_eval: bool) -> dict[str, Path]:
    """Return the folder of each test set by name."""
    if mt_metrics_eval:
        outputs = sorted((path / "system-outputs").iterdir())
        folders = {output.name: path for output in outputs}
    elif (path / "systems").is_dir():
        folders = {path.resolve().name: path}
    else:
        subfolders = sorted(path.iterdir())
        folders = {sub.name: sub for sub in subfolders if (sub / "systems").is_dir()}
    if not folders:
        raise InputError(
            f"{printable(str(path))} is not a test set: it has no folder systems (or "
            "system-outputs, as in mt-metrics-eval), and no folder in it has one"
        )
    return folders


def read_test_set(
    name: str,
    systems: Mapping[str, StrPath],
    references: Sequence[StrPath],
    judgements: Sequence[StrPath],
    standardize: bool = False,
) -> TestSet:
    """Read a test set from files.

    Parameters
    ----------
    name : str
        Name of the test set.
    systems : mapping of str to path-like
        The text of each system.
    references : sequence of path-like
    judgements : sequence of path-like
        Files that :func:`hyperbaton.meta.readers.read_judgements` reads.
    standardize : bool
        Scale the scores of each judge to mean 0 and variance 1.
    """
    texts, rows = _read_parallel_texts(systems, references)
    names, n = list(systems), len(rows)
    human = [read_judgements(path, names, n, standardize=standardize) for path in judgements]
    return TestSet.of(name, texts, rows, human)


def add_source(test_set: TestSet, path: StrPath) -> TestSet:
    """Return the test set with the source sentences of a file."""
    lines = read_text_lines(path)
    if len(lines) != test_set.n:
        name = printable(os.fspath(path))
        raise InputError(
            f"{test_set.name} has {test_set.n:,} segments, but {name} has {len(lines):,}"
        )
    return replace(test_set, source=lines)


def read_text_lines(path: StrPath) -> list[str]:
    """Return the lines of a text file, plain or gzipped."""
    return list(read_single_texts(os.fspath(path)))


def _read_parallel_texts(
    systems: Mapping[str, StrPath], references: Sequence[StrPath]
) -> tuple[dict[str, list[str]], list[tuple[str, ...]]]:
    """Return the lines of each system, and the references of each segment."""
    columns = [read_text_lines(path) for path in references]
    texts = {name: read_text_lines(path) for name, path in systems.items()}
    shown = [printable(os.fspath(path)) for path in (*references, *systems.values())]
    check_line_counts(dict(zip(shown, (*columns, *texts.values()), strict=True)))
    if not columns[0]:
        raise InputError(f"{shown[0]} is empty")
    return texts, list(zip(*columns, strict=True))


def _read_folder(path: Path, name: str, standardize: bool) -> TestSet:
    references = _find_texts(path, "reference")
    if not references:
        raise InputError(f"{printable(str(path))} has no reference.txt")
    candidates = (RANKING_FILES, [SEGMENT_SCORES], [SYSTEM_SCORES])
    judgements = [_find_file(path, names) for names in candidates]
    return read_test_set(
        name,
        _find_systems(path / "systems"),
        list(references.values()),
        [file for file in judgements if file is not None],
        standardize,
    )


def _add_trees(test_set: TestSet, path: Path) -> TestSet:
    """Return the test set with the trees in CoNLL-U files beside its texts, if there are any."""
    references = list(_find_texts(path, "reference"))
    texts = {
        **{name: [row[k] for row in test_set.references] for k, name in enumerate(references)},
        **{f"systems/{name}": lines for name, lines in test_set.systems.items()},
    }
    files = {name: path / f"{name}.conllu" for name in texts}
    present = [file for file in files.values() if file.is_file()]
    if not present:
        return test_set
    for file in files.values():
        if file not in present:
            exists, missing = printable(str(present[0])), printable(str(file))
            raise InputError(f"{exists} exists, but {missing} does not")
    trees = {name: list(read_trees(files[name], texts[name])) for name in texts}
    reference_trees = [trees[name] for name in references]
    return replace(
        test_set,
        trees={name: trees[f"systems/{name}"] for name in test_set.systems},
        reference_trees=list(zip(*reference_trees, strict=True)),
    )


def _read_mt_metrics_eval(
    path: Path, pair: str, scores: str | None, references: Sequence[str] | None, others: bool
) -> TestSet:
    """Read one language pair; system outputs that are used as references are left out."""
    prefix = glob.escape(pair)
    reference_files = {
        file.name.removeprefix(f"{pair}.").removesuffix(".txt"): file
        for file in sorted((path / "references").glob(f"{prefix}.*.txt"))
    }
    chosen = list(reference_files) if references is None else list(references)
    for name in chosen:
        if name not in reference_files:
            known = ", ".join(reference_files)
            raise InputError(f"{pair} has no reference {name!r}; it has {known}")
    if not chosen:
        raise InputError(f"{printable(str(path / 'references'))} has no reference for {pair}")
    outputs = _find_systems(path / "system-outputs" / pair)
    system_files = {name: file for name, file in outputs.items() if name not in chosen}
    texts, rows = _read_parallel_texts(system_files, [reference_files[name] for name in chosen])
    systems, n = list(texts), len(rows)
    human_files = _find_human_scores(path, pair, scores)
    human = [read_score_file(file, systems, n, chosen) for file in human_files]
    external: dict[str, Scores] = {}
    for file in sorted((path / "metric-scores" / pair).glob("*.score")) if others else ():
        metric, _, level = file.name.removesuffix(".score").rpartition(".")
        if level in SCORE_LEVELS:
            new = read_score_file(file, systems, n, chosen)
            external[metric] = combine_levels(external[metric], new) if metric in external else new
    return TestSet.of(pair, texts, rows, human, external)


def _find_human_scores(path: Path, pair: str, scores: str | None) -> list[Path]:
    """Return the files of the chosen human scores, or of the only ones."""
    files: dict[str, list[Path]] = {}
    for file in sorted((path / "human-scores").glob(f"{glob.escape(pair)}.*.score")):
        kind, _, level = file.name[len(pair) + 1 : -len(".score")].rpartition(".")
        if level in SCORE_LEVELS:
            files.setdefault(kind, []).append(file)
    if not files:
        raise InputError(f"{printable(str(path))} has no human scores for {pair}")
    if scores is None:
        if len(files) > 1:
            raise InputError(f"{pair} has several human scores; choose one of {', '.join(files)}")
        return next(iter(files.values()))
    if scores not in files:
        raise InputError(f"{pair} has no human scores {scores!r}; it has {', '.join(files)}")
    return files[scores]


def _find_systems(folder: Path) -> dict[str, Path]:
    """Return the text of each system in a folder; raise InputError if there is none."""
    systems = _find_texts(folder)
    if not systems:
        raise InputError(f"{printable(str(folder))} has no texts (*.txt)")
    return systems


def _find_texts(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Return the paths of the texts in a folder by name, sorted by path."""
    return {
        strip_text_suffix(path.name): path
        for path in sorted(folder.iterdir())
        if path.name.startswith(prefix) and path.name.endswith(TEXT_SUFFIXES)
    }


def _find_file(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the first of these files that exists, plain or gzipped."""
    paths = (folder / (name + suffix) for name in names for suffix in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)
