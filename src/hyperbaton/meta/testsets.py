"""Test sets: translations of a text by several systems, with human judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hyperbaton.errors import InputError
from hyperbaton.meta.agreement import Correlation, Measure, PairMeasure, SystemMeasure
from hyperbaton.meta.judgements import Judgements, Rankings, Scores
from hyperbaton.metrics.inputs import check_lines, check_references, check_source
from hyperbaton.syntax.trees import DependencyTree

# The kinds of judgements that a measure takes, in order of preference.
ACCEPTED: Mapping[type[Measure], tuple[str, ...]] = {
    PairMeasure: ("rankings", "segments"),
    Correlation: ("segments", "ranks"),
    SystemMeasure: ("systems", "segments", "rankings", "ranks"),
}
DESCRIPTIONS = {
    "rankings": "rankings",
    "ranks": "rankings",
    "segments": "segment scores",
    "systems": "system scores",
    "whole": "system scores",
}


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
        by_kind: dict[str, Judgements] = {}
        for human in judgements:
            if human.n not in (0, len(rows)):
                raise InputError(
                    f"{name} has {len(rows):,} segments, but its judgements have {human.n:,}"
                )
            reordered = human.of_systems(names)
            kind = "rankings" if isinstance(reordered, Rankings) else "segments"
            if isinstance(reordered, Scores) and not reordered.judged.any():
                kind = "whole"
            if kind in by_kind:
                raise InputError(f"{name} has two sets of {DESCRIPTIONS[kind]}; give only one")
            by_kind[kind] = reordered
        if not by_kind:
            raise InputError(f"{name} has no human judgements")
        external = {key: scores.of_systems(names) for key, scores in (others or {}).items()}
        return cls(
            name,
            texts,
            rows,
            others=external,
            source=sources,
            **by_kind,  # type: ignore[arg-type]
        )

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
        by_kind = {
            "rankings": self.rankings,
            "ranks": self.rankings,
            "segments": self.segments,
            "systems": self.whole,
        }
        for kind in kinds:
            judgements = by_kind[kind]
            if judgements is not None:
                if isinstance(measure, SystemMeasure) and kind == "ranks":
                    measure = replace(measure, ranking_method="ranks")
                return measure, judgements
        needed = list(dict.fromkeys(DESCRIPTIONS[kind] for kind in kinds))
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
