"""``hyperbaton align --source`` with a source aligner, trained or saved."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import PROGRAM, CommandLine, NewProcess
from hyperbaton.cli.align_source import link_file_names
from hyperbaton.text.tokenization import insert_spaces
from waiting import HANGING

EXAMPLE = Path(hb.__file__).parent / "example"
TEXTS = {
    name: (EXAMPLE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for name in ("source", "reference", "fluent")
}
TRAIN = ["align", "--source", "source.txt", "--train"]
FEW = "warning: the source aligner was trained on only"


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the texts, and pairs that add to them."""
    for name, lines in TEXTS.items():
        write(f"{name}.txt", lines)
    write("more.de", ["das Haus", "ein Buch", "das Buch"])
    write("more.en", ["the house", "a book", "the book"])


def write(name: str, lines: Sequence[str]) -> None:
    """Write a text."""
    Path(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read(name: str) -> list[str]:
    """Return the lines of a file."""
    return Path(name).read_text(encoding="utf-8").splitlines()


def pairs(*targets: str) -> list[tuple[str, str]]:
    """Return the sentence pairs of the source with some targets."""
    return [pair for name in targets for pair in zip(TEXTS["source"], TEXTS[name], strict=True)]


def links(aligner: hb.SourceAligner, target: str) -> list[str]:
    """Return the links that Python finds."""
    return [one.to_pharaoh() for one in aligner.align(TEXTS["source"], TEXTS[target])]


# Training and links ------------------------------------------------------------------------------


def test_links_are_those_of_python(cli: CommandLine) -> None:
    done = cli.succeed(*TRAIN, "reference.txt", "fluent.txt", "-o", "links/")
    aligner = hb.SourceAligner.train(pairs("reference", "fluent"))
    assert sorted(os.listdir("links")) == ["fluent.txt.align", "reference.txt.align"]
    for name in ("reference", "fluent"):
        assert read(f"links/{name}.txt.align") == links(aligner, name)
    few, signature, usage = done.stderr.splitlines()
    assert FEW in few
    assert "only 48 source sentences" in few
    assert signature == f"hyperbaton: note: the source aligner is {aligner.signature}"
    command = (
        "hyperbaton score -r reference.txt fluent.txt -m lr_kb1 --source source.txt "
        "--source-tokenize 13a --ref-alignment links/reference.txt.align "
        "--alignment links/fluent.txt.align"
    )
    assert usage == f"hyperbaton: note: to use these links: {command}"
    assert done.stdout == ""
    cli.succeed(*command.split()[1:])


def test_options_reach_the_training(cli: CommandLine) -> None:
    done = cli.succeed(
        *[*TRAIN, "reference.txt", "--bitext", "more.de", "more.en", "--aligner-seed", "7"],
        *["--symmetrize", "intersection", "--source-tokenize", "none", "--source-language", "de"],
        *["--tokenize", "none", "-l", "en", "--threads", "1"],
    )
    aligner = hb.SourceAligner.train(
        [*pairs("reference"), *zip(read("more.de"), read("more.en"), strict=True)],
        seed=7,
        symmetrization="intersection",
        source_tokenize="none",
        tokenize="none",
    )
    assert done.stdout.splitlines() == links(aligner, "reference")
    assert aligner.signature in done.stderr
    assert aligner.pairs == len(TEXTS["source"]) + 3


def test_where_links_are_written(cli: CommandLine) -> None:
    expected = cli.succeed(*TRAIN, "reference.txt").stdout
    done = cli.succeed(*TRAIN, "reference.txt", "-o", "one.align")
    assert done.stdout == ""
    assert done.stderr.endswith(
        "hyperbaton: note: these links need --source-tokenize 13a and, for the target, "
        "--tokenize 13a or tok=13a of a metric\n"
    )
    os.mkdir("existing")
    cli.succeed(*TRAIN, "reference.txt", "-o", "existing")
    cli.succeed(*TRAIN, "reference.txt", "-o", "new/")
    for path in ("one.align", "existing/reference.txt.align", "new/reference.txt.align"):
        assert Path(path).read_text(encoding="utf-8") == expected
    assert expected.count("\n") == len(TEXTS["source"])


def test_formats(cli: CommandLine) -> None:
    found = hb.SourceAligner.train(pairs("reference")).align(TEXTS["source"], TEXTS["reference"])
    outputs = {
        form: cli.succeed(*TRAIN, "reference.txt", "-f", form).stdout.splitlines()
        for form in ("moses", "json", "permutation")
    }
    assert outputs["moses"] == [one.to_moses() for one in found]
    assert [json.loads(line)["links"] for line in outputs["json"]] == [
        one.to_dict()["links"] for one in found
    ]
    orders = [" ".join(map(str, one.source_permutation("moses"))) for one in found]
    assert outputs["permutation"] == orders
    # Only links end in .align.
    for form, suffix in (("moses", "align"), ("json", "jsonl"), ("permutation", "permutations")):
        done = cli.succeed(*TRAIN, "reference.txt", "-f", form, "-o", f"{form}/")
        assert os.listdir(form) == [f"reference.txt.{suffix}"]
        assert read(f"{form}/reference.txt.{suffix}") == outputs[form]
        assert ("these links need" in done.stderr) == (form == "moses")


def test_gzip_columns_and_carriage_returns(cli: CommandLine) -> None:
    expected = cli.succeed(*TRAIN, "reference.txt").stdout
    Path("source.gz").write_bytes(gzip.compress(Path("source.txt").read_bytes()))
    rows = zip(TEXTS["reference"], TEXTS["fluent"], strict=True)
    Path("both.tsv").write_text(
        "".join(f"{line}\r\n" for line in ("ref\tsys", *map("\t".join, rows))), encoding="utf-8"
    )
    train = ["align", "--source", "source.gz", "--train"]
    assert cli.succeed(*train, "both.tsv:ref").stdout == expected
    cli.succeed(*train, "both.tsv:ref", "both.tsv:sys", "-o", "links")
    assert sorted(os.listdir("links")) == ["ref.align", "sys.align"]


def test_names_of_link_files() -> None:
    assert link_file_names(["a/x.txt", "b/x.txt"]) == ["a_x.txt.align", "b_x.txt.align"]
    assert link_file_names(["a/x.txt", "b/X.txt"]) == ["x.txt.align", "X.txt-2.align"]
    assert link_file_names(["../x.txt", ".hidden", "q?.tsv:a*b"]) == [
        "x.txt.align",
        "hidden.align",
        "q_.tsv_a_b.align",
    ]
    (long,) = link_file_names(["é" * 300])
    assert len(long.encode()) < 255


# Saved aligners ----------------------------------------------------------------------------------


def test_a_saved_aligner_finds_the_same_links(cli: CommandLine) -> None:
    texts = ["reference.txt", "fluent.txt"]
    both = cli.succeed(*TRAIN, *texts, "-o", "links", "--save-model", "both.model")
    only = cli.succeed(*TRAIN, *texts, "--save-model", "only.model")
    assert only.stdout == both.stdout == ""
    assert Path("only.model").read_bytes() == Path("both.model").read_bytes()
    saved = ["align", "--source", "source.txt", "--aligner-model", "both.model"]
    done = cli.succeed(*saved, "fluent.txt")
    assert done.stdout == Path("links/fluent.txt.align").read_text(encoding="utf-8")
    assert "only 48 source sentences" in done.stderr
    assert cli.succeed(*saved, "--target", "fluent.txt").stdout == done.stdout
    cli.succeed(*saved, *texts, "-o", "again")
    for name in texts:
        assert read(f"again/{name}.align") == read(f"links/{name}.align")
    aligner = hb.SourceAligner.load("both.model")
    other = aligner.align(TEXTS["source"], TEXTS["fluent"], symmetrization="grow-diag-final-and")
    found = cli.succeed(*saved, "fluent.txt", "--symmetrize", "grow-diag-final-and").stdout
    assert found.splitlines() == [one.to_pharaoh() for one in other]
    assert found != done.stdout


def test_a_saved_aligner_says_how_targets_are_split(cli: CommandLine) -> None:
    plain = ["--tokenize", "none"]
    train = [*TRAIN, "reference.txt", *plain, "-o", "links/", "--save-model", "saved"]
    assert "--tokenize none or tok=none of a metric\n" in cli.succeed(*train).stderr
    both = cli.succeed(*train, "fluent.txt").stderr
    assert "score -r reference.txt fluent.txt -m lr_kb1:tok=none --source" in both
    cli.succeed(*train)
    saved = ["align", "--source", "source.txt", "--aligner-model", "saved", "reference.txt"]
    expected = Path("links/reference.txt.align").read_text(encoding="utf-8")
    assert cli.succeed(*saved).stdout == cli.succeed(*saved, *plain).stdout == expected
    assert cli.error(*saved, "-l", "en") == (
        "saved was trained on target texts with tok=none, but here it is tok=13a"
    )


def test_models_that_do_not_fit(cli: CommandLine) -> None:
    cli.succeed(*TRAIN, "reference.txt", "--save-model", "saved")
    model = Path("saved").read_bytes()
    Path("damaged").write_bytes(model[:-1])
    first, rest = model.split(b"\n", 1)
    Path("newer").write_bytes(first[:-1] + b"99\n" + rest)
    reverse = ["align", "--source", "reference.txt", "--aligner-model", "saved", "source.txt"]
    assert "saved knows only" in cli.error(*reverse)
    # The second target, too, before anything is written.
    second = ["align", "--source", "source.txt", "--aligner-model", "saved", "fluent.txt"]
    write("greek.txt", ["ένα άλλο κείμενο σε άλλη γλώσσα"] * len(TEXTS["source"]))
    message = cli.error(*second, "greek.txt", "-o", "links/")
    assert message.startswith("saved knows only 0% of the target words")
    for name, text in (
        ("damaged", "damaged is damaged"),
        ("newer", "newer has version 99 of the format"),
        ("source.txt", "source.txt is not a saved model"),
        ("none", "cannot read none: No such file"),
    ):
        message = cli.error(
            "align", "--source", "source.txt", "--aligner-model", name, "fluent.txt"
        )
        assert message.startswith(text)
    assert not Path("links").exists()


def test_an_aligner_of_bitexts_alone(cli: CommandLine) -> None:
    """No system had an influence on it."""
    bitexts = ["--bitext", "source.txt", "reference.txt", "--bitext", "more.de", "more.en"]
    options = ["--aligner-seed", "3", "--symmetrize", "geometric", "--source-tokenize", "none"]
    words = ["-l", "en", "--tokenize", "intl", "--threads", "1"]
    done = cli.succeed("align", *bitexts, *options, *words, "--save-model", "saved")
    aligner = hb.SourceAligner.train(
        [*pairs("reference"), *zip(read("more.de"), read("more.en"), strict=True)],
        seed=3,
        symmetrization="geometric",
        source_tokenize="none",
        tokenize="intl",
    )
    aligner.save("expected")
    assert Path("saved").read_bytes() == Path("expected").read_bytes()
    assert done.stdout == ""
    few, signature = done.stderr.splitlines()
    assert "only 51 source sentences" in few
    assert signature == f"hyperbaton: note: the source aligner is {aligner.signature}"
    saved = ["align", "--source", "source.txt", "--aligner-model", "saved", "fluent.txt"]
    assert cli.succeed(*saved).stdout.splitlines() == links(aligner, "fluent")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["more.de", "more.en"], "--bitext alone needs --save-model: hyperbaton align --bitext"),
        (["more.de", "none", "--save-model", "x"], "cannot read none: No such file"),
        (["more.de", "more.en", "--save-model", "more.en"], "more.en would be overwritten"),
        (["more.de", "more.en", "--save-model", "no/x"], "cannot write no/x: there is no folder"),
        (["more.de", "more.en", "--save-model", "-"], "--save-model needs a file, not standard"),
        (["-", "-", "--save-model", "x"], "standard input can be only one"),
        (
            ["more.de", "more.en", "--save-model", "x", "-o", "y"],
            "--output cannot be used with --bitext alone: hyperbaton align --bitext SRC TGT",
        ),
        (["more.de", "more.en", "--save-model", "x", "--profile"], "--profile cannot be used with"),
        (["more.de", "more.en", "--save-model", "x", "--cased"], "--cased cannot be used with"),
        (
            ["more.de", "more.en", "--save-model", "x", "--target", "source.txt"],
            "--target cannot be used with --bitext alone",
        ),
        (
            ["more.de", "more.en", "--aligner-model", "x"],
            "--aligner-model cannot be used with --bitext alone",
        ),
        (
            ["more.de", "more.en", "--save-model", "x", "reference.txt"],
            "--save-model needs --source: hyperbaton align --source SRC --train TGT... -o FOLDER; "
            "or bitexts alone: hyperbaton align --bitext SRC TGT --save-model FILE",
        ),
    ],
)
def test_errors_of_bitexts_alone(cli: CommandLine, arguments: list[str], message: str) -> None:
    before = sorted(os.listdir())
    assert cli.error("align", "--bitext", *arguments).startswith(message)
    assert sorted(os.listdir()) == before


