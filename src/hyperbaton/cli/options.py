"""The options that several commands share. Importing them loads no metric: --help is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, ClassVar, TextIO

import typer

import hyperbaton
from hyperbaton.cli.groups import OptionGroup
from hyperbaton.cli.systems import Systems, find_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, source_files
from hyperbaton.files.lines import printable
from hyperbaton.metrics.sets import SET_NAMES
from hyperbaton.stats.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling
from hyperbaton.text.display import terminal_width
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import DEFAULT_FOLD
from hyperbaton.views.formats import FORMATS
from hyperbaton.views.tables import Style

if TYPE_CHECKING:
    from hyperbaton.files.cached_test_sets import CachedTestSet
    from hyperbaton.metrics.resources import Resources
    from hyperbaton.runs.file_input import AlignmentFiles
    from hyperbaton.runs.results import Result
    from hyperbaton.text.tokenization import Tokenization
    from hyperbaton.views.tables import ResultView

EXAMPLE = Path(hyperbaton.__file__).parent / "example"
EXAMPLE_SYSTEMS = ("literal", "phrasal", "fluent")
EXAMPLE_LANGUAGE = "en"
DIGITS, SCALED_DIGITS = 4, 2


if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = StrEnum("FormatName", {name: name for name in FORMATS})


class Scale(StrEnum):
    """What values are multiplied by."""

    one = "1"
    hundred = "100"


class Method(StrEnum):
    """How samples of segments are drawn."""

    bootstrap = "bootstrap"
    randomization = "randomization"


class Correction(StrEnum):
    """Multiple-comparison corrections."""

    none = "none"
    holm = "holm"


OutputFile = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Output file (- for standard output).",
        rich_help_panel="Output",
    ),
]
Fold = Annotated[
    str | None,
    typer.Option(
        help="How words are folded before they are compared, so that words that look the same "
        f"match: {', '.join(FOLDS)}; default: {DEFAULT_FOLD}.",
        rich_help_panel="Alignments",
    ),
]
OneBased = Annotated[
    bool,
    typer.Option(
        "--one-based",
        help="Link files count words from 1 instead of 0.",
        rich_help_panel="Alignments",
    ),
]
Sure = Annotated[
    bool,
    typer.Option("--sure", help="Ignore possible links (1?2, 1p2).", rich_help_panel="Alignments"),
]


@dataclass(frozen=True)
class InputOptions(OptionGroup):
    """Systems and references."""

    TITLE: ClassVar[str] = "Input"

    systems: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SYS...",
            help="Translations, line by line: a text file (or -; .gz, .xz, .bz2, .zst), or a "
            "column: file.tsv:name, file.tsv:2, file.jsonl:key, file.parquet:column. NAME=SYS "
            "names the system.",
            show_default=False,
        ),
    ] = None
    references: Annotated[
        list[str] | None,
        typer.Option("--reference", "-r", metavar="REF", help="Reference file; may be repeated."),
    ] = None
    example: Annotated[
        bool, typer.Option("--example", help="Use Hyperbaton's three example systems.")
    ] = False
    test_set: Annotated[
        str | None,
        typer.Option(
            "--test-set",
            metavar="SET",
            help="Use the references of a test set that sacreBLEU has downloaded, such as wmt20; "
            "hyperbaton testsets lists them.",
        ),
    ] = None
    langpair: Annotated[
        str | None,
        typer.Option(
            "--langpair",
            metavar="PAIR",
            help="Language pair of --test-set or --mtme, such as en-de; it also sets the language.",
        ),
    ] = None

    @cached_property
    def cached_test_set(self) -> CachedTestSet | None:
        """The test set of sacreBLEU that was asked for."""
        from hyperbaton.files.cached_test_sets import find_test_set

        if self.test_set is None and self.langpair is None:
            return None
        if self.test_set is None or self.langpair is None:
            raise InputError("--test-set and --langpair must be given together")
        if self.example or self.references:
            raise InputError("--test-set has its own references: do not give -r")
        return find_test_set(self.test_set, self.langpair)

    @property
    def language(self) -> str | None:
        """The language that the input has by itself."""
        if self.example:
            return EXAMPLE_LANGUAGE
        return None if self.cached_test_set is None else self.cached_test_set.language

    @property
    def source(self) -> str | None:
        """The source text that comes with the input."""
        if self.example:
            return str(EXAMPLE / "source.txt")
        if self.cached_test_set is None or self.cached_test_set.source is None:
            return None
        return str(self.cached_test_set.source)

    @property
    def given_paths(self) -> list[str]:
        """The files of references and systems that were given."""
        return [*(self.references or ()), *(split_name(system)[1] for system in self.systems or ())]

    def paths(self, command: str) -> tuple[Systems, list[str]]:
        """Return the systems, and the files of references.

        Raises
        ------
        InputError
            If one of them is missing. The message shows how to call ``command``.
        """
        systems, references = self.systems or [], self.references or []
        if self.example and (self.test_set is not None or self.langpair is not None):
            raise InputError(
                "--example cannot be combined with --test-set: it has its own references"
            )
        if self.example:
            systems = [str(EXAMPLE / f"{name}.txt") for name in EXAMPLE_SYSTEMS]
            references = [str(EXAMPLE / "reference.txt")]
        elif self.cached_test_set is not None:
            references = [str(path) for path in self.cached_test_set.references]
        if not systems:
            raise InputError(f"no system: hyperbaton {command} -r REF SYS...")
        if not references:
            raise InputError(f"no reference: hyperbaton {command} -r REF SYS...")
        return find_systems(systems), references


@dataclass(frozen=True)
class MetricOptions(OptionGroup):
    """Metrics, their language and their data."""

    TITLE: ClassVar[str] = "Metrics"

    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="METRIC",
            help="Metric, such as pef or full:order=ulam,bp=off, or a set of metrics: "
            f"{', '.join(SET_NAMES)}; may be repeated, or listed with commas: bleu,pef:bp=off,wer.",
        ),
    ] = None
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            metavar="LANG",
            help="Language of the translations, for stems and tokenisation: a code or BCP 47 tag "
            "such as de, pt-BR or zh-Hans.",
        ),
    ] = None
    wordnet: Annotated[
        str | None, typer.Option(help="Folder of the WordNet database, for the synonym matcher.")
    ] = None
    paraphrases: Annotated[
        str | None,
        typer.Option(help="Paraphrase table in METEOR's format, for the paraphrase matcher."),
    ] = None

    def resources(self, parser: str | None, default_language: str | None = None) -> Resources:
        """Return the language and data for all metrics."""
        from hyperbaton.metrics.resources import Resources

        language = default_language if self.language is None else self.language
        return Resources(language, self.wordnet, self.paraphrases, parser)


@dataclass(frozen=True)
class ScoringOptions(MetricOptions):
    """Metrics, and the number of threads that compute them."""

    threads: Annotated[int | None, typer.Option(help="Number of threads; default: all cores.")] = (
        None
    )


@dataclass(frozen=True)
class AlignmentOptions(OptionGroup):
    """Files of links."""

    TITLE: ClassVar[str] = "Alignments"

    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="SRC",
            help="Source text, for links through the source (--align-source, or link files). "
            "hyperbaton report also shows it.",
        ),
    ] = None
    alignments: Annotated[
        list[str] | None,
        typer.Option(
            "--alignment",
            metavar="SYS.align",
            help="File of word links (0-0 1-2, or 1-2=1-2), one for each system in turn: links to "
            "its references or, with --source, to the source.",
        ),
    ] = None
    reference_alignments: Annotated[
        list[str] | None,
        typer.Option(
            "--ref-alignment",
            metavar="REF.align",
            help="File of word links from the source to each reference in turn.",
        ),
    ] = None
    one_based: OneBased = False
    sure: Sure = False
    align_source: Annotated[
        bool,
        typer.Option(
            "--align-source",
            help="Compute the links through the source: train an aligner on source, references "
            "and systems, or use --aligner-model.",
        ),
    ] = False

    @property
    def paths(self) -> list[str]:
        """The files that were given."""
        source = [] if self.source is None else [self.source]
        return [*source, *(self.alignments or ()), *(self.reference_alignments or ())]

    def aligned_source(self, own_source: str | None) -> str | None:
        """Return the source that is aligned; None if links are given, or not needed.

        Some texts, such as the example, come with their source.
        """
        if not self.align_source:
            return None
        for option, given in (
            ("--alignment", self.alignments),
            ("--ref-alignment", self.reference_alignments),
            ("--one-based", self.one_based),
            ("--sure", self.sure),
        ):
            if given:
                raise InputError(
                    f"{option} cannot be used with --align-source, which computes the links"
                )
        source = own_source if self.source is None else self.source
        if source is None:
            raise InputError("--align-source needs the source text: --source SRC")
        return source

    def files(
        self,
        systems: Sequence[str],
        references: Sequence[str],
        source_text: Tokenization | None = None,
    ) -> AlignmentFiles | None:
        """Return the files of links after checking their number; None if there are none."""
        from hyperbaton.runs.file_input import AlignmentFiles

        if not self.paths:
            if self.one_based or self.sure:
                raise InputError("--one-based and --sure can only be used with --alignment")
            return None
        through_source = self.source is not None or bool(self.reference_alignments)
        if through_source and not (self.source and self.alignments and self.reference_alignments):
            raise InputError(
                "links through the source need all of --source, --alignment and --ref-alignment; "
                "--source with --align-source computes them"
            )
        files_per_system = 1 if through_source else len(references)
        expected = [
            (
                "--alignment",
                self.alignments or [],
                len(systems) * files_per_system,
                "system" if through_source else "system and reference",
            )
        ]
        if through_source:
            expected.append(
                ("--ref-alignment", self.reference_alignments or [], len(references), "reference")
            )
        for option, given, count, owner in expected:
            if len(given) != count:
                raise InputError(
                    f"{option} is given {count_noun(len(given), 'time')}, but {count} "
                    f"{'is' if count == 1 else 'are'} needed: one for each {owner}"
                )
        files = AlignmentFiles(
            self.source,
            self.alignments or (),
            self.reference_alignments or (),
            files_per_system,
            base=int(self.one_based),
            possible=not self.sure,
            source_text=source_text,
        )
        for name in {*systems, *references} & set(files.link_files):
            raise InputError(f"{printable(name)} is given both as text and as alignments")
        return files


@dataclass(frozen=True)
class ParserOptions(OptionGroup):
    """The dependency parser."""

    TITLE: ClassVar[str] = "Trees"

    parser: Annotated[
        str | None,
        typer.Option(
            "--parser",
            metavar="PARSER",
            help="Dependency parser for dted: spacy:NAME or udpipe:FILE; default: spaCy's for the "
            "language.",
        ),
    ] = None


@dataclass(frozen=True)
class TreeOptions(ParserOptions):
    """Files of dependency trees, or the parser that finds them."""

    trees: Annotated[
        list[str] | None,
        typer.Option(
            "--trees",
            metavar="CONLLU",
            help="Dependency trees of a system, one block per line: one file for each SYS.",
        ),
    ] = None
    reference_trees: Annotated[
        list[str] | None,
        typer.Option(
            "--ref-trees",
            metavar="CONLLU",
            help="Dependency trees of a reference: one file for each REF.",
        ),
    ] = None

    @property
    def paths(self) -> list[str]:
        """The files that were given."""
        return [*(self.reference_trees or ()), *(self.trees or ())]

    def files(
        self, systems: Sequence[str], references: Sequence[str], example: bool = False
    ) -> list[str] | None:
        """Return the files of references, then of systems; None if there are none.

        The trees of the example come with it.
        """
        if not self.paths:
            if not example or self.parser is not None:
                return None
            return [str(Path(text).with_suffix(".conllu")) for text in (*references, *systems)]
        if self.parser is not None:
            raise InputError("--parser cannot be combined with --trees and --ref-trees")
        for option, files, owner, texts in (
            ("--trees", self.trees or (), "system", systems),
            ("--ref-trees", self.reference_trees or (), "reference", references),
        ):
            if len(files) != len(texts):
                verb = "is" if len(texts) == 1 else "are"
                raise InputError(
                    f"{option} is given {count_noun(len(files), 'time')}, but there {verb} "
                    f"{count_noun(len(texts), owner)}"
                )
        check_rereadable([*self.paths, *systems, *references], "with trees, files are read twice")
        return self.paths


@dataclass(frozen=True)
class SeedOptions(OptionGroup):
    """The random seed."""

    TITLE: ClassVar[str] = "Statistics"

    seed: Annotated[int, typer.Option(help="Random seed; results are reproducible.")] = DEFAULT_SEED


@dataclass(frozen=True)
class SamplingOptions(SeedOptions):
    """How samples are drawn and read."""

    samples: Annotated[
        int | None,
        typer.Option(
            help=f"Number of random samples.  [default: {DEFAULT_SAMPLES}]", show_default=False
        ),
    ] = None
    level: Annotated[
        float, typer.Option(help="Confidence level; the significance level is 1 − level.")
    ] = DEFAULT_LEVEL

    def sampling(self, threads: int | None, method: str = "bootstrap") -> Sampling:
        """Return the settings of resampling."""
        return Sampling.with_default_samples(method, self.samples, self.seed, self.level, threads)


@dataclass(frozen=True)
class ComparisonOptions(SamplingOptions):
    """How systems are compared."""

    samples: Annotated[
        int | None,
        typer.Option(
            help=f"Number of random samples.  [default: {DEFAULT_SAMPLES}, or as many as "
            "--correction needs]",
            show_default=False,
        ),
    ] = None
    method: Annotated[
        Method,
        typer.Option(
            help="Significance test: paired bootstrap (draws segments with replacement), or "
            "approximate randomization (exchanges segments between systems at random)."
        ),
    ] = Method.bootstrap
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="SYS",
            help="Compare every system with this one only (a name or a file); default: compare "
            "every pair.",
        ),
    ] = None
    correction: Annotated[Correction, typer.Option(help="Multiple-comparison correction.")] = (
        Correction.none
    )

    def baseline_name(self, systems: Systems) -> str | None:
        """Return the name of the baseline, which may be given as a file, too."""
        return None if self.baseline is None else systems.find(self.baseline)


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """What is printed, and where."""

    TITLE: ClassVar[str] = "Output"

    format: Annotated[FormatName, typer.Option("--format", "-f", help="Output format.")] = (
        FORMATS.default
    )
    output: OutputFile = "-"
    digits: Annotated[int | None, typer.Option(min=1, max=15, help="Number of decimals.")] = DIGITS
    short: Annotated[bool, typer.Option("--short/--no-short", help="Print short signatures.")] = (
        False
    )

    @property
    def decimals(self) -> int:
        """The number of decimals of values."""
        return DIGITS if self.digits is None else self.digits

    def render(self, view: ResultView, out: TextIO) -> str:
        """Return a result for a stream, without a final newline."""
        style = Style(self.decimals, self.short, use_colour(out), output_width(out))
        return FORMATS.find(self.format).render(view, style)


@dataclass(frozen=True)
class ScaledOutputOptions(OutputOptions):
    """How the values of systems are printed."""

    digits: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=15,
            help=f"Number of decimals; default: {DIGITS}, and {SCALED_DIGITS} with --scale 100.",
        ),
    ] = None
    scale: Annotated[
        Scale,
        typer.Option(
            help="Multiply values by 100 in tables (text, markdown and latex). The "
            "machine-readable formats (json, tsv, csv) are never scaled."
        ),
    ] = Scale.one

    @property
    def decimals(self) -> int:
        """The number of decimals of values."""
        if self.digits is None and self.scale is Scale.hundred:
            return SCALED_DIGITS
        return super().decimals

    @property
    def factor(self) -> int:
        """What values are multiplied by."""
        return int(self.scale.value)


@dataclass(frozen=True)
class ScoreOutputOptions(ScaledOutputOptions):
    """How a table of scores is printed."""

    sort: Annotated[
        str | None,
        typer.Option(metavar="METRIC", help="Sort the systems by a metric, best first."),
    ] = None
    score_only: Annotated[
        bool,
        typer.Option(
            "--score-only",
            "-b",
            help="Print only the values, one per line: all metrics of the first system, then of "
            "the second, and so on.",
        ),
    ] = False
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Also print BLEU's precisions, brevity penalty and lengths; JSON always has them.",
        ),
    ] = False

    def render_scores(
        self,
        results: Sequence[Result],
        out: TextIO,
        sampling: Sampling | None = None,
        labels: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Return the scores of systems for a stream, without a final newline."""
        from hyperbaton.views.score_tables import ScoreView

        view = ScoreView(results, sampling, labels, self.factor, self.details)
        return view.plain_values(self.decimals) if self.score_only else self.render(view, out)

    def check(self, confidence: bool = False) -> None:
        """Raise an error if options contradict each other."""
        if self.score_only and (self.format != FORMATS.default or self.details or confidence):
            raise InputError(
                "--score-only prints only values: it cannot be used with --format, --details or "
                "--confidence"
            )


