"""``hyperbaton align --source SRC LINKS``: convert or profile existing links of a bitext."""

from __future__ import annotations

from hyperbaton.alignment.pharaoh import read_alignments, read_link_batches
from hyperbaton.cli.align_output import LinkOutput
from hyperbaton.cli.file_run import print_warnings
from hyperbaton.cli.options import check_paths
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.text.lines import write_beside

BATCH = 4000  # lines between two updates of the progress bar


def process_links(
    path: str,
    source: str,
    target: str | None,
    base: int,
    possible: bool,
    output: LinkOutput,
    output_path: str,
) -> None:
    """Read the links of a bitext; convert them, or write statistics of the reorderings."""
    check_paths([name for name in (path, source, target) if name is not None], [output_path])
    warnings: list[str] = []
    if output.profile:
        links = read_link_batches(
            path, source, target, base=base, possible=possible, warn=warnings.append
        )
        output.write_profile(with_progress(links), output_path)
    else:
        alignments = read_alignments(
            path, source, target, base=base, possible=possible, warn=warnings.append
        )
        write = output.line_writer()
        with write_beside(output_path) as out:
            for batch in with_progress(batches(alignments, BATCH)):
                out.writelines(f"{write(alignment)}\n" for alignment in batch)
    print_warnings(f"warning: {text}" for text in warnings)
