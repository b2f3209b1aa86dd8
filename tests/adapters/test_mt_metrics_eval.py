"""Score files for mt-metrics-eval, checked by the rules of its README."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import hyperbaton as hb
from adapters.conftest import read_lines
from command_line import CommandLine
from hyperbaton.adapters.mt_metrics_eval import write_scores
from hyperbaton.errors import InputError, MissingData
from hyperbaton.text.tokenization import missing_mecab

METRICS = ["full:order=ulam,bp=off", "hyper:precedence=off", "wer", "bleu"]
BASE_NAMES = ["full-order=ulam,bp=off", "hyper-precedence=off", "wer", "bleu"]
SYSTEMS = ("literal", "phrasal")
REFERENCES = {"refA": "reference", "refB": "fluent"}  # the third system stands for a reference
CHOICES = (("refA",), ("refB",), ("refA", "refB"))
N = 48


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test set with two references; the second one is also in the folder of systems."""
    monkeypatch.chdir(tmp_path)
    write_test_set(tmp_path / "wmt", "de-en")
    return tmp_path / "wmt"


def write_test_set(folder: Path, pair: str) -> None:
    write_lines(folder / "sources" / f"{pair}.txt", read_lines("source"))
    for name, text in REFERENCES.items():
        write_lines(folder / "references" / f"{pair}.{name}.txt", read_lines(text))
    for name, text in {**{name: name for name in SYSTEMS}, "refB": "fluent"}.items():
        write_lines(folder / "system-outputs" / pair / f"{name}.txt", read_lines(text))
    human = [f"{name}\t{k}" for k, name in enumerate(SYSTEMS) for _ in range(N)]
    write_lines(folder / "human-scores" / f"{pair}.mqm.seg.score", human)


