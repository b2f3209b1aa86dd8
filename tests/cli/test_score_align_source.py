"""``--align-source`` of ``score``, ``compare``, ``report`` and ``meta``, as a user calls them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import hyperbaton as hb
from command_line import CommandLine, NewProcess
from hyperbaton.alignment.choices import SYMMETRIZATIONS
from hyperbaton.cli.options import EXAMPLE, EXAMPLE_SYSTEMS
from hyperbaton.files.lines import read_lines
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.signature import Signature
from hyperbaton.runs.file_runs import FileCorpus
from hyperbaton.runs.run import Request
from meta import corpora
from runs.source_texts import pharaoh, texts

METRICS = "lr_kb1,lr_kb4,lr_hb1,lr_hb4,pef,adjacency,full"
ONE = ["-r", "ref.txt", "first.txt"]
BOTH = [*ONE, "second.txt"]
ALIGN = ["--source", "src.txt", "--align-source"]
ALIGNED = [*ONE, "-m", "lr_kb1", *ALIGN]
BACKWARDS = ["--source", "ref.txt", "--align-source"]
FEW_PAIRS = "the source aligner was trained on only"


def write(name: str, lines: Sequence[str]) -> None:
    Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")


def read(path: str | Path) -> list[str]:
    return [str(line) for line in read_lines(path)]


@pytest.fixture(autouse=True)
def files() -> None:
    """Write a source, two references and two systems."""
    given = texts((2,))
    write("src.txt", given.source)
    for k, name in enumerate(("ref.txt", "other.txt")):
        write(name, [row[k] for row in given.references])
    for name, lines in given.systems.items():
        write(f"{name}.txt", lines)


def train(**options: Any) -> hb.SourceAligner:
    """Return the aligner that scoring of both systems trains."""
    pairs = zip_files("ref.txt", "first.txt", "second.txt")
    return hb.SourceAligner.train(pairs, **options)


def zip_files(*names: str) -> Iterator[tuple[str, str]]:
    for name in names:
        yield from zip(read("src.txt"), read(name), strict=True)


def scores(output: dict[str, Any]) -> list[dict[str, Any]]:
    """The scores of each system, without the aligners of their signatures."""
    systems: list[dict[str, Any]] = json.loads(json.dumps(output["systems"]))
    for system in systems:
        for score in system["scores"].values():
            fields = [pair for pair in Signature.parse(score["signature"]) if pair[0] != "aligner"]
            score["signature"] = fields
    return systems


def aligner_of(output: dict[str, Any]) -> str:
    """The only aligner that signatures name."""
    (signature,) = {
        dict(Signature.parse(score["signature"]))["aligner"]
        for system in output["systems"]
        for score in system["scores"].values()
    }
    return signature


# The numbers


@pytest.mark.parametrize("references", [["ref.txt"], ["ref.txt", "other.txt"]])
def test_numbers_are_those_of_files_of_links(references: list[str], cli: CommandLine) -> None:
    systems = ["first.txt", "second.txt"]
    aligner = hb.SourceAligner.train(zip_files(*references, *systems))
    for name in (*references, *systems):
        links = aligner.align(read("src.txt"), read(name))
        write(f"{name}.align", [one.to_pharaoh() for one in links])
    call = ["score", *systems, "-m", METRICS, "--source", "src.txt", "--format", "json"]
    call += [part for name in references for part in ("-r", name)]
    found = cli.succeed(*call, "--align-source", "--segments", "found.tsv")
    given = [part for name in systems for part in ("--alignment", f"{name}.align")]
    given += [part for name in references for part in ("--ref-alignment", f"{name}.align")]
    given += ["--source-tokenize", "13a", "--segments", "given.tsv"]
    expected = cli.succeed(*call, *given)
    assert scores(found.json()) == scores(expected.json())
    assert aligner_of(found.json()) == aligner.signature
    assert Path("found.tsv").read_bytes() == Path("given.tsv").read_bytes()


@pytest.mark.filterwarnings(f"ignore:{FEW_PAIRS}")
def test_numbers_are_those_of_python(cli: CommandLine) -> None:
    given = texts((2,))
    found = cli.succeed("score", *BOTH, "-r", "other.txt", "-m", METRICS, *ALIGN, "-f", "json")
    compared = hb.compare(
        dict(given.systems),
        given.references,
        METRICS.split(","),
        source=given.source,
        align_source=hb.SourceAligner.train(given.pairs("first", "second")),
        samples=1,
    )
    for system, result in zip(found.json()["systems"], compared.results, strict=True):
        assert system["name"] == result.name
        for name, score in system["scores"].items():
            assert score["value"] == result[name].value
            assert score["signature"] == result[name].signature


@pytest.mark.parametrize("piped", ["ref.txt", "src.txt", "first.txt"])
def test_what_comes_from_a_pipe_is_read_once(piped: str, cli: CommandLine) -> None:
    call = ["score", *ONE, "-m", "lr_kb1,order", *ALIGN, "-f", "json"]
    expected = cli.succeed(*call).json()["systems"][0]["scores"]
    call = ["-" if argument == piped else argument for argument in call]
    found = cli.succeed(*call, stdin=Path(piped).read_text("utf-8")).json()
    assert found["systems"][0]["scores"] == expected


def test_threads_order_and_repetition_change_nothing(cli: CommandLine) -> None:
    call = ["score", "-r", "ref.txt", "-m", METRICS, *ALIGN, "-f", "json"]
    first = cli.succeed(*call, "first.txt", "second.txt").json()
    for threads in ("1", "2", "5"):
        assert cli.succeed(*call, "first.txt", "second.txt", "--threads", threads).json() == first
    swapped = cli.succeed(*call, "second.txt", "first.txt").json()
    assert swapped["systems"][::-1] == first["systems"]


def test_a_saved_model_gives_the_same_output(cli: CommandLine) -> None:
    train().save("model")
    call = ["score", *BOTH, "-m", METRICS, *ALIGN, "-f", "json"]
    trained, loaded = cli.succeed(*call), cli.succeed(*call, "--aligner-model", "model")
    assert loaded.json() == trained.json()


@pytest.mark.parametrize("symmetrization", SYMMETRIZATIONS)
def test_options_of_the_aligner(symmetrization: str, cli: CommandLine) -> None:
    call = ["score", *BOTH, "-m", "lr_kb1", *ALIGN, "-f", "json", "--symmetrize", symmetrization]
    seeded = cli.succeed(*call, "--aligner-seed", "7", "--source-tokenize", "intl").json()
    expected = train(seed=7, symmetrization=symmetrization, source_tokenize="intl")
    assert aligner_of(seeded) == expected.signature
    train().save("model")
    loaded = cli.succeed(*call, "--aligner-model", "model").json()
    assert aligner_of(loaded) == train(symmetrization=symmetrization).signature
    assert scores(loaded) == scores(cli.succeed(*call).json())


def test_more_text(cli: CommandLine) -> None:
    """Bitexts may be plain, gzipped or columns, and a target may have several texts."""
    given = texts((2,))
    with gzip.open("more.gz", "wt", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in given.source))
    write("more.jsonl", [json.dumps({"en": row}) for row in given.references])
    call = ["score", *BOTH, "-m", "lr_kb1", *ALIGN, "-f", "json"]
    found = cli.succeed(
        *call, "--bitext", "src.txt", "other.txt", "--bitext=more.gz", "more.jsonl:en"
    ).json()
    pairs = [*zip_files("ref.txt", "first.txt", "second.txt", "other.txt"), *given.pairs()]
    assert aligner_of(found) == hb.SourceAligner.train(pairs).signature


def test_columns_of_files(cli: CommandLine) -> None:
    rows = [
        json.dumps({"de": line, "en": list(row), "first": hyp})
        for line, row, hyp in zip(
            texts((2,)).source, texts((2,)).references, texts((2,)).hypotheses, strict=True
        )
    ]
    write("all.jsonl", rows)
    columns = ["-r", "all.jsonl:en", "all.jsonl:first", "--source", "all.jsonl:de"]
    found = cli.succeed("score", *columns, "--align-source", "-m", METRICS, "-f", "json").json()
    files = [*ONE, "-r", "other.txt", *ALIGN, "-m", METRICS, "-f", "json"]
    expected = cli.succeed("score", *files).json()
    for ours, theirs in zip(found["systems"], expected["systems"], strict=True):
        assert ours["scores"] == theirs["scores"]


def test_the_example_has_a_source(cli: CommandLine) -> None:
    found = cli.succeed("score", "--example", "--align-source", "-m", "lr_kb1", "-f", "json").json()
    source, reference, *systems = (
        read(EXAMPLE / f"{name}.txt") for name in ("source", "reference", *EXAMPLE_SYSTEMS)
    )
    pairs = [pair for lines in (reference, *systems) for pair in zip(source, lines, strict=True)]
    assert aligner_of(found) == hb.SourceAligner.train(pairs, language="en").signature


def test_progress_is_shown_on_a_terminal(cli_process: NewProcess) -> None:
    done = cli_process.on_terminal("stderr", "score", *ALIGNED)
    assert done.status == 0
    assert "training the source aligner" in done.stderr


# Other commands


def test_compare(cli: CommandLine) -> None:
    call = [*BOTH, "-m", METRICS, *ALIGN, "-f", "json"]
    compared = cli.succeed("compare", *call, "--samples", "20")
    scored = cli.succeed("score", *call).json()
    for name, metric in compared.json()["metrics"].items():
        assert metric["signature"] == scored["systems"][0]["scores"][name]["signature"]
        for system in scored["systems"]:
            (own,) = (one for one in metric["ranking"] if one["system"] == system["name"])
            assert own["value"] == system["scores"][name]["value"]
    assert FEW_PAIRS in compared.stderr


def test_the_report_shows_the_links_through_the_source(cli: CommandLine) -> None:
    call = ["report", *BOTH, "-m", "lr_kb1,pef", *ALIGN, "--samples", "20"]
    done = cli.succeed(*call, "-o", "page.html", "--json", "page.json")
    assert FEW_PAIRS in done.stderr
    content = json.loads(Path("page.json").read_text("utf-8"))
    html = Path("page.html").read_text("utf-8")
    start = html.index('id="content">') + len('id="content">')
    assert json.loads(html[start : html.index("</script>", start)]) == content
    aligner = train()
    reference_links = aligner.align(read("src.txt"), read("ref.txt"))
    for system, name in zip(content["systems"], ("first.txt", "second.txt"), strict=True):
        own = aligner.align(read("src.txt"), read(name))
        for shown, ours, theirs in zip(
            system["segments"]["links"], own, reference_links, strict=True
        ):
            # Words are linked that are translations of the same source word.
            expected = {
                (hyp, ref)
                for source, hyp in ours.links
                for same, ref in theirs.links
                if source == same
            }
            phrases = zip(shown[::3], shown[1::3], shown[2::3], strict=True)
            found = {(hyp + k, ref + k) for hyp, ref, n in phrases for k in range(n)}
            assert found <= expected
            assert bool(found) == bool(expected)
    given = texts((2,))
    for name in ("first", "second"):
        system_links, _ = pharaoh(aligner, given, given.systems[name])
        write(f"{name}.align", system_links)
    write("ref.align", [one.to_pharaoh() for one in reference_links])
    links = ["--source", "src.txt", "--source-tokenize", "13a", "--ref-alignment", "ref.align"]
    links += ["--alignment", "first.align", "--alignment", "second.align"]
    cli.succeed(
        *["report", *BOTH, "-m", "lr_kb1,pef", *links, "--samples", "20"],
        *["-o", "given.html", "--json", "given.json"],
    )
    from_files = json.loads(Path("given.json").read_text("utf-8"))
    for ours, theirs in zip(content["systems"], from_files["systems"], strict=True):
        assert ours["segments"] == theirs["segments"]


@pytest.mark.parametrize("command", ["compare", "report"])
def test_the_example_in_other_commands(command: str, cli: CommandLine) -> None:
    done = cli.succeed(command, "--example", "--align-source", "-m", "lr_kb1", "--samples", "10")
    assert f"{FEW_PAIRS} 48 source sentences" in done.stderr


# Warnings and notes


def lines_about_aligner(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if "sentence pair" in line or FEW_PAIRS in line]


@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_warnings_and_notes(command: str, cli: CommandLine) -> None:
    write("src.txt", [*read("src.txt"), "haus " * 401])
    for name in ("ref.txt", "first.txt", "second.txt"):
        write(name, [*read(name), "house"])
    pairs = list(zip_files("ref.txt", "first.txt", "second.txt"))
    empty = sum(not source or not target for source, target in pairs)
    done = cli.succeed(command, *BOTH, "-m", METRICS, *ALIGN)
    found = lines_about_aligner(done.stderr)
    others = [line for line in found if "warning" not in line and "no link" not in line]
    assert [line.partition(",")[0] for line in others] == [
        f"hyperbaton: note: {empty} sentence pairs with an empty side: not used for training",
        "hyperbaton: note: 3 sentence pairs with more than 400 words on a side: not used for "
        "training",
    ]
    (warning,) = (line for line in found if "warning" in line)
    sources = {source for source, target in pairs if source and target and len(source) < 400}
    assert warning.startswith(f"hyperbaton: warning: {FEW_PAIRS} {len(sources)} source sentences")


# Errors


ERRORS: dict[str, tuple[list[str], str]] = {
    "no source": (
        [*ONE, "-m", "lr_kb1", "--align-source"],
        "--align-source needs the source text: --source SRC",
    ),
    "no such source": (
        [*ONE, "-m", "lr_kb1", "--align-source", "--source", "nope.txt"],
        "cannot read nope.txt",
    ),
    "links": ([*ALIGNED, "--alignment", "x"], "--alignment cannot be used with --align-source"),
    "reference links": (
        [*ALIGNED, "--ref-alignment", "x"],
        "--ref-alignment cannot be used with --align-source",
    ),
    "numbers from one": (
        [*ALIGNED, "--one-based"],
        "--one-based cannot be used with --align-source",
    ),
    "sure links": ([*ALIGNED, "--sure"], "--sure cannot be used with --align-source"),
    "a short source": (
        [*ONE, "-m", "lr_kb1", "--align-source", "--source", "short.txt"],
        "ref.txt has 24 lines, but short.txt has 5",
    ),
    "an empty source": (
        [*ONE, "-m", "lr_kb1", "--align-source", "--source", "empty.txt"],
        "ref.txt has 24 lines, but empty.txt is empty",
    ),
    "all files empty": (
        [
            "-r",
            "empty.txt",
            "empty2.txt",
            "-m",
            "lr_kb1",
            "--align-source",
            "--source",
            "empty.txt",
        ],
        "empty.txt is empty",
    ),
    "several texts in a line": (
        [*ONE, "-m", "lr_kb1", "--align-source", "--source", "several.jsonl:de"],
        "several.jsonl:de, line 2: expected one source sentence, got 2",
    ),
    "no metric with links": ([*ONE, "-m", "wer,bleu", *ALIGN], "no metric uses links"),
    "other words": (
        [*ALIGNED, "-m", "pef:tok=none"],
        "lr_kb1 has tok=13a,fold=none and pef:tok=none has tok=none,fold=none",
    ),
    "trees": (
        [*ALIGNED, "-m", "dted:match=aligned", "-l", "en"],
        "dted:match=aligned needs links between the words of trees",
    ),
    "no such model": ([*ALIGNED, "--aligner-model", "nope"], "cannot read nope"),
    "a text for a model": (
        [*ALIGNED, "--aligner-model", "ref.txt"],
        "ref.txt is not a saved model",
    ),
    "a model of other target words": (
        [*ONE, "-m", "lr_kb1:tok=none", *ALIGN, "--aligner-model", "model"],
        "model was trained on target texts with tok=13a, but here it is tok=none",
    ),
    "a model of other source words": (
        [*ALIGNED, "--aligner-model", "model", "--source-language", "zh"],
        "model was trained on source texts with tok=13a, but here it is tok=zh",
    ),
    "a model of another direction": (
        ["-r", "src.txt", "src2.txt", "-m", "lr_kb1", *BACKWARDS, "--aligner-model", "model"],
        "% of the source words: it was probably trained on other languages, or in the other "
        "direction",
    ),
    "a model of other languages": (
        ["-r", "src.txt", "src2.txt", "-m", "lr_kb1", *ALIGN, "--aligner-model", "model"],
        "% of the target words: it was probably trained on other languages, or in the other "
        "direction",
    ),
    "a damaged model": ([*ALIGNED, "--aligner-model", "damaged"], "damaged is damaged"),
    "a cut model": ([*ALIGNED, "--aligner-model", "cut"], "cut is damaged"),
    "a model of another version": (
        [*ALIGNED, "--aligner-model", "future"],
        "future has version 999 of the format",
    ),
    "a model of soft order": (
        [*ALIGNED, "--aligner-model", "soft"],
        "soft is a model of the kind precedence",
    ),
    "a model and a bitext": (
        [*ALIGNED, "--aligner-model", "model", "--bitext", "src.txt", "other.txt"],
        "a saved aligner cannot be trained again",
    ),
    "a model and a seed": (
        [*ALIGNED, "--aligner-model", "model", "--aligner-seed", "2"],
        "--aligner-seed cannot be used with --aligner-model",
    ),
    "half a bitext": ([*ALIGNED, "--bitext", "src.txt"], "--bitext needs two files"),
    "half a bitext before a short option": (
        [*ALIGN, "--bitext", "src.txt", *ONE, "-m", "lr_kb1"],
        "--bitext needs two files",
    ),
    "half a bitext after =": ([*ALIGNED, "--bitext=src.txt"], "--bitext needs two files"),
    "half a bitext before an option": (
        [*ONE, "--bitext", "src.txt", *ALIGN, "-m", "lr_kb1"],
        "--bitext needs two files",
    ),
    "an uneven bitext": (
        [*ALIGNED, "--bitext", "other.txt", "short.txt"],
        "other.txt has 24 lines, but short.txt has 5",
    ),
    "a bitext with several sources": (
        [*ALIGNED, "--bitext", "several.jsonl:de", "other.txt"],
        "several.jsonl:de, line 2: expected one text, got 2",
    ),
    "no such bitext": ([*ALIGNED, "--bitext", "src.txt", "nope.txt"], "cannot read nope.txt"),
    "an unknown symmetrisation": (
        [*ALIGNED, "--symmetrize", "union"],
        "--symmetrize must be one of mean, geometric, intersection, grow-diag-final-and, got ",
    ),
    "a negative seed": ([*ALIGNED, "--aligner-seed", "-1"], "--aligner-seed"),
    "a huge seed": ([*ALIGNED, "--aligner-seed", str(1 << 64)], "integer below 2**64"),
    "an unknown tokeniser": ([*ALIGNED, "--source-tokenize", "13b"], "no tokeniser '13b'"),
    "an unknown language": ([*ALIGNED, "--source-language", "xx"], "unknown language 'xx'"),
    "bytes that are not UTF-8": (
        [*ONE, "-m", "lr_kb1", "--align-source", "--source", "latin.txt"],
        "latin.txt, line 2",
    ),
    "another source for the example": (
        ["--example", "-m", "lr_kb1", *ALIGN],
        "--example has its own systems and reference",
    ),
}


@pytest.fixture
def bad_files(cli: CommandLine) -> None:
    """Write the files of the errors."""
    write("short.txt", read("src.txt")[:5])
    write("src2.txt", read("src.txt"))
    write("empty.txt", [])
    write("empty2.txt", [])
    write("several.jsonl", ['{"de": "a"}', '{"de": ["a", "b"]}', *['{"de": "a"}'] * 22])
    Path("latin.txt").write_bytes(b"a\n\xe4\n" + b"a\n" * 22)
    aligner = hb.SourceAligner.train(zip_files("ref.txt", "first.txt"), iterations=4)
    aligner.save("model")
    data = Path("model").read_bytes()
    Path("cut").write_bytes(data[:-1])
    Path("damaged").write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    first, rest = data.split(b"\n", 1)
    Path("future").write_bytes(first[:-1] + b"999\n" + rest)
    cli.succeed("fit", "-r", "ref.txt", "-o", "soft")


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize("name", ERRORS)
def test_errors(name: str, cli: CommandLine) -> None:
    arguments, message = ERRORS[name]
    found = cli.error("score", *arguments, "-o", "out.json", "-f", "json", "--segments", "out.tsv")
    assert message in found
    assert not list(Path().glob("*out*"))


@pytest.mark.usefixtures("bad_files")
@pytest.mark.parametrize("name", ["no source", "a short source", "a damaged model", "trees"])
@pytest.mark.parametrize("command", ["compare", "report"])
def test_errors_of_other_commands(command: str, name: str, cli: CommandLine) -> None:
    arguments, message = ERRORS[name]
    found = cli.error(command, *arguments, "second.txt", "-o", "out.html")
    assert message in found
    assert not list(Path().glob("*out*"))


UNUSED = {
    "--aligner-model": ["model"],
    "--bitext": ["src.txt", "ref.txt"],
    "--aligner-seed": ["2"],
    "--symmetrize": ["mean"],
    "--source-language": ["de"],
    "--source-tokenize": ["13a"],
}
FOR_SOURCE = ("--source-language", "--source-tokenize")


def test_symmetrisations_are_those_of_the_aligner(cli: CommandLine) -> None:
    described = "".join(cli.output("score", "--help-all").split())  # lines break within names
    assert f"combined:{','.join(SYMMETRIZATIONS)};" in described


@pytest.mark.parametrize("option", UNUSED)
@pytest.mark.parametrize("command", ["score", "compare", "report"])
def test_options_that_would_have_no_effect(command: str, option: str, cli: CommandLine) -> None:
    found = cli.error(command, *BOTH, "-m", "pef", option, *UNUSED[option])
    given = ", or given links: --source, --alignment and --ref-alignment"
    message = f"{option} needs --align-source{given if option in FOR_SOURCE else ''}"
    assert found == message
    # Links between systems and references know no source.
    direct = ["--alignment", "links", "--alignment", "links"]
    assert cli.error(command, *BOTH, "-m", "pef", option, *UNUSED[option], *direct) == message


@pytest.mark.parametrize("option", UNUSED)
def test_folders_of_scores_need_no_aligner(option: str, cli: CommandLine) -> None:
    Path("scores").mkdir()
    found = cli.error("compare", "scores", "scores", option, *UNUSED[option])
    assert found == f"{option} needs --align-source"


def test_an_output_folder_is_for_given_links(cli: CommandLine) -> None:
    found = cli.error("score", *ALIGNED, "-o", "scores/")
    assert "--align-source cannot be used with an output folder" in found
    assert not Path("scores").exists()


def test_input_is_not_overwritten(cli: CommandLine) -> None:
    train(iterations=4).save("model")
    for option, name in (
        ([], "src.txt"),
        (["--bitext", "src.txt", "other.txt"], "other.txt"),
        (["--aligner-model", "model"], "model"),
    ):
        before = Path(name).read_bytes()
        found = cli.error("score", *ALIGNED, *option, "-o", name)
        assert found == f"{name} would be overwritten while it is read"
        assert Path(name).read_bytes() == before


@pytest.mark.parametrize("name", ["src.txt", "ref.txt", "first.txt"])
def test_a_file_that_changes_between_two_passes(
    name: str, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The links would not be those of the aligner that the signature names."""
    batches = FileCorpus.batches

    def change_afterwards(corpus: FileCorpus, request: Request) -> Iterator[Batch]:
        yield from batches(corpus, request)
        if request.again:
            write(name, [*read(name)[:-1], "another line"])

    monkeypatch.setattr(FileCorpus, "batches", change_afterwards)
    found = cli.error("score", *ALIGNED, "-o", "out.txt")
    assert found == f"{name} changed while it was read"
    assert not Path("out.txt").exists()


