"""``hyperbaton merge``: the scores in a folder of shards, as if they came from one run."""

from __future__ import annotations

from typing import Annotated

import typer

from hyperbaton.cli.options import ScoreOutputOptions
from hyperbaton.errors import InputError


def merge(
    folder: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER", help="Folder written by hyperbaton score.", show_default=False
        ),
    ],
    output_options: ScoreOutputOptions,
) -> None:
    """Combine the scores of all shards in a folder.

    The values come from the footers of the files; texts and segments are not read. All shards must
    be present.

    \b
    Examples:
      hyperbaton score -r 'd/*.parquet:ref' 'd/*.parquet:mt' -m pef -o scores/ --shard 1/2
      hyperbaton score -r 'd/*.parquet:ref' 'd/*.parquet:mt' -m pef -o scores/ --shard 2/2
      hyperbaton merge scores/
      hyperbaton merge scores/ --format json -o scores.json
    """
    # Imported here, so that --help does not load any metric.
    from hyperbaton.cli.messages import print_warnings
    from hyperbaton.cli.table_run import skipped_warnings
    from hyperbaton.files.lines import printable
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.file_runs import score_warnings
    from hyperbaton.runs.tables.stored_scores import find_systems
    from hyperbaton.views.score_tables import sort_results

    output_options.check()
    stored = find_systems(folder)
    for other in stored[1:]:
        if not other.same_run(stored[0]):
            raise InputError(
                f"{printable(str(stored[0].path))} and {printable(str(other.path))} come from "
                "different runs: merge each by itself"
            )
    results = [scores.result() for scores in stored]
    results = sort_results(results, output_options.sort)
    with write_beside(output_options.output) as out:
        out.write(output_options.render_scores(results, out) + "\n")
    print_warnings([*skipped_warnings(results), *score_warnings(results, stored[0].language)])
