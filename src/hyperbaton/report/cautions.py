"""What a reader should know before trusting scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hyperbaton.alignment.stems import stemmer_name
from hyperbaton.metrics.scoring import Result

FEW_ALIGNED = 0.5  # a share of words below which order scores say little


def cautions(results: Sequence[Result], hint: str = "", few_aligned: bool = True) -> Iterator[str]:
    """One line each, which begins with ``warning`` or ``note``.

    ``hint`` says how more words would be aligned; ``few_aligned`` is whether to warn if few are.
    """
    metrics = [score.metric for score in results[0].values()]
    language = metrics[0].language
    exact = any(metric.options.get("align") == "exact" for metric in metrics)
    if language and exact and stemmer_name(language) is None:
        yield f"note: there is no stemmer for {language!r}: only equal words are aligned"
    for result in results:
        if few_aligned and result.aligned is not None and result.aligned < FEW_ALIGNED:
            yield (
                f"warning: {result.name}: only {result.aligned:.0%} of the words are aligned, "
                f"so its order scores say little{hint}"
            )
        for name, score in result.items():
            if score.inexact:
                many = f"{score.inexact:,} segment{'s' * (score.inexact > 1)}"
                yield (
                    f"note: {result.name}: {name} is only an upper bound for {many}, where its "
                    "budget ran out"
                )
