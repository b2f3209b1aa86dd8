"""``hyperbaton align``: links between two texts, or between a source and its translations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from hyperbaton.alignment.aligner import DEFAULT_BUDGET
from hyperbaton.alignment.batch import NULLS, UNALIGNED
from hyperbaton.alignment.choices import MATCHERS
from hyperbaton.cli.commands import OptionGroup, Rules, argument, flag, option
from hyperbaton.cli.link_options import FOR_ALIGNER, FOR_SOURCE, ONE_BASED, SURE, AlignerOptions
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_LANGUAGE, FOLD, LANGUAGE, THREADS
from hyperbaton.errors import InputError
from hyperbaton.text.display import safe_json
from hyperbaton.text.tokenization import TOKENIZERS

if TYPE_CHECKING:
    from hyperbaton.alignment.alignment import Alignment
    from hyperbaton.alignment.pharaoh import LinkBatch


class AlignTexts(OptionGroup):
    """The texts or links, and how the lines of a translation become words.

    Attributes
    ----------
    texts
        HYP REF: a translation and its reference, each a file (- for standard input; .gz, .xz, .bz2,
        .zst) or a text. LINKS, with --source: a file of existing links to the source. TGT..., with
        --source and --train or --aligner-model: files of references and systems to align with the
        source.
    example
        Align the system literal of Hyperbaton's example set with its reference.
    tokenize
        Tokeniser for the translations: {suggestions}; none splits at spaces.
    text
        Treat HYP and REF as texts even if such files exist.
    source
        Source text, for links between the source and its translations.
    target
        Target text: LINKS are checked against it or, without LINKS, it is aligned with the source.
    """

    TITLE = "Input"

    texts: list[str] | None = argument("HYP REF | LINKS | TGT...")
    example: bool = flag("--example")
    language: str | None = LANGUAGE
    tokenize: str | None = option("--tokenize", suggestions=TOKENIZERS)
    text: bool = flag("--text")
    source: str | None = option("--source SRC")
    target: str | None = option("--target TGT")


class TrainingOptions(AlignerOptions):
    """A source aligner that is trained, and perhaps saved.

    Attributes
    ----------
    train
        Train a source aligner on the source and every TGT, and align them with it.
    save_model
        Save the trained aligner, for later use with --aligner-model; links are then written only
        with -o.
    """

    train: bool = flag("--train")
    save_model: str | None = option("--save-model FILE")


class MatchingOptions(OptionGroup):
    """How words are matched, and how files of links are read.

    Attributes
    ----------
    matchers
        Matchers, separated by commas: {suggestions}; or context alone.
    cased
        Match case.
    weights
        Weight of a covered word for each matcher, such as exact=1,stem=0.6.
    wordnet
        Folder of the WordNet database.
    paraphrases
        Paraphrase table in METEOR's format.
    budget
        Maximum number of search steps per word.
    """

    TITLE = "Alignments"

    matchers: str | None = option("--matchers -m", suggestions=MATCHERS)
    cased: bool = flag("--cased")
    fold: str | None = FOLD
    weights: str | None = option("--weights")
    wordnet: str | None = option("--wordnet")
    paraphrases: str | None = option("--paraphrases")
    budget: int = option("--budget", DEFAULT_BUDGET)
    threads: int | None = THREADS
    one_based: bool = ONE_BASED
    sure: bool = SURE


SCHEMA = "hyperbaton/profile/1"
LINK_SUFFIX = ".align"
DEFAULT_TOP = 10
DEFAULT_NULLS = (
    "moses"  # as the help says; "paper" can move words without a link away from their neighbours
)


FORMATS = ("pharaoh", "moses", "json", "permutation", "draw")


class LinkOutput(OptionGroup):
    """How links are written, and where.

    Attributes
    ----------
    format
        Output format; default: pharaoh for files, draw for texts.
    unaligned
        How to treat words without a link in permutations: {suggestions}.
    output
        Output file (- for standard output, the default); for several TGT, a folder.
    profile
        Print reordering statistics.
    nulls
        Where to place source words without a link: {suggestions}; default: moses.
    top
        Number of operators in the profile.
    """

    TITLE = "Output"

    format: str | None = option("--format -f", choices=FORMATS)
    unaligned: str = option("--unaligned", UNALIGNED[0], suggestions=UNALIGNED)
    output: str | None = option("--output -o FILE")
    profile: bool = flag("--profile")
    nulls: str | None = option("--nulls", suggestions=NULLS)
    top: int = option("--top", DEFAULT_TOP, low=1)

    def check(self) -> None:
        """Raise an error if there is no such way to treat words without a link."""
        for name, given, known in (
            ("--nulls", self.nulls, NULLS),
            ("--unaligned", self.unaligned, UNALIGNED),
        ):
            if given is not None and given not in known:
                raise InputError(f"{name} must be one of {', '.join(known)}, got {given!r}")

    @property
    def null_place(self) -> str:
        """The place of source words without a link."""
        return self.nulls or DEFAULT_NULLS

    @property
    def suffix(self) -> str:
        """The end of the names of files in a folder."""
        suffixes = {"json": ".jsonl", "permutation": ".permutations"}
        return suffixes.get(self.format or FORMATS[0], LINK_SUFFIX)

    @property
    def has_links(self) -> bool:
        """Whether other commands can read what is written as links."""
        return not self.profile and self.format in (None, "pharaoh", "moses")

    def source_line(self, alignment: Alignment) -> str:
        """Return the links of a sentence pair, or the source's permutation on one line."""
        permute = partial(alignment.source_permutation, self.null_place)
        return format_links(self.format or FORMATS[0], alignment, permute)

    def write_profile(self, batches: Iterable[LinkBatch], path: str, threads: int | None) -> None:
        """Write statistics of the reorderings."""
        import numpy as np

        from hyperbaton.files.output_files import write_beside
        from hyperbaton.order.profile import reordering_profile
        from hyperbaton.views.documents import render_text
        from hyperbaton.views.profile_tables import ProfileView
        from hyperbaton.views.tables import Style

        values, lengths = [np.array([], np.int64)], [np.array([0])]
        with write_beside(path) as out:
            for batch in batches:
                permutations, offsets = batch.permutations(self.null_place)
                values.append(permutations)
                lengths.append(np.diff(offsets))
            offsets = np.cumsum(np.concatenate(lengths))
            profile = reordering_profile(np.concatenate(values), offsets, threads)
            if self.format == "json":
                data = {"schema": SCHEMA, "nulls": self.null_place, **profile.to_dict()}
                out.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
            else:
                out.write(render_text(ProfileView(profile, self.top), Style()) + "\n")