# Profiles ----------------------------------------------------------------------------------------


def test_a_profile_without_links_is_that_of_the_trained_links(cli: CommandLine) -> None:
    write("src", [*4 * ["das haus", "ein haus", "ein buch las er", "das buch las sie"], ""])
    write("tgt", [*4 * ["the house", "a house", "he read a book", "she read the book"], "x"])
    pair = ["align", "--source", "src", "--target", "tgt"]
    cli.succeed(*pair, "-o", "found.align")
    expected = cli.output("align", "--source", "src", "found.align", "--profile")
    done = cli.succeed(*pair, "--profile")
    assert without_range(done.stdout) == expected
    assert "1 sentence pair with an empty side: not used for training" in done.stderr
    assert cli.succeed(*pair, "--save-model", "saved").stdout == ""
    saved = [*pair, "--aligner-model", "saved", "--profile", "--nulls", "paper", "-f", "json"]
    as_json = cli.succeed(*saved)
    assert "1 sentence pair with an empty side: aligned to nothing" in as_json.stderr
    links_json = ["align", "--source", "src", "found.align", "--profile", *saved[-4:]]
    data = as_json.json()
    aligner = hb.SourceAligner.load("saved")
    order = aligner.expected_kendall(read("src"), read("tgt"))
    linked = [bool(one.links) for one in aligner.align(read("src"), read("tgt"))]
    assert data["expected_kendall"] == order[linked].mean()
    assert {**data, "expected_kendall": None} == cli.json(*links_json)
    again = cli.succeed(*pair, "--profile", "--save-model", "again").stdout
    assert without_range(again) == expected
    note = "hyperbaton: note: with so few sentence pairs, the profile shows too few reorderings"
    assert note in done.stderr
    assert note in as_json.stderr
    assert note not in cli.succeed(*pair).stderr