# Meta-evaluation


META = ["-m", "lr_kb1,pef", "--samples", "20", "--align-source"]
PAIRS = {"de-en": 1, "fr-en": 2}


def translate_back(lines: Sequence[str]) -> list[str]:
    """Return a source of other words, in the opposite order."""
    return [" ".join(f"{word[::-1]}t" for word in reversed(line.split())) for line in lines]


@pytest.fixture
def folders() -> None:
    """Write two folders, and one of mt-metrics-eval, with sources."""
    for pair, seed in PAIRS.items():
        corpora.write_folder(Path("set", pair), seed)
        source = translate_back(corpora.texts(seed)[0])
        corpora.write(Path("set", pair, "source.txt"), source)
    corpora.write_mt_metrics_eval(Path("mme"))
    corpora.write(Path("mme/sources/de-en.txt"), translate_back(corpora.texts(1)[0]))


def meta_aligner(seed: int, references: int = 1) -> hb.SourceAligner:
    lines, systems = corpora.texts(seed)
    source = translate_back(lines)
    pairs = [
        pair
        for side in (*[lines] * references, *systems.values())
        for pair in zip(source, side, strict=True)
    ]
    return hb.SourceAligner.train(pairs)


def meta_values(output: dict[str, Any]) -> list[dict[str, Any]]:
    return [pair["metrics"] for pair in output["pairs"]]


