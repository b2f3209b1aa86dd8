"""Links through the source that an aligner finds while a corpus is scored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from hyperbaton import _core
from hyperbaton.alignment.alignment import Alignment
from hyperbaton.errors import InputError
from hyperbaton.metrics.batches import Batch, ReferenceTexts, SourceLinks
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.signature import SOURCE, Provenance
from hyperbaton.notices import NOTE, Notice
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import Tokenization
from hyperbaton.text.words import as_utf8, shared_table
from hyperbaton.threads import thread_count

# What an aligner needs is imported only if there is one.
if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAligner, SourceAlignment
    from hyperbaton.alignment.translation_model import PairBlock


def source_pairs(batches: Iterable[Batch]) -> Iterator[PairBlock]:
    """Yield all pairs of a source sentence with a reference or a translation."""
    from hyperbaton.alignment.translation_model import PairBlock

    known: ReferenceTexts | None = None
    for batch in batches:
        references = batch.references
        if references is not known:
            known, sources = references, as_utf8(batch.source or ())
            is_single = len(references) == len(batch)
            yield PairBlock(sources, references.utf8, None if is_single else references.segment)
        yield PairBlock(sources, batch.hypotheses.utf8)


def target_text(metrics: Mapping[str, Metric]) -> Tokenization:
    """Return how the texts that are aligned with the source become words.

    Raises
    ------
    InputError
        If no metric uses links through the source, or if metrics need different words.
    """
    aligning = {
        name: metric
        for name, metric in metrics.items()
        if (linking := metric.needs.linking) and linking.origin(Provenance(SOURCE)) == SOURCE
    }
    if not aligning:
        raise InputError(
            "no metric uses links, so there is no need to align the source; those of the set "
            "permutations do, such as kendall"
        )
    texts: dict[tuple[str, str], str] = {}
    for name, metric in aligning.items():
        if metric.needs.trees:
            raise InputError(
                f"{name} needs links between the words of trees, which a source aligner does not "
                "find: give links, or leave the metric out"
            )
        texts.setdefault((metric.tokenization.tok, metric.tokenization.fold), name)
    if len(texts) > 1:
        (first, first_name), (second, second_name) = list(texts.items())[:2]
        raise InputError(
            "a source aligner needs the same tokens for all metrics, but "
            f"{first_name} has tok={first[0]},fold={first[1]} and "
            f"{second_name} has tok={second[0]},fold={second[1]}"
        )
    ((tok, fold),) = texts
    language = next(iter(aligning.values())).resources.language
    return Tokenization.for_language(language, tok, "lc", fold)


class SourceLinker:
    """Finds the links of batches with their sources.

    Parameters
    ----------
    aligner : SourceAligner
        What finds them.
    alignment : SourceAlignment
        What the caller asked for. Its notes get to know of pairs that are too long.
    threads : int, optional
        Number of threads; all cores by default.
    """

    def __init__(
        self, aligner: SourceAligner, alignment: SourceAlignment, threads: int | None = None
    ) -> None:
        self._aligner = aligner
        self._notes = alignment.notes
        self._is_given = alignment.model is not None
        self._threads = thread_count(threads)
        self._pairs = self._empty = self._too_long = self._unlinked = 0

    def link(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """Yield the batches with links. Those of references are found once for all systems."""
        for batch in batches:
            batch.given_links = self._find_links(batch)
            yield batch
        self._note_unlinked()

    def _find_links(self, batch: Batch) -> SourceLinks:
        from hyperbaton.alignment.source_aligner import count_unaligned

        source, references, aligner = batch.source or (), batch.references, self._aligner
        source_text, target_text = aligner.model.source_text, aligner.model.target_text
        sources = shared_table(source_text).number_lines(as_utf8(source), self._threads)

        def align(lines: _core.Lines, is_reference: bool) -> list[Alignment]:
            targets = shared_table(target_text).number_lines(lines, self._threads)
            own = sources.take(references.segment) if is_reference else sources
            alignments = aligner.align_words(own, targets, threads=self._threads)
            self._pairs += len(alignments)
            self._too_long += count_unaligned(alignments)
            self._unlinked += sum(not a.phrases for a in alignments)
            self._empty += sum(not (a.hyp_length and a.ref_length) for a in alignments)
            return alignments

        key = "source links", aligner.signature
        reference_links = references.memoize(key, align, references.utf8, True)
        system_links = align(batch.hypotheses.utf8, False)
        return SourceLinks(source, system_links, reference_links, source_text, aligner.signature)

    def _note_unlinked(self) -> None:
        """Note how many pairs have no links, and why. A training has noted empty sides before."""
        if self._empty and self._is_given:
            pairs = count_noun(self._empty, "sentence pair")
            self._notes.append(Notice(f"{pairs} with an empty side: aligned to nothing", NOTE))
        if self._too_long:
            from hyperbaton.alignment.source_aligner import too_long_note

            self._notes.append(too_long_note(self._too_long))
        unlinked = self._unlinked - self._too_long - self._empty
        if unlinked:
            pairs = count_noun(self._pairs, "sentence pair")
            self._notes.append(
                Notice(f"{unlinked:,} of {pairs} have no link, so their order scores 0", NOTE)
            )