def without_range(profile: str) -> str:
    """Check and remove the range of Kendall that only a source aligner knows."""
    found = re.search(r"^kendall between (.*) \((.*)\) and (.*) \((.*)\)\n", profile, re.MULTILINE)
    assert found is not None
    assert float(found[1]) <= float(found[3])
    assert {found[2], found[4]} == {"best links", "expected"}
    ends = {found[2]: found[1], found[4]: found[3]}
    assert re.search(rf"^kendall +{ends['best links']}", profile, re.MULTILINE)
    return profile.replace(found[0], "")


def test_no_note_on_the_profile_of_many_pairs(cli: CommandLine) -> None:
    write("src", [f"das haus {k}" for k in range(3000)])
    write("tgt", [f"the house {k}" for k in range(3000)])
    done = cli.succeed("align", "--source", "src", "--target", "tgt", "--profile")
    assert "too few reorderings" not in done.stderr


def test_posteriors_are_written_and_read_as_links(cli: CommandLine) -> None:
    """Of every link the mean of both directions, with two digits."""
    aligner = hb.SourceAligner.train(pairs("fluent"), symmetrization="mean:0.2")
    given = [*TRAIN, "fluent.txt", "--symmetrize", "mean:0.2", "-o"]
    done = cli.succeed(*given, "found", "-f", "posteriors")
    cli.succeed(*given, "links")
    found = aligner.align(TEXTS["source"], TEXTS["fluent"], posteriors=True)
    assert read("found") == [one.to_pharaoh(posteriors=True) for one in found]
    assert all(re.fullmatch(r"(\d+-\d+:[01]\.\d\d( |$))*", line) for line in read("found"))
    assert "these links need --source-tokenize 13a" in done.stderr
    again = ["align", "--source", "source.txt", "found", "--source-tokenize", "13a"]
    assert cli.output(*again) == Path("links").read_text("utf-8")
    written = cli.succeed(*given, "found.jsonl", "-f", "json")
    assert "error" not in written.stderr
    rows = [json.loads(line) for line in read("found.jsonl")]
    assert [tuple(row["posteriors"]) for row in rows] == [one.posteriors for one in found]