STANDARD_OUTPUT = ("-", "/dev/stdout")


def check_paths(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Raise an error if a name is empty, or if an output would overwrite an input or an output."""
    if "" in (*inputs, *outputs):
        raise InputError("a file name is empty")
    if sum(name in STANDARD_OUTPUT for name in outputs) > 1:
        raise InputError("two outputs would be written to standard output")
    written = [os.path.realpath(name) for name in outputs if name is not None and name != "-"]
    if len(set(written)) < len(written):
        raise InputError("two outputs would be written to the same file")
    for name in inputs:
        if name != "-" and set(map(os.path.realpath, source_files(name))) & set(written):
            raise InputError(f"{printable(name)} would be overwritten while it is read")


def check_typed_texts(texts: Sequence[str]) -> None:
    """Raise an error if a text on the command line is not UTF-8."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise InputError(f"{printable(text)!r} is not UTF-8") from None


def output_width(out: TextIO) -> int:
    """Return the columns of a stream: those of the terminal or of COLUMNS, or any number.

    Tables are not split in files and pipes.
    """
    if out.isatty() or os.environ.get("COLUMNS"):
        return terminal_width()
    return sys.maxsize


def use_colour(out: TextIO | None) -> bool:
    """Return whether to print colours: on a terminal, unless NO_COLOR forbids it."""
    if out is None:
        return False
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