def write_lines(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def check_layout(folder: Path, pair: str) -> dict[tuple[str, frozenset[str], str], int]:
    """Check the metric scores of a language pair by the README of mt-metrics-eval.

    Return the number of lines of each file by base name, references and level.
    """
    outputs = {path.name[:-4] for path in (folder / "system-outputs" / pair).glob("*.txt")}
    references = {path.name.split(".")[-2] for path in (folder / "references").glob(f"{pair}.*")}
    segments = len((folder / "sources" / f"{pair}.txt").read_text("utf-8").splitlines())
    found = {}
    for path in (folder / "metric-scores" / pair).glob("*.score"):
        name, level, extension = path.name.rsplit(".", maxsplit=2)
        assert (extension, level in ("sys", "seg")) == ("score", True)
        base, joined = name.rsplit("-", maxsplit=1)
        used = frozenset(references if joined == "all" else joined.split("."))
        assert used <= references
        scores: dict[str, list[float]] = {}
        previous = ""
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                system, score = line.split()  # None is not a number, so that float refuses it
                assert system == previous or system not in scores  # each system is one block
                scores.setdefault(system, []).append(float(score))
                previous = system
        assert set(scores) == outputs - used
        assert {len(values) for values in scores.values()} == {1 if level == "sys" else segments}
        assert (base, used, level) not in found
        found[base, used, level] = sum(map(len, scores.values()))
    return found


def test_files_follow_the_layout(folder: Path) -> None:
    written = write_scores(folder, [*METRICS, "hyper"])
    expected = {
        (base, frozenset(choice), level): (3 - ("refB" in choice)) * (1 if level == "sys" else N)
        for base in (*BASE_NAMES, "hyper")
        for choice in CHOICES
        for level in ("sys", "seg")
    }
    assert check_layout(folder, "de-en") == expected
    assert sorted(written) == sorted((folder / "metric-scores" / "de-en").glob("*.score"))


def test_scores_are_read_back_to_the_last_bit(folder: Path) -> None:
    metrics = [*METRICS, "hyper"]
    write_scores(folder, metrics)
    (test_set,) = hb.read_test_sets(folder, others=True, references=["refA"])
    texts = {**{name: read_lines(name) for name in SYSTEMS}, "refB": read_lines("fluent")}
    assert set(test_set.systems) == set(texts)
    for choice in CHOICES:
        columns = [read_lines(REFERENCES[name]) for name in choice]
        references = [list(row) for row in zip(*columns, strict=True)]
        for k, name in enumerate(test_set.systems):
            expected = hb.score(texts[name], references, metrics, language="en")
            for metric, base in zip(metrics, [*BASE_NAMES, "hyper"], strict=True):
                read = test_set.others[f"{base}-{'.'.join(choice)}"]
                assert read.system_scores is not None
                if name in choice:  # a reference is not scored with itself
                    assert np.isnan(read.system_scores[k])
                    continue
                sign = 1 if expected[metric].higher_is_better else -1
                assert read.system_scores[k] == sign * expected[metric].computed_value
                values = sign * expected[metric].computed_segments
                np.testing.assert_array_equal(read.segments[k], values)


def test_meta_finds_the_scores_with_the_right_sign(folder: Path, cli: CommandLine) -> None:
    cli.succeed("score", "--mtme", "wmt", "-m", "wer,adjacency")
    found = cli.succeed(
        *("meta", "wmt", "--others", "-r", "refA", "-l", "en", "-m", "wer,adjacency"),
        *("--samples", "5", "--format", "json"),
    ).json()
    agreement = found["pairs"][0]["metrics"]
    for metric in ("wer", "adjacency"):
        assert agreement[metric]["value"] == agreement[f"{metric}-refA"]["value"] != 0


def test_the_signature_is_kept(folder: Path) -> None:
    write_scores(folder, ["wer", "pef"])
    scores = folder / "metric-scores" / "de-en"
    for metric, negated in (("wer", True), ("pef", False)):
        expected = hb.score(["a"], ["a"], metric, language="en")[metric]
        settings = json.loads((scores / f"{metric}-refA.hyperbaton.json").read_text("utf-8"))
        assert settings == {
            "schema": "hyperbaton/mtme/1",
            "metric": metric,
            "signature": expected.signature,
            "references": ["refA"],
            "negated": negated,
        }


def test_an_error_rate_of_0_has_no_sign(folder: Path) -> None:
    shutil.copy(folder / "references/de-en.refA.txt", folder / "system-outputs/de-en/refA.txt")
    write_lines(folder / "system-outputs/de-en/copy.txt", read_lines("reference"))
    write_scores(folder, "wer")
    lines = (folder / "metric-scores/de-en/wer-refA.sys.score").read_text("utf-8").splitlines()
    assert lines[0] == "copy\t0.0"
    assert lines[1].startswith("literal\t-0.")


def test_the_language_is_that_of_the_pair(folder: Path, cli: CommandLine) -> None:
    write_test_set(folder, "en-zh")
    cli.succeed("score", "--mtme", "wmt", "-m", "adjacency")
    for pair, token in (("de-en", "align:exact+stem+anchored.en"), ("en-zh", "tok:zh")):
        path = folder / "metric-scores" / pair / "adjacency-refA.hyperbaton.json"
        assert token in json.loads(path.read_text("utf-8"))["signature"]
    cli.succeed("score", "--mtme", "wmt", "-m", "adjacency", "-l", "de")
    assert "stem+anchored.de" in path.read_text("utf-8")


def test_a_missing_tokeniser_is_noticed_before_scoring(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_test_set(folder, "en-ja")

    def find_tokenizer(name: str) -> None:
        if name == "ja-mecab":
            raise missing_mecab(name)

    def fail(*_: object, **__: object) -> None:
        pytest.fail("a language pair was scored")

    monkeypatch.setattr("hyperbaton.adapters.mt_metrics_eval.insert_spaces", find_tokenizer)
    monkeypatch.setattr("hyperbaton.adapters.mt_metrics_eval.FileRun.score", fail)
    with pytest.raises(MissingData, match="tokeniser 'ja-mecab' needs MeCab"):
        write_scores(folder, "pef")


def test_language_pairs_are_chosen(folder: Path, cli: CommandLine) -> None:
    write_test_set(folder, "en-zh")
    write_test_set(folder, "en-ru")
    result = cli.succeed("score", "--mtme", "wmt", "--langpair", "en-zh,de-en", "-m", "bleu")
    assert result.stdout == ""
    assert "hyperbaton: wrote 6 score files to wmt/metric-scores/de-en\n" in result.stderr
    assert {path.name for path in (folder / "metric-scores").iterdir()} == {"de-en", "en-zh"}
    message = cli.error("score", "--mtme", "wmt", "--langpair", "en-cs")
    assert message == "wmt/system-outputs has no en-cs; language pairs: de-en, en-ru, en-zh"


def test_own_files_are_replaced_and_others_are_not(folder: Path) -> None:
    scores = folder / "metric-scores" / "de-en"
    write_scores(folder, ["bleu"])
    write_lines(folder / "system-outputs/de-en/literal.txt", read_lines("reference"))
    write_scores(folder, ["bleu"])
    assert "literal\t1.0" in (scores / "bleu-refA.sys.score").read_text("utf-8")
    write_lines(scores / "pef-refB.sys.score", ["literal\t1"])
    before = files_in(folder)
    with pytest.raises(InputError, match=r"pef-refB\.sys\.score exists, and Hyperbaton did not"):
        write_scores(folder, ["wer", "pef"])
    assert files_in(folder) == before


def test_file_names_are_valid_everywhere(folder: Path) -> None:
    model = Path("my models") / "news: 1.txt"
    write_lines(model, read_lines("reference") * 3)
    write_scores(folder, [f"order:precedence={model}"])
    names = [path.name for path in (folder / "metric-scores" / "de-en").iterdir()]
    assert "order-precedence=my%20models%2Fnews%3A%201.txt-refA.seg.score" in names
    assert len(check_layout(folder, "de-en")) == 6
    with pytest.raises(InputError, match="PEF and pef would be written to the same files"):
        write_scores(folder, ["PEF", "pef"])
    long = "x" * 240
    write_lines(Path(long), read_lines("reference") * 3)
    with pytest.raises(InputError, match=r"cannot write .*: File name too long"):
        write_scores(folder, [f"order:precedence={long}"])


@pytest.mark.parametrize(
    ("action", "path", "message"),
    [
        ("missing", "sources/de-en.txt", "{} is missing: mt-metrics-eval needs a plain text"),
        ("missing", "references", "wmt/references has no de-en.NAME.txt"),
        ("missing", "system-outputs", "wmt is not a test set of mt-metrics-eval: there is no"),
        ("shorter", "system-outputs/de-en/literal.txt", "wmt/sources/de-en.txt has 48 lines, but"),
        ("longer", "references/de-en.refA.txt", "{} has 49 lines, but wmt/sources/de-en.txt has"),
        ("empty", "system-outputs/de-en/literal.txt", "has 48 lines, but {} is empty"),
        ("empty", "sources/de-en.txt", "{} is empty"),
        ("gzip", "system-outputs/de-en/literal.txt", "{} is compressed or cannot be read"),
        ("new", "system-outputs/de-en/x.txt.gz", "{} is not a .txt file, and mt-metrics-eval"),
        ("new", "references/de-en.refC.txt.gz", "{} is not a .txt file, and mt-metrics-eval"),
        ("new", "references/de-en.ref.C.txt", "{}: a reference cannot be named 'ref.C': names"),
        ("new", "references/de-en.ref-C.txt", "{}: a reference cannot be named 'ref-C': names"),
        ("new", "references/de-en.all.txt", "{}: a reference cannot be named 'all': names"),
        ("new", "references/de-en.src.txt", "{}: a reference cannot be named 'src': names"),
        ("new", "system-outputs/de-en/a b.txt", "{}: the name of a system cannot have white"),
        ("new", "system-outputs/german/x.txt", "wmt/system-outputs/german is not named as a"),
        ("bytes", "system-outputs/de-en/literal.txt", "{}, line 1, is not UTF-8"),
        ("folder", "system-outputs/en-xx", "system-outputs/en-xx has no system"),
        ("file", "metric-scores", "cannot write wmt/metric-scores/de-en: wmt/metric-scores is"),
    ],
)
def test_a_bad_layout(action: str, path: str, message: str, folder: Path, cli: CommandLine) -> None:
    """Each is one line that names the file, and nothing is written."""
    file = folder / path
    if action == "missing":
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    elif action == "shorter":
        write_lines(file, read_lines("literal")[1:])
    elif action == "longer":
        write_lines(file, [*read_lines("literal"), "x"])
    elif action == "gzip":
        file.write_bytes(b"\x1f\x8b\x08\x00")
    elif action == "bytes":
        file.write_bytes(b"\xff\n" * N)
    elif action == "folder":
        shutil.copy(folder / "sources/de-en.txt", folder / "sources/en-xx.txt")
        shutil.copy(folder / "references/de-en.refA.txt", folder / "references/en-xx.refA.txt")
        file.mkdir()
    else:
        write_lines(file, [] if action == "empty" else read_lines("literal"))
    before = files_in(folder)
    assert message.format(f"wmt/{path}") in cli.error("score", "--mtme", "wmt", "-m", "bleu")
    assert files_in(folder) == before


def test_an_unknown_target_language(folder: Path, cli: CommandLine) -> None:
    write_test_set(folder, "en-xx")
    message = cli.error("score", "--mtme", "wmt", "-m", "bleu")
    assert message.startswith("en-xx: unknown language 'xx'")
    cli.succeed("score", "--mtme", "wmt", "-m", "bleu", "-l", "en")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["x.txt"], "--mtme needs a test set alone, or references (-r REF) and systems"),
        (["-r", "x.txt"], "--mtme needs a test set alone, or references (-r REF) and systems"),
        (["--example"], "--mtme cannot be used with --example or --test-set"),
        (["--test-set", "wmt20"], "--mtme cannot be used with --example or --test-set"),
        (
            ["--confidence"],
            "--mtme cannot be used with --confidence, --segments or an output folder",
        ),
        (["--source", "x"], "--mtme writes score files only: it cannot be used with alignments"),
        (
            ["--format", "json"],
            "--mtme writes score files only: it cannot be used with --output, --format",
        ),
    ],
)
def test_options_that_do_not_apply(
    options: list[str], message: str, folder: Path, cli: CommandLine
) -> None:
    assert cli.error("score", "--mtme", "wmt", *options).startswith(message)


