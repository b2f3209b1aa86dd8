"""The terms that pages and tables show, each in a sentence or two that need no other knowledge.

Pages link their terms to these texts, and docs/glossary.md is generated from them.
"""

from __future__ import annotations

from typing import NamedTuple


class Term(NamedTuple):
    """A term of the glossary; ``key`` identifies it in addresses."""

    key: str
    name: str
    text: str


TOPICS: dict[str, tuple[Term, ...]] = {
    "Texts": (
        Term(
            "system",
            "system",
            "The program, program version or person that produced the translations.",
        ),
        Term("source", "source", "The text that was translated, in its original language."),
        Term(
            "reference",
            "reference",
            "A good translation, usually by a person, with which the systems' translations are "
            "compared. A segment can have several references.",
        ),
        Term(
            "segment",
            "segment",
            "One line of the texts, usually a sentence, with its reference and the translation of "
            "each system.",
        ),
        Term(
            "word",
            "word",
            "A word, a number or a punctuation mark. In languages that are written without spaces, "
            "it can be a single character.",
        ),
    ),
    "Links between words": (
        Term(
            "link",
            "link",
            "A line between a word of the translation and the word of the reference that it "
            "corresponds to. Linked words are equal, forms of the same word, or words of similar "
            "meaning.",
        ),
        Term(
            "aligned",
            "aligned",
            "A word is aligned if it has a link. The share of aligned words shows how far you can "
            "trust measures of word order: below one half, they say little.",
        ),
        Term(
            "unaligned",
            "unaligned word",
            "A word without a link, shown in grey. Either the other side has no such word, or it "
            "was not found; most metrics of order ignore it.",
        ),
        Term(
            "without-links",
            "without a link",
            "The number of segments in which no word is aligned, so that their word order cannot "
            "be judged.",
        ),
        Term(
            "chunk",
            "chunk",
            "A run of words that stand next to each other, in the same order, in the translation "
            "and in the reference. Good word order has few, long chunks.",
        ),
    ),
    "Word order": (
        Term(
            "in-order",
            "in order",
            "The aligned words of the segment have the same order as in the reference, so nothing "
            "has to move.",
        ),
        Term("block", "block", "One word, or several neighbouring words that move as a whole."),
        Term(
            "move",
            "move",
            "A block that must move to another place to match the order of the reference. Its "
            "distance is the number of aligned words that it passes.",
        ),
        Term(
            "permutation",
            "permutation",
            "The order of the aligned words in numbers: for each word of the translation, its "
            "place in the reference. ⟨1, 2, 3⟩ is the right order; in ⟨3, 1, 2⟩ the first word "
            "belongs at the end.",
        ),
        Term(
            "permutation-tree",
            "permutation tree",
            "The word order, split step by step into parts, down to the words. Each node shows "
            "the order of its parts, and the tree shows which words move together.",
        ),
        Term(
            "permutation-forest",
            "permutation forest",
            "All permutation trees of a sentence in one drawing. There are several trees if three "
            "or more parts are all in order, or all in reverse, because they can be grouped in "
            "several ways.",
        ),
        Term(
            "operator",
            "operator",
            "The order of the parts of a node in a permutation tree, in numbers: for each part, "
            "its place in the reference.",
        ),
        Term(
            "operator-12",
            "⟨1,2⟩",
            "The operator of two parts that are in order. 3×⟨1,2⟩ is a row of four parts that are "
            "all in order.",
        ),
        Term(
            "operator-21",
            "⟨2,1⟩",
            "The operator of two parts that have changed places. 2×⟨2,1⟩ is a row of three parts "
            "in reverse order.",
        ),
        Term(
            "operator-2413",
            "⟨2,4,1,3⟩ and ⟨3,1,4,2⟩",
            "The operators of four parts that are interleaved: no neighbours among them stay "
            "together in the reference. Swaps of two blocks, and swaps inside of these blocks, "
            "cannot produce such an order.",
        ),
        Term(
            "longer-operator",
            "longer operator",
            "The operator of five or more parts that are interleaved like those of ⟨2,4,1,3⟩.",
        ),
        Term(
            "reordering",
            "reordering",
            "An operator other than ⟨1,2⟩: a place in the sentence where parts are not in order.",
        ),
        Term(
            "only-swaps",
            "only swaps",
            "The share of segments whose order comes from swaps of two blocks and swaps inside of "
            "these blocks. It includes the segments that are in order.",
        ),
        Term(
            "span",
            "span",
            "The number of aligned words below an operator, that is, the length of the part of the "
            "sentence that it reorders.",
        ),
    ),
    "Other views of word order": (
        Term(
            "soft-order",
            "soft order",
            "A metric that asks whether neighbours stay neighbours. It needs no links, because it "
            "compares every word with every other word.",
        ),
        Term(
            "break",
            "break",
            "A place between two words that are neighbours here, but not on the other side. It is "
            "marked by a bar; a longer bar is a clearer break.",
        ),
        Term(
            "precedence",
            "precedence",
            "The part of soft order that asks whether two neighbours are in the right order, based "
            "on how often words follow one another in the references. Two arrows mark a pair that "
            "is probably better the other way round.",
        ),
        Term(
            "inversion-parse",
            "inversion parse",
            "The cheapest way to turn the translation into the reference. Words can be replaced, "
            "deleted and inserted, and two neighbouring blocks can change places; each step "
            "costs 1.",
        ),
        Term(
            "dependency-tree",
            "dependency tree",
            "The grammar of a sentence: arrows point from each word to the words that depend on "
            "it, such as from a verb to its subject.",
        ),
    ),
    "Scores": (
        Term(
            "metric",
            "metric",
            "A rule that gives a translation a score. Some metrics look at word order alone, "
            "others also at the choice of words.",
        ),
        Term(
            "score",
            "score",
            "The value of a metric for one segment or for all segments of a system. ↑ means that "
            "higher is better, ↓ that lower is better.",
        ),
        Term(
            "error-rate",
            "error rate",
            "A metric for which lower is better: the number of errors for each word of the "
            "reference.",
        ),
        Term(
            "brevity-penalty",
            "brevity penalty",
            "A factor that lowers the score of a translation that leaves out parts of the "
            "reference.",
        ),
        Term(
            "signature",
            "signature",
            "A line with everything that affects a score: the metric, its settings and the "
            "version. Quote it with the score, so that others can repeat it.",
        ),
        Term(
            "histogram",
            "histogram",
            "Bars that show the distribution of a metric's values: the longer a bar, the more "
            "segments have a value in its range.",
        ),
        Term(
            "quartiles",
            "median and quartiles",
            "Half of the segments have a value below the median and half above it. The quartiles "
            "are the ends of the middle half of the segments.",
        ),
    ),
    "Comparing systems": (
        Term(
            "interval",
            "interval",
            "The confidence interval of a score: with other segments of the same kind, the score "
            "would probably lie in this range. More segments give a shorter interval.",
        ),
        Term(
            "sample",
            "sample",
            "Segments drawn from the test set at random, to see how much the scores depend on the "
            "choice of segments. The random seed makes the results reproducible.",
        ),
        Term(
            "difference",
            "difference",
            "The score of the first system of a pair minus the score of the second one.",
        ),
        Term(
            "p-value",
            "p",
            "The probability of a difference at least this large if the two systems were equally "
            "good. It is also called p-value.",
        ),
        Term(
            "significant",
            "significant",
            "A difference is significant if chance alone hardly explains it: its p is below the "
            "significance level, usually 0.05. A significant difference can still be too small "
            "to matter.",
        ),
        Term(
            "correction",
            "correction",
            "Among many comparisons, some have a small p by chance. A correction for multiple "
            "comparisons makes each p larger to allow for that.",
        ),
        Term(
            "effect",
            "effect",
            "The effect size: the mean of the segments' differences divided by their standard "
            "deviation. As a rule of thumb, "
            "0.2 is small and 0.8 is large.",
        ),
        Term(
            "better-equal-worse",
            "better/equal/worse",
            "The numbers of segments in which the first system of a pair is better than the "
            "second one, equal to it, or worse.",
        ),
        Term(
            "cluster",
            "cluster",
            "A group of systems that do not all differ significantly from each other. Each of them "
            "is significantly better than every system in the clusters below.",
        ),
        Term(
            "rank",
            "rank",
            "The possible places of a system in the ranking. 2–3 means that one system is "
            "significantly better, and that the system may be second or third.",
        ),
        Term("baseline", "baseline", "The system that all other systems are compared with."),
    ),
    "Metrics and people": (
        Term(
            "human-score",
            "human score",
            "A judgement of a translation by a person, as a number. Judgements can also be "
            "rankings, from the best to the worst translation of a segment.",
        ),
        Term(
            "agreement",
            "agreement",
            "How well the scores of a metric agree with judgements by people. For most measures, 1 "
            "is perfect agreement, and 0 is no better than chance.",
        ),
        Term(
            "held-out",
            "held out",
            "Segments that were not used to choose the settings of a metric. Agreement on held-out "
            "data estimates the agreement on other texts.",
        ),
    ),
}
TERMS: dict[str, Term] = {term.key: term for terms in TOPICS.values() for term in terms}