def test_links_of_tokens_are_read_again(cli: CommandLine) -> None:
    """Links refer to tokens; with the tokeniser of the source they fit the text as it is."""
    write("src", ["Ja, gut.", "Nein, schlecht."])
    write("tgt", ["Yes, good.", "No, bad."])
    profile = cli.succeed("align", "--source", "src", "--target", "tgt", "--profile").stdout
    cli.succeed("align", "--source", "src", "--train", "tgt", "-o", "links")
    read = ["align", "--source", "src", "links", "--source-tokenize", "13a"]
    assert cli.succeed(*read, "--profile").stdout == without_range(profile)
    checked = cli.succeed(*read, "--target", "tgt", "--tokenize", "13a").stdout
    assert checked == Path("links").read_text("utf-8")
    assert cli.error("align", "--source", "src", "links") == (
        "links, line 1: link 3-3 is outside the source, which has 2 words (source words are split "
        "at spaces; if the links refer to tokens, use --source-tokenize 13a, in Python "
        "source_tokenize='13a')"
    )
    assert cli.error(*read, "--target", "tgt").endswith(
        "(target words are split at spaces; if the links refer to tokens, use --tokenize 13a, in "
        "Python tokenize='13a')"
    )


# Long sentences, signals, terminals --------------------------------------------------------------


