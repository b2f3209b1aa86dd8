"""The papers behind the metrics as BibTeX, and a sentence that cites them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hyperbaton import __version__
from hyperbaton.files.lines import printable
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.registry import find_class, names
from hyperbaton.views.latex import ESCAPES

SACREBLEU_LEXICAL = "bleu"  # how the values of the option lexical begin that are sacreBLEU's


@dataclass(frozen=True)
class Paper:
    """A paper or a program.

    Attributes
    ----------
    key, kind : str
        Key and type of its BibTeX entry.
    fields : mapping of str to str
        The fields of the entry.
    """

    key: str
    kind: str
    fields: Mapping[str, str]

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _paper(key: str, kind: str, author: str, title: str, year: str, **fields: str) -> Paper:
    return Paper(key, kind, {"author": author, "title": f"{{{title}}}", "year": year, **fields})


# By the citations of Variant.paper. docs/papers.md lists the same papers.
PAPERS: Mapping[str, Paper] = {
    "Bafna & Pevzner 1998": _paper(
        *("bafna-pevzner-1998", "article", "Bafna, Vineet and Pevzner, Pavel A."),
        *("Sorting by Transpositions", "1998"),
        journal="SIAM Journal on Discrete Mathematics",
        volume="11",
        number="2",
        pages="224--240",
    ),
    "Birch & Osborne 2010": _paper(
        *("birch-osborne-2010", "inproceedings", "Birch, Alexandra and Osborne, Miles"),
        *("LRscore for Evaluating Lexical and Reordering Quality in MT", "2010"),
        booktitle="Proceedings of the Joint Fifth Workshop on Statistical Machine Translation and "
        "MetricsMATR",
        pages="327--332",
    ),
    "Birch et al. 2010": _paper(
        *("birch-etal-2010", "article", "Birch, Alexandra and Osborne, Miles and Blunsom, Phil"),
        *("Metrics for MT evaluation: evaluating reordering", "2010"),
        journal="Machine Translation",
        volume="24",
        number="1",
        pages="15--26",
    ),
    "BEER 1.1": Paper("beer", "misc", {"author": "Stanojević, Miloš", "title": "{BEER 1.1}"}),
    "Denkowski & Lavie 2014": _paper(
        *("denkowski-lavie-2014", "inproceedings", "Denkowski, Michael and Lavie, Alon"),
        "Meteor Universal: Language Specific Translation Evaluation for Any Target Language",
        "2014",
        booktitle="Proceedings of the Ninth Workshop on Statistical Machine Translation",
        pages="376--380",
    ),
    "Diaconis & Graham 1977": _paper(
        *("diaconis-graham-1977", "article", "Diaconis, Persi and Graham, Ronald L."),
        *("Spearman's Footrule as a Measure of Disarray", "1977"),
        journal="Journal of the Royal Statistical Society, Series B",
        volume="39",
        number="2",
        pages="262--268",
    ),
    "Isozaki et al. 2010": _paper(
        *("isozaki-etal-2010", "inproceedings"),
        "Isozaki, Hideki and Hirao, Tsutomu and Duh, Kevin and Sudoh, Katsuhito and "
        "Tsukada, Hajime",
        *("Automatic evaluation of translation quality for distant language pairs", "2010"),
        booktitle="Proceedings of the 2010 Conference on Empirical Methods in Natural Language "
        "Processing",
        pages="944--952",
    ),
    "Leusch, Ueffing & Ney 2003": _paper(
        *(
            "leusch-etal-2003",
            "inproceedings",
            "Leusch, Gregor and Ueffing, Nicola and Ney, Hermann",
        ),
        "A Novel String-to-String Distance Measure With Applications to Machine Translation "
        "Evaluation",
        "2003",
        booktitle="Proceedings of Machine Translation Summit IX",
    ),
    "Leusch, Ueffing & Ney 2006": _paper(
        *(
            "leusch-etal-2006",
            "inproceedings",
            "Leusch, Gregor and Ueffing, Nicola and Ney, Hermann",
        ),
        *("CDER: Efficient MT Evaluation Using Block Movements", "2006"),
        booktitle="Proceedings of the 11th Conference of the European Chapter of the Association "
        "for Computational Linguistics",
    ),
    "McCaffery & Nederhof 2016": _paper(
        *("mccaffery-nederhof-2016", "inproceedings", "McCaffery, Martin and Nederhof, Mark-Jan"),
        "DTED: Evaluation of Machine Translation Structure Using Dependency Parsing and Tree Edit "
        "Distance",
        "2016",
        booktitle="Proceedings of the First Conference on Machine Translation",
    ),
    "Papineni et al. 2002": _paper(
        *("papineni-etal-2002", "inproceedings"),
        "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
        *("BLEU: a Method for Automatic Evaluation of Machine Translation", "2002"),
        booktitle="Proceedings of the 40th Annual Meeting of the Association for Computational "
        "Linguistics",
        pages="311--318",
    ),
    "Popović 2015": _paper(
        *("popovic-2015", "inproceedings", "Popović, Maja"),
        *("chrF: character n-gram F-score for automatic MT evaluation", "2015"),
        booktitle="Proceedings of the Tenth Workshop on Statistical Machine Translation",
        pages="392--395",
    ),
    "Popović 2017": _paper(
        *("popovic-2017", "inproceedings", "Popović, Maja"),
        *("chrF++: words helping character n-grams", "2017"),
        booktitle="Proceedings of the Second Conference on Machine Translation",
        pages="612--618",
    ),
    "Post 2018": _paper(
        *("post-2018", "inproceedings", "Post, Matt"),
        *("A Call for Clarity in Reporting BLEU Scores", "2018"),
        booktitle="Proceedings of the Third Conference on Machine Translation",
        pages="186--191",
    ),
    "RIBES.py 1.03": Paper("ribes", "misc", {"author": "{NTT}", "title": "{RIBES.py 1.03}"}),
    "Snover et al. 2006": _paper(
        *("snover-etal-2006", "inproceedings"),
        "Snover, Matthew and Dorr, Bonnie and Schwartz, Richard and Micciulla, Linnea and "
        "Makhoul, John",
        *("A Study of Translation Edit Rate with Targeted Human Annotation", "2006"),
        booktitle="Proceedings of the 7th Conference of the Association for Machine Translation in "
        "the Americas",
        pages="223--231",
    ),
    "Stanojević & Sima'an 2014": _paper(
        *("stanojevic-simaan-2014", "inproceedings", "Stanojević, Miloš and Sima'an, Khalil"),
        *("Evaluating Word Order Recursively over Permutation-Forests", "2014"),
        booktitle="Proceedings of SSST-8, Eighth Workshop on Syntax, Semantics and Structure in "
        "Statistical Translation",
        pages="138--147",
    ),
    "Stanojević & Sima'an 2016": _paper(
        *("stanojevic-simaan-2016", "inproceedings", "Stanojević, Miloš and Sima'an, Khalil"),
        *("Hierarchical Permutation Complexity for Word Order Evaluation", "2016"),
        booktitle="Proceedings of COLING 2016, the 26th International Conference on Computational "
        "Linguistics: Technical Papers",
        pages="2164--2173",
    ),
    "Talbot et al. 2011": _paper(
        *("talbot-etal-2011", "inproceedings"),
        "Talbot, David and Kazawa, Hideto and Ichikawa, Hiroshi and Katz-Brown, Jason and "
        "Seno, Masakazu and Och, Franz",
        *("A Lightweight Evaluation Framework for Machine Translation Reordering", "2011"),
        booktitle="Proceedings of the Sixth Workshop on Statistical Machine Translation",
    ),
}
HYPERBATON = Paper(
    "hyperbaton",
    "software",
    {
        "author": "{The Hyperbaton authors}",
        "title": "{Hyperbaton: word order in translation}",
        "version": __version__,
        "license": "Apache-2.0",
    },
)
OURS = "ours"  # the citation of metrics that were defined here


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
    papers = [
        paper.strip()
        for name in parts
        for paper in find_class(name).VARIANTS[name].paper.split(";")
    ]
    if metric.name == "chrf" and metric.options["nw"]:
        papers.append("Popović 2017")  # chrF++
    return list(dict.fromkeys(next((c for c in PAPERS if p.startswith(c)), p) for p in papers))


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
    blocks = [PAPERS[paper].bibtex for paper in cited if paper in PAPERS]
    blocks.append(HYPERBATON.bibtex)
    unknown = [paper for paper in cited if paper not in PAPERS and paper != OURS]
    if unknown:
        blocks.append("\n".join(f"% no entry is known for: {paper}" for paper in unknown))
    return "\n\n".join(blocks)


def _methods(metrics: Mapping[str, Metric]) -> Iterator[str]:
    yield "% For the methods section; the table of scores has the number of references, nrefs:"
    for name, metric in metrics.items():
        keys = ",".join(PAPERS[paper].key for paper in citations(metric) if paper in PAPERS)
        citation = f"~\\citep{{{keys}}}" if keys else ""
        # A file name in a signature may have any characters, also the end of a line.
        shown, signature = (
            printable(text).translate(ESCAPES) for text in (name, metric.signature(None).format())
        )
        yield (
            f"% We report \\texttt{{{shown}}}{citation} as computed by "
            f"Hyperbaton~\\citep{{hyperbaton}}, with the signature \\texttt{{{signature}}}."
        )