@pytest.mark.usefixtures("folders")
def test_meta_of_a_folder(cli: CommandLine) -> None:
    done = cli.succeed("meta", "set/de-en", *META, "-f", "json")
    (signature,) = {
        dict(Signature.parse(signature))["aligner"]
        for signature in done.json()["signatures"].values()
    }
    assert signature == meta_aligner(1).signature
    (warning,) = lines_about_aligner(done.stderr)
    assert f"de-en: {FEW_PAIRS} 40 source sentences" in warning
    files = [f"set/de-en/systems/{name}.txt" for name in corpora.ERROR_RATES]
    files += ["-r", "set/de-en/reference.txt", "--human", "set/de-en/judgments.csv"]
    from_files = cli.succeed(
        "meta", *files, "--source", "set/de-en/source.txt", *META, "-f", "json"
    ).json()
    assert from_files["signatures"] == done.json()["signatures"]
    assert meta_values(from_files) == meta_values(done.json())


@pytest.mark.usefixtures("folders")
def test_meta_trains_for_each_test_set(cli: CommandLine) -> None:
    done = cli.succeed("meta", "set", *META, "-f", "json")
    for signature in done.json()["signatures"].values():
        assert dict(Signature.parse(signature))["aligner"] == "trained"
    alone = [cli.succeed("meta", f"set/{pair}", *META, "-f", "json").json() for pair in PAIRS]
    for together, one in zip(meta_values(done.json()), alone, strict=True):
        for metric, found in together.items():
            assert found["value"] == meta_values(one)[0][metric]["value"]
    assert len(lines_about_aligner(done.stderr)) == len(PAIRS)


