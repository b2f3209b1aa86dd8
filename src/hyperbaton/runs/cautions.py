"""Warnings and notes about scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from hyperbaton.alignment.aligner import stemmer_name
from hyperbaton.alignment.choices import ENCODER
from hyperbaton.metrics.linking import GIVEN_BY_CALLER
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.options import normalize_name
from hyperbaton.metrics.signature import Signature
from hyperbaton.notices import NOTE, Notice
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.runs.results import Result
from hyperbaton.text.languages import parse_language
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import default_tokenizer

FEW_LINKED = 0.5  # below this share of linked words, order scores mean little


def cautions(
    results: Sequence[Result], hint: str | None = None, few_linked: bool = True
) -> Iterator[Notice]:
    """Yield what a reader should know before trusting the scores.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    hint : str, optional
        What warnings about few linked words advise to align more: an option of notices.
    few_linked : bool
        Whether to warn if few words are linked, or too few are matched for a rank.
    """
    yield from language_notes([score.metric for score in results[0].values()])
    yield from results[0].notices
    if results[0].n > 1:  # explanations of single segments describe each metric by itself
        yield from factorization_notes(results[0])
    yield from evidence_notices(results, is_ranked=few_linked)
    for result in results:
        known = few_linked and all(score.is_scored for score in result.values())
        if known and result.linked is not None and result.linked < FEW_LINKED:
            yield Notice(
                f"{result.name}: only {result.linked:.0%} of the words are linked, so its order "
                "scores say little",
                option=hint,
            )
        for name, score in result.items():
            if score.inexact:
                segments = count_noun(score.inexact, "segment")
                yield Notice(
                    f"{result.name}: {name} is only an upper bound for {segments}, where its "
                    "budget ran out",
                    NOTE,
                )


def evidence_notices(
    results: Sequence[Result],
    names: Mapping[str, str] = MappingProxyType({}),
    known: Collection[str] = (),
    is_ranked: bool = True,
) -> Iterator[Notice]:
    """Yield which systems have no value or no rank by some metrics, and why.

    Parameters
    ----------
    results : sequence of Result
        One result per system.
    names : mapping of str to str
        Other names of systems.
    known : collection of str
        Metrics about which nothing is to be said.
    is_ranked : bool
        Whether systems have ranks.
    """
    for result in results:
        scores = {name: score for name, score in result.items() if name not in known}
        silent = {name: s.value is None for name, s in scores.items() if not s.is_scored}
        for lack, is_unscored in (("not scored", True), ("not ranked", False)):
            metrics = ", ".join(name for name in silent if silent[name] is is_unscored)
            if metrics and result.evidence is not None and (is_unscored or is_ranked):
                name = names.get(result.name, result.name)
                yield Notice(f"{name}: {metrics}: {lack}: {result.evidence.shortage}")


def factorization_notes(metrics: Iterable[str]) -> Iterator[Notice]:
    """Yield a note if some metrics do not measure how much of an order is right."""
    found = [name for name in metrics if is_factorization(name)]
    if found:
        verb = "measures" if len(found) == 1 else "measure"
        yield Notice(
            f"{', '.join(found)} {verb} how far a permutation factorizes, not how much of it is in "
            "order: a fully reversed sentence gets the best value",
            NOTE,
        )


def is_factorization(metric: str) -> bool:
    """Return whether a metric, as it is written, measures how far a permutation factorizes."""
    measure = MEASURES.get(normalize_name(metric.partition(":")[0]))
    return measure is not None and not measure.measures_order


def score_warnings(
    results: Sequence[Result], language: str | None, few_linked: bool = True
) -> Iterator[Notice]:
    """Return warnings about scores, with a hint on the option that may help."""
    fields = [dict(Signature.parse(score.signature)) for score in results[0].values()]
    hint = None
    if any(".pairs-" in signature.get("aligner", "") for signature in fields):
        hint = "bitext"
    elif not language and not any(
        signature.get("align", "").startswith((*GIVEN_BY_CALLER, ENCODER)) for signature in fields
    ):
        hint = "stems"
    return cautions(results, hint, few_linked)


def language_notes(metrics: Collection[Metric]) -> Iterator[Notice]:
    """Yield notes on what the language of metrics lacks: a stemmer, spaces between words."""
    language = next((m.resources.language for m in metrics if m.resources.language), None)
    if any(metric.options.get("align") in ("exact", "exact+anchored") for metric in metrics):
        yield from stemmer_notes(language)
    default_tokens = {m.options.get("tok") for m in metrics if "tok" not in m.given}
    if "char" in default_tokens:
        yield from spacing_notes(language)


def stemmer_notes(language: str | None) -> Iterator[Notice]:
    """Yield a note if there is no stemmer for a language."""
    if language is not None and stemmer_name(language) is None:
        yield Notice(f"there is no stemmer for {language!r}: only equal words are linked", NOTE)


def spacing_notes(language: str | None) -> Iterator[Notice]:
    """Yield a note if the default tokens of a language are characters."""
    if language is not None and default_tokenizer(language) == "char":
        yield Notice(
            f"{parse_language(language).name} is written without spaces: the default tokeniser is "
            "char, and every character is a token; for words, split the text at spaces and use the "
            "tokeniser none",
            NOTE,
        )