def test_pairs_that_are_too_long(cli: CommandLine) -> None:
    long = "x " * 6000  # 36 million combinations
    write("src", ["das haus", "ein haus", "ein buch", long, "a " * 500])
    write("tgt", ["the house", "a house", "a book", long, "a " * 500])
    done = cli.succeed("align", "--source", "src", "--train", "tgt")
    assert done.stdout.splitlines()[3] == ""
    assert "note: 2 sentence pairs with more than 400 words on a side" in done.stderr
    assert "warning: 1 sentence pair with more than 30 million combinations" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal and signals")
def test_ctrl_c_stops_the_training_and_leaves_nothing() -> None:
    import pty

    draw = random.Random(1)  # the training would take minutes
    sentences = [[draw.randrange(5000) for _ in range(50)] for _ in range(10_000)]
    write("src", [" ".join(f"s{word}" for word in words) for words in sentences])
    write("tgt", [" ".join(f"t{word}" for word in words) for words in sentences])
    before = sorted(os.listdir())
    leader, follower = pty.openpty()
    train = ["align", "--source", "src", "--train", "tgt", "-o", "out/", "--save-model", "saved"]
    process = subprocess.Popen([*PROGRAM, *train], stderr=follower)
    os.close(follower)
    try:
        shown = b""
        while not re.search(rb"[1-9]\d*%", shown):
            shown += (part := os.read(leader, 4096))
            assert part, shown
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
            while os.read(leader, 4096):
                pass
        process.wait(HANGING)
    finally:
        process.kill()
        process.wait()
        os.close(leader)
    assert process.returncode == 130
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_progress_on_a_terminal(cli_process: NewProcess) -> None:
    done = cli_process.on_terminal("stderr", *TRAIN, "reference.txt")
    assert done.status == 0
    assert len(done.stdout.splitlines()) == len(TEXTS["source"])
    assert f"of {len(TEXTS['source'])} lines aligned" in done.stderr


# Bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*TRAIN, "short.txt"], "source.txt has 48 lines, but short.txt has 2"),
        ([*TRAIN, "empty.txt"], "source.txt has 48 lines, but empty.txt is empty"),
        (
            ["align", "--source", "empty.txt", "--train", "empty.txt"],
            "empty.txt and empty.txt are empty",
        ),
        (["align", "--source", "blank.txt", "--target", "blank.txt"], "there is no sentence pair"),
        ([*TRAIN, "none.txt"], "cannot read none.txt: No such file"),
        ([*TRAIN, "reference.txt", "--bitext", "more.de", "short.txt"], "more.de has 3 lines, but"),
        ([*TRAIN, "reference.txt", "--bitext", "more.de"], "--bitext needs two files"),
        ([*TRAIN, "reference.txt", "--bitext", "-", "-"], "standard input can be only one"),
        ([*TRAIN, "-"], "source and targets are read twice: standard input cannot be one of them"),
        ([*TRAIN, "lists.jsonl:t"], "lists.jsonl:t, line 2: expected one text, got 2 (--bitext"),
        ([*TRAIN, "bad.txt"], "bad.txt, line 1, is not UTF-8"),
        (TRAIN, "no links and no target: hyperbaton align --source SRC LINKS, or hyperbaton align"),
        ([*TRAIN, "reference.txt", "fluent.txt"], "2 targets need a folder for their links: -o"),
        ([*TRAIN, "reference.txt", "fluent.txt", "-o", "-"], "2 targets need a folder"),
        (
            [*TRAIN, "reference.txt", "fluent.txt", "-o", "short.txt"],
            "cannot write into short.txt: it is not a folder",
        ),
        ([*TRAIN, "reference.txt", "-o", "no/x/"], "cannot write no/x: there is no folder"),
        ([*TRAIN, "reference.txt", "-o", "x" * 300], f"cannot write {'x' * 300}: File name too"),
        ([*TRAIN, "reference.txt", "-o", ""], "a file name is empty"),
        ([*TRAIN, "reference.txt", "reference.txt", "-o", "x/"], "reference.txt is given twice"),
        (
            [*TRAIN, "reference.txt", "--save-model", "no/x"],
            "cannot write no/x: there is no folder",
        ),
        ([*TRAIN, "reference.txt", "--save-model", "."], "cannot write .: it is a folder"),
        ([*TRAIN, "reference.txt", "--save-model", "-"], "--save-model needs a file, not standard"),
        (
            [*TRAIN, "reference.txt", "--save-model", "source.txt"],
            "source.txt would be overwritten",
        ),
        ([*TRAIN, "reference.txt", "-o", "reference.txt"], "reference.txt would be overwritten"),
        (
            [*TRAIN, "reference.txt", "-o", "more.en", "--bitext", "more.de", "more.en"],
            "more.en would be overwritten",
        ),
        ([*TRAIN, "reference.txt", "-o", "x", "--save-model", "x"], "two outputs would be written"),
        (
            [*TRAIN, "reference.txt", "--aligner-model", "saved"],
            "--train cannot be used with --aligner-model",
        ),
        ([*TRAIN, "reference.txt", "--target", "fluent.txt"], "give the target as TGT or with"),
        (
            [*TRAIN, "reference.txt", "fluent.txt", "--profile"],
            "--profile needs a single target, got 2",
        ),
        ([*TRAIN, "reference.txt", "-f", "draw"], "--format draw cannot be used with --source"),
        ([*TRAIN, "reference.txt", "--cased"], "--cased cannot be used with a source aligner"),
        ([*TRAIN, "reference.txt", "--sure"], "--sure cannot be used with a source aligner"),
        ([*TRAIN, "reference.txt", "--symmetrize", "x"], "--symmetrize must be one of "),
        (
            [*TRAIN, "reference.txt", "--symmetrize", "mean:1"],
            "--symmetrize: the threshold must be a number from 0 to below 1, such as mean:0.3, "
            "got 'mean:1'",
        ),
        (
            [*TRAIN, "reference.txt", "--symmetrize", "intersection:0.3"],
            "--symmetrize: intersection has no threshold, got 'intersection:0.3'",
        ),
        (
            ["align", "reference.txt", "fluent.txt", "-f", "posteriors"],
            "--format posteriors needs a source aligner: ",
        ),
        (
            ["align", "--source", "source.txt", "fluent.txt", "-f", "posteriors"],
            "--format posteriors needs a source aligner: ",
        ),
        ([*TRAIN, "reference.txt", "--aligner-seed", str(2**64)], "seed must be"),
        ([*TRAIN, "reference.txt", "--threads", "0"], "threads must be at least 1, got 0"),
        ([*TRAIN, "reference.txt", "-l", "xx"], "unknown language 'xx'"),
        ([*TRAIN, "reference.txt", "--source-tokenize", "14b"], "14b"),
        (
            ["align", "--source", "source.txt", "reference.txt", "--save-model", "x"],
            "--save-model can only be used with a source aligner: hyperbaton align --source SRC "
            "--train TGT",
        ),
        (
            ["align", "--source", "source.txt", "reference.txt"],
            "is not a link such as 0-1 or 1-2=1-2 (if this is a text, align it: hyperbaton align "
            "--source SRC --train TGT,",
        ),
        (
            ["align", "--source", "source.txt", "reference.txt", "--profile"],
            "(if this is a text, align it: hyperbaton align --source SRC --train TGT,",
        ),
        (
            ["align", "--source", "source.txt", "reference.txt", "fluent.txt", "-o", "links/"],
            "--source takes one file of links: hyperbaton align --source SRC LINKS; texts need "
            "--train: hyperbaton align --source SRC --train TGT... -o FOLDER",
        ),
        (
            ["align", "--source", "source.txt", "--aligner-model", "saved"],
            "no target: hyperbaton align --source SRC --aligner-model FILE TGT...",
        ),
        (["align", "a", "b", "--train"], "--train needs --source: hyperbaton align --source SRC"),
        (["align", "a", "b", "--symmetrize", "mean"], "--symmetrize needs --source"),
        (["align", "a", "b", "c"], "give two texts, not 3: hyperbaton align HYP REF; or"),
        (["align"], "no reference: hyperbaton align HYP REF"),
    ],
)
def test_errors(cli: CommandLine, arguments: list[str], message: str) -> None:
    write("short.txt", ["one", "two"])
    write("empty.txt", [])
    write("blank.txt", ["", ""])
    Path("bad.txt").write_bytes(b"\xff\n" * len(TEXTS["source"]))
    rows = [json.dumps({"t": ["a", "b"] if k == 1 else "a"}) for k in range(len(TEXTS["source"]))]
    write("lists.jsonl", rows)
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    assert message in cli.error(*arguments)
    assert {name: Path(name).read_bytes() for name in os.listdir()} == before


