"""Test sets: translations of a text by several systems, and what people said of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from hyperbaton.errors import InputError
from hyperbaton.meta.judgements import Rankings, Scores
from hyperbaton.meta.measures import Correlation, Human, Measure, PairMeasure, SystemMeasure
from hyperbaton.meta.readers import read_judgements, read_score_file, read_scores
from hyperbaton.metrics.inputs import as_lines, as_references
from hyperbaton.syntax.conllu import read_trees
from hyperbaton.syntax.trees import DependencyTree
from hyperbaton.text.columns import read_texts
from hyperbaton.text.lines import StrPath, printable

PEOPLE = ("rankings", "ranks", "segments", "systems")
# In which order the files of a folder are looked for; preferences lack the ties of rankings.
RANKINGS = ("judgments.csv", "judgements.csv", "rankings.csv", "pairwise.tsv")
SEGMENTS, SYSTEMS = "human_seg.tsv", "human_sys.tsv"
TEXTS = (".txt", ".txt.gz")
CONLLU = ".conllu"
_KINDS = {"rankings": "rankings", "segments": "scores of segments", "whole": "scores of systems"}


@dataclass(frozen=True, eq=False)
class TestSet:
    """Systems and references line by line, and human judgements of whatever kind there are.

    ``references`` has a list for each segment. ``segments`` and ``whole`` are scores of segments
    and of whole systems by people; ``others`` are scores by other metrics, by their names.
    ``trees`` of systems and of references are for metrics that need them; without, they parse.
    """

    __test__ = False  # to pytest, it is none of its own

    name: str
    systems: Mapping[str, Sequence[str]]
    references: Sequence[Sequence[str]]
    rankings: Rankings | None = None
    segments: Scores | None = None
    whole: Scores | None = None
    others: Mapping[str, Scores] = field(default_factory=dict)
    trees: Mapping[str, Sequence[DependencyTree]] | None = None
    reference_trees: Sequence[Sequence[DependencyTree]] | None = None

    @classmethod
    def of(
        cls,
        name: str,
        systems: Mapping[str, Sequence[str]],
        references: Sequence[str | Sequence[str]],
        judgements: Sequence[Human],
        others: Mapping[str, Scores] | None = None,
    ) -> TestSet:
        """A test set whose judgements are of its systems, numbered alike, and of each kind once.

        ``references`` are as for ``hb.score``: a text for each segment, or a list of texts.

        >>> people = Rankings.from_pairs(["x", "y"], [0], [0], [1], n=1)
        >>> TestSet.of("de-en", {"y": ["a"], "x": ["b"]}, ["b"], [people]).rankings.first.tolist()
        [1]
        """
        names = tuple(systems)
        if not names:
            raise InputError(f"{name} has no systems")
        texts = {key: as_lines(lines, f"system {key}") for key, lines in systems.items()}
        for key, lines in texts.items():
            if len(lines) != len(texts[names[0]]):
                raise InputError(
                    f"{name}: {names[0]} has {len(texts[names[0]]):,} lines, but {key} has "
                    f"{len(lines):,}"
                )
        try:
            rows = as_references(references, len(texts[names[0]]))
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
        found: dict[str, Human] = {}
        for human in judgements:
            if human.n not in (0, len(rows)):
                raise InputError(
                    f"{name} has {len(rows):,} segments, but judgements of {human.n:,}"
                )
            own = human.of_systems(names)
            kind = "rankings" if isinstance(own, Rankings) else "segments"
            if isinstance(own, Scores) and not own.judged.any():
                kind = "whole"
            if kind in found:
                raise InputError(f"{name} has two files of {_KINDS[kind]}: give one")
            found[kind] = own
        if not found:
            raise InputError(f"{name} has no human judgements")
        fixed = {key: one.of_systems(names) for key, one in (others or {}).items()}
        return cls(name, texts, rows, others=fixed, **found)  # type: ignore[arg-type]

    @property
    def n(self) -> int:
        """How many segments there are."""
        return len(self.references)

    def human(
        self, measure: Measure, people: str | None = None, over: str = "segments"
    ) -> tuple[Measure, Human]:
        """The judgements that a measure takes, and the measure that takes them so.

        ``people`` says which: ``rankings`` (of systems, the share of comparisons won), ``ranks``
        (scores that ranks stand for), ``segments`` or ``systems`` (scores). By default it is the
        first that there is: rankings, segments for measures of pairs; segments, ranks for
        correlations; systems, segments, rankings for those of systems, and to draw rankings those.
        """
        kinds = {
            PairMeasure: ("rankings", "segments"),
            Correlation: ("segments", "ranks"),
            SystemMeasure: ("systems", "segments", "rankings", "ranks"),
        }[type(measure)]
        if over == "rankings" and measure.level == "system":
            kinds = ("rankings", "ranks")
        if people is not None and people not in kinds:
            raise InputError(
                f"{measure.name} over {over} takes one of {', '.join(kinds)}, not {people!r}"
            )
        there = {
            "rankings": self.rankings,
            "ranks": self.rankings,
            "segments": self.segments,
            "systems": self.whole,
        }
        for kind in kinds if people is None else (people,):
            found = there[kind]
            if found is not None:
                if isinstance(measure, SystemMeasure) and kind == "ranks":
                    measure = replace(measure, by="ranks")
                return measure, found
        wanted = " or ".join(kinds if people is None else (people,))
        raise InputError(f"{self.name} has no {wanted}, which {measure.name} is of")

    def kind(self, measure: Measure, human: Human) -> str:
        """Which of ``PEOPLE`` the judgements are that a measure takes."""
        if human is self.rankings:
            by_rank = isinstance(measure, Correlation)
            by_rank |= isinstance(measure, SystemMeasure) and measure.by == "ranks"
            return "ranks" if by_rank else "rankings"
        return "segments" if human is self.segments else "systems"


Data = StrPath | TestSet


def as_test_sets(
    data: Data | Sequence[Data], others: bool = False, trees: bool = False
) -> list[TestSet]:
    """Test sets as they are, and those of folders, by ``read_test_sets``."""
    found = []
    for one in [data] if isinstance(data, (str, os.PathLike, TestSet)) else data:
        own = [one] if isinstance(one, TestSet) else read_test_sets(one, others=others, trees=trees)
        found += own
    return found


def read_test_sets(
    folder: StrPath,
    *,
    pairs: Sequence[str] | None = None,
    scores: str | None = None,
    references: Sequence[str] | None = None,
    others: bool = False,
    standardize: bool = False,
    trees: bool = False,
) -> list[TestSet]:
    """The test sets of a folder: one, one in each folder of it, or those of mt-metrics-eval.

    A test set is a folder with ``reference*.txt``, ``systems/*.txt`` and files of judgements:
    ``judgments.csv`` (or else ``pairwise.tsv``), ``human_seg.tsv``, ``human_sys.tsv``, each perhaps
    gzipped. That of mt-metrics-eval has ``system-outputs/``, ``references/``, ``human-scores/``.
    ``pairs`` chooses among several; ``scores`` and ``references`` choose, by name, among the human
    scores and the references of mt-metrics-eval; ``others`` loads its metric scores, too. With
    ``trees``, those in CoNLL-U files beside all the texts of a test set (``reference.conllu``,
    ``systems/name.conllu``) are read, if there are any.
    """
    path = Path(folder)
    if not path.is_dir():
        raise InputError(f"there is no folder {printable(str(path))}")
    if (path / "systems").is_dir():
        folders = {path.resolve().name: path}
    elif (path / "system-outputs").is_dir():
        folders = {one.name: path for one in sorted((path / "system-outputs").iterdir())}
    else:
        folders = {one.name: one for one in sorted(path.iterdir()) if (one / "systems").is_dir()}
    if not folders:
        raise InputError(
            f"{printable(str(path))} is no test set: it has no folder systems (or system-outputs, "
            "as mt-metrics-eval), nor has any folder in it"
        )
    google = (path / "system-outputs").is_dir() and not (path / "systems").is_dir()
    useless = {"-r": references, "--human-scores": scores, "--others": others}
    for option, given in ({"--standardize": standardize} if google else useless).items():
        if given:
            of = "not for folders" if google else "only for folders"
            raise InputError(f"{printable(str(path))}: {option} is {of} of mt-metrics-eval")
    missing = [pair for pair in pairs or () if pair not in folders]
    if missing:
        raise InputError(
            f"{printable(str(path))} has no {printable(missing[0])}; it has {', '.join(folders)}"
        )
    chosen = {name: one for name, one in folders.items() if pairs is None or name in pairs}
    if google:
        return [_google(path, pair, scores, references, others) for pair in chosen]
    sets = [(_folder(one, name, standardize), one) for name, one in chosen.items()]
    return [_with_trees(found, one) if trees else found for found, one in sets]


def _folder(path: Path, name: str, standardize: bool) -> TestSet:
    systems = _texts(path / "systems")
    references = dict(_named(path, "reference"))
    if not references:
        raise InputError(f"{printable(str(path))} has no reference.txt")
    several = _side_by_side({**{one: read_lines_of(p) for one, p in references.items()}, **systems})
    files = [_file(path, [one]) for one in (SEGMENTS, SYSTEMS)]
    given = [one for one in [_file(path, RANKINGS), *files] if one is not None]
    n = len(several[next(iter(references))])
    judgements = [read_judgements(one, list(systems), n, standardize=standardize) for one in given]
    rows = list(zip(*(several[one] for one in references), strict=True))
    return TestSet.of(name, systems, rows, judgements)


def _with_trees(given: TestSet, path: Path) -> TestSet:
    """With the trees that are beside its texts, if they are."""
    references = [name for name, _ in _named(path, "reference")]
    texts = {
        **{name: [row[k] for row in given.references] for k, name in enumerate(references)},
        **{f"systems/{name}": lines for name, lines in given.systems.items()},
    }
    files = {name: path / f"{name}{CONLLU}" for name in texts}
    there = [file for file in files.values() if file.is_file()]
    if not there:
        return given
    for file in files.values():
        if file not in there:
            raise InputError(f"{printable(str(there[0]))} is there, but no {printable(str(file))}")
    read = {name: list(read_trees(files[name], texts[name])) for name in texts}
    own = [read[name] for name in references]
    return replace(
        given,
        trees={name: read[f"systems/{name}"] for name in given.systems},
        reference_trees=list(zip(*own, strict=True)),
    )


def _google(
    path: Path,
    pair: str,
    scores: str | None,
    references: Sequence[str] | None,
    others: bool,
) -> TestSet:
    """Of mt-metrics-eval; outputs that are used as references are not systems."""
    found = {
        p.name.removeprefix(f"{pair}.").removesuffix(".txt"): p
        for p in sorted((path / "references").glob(f"{_escaped(pair)}.*.txt"))
    }
    chosen = list(found) if references is None else list(references)
    for one in chosen:
        if one not in found:
            raise InputError(f"{pair} has no reference {one!r}; it has {', '.join(found)}")
    if not chosen:
        raise InputError(f"{printable(str(path / 'references'))} has none for {pair}")
    texts = _texts(path / "system-outputs" / pair)
    systems = {name: lines for name, lines in texts.items() if name not in chosen}
    several = _side_by_side({**{one: read_lines_of(found[one]) for one in chosen}, **systems})
    n = len(several[chosen[0]])
    rows = list(zip(*(several[one] for one in chosen), strict=True))
    kinds: dict[str, list[Path]] = {}
    for file in sorted((path / "human-scores").glob(f"{_escaped(pair)}.*.score")):
        kind, _, level = file.name[len(pair) + 1 : -len(".score")].rpartition(".")
        if level in ("seg", "sys"):
            kinds.setdefault(kind, []).append(file)
    if scores is None and len(kinds) == 1:
        scores = next(iter(kinds))
    if scores is None or scores not in kinds:
        if not kinds:
            raise InputError(f"{printable(str(path))} has no human scores of {pair}")
        said = "choose the human scores" if scores is None else f"no human scores {scores!r}"
        raise InputError(f"{pair}: {said}; there are {', '.join(kinds)}")
    people = [read_score_file(file, list(systems), n, chosen) for file in kinds[scores]]
    own: dict[str, Scores] = {}
    for file in sorted((path / "metric-scores" / pair).glob("*.score")) if others else ():
        metric, _, level = file.name.removesuffix(".score").rpartition(".")
        if level in ("seg", "sys"):
            new = read_score_file(file, list(systems), n, chosen)
            own[metric] = _merged(own[metric], new) if metric in own else new
    return TestSet.of(pair, systems, rows, people, own)


def _merged(a: Scores, b: Scores) -> Scores:
    """Scores of segments and scores of systems, of one metric."""
    whole = a.system_scores if a.system_scores is not None else b.system_scores
    segments = np.where(np.isnan(a.segments), b.segments, a.segments)
    return Scores(a.systems, segments, whole)


def read_others(path: StrPath, systems: Sequence[str], n: int) -> dict[str, Scores]:
    """Scores of other metrics: by the names of the columns, or of the file if it has one."""
    found = read_scores(path, systems, n)
    if list(found) == ["score"]:
        name = os.path.basename(os.fspath(path)).removesuffix(".gz")
        name = name.removesuffix(".tsv").removesuffix(".csv")
        return {name: found["score"]}
    return found


def read_lines_of(path: StrPath) -> list[str]:
    """The lines of a text."""
    return [text for (text,) in read_texts(os.fspath(path))]


def _texts(folder: Path) -> dict[str, list[str]]:
    found = {name: read_lines_of(path) for name, path in _named(folder, "")}
    if not found:
        raise InputError(f"{printable(str(folder))} has no texts (*.txt)")
    return found


def _named(folder: Path, prefix: str) -> Iterator[tuple[str, Path]]:
    """Texts by their names, in order."""
    for path in sorted(folder.iterdir()):
        ending = next((one for one in TEXTS if path.name.endswith(one)), None)
        if ending is not None and path.name.startswith(prefix):
            yield path.name.removesuffix(ending), path


def _file(folder: Path, names: Sequence[str]) -> Path | None:
    """The first of these files that is there, gzipped or not."""
    paths = (folder / (name + ending) for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def _escaped(pair: str) -> str:
    return "".join(f"[{c}]" if c in "*?[" else c for c in pair)


def _side_by_side(texts: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """The same; all must be equally long."""
    first, lines = next(iter(texts.items()))
    for name, own in texts.items():
        if len(own) != len(lines):
            raise InputError(f"{first} has {len(lines):,} lines, but {name} has {len(own):,}")
    if not lines:
        raise InputError(f"{first} is empty")
    return texts
