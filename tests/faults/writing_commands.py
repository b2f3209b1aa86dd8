"""Every command that writes files, with small inputs, and what a fault may leave of its outputs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pyarrow
import pyarrow.parquet as pq

from faults.forking_runner import Ending, ForkingRunner, Run
from hyperbaton.files.output_files import is_unfinished_name
from hyperbaton.syntax.cache import FILE

EXAMPLE = Path(__file__).parents[2] / "src" / "hyperbaton" / "example"
LINES = 12
TABLE = "0.25\nas well\ntoo\n0.5\nthe harbour\nthe port\n0.125\nquickly\nfast\n"
PARTS = ("out", "cache")  # the folders that commands write to; the home folder is the first


class Command(NamedTuple):
    """A command that writes.

    Attributes
    ----------
    line : str
        The arguments of the first run, whose outputs are the old ones.
    changes : dict of str to str
        What the arguments of the second run are instead.
    together : tuple of tuple of str
        Outputs that are replaced together, in this order.
    """

    line: str
    changes: dict[str, str]
    together: tuple[tuple[str, ...], ...] = ()


OTHER_SYSTEM = {"inputs/fluent.txt": "inputs/literal.txt"}
SCORE = "score -r inputs/reference.txt -l en inputs/fluent.txt"
EXPLAIN = "explain -r inputs/reference.txt -l en inputs/fluent.txt"
TWO = "-r inputs/reference.txt inputs/fluent.txt --samples 50 -o out/a.txt"
SHARDS = "inputs/*.parquet"
PLOT = ("a.svg", "a.txt")
COMMANDS = {
    "score": Command(
        f"{SCORE} -m pef -o out/a.json --segments out/b.tsv", OTHER_SYSTEM, (("b.tsv", "a.json"),)
    ),
    "score to two folders": Command(
        f"{SCORE} -m wer -o out/a --segments out/sub/b.tsv", OTHER_SYSTEM, (("sub/b.tsv", "a"),)
    ),
    "score to shards": Command(
        f"score -r {SHARDS}:ref {SHARDS}:a {SHARDS}:b -m wer --workers 1 -o out/scores/", {}
    ),
    "score --mtme": Command(
        f"{SCORE} -m pef,wer --mtme out --langpair de-en",
        {"inputs/fluent.txt": "fluent=inputs/literal.txt"},
        tuple(
            tuple(
                f"metric-scores/de-en/{metric}-reference.{end}"
                for end in ("hyperbaton.json", "seg.score", "sys.score")
            )
            for metric in ("pef", "wer")
        ),
    ),
    "compare": Command(f"compare {TWO} -m pef inputs/literal.txt", {"50": "60"}),
    "check": Command(f"check {TWO} -m wer --baseline inputs/literal.txt", {"wer": "pef"}),
    "report": Command(
        "report -r inputs/reference.txt inputs/fluent.txt -l en -m pef --samples 20 -o out/a.html "
        "--json out/a.json",
        OTHER_SYSTEM,
        (("a.json", "a.html"),),
    ),
    "meta": Command(
        "meta --example -m wer,cder --samples 20 -o out/a.txt --plot out/a.svg",
        {"wer,cder": "wer,pef"},
        (PLOT,),
    ),
    "tune": Command(
        "tune --example -m full -t alpha --folds 2 -o out/a.txt --plot out/a.svg",
        {"alpha": "beta"},
        (PLOT,),
    ),
    "explain": Command(
        f"{EXPLAIN} --line 2 --html out/a.html --svg out/a.svg",
        {"2": "3"},
        (("a.svg", "a.html"),),
    ),
    "explain as JSON": Command(f"{EXPLAIN} -m wer -f jsonl -o out/a.jsonl", OTHER_SYSTEM),
    "align": Command(
        "align inputs/fluent.txt inputs/reference.txt -l en -o out/a.align", OTHER_SYSTEM
    ),
    "align with a source": Command(
        "align --source inputs/source.txt --train inputs/fluent.txt inputs/literal.txt "
        "-o out/links --save-model out/a.aligner --fold none",
        {"none": "standard"},
        (("links/fluent.txt.align", "links/literal.txt.align"),),
    ),
    "align given links": Command(
        "align --source inputs/source.txt inputs/a.align -o out/a.links -f moses",
        {"moses": "json"},
    ),
    "profile of links": Command(
        "align --source inputs/source.txt inputs/a.align -o out/a.txt --profile",
        {"inputs/a.align": "inputs/b.align"},
    ),
    "parse": Command("parse inputs/fluent.txt --parser toy -o out/a.conllu", OTHER_SYSTEM),
    "score by trees": Command(f"{SCORE} -m dted --parser toy -o out/a.txt", OTHER_SYSTEM),
    "paraphrases": Command(
        f"{SCORE} -m meteor_frag:align=exact+paraphrase --paraphrases out/table -o out/a.txt",
        OTHER_SYSTEM,
    ),
    "fit": Command("fit -r inputs/fluent.txt -o out/a.model", OTHER_SYSTEM),
    "merge": Command("merge inputs/scores -o out/a -f text", {"text": "json"}),
    "adapters": Command("adapters evaluate out/modules -m wer", {"wer": "wer,pef,bleu"}),
    "completion": Command("--install-completion bash", {"bash": "zsh"}),
}


Files = dict[str, bytes]


class Workplace:
    """A folder in which a command runs again and again.

    The command runs twice, so that its old and its new outputs are known.
    """

    def __init__(self, runner: ForkingRunner, name: str, folder: Path, fault: str = "") -> None:
        self.runner = runner
        self.name = name
        self.command = COMMANDS[name]
        self.folder = folder
        self.fault = fault
        self.outputs = folder / "out"
        write_inputs(folder)
        if name == "merge":
            *shards, _ = COMMANDS["score to shards"].line.split()
            self.finish(Run([*shards, "inputs/scores/"], folder))
        first = self.command.line.split()
        second = [self.command.changes.get(word, word) for word in first]
        self.first, self.second = Run(first, folder), Run(second, folder)
        if self.command.changes:
            self.finish(self.first)
        (self.outputs / "table.hyperbaton").unlink(missing_ok=True)
        self._saved = folder.parent / f"{folder.name}-old"
        for part in PARTS:
            shutil.copytree(folder / part, self._saved / part)
        self.old = self.read()
        self.operations = self.finish(self.second, count=True).operations
        self.new = self.read()
        assert self.new != self.old, "a command has to write something"
        self.seconds = self.measure()

    def finish(self, run: Run, *, count: bool = False) -> Ending:
        """Run a command that must succeed."""
        ending = self.runner.run(run, operation=0 if count else None)
        assert ending.status == 0, (run.arguments, ending)
        return ending

    def measure(self) -> float:
        """Return how long the second run takes."""
        self.restore()
        return self.finish(self.second).seconds

    def renames(self) -> list[int]:
        """Return which operations of the second run give files their names."""
        return [k for k, name in enumerate(self.operations, 1) if name.startswith("os.rename")]

    def restore(self) -> None:
        """Put the old outputs and caches back."""
        for part in PARTS:
            shutil.rmtree(self.folder / part)
            shutil.copytree(self._saved / part, self.folder / part)

    def read(self) -> Files:
        """Return the content of all outputs."""
        return {
            str(path.relative_to(self.outputs)): path.read_bytes()
            for path in self.outputs.rglob("*")
            if path.is_file() and not is_unfinished_name(path.name)
        }

    def unfinished(self) -> list[str]:
        """Return the hidden files."""
        found = self.folder.rglob("*")
        return [str(path) for path in found if is_unfinished_name(path.name)]

    def faulty(self, run: Run) -> Run:
        """Return a run with the planted fault, if there is one."""
        return replace(run, fault=self.fault)

    def check_signal(self, ending: Ending, number: int) -> None:
        """Check how a run ended that may have got a signal before its end."""
        allowed = {signal.SIGKILL: (-9,), signal.SIGTERM: (143, -15), signal.SIGINT: (130, -2)}
        assert ending.status in (0, *allowed[signal.Signals(number)]), ending
        assert "Traceback" not in ending.errors, ending.errors

    def check_whole(self) -> None:
        """Check that each output is whole, old or new, and replaced in the stated order.

        The cache of trees must be whole, too.
        """
        now = self.read()
        assert now.keys() >= self.old.keys(), "an old output is missing"
        for name, content in now.items():
            wholes = [files[name] for files in (self.old, self.new) if name in files]
            assert content in wholes, f"{name} is neither old nor new: {content[:200]!r}"
        for group in self.groups():
            is_new = [now.get(name) == self.new[name] for name in group]
            assert is_new == sorted(is_new, reverse=True), f"wrong order: {group}, {is_new}"
        check_integrity(self.folder / "cache")

    def is_torn(self) -> bool:
        """Return whether some files that are replaced together are new, and others are old."""
        now = self.read()
        return any(
            len({now.get(name) == self.new[name] for name in group}) > 1 for group in self.groups()
        )

    def groups(self) -> list[list[str]]:
        """Return the outputs that are replaced together, as far as they differ."""
        together = self.command.together
        return [[n for n in group if self.old.get(n) != self.new[n]] for group in together]

    def has_equal(self) -> bool:
        """Return whether an output that is replaced together with others does not change."""
        names = [name for group in self.command.together for name in group]
        return any(self.old.get(name) == self.new[name] for name in names)

    def check_next_run(self) -> None:
        """Check that the next run notices what is torn, and leaves everything new and clean."""
        torn = self.is_torn()
        ending = self.runner.run(self.faulty(self.second))
        assert ending.status == 0, ending
        assert "Traceback" not in ending.errors, ending.errors
        noticed = "an earlier run was interrupted after it had replaced" in ending.errors
        message = f"torn: {torn}, noticed: {noticed}: {ending.errors}"
        # A file that is replaced by an equal one is noticed as well, but is no harm.
        assert noticed >= torn if self.has_equal() else noticed == torn, message
        assert "damaged" not in ending.errors, ending.errors
        assert self.read() == self.new, "the outputs of the next run are not the new ones"
        assert not self.unfinished(), f"unfinished files stay: {self.unfinished()}"
        check_cache(self.folder / "cache")


def check_cache(folder: Path) -> None:
    """Check that a cache of trees, if there is one, is not damaged, and nothing is beside it.

    SQLite removes a journal that is of no use when it writes the next time, not before.
    """
    names = sorted(path.name for path in folder.iterdir())
    assert names in ([], [FILE], [FILE, f"{FILE}-journal"]), names
    check_integrity(folder)


def check_integrity(folder: Path) -> None:
    """Check that a cache is not damaged, in a copy, because SQLite cleans up what it opens."""
    if not (folder / FILE).exists():
        return
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        with contextlib.closing(sqlite3.connect(Path(copy, FILE))) as file:
            try:
                found = file.execute("PRAGMA integrity_check").fetchall()
                file.execute("CREATE TABLE another (something)")
                file.commit()
            except sqlite3.DatabaseError as error:
                found = [str(error)]
        assert os.listdir(copy) == [FILE]
    assert found == [("ok",)], f"the cache is damaged: {found}"


def write_inputs(folder: Path) -> None:
    """Write everything that the commands read."""
    for part in ("inputs", *PARTS, "out/sub"):
        (folder / part).mkdir(parents=True)
    texts = {}
    for name in ("reference", "fluent", "literal", "source"):
        lines = (EXAMPLE / f"{name}.txt").read_text("utf-8").split("\n")[:LINES]
        texts[name] = lines
        (folder / "inputs" / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    for name, link in (("a", "0-0 1-1"), ("b", "0-1 1-0")):
        (folder / "inputs" / f"{name}.align").write_text(f"{link}\n" * LINES)
    columns = {"ref": texts["reference"], "a": texts["fluent"], "b": texts["literal"]}
    for number in range(3):
        rows = {name: lines[number::3] for name, lines in columns.items()}
        pq.write_table(pyarrow.table(rows), folder / "inputs" / f"{number}.parquet")
    (folder / "out" / "table").write_text(TABLE)
