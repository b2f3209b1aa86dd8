"""``hyperbaton align``: links between two texts, or between a source and its translations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from hyperbaton.alignment.aligner import DEFAULT_BUDGET, Aligner
from hyperbaton.alignment.batch import UNALIGNED
from hyperbaton.alignment.matchers import MATCHERS
from hyperbaton.alignment.source import NULLS
from hyperbaton.cli import options
from hyperbaton.cli.align_output import DEFAULT_NULLS, DEFAULT_TOP, Format, LinkOutput
from hyperbaton.cli.aligner_options import AlignerOptions
from hyperbaton.errors import InputError
from hyperbaton.threads import thread_count

LINKS_USAGE = "hyperbaton align --source SRC LINKS"
TRAIN_USAGE = "hyperbaton align --source SRC --train TGT... -o FOLDER"
MODEL_USAGE = "hyperbaton align --source SRC --aligner-model FILE TGT..."
BITEXT_USAGE = "hyperbaton align --bitext SRC TGT --save-model FILE"


def align(
    aligner_options: AlignerOptions,
    texts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="HYP REF | LINKS | TGT...",
            help="HYP REF: a translation and its reference, each a file (- for standard input; "
            ".gz, .xz, .bz2, .zst) or a text. LINKS, with --source: a file of existing links to "
            "the source. TGT..., with --source and --train or --aligner-model: files of "
            "references and systems to align with the source.",
            show_default=False,
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option(
            "--example",
            help="Align the system literal of Hyperbaton's example set with its reference.",
            rich_help_panel="Input",
        ),
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            "-l",
            metavar="LANG",
            help="Language of the translations, for stems and tokenisation: a code or BCP 47 tag "
            "such as de, pt-BR or zh-Hans.",
            rich_help_panel="Input",
        ),
    ] = None,
    matchers: Annotated[
        str | None,
        typer.Option(
            "--matchers",
            "-m",
            help=f"Matchers, separated by commas: {', '.join(MATCHERS)}; or context alone.",
            rich_help_panel="Alignments",
        ),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            "-f",
            help="Output format; default: pharaoh for files, draw for texts.",
            rich_help_panel="Output",
        ),
    ] = None,
    unaligned: Annotated[
        str,
        typer.Option(
            help=f"How to treat unaligned words in permutations: {', '.join(UNALIGNED)}.",
            rich_help_panel="Output",
        ),
    ] = "drop",
    output_path: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file (- for standard output, the default); for several TGT, a folder.",
            rich_help_panel="Output",
        ),
    ] = None,
    tokenize: Annotated[
        str | None,
        typer.Option(
            help="sacreBLEU tokeniser for the translations; none splits at spaces.",
            rich_help_panel="Input",
        ),
    ] = None,
    cased: Annotated[
        bool, typer.Option("--cased", help="Match case.", rich_help_panel="Alignments")
    ] = False,
    fold: options.Fold = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="Weight of a covered word for each matcher, such as exact=1,stem=0.6.",
            rich_help_panel="Alignments",
        ),
    ] = None,
    wordnet: Annotated[
        str | None,
        typer.Option(help="Folder of the WordNet database.", rich_help_panel="Alignments"),
    ] = None,
    paraphrases: Annotated[
        str | None,
        typer.Option(help="Paraphrase table in METEOR's format.", rich_help_panel="Alignments"),
    ] = None,
    text: Annotated[
        bool,
        typer.Option(
            "--text",
            help="Treat HYP and REF as texts even if such files exist.",
            rich_help_panel="Input",
        ),
    ] = False,
    budget: Annotated[
        int,
        typer.Option(help="Maximum number of search steps per word.", rich_help_panel="Alignments"),
    ] = DEFAULT_BUDGET,
    threads: Annotated[
        int | None,
        typer.Option(help="Number of threads; default: all cores.", rich_help_panel="Alignments"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SRC",
            help="Source text, for links between the source and its translations.",
            rich_help_panel="Input",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TGT",
            help="Target text: LINKS are checked against it or, without LINKS, it is aligned with "
            "the source.",
            rich_help_panel="Input",
        ),
    ] = None,
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Train a source aligner on the source and every TGT, and align them with it.",
            rich_help_panel="Source aligner",
        ),
    ] = False,
    save_model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the trained aligner, for later use with --aligner-model; links are then "
            "written only with -o.",
            rich_help_panel="Source aligner",
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option("--profile", help="Print reordering statistics.", rich_help_panel="Output"),
    ] = False,
    nulls: Annotated[
        str | None,
        typer.Option(
            help=f"Where to place unaligned source words: {', '.join(NULLS)}; default: "
            f"{DEFAULT_NULLS}.",
            rich_help_panel="Output",
        ),
    ] = None,
    one_based: options.OneBased = False,
    sure: options.Sure = False,
    top: Annotated[
        int,
        typer.Option(min=1, help="Number of operators in the profile.", rich_help_panel="Output"),
    ] = DEFAULT_TOP,
) -> None:
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
    from hyperbaton.alignment.aligner_training import aligner_text
    from hyperbaton.alignment.pharaoh import LinkFile
    from hyperbaton.cli import align_source, align_texts, bitext
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.runs.cautions import spacing_notes, stemmer_notes

    if example:
        if texts or source is not None or aligner_options.bitexts:
            raise InputError("--example has its own texts: do not give others")
        texts = [str(options.EXAMPLE / "literal.txt"), str(options.EXAMPLE / "reference.txt")]
        language = language or options.EXAMPLE_LANGUAGE
    texts = texts or []
    one_output = "-" if output_path is None else output_path
    for_texts = (
        ("--matchers", matchers),
        ("--unaligned", unaligned != "drop"),
        ("--cased", cased),
        ("--weights", weights),
        ("--wordnet", wordnet),
        ("--paraphrases", paraphrases),
        ("--text", text),
        ("--budget", budget != DEFAULT_BUDGET),
    )
    for_words = (("--language", language), ("--tokenize", tokenize), ("--fold", fold))
    words_given = language or tokenize or fold
    for_links = (("--one-based", one_based), ("--sure", sure))
    for_aligner = (
        ("--train", train),
        ("--save-model", save_model),
        *aligner_options.for_aligner,
    )
    if source is not None:
        output = LinkOutput(form, profile, nulls or DEFAULT_NULLS, top, threads)
        if train or aligner_options.aligner_model is not None or not texts:
            if train and aligner_options.aligner_model is not None:
                raise InputError(
                    "--train cannot be used with --aligner-model, which is already trained"
                )
            if texts and target is not None:
                raise InputError("give the target as TGT or with --target, not both")
            if not texts and target is None:
                if aligner_options.aligner_model is not None:
                    raise InputError(f"no target: {MODEL_USAGE}")
                raise InputError(f"no links and no target: {LINKS_USAGE}, or {TRAIN_USAGE}")
            refuse((*for_texts, *for_links), "cannot be used with a source aligner")
            align_source.align_source(
                align_source.SourceTexts(source, texts if target is None else [target]),
                aligner_options,
                align_source.TargetWords(language, tokenize, fold),
                output,
                output_path,
                save_model,
            )
        else:
            refuse(for_aligner, f"can only be used with a source aligner: {TRAIN_USAGE}")
            refuse(for_texts, "cannot be used with --source, which reads existing links")
            if target is None:
                refuse(for_words, "needs --target: links do not contain the words of the target")
            if len(texts) > 1:
                raise InputError(
                    f"--source takes one file of links: {LINKS_USAGE}; texts need --train: "
                    f"{TRAIN_USAGE}"
                )
            bitext.process_links(
                LinkFile(
                    texts[0],
                    source,
                    target,
                    int(one_based),
                    not sure,
                    aligner_options.source_text(),
                    aligner_text(language, tokenize, fold) if words_given else None,
                ),
                output,
                one_output,
            )
        return
    for_source = (
        ("--target", target),
        ("--profile", profile),
        ("--nulls", nulls),
        ("--top", top != DEFAULT_TOP),
    )
    if aligner_options.bitexts and not texts:
        others = (
            *for_texts,
            *for_source,
            *for_links,
            ("--aligner-model", aligner_options.aligner_model),
            ("--format", form),
            ("--output", output_path),
        )
        refuse(others, f"cannot be used with --bitext alone: {BITEXT_USAGE}")
        if save_model is None:
            raise InputError(f"--bitext alone needs --save-model: {BITEXT_USAGE}")
        align_source.train_on_bitexts(
            aligner_options,
            align_source.TargetWords(language, tokenize, fold),
            thread_count(threads),
            save_model,
        )
        return
    refuse((*for_source, *for_links), f"needs --source: {LINKS_USAGE}")
    refuse(
        (*for_aligner, *aligner_options.for_source),
        f"needs --source: {TRAIN_USAGE}; or bitexts alone: {BITEXT_USAGE}",
    )
    if len(texts) < 2:
        raise InputError("no reference: hyperbaton align HYP REF")
    if len(texts) > 2:
        raise InputError(
            f"give two texts, not {len(texts)}: hyperbaton align HYP REF; or {TRAIN_USAGE}"
        )
    if unaligned not in UNALIGNED:
        raise InputError(f"--unaligned must be one of {', '.join(UNALIGNED)}, got {unaligned!r}")
    hyp, ref = texts
    files = align_texts.find_inputs(hyp, ref, text, one_output)
    thread_count(threads)
    aligner = Aligner(
        language,
        matchers,
        tokenize,
        lowercase=not cased,
        weights=align_texts.parse_weights(weights),
        wordnet=wordnet,
        paraphrases=paraphrases,
        budget=budget,
        fold=fold,
    )
    print_warnings([] if matchers else stemmer_notes(language))
    print_warnings([] if tokenize else spacing_notes(language))
    align_texts.align_texts(aligner, hyp, ref, files, form, unaligned, threads, one_output)


def refuse(given: Iterable[tuple[str, object]], reason: str) -> None:
    """Raise an error if one of these options was given."""
    for option, value in given:
        if value:
            raise InputError(f"{option} {reason}")
