"""What ``hyperbaton align`` writes: lines of links, or a profile."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

import numpy as np

from hyperbaton.alignment.alignment import Alignment
from hyperbaton.alignment.batch import NULLS, UNALIGNED
from hyperbaton.cli.commands import OptionGroup, flag, option
from hyperbaton.cli.systems import system_names
from hyperbaton.errors import InputError
from hyperbaton.files.lines import check_file_name, printable
from hyperbaton.files.output_files import OutputFiles, write_beside

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


RESERVED_FILES = 50  # for everything but links
MAX_BYTES = 200  # of a file name; file systems allow 255
NOT_IN_FILE_NAMES = re.compile(r'[<>:"/\\|?*]')


@dataclass(frozen=True)
class LinkFiles:
    """The file for the links of each target, ``-`` for standard output.

    Attributes
    ----------
    paths : list of str
        The files.
    folder : str, optional
        Their folder, if one was asked for. It is created if it is missing.
    """

    paths: list[str]
    folder: str | None = None

    @classmethod
    def find(cls, targets: Sequence[str], output: str, suffix: str = LINK_SUFFIX) -> LinkFiles:
        """Return the files for an output: a folder if it is one, or if there are several targets.

        Without targets, the output is one file. The names of files in a folder end in ``suffix``.
        """
        looks_like_folder = output.endswith(("/", os.sep)) or os.path.isdir(output)
        if not targets or (len(targets) == 1 and not looks_like_folder):
            return cls([output])
        if output == "-":
            raise InputError(f"{len(targets)} targets need a folder for their links: -o FOLDER")
        names = link_file_names(targets, suffix)
        return cls([os.path.join(output, name) for name in names], output)

    @property
    def outputs(self) -> list[str]:
        """All that is written: the files, and their folder."""
        return [*self.paths, *([] if self.folder is None else [self.folder])]

    def check_writable(self) -> None:
        """Raise an error if the files cannot be written."""
        if len(self.paths) > open_file_limit() - RESERVED_FILES:
            raise InputError(
                f"the links of {len(self.paths):,} targets need as many open files, but at most "
                f"{open_file_limit():,} are allowed: align fewer at a time with --aligner-model, "
                "or allow more (ulimit -n)"
            )
        if self.folder is not None and not os.path.isdir(self.folder):
            check_writable(self.folder.rstrip("/" + os.sep))
            if os.path.lexists(self.folder.rstrip("/" + os.sep)):
                raise InputError(f"cannot write into {printable(self.folder)}: it is not a folder")
            return
        for path in self.paths:
            if path != "-":
                check_writable(path)

    @contextlib.contextmanager
    def open(self) -> Iterator[list[TextIO]]:
        """Open all files, which replace existing ones only when all of them are complete."""
        with contextlib.ExitStack() as stack:
            if self.folder is not None and not os.path.isdir(self.folder):
                try:
                    os.mkdir(self.folder)
                except OSError as error:
                    raise InputError(
                        f"cannot create {printable(self.folder)}: {error.strerror}"
                    ) from None
                stack.callback(_remove_if_empty, self.folder)
            files = stack.enter_context(OutputFiles())
            yield [files.open(path) for path in self.paths]


def open_file_limit() -> int:
    """Return how many files this process may have open."""
    try:
        import resource
    except ImportError:  # Windows
        return 8192
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit


def _remove_if_empty(folder: str) -> None:
    with contextlib.suppress(OSError):  # it has files
        os.rmdir(folder)


def link_file_names(targets: Sequence[str], suffix: str = LINK_SUFFIX) -> list[str]:
    """Return a valid file name for the links of each target; no two are the same.

    >>> link_file_names(["run/a.txt", "run/b.tsv:out"])
    ['a.txt.align', 'b.tsv_out.align']
    >>> link_file_names(["../x/a.txt", "y/a.txt", "x_a.txt"])
    ['x_a.txt.align', 'y_a.txt.align', 'x_a.txt-2.align']
    """
    names: list[str] = []
    used: set[str] = set()
    for target in system_names(targets):
        name = NOT_IN_FILE_NAMES.sub("_", target)
        name = name.encode()[-MAX_BYTES:].decode(errors="ignore").lstrip("._") or "target"
        unique, count = name, 1
        while unique.casefold() in used:  # some file systems ignore case
            count += 1
            unique = f"{name}-{count}"
        used.add(unique.casefold())
        names.append(unique + suffix)
    return names


def check_writable(path: str) -> None:
    """Raise an error if a file cannot be written, as far as that is known beforehand."""
    check_file_name(path)
    if (reason := _reason_against(path)) is not None:
        raise InputError(f"cannot write {printable(path)}: {reason}")


def _reason_against(path: str) -> str | None:
    """Return why a file cannot be written, or None."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        pass
    except OSError as error:  # such as a name that is too long
        return error.strerror
    if os.path.isdir(path):
        return "it is a folder"
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        return f"there is no folder {printable(folder)}"
    is_replaced = os.path.isfile(path) or not os.path.exists(path)  # no pipe or device
    return None if os.access(folder if is_replaced else path, os.W_OK) else "Permission denied"
