"""The options of ``hyperbaton align``."""

from __future__ import annotations

from hyperbaton.alignment.aligner import DEFAULT_BUDGET
from hyperbaton.alignment.choices import MATCHERS
from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.cli.declarations import OptionGroup, argument, flag, option
from hyperbaton.cli.options import fold_option, one_based_flag, sure_flag
from hyperbaton.text.tokenization import TOKENIZERS


class TextOptions(OptionGroup):
    """The texts or links, and how the lines of a translation become words."""

    TITLE = "Input"

    texts: list[str] | None = argument(
        "HYP REF | LINKS | TGT...",
        "HYP REF: a translation and its reference, each a file (- for standard input; "
        ".gz, .xz, .bz2, .zst) or a text. LINKS, with --source: a file of existing links to "
        "the source. TGT..., with --source and --train or --aligner-model: files of "
        "references and systems to align with the source.",
    )
    example: bool = flag(
        "--example", "Align the system literal of Hyperbaton's example set with its reference."
    )
    language: str | None = option(
        "--language -l LANG",
        "Language of the translations, for stems and tokenisation: a code or BCP 47 tag "
        "such as de, pt-BR or zh-Hans.",
    )
    tokenize: str | None = option(
        "--tokenize",
        f"Tokeniser for the translations: {', '.join(TOKENIZERS)}; none splits at spaces.",
        suggestions=TOKENIZERS,
    )
    text: bool = flag("--text", "Treat HYP and REF as texts even if such files exist.")
    source: str | None = option(
        "--source SRC", "Source text, for links between the source and its translations."
    )
    target: str | None = option(
        "--target TGT",
        "Target text: LINKS are checked against it or, without LINKS, it is aligned with "
        "the source.",
    )


class TrainingOptions(AlignerOptions):
    """A source aligner that is trained, and perhaps saved."""

    train: bool = flag(
        "--train", "Train a source aligner on the source and every TGT, and align them with it."
    )
    save_model: str | None = option(
        "--save-model FILE",
        "Save the trained aligner, for later use with --aligner-model; links are then "
        "written only with -o.",
    )


class MatchingOptions(OptionGroup):
    """How words are matched, and how files of links are read."""

    TITLE = "Alignments"

    matchers: str | None = option(
        "--matchers -m", f"Matchers, separated by commas: {', '.join(MATCHERS)}; or context alone."
    )
    cased: bool = flag("--cased", "Match case.")
    fold: str | None = fold_option()
    weights: str | None = option(
        "--weights", "Weight of a covered word for each matcher, such as exact=1,stem=0.6."
    )
    wordnet: str | None = option("--wordnet", "Folder of the WordNet database.")
    paraphrases: str | None = option("--paraphrases", "Paraphrase table in METEOR's format.")
    budget: int = option("--budget", "Maximum number of search steps per word.", DEFAULT_BUDGET)
    threads: int | None = option("--threads", "Number of threads; default: all cores.")
    one_based: bool = one_based_flag()
    sure: bool = sure_flag()
