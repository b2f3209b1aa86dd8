"""``hyperbaton align --source``, and links with a source in ``score`` and ``compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hyperbaton as hb
from hyperbaton.cli import main

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
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(list(arguments)) == 0
    return capsys.readouterr()


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("hyperbaton: error: ").strip()


def scores(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, float]:
    out, _ = run(capsys, *SCORE, *arguments, "-f", "json")
    found = json.loads(out)["systems"][0]["scores"]
    assert all("|align:" in one["signature"] for one in found.values())
    return {name: one["value"] for name, one in found.items()}


def test_scores_through_the_source(capsys: pytest.CaptureFixture[str]) -> None:
    found = scores(capsys, *THROUGH)
    # reordered: ⟨3,2,1⟩, ⟨1,2⟩, ⟨3,1,2⟩: Kendall 0, 1, 1/3; all words are right
    assert found["lr_kb1"] == pytest.approx((4 / 3 / 3 + 1) / 2)
    assert found["pef:bp=off"] == pytest.approx((hb.pef([3, 2, 1]) + 1 + hb.pef([3, 1, 2])) / 3)
    out, err = run(capsys, *SCORE, *THROUGH)
    assert "|nulls:paper|" in out
    assert out.count("|align:source|") == 2
    assert err == ""


def test_counting_from_one_and_possible_links(capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "align", "--source", "src.txt", "ref.align", "-o", "ref0.align")
    Path("ref1.align").write_text("1-1 2-2 3-3\n1-1 2-2\n1-1 2-2 3-3\n", encoding="utf-8")
    through = ["--source", "src.txt", "--ref-alignment", "ref1.align", "--alignment", "one.align"]
    assert scores(capsys, *through, "--one-based") == scores(capsys, *THROUGH)
    # "ja ja" has only one sure link, and its second word follows the first
    assert scores(capsys, *through, "--one-based", "--sure") == scores(capsys, *THROUGH)


def test_links_of_system_and_reference(capsys: pytest.CaptureFixture[str]) -> None:
    Path("direct.align").write_text("0-2 1-1 2-0\n0-0 1-1\n0-2 1-0 2-1\n", encoding="utf-8")
    found = scores(capsys, "--alignment", "direct.align")
    assert found == pytest.approx(scores(capsys, *THROUGH))
    two = [
        *SCORE,
        "-r",
        "sys.txt.again",
        "--alignment",
        "direct.align",
        "--alignment",
        "same.align",
    ]
    Path("sys.txt.again").write_text(FILES["sys.txt"], encoding="utf-8")
    Path("same.align").write_text(FILES["ref.align"], encoding="utf-8")
    out, _ = run(capsys, *two, "-f", "json")
    assert json.loads(out)["systems"][0]["scores"]["lr_kb1"]["value"] == 1


def test_several_systems_and_references(capsys: pytest.CaptureFixture[str]) -> None:
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
    out, _ = run(
        capsys,
        *["compare", "-r", "refs.jsonl:text", "good.txt", "sys.txt", "-m", "lr_kb1", "-f", "json"],
        *["--samples", "100", "--source", "src.txt", "--ref-alignment", "refs.jsonl:links"],
        *["--alignment", "ref.align", "--alignment", "sys.align"],
    )
    ranking = json.loads(out)["metrics"]["lr_kb1"]["ranking"]
    assert [(one["system"], one["value"]) for one in ranking] == [("good.txt", 1), ("sys.txt", 1)]


def test_the_same_numbers_from_python(capsys: pytest.CaptureFixture[str]) -> None:
    lines = {name: text.splitlines() for name, text in FILES.items()}
    result = hb.score(
        lines["sys.txt"],
        lines["ref.txt"],
        ["lr_kb1", "pef:bp=off"],
        source=lines["src.txt"],
        alignments=lines["sys.align"],
        reference_alignments=lines["ref.align"],
    )
    assert scores(capsys, *THROUGH) == {name: score.value for name, score in result.items()}


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
def test_bad_files(capsys: pytest.CaptureFixture[str], name: str, text: str, message: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    found = fails(capsys, *SCORE, *THROUGH, "-o", "out.txt")
    assert found.split(" (tokeniser")[0] == message
    assert not Path("out.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "src.txt"], "through the source it takes all of --source, --alignment and"),
        (THROUGH[2:], "through the source it takes all of --source"),
        (
            [*THROUGH, "--alignment", "one.align"],
            "--alignment is given 2 times, but 1 is needed: one for each system",
        ),
        (
            [*THROUGH, "--ref-alignment", "x"],
            "--ref-alignment is given 2 times, but 1 is needed: one for each reference",
        ),
        (["--one-based"], "--one-based and --sure are for --alignment"),
        (["--alignment", "sys.txt"], "sys.txt is given as a text and as alignments"),
        ([*THROUGH, "-o", "sys.align"], "sys.align would be written over while it is read"),
        (["--alignment", ""], "the name of a file is empty"),
        ([*THROUGH[:-1], "none"], "cannot read none: No such file"),
        (
            [*THROUGH, "--one-based"],
            "sys.align, line 1: '0=2' has a 0, but words are counted from 1",
        ),
    ],
)
def test_bad_options(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in fails(capsys, *SCORE, *arguments)


def test_a_file_that_counts_from_one_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    Path("ref.align").write_text("1-1\n1-1\n1-1 2-2\n", encoding="utf-8")
    for command in (["score"], ["compare", "good.txt"]):
        Path("good.txt").write_text(FILES["ref.txt"], encoding="utf-8")
        more = ["--alignment", "sys.align"] if len(command) > 1 else []
        _, err = run(
            capsys,
            command[0],
            "-r",
            "ref.txt",
            "sys.txt",
            *command[1:],
            "-m",
            "lr_kb1",
            *THROUGH,
            *more,
        )
        assert "hyperbaton: warning: ref.align: no index is 0: are its words counted from 1?" in err


# hyperbaton align --source ---------------------------------------------------------------------


def test_converting(capsys: pytest.CaptureFixture[str]) -> None:
    bitext = ["align", "--source", "src.txt", "one.align", "--one-based"]
    assert run(capsys, *bitext)[0] == "0-2 1-1 2-0\n0-0 1?1\n0-1 1-2 2-0\n"
    assert run(capsys, *bitext, "--sure", "-f", "moses")[0] == "0=2 1=1 2=0\n0=0\n0=1 1=2 2=0\n"
    assert run(capsys, *bitext, "-f", "permutation")[0] == "3 2 1\n1 2\n2 3 1\n"
    lines = run(capsys, *bitext, "-f", "json")[0].splitlines()
    assert json.loads(lines[2])["permutation"] == [2, 3, 1]
    Path("null.align").write_text("0-4 1-3\n\n\n", encoding="utf-8")
    null = ["align", "--source", "src.txt", "null.align", "-f", "permutation", "--nulls"]
    assert run(capsys, *null, "paper")[0].splitlines()[0] == "2 1 3"
    assert run(capsys, *null, "moses")[0].splitlines()[0] == "3 1 2"


def test_profile(capsys: pytest.CaptureFixture[str]) -> None:
    profile = ["align", "--source", "src.txt", "sys.align", "--profile"]
    out, err = run(capsys, *profile)
    assert out.splitlines()[:3] == [
        "3 sentences, 8 words; 0 without a link",
        "in order: 33.3%; binarizable: 100.0%",
        "3 operators other than ⟨1,2⟩, 37.5 for 100 words; "
        "mean span 2.7 words, mean move 1.8 words",
    ]
    assert err == ""
    found = json.loads(run(capsys, *profile, "-f", "json")[0])
    assert found["schema"] == "hyperbaton/profile/1"
    assert found["nulls"] == "moses"
    # by hand: ⟨3,2,1⟩ is two ⟨2,1⟩, ⟨1,2⟩, and ⟨2,3,1⟩ is ⟨2,1⟩[⟨1,2⟩[2, 3], 1]
    assert [(one["operator"], one["spans"]) for one in found["operators"]] == [
        ([2, 1], [[2, 1], [3, 2]]),
        ([1, 2], [[2, 2]]),
    ]
    assert found["moves"] == [
        {"distance": 1, "blocks": 1, "words": 2},
        {"distance": 2, "blocks": 3, "words": 3},
    ]
    Path("sys.align").write_text("\n\n\n", encoding="utf-8")
    assert run(capsys, *profile)[0] == "3 sentences, 0 words; 3 without a link\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sys.align", "ref.align", "--source", "src.txt"], "with --source there is one file"),
        (["sys.align", "--profile"], "--profile is for links with a source: --source SRC LINKS"),
        (["sys.txt", "ref.txt", "--sure"], "--sure is for links with a source"),
        (["sys.txt", "ref.txt", "--top", "3"], "--top is for links with a source"),
        (["sys.txt"], "no reference: hyperbaton align HYP REF"),
        (["sys.align", "--source", "src.txt", "--nulls", "x"], "--nulls is one of paper, moses"),
        (["sys.align", "--source", "src.txt", "-f", "draw"], "draw is for texts"),
        (["sys.align", "--source", "src.txt", "--profile", "-f", "moses"], "printed as a table"),
        (["sys.align", "--source", "src.txt", "-o", "src.txt"], "src.txt would be written over"),
        (["sys.align", "--source", "src.txt", "--threads", "0"], "threads is 0"),
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
def test_bad_bitexts(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in fails(capsys, "align", *arguments)


def test_a_bitext_that_counts_from_one_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.align").write_text("1-1\n1-1\n1-1\n", encoding="utf-8")
    for more in ([], ["--profile"]):
        _, err = run(capsys, "align", "--source", "src.txt", "one.align", *more)
        assert err.startswith("hyperbaton: warning: one.align: no index is 0")


def test_the_context_aligner(capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, "align", "sys.txt", "ref.txt", "-m", "context")
    assert out == "0-2 1-1 2-0\n0-0 1-1\n0-2 1-0 2-1\n"
    drawn, _ = run(capsys, "align", "a b", "b a", "-m", "context")
    assert "cut short" not in drawn
    assert "matchers:context" in drawn


def test_options_that_have_no_effect_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    links = ["align", "--source", "src.txt", "ref.align"]
    for option in (["-m", "exact"], ["--unaligned", "left"], ["--text"], ["-l", "en"], ["--cased"]):
        said = fails(capsys, *links, *option)
        assert said.endswith("is for links that are to be found, without --source")
    assert fails(capsys, *SCORE, "-m", "pef:nulls=moses") == (
        "pef: nulls is for alignments through the source"
    )


def test_words_that_may_be_counted_from_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("one.align").write_text("1-1 2-2 3-3\n1-1\n1-1\n", encoding="utf-8")
    hint = "(are words counted from 1? --one-based, base=1)"
    for more in ([], ["--profile"]):
        said = fails(capsys, "align", "--source", "src.txt", "one.align", *more)
        assert said == (
            f"one.align, line 1: link 3-3 is outside the source, which has 3 words {hint}"
        )
    Path("large.align").write_text("0=0-999999\n\n\n", encoding="utf-8")
    said = fails(capsys, "align", "--source", "src.txt", "large.align", "--profile")
    assert said == (
        "large.align, line 1: '0=0-999999' has phrases of too many words, 1 and 1,000,000"
    )