@pytest.mark.usefixtures("folders")
def test_notes_of_meta_name_the_test_set(cli: CommandLine) -> None:
    for pair, lines in (("de-en", 1), ("fr-en", 2)):
        path = Path("set", pair, "source.txt")
        corpora.write(path, [""] * lines + read(path)[lines:])
    done = cli.succeed("meta", "set", *META, "-f", "json")
    for pair, empty in (("de-en", 5), ("fr-en", 10)):
        note = f"{pair}: {empty} sentence pairs with an empty side: not used for training"
        assert [line for line in lines_about_aligner(done.stderr) if f"note: {note}" in line]
        assert [one for one in done.json()["notes"] if one.startswith(note)]


@pytest.mark.usefixtures("folders")
def test_meta_with_one_model_for_all(cli: CommandLine) -> None:
    meta_aligner(1).save("model")
    done = cli.succeed("meta", "set", *META, "--aligner-model", "model", "-f", "json")
    for signature in done.json()["signatures"].values():
        assert dict(Signature.parse(signature))["aligner"] == meta_aligner(1).signature


@pytest.mark.usefixtures("folders")
def test_meta_names_the_test_set_that_a_model_does_not_fit(cli: CommandLine) -> None:
    meta_aligner(1).save("model")
    count = len(read("set/fr-en/source.txt"))
    corpora.write(Path("set/fr-en/source.txt"), ["ένα άλλο κείμενο σε άλλη γλώσσα"] * count)
    found = cli.error("meta", "set", *META, "--aligner-model", "model")
    assert found.startswith("fr-en: model knows only 0% of the source words")


