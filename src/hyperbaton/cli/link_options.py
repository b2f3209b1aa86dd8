"""The options on links that several commands share: files of links, and a source aligner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from hyperbaton.alignment.choices import SYMMETRIZATIONS, Symmetrization
from hyperbaton.cli.commands import OptionGroup, Rules, flag, option
from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.lines import printable
from hyperbaton.text.plurals import count_noun
from hyperbaton.text.tokenization import TOKENIZERS

if TYPE_CHECKING:
    from hyperbaton.alignment.source_aligner import SourceAlignment
    from hyperbaton.runs.file_runs import AlignmentFiles
    from hyperbaton.text.tokenization import Tokenization

SEED = 1
# The options that only an aligner has, and those of the source's words, which given links refer to.
FOR_ALIGNER = "--aligner-model --bitext --aligner-seed --symmetrize"
FOR_SOURCE = "--source-language --source-tokenize"

ONE_BASED = flag(
    "--one-based", about="Link files count words from 1 instead of 0.", title="Alignments"
)
SURE = flag("--sure", about="Ignore possible links (1?2, 1p2).", title="Alignments")


class AlignerOptions(OptionGroup):
    """A saved source aligner, or how one is trained.

    Attributes
    ----------
    aligner_model
        Aligner saved by align --save-model; default: train one on the texts.
    bitexts
        Two files of sentence pairs, as additional training data; may be repeated.
    aligner_seed
        Random seed for training; results are reproducible.
    symmetrize
        How the alignments of both directions are combined: {suggestions}; default: mean, or the
        setting of the saved aligner. mean:0.3 keeps links whose mean posterior is above 0.3,
        instead of 0.45; so does geometric:0.3.
    source_language
        Language of the source, for tokenisation.
    source_tokenize
        Tokeniser for the source: {suggestions}; none splits at spaces, the default for link files.
    """

    TITLE = "Source aligner"
    RULES: ClassVar[Rules] = {
        lambda given: given.aligner_model is not None: {
            "--aligner-seed": "{option} cannot be used with --aligner-model, which is already "
            "trained"
        }
    }

    aligner_model: str | None = option("--aligner-model FILE")
    bitexts: list[tuple[str, str]] | None = option("--bitext SRC TGT")
    aligner_seed: int = option("--aligner-seed", SEED, low=0)
    symmetrize: str | None = option("--symmetrize", suggestions=SYMMETRIZATIONS)
    source_language: str | None = option("--source-language LANG")
    source_tokenize: str | None = option("--source-tokenize", suggestions=TOKENIZERS)

    @property
    def paths(self) -> list[str]:
        """The files that were given."""
        model = [] if self.aligner_model is None else [self.aligner_model]
        return [*model, *self.bitext_files]

    @property
    def bitext_files(self) -> list[str]:
        """The files of additional training data."""
        return [file for pair in self.bitexts or () for file in pair]

    def source_text(self) -> Tokenization | None:
        """Return how source lines become words; None by default.

        Raises
        ------
        MissingData
            If the package of the tokeniser is missing. The message names the option of the source.
        """
        from hyperbaton.alignment.source_aligner import optional_text
        from hyperbaton.text.tokenization import WITHOUT_TOKENIZER

        try:
            return optional_text(self.source_language, self.source_tokenize)
        except MissingData as error:
            message = str(error).replace(WITHOUT_TOKENIZER, "--source-tokenize none")
            raise MissingData(message) from error

    def source_alignment(self) -> SourceAlignment:
        """Return how links with the source are found, after loading a saved aligner."""
        from hyperbaton.alignment.source_aligner import SourceAligner, SourceAlignment

        if self.symmetrize is not None:
            Symmetrization.parse(self.symmetrize, "--symmetrize")
        return SourceAlignment(
            None if self.aligner_model is None else SourceAligner.load(self.aligner_model),
            "the aligner" if self.aligner_model is None else printable(self.aligner_model),
            tuple(self.bitexts or ()),
            self.aligner_seed,
            self.symmetrize,
            self.source_text(),
        )


def has_links(given: Any) -> bool:
    """Return whether files of links are given."""
    return bool(given.alignments or given.reference_alignments)


class AlignmentOptions(OptionGroup):
    """Files of links.

    Attributes
    ----------
    source
        Source text, for links through the source (--align-source, or link files). hyperbaton report
        also shows it.
    alignments
        File of word links (0-0 1-2, or 1-2=1-2), one for each system in turn: links to its
        references or, with --source, to the source.
    reference_alignments
        File of word links from the source to each reference in turn.
    align_source
        Compute the links through the source: train an aligner on source, references and systems, or
        use --aligner-model.
    """

    TITLE = "Alignments"
    RULES: ClassVar[Rules] = {
        lambda given: given.align_source: {
            "--alignment --ref-alignment --one-based --sure": "{option} cannot be used with "
            "--align-source, which computes the links"
        },
        lambda given: not given.align_source: {FOR_ALIGNER: "{option} needs --align-source"},
        lambda given: not (given.align_source or (given.source and has_links(given))): {
            FOR_SOURCE: "{option} needs --align-source, or given links: --source, --alignment and "
            "--ref-alignment"
        },
        lambda given: not has_links(given): {
            "--one-based --sure": "--one-based and --sure can only be used with --alignment"
        },
    }

    source: str | None = option("--source SRC")
    alignments: list[str] | None = option("--alignment SYS.align")
    reference_alignments: list[str] | None = option("--ref-alignment REF.align")
    one_based: bool = ONE_BASED
    sure: bool = SURE
    align_source: bool = flag("--align-source")

    @property
    def paths(self) -> list[str]:
        """The files that were given."""
        source = [] if self.source is None else [self.source]
        return [*source, *(self.alignments or ()), *(self.reference_alignments or ())]

    def aligned_source(self, own_source: str | None) -> str | None:
        """Return the source that is aligned; None if links are given, or not needed.

        Some texts, such as the example, come with their source.
        """
        if not self.align_source:
            return None
        source = own_source if self.source is None else self.source
        if source is None:
            raise InputError("--align-source needs the source text: --source SRC")
        return source

    def files(
        self, systems: Sequence[str], references: Sequence[str], aligner: AlignerOptions
    ) -> AlignmentFiles | None:
        """Return the files of links after checking their number; None if there are none."""
        from hyperbaton.runs.file_runs import AlignmentFiles

        if not self.paths:
            return None
        through_source = self.source is not None or bool(self.reference_alignments)
        if through_source and not (self.source and self.alignments and self.reference_alignments):
            raise InputError(
                "links through the source need all of --source, --alignment and --ref-alignment; "
                "--source with --align-source computes them"
            )
        files_per_system = 1 if through_source else len(references)
        owner = "system" if through_source else "system and reference"
        expected = [("--alignment", self.alignments, len(systems) * files_per_system, owner)]
        if through_source:
            own = self.reference_alignments
            expected.append(("--ref-alignment", own, len(references), "reference"))
        for name, given, count, owner in expected:
            if len(given or ()) != count:
                times = count_noun(len(given or ()), "time")
                raise InputError(
                    f"{name} is given {times}, but {count} {'is' if count == 1 else 'are'} needed: "
                    f"one for each {owner}"
                )
        files = AlignmentFiles(
            self.source,
            self.alignments or (),
            self.reference_alignments or (),
            files_per_system,
            base=int(self.one_based),
            possible=not self.sure,
            source_text=aligner.source_text(),
        )
        for name in {*systems, *references} & set(files.link_files):
            raise InputError(f"{printable(name)} is given both as text and as alignments")
        return files