def format_links(
    form: str, alignment: Alignment, permute: Callable[[], Iterable[int]], **words: list[str]
) -> str:
    """Return the links of a sentence pair, or its permutation, on one line."""
    match form:
        case "pharaoh":
            return alignment.to_pharaoh()
        case "moses":
            return alignment.to_moses()
        case "permutation":
            return " ".join(map(str, permute()))
    return safe_json({**words, **alignment.to_dict(), "permutation": list(permute())})


class AlignOptions(OptionGroup):
    """What is aligned, how, and what is written."""

    aligner: TrainingOptions
    given: AlignTexts
    matching: MatchingOptions
    output: LinkOutput

    @property
    def target_words(self) -> tuple[str | None, str | None, str | None]:
        """How the lines of targets become words, as far as options say."""
        return self.given.language, self.given.tokenize, self.matching.fold


LINKS_USAGE = "hyperbaton align --source SRC LINKS"
TRAIN_USAGE = "hyperbaton align --source SRC --train TGT... -o FOLDER"
MODEL_USAGE = "hyperbaton align --source SRC --aligner-model FILE TGT..."
BITEXT_USAGE = "hyperbaton align --bitext SRC TGT --save-model FILE"

# The four tasks of the command.
TEXTS, LINKS, SOURCE, TRAINING = "texts", "links", "source", "training"


def find_task(given: Any, aligner: Any) -> str:
    """Return which task the texts and the options of an aligner ask for."""
    if given.source is None:
        return TRAINING if aligner.bitexts and not given.texts else TEXTS
    needs_aligner = aligner.train or aligner.aligner_model is not None or not given.texts
    return SOURCE if needs_aligner else LINKS


def asks_for(task: str) -> Callable[[Any], bool]:
    """Return the condition that a task was asked for."""
    return lambda given: find_task(given, given) == task