def test_files_of_ones_own(folder: Path, cli: CommandLine) -> None:
    """They give the files that the same texts give in a test set."""
    (folder / "system-outputs/de-en/refB.txt").unlink()
    write_scores(folder, METRICS)
    expected = {
        path.name: path.read_bytes() for path in (folder / "metric-scores" / "de-en").iterdir()
    }
    outputs = sorted(str(path) for path in (folder / "system-outputs" / "de-en").iterdir())
    references = sorted(str(path) for path in (folder / "references").iterdir())
    arguments = [word for path in references for word in ("-r", path)] + outputs
    options = [word for metric in METRICS for word in ("-m", metric)]
    result = cli.succeed("score", *arguments, *options, "--mtme", "new/scores")
    assert result.stderr.endswith("wrote 24 score files to new/scores/metric-scores/de-en\n")
    written = Path("new/scores/metric-scores/de-en")
    assert {path.name: path.read_bytes() for path in written.iterdir()} == expected


def test_a_system_with_the_name_of_a_reference(folder: Path, cli: CommandLine) -> None:
    """Among files of one's own, it is a system."""
    write_lines(Path("r/test.txt"), read_lines("reference"))
    write_lines(Path("s/test.txt"), read_lines("literal"))
    cli.succeed(
        *("score", "-r", "r/test.txt", "s/test.txt", "-m", "wer"),
        *("--mtme", "out", "--langpair", "de-en"),
    )
    value = float(hb.score(read_lines("literal"), read_lines("reference"), "wer")["wer"])
    path = Path("out/metric-scores/de-en/wer-test.sys.score")
    assert path.read_text("utf-8") == f"test\t{-value}\n"
    cli.succeed(
        *("score", "-r", "refC=r/test.txt", "s/test.txt", "-m", "wer"),
        *("--mtme", "out", "--langpair", " de-en"),
    )
    assert path.with_name("wer-refC.seg.score").exists()


