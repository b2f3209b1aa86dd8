"""``hyperbaton score`` and ``hyperbaton compare`` over dependency trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hyperbaton as hb
from command_line import CommandLine
from hyperbaton.cli.options import EXAMPLE
from hyperbaton.syntax.conllu import to_conllu
from parsing import ToyParser

REF = "The cat saw the dog .\n\nOne two three four .\n"
SECOND = "A cat saw a dog .\nyes\nOne , two .\n"
SYS = "The dog saw the cat .\nno\nfour three two One .\n"
OTHER = "The cat saw the dog .\n\nOne three four .\n"
TEXTS = {"ref": REF, "second": SECOND, "sys": SYS, "other": OTHER}
SPECS = ["dted", "dted:weight=aligned", "dted:match=aligned,rescale=yes", "dted:flat=yes"]


def lines(name: str) -> list[str]:
    return TEXTS[name].removesuffix("\n").split("\n")


def trees(name: str) -> list[hb.DependencyTree]:
    return list(ToyParser().parse(lines(name)))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the texts and their trees."""
    monkeypatch.setenv("HYPERBATON_CACHE", str(tmp_path / "cache"))
    for name, text in TEXTS.items():
        Path(f"{name}.txt").write_text(text, encoding="utf-8")
        blocks = map(to_conllu, trees(name), lines(name))
        Path(f"{name}.conllu").write_text("".join(blocks), encoding="utf-8")


GIVEN = ["--ref-trees", "ref.conllu", "--trees", "sys.conllu"]
METRICS = [argument for spec in SPECS for argument in ("-m", spec)]


def test_given_trees(cli: CommandLine) -> None:
    form = ["--format", "json", "-l", "en", *METRICS]
    printed = cli.json("score", "-r", "ref.txt", "sys.txt", *GIVEN, *form)
    found = hb.score(
        lines("sys"),
        lines("ref"),
        SPECS,
        "en",
        trees=trees("sys"),
        reference_trees=trees("ref"),
    )
    scores = printed["systems"][0]["scores"]
    assert {name: score["value"] for name, score in scores.items()} == {
        name: score.value for name, score in found.items()
    }
    assert scores["dted"]["signature"] == found["dted"].signature
    assert "|parser:given|" in scores["dted"]["signature"]
    assert scores["dted"]["range"] == [0, 0.5]
    assert scores["dted:match=aligned,rescale=yes"]["range"] == [0, 1]


def test_several_references_and_systems(cli: CommandLine) -> None:
    texts = ["-r", "ref.txt", "-r", "second.txt", "sys.txt", "other.txt"]
    more = ["--ref-trees", "ref.conllu", "--ref-trees", "second.conllu"]
    more += ["--trees", "sys.conllu", "--trees", "other.conllu"]
    printed = cli.json("score", *texts, *more, *METRICS, "--format", "json")
    references = [list(pair) for pair in zip(lines("ref"), lines("second"), strict=True)]
    reference_trees = [list(pair) for pair in zip(trees("ref"), trees("second"), strict=True)]
    for one in printed["systems"]:
        name = one["name"].removesuffix(".txt")
        found = hb.score(
            lines(name), references, SPECS, trees=trees(name), reference_trees=reference_trees
        )
        for spec in SPECS:
            assert one["scores"][spec]["value"] == found[spec].value, (name, spec)


def test_column_with_several_references(cli: CommandLine) -> None:
    """The trees of all references of a segment are consecutive blocks."""
    several = [list(pair) for pair in zip(lines("ref"), lines("second"), strict=True)]
    several[1] = ["yes"]
    rows = (json.dumps({"refs": texts}) + "\n" for texts in several)
    Path("refs.jsonl").write_text("".join(rows), "utf-8")
    first, second = trees("ref"), trees("second")
    order = [first[0], second[0], second[1], first[2], second[2]]
    Path("refs.conllu").write_text("".join(map(to_conllu, order)), "utf-8")
    arguments = ["-r", "refs.jsonl:refs", "sys.txt", "--ref-trees", "refs.conllu"]
    arguments += ["--trees", "sys.conllu", "-m", "dted", "--format", "json"]
    printed = cli.json("score", *arguments)
    found = hb.score(
        lines("sys"),
        several,
        "dted",
        trees=trees("sys"),
        reference_trees=[order[:2], [order[2]], order[3:]],
    )
    assert printed["systems"][0]["scores"]["dted"]["value"] == found["dted"].value


def test_compare(cli: CommandLine) -> None:
    arguments = ["-r", "ref.txt", "sys.txt", "other.txt", "-m", "dted", "--format", "json"]
    more = ["--ref-trees", "ref.conllu", "--trees", "sys.conllu", "--trees", "other.conllu"]
    printed = cli.succeed("compare", *arguments, *more).json()
    found = hb.compare(
        {"sys": lines("sys"), "other": lines("other")},
        lines("ref"),
        "dted",
        trees={"sys": trees("sys"), "other": trees("other")},
        reference_trees=trees("ref"),
    )
    assert printed == {**found.to_dict(), "separating": []}


