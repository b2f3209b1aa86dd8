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
            ".gz, .xz, .bz2, .zst) or a text. LINKS, with --source: a file of existing links with "
            "the source. TGT..., with --source and --train or --aligner-model: references and "
            "systems, files whose links with the source are found.",
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
            help=f"Comma-separated: {', '.join(MATCHERS)}; or context alone.",
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
            help=f"Unaligned words in permutations: {', '.join(UNALIGNED)}.",
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
            help="sacreBLEU tokeniser of the translations; none to split at spaces.",
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
            help="Weight of a covered word by matcher, such as exact=1,stem=0.6.",
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
        int, typer.Option(help="Maximum search steps per word.", rich_help_panel="Alignments")
    ] = DEFAULT_BUDGET,
    threads: Annotated[
        int | None,
        typer.Option(help="Number of threads; default: all cores.", rich_help_panel="Alignments"),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            metavar="SRC",
            help="Source text, for links of the source with its translations.",
            rich_help_panel="Input",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TGT",
            help="Target text: to check LINKS or, without them, the text to align with the source.",
            rich_help_panel="Input",
        ),
    ] = None,
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Train a source aligner on the source with every TGT, and align them with it.",
            rich_help_panel="Source aligner",
        ),
    ] = False,
    save_model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Save the trained aligner for --aligner-model; links are then written only if "
            "-o is given.",
            rich_help_panel="Source aligner",
        ),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option(
            "--profile", help="Print statistics of the reorderings.", rich_help_panel="Output"
        ),
    ] = False,
    nulls: Annotated[
        str | None,
        typer.Option(
            help=f"Place of unaligned source words: {', '.join(NULLS)}; default: {DEFAULT_NULLS}.",
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
    """Align two sentences, two files, or a source with its translations.

    Files are aligned line by line. Existing file names are read as files; use --text to force text.

    With --source, the links are those of a source text with its translations. LINKS are converted
    or profiled. Without them, a source aligner finds links: it is trained on the source and all
    translations, and on more sentence pairs from --bitext, or it was saved before. With --train,
    the links of each TGT are written to a file of its own in the folder that -o names.

    With --bitext and --save-model alone, an aligner is trained on these sentence pairs only, and
    saved: unlike one that has seen the output of a system, it favours none.

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
    from hyperbaton.report.cautions import spacing_notes, stemmer_notes

    if example:
        if texts or source is not None or aligner_options.bitexts:
            raise InputError("--example has its own texts: give no others")
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
                    "--train cannot be used with --aligner-model, which is trained already"
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
            refuse(for_aligner, f"is only for a source aligner: {TRAIN_USAGE}")
            refuse(for_texts, "cannot be used with --source, which reads existing links")
            if target is None:
                refuse(for_words, "needs --target: links say nothing about the target's words")
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
