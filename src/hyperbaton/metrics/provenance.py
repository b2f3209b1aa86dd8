"""Where the alignments and trees behind a number come from."""

from __future__ import annotations

from dataclasses import dataclass

from hyperbaton.alignment.notation import GIVEN

SOURCE = "source"


@dataclass(frozen=True)
class Provenance:
    """Where the alignments and trees of a batch come from. Signatures depend on it.

    Attributes
    ----------
    alignments : str
        Empty if the metric finds its own, ``"given"`` if the caller gave links between system and
        reference, ``"source"`` if the links go through the source.
    trees : bool
        Whether the caller gave dependency trees.
    aligner : str
        Signature of the source aligner that found links through the source. For given links, the
        tokeniser of the source; empty if it was split at white space.
    """

    alignments: str = ""
    trees: bool = False
    aligner: str = ""


COMPUTED = Provenance()

__all__ = ["COMPUTED", "GIVEN", "SOURCE", "Provenance"]
