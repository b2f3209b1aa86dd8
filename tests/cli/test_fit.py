"""``hyperbaton fit``, and what other commands do with metrics that are fitted."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.parts import with_saved_model
from hyperbaton.runs.file_runs import FileCorpus
from hyperbaton.runs.run import Request
from metrics import corpora

TEXTS = corpora.corpus(5, 300)
REFERENCES = [references[0] for references in TEXTS.references]


@pytest.fixture(autouse=True)
def texts(working_directory: Path) -> None:
    for name, lines in (("ref.txt", REFERENCES), ("sys.txt", TEXTS.hypotheses)):
        Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def expected(spec: str = "order") -> hb.Score:
    return hb.score(TEXTS.hypotheses, REFERENCES, [spec])[spec]


def value_of(cli: CommandLine, spec: str, *arguments: str) -> tuple[float, str]:
    document = cli.json(
        "score", "-r", "ref.txt", "sys.txt", "-m", spec, "--format", "json", *arguments
    )
    score = document["systems"][0]["scores"][spec]
    return score["value"], score["signature"]


def test_a_model_gives_the_value_of_its_references(cli: CommandLine) -> None:
    note = cli.succeed("fit", "-r", "ref.txt", "-o", "ref.model").stderr
    lines = len(set(REFERENCES))
    assert note.startswith(f"hyperbaton: note: ref.model: {lines} distinct lines, ")
    assert note.endswith("; use it as precedence=ref.model\n")
    wanted = expected().value, expected().signature
    assert value_of(cli, "order") == wanted
    assert value_of(cli, "order:precedence=ref.model") == wanted
    assert value_of(cli, "order:precedence=ref.txt") == wanted


def test_texts_of_every_kind_give_the_same_model(cli: CommandLine) -> None:
    cli.succeed("fit", "-r", "ref.txt", "-o", "plain.model")
    Path("ref.gz").write_bytes(gzip.compress(Path("ref.txt").read_bytes()))
    half = len(REFERENCES) // 2
    Path("first.txt").write_text("\n".join(REFERENCES[:half]), encoding="utf-8")
    rows = [json.dumps({"ref": line}) for line in REFERENCES[half:]]
    Path("last.jsonl").write_text("\n".join(rows), encoding="utf-8")
    pq.write_table(pa.table({"ref": TEXTS.references}), "all.parquet")
    cli.succeed("fit", "-r", "ref.gz", "-o", "gz.model")
    cli.succeed("fit", "-r", "last.jsonl:ref", "-r", "first.txt", "-o", "two.model")
    cli.succeed("fit", "-r", "-", "-o", "in.model", stdin=Path("ref.txt").read_text("utf-8"))
    content = Path("plain.model").read_bytes()
    for name in ("gz", "two", "in"):
        assert Path(f"{name}.model").read_bytes() == content, name
    cli.succeed("fit", "-r", "all.parquet:ref", "-o", "all.model")  # lists of references
    whole = hb.metrics.get("order").fit(TEXTS.references)
    assert with_saved_model(hb.metrics.get("order:precedence=all.model")) == whole


def test_parts_are_merged_to_the_whole(cli: CommandLine) -> None:
    cli.succeed("fit", "-r", "ref.txt", "-o", "whole.model")
    for k in (1, 2, 3):
        note = cli.succeed("fit", "-r", "ref.txt", "--part", f"{k}/3", "-o", f"{k}.model").stderr
        assert note.endswith(f"; part {k} of 3: merge all parts with fit\n")
    cli.succeed("fit", "3.model", "1.model", "-o", "two.model")
    message = cli.error("score", "-r", "ref.txt", "sys.txt", "-m", "order:precedence=two.model")
    assert message == ("two.model: the model has only part 1, 3 of 3: merge it with the others")
    assert "may have counted the same lines" in cli.error("fit", "two.model", "3.model", "-o", "x")
    assert "may have counted the same lines" in cli.error(
        "fit", "whole.model", "1.model", "-o", "x"
    )
    assert not Path("x").exists()
    cli.succeed("fit", "two.model", "2.model", "-o", "merged.model")
    assert Path("merged.model").read_bytes() == Path("whole.model").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give texts with -r, or models to merge"),
        (["a.model", "-r", "ref.txt", "-o", "m"], "give texts with -r, or models to merge"),
        (["-r", "ref.txt"], "a model needs an output file"),
        (["-r", "ref.txt", "-o", "-"], "a model needs an output file"),
        (["-r", "ref.txt", "-o", "ref.txt"], "ref.txt would be overwritten"),
        (["-r", "no.txt", "-o", "m"], "cannot read no.txt: No such file"),
        (["-r", "empty.txt", "-o", "m"], "empty.txt: there are no lines to count in"),
        (["-r", "ref.txt", "-o", "m", "-m", "pef"], "pef counts nothing in references"),
        (["-r", "ref.txt", "-o", "m", "-m", "hyper:order=ulam"], "counts nothing in references"),
        (["-r", "ref.txt", "-o", "m", "-m", "order,hyper"], "give one metric, not 2"),
        (["-r", "ref.txt", "-o", "m", "--part", "3/2"], "--part must be K/N"),
        (["ref.txt", "sys.txt", "-o", "m"], "ref.txt is not a saved model"),
        (["-r", "ref.txt", "-o", "a,b"], "the name of a model must have no comma"),
        (["-r", "ref.txt", "-o", "m", "--part", "0/2"], "--part must be K/N"),
        (["ref.txt", "-l", "en", "-o", "m"], "--part, -m and -l can only be used with texts"),
    ],
)
def test_bad_input(arguments: list[str], message: str, cli: CommandLine) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    before = sorted(path.name for path in Path().iterdir())
    assert message in cli.error("fit", *arguments)
    assert sorted(path.name for path in Path().iterdir()) == before


def test_models_without_lines_are_refused(cli: CommandLine) -> None:
    Path("empty.txt").write_text("", encoding="utf-8")
    for k in (1, 2):
        cli.succeed("fit", "-r", "empty.txt", "--part", f"{k}/2", "-o", f"{k}.model")
    cli.succeed("fit", "1.model", "2.model", "-o", "m")
    message = cli.error("score", "-r", "ref.txt", "sys.txt", "-m", "order:precedence=m")
    assert message == "m: there are no lines to count in"


def test_a_model_is_no_text(cli: CommandLine) -> None:
    cli.succeed("fit", "-r", "ref.txt", "-o", "ref.model")
    message = cli.error("fit", "-r", "ref.model", "-o", "m")
    assert message == "ref.model is a saved model, not a text: give it without -r"


def test_a_word_that_is_nearly_right_is_suggested(cli: CommandLine) -> None:
    metric = "order:precedence=reference"
    message = cli.error("score", "-r", "ref.txt", "sys.txt", "-m", metric)
    assert message.endswith("(did you mean references?)")


def test_explain_counts_in_all_references(cli: CommandLine) -> None:
    document = cli.json(
        *("explain", "-r", "ref.txt", "sys.txt", "--line", "7", "-m", "order", "--json")
    )
    score = document["scores"]["order"]
    assert score["value"] == float(expected().segments[6])
    assert score["signature"] == expected().signature
    assert document["soft"]["order"] == pytest.approx(score["value"], abs=1e-15)
    label = dict(part.split(":") for part in score["signature"].split("|")[1:])["precedence"]
    assert document["soft"]["counted_in"] == label


def test_two_typed_sentences_count_in_their_reference(cli: CommandLine) -> None:
    document = cli.succeed("explain", "a c b d", "a b c d", "-m", "order", "--json").json()
    assert "|precedence:own|" in document["scores"]["order"]["signature"]
    assert document["soft"]["counted_in"].startswith("1-")


def test_few_references_give_no_warning(cli: CommandLine) -> None:
    for name in ("ref.txt", "sys.txt"):
        lines = Path(name).read_text("utf-8").split("\n")[:30]
        Path(name).write_text("\n".join(lines), encoding="utf-8")
    arguments = ("-r", "ref.txt", "sys.txt", "-m", "order", "-m", "hyper")
    assert cli.succeed("score", *arguments).stderr == ""


def test_a_model_is_not_overwritten_while_it_is_read(cli: CommandLine) -> None:
    cli.succeed("fit", "-r", "ref.txt", "-o", "ref.model")
    content = Path("ref.model").read_bytes()
    metric = ("-m", "order:precedence=ref.model", "-o", "ref.model")
    for command in (("score", "sys.txt"), ("compare", "sys.txt", "ref.txt"), ("report", "sys.txt")):
        message = cli.error(*command, "-r", "ref.txt", *metric)
        assert message == "ref.model would be overwritten while it is read"
    assert Path("ref.model").read_bytes() == content


def test_texts_without_common_words_give_a_warning(cli: CommandLine) -> None:
    Path("sys.txt").write_text("zzz yyy xxx\n" * len(REFERENCES), encoding="utf-8")
    result = cli.succeed("score", "-r", "ref.txt", "sys.txt", "-m", "order")
    assert "sys: order: not scored: only 0 % of its words are in the reference" in result.stdout


def test_references_that_change_between_the_passes_are_noticed(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = FileCorpus.batches

    def batches(corpus: FileCorpus, request: Request) -> Iterator[Batch]:
        if request.hypotheses:
            Path("ref.txt").write_text("another\n" * len(REFERENCES), encoding="utf-8")
        yield from read(corpus, request)

    monkeypatch.setattr(FileCorpus, "batches", batches)
    message = cli.error("score", "-r", "ref.txt", "sys.txt", "-m", "order")
    assert message == "ref.txt changed while it was read"