def test_a_missing_tokeniser_of_the_source(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_ja_mecab.MeCab", None)
    insert_spaces.cache_clear()  # another test may have used it
    for arguments in ([*TRAIN, "reference.txt"], ["align", "--source", "source.txt", "links"]):
        message = cli.error(*arguments, "--source-language", "ja")
        assert message.startswith("tokeniser 'ja-mecab' needs MeCab and its dictionary: pip")
        assert message.endswith(
            "text that is already split at spaces needs no tokeniser: --source-tokenize none"
        )


def test_options_that_a_saved_aligner_refuses(cli: CommandLine) -> None:
    cli.succeed(*TRAIN, "reference.txt", "--save-model", "saved")
    saved = ["align", "--source", "source.txt", "reference.txt", "--aligner-model", "saved"]
    for more, message in (
        (["--save-model", "x"], "--save-model cannot be used with --aligner-model"),
        (["--aligner-seed", "2"], "--aligner-seed cannot be used with --aligner-model"),
        (["--bitext", "more.de", "more.en"], "a saved aligner cannot be trained again"),
        (["-o", "saved"], "saved would be overwritten"),
        (["--source-tokenize", "none"], "saved was trained on source texts with tok=13a, but"),
    ):
        assert message in cli.error(*saved, *more)


def test_an_error_while_writing_leaves_no_folder(cli: CommandLine) -> None:
    cli.succeed(*TRAIN, "reference.txt", "--save-model", "saved")
    # The check of the languages reads only the first lines, all of which are there.
    count = 3500
    write("src", TEXTS["source"] * (count // 48 + 1))
    write("good", TEXTS["reference"] * (count // 48 + 1))
    write("short", TEXTS["reference"] * (count // 48))
    arguments = ["align", "--source", "src", "--aligner-model", "saved", "good", "short"]
    assert "src has 3,504 lines, but short has 3,456" in cli.error(*arguments, "-o", "links/")
    assert not Path("links").exists()
    os.mkdir("links")
    Path("links/good.align").write_text("before", encoding="utf-8")
    cli.error(*arguments, "-o", "links/")
    assert os.listdir("links") == ["good.align"]
    assert Path("links/good.align").read_text(encoding="utf-8") == "before"


def test_outputs_are_checked_before_the_training(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = [*TRAIN, "reference.txt"]
    message = cli.error(*one, "--save-model", "new", "-o", "new/")
    assert message == "two outputs would be written to the same file"
    monkeypatch.setattr("hyperbaton.cli.align_source.open_file_limit", lambda: 51)
    message = cli.error(*one, "literal.txt", "-o", "new/")
    assert message.startswith("the links of 2 targets need as many open files, but at most 51")
    assert not Path("new").exists()