def test_parser(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It parses every line, and none twice."""
    made = []

    def parser(spec: str | None, language: str | None) -> ToyParser:
        made.append(ToyParser(f"{spec}", "1/2"))
        return made[-1]

    monkeypatch.setattr("hyperbaton.metrics.dependency.load_parser", parser)
    arguments = ["score", "-r", "ref.txt", "sys.txt", "-m", "dted", "--format", "json"]
    printed = cli.json(*arguments, "--parser", "spacy:toy")
    score = printed["systems"][0]["scores"]["dted"]
    found = hb.score(
        lines("sys"), lines("ref"), "dted", trees=trees("sys"), reference_trees=trees("ref")
    )
    assert score["value"] == found["dted"].value
    assert "|parser:spacy:toy|" in score["signature"]
    assert "|model:1/2|" in score["signature"]
    asked = [line for one in made for line in one.asked]
    assert sorted(asked) == sorted({*lines("sys"), *lines("ref")})
    made.clear()
    assert cli.json(*arguments, "--parser", "spacy:toy") == printed
    assert [line for one in made for line in one.asked] == []


def test_example_systems_have_trees(cli: CommandLine) -> None:
    printed = cli.json("score", "--example", "-m", "dted", "--format", "json")
    for one in printed["systems"]:
        own, references = (
            list(hb.read_trees(EXAMPLE / f"{name}.conllu"))
            for name in (one["name"].removesuffix(".txt"), "reference")
        )
        distances = hb.tree_distances(zip(own, references, strict=True))
        sizes = [len(a) + len(b) for a, b in zip(own, references, strict=True)]
        values = [1 - d / n for d, n in zip(distances.tolist(), sizes, strict=True)]
        assert one["scores"]["dted"]["value"] == pytest.approx(sum(values) / 48, abs=1e-12)


TEXT = ["score", "-r", "ref.txt", "sys.txt", "-m", "dted"]


def test_error_messages(cli: CommandLine) -> None:
    def error(*arguments: str) -> str:
        return cli.error(*TEXT, *arguments)

    assert error("--trees", "sys.conllu") == (
        "--ref-trees is given 0 times, but there is 1 reference"
    )
    assert error("--ref-trees", "ref.conllu", "--trees", "sys.conllu", "--trees", "ref.conllu") == (
        "--trees is given 2 times, but there is 1 system"
    )
    assert error(*GIVEN, "--parser", "spacy:x") == (
        "--parser cannot be combined with --trees and --ref-trees"
    )
    assert error("--ref-trees", "ref.conllu", "--trees", "-") == (
        "with trees, files are read twice: standard input cannot be one of them"
    )
    assert error("--ref-trees", "ref.conllu", "--trees", "") == "a file name is empty"
    assert error("--ref-trees", "ref.conllu", "--trees", "none.conllu") == (
        "cannot read none.conllu: No such file or directory"
    )
    assert error("--ref-trees", "ref.conllu", "--trees", "other.conllu") == (
        "other.conllu, line 1 (sentence 1): the tree has 'The cat saw the dog .', but the text has "
        "'The dog saw the cat .' (token 2)"
    )
    assert error(*GIVEN, "-o", "sys.conllu") == "sys.conllu would be overwritten while it is read"
    assert error() == (
        "no parser: specify a language such as en, spacy:NAME, udpipe:FILE, or trees"
    )
    assert error("--parser", "stanza:en") == (
        "unknown parser 'stanza:en'; valid: spacy:NAME, udpipe:FILE"
    )
    assert sorted(path.name for path in Path().iterdir() if path.suffix == ".part") == []


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda text: text[: text.index("\n\n") + 2], "1 sentence, but sys.txt has 3 lines"),
        (lambda text: text + "1\tx\t_\t_\t_\t_\t0\t_\t_\t_\n\n", "4 sentences, but sys.txt has 3"),
        (lambda text: text.replace("2\tdog", "2\tcow"), "(token 2)"),
        (lambda text: text.replace("\t0\t", "\t9\t"), "has the head 9, but there are 6 tokens"),
        (
            lambda text: text[: text.index("3\tsaw") + 5],
            "line 4 (sentence 1): token 3 must have 10 columns, got 2",
        ),
    ],
)
def test_trees_that_do_not_match_the_text(change: object, part: str, cli: CommandLine) -> None:
    path = Path("sys.conllu")
    assert callable(change)
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    message = cli.error(*TEXT, *GIVEN)
    assert message.startswith("sys.conllu")
    assert part in message


def test_contradictory_options(cli: CommandLine) -> None:
    text = TEXT[:-2]
    assert cli.error(*text, "-m", "dted:parser=given") == (
        "dted: parser=given needs trees: give them to score or compare"
    )
    assert cli.error(*text, "-m", "dted:parser=spacy:x", *GIVEN) == (
        "dted: trees are given, so parser= has no effect"
    )
    assert cli.error(*text, "-m", "pef:align=given") == (
        "pef: align=given needs alignments: give them to score or compare"
    )


def test_parser_is_ignored_by_other_metrics(cli: CommandLine) -> None:
    plain = cli.output(*TEXT[:-2], "-m", "pef,wer,bleu,full")
    assert cli.output(*TEXT[:-2], "-m", "pef,wer,bleu,full", "--parser", "spacy:x") == plain