FOR_TEXTS = "--matchers --unaligned --cased --weights --wordnet --paraphrases --text --budget"
FOR_LINKS = "--one-based --sure"
WITH_SOURCE = "--target --profile --nulls --top"
FOR_TRAINING = f"--train --save-model {FOR_ALIGNER}"
ALIGN_RULES: Rules = {
    lambda given: given.example: {
        "--source --bitext": "--example has its own texts: do not give others"
    },
    lambda given: given.source is not None and given.aligner_model is not None: {
        "--train": "--train cannot be used with --aligner-model, which is already trained",
        "--save-model": "--save-model cannot be used with --aligner-model, which is already saved",
    },
    lambda given: find_task(given, given) == SOURCE and given.texts: {
        "--target": "give the target as TGT or with --target, not both"
    },
    asks_for(SOURCE): {f"{FOR_TEXTS} {FOR_LINKS}": "{option} cannot be used with a source aligner"},
    asks_for(LINKS): {
        FOR_TRAINING: f"{{option}} can only be used with a source aligner: {TRAIN_USAGE}",
        FOR_TEXTS: "{option} cannot be used with --source, which reads existing links",
    },
    lambda given: find_task(given, given) == LINKS and given.target is None: {
        "--language --tokenize --fold": "{option} needs --target: links do not contain the words "
        "of the target"
    },
    asks_for(TRAINING): {
        f"{FOR_TEXTS} {WITH_SOURCE} {FOR_LINKS} --aligner-model --format --output": "{option} "
        f"cannot be used with --bitext alone: {BITEXT_USAGE}"
    },
    asks_for(TEXTS): {
        f"{WITH_SOURCE} {FOR_LINKS}": f"{{option}} needs --source: {LINKS_USAGE}",
        f"{FOR_TRAINING} {FOR_SOURCE}": f"{{option}} needs --source: {TRAIN_USAGE}; or bitexts "
        f"alone: {BITEXT_USAGE}",
    },
    lambda given: given.format not in (None, "json"): {
        "--profile": "--profile supports only a table or --format json"
    },
    lambda given: given.source is not None and given.format == "draw": {
        "--format": "--format draw cannot be used with --source: it draws HYP and REF"
    },
}


def align_command(options: AlignOptions) -> None:
    """Align the words of sentences or files.

    The input is two sentences, two files, or a source with its translations. Files are aligned line
    by line. Existing file names are read as files; use --text to force text.

    With --source, the links join a source text and its translations. Existing LINKS are converted
    or profiled. Without LINKS, a source aligner computes them. It is trained on the source and all
    translations, and on more sentence pairs with --bitext, or it is loaded with --aligner-model.
    With --train and several TGT, the links of each TGT are written to a file of their own in the
    folder given by -o.

    With --bitext and --save-model alone, an aligner is trained only on these sentence pairs and
    saved. It has seen no system output, so it favours no system.

    \b
    Examples:
      hyperbaton align "the cat saw the dog" "the dog saw the cat"
      hyperbaton align system.txt reference.txt -l en > links.txt
      hyperbaton align system.txt reference.txt -l en -m exact,stem,synonym -f json -o links.jsonl
      hyperbaton align system.txt reference.txt -f permutation --unaligned left
      hyperbaton align system.txt reference.txt -m context
      hyperbaton align --example
      hyperbaton align --source src.txt links.align --profile
      hyperbaton align --source src.txt links.align --one-based --sure -f moses -o links.moses
      hyperbaton align --source src.txt --train ref.txt sysA.txt sysB.txt -o links/
      hyperbaton align --source src.txt --train ref.txt --bitext more.de more.en -o ref.align
      hyperbaton align --bitext news.de news.en --save-model de-en.aligner
      hyperbaton align --source src.txt --aligner-model de-en.aligner sysB.txt -o sysB.align
      hyperbaton align --source src.txt --target ref.txt --profile
    """
    # Imported here, so that --help is quick.
    from hyperbaton.cli.align_source import align_source, convert_links, train_on_bitexts
    from hyperbaton.cli.align_texts import align_texts
    from hyperbaton.threads import thread_count

    options.output.check()
    thread_count(options.matching.threads)
    if options.given.example:
        options = options.replace(given=example_texts(options.given))
    aligner, given = options.aligner, options.given
    texts = given.texts or []
    task = find_task(given, aligner)
    if task == TRAINING:
        if aligner.save_model is None:
            raise InputError(f"--bitext alone needs --save-model: {BITEXT_USAGE}")
        train_on_bitexts(options, aligner.save_model)
    elif task == SOURCE:
        if not texts and given.target is None:
            if aligner.aligner_model is not None:
                raise InputError(f"no target: {MODEL_USAGE}")
            raise InputError(f"no links and no target: {LINKS_USAGE}, or {TRAIN_USAGE}")
        align_source(options)
    elif task == LINKS:
        if len(texts) > 1:
            raise InputError(
                f"--source takes one file of links: {LINKS_USAGE}; texts need --train: "
                f"{TRAIN_USAGE}"
            )
        convert_links(options, texts[0])
    else:
        if len(texts) < 2:
            raise InputError("no reference: hyperbaton align HYP REF")
        if len(texts) > 2:
            raise InputError(
                f"give two texts, not {len(texts)}: hyperbaton align HYP REF; or {TRAIN_USAGE}"
            )
        align_texts(options, *texts)


def example_texts(given: AlignTexts) -> AlignTexts:
    """Return the texts of the example set."""
    if given.texts:
        raise InputError("--example has its own texts: do not give others")
    texts = [str(EXAMPLE / f"{name}.txt") for name in ("literal", "reference")]
    return given.replace(texts=texts, language=given.language or EXAMPLE_LANGUAGE)
