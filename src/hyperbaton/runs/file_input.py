"""Batches from line-aligned files: systems, references, links and dependency trees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from hyperbaton import _core
from hyperbaton.errors import InputError
from hyperbaton.files.columns import (
    TextBlock,
    blocks_of_rows,
    check_rereadable,
    count_source_lines,
    describe_line,
    read_blocks,
    read_texts,
    source_files,
    zip_blocks,
)
from hyperbaton.files.lines import file_identity, printable
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from hyperbaton.metrics.source_links import SourceLinks
from hyperbaton.runs.corpus import Request
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization

# What reads links and trees is imported with the first of them.
if TYPE_CHECKING:
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

    @property
    def segment_count(self) -> int | None:
        """The number of segments of all systems, if it is known without reading them."""
        lines = count_source_lines(self.systems[0])
        return None if lines is None else lines * len(self.systems)

    def batches(self, request: Request) -> Iterator[Batch]:
        """Yield batches with what was asked for: those of all systems, then the next segments.

        Where trees have to be parsed, batches are smaller.

        Raises
        ------
        InputError
            If a file that has to be read again is standard input or a pipe, or has changed.
        """
        systems = self.systems if request.hypotheses else ()
        paths = [*self.references, *systems]
        if request.source and self.source is not None:
            paths.append(self.source)
        if request.again:
            check_rereadable(paths, request.again)
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
        texts = [*self.references, *self.systems]
        return [
            read_checked_trees(path, text)
            for path, text in zip(self.trees or (), texts, strict=True)
        ]


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

    return read_trees(path, (line for lines in read_texts(text) for line in lines), text)
