"""The options that several commands share. Importing them loads no metric: --help is quick."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TextIO

import hyperbaton
from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.link_options import AlignerOptions, AlignmentOptions
from hyperbaton.cli.systems import NamedSystems, find_systems, split_name
from hyperbaton.errors import InputError
from hyperbaton.files.columns import check_rereadable, source_files, split_column
from hyperbaton.files.lines import printable
from hyperbaton.metrics.options import SET_NAMES
from hyperbaton.notices import Notice
from hyperbaton.runs.tables.engines import ENGINES, ON_ERROR
from hyperbaton.stats.sampling import (
    CORRECTIONS,
    DEFAULT_LEVEL,
    DEFAULT_SAMPLES,
    DEFAULT_SEED,
    PAIRED_TESTS,
    Sampling,
)
from hyperbaton.text.display import terminal_width
from hyperbaton.text.folding import FOLDS
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import DEFAULT_FOLD
from hyperbaton.views.formats import FORMATS
from hyperbaton.views.tables import ResultView, Style

if TYPE_CHECKING:
    from hyperbaton.files.cached_test_sets import CachedTestSet
    from hyperbaton.metrics.metric import Resources
    from hyperbaton.runs.file_runs import FileRun
    from hyperbaton.runs.results import Result
    from hyperbaton.views.score_tables import ScoreView

EXAMPLE = Path(hyperbaton.__file__).parent / "example"
EXAMPLE_SYSTEMS = ("literal", "phrasal", "fluent")
EXAMPLE_LANGUAGE = "en"
DIGITS = 4

NOT_WITH_SCORE_ONLY = (
    "--score-only prints only values: it cannot be used with --format, --details or --confidence"
)


OUTPUT_FILE = option(
    "--output -o FILE", "-", about="Output file (- for standard output).", title="Output"
)
FOLD = option(
    "--fold",
    about="How words are folded before they are compared, so that words that look the same "
    f"match: {', '.join(FOLDS)}; default: {DEFAULT_FOLD}.",
    title="Alignments",
)
LANGUAGE = option(
    "--language -l LANG",
    about="Language of the translations, for stems and tokenisation: a code or BCP 47 tag "
    "such as de, pt-BR or zh-Hans.",
)
THREADS = option("--threads", about="Number of threads; default: all cores.")


class InputOptions(OptionGroup):
    """Systems and references.

    Attributes
    ----------
    systems
        Translations, line by line: a text file (or -; .gz, .xz, .bz2, .zst), or a column:
        file.tsv:name, file.tsv:2, file.jsonl:key, file.parquet:column. NAME=SYS names the system.
    references
        Reference file; may be repeated.
    example
        Use Hyperbaton's three example systems.
    test_set
        Use the references of a test set that sacreBLEU has downloaded, such as wmt20; hyperbaton
        testsets lists them.
    langpair
        Language pair of --test-set or --mtme, such as en-de; it also sets the language.
    """

    TITLE = "Input"

    systems: list[str] | None = argument("SYS...")
    references: list[str] | None = option("--reference -r REF")
    example: bool = flag("--example")
    test_set: str | None = option("--test-set SET")
    langpair: str | None = option("--langpair PAIR")

    @cached_property
    def cached_test_set(self) -> CachedTestSet | None:
        """The test set of sacreBLEU that was asked for."""
        if self.test_set is None and self.langpair is None:
            return None
        if self.test_set is None or self.langpair is None:
            raise InputError("--test-set and --langpair must be given together")
        if self.example or self.references:
            raise InputError("--test-set has its own references: do not give -r")
        from hyperbaton.files.cached_test_sets import find_test_set

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

    def paths(self, command: str) -> tuple[NamedSystems, list[str]]:
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


class MetricOptions(OptionGroup):
    """Metrics, their language and their data.

    Attributes
    ----------
    wordnet
        Folder of the WordNet database, for the synonym matcher.
    paraphrases
        Paraphrase table in METEOR's format, for the paraphrase matcher.
    """

    TITLE = "Metrics"

    metrics: list[str] | None = option(
        "--metric -m METRIC",
        about="Metric, such as pef or full:order=ulam,bp=off, or a set of metrics: "
        f"{', '.join(SET_NAMES)}; may be repeated, or listed with commas: bleu,pef:bp=off,wer.",
    )
    language: str | None = LANGUAGE
    wordnet: str | None = option("--wordnet")
    paraphrases: str | None = option("--paraphrases")

    def resources(self, parser: str | None, default_language: str | None = None) -> Resources:
        """Return the language and data for all metrics."""
        from hyperbaton.metrics.metric import Resources

        language = default_language if self.language is None else self.language
        return Resources(language, self.wordnet, self.paraphrases, parser)


class ScoringOptions(MetricOptions):
    """Metrics, and the number of threads that compute them."""

    threads: int | None = THREADS


class ParserOptions(OptionGroup):
    """The dependency parser.

    Attributes
    ----------
    parser
        Dependency parser for dted: spacy:NAME or udpipe:FILE; default: spaCy's for the language.
    """

    TITLE = "Trees"

    parser: str | None = option("--parser PARSER")


class TreeOptions(ParserOptions):
    """Files of dependency trees, or the parser that finds them.

    Attributes
    ----------
    trees
        Dependency trees of a system, one block per line: one file for each SYS.
    reference_trees
        Dependency trees of a reference: one file for each REF.
    """

    trees: list[str] | None = option("--trees CONLLU")
    reference_trees: list[str] | None = option("--ref-trees CONLLU")

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
        for name, files, owner, texts in (
            ("--trees", self.trees or (), "system", systems),
            ("--ref-trees", self.reference_trees or (), "reference", references),
        ):
            if len(files) != len(texts):
                verb = "is" if len(texts) == 1 else "are"
                raise InputError(
                    f"{name} is given {count_noun(len(files), 'time')}, but there {verb} "
                    f"{count_noun(len(texts), owner)}"
                )
        check_rereadable([*self.paths, *systems, *references], "with trees, files are read twice")
        return self.paths


class RunOptions(OptionGroup):
    """What is scored, and by which metrics."""

    inputs: InputOptions
    scoring: ScoringOptions
    alignments: AlignmentOptions = AlignmentOptions()
    aligner: AlignerOptions = AlignerOptions()
    trees: TreeOptions

    def prepare(self, command: str, outputs: Sequence[str | None]) -> tuple[FileRun, NamedSystems]:
        """Check the options and load the metrics. No text is read and nothing is written yet."""
        from hyperbaton.metrics.registry import metrics_by_spec
        from hyperbaton.runs.file_runs import FileCorpus, FileRun
        from hyperbaton.runs.run import Run
        from hyperbaton.threads import thread_count

        inputs, alignments, aligner = self.inputs, self.alignments, self.aligner
        others = [*self.trees.paths, *alignments.paths, *aligner.paths]
        if inputs.example and (inputs.systems or inputs.references or others):
            raise InputError("--example has its own systems and reference: do not give others")
        check_paths([*inputs.given_paths, *others], outputs)
        systems, references = inputs.paths(command)
        tree_files = self.trees.files(systems.paths, references, inputs.example)
        source = alignments.aligned_source(inputs.source)
        alignment_files = None
        if source is None:
            alignment_files = alignments.files(systems.paths, references, aligner)
        threads = self.scoring.threads
        thread_count(threads)
        resources = self.scoring.resources(self.trees.parser, inputs.language)
        metrics = metrics_by_spec(self.scoring.metrics or ["default"], resources)
        check_paths([file for metric in metrics.values() for file in metric.needs.files], outputs)
        corpus = FileCorpus(
            systems.names, systems.paths, references, alignment_files, tree_files, source
        )
        run = Run(
            metrics,
            resources.language,
            source_alignment=None if source is None else aligner.source_alignment(),
            threads=threads,
        )
        return FileRun(corpus, run), systems


# The options of TableOptions.
FOR_TABLES = "--engine --address --workers --shard --keep --no-statistics --on-error"


class TableOptions(OptionGroup):
    """Parquet files that are scored to a folder.

    Attributes
    ----------
    engine
        Score shards on this machine, or on a Ray cluster; default: local.
    address
        Address of the Ray cluster, such as host:6379.
    workers
        Number of processes; default: one per core.
    shard
        Score only part K of N; hyperbaton merge combines the parts.
    keep
        Copy a column to the output; may be repeated.
    no_statistics
        Do not write the segment statistics, which compare needs.
    on_error
        What to do with a row that cannot be scored: stop (raise) or leave its scores empty (null);
        default: raise.
    """

    TITLE = "Scoring Parquet files into a folder (-o FOLDER/)"

    engine: str | None = option("--engine", choices=ENGINES)
    address: str | None = option("--address ADDRESS")
    workers: int | None = option("--workers")
    shard: str | None = option("--shard K/N")
    keep: list[str] | None = option("--keep COLUMN")
    no_statistics: bool = flag("--no-statistics")
    on_error: str | None = option("--on-error", choices=ON_ERROR)


class SeedOptions(OptionGroup):
    """The random seed.

    Attributes
    ----------
    seed
        Random seed; results are reproducible.
    """

    TITLE = "Statistics"

    seed: int = option("--seed", DEFAULT_SEED)


class SamplingOptions(SeedOptions):
    """How samples are drawn and read.

    Attributes
    ----------
    level
        Confidence level; the significance level is 1 − level.
    """

    samples: int | None = option(
        "--samples", about=f"Number of random samples.  [default: {DEFAULT_SAMPLES}]"
    )
    level: float = option("--level", DEFAULT_LEVEL)

    def sampling(self, threads: int | None, method: str = PAIRED_TESTS.default) -> Sampling:
        """Return the settings of resampling."""
        return Sampling.with_default_samples(method, self.samples, self.seed, self.level, threads)


class PairedTestOptions(SamplingOptions):
    """How differences of systems are tested.

    Attributes
    ----------
    method
        Significance test: paired bootstrap (draws segments with replacement), or approximate
        randomization (exchanges segments between systems at random).
    """

    samples: int | None = option(
        "--samples",
        about=f"Number of random samples.  [default: {DEFAULT_SAMPLES}, or as many as "
        "a correction for several tests needs]",
    )
    method: str = option("--method", PAIRED_TESTS.default, choices=PAIRED_TESTS)


class ComparisonOptions(PairedTestOptions):
    """How systems are compared.

    Attributes
    ----------
    baseline
        Compare every system with this one only (a name or a file); default: compare every pair.
    correction
        Multiple-comparison correction.
    """

    baseline: str | None = option("--baseline SYS")
    correction: str = option("--correction", CORRECTIONS.default, choices=CORRECTIONS)

    def find_baseline(self, systems: NamedSystems) -> str | None:
        """Return the name of the baseline, which may be given as a file, too.

        Raises
        ------
        InputError
            If the systems cannot be compared.
        """
        from hyperbaton.runs.comparing import check_comparable

        baseline = None if self.baseline is None else systems.find(self.baseline)
        check_comparable(systems.names, baseline, self.correction)
        return baseline


class OutputOptions(OptionGroup):
    """What is printed, and where.

    Attributes
    ----------
    format
        Output format.
    digits
        Number of decimals.
    """

    TITLE = "Output"

    format: str = option("--format -f", FORMATS.default, choices=FORMATS)
    output: str = OUTPUT_FILE
    digits: int | None = option("--digits", DIGITS, low=1, high=15)

    def render(self, view: ResultView, out: TextIO) -> str:
        """Return a result for a stream, without a final newline."""
        style = Style(self.digits, use_colour(out), output_width(out))
        return FORMATS.find(self.format).render(view, style)

    @property
    def is_for_people(self) -> bool:
        """Whether people read the output: tables and sentences."""
        return not FORMATS.find(self.format).for_machines

    def untold(self, view: ResultView, notices: Iterable[Notice]) -> Iterator[Notice]:
        """Return the notices that the output does not tell by itself."""
        told = set(view.told()) if self.is_for_people else set()
        return (notice for notice in notices if notice not in told)


class SystemOutputOptions(OutputOptions):
    """How a table of systems is printed."""

    digits: int | None = option(
        "--digits",
        about="Number of decimals of values, which are times 100; default: 1.",
        low=1,
        high=15,
    )


class ScoreOutputOptions(SystemOutputOptions):
    """How a table of scores is printed.

    Attributes
    ----------
    sort
        Sort the systems by a column of the table, best first; default: order, or the first metric,
        in text, Markdown and LaTeX.
    score_only
        Print only the values from 0 to 1, one per line: all metrics of the first system, then of
        the second, and so on.
    details
        Also print long signatures, and BLEU's precisions, brevity penalty and lengths; JSON always
        has them.
    """

    RULES: ClassVar[Rules] = {
        lambda given: given.score_only: {"--format --details": NOT_WITH_SCORE_ONLY},
    }

    sort: str | None = option("--sort METRIC")
    score_only: bool = flag("--score-only -b")
    details: bool = flag("--details")

    @property
    def is_for_people(self) -> bool:
        """Whether people read the output: tables and sentences."""
        return super().is_for_people and not self.score_only

    def check_sort(self, metrics: Mapping[str, object]) -> None:
        """Raise an error if there is no metric to sort by."""
        if self.sort is not None:
            from hyperbaton.runs.results import check_sort

            check_sort(self.sort, metrics)

    def sorted(self, results: Sequence[Result]) -> list[Result]:
        """Return the results of systems in the order that was asked for."""
        from hyperbaton.runs.results import default_order, sort_results

        default = default_order(results[0]) if self.is_for_people else None
        return sort_results(results, self.sort or default)

    def view(self, results: Sequence[Result], sampling: Sampling | None = None) -> ScoreView:
        """Return what is shown of scores."""
        from hyperbaton.views.score_tables import ScoreView

        return ScoreView(results, sampling, self.details)

    def render_scores(self, view: ScoreView, out: TextIO) -> str:
        """Return a table of scores for a stream, or their values, without a final newline."""
        if self.score_only:
            return view.plain_values(DIGITS if self.digits is None else self.digits)
        return self.render(view, out)


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


def writes_folder(output: str) -> bool:
    """Return whether the output is a folder: one that exists, or a name that ends like one."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def check_folder_name(sources: Sequence[str], output: str) -> None:
    """Raise an error if the output of Parquet files looks like a folder without its slash."""
    has_ending = os.path.splitext(output)[1] != ""
    if output == "-" or has_ending or os.path.exists(output):
        return
    if any(split_column(source)[1] == "parquet" for source in sources):
        name = printable(output)
        raise InputError(
            f"{name} may be a folder or a file: give -o {name}/ for a folder, or -o {name}.txt "
            "for a file"
        )


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
