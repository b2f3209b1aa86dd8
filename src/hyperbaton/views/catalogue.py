"""Descriptions of metrics for people: what each measures, its options, when not to use it.

Also the papers behind the metrics as BibTeX, and a sentence that cites them.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hyperbaton import __version__
from hyperbaton.files.lines import printable
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.options import format_value, parse_spec
from hyperbaton.metrics.registry import SETS, find_class, names
from hyperbaton.text.display import terminal_width
from hyperbaton.views.asset_files import read_asset
from hyperbaton.views.documents import LATEX_ESCAPES

SACREBLEU_LEXICAL = "bleu"  # how the values of the option lexical begin that are sacreBLEU's
LICENSE = "Apache-2.0"
HYPERBATON = f"""\
@software{{hyperbaton,
  author = {{{{The Hyperbaton authors}}}},
  title = {{{{Hyperbaton: word order in translation}}}},
  version = {{{__version__}}},
  license = {{{LICENSE}}},
}}"""
# What the decision page recommends.
FIRST_METRICS = (*SETS["default"], "hyper")
# Metrics in the order in which people need them.
GROUPS: Mapping[str, Sequence[str]] = {
    "first of all": FIRST_METRICS,
    "order of linked words": (*SETS["permutations"], "ribes"),
    "how far an order factorizes (a reversed sentence has 1)": (
        *("pet_size", "pet_count", "max_operator", "average_operator"),
    ),
    "order and words": (*("full", "senscore", "lrscore", "lr_hb1", "lr_hb4", "lr_kb1", "lr_kb4"),),
    "edit distances": SETS["edit"],
    "words in other ways": ("avgbleu",),
    "dependency trees": ("dted",),
}
OURS = "ours"  # the citation of metrics that were defined here


def metric_dict(spec: str) -> dict[str, Any]:
    """Return everything there is to say about a metric, for JSON."""
    name, _ = parse_spec(spec)
    metric_class = find_class(name)
    variant = metric_class.VARIANTS[name]
    options = metric_class.options_for(name, variant.defaults)
    example = f"{name}:{variant.example}" if variant.example else name
    return {
        "name": name,
        "about": variant.description,
        "higher_is_better": metric_class.higher_is_better,
        "range": [bound if math.isfinite(bound) else None for bound in metric_range(name)],
        "paper": variant.paper,
        "caution": variant.caution,
        "options": {
            key: {
                "default": variant.defaults.get(key, option.default),
                "values": option.domain,
                "meaning": option.meaning,
            }
            for key, option in options.items()
        },
        "example": f"hyperbaton score -r ref.txt sys.txt -m {example}",
    }


def metric_range(name: str) -> tuple[float, float]:
    """Return the bounds of a metric with its default options."""
    metric_class = find_class(name)
    return metric_class.VARIANTS[name].range or metric_class.RANGE


def format_range(name: str) -> str:
    """Return the range of a metric.

    >>> format_range("pef"), format_range("wer"), format_range("pef_beer")
    ('0…1', '0…', '…1')
    """
    low, high = (
        format_value(bound) if math.isfinite(bound) else "" for bound in metric_range(name)
    )
    return f"{low}…{high}"


def describe_metrics(specs: Iterable[str]) -> str:
    """Return the descriptions of metrics, and once the options that several of them share."""
    descriptions = [metric_dict(spec) for spec in specs]
    counts = Counter(
        option_line(key, option) for one in descriptions for key, option in one["options"].items()
    )
    shared = [line for line, count in counts.items() if count > 1]
    texts = [metric_text(one, frozenset(shared)) for one in descriptions]
    if shared:
        texts.append("\n".join(["options that several of them have:", *shared]))
    return "\n\n".join(texts)


def option_line(key: str, option: Mapping[str, Any]) -> str:
    """Return the line of an option: its default, its values and what it means."""
    default = option["default"]
    text = "" if default is None else f"={format_value(default)}"
    return f"    {key}{text}  ({option['values']}) {option['meaning']}"


def metric_text(description: Mapping[str, Any], shared: frozenset[str] = frozenset()) -> str:
    """Return the description of a metric as text, without options that are described elsewhere."""
    direction = "higher is better" if description["higher_is_better"] else "lower is better"
    lines = [
        f"{description['name']}: {description['about']}",
        f"  {direction}, {format_range(description['name'])}",
        f"  {description['caution']}",
        f"  paper: {description['paper']}",
    ]
    options = [option_line(key, option) for key, option in description["options"].items()]
    own = [line for line in options if line not in shared]
    if own:
        lines += ["  options:", *own]
    lines.append(f"  example: {description['example']}")
    return "\n".join(lines)


def list_metrics() -> str:
    """Return a line for each metric, in groups, and the sets of metrics."""
    width, columns = max(map(len, names())), terminal_width()
    grouped = {name for members in GROUPS.values() for name in members}
    others = [name for name in names() if name not in grouped]
    lines = []
    for title, members in (*GROUPS.items(), *([("of other packages", others)] if others else [])):
        lines.append(f"{title}:")
        for name in members:
            description = metric_dict(name)
            arrow = "↑" if description["higher_is_better"] else "↓"
            lines.append(cut(f"  {name:<{width}} {arrow} {description['about']}", columns))
    lines.append("sets of metrics (-m NAME):")
    for name, chosen in SETS.items():
        shown = "every metric that needs only the texts" if name == "all" else " ".join(chosen)
        lines.append(cut(f"  {name:<{width}}   {shown}", columns))
    return "\n".join([*lines, "hyperbaton metrics NAME describes one, or a set."])


def cut(line: str, columns: int) -> str:
    """Return a line that fits, if need be without its end.

    >>> cut("a long line", 6)
    'a lon…'
    """
    return line if len(line) <= columns else f"{line[: columns - 1]}…"


class Paper(NamedTuple):
    """A paper or a program: the key of its BibTeX entry, and the entry."""

    key: str
    bibtex: str


@functools.cache
def papers() -> dict[str, Paper]:
    """Return the papers by their citations, as in ``Variant.paper``.

    ``assets/papers.bib`` has the citation in a comment above each entry. docs/papers.md lists the
    same papers.
    """
    found = {}
    for block in read_asset("papers.bib").strip().split("\n\n"):
        comment, bibtex = block.split("\n", 1)
        key = bibtex[bibtex.index("{") + 1 : bibtex.index(",")]
        found[comment.removeprefix("% ")] = Paper(key, bibtex)
    return found


def citations(metric: Metric) -> list[str]:
    """Return the citations of a metric and of the metrics that its options name.

    >>> from hyperbaton import metrics
    >>> citations(metrics.get("full:order=fuzzy"))
    ["Stanojević & Sima'an 2014", 'Talbot et al. 2011', 'Papineni et al. 2002', 'Post 2018']
    """
    parts = [metric.name]
    order, lexical = (str(metric.options.get(key, "")) for key in ("order", "lexical"))
    if order in names():
        parts.append(order)
    if lexical.startswith(SACREBLEU_LEXICAL):
        parts.append("bleu")
    cited = [
        paper.strip()
        for name in parts
        for paper in find_class(name).VARIANTS[name].paper.split(";")
    ]
    if metric.name == "chrf" and metric.options["nw"]:
        cited.append("Popović 2017")  # chrF++
    return list(dict.fromkeys(next((c for c in papers() if p.startswith(c)), p) for p in cited))


def render_citations(metrics: Mapping[str, Metric]) -> str:
    """Return BibTeX entries and, as comments, a sentence for the methods section.

    Parameters
    ----------
    metrics : mapping of str to Metric
        The metrics by what users call them.
    """
    return "\n\n".join([bibtex_entries(metrics.values()), "\n".join(_methods(metrics))])


def bibtex_entries(metrics: Iterable[Metric]) -> str:
    """Return the BibTeX entries of the papers behind metrics, and of Hyperbaton."""
    cited = dict.fromkeys(paper for metric in metrics for paper in citations(metric))
    blocks = [papers()[paper].bibtex for paper in cited if paper in papers()]
    blocks.append(HYPERBATON)
    unknown = [paper for paper in cited if paper not in papers() and paper != OURS]
    if unknown:
        blocks.append("\n".join(f"% no entry is known for: {paper}" for paper in unknown))
    return "\n\n".join(blocks)


def _methods(metrics: Mapping[str, Metric]) -> Iterator[str]:
    yield "% For the methods section; the table of scores has the number of references, nrefs:"
    for name, metric in metrics.items():
        keys = ",".join(papers()[paper].key for paper in citations(metric) if paper in papers())
        citation = f"~\\citep{{{keys}}}" if keys else ""
        # A file name in a signature may have any characters, also the end of a line.
        texts = (name, metric.signature(None).format())
        shown, signature = (printable(text).translate(LATEX_ESCAPES) for text in texts)
        yield (
            f"% We report \\texttt{{{shown}}}{citation} as computed by "
            f"Hyperbaton~\\citep{{hyperbaton}}, with the signature \\texttt{{{signature}}}."
        )
