"""The options of a source aligner, which several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from hyperbaton.cli.groups import OptionGroup
from hyperbaton.errors import InputError, MissingData
from hyperbaton.files.lines import printable

if TYPE_CHECKING:
    from hyperbaton.alignment.source_alignment import SourceAlignment
    from hyperbaton.text.tokenization import Tokenization

SEED = 1


class Symmetrization(StrEnum):
    """How the links of both directions become one alignment."""

    mean = "mean"
    geometric = "geometric"
    intersection = "intersection"
    grow_diag_final_and = "grow-diag-final-and"


@dataclass(frozen=True)
class AlignerOptions(OptionGroup):
    """A saved source aligner, or how one is trained."""

    TITLE: ClassVar[str] = "Source aligner"

    aligner_model: Annotated[
        str | None,
        typer.Option(
            "--aligner-model",
            metavar="FILE",
            help="Aligner saved by align --save-model; default: train one on the texts.",
        ),
    ] = None
    bitexts: Annotated[
        list[str] | None,
        typer.Option(
            "--bitext",
            metavar="SRC TGT",
            help="Two files of sentence pairs, as additional training data; may be repeated.",
        ),
    ] = None
    aligner_seed: Annotated[
        int, typer.Option(min=0, help="Random seed for training; results are reproducible.")
    ] = SEED
    symmetrize: Annotated[
        Symmetrization | None,
        typer.Option(
            help="How the alignments of both directions are combined; default: mean, or the "
            "setting of the saved aligner.",
        ),
    ] = None
    source_language: Annotated[
        str | None,
        typer.Option(metavar="LANG", help="Language of the source, for tokenisation."),
    ] = None
    source_tokenize: Annotated[
        str | None,
        typer.Option(
            help="sacreBLEU tokeniser for the source; none splits at spaces, the default for link "
            "files.",
        ),
    ] = None

    @property
    def paths(self) -> list[str]:
        """The files that were given."""
        model = [] if self.aligner_model is None else [self.aligner_model]
        return [*model, *(self.bitexts or ())]

    def check_unused(self, source_links: bool | None = None) -> None:
        """Raise an error if an option is given that has no effect without an aligner.

        The tokeniser of the source also has an effect on given links with the source.

        Parameters
        ----------
        source_links : bool, optional
            Whether such links are given; None for a command that takes none.
        """
        for option, value in self.for_aligner:
            if value:
                raise InputError(f"{option} needs --align-source")
        hint = ""
        if source_links is not None:
            hint = ", or given links: --source, --alignment and --ref-alignment"
        for option, value in () if source_links else self.for_source:
            if value:
                raise InputError(f"{option} needs --align-source{hint}")

    @property
    def for_aligner(self) -> tuple[tuple[str, object], ...]:
        """The options that only an aligner has, and whether they were given."""
        return (
            ("--aligner-model", self.aligner_model),
            ("--bitext", self.bitexts),
            ("--aligner-seed", self.aligner_seed != SEED),
            ("--symmetrize", self.symmetrize),
        )

    @property
    def for_source(self) -> tuple[tuple[str, object], ...]:
        """The options of the source's words, which given links refer to as well."""
        return (
            ("--source-language", self.source_language),
            ("--source-tokenize", self.source_tokenize),
        )

    def source_text(self) -> Tokenization | None:
        """Return how source lines become words; None by default.

        Raises
        ------
        MissingData
            If the package of the tokeniser is missing. The message names the option of the source.
        """
        from hyperbaton.alignment.source_alignment import optional_text
        from hyperbaton.text.tokenizers import WITHOUT_TOKENIZER

        try:
            return optional_text(self.source_language, self.source_tokenize)
        except MissingData as error:
            message = str(error).replace(WITHOUT_TOKENIZER, "--source-tokenize none")
            raise MissingData(message) from error

    def source_alignment(self) -> SourceAlignment:
        """Return how links with the source are found, after loading a saved aligner."""
        from hyperbaton.alignment.source_aligner import SourceAligner
        from hyperbaton.alignment.source_alignment import SourceAlignment

        if self.aligner_model is not None and self.aligner_seed != SEED:
            raise InputError(
                "--aligner-seed cannot be used with --aligner-model, which is already trained"
            )
        files = self.bitexts or []
        return SourceAlignment(
            None if self.aligner_model is None else SourceAligner.load(self.aligner_model),
            "the aligner" if self.aligner_model is None else printable(self.aligner_model),
            tuple(zip(files[::2], files[1::2], strict=True)),
            self.aligner_seed,
            None if self.symmetrize is None else self.symmetrize.value,
            self.source_text(),
        )
