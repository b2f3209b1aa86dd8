"""``hyperbaton merge``: the scores in a folder of shards, as if they came from one run."""

from __future__ import annotations

from hyperbaton.cli.declarations import argument
from hyperbaton.cli.messages import print_notices
from hyperbaton.cli.options import ScoreOutputOptions
from hyperbaton.errors import InputError


class MergeOptions(ScoreOutputOptions):
    """The folder, and how its scores are printed."""

    folder: str = argument("FOLDER", "Folder written by hyperbaton score.", required=True)


def merge(options: MergeOptions) -> None:
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
    from hyperbaton.cli.table_run import skipped_warnings
    from hyperbaton.files.lines import printable
    from hyperbaton.files.output_files import write_beside
    from hyperbaton.runs.file_runs import score_warnings
    from hyperbaton.runs.tables.stored_scores import find_stored_scores

    stored = find_stored_scores(options.folder)
    for other in stored[1:]:
        if not other.same_run(stored[0]):
            raise InputError(
                f"{printable(str(stored[0].path))} and {printable(str(other.path))} come from "
                "different runs: merge each by itself"
            )
    results = options.sorted([scores.result() for scores in stored])
    with write_beside(options.output) as out:
        out.write(options.render_scores(results, out) + "\n")
    print_notices([*skipped_warnings(results), *score_warnings(results, stored[0].language)])
