"""What ``hyperbaton align`` writes: lines of links, or a profile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import NULLS, UNALIGNED
from hyperbaton.cli.declarations import OptionGroup, flag, option
from hyperbaton.errors import InputError
from hyperbaton.files.output_files import write_beside

if TYPE_CHECKING:
    from hyperbaton.alignment.pharaoh import LinkBatch

SCHEMA = "hyperbaton/profile/1"
LINK_SUFFIX = ".align"
DEFAULT_TOP = 10
DEFAULT_NULLS = "moses"  # "paper" can move words without a link away from their neighbours


FORMATS = ("pharaoh", "moses", "json", "permutation", "draw")


class LinkOutput(OptionGroup):
    """How links are written, and where."""

    TITLE = "Output"

    format: str | None = option(
        "--format -f",
        "Output format; default: pharaoh for files, draw for texts.",
        choices=FORMATS,
    )
    unaligned: str = option(
        "--unaligned",
        f"How to treat unaligned words in permutations: {', '.join(UNALIGNED)}.",
        UNALIGNED[0],
    )
    output: str | None = option(
        "--output -o FILE",
        "Output file (- for standard output, the default); for several TGT, a folder.",
    )
    profile: bool = flag("--profile", "Print reordering statistics.")
    nulls: str | None = option(
        "--nulls",
        f"Where to place unaligned source words: {', '.join(NULLS)}; default: {DEFAULT_NULLS}.",
    )
    top: int = option("--top", "Number of operators in the profile.", DEFAULT_TOP, low=1)

    def check(self) -> None:
        """Raise an error if there is no such way to treat unaligned words."""
        if self.nulls is not None and self.nulls not in NULLS:
            raise InputError(f"--nulls must be one of {', '.join(NULLS)}, got {self.nulls!r}")
        if self.unaligned not in UNALIGNED:
            names = ", ".join(UNALIGNED)
            raise InputError(f"--unaligned must be one of {names}, got {self.unaligned!r}")

    @property
    def null_place(self) -> str:
        """The place of unaligned source words."""
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

    def line_writer(self) -> Callable[[Alignment], str]:
        """Return the function that formats the links of a sentence pair."""
        writers: dict[str, Callable[[Alignment], str]] = {
            "pharaoh": Alignment.to_pharaoh,
            "moses": Alignment.to_moses,
            "permutation": lambda alignment: " ".join(
                map(str, alignment.source_permutation(self.null_place))
            ),
            "json": lambda alignment: json.dumps(
                {
                    **alignment.to_dict(),
                    "permutation": list(alignment.source_permutation(self.null_place)),
                }
            ),
        }
        return writers[self.format or FORMATS[0]]

    def write_profile(self, batches: Iterable[LinkBatch], path: str, threads: int | None) -> None:
        """Write statistics of the reorderings."""
        from hyperbaton.order.profile import reordering_profile
        from hyperbaton.views.plain_text import render_text
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