@pytest.mark.usefixtures("folders")
def test_meta_of_mt_metrics_eval(cli: CommandLine) -> None:
    done = cli.succeed("meta", "mme", "-r", "refB", *META, "-f", "json").json()
    (signature,) = {
        dict(Signature.parse(signature))["aligner"] for signature in done["signatures"].values()
    }
    # refA is a system now, with the lines of refB.
    assert signature == meta_aligner(1, references=2).signature


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize("option", UNUSED)
def test_options_of_meta_that_would_have_no_effect(option: str, cli: CommandLine) -> None:
    found = cli.error("meta", "set", "-m", "pef", option, *UNUSED[option])
    assert found == f"{option} needs --align-source"


@pytest.mark.usefixtures("folders")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bare"], "cannot read bare/source.txt: No such file"),
        (["bare-mme"], "cannot read bare-mme/sources/de-en.txt: No such file"),
        (["short"], "short has 40 segments, but short/source.txt has 1"),
        (
            ["set", "--source", "src.txt"],
            "--source can only be used with files: folders have their own source",
        ),
        (["set", "--bitext", "src.txt"], "--bitext needs two files"),
        (["set", "--aligner-model", "src.txt"], "src.txt is not a saved model"),
        (
            ["first.txt", "-r", "ref.txt", "--human", "human.tsv"],
            "--align-source needs the source text: --source SRC",
        ),
    ],
)
def test_errors_of_meta(arguments: list[str], message: str, cli: CommandLine) -> None:
    corpora.write_folder(Path("bare"))
    corpora.write_folder(Path("short"))
    write("short/source.txt", ["a"])
    corpora.write_mt_metrics_eval(Path("bare-mme"))
    Path("bare-mme/sources/de-en.txt").unlink()
    write("human.tsv", ["system\tseg_id\tscore", *(f"first\t{k}\t{k}" for k in range(24))])
    found = cli.error("meta", *arguments, "-m", "lr_kb1", "--align-source", "-o", "out.json")
    assert message in found
    assert not Path("out.json").exists()


@pytest.mark.usefixtures("folders")
def test_meta_of_no_metric_that_uses_links(cli: CommandLine) -> None:
    for metrics in (["-m", "none", "--others"], ["-m", "wer"]):
        found = cli.error("meta", "mme", *metrics, "--align-source")
        assert found.startswith("no metric uses links, so there is no need to align the source; ")


@pytest.mark.usefixtures("folders")
def test_a_source_of_meta_needs_align_source(cli: CommandLine) -> None:
    found = cli.error("meta", "set", "-m", "pef", "--source", "src.txt")
    assert found == "--source needs --align-source"
