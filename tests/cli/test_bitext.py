"""``hyperbaton align --source``, and links with a source in ``score`` and ``compare``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine

FILES = {
    "src.txt": "das ist gut\nja ja\ner kam gestern\n",
    "ref.txt": "that is good\nyes yes\nhe came yesterday\n",
    "sys.txt": "good is that\nyes yes\nyesterday he came\n",
    "ref.align": "0-0 1-1 2-2\n0-0 1-1\n0-0 1-1 2-2\n",
    "sys.align": "0=2 1=1 2=0\n0-1=0-1\n0=1 1=2 2=0\n",
    "one.align": "1-3 2-2 3-1\n1-1 2?2\n1-2 2-3 3-1\n",
}
THROUGH = ["--source", "src.txt", "--ref-alignment", "ref.align", "--alignment", "sys.align"]
SCORE = ["score", "-r", "ref.txt", "sys.txt", "-m", "lr_kb1", "-m", "pef:bp=off"]


@pytest.fixture(autouse=True)
def files() -> None:
    """Write the texts and the links."""
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


def scores(cli: CommandLine, *arguments: str) -> dict[str, float]:
    """Return the values of the metrics, all of which use an alignment."""
    found = cli.json(*SCORE, *arguments, "-f", "json")["systems"][0]["scores"]
    assert all("|align:" in one["signature"] for one in found.values())
    return {name: one["value"] for name, one in found.items()}


def test_scores_through_the_source(cli: CommandLine) -> None:
    found = scores(cli, *THROUGH)
    # The permutations are ⟨3,2,1⟩, ⟨1,2⟩, ⟨3,1,2⟩: Kendall is 0, 1, 1/3. All words are right.
    assert found["lr_kb1"] == pytest.approx((4 / 3 / 3 + 1) / 2)
    assert found["pef:bp=off"] == pytest.approx((hb.pef([3, 2, 1]) + 1 + hb.pef([3, 1, 2])) / 3)
    out = cli.output(*SCORE, *THROUGH, "--details")
    assert "|nulls:paper|" in out
    assert out.count("|align:source|") == 2


def test_counting_from_one_and_possible_links(cli: CommandLine) -> None:
    cli.succeed("align", "--source", "src.txt", "ref.align", "-o", "ref0.align")
    Path("ref1.align").write_text("1-1 2-2 3-3\n1-1 2-2\n1-1 2-2 3-3\n", encoding="utf-8")
    through = ["--source", "src.txt", "--ref-alignment", "ref1.align", "--alignment", "one.align"]
    assert scores(cli, *through, "--one-based") == scores(cli, *THROUGH)
    # "ja ja" has only one sure link; its second word is placed after the first.
    assert scores(cli, *through, "--one-based", "--sure") == scores(cli, *THROUGH)


def test_links_of_system_and_reference(cli: CommandLine) -> None:
    Path("direct.align").write_text("0-2 1-1 2-0\n0-0 1-1\n0-2 1-0 2-1\n", encoding="utf-8")
    found = scores(cli, "--alignment", "direct.align")
    assert found == pytest.approx(scores(cli, *THROUGH))
    second = ["-r", "sys.txt.again", "--alignment", "same.align"]
    two = [*SCORE, "--alignment", "direct.align", *second]
    Path("sys.txt.again").write_text(FILES["sys.txt"], encoding="utf-8")
    Path("same.align").write_text(FILES["ref.align"], encoding="utf-8")
    assert cli.json(*two, "-f", "json")["systems"][0]["scores"]["lr_kb1"]["value"] == 1


def test_several_systems_and_references(cli: CommandLine) -> None:
    Path("good.txt").write_text(FILES["ref.txt"], encoding="utf-8")
    Path("refs.jsonl").write_text(
        "".join(
            json.dumps({"text": [ref, other], "links": [links, mine]}) + "\n"
            for ref, other, links, mine in zip(
                *(
                    FILES[name].splitlines()
                    for name in ("ref.txt", "sys.txt", "ref.align", "sys.align")
                ),
                strict=True,
            )
        ),
        encoding="utf-8",
    )
    done = cli.succeed(
        *["compare", "-r", "refs.jsonl:text", "good.txt", "sys.txt", "-m", "lr_kb1", "-f", "json"],
        *["--samples", "100", "--source", "src.txt", "--ref-alignment", "refs.jsonl:links"],
        *["--alignment", "ref.align", "--alignment", "sys.align"],
    )
    ranking = done.json()["metrics"]["lr_kb1"]["ranking"]
    assert [(one["system"], one["value"]) for one in ranking] == [("good", 1), ("sys", 1)]


def test_python_gives_the_same_numbers(cli: CommandLine) -> None:
    lines = {name: text.splitlines() for name, text in FILES.items()}
    result = hb.score(
        lines["sys.txt"],
        lines["ref.txt"],
        ["lr_kb1", "pef:bp=off"],
        source=lines["src.txt"],
        alignments=lines["sys.align"],
        reference_alignments=lines["ref.align"],
    )
    assert scores(cli, *THROUGH) == {name: score.value for name, score in result.items()}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "sys.align",
            "0=2\n0-9=0\n\n",
            "sys.align, line 2: link 0-9=0 is outside the source, which has 2 words",
        ),
        (
            "sys.align",
            "0-0\n\n0-3\n",
            "sys.align, line 3: link 0-3 is outside the system, which has 3 words",
        ),
        (
            "ref.align",
            "\n\n0-3\n",
            "ref.align, line 3: link 0-3 is outside the reference, which has 3 words",
        ),
        ("ref.align", "\n0/1\n\n", "ref.align, line 2: '0/1' is not a link such as 0-1 or 1-2=1-2"),
        ("ref.align", "\n\n", "ref.txt has 3 lines, but ref.align has 2"),
        ("src.txt", "a\n", "ref.txt has 3 lines, but src.txt has 1"),
        ("src.txt", "a\nb\nc\nd\n", "src.txt has 4 lines, but ref.txt has 3"),
        ("sys.align", "", "ref.txt has 3 lines, but sys.align is empty"),
    ],
)
def test_errors_in_files(cli: CommandLine, name: str, text: str, message: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    found = cli.error(*SCORE, *THROUGH, "-o", "out.txt")
    assert re.split(r" \((?:tokeniser|source words)", found)[0] == message
    assert not Path("out.txt").exists()


def test_hints_for_links_of_tokens(cli: CommandLine) -> None:
    """Each side has its own hint, and only the side that does not fit."""
    source_hint = (
        " (source words are split at spaces; if the links refer to tokens, use --source-tokenize "
        "13a, in Python source_tokenize='13a')"
    )
    Path("sys.align").write_text("0-0\n2-0\n\n", encoding="utf-8")
    message = "sys.align, line 2: link 2-0 is outside the source, which has 2 words"
    assert cli.error(*SCORE, *THROUGH) == message + source_hint
    assert cli.error(*SCORE, *THROUGH, "--source-tokenize", "none") == message
    assert cli.error(*SCORE, *THROUGH, "--source-tokenize", "13a") == (
        f"{message} (source tokeniser 13a)"
    )
    Path("sys.align").write_text("0-0\n0-9\n\n", encoding="utf-8")
    assert cli.error(*SCORE, *THROUGH).endswith(
        "is outside the system, which has 2 words (tokeniser 13a; tok=none takes tokens as they "
        "are)"
    )
    # In Python, an alignment may be for other lengths.
    lines = {name: text.splitlines()[:1] for name, text in FILES.items()}
    words = len(lines["src.txt"][0].split()), len(lines["ref.txt"][0].split())
    with pytest.raises(hb.InputError) as found:
        hb.score(
            lines["sys.txt"],
            lines["ref.txt"],
            "lr_kb1",
            source=lines["src.txt"],
            alignments=lines["sys.align"],
            reference_alignments=[hb.Alignment(words[0] + 1, words[1], [])],
        )
    assert str(found.value) == (
        "segment 0: reference_alignments: the alignment is for sentences of "
        f"{words[0] + 1} and {words[1]} words, but these have {words[0]} and {words[1]}"
        f"{source_hint}"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "src.txt"], "links through the source need all of --source, --alignment and"),
        (THROUGH[2:], "links through the source need all of --source"),
        (
            [*THROUGH, "--alignment", "one.align"],
            "--alignment is given 2 times, but 1 is needed: one for each system",
        ),
        (
            [*THROUGH, "--ref-alignment", "x"],
            "--ref-alignment is given 2 times, but 1 is needed: one for each reference",
        ),
        (["--one-based"], "--one-based and --sure can only be used with --alignment"),
        (["--alignment", "sys.txt"], "sys.txt is given both as text and as alignments"),
        ([*THROUGH, "-o", "sys.align"], "sys.align would be overwritten while it is read"),
        (["--alignment", ""], "a file name is empty"),
        ([*THROUGH[:-1], "none"], "cannot read none: No such file"),
        (
            [*THROUGH, "--one-based"],
            "sys.align, line 1: '0=2' has index 0, but words are counted from 1",
        ),
    ],
)
def test_errors_in_options(cli: CommandLine, arguments: list[str], message: str) -> None:
    assert message in cli.error(*SCORE, *arguments)


def test_warning_about_links_that_count_from_one(cli: CommandLine) -> None:
    Path("ref.align").write_text("1-1\n1-1\n1-1 2-2\n", encoding="utf-8")
    for command in (["score"], ["compare", "good.txt"]):
        Path("good.txt").write_text(FILES["ref.txt"], encoding="utf-8")
        more = ["--alignment", "sys.align"] if len(command) > 1 else []
        systems = ["-r", "ref.txt", "sys.txt", *command[1:]]
        done = cli.succeed(command[0], *systems, "-m", "lr_kb1", *THROUGH, *more)
        warning = "hyperbaton: warning: ref.align: no index is 0; if words are counted from 1"
        assert warning in done.stderr


# hyperbaton align --source ---------------------------------------------------------------------


def test_conversion_of_formats(cli: CommandLine) -> None:
    bitext = ["align", "--source", "src.txt", "one.align", "--one-based"]
    assert cli.output(*bitext) == "0-2 1-1 2-0\n0-0 1?1\n0-1 1-2 2-0\n"
    assert cli.output(*bitext, "--sure", "-f", "moses") == "0=2 1=1 2=0\n0=0\n0=1 1=2 2=0\n"
    assert cli.output(*bitext, "-f", "permutation") == "3 2 1\n1 2\n2 3 1\n"
    lines = cli.output(*bitext, "-f", "json").splitlines()
    assert json.loads(lines[2])["permutation"] == [2, 3, 1]
    Path("null.align").write_text("0-4 1-3\n\n\n", encoding="utf-8")
    null = ["align", "--source", "src.txt", "null.align", "-f", "permutation", "--nulls"]
    assert cli.output(*null, "paper").splitlines()[0] == "2 1 3"
    assert cli.output(*null, "moses").splitlines()[0] == "3 1 2"


def test_profile(cli: CommandLine) -> None:
    profile = ["align", "--source", "src.txt", "sys.align", "--profile"]
    assert cli.output(*profile).splitlines()[:3] == [
        "3 sentences, 8 words; 0 without a link",
        "in order: 33.3%; binarizable: 100.0%",
        "3 operators other than ⟨1,2⟩, 37.5 for 100 words; "
        "mean span 2.7 words, mean move 1.8 words",
    ]
    found = cli.json(*profile, "-f", "json")
    assert found["schema"] == "hyperbaton/profile/1"
    assert found["nulls"] == "moses"
    # By hand: ⟨3,2,1⟩ has two ⟨2,1⟩; then ⟨1,2⟩; and ⟨2,3,1⟩ is ⟨2,1⟩[⟨1,2⟩[2, 3], 1].
    assert [(one["operator"], one["spans"]) for one in found["operators"]] == [
        ([2, 1], [[2, 1], [3, 2]]),
        ([1, 2], [[2, 2]]),
    ]
    assert found["moves"] == [
        {"distance": 1, "blocks": 1, "words": 2},
        {"distance": 2, "blocks": 3, "words": 3},
    ]
    Path("sys.align").write_text("\n\n\n", encoding="utf-8")
    assert cli.output(*profile) == "3 sentences, 0 words; 3 without a link\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sys.align", "ref.align", "--source", "src.txt"], "--source takes one file of links"),
        (
            ["sys.align", "--profile"],
            "--profile needs --source: hyperbaton align --source SRC LINKS",
        ),
        (["sys.txt", "ref.txt", "--sure"], "--sure needs --source"),
        (["sys.txt", "ref.txt", "--top", "3"], "--top needs --source"),
        (["sys.txt"], "no reference: hyperbaton align HYP REF"),
        (
            ["sys.align", "--source", "src.txt", "--nulls", "x"],
            "--nulls must be one of paper, moses",
        ),
        (["sys.align", "--source", "src.txt", "-f", "draw"], "draw cannot be used with --source"),
        (
            ["sys.align", "--source", "src.txt", "--profile", "-f", "moses"],
            "--profile supports only a table",
        ),
        (["sys.align", "--source", "src.txt", "-o", "src.txt"], "src.txt would be overwritten"),
        (
            ["sys.align", "--source", "src.txt", "--threads", "0"],
            "threads must be at least 1, got 0",
        ),
        (
            ["ref.align", "--source", "sys.align"],
            "ref.align, line 2: link 1-1 is outside the source",
        ),
        (
            ["ref.align", "--source", "src.txt", "--target", "sys.align", "--profile"],
            "ref.align, line 2: link 1-1 is outside the target, which has 1 words",
        ),
        (["ref.align", "--source", "none"], "cannot read none"),
    ],
)
def test_errors_of_align(cli: CommandLine, arguments: list[str], message: str) -> None:
    assert message in cli.error("align", *arguments)


def test_warning_of_align_about_links_that_count_from_one(cli: CommandLine) -> None:
    Path("one.align").write_text("1-1\n1-1\n1-1\n", encoding="utf-8")
    for more in ([], ["--profile"]):
        done = cli.succeed("align", "--source", "src.txt", "one.align", *more)
        assert done.stderr.startswith("hyperbaton: warning: one.align: no index is 0")


def test_context_aligner(cli: CommandLine) -> None:
    out = cli.output("align", "sys.txt", "ref.txt", "-m", "context")
    assert out == "0-2 1-1 2-0\n0-0 1-1\n0-2 1-0 2-1\n"
    drawn = cli.output("align", "a b", "b a", "-m", "context")
    assert "budget ran out" not in drawn
    assert "matchers:context" in drawn


def test_options_without_effect_are_errors(cli: CommandLine) -> None:
    links = ["align", "--source", "src.txt", "ref.align"]
    for option in (["-m", "exact"], ["--unaligned", "left"], ["--text"], ["--cased"]):
        message = cli.error(*links, *option)
        assert message.endswith("cannot be used with --source, which reads existing links")
    message = cli.error(*links, "-l", "en")
    assert message == "--language needs --target: links do not contain the words of the target"
    assert cli.error(*SCORE, "-m", "pef:nulls=moses") == (
        "pef: nulls can only be used with alignments through the source"
    )


def test_hint_about_links_that_count_from_one(cli: CommandLine) -> None:
    Path("one.align").write_text("1-1 2-2 3-3\n1-1\n1-1\n", encoding="utf-8")
    hint = "(if words are counted from 1, use --one-based, in Python base=1; source words are "
    for more in ([], ["--profile"]):
        message = cli.error("align", "--source", "src.txt", "one.align", *more)
        start = f"one.align, line 1: link 3-3 is outside the source, which has 3 words {hint}"
        assert message.startswith(start)
    Path("large.align").write_text("0=0-999999\n\n\n", encoding="utf-8")
    message = cli.error("align", "--source", "src.txt", "large.align", "--profile")
    assert message == (
        "large.align, line 1: '0=0-999999' has phrases that are too long: 1 and 1,000,000 words"
    )
