"""The public function ``score``."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hyperbaton.errors import InputTypeError
from hyperbaton.files.lines import StrPath
from hyperbaton.metrics.inputs import Lines, References
from hyperbaton.metrics.metric import Metric, Resources
from hyperbaton.metrics.registry import metrics_by_spec
from hyperbaton.runs.engine import score_corpus
from hyperbaton.runs.results import Result
from hyperbaton.runs.run import Keep, ListCorpus, Run
from hyperbaton.stats.sampling import DEFAULT_LEVEL, DEFAULT_SAMPLES, DEFAULT_SEED, Sampling

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAligner, SourceAlignment
    from hyperbaton.text.tokenization import Tokenization


def score(
    hypotheses: Lines,
    references: References,
    metrics: Sequence[str | Metric] | str | Metric = "default",
    language: str | None = None,
    *,
    source: Lines | None = None,
    align_source: bool | SourceAligner | StrPath = False,
    source_language: str | None = None,
    source_tokenize: str | None = None,
    alignments: Sequence[Any] | None = None,
    reference_alignments: Sequence[Any] | None = None,
    trees: Sequence[Any] | None = None,
    reference_trees: Sequence[Any] | None = None,
    parser: str | None = None,
    confidence: bool = False,
    samples: int = DEFAULT_SAMPLES,
    seed: int = DEFAULT_SEED,
    level: float = DEFAULT_LEVEL,
    wordnet: StrPath | None = None,
    paraphrases: StrPath | None = None,
    threads: int | None = None,
    keep_texts: bool = True,
) -> Result:
    """Score translations against references.

    Parameters
    ----------
    hypotheses : sequence of str
        Translations, one for each segment: a list, a series of pandas or Polars, or an Arrow array.
    references : sequence of str or of sequences of str, or data frame
        A reference, or a sequence of any number of references, for each segment. A data frame has
        a column for each reference.
    metrics : str, Metric, or sequence of them
        Names of metrics, with options or without (``"full:order=ulam,bp=off"``), names of sets
        (``"default"``, ``"order"``, ``"edit"``, ``"all"``), or objects of ``hb.metrics.get``.
    language : str, optional
        Language code or BCP 47 tag, such as ``"en"`` or ``"pt-BR"``; it selects the stemmer and
        the tokeniser.
    source : sequence of str, optional
        Source sentences, for alignments through the source.
    align_source : bool, SourceAligner or path
        Whether to align the source with hypotheses and references by a :class:`SourceAligner`:
        one that is trained on these texts, or a given one, or the file of one.
    source_language, source_tokenize : str, optional
        Language and tokeniser of the source. By default an aligner uses the tokeniser 13a, and
        given links count words that are separated by white space.
    alignments : sequence, optional
        An ``Alignment`` or a Pharaoh line for each segment (a list of them where there are several
        references), instead of those that the aligner would find. They link system and reference;
        with ``reference_alignments`` they link source and system.
    reference_alignments : sequence, optional
        Links of source and reference, in the same form.
    trees, reference_trees : sequence, optional
        Dependency trees, instead of those that the ``parser`` would find: a
        :class:`~hyperbaton.DependencyTree`, a sentence of ``conllu`` or a spaCy Doc for each
        segment (a list of them where there are several references).
    parser : str, optional
        Dependency parser, such as ``"spacy:en_core_web_sm"``.
    confidence : bool
        Whether to compute bootstrap intervals (``lower`` and ``upper`` of each score).
    samples, seed, level
        Number of bootstrap samples, random seed and confidence level of the intervals.
    wordnet, paraphrases : path, optional
        Data of the matchers ``synonym`` and ``paraphrase``.
    threads : int, optional
        Number of threads; all cores by default.
    keep_texts : bool
        Whether the result keeps the texts, for ``report``. Without them it takes less memory.

    Returns
    -------
    Result
        A mapping from each metric, as it was written, to its :class:`~hyperbaton.Score`.

    Raises
    ------
    InputError, InputTypeError
        If the input is invalid. The message names what is wrong and where.
    MissingData
        If a tokeniser, a parser or data is missing.

    Warns
    -----
    UserWarning
        If a source aligner was trained on fewer than 3,000 sentence pairs, or if some pairs are
        empty or too long.

    Examples
    --------
    >>> import hyperbaton as hb
    >>> result = hb.score(["the dog saw the cat"], ["the cat saw the dog"], ["pef", "wer"])
    >>> result
    Result(pef=0.2800, wer=0.4000, n=1)
    >>> result["wer"].value
    0.4
    >>> print(result["wer"].signature)
    wer|nrefs:1|case:lc|tok:13a|sacrebleu:...|v:...
    """
    sampling = Sampling("bootstrap", samples, seed, level, threads) if confidence else None
    resources = Resources.from_arguments(language, wordnet, paraphrases, parser)
    name = "hypotheses"
    alignment = source_alignment_for(align_source, source_language, source_tokenize)
    named = metrics_by_spec(metrics, resources)
    run = Run(named, language, Keep(texts=keep_texts), alignment, sampling, threads=threads)
    corpus = ListCorpus(
        {name: hypotheses},
        references,
        alignments=None if alignments is None else {name: alignments},
        source=source,
        reference_alignments=reference_alignments,
        source_text=source_text_for(source_language, source_tokenize),
        align_source=alignment is not None,
        trees=None if trees is None else {name: trees},
        reference_trees=reference_trees,
    )
    results = score_corpus(corpus, run)
    if sampling is not None:
        from hyperbaton.runs.intervals import with_intervals

        results = with_intervals(results, sampling)
    (result,) = results
    warn_of_data(result)
    return result.with_scores(result, "system")


def source_text_for(language: str | None, tokenize: str | None) -> Tokenization | None:
    """Return how source lines become words; None if neither language nor tokeniser is given."""
    if language is None and tokenize is None:
        return None  # no aligner is imported
    from hyperbaton.alignment.source_aligner import optional_text

    return optional_text(language, tokenize)


def source_alignment_for(
    align_source: bool | SourceAligner | StrPath,
    source_language: str | None,
    source_tokenize: str | None,
) -> SourceAlignment | None:
    """Return how links with the source are found; None if they are not."""
    text = source_text_for(source_language, source_tokenize)
    if align_source is False:
        return None
    from hyperbaton.alignment.source_aligner import SourceAligner, SourceAlignment
    from hyperbaton.files.lines import printable

    if isinstance(align_source, (str, os.PathLike)):
        name = printable(os.fspath(align_source))
        return SourceAlignment(SourceAligner.load(align_source), name, source_text=text)
    if isinstance(align_source, SourceAligner):
        return SourceAlignment(align_source, source_text=text)
    if align_source is not True:
        kind = type(align_source).__name__
        raise InputTypeError(
            f"align_source must be True, False, a SourceAligner or a file of one, got {kind}"
        )
    return SourceAlignment(source_text=text)


def warn_of_data(result: Result) -> None:
    """Warn the caller of the caller of few or unusual lines to learn from."""
    for notice in result.notices:
        warnings.warn(notice, stacklevel=3)
