"""Line-aligned files, for the command line and the web page: their batches, and runs over them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.files.columns import (
    TextBlock,
    blocks_of_rows,
    count_source_lines,
    describe_line,
    read_blocks,
    read_once,
    read_texts,
    source_files,
    zip_blocks,
)
from hyperbaton.files.lines import file_identity, printable
from hyperbaton.metrics.batches import Batch, ReferenceTexts, SourceLinks
from hyperbaton.notices import Notice
from hyperbaton.runs.cautions import score_warnings
from hyperbaton.runs.engine import NO_PROGRESS, ProgressHooks, ScoredBatch, score_corpus
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Keep, KeptBatches, Request, Run
from hyperbaton.text.languages import language_code, unspaced_language
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization

# What compares systems is imported when that is asked for: scoring them needs to start quickly.
if TYPE_CHECKING:
    from hyperbaton.runs.comparing import Comparison
    from hyperbaton.runs.results import Report
    from hyperbaton.syntax.trees import DependencyTree

PARSED_BATCH_SIZE = 100  # parsing is slow: small batches show progress


@dataclass(frozen=True)
class AlignmentFiles:
    """The files that hold the links of systems and references.

    Attributes
    ----------
    source : str or None
        File of the source sentences, if links go through the source.
    systems : sequence of str
        With a source, a file of (source, system) links for each system. Without, a file of
        (system, reference) links for each system and reference: all of the first system, all of
        the second, and so on.
    references : sequence of str
        With a source, a file of (source, reference) links for each reference.
    files_per_system : int
        How many of ``systems`` belong to one system.
    base : int
        Number of the first word in the files: 0 or 1.
    possible : bool
        Whether possible links count.
    source_text : Tokenization, optional
        How source sentences become words; by default split at white space.
    warnings : list of str
        Filled while files are read.
    """

    source: str | None
    systems: Sequence[str]
    references: Sequence[str]
    files_per_system: int = 1
    base: int = 0
    possible: bool = True
    source_text: Tokenization | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def link_files(self) -> list[str]:
        """The files of links."""
        return [*self.systems, *self.references]

    @property
    def paths(self) -> list[str]:
        """All files, in the order in which their texts stand in a row."""
        return [*([self.source] if self.source is not None else []), *self.link_files]

    def read(self, path: str, size: int) -> Iterator[TextBlock]:
        """Read the lines of a text or of links."""
        if path not in self.link_files:
            return read_blocks(path, size)
        from hyperbaton.alignment.pharaoh import read_link_texts

        rows = read_link_texts(path, self.base, self.possible, self.warnings.append)
        return blocks_of_rows(rows, size)

    def links(
        self, blocks: Sequence[TextBlock], first: int, reference_counts: Sequence[int], system: int
    ) -> list[str] | SourceLinks:
        """Return the links of one system in a batch, from the blocks of these files."""
        if self.source is None:
            start = system * self.files_per_system
            columns = range(start, start + self.files_per_system)
            return self._flatten(blocks, first, columns, reference_counts)
        ones = [1] * len(blocks[0])
        start = 1 + len(self.systems)
        reference_columns = range(start, start + len(self.references))
        return SourceLinks(
            self._flatten(blocks, first, range(1), ones),
            self._flatten(blocks, first, range(1 + system, 2 + system), ones),
            self._flatten(blocks, first, reference_columns, reference_counts),
            self.source_text,
        )

    def file_at_fault(self, part: tuple[str, int], system: int) -> str:
        """Return the file of an invalid alignment; ``part`` is that of a ``SegmentError``."""
        argument, which = part
        files = self.references
        if argument != "reference_alignments":
            files = self.systems[system * self.files_per_system :]
        return files[min(which, len(files) - 1)]  # a list may hold several alignments

    def _flatten(
        self, blocks: Sequence[TextBlock], first: int, columns: range, counts: Sequence[int]
    ) -> list[str]:
        """Return the texts of some columns line by line, after checking their number."""
        flat: list[str] = []
        rows = zip(*(blocks[column].rows for column in columns), strict=True)
        for number, (row, count) in enumerate(zip(rows, counts, strict=True), first + 1):
            texts = [text for texts in row for text in texts]
            if len(texts) != count:
                names = ", ".join(printable(self.paths[column]) for column in columns)
                raise InputError(
                    f"{names}, line {number:,}: expected {count_noun(count, 'alignment')}, "
                    f"got {len(texts)}"
                )
            flat += texts
        return flat


@dataclass(frozen=True)
class FileOrigin:
    """The origin of segments that are lines of files."""

    corpus: FileCorpus
    system: int

    def describe(self, segment: int, part: tuple[str, int] | None) -> str:
        """Return the file and the line or row."""
        file = self.corpus.systems[self.system]
        if part is not None and self.corpus.alignments is not None:
            file = self.corpus.alignments.file_at_fault(part, self.system)
        return describe_line(file, segment + 1)


@dataclass(frozen=True)
class FileCorpus:
    """Systems and references in line-aligned files.

    Attributes
    ----------
    names : sequence of str
        Names of the systems.
    systems, references : sequence of str
        Files, or columns of TSV, JSONL and Parquet files (``file.tsv:name``).
    alignments : AlignmentFiles, optional
        Files of links.
    trees : sequence of str, optional
        CoNLL-U files of the references, then of the systems.
    source : str, optional
        File of the source sentences, if an aligner finds the links with them.
    """

    names: Sequence[str]
    systems: Sequence[str]
    references: Sequence[str]
    alignments: AlignmentFiles | None = None
    trees: Sequence[str] | None = None
    source: str | None = None
    # Files that were read before they are read again, as they were then.
    _seen: dict[str, list[tuple[int, ...]]] = field(default_factory=dict, init=False, repr=False)
    _kept: list[KeptBatches] = field(default_factory=list, init=False, repr=False)  # at most one

    @property
    def segment_count(self) -> int | None:
        """The number of segments of all systems, if it is known without reading them."""
        lines = count_source_lines(self.systems[0])
        return None if lines is None else lines * len(self.systems)

    def batches(self, request: Request) -> Iterator[Batch]:
        """Yield batches with what was asked for: those of all systems, then the next segments.

        Where trees have to be parsed, batches are smaller.

        What has to be read again, and comes from standard input or a pipe, is kept in memory.

        Raises
        ------
        InputError
            If a file that has to be read again has changed.
        """
        if self._kept:
            yield from self._kept[0].batches(request)
            return
        systems = self.systems if request.hypotheses else ()
        paths = [*self.references, *systems]
        if request.source and self.source is not None:
            paths.append(self.source)
        if request.again and any(read_once(paths)):
            everything = Request(request.size, True, self.source is not None, bool(self.trees))
            self._kept.append(KeptBatches(list(self.batches(everything))))
            yield from self._kept[0].batches(request)
            return
        if request.again:
            self._seen.update({path: _identities(path) for path in paths})
        read: Callable[[str, int], Iterator[TextBlock]] = read_blocks
        if self.alignments is not None and request.hypotheses:
            paths += self.alignments.paths
            read = self.alignments.read
        trees = self._read_trees() if request.trees and self.trees is not None else None
        size = request.size
        if request.trees and trees is None:
            size = min(size, PARSED_BATCH_SIZE)
        first = 0
        for blocks in zip_blocks(paths, size, read):
            yield from self._batches_of_blocks(blocks, first, trees, request)
            first += len(blocks[0])
        if not first:
            raise InputError(f"{printable(self.references[0])} is empty")
        if not request.again:
            self._check_unchanged()
        for unread in trees or ():
            next(unread, None)  # raises an error if there are more trees than lines

    def _batches_of_blocks(
        self,
        blocks: Sequence[TextBlock],
        first: int,
        trees: Sequence[Iterator[DependencyTree]] | None,
        request: Request,
    ) -> Iterator[Batch]:
        """Return the batches of all systems for these lines."""
        split, end = len(self.references), len(self.references) + len(self.systems)
        reference_blocks = blocks[:split]
        reference_trees = None
        if trees is not None:
            reference_trees = [
                tree
                for row in zip(*(block.rows for block in reference_blocks), strict=True)
                for unread, texts in zip(trees, row, strict=False)
                for tree in islice(unread, len(texts))
            ]
        references = merge_references(reference_blocks, reference_trees)
        if not request.hypotheses:
            yield Batch([], references, first=first)
            return
        source = self._check_source(blocks[end], first) if request.source else None
        for k, name in enumerate(self.names):
            hypotheses = blocks[split + k]
            for line, count in enumerate(hypotheses.counts or (), first + 1):
                if count > 1:
                    where = describe_line(self.systems[k], line)
                    raise InputError(f"{where}, has several translations")
            links: list[str] | SourceLinks | None = None
            if self.alignments is not None:
                counts = references.counts.tolist()
                links = self.alignments.links(blocks[end:], first, counts, k)
            yield Batch(
                hypotheses.texts,
                references,
                system=name,
                first=first,
                links=links,
                source=source,
                trees=None if trees is None else list(islice(trees[split + k], len(hypotheses))),
                origin=FileOrigin(self, k),
            )

    def _check_source(self, block: TextBlock, first: int) -> Sequence[str]:
        """Return the source sentences of a block, one for each line."""
        assert self.source is not None
        for line, count in enumerate(block.counts or (), first + 1):
            if count != 1:
                where = describe_line(self.source, line)
                raise InputError(f"{where}: expected one source sentence, got {count}")
        return block.texts

    def _check_unchanged(self) -> None:
        """Raise an error if a file has changed since it was read for the first time."""
        for path, identities in self._seen.items():
            if identities != _identities(path):
                raise InputError(f"{printable(path)} changed while it was read")

    def _read_trees(self) -> list[Iterator[DependencyTree]]:
        """Open the trees of all files, each checked against its text."""
        pairs = zip(self.trees or (), [*self.references, *self.systems], strict=True)
        return [read_checked_trees(path, text) for path, text in pairs]


def _identities(path: str) -> list[tuple[int, ...]]:
    """Return what tells the files of a source from changed ones."""
    return [file_identity(os.stat(file)) for file in source_files(path) if os.path.exists(file)]


def merge_references(
    blocks: Sequence[TextBlock], trees: Sequence[DependencyTree] | None
) -> ReferenceTexts:
    """Return the references of each segment from the blocks of all reference files."""
    if len(blocks) == 1:
        return ReferenceTexts(blocks[0].texts, blocks[0].counts, trees)
    texts = [block.texts for block in blocks if block.counts is None]
    lines = [part for part in texts if isinstance(part, _core.Lines)]
    if len(lines) == len(blocks):
        return ReferenceTexts(_core.Lines.interleave(lines), [len(blocks)] * len(blocks[0]), trees)
    rows = zip(*(block.rows for block in blocks), strict=True)
    return ReferenceTexts.from_segments(
        [[text for texts in row for text in texts] for row in rows], trees
    )


def read_checked_trees(path: str, text: str) -> Iterator[DependencyTree]:
    """Read the trees of a CoNLL-U file, each checked against its line of a text."""
    from hyperbaton.syntax.conllu import read_trees

    return read_trees(path, chain.from_iterable(read_texts(text)), text)


# As in sacreBLEU, so many lines that end in this look tokenised.
SEPARATE_STOP = " ."
MANY_SEPARATE_STOPS = 100
SAMPLE_LINES = 100  # enough to see how a text is written


@dataclass(frozen=True)
class FileRun:
    """Files and a run over them, checked and ready to be scored."""

    corpus: FileCorpus
    run: Run
    separate_stops: Counter[str] = field(default_factory=Counter)  # by system, as they are read
    sample: list[str] = field(default_factory=list)  # the first references

    def with_run(self, **settings: Any) -> FileRun:
        """Return the same files with some settings of the run changed."""
        return replace(self, run=replace(self.run, **settings))

    def score(
        self,
        observe: Callable[[ScoredBatch], None] | None = None,
        progress: ProgressHooks = NO_PROGRESS,
    ) -> list[Result]:
        """Read and score the files batch by batch."""
        tokenizes = any(
            metric.options.get("tok", "none") != "none" for metric in self.run.metrics.values()
        )

        def observe_batch(scored: ScoredBatch) -> None:
            batch = scored.batch
            if not self.sample:
                self.sample.extend(batch.references.lines[:SAMPLE_LINES])
            if tokenizes:
                self.separate_stops[batch.system] += batch.hypotheses.utf8.count_ending(
                    SEPARATE_STOP
                )
            if observe is not None:
                observe(scored)

        return score_corpus(self.corpus, self.run, observe_batch, progress)

    def evaluate(
        self,
        observe: Callable[[ScoredBatch], None] | None = None,
        progress: ProgressHooks = NO_PROGRESS,
        scored: Callable[[], None] = lambda: None,
    ) -> Evaluation:
        """Score the systems and compare them. A single system gets confidence intervals.

        ``scored`` is called when the systems are scored and samples are about to be drawn.
        """
        from hyperbaton.runs.comparing import compare_results
        from hyperbaton.runs.intervals import with_intervals

        run = self.run
        assert run.sampling is not None
        results = self.with_run(keep=Keep(texts=True, links=True)).score(observe, progress)
        scored()
        if len(results) == 1:
            return Evaluation(with_intervals(results, run.sampling))
        compared = compare_results(results, run.sampling, run.baseline, run.correction)
        return Evaluation(results, compared)

    def warnings(self, results: Sequence[Result]) -> Iterator[Notice]:
        """Return what a reader should know before trusting the numbers."""
        if self.corpus.alignments is not None:
            yield from map(Notice, self.corpus.alignments.warnings)
        for system, lines in self.separate_stops.items():
            if lines >= MANY_SEPARATE_STOPS:
                yield Notice(
                    f"{system} seems to be tokenised already ({lines:,} lines end in a separate "
                    "full stop): give detokenised text, or use tok=none if it is split at spaces"
                )
        may_lack_spaces = self.run.language is None and not all(map(str.isascii, self.sample))
        if may_lack_spaces and any(
            metric.options.get("tok") == "13a" for metric in self.run.metrics.values()
        ):
            language = unspaced_language(self.sample)
            if language is not None:
                yield Notice(
                    f"the references look {language}, which is written without spaces between "
                    "words",
                    option="language",
                    value=language_code(language),
                )
        yield from score_warnings(results, self.run.language)


@dataclass(frozen=True)
class Evaluation:
    """The scores of systems, with a comparison if there are several."""

    results: Sequence[Result]
    comparison: Comparison | None = None

    def report(
        self, title: str | None, threads: int | None, source: Sequence[str] | None = None
    ) -> Report:
        """Return the report about the systems, with the source sentences if they are given."""
        shown = self.results[0] if self.comparison is None else self.comparison
        return shown.report(title, threads, source)

    @property
    def notes(self) -> list[Notice]:
        """What a reader should know before trusting the p-values."""
        return [] if self.comparison is None else self.comparison.notes


def read_source(path: str) -> Iterator[str]:
    """Read the source sentence of each line."""
    for number, texts in enumerate(read_texts(path), 1):
        if len(texts) != 1:
            where = describe_line(path, number)
            raise InputError(f"{where}: expected one source sentence, got {len(texts)}")
        yield texts[0]


def check_source_length(path: str, source: Sequence[str], reference: str, segments: int) -> None:
    """Raise an error unless the source has a sentence for each segment."""
    if len(source) != segments:
        raise InputError(
            f"{printable(path)} has {count_noun(len(source), 'line')}, but "
            f"{printable(reference)} has {segments:,}"
        )
