"""The options of a source aligner, which several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hyperbaton.alignment.choices import SYMMETRIZATIONS
from hyperbaton.cli.declarations import OptionGroup, Rules, option
from hyperbaton.errors import MissingData
from hyperbaton.files.lines import printable
from hyperbaton.text.tokenization import TOKENIZERS

if TYPE_CHECKING:
    from hyperbaton.alignment.source_alignment import SourceAlignment
    from hyperbaton.text.tokenization import Tokenization

SEED = 1
# The options that only an aligner has, and those of the source's words, which given links refer to.
FOR_ALIGNER = "--aligner-model --bitext --aligner-seed --symmetrize"
FOR_SOURCE = "--source-language --source-tokenize"


class AlignerOptions(OptionGroup):
    """A saved source aligner, or how one is trained."""

    TITLE = "Source aligner"
    RULES: ClassVar[Rules] = {
        lambda given: given.aligner_model is not None: {
            "--aligner-seed": "{option} cannot be used with --aligner-model, which is already "
            "trained"
        }
    }

    aligner_model: str | None = option(
        "--aligner-model FILE",
        "Aligner saved by align --save-model; default: train one on the texts.",
    )
    bitexts: list[tuple[str, str]] | None = option(
        "--bitext SRC TGT",
        "Two files of sentence pairs, as additional training data; may be repeated.",
    )
    aligner_seed: int = option(
        "--aligner-seed", "Random seed for training; results are reproducible.", SEED, low=0
    )
    symmetrize: str | None = option(
        "--symmetrize",
        "How the alignments of both directions are combined; default: mean, or the "
        "setting of the saved aligner.",
        choices=SYMMETRIZATIONS,
    )
    source_language: str | None = option(
        "--source-language LANG", "Language of the source, for tokenisation."
    )
    source_tokenize: str | None = option(
        "--source-tokenize",
        f"Tokeniser for the source: {', '.join(TOKENIZERS)}; none splits at spaces, the default "
        "for link files.",
        suggestions=TOKENIZERS,
    )

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
        from hyperbaton.alignment.source_alignment import optional_text
        from hyperbaton.text.tokenization import WITHOUT_TOKENIZER

        try:
            return optional_text(self.source_language, self.source_tokenize)
        except MissingData as error:
            message = str(error).replace(WITHOUT_TOKENIZER, "--source-tokenize none")
            raise MissingData(message) from error

    def source_alignment(self) -> SourceAlignment:
        """Return how links with the source are found, after loading a saved aligner."""
        from hyperbaton.alignment.source_aligner import SourceAligner
        from hyperbaton.alignment.source_alignment import SourceAlignment

        return SourceAlignment(
            None if self.aligner_model is None else SourceAligner.load(self.aligner_model),
            "the aligner" if self.aligner_model is None else printable(self.aligner_model),
            tuple(self.bitexts or ()),
            self.aligner_seed,
            self.symmetrize,
            self.source_text(),
        )
