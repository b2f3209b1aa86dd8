"""``hyperbaton align --source SRC LINKS``: convert or profile existing links of a bitext."""

from __future__ import annotations

from hyperbaton.alignment.pharaoh import LinkFile
from hyperbaton.cli.align_output import LinkOutput
from hyperbaton.cli.messages import print_warnings
from hyperbaton.cli.options import check_paths
from hyperbaton.cli.progress import batches, with_progress
from hyperbaton.files.output_files import write_beside

BATCH = 4000  # lines between two updates of the progress bar


def process_links(file: LinkFile, output: LinkOutput, output_path: str) -> None:
    """Read the links of a bitext; convert them, or write statistics of the reorderings."""
    check_paths(file.paths, [output_path])
    warnings: list[str] = []
    if output.profile:
        links = file.read_batches(warnings.append)
        output.write_profile(with_progress(links), output_path)
    else:
        write = output.line_writer()
        with write_beside(output_path) as out:
            for batch in with_progress(batches(file.read(warnings.append), BATCH)):
                out.writelines(f"{write(alignment)}\n" for alignment in batch)
    print_warnings(f"warning: {text}" for text in warnings)
