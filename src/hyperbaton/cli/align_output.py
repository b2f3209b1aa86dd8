"""What ``hyperbaton align`` writes about links with a source: lines of links, or a profile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.source import NULLS
from hyperbaton.errors import InputError
from hyperbaton.files.output_files import write_beside
from hyperbaton.threads import thread_count

if TYPE_CHECKING:
    from hyperbaton.alignment.pharaoh import LinkBatch

SCHEMA = "hyperbaton/profile/1"
LINK_SUFFIX = ".align"
DEFAULT_TOP = 10
DEFAULT_NULLS = "moses"  # "paper" can move words without a link away from their neighbours


class Format(StrEnum):
    """Output formats."""

    pharaoh = "pharaoh"
    moses = "moses"
    json = "json"
    permutation = "permutation"
    draw = "draw"


@dataclass(frozen=True)
class LinkOutput:
    """How links with a source are written.

    Attributes
    ----------
    form : Format, optional
        Format of a line of links or, for a profile, None for a table or JSON.
    profile : bool
        Whether statistics of the reorderings are written, and not the links.
    nulls : str
        Place of unaligned source words.
    top : int
        Number of operators in a profile.
    threads : int, optional
        Number of threads; all cores by default.
    """

    form: Format | None
    profile: bool
    nulls: str
    top: int
    threads: int | None

    def __post_init__(self) -> None:
        if self.nulls not in NULLS:
            raise InputError(f"--nulls must be one of {', '.join(NULLS)}, got {self.nulls!r}")
        thread_count(self.threads)
        if self.profile and self.form not in (None, Format.json):
            raise InputError("--profile supports only a table or --format json")
        if self.form is Format.draw:
            raise InputError("--format draw cannot be used with --source: it draws HYP and REF")

    @property
    def suffix(self) -> str:
        """The end of the names of files in a folder."""
        suffixes = {Format.json: ".jsonl", Format.permutation: ".permutations"}
        return suffixes.get(self.form or Format.pharaoh, LINK_SUFFIX)

    @property
    def has_links(self) -> bool:
        """Whether other commands can read what is written as links."""
        return not self.profile and self.form in (None, Format.pharaoh, Format.moses)

    def line_writer(self) -> Callable[[Alignment], str]:
        """Return the function that formats the links of a sentence pair."""
        writers: dict[Format, Callable[[Alignment], str]] = {
            Format.pharaoh: Alignment.to_pharaoh,
            Format.moses: Alignment.to_moses,
            Format.permutation: lambda alignment: " ".join(
                map(str, alignment.source_permutation(self.nulls))
            ),
            Format.json: lambda alignment: json.dumps(
                {
                    **alignment.to_dict(),
                    "permutation": list(alignment.source_permutation(self.nulls)),
                }
            ),
        }
        return writers[self.form or Format.pharaoh]

    def write_profile(self, batches: Iterable[LinkBatch], path: str) -> None:
        """Write statistics of the reorderings."""
        from hyperbaton.order.profile import reordering_profile
        from hyperbaton.views.plain_text import render_text
        from hyperbaton.views.profile_tables import ProfileView
        from hyperbaton.views.tables import Style

        values, lengths = [np.array([], np.int64)], [np.array([0])]
        with write_beside(path) as out:
            for batch in batches:
                permutations, offsets = batch.permutations(self.nulls)
                values.append(permutations)
                lengths.append(np.diff(offsets))
            offsets = np.cumsum(np.concatenate(lengths))
            profile = reordering_profile(np.concatenate(values), offsets, self.threads)
            if self.form is Format.json:
                data = {"schema": SCHEMA, "nulls": self.nulls, **profile.to_dict()}
                out.write(json.dumps(data, ensure_ascii=False, indent=2) + "\n")
            else:
                out.write(render_text(ProfileView(profile, self.top), Style()) + "\n")