def test_a_reference_without_a_name_is_ignored(folder: Path) -> None:
    """As mt-metrics-eval does."""
    write_lines(folder / "references" / "de-en.txt", read_lines("reference"))
    (folder / "system-outputs" / ".hidden").mkdir()
    write_scores(folder, "wer")
    assert {used for _, used, _ in check_layout(folder, "de-en")} == set(map(frozenset, CHOICES))


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
def test_names_that_are_not_utf_8(folder: Path, cli: CommandLine) -> None:
    shutil.copy(
        os.fsencode(folder / "system-outputs/de-en/literal.txt"),
        os.fsencode(folder / "system-outputs/de-en") + b"/x\xff.txt",
    )
    message = cli.error("score", "--mtme", "wmt", "-m", "wer")
    assert message == "the name of a reference or system has an unpaired surrogate"


def test_names_of_ones_own_files(folder: Path, cli: CommandLine) -> None:
    Path("ref.txt").write_bytes((folder / "references/de-en.refA.txt").read_bytes())
    rows = zip(read_lines("literal"), read_lines("phrasal"), strict=True)
    write_lines(Path("data.tsv"), ["x\ty", *("\t".join(row) for row in rows)])
    command = [
        "score",
        "-r",
        "ref.txt",
        "data.tsv:x",
        "new=data.tsv:y",
        "-m",
        "wer",
        "--mtme",
        "out",
    ]
    message = cli.error(*command)
    assert message == "--mtme needs the language pair of these files: --langpair en-de"
    cli.succeed(*command, "--langpair", "de-en")
    expected = {
        name: -float(hb.score(read_lines(text), read_lines("reference"), "wer")["wer"])
        for name, text in (("x", "literal"), ("new", "phrasal"))
    }
    lines = Path("out/metric-scores/de-en/wer-ref.sys.score").read_text("utf-8").splitlines()
    assert {name: float(value) for name, value in map(str.split, lines)} == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-r", "en-de.a.txt", "s.txt", "--langpair", "x"], "'x' is not a language pair such as"),
        (
            ["-r", "en-de.a.txt", "s.txt", "--langpair", "a-b,c-d"],
            "REF and SYS need a single language pair",
        ),
        (["-r", "en-de.a.txt", "s.txt", "--langpair", "../x-y"], "'../x-y' is not a language pair"),
        (["-r", "en-de.all.txt", "s.txt"], "en-de.all.txt: a reference cannot be named 'all': "),
        (["-r", "en-de.a.txt", "a b=s.txt"], "s.txt: the name of a system cannot have white space"),
        (["-r", "en-de.a.txt", "-r", "x/en-de.a.txt", "s.txt"], "two references have the name"),
        (["-r", "en-de.a.txt", "-r", "en-de.all.txt", "-"], "en-de.all.txt: a reference cannot be"),
        (
            ["-r", "en-de.a.txt", "-r", "b=s.txt", "c=-", "--langpair", "en-de"],
            "with several references, files are read several times: standard input cannot be one",
        ),
        (["-r", "en-de.a.txt", "t.txt"], "en-de.a.txt has 2 lines, but t.txt has 1"),
        (["-r", "en-de.a.txt", "none.txt"], "cannot read none.txt: No such file"),
    ],
)
def test_errors_in_ones_own_files(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    cli: CommandLine,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("en-de.a.txt", "x/en-de.a.txt", "en-de.all.txt", "s.txt"):
        write_lines(Path(name), ["a", "b"])
    write_lines(Path("t.txt"), ["a"])
    before = files_in(tmp_path)
    assert cli.error("score", *arguments, "-m", "wer", "--mtme", "out").startswith(message)
    assert files_in(tmp_path) == before


def test_a_configuration_does_not_disturb(folder: Path, cli: CommandLine) -> None:
    table = '[tool.hyperbaton]\nlanguage = "de"\nformat = "latex"\ndigits = 2\nmetrics = ["wer"]\n'
    Path("pyproject.toml").write_text(table, encoding="utf-8")
    cli.succeed("score", "--mtme", "wmt")
    assert {base for base, _, _ in check_layout(folder, "de-en")} == {"wer"}


def test_a_failed_write_leaves_old_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scores(folder, ["bleu"])
    scores = folder / "metric-scores" / "de-en"
    before = {path: path.read_bytes() for path in scores.iterdir()}
    write_lines(folder / "system-outputs/de-en/literal.txt", read_lines("reference"))

    def fail(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("hyperbaton.adapters.mt_metrics_eval.json.dumps", fail)
    with pytest.raises(OSError, match="No space"):
        write_scores(folder, ["bleu"])
    assert {path: path.read_bytes() for path in scores.iterdir()} == before


@pytest.mark.skipif("HYPERBATON_DATA" not in os.environ, reason="needs HYPERBATON_DATA")
def test_real_data(tmp_path: Path) -> None:
    """BioMQM has two references; its own folders are copied into the layout."""
    data = Path(os.environ["HYPERBATON_DATA"]) / "biomqm" / "de-en"
    folder = tmp_path / "biomqm"
    for source, target in (
        ("source.txt", "sources/de-en.txt"),
        ("reference.txt", "references/de-en.refA.txt"),
        ("reference.B.txt", "references/de-en.refB.txt"),
    ):
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data / source, folder / target)
    shutil.copytree(data / "systems", folder / "system-outputs" / "de-en")
    write_scores(folder, "hyper")
    assert len(check_layout(folder, "de-en")) == 6
