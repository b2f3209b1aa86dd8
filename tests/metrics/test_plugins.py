"""Metrics of other packages: registered in this process, and found as installed packages."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import hyperbaton as hb
from command_line import NewProcess
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics import MeanMetric, Option, Variant
from hyperbaton.metrics.batches import Batch
from hyperbaton.metrics.signature import Signature, package_label
from meta.corpora import ERROR_RATES, write_folder
from metrics import corpora


class LengthRatio(MeanMetric):
    """The length of the translation divided by that of the reference, at most ``cap``."""

    VARIANTS: ClassVar[Mapping[str, Variant]] = {
        "relative_length": Variant("ratio of lengths", "ours", "It ignores which words there are."),
        "relative_length_2": Variant("the same, at most 2", "ours", "As above.", {"cap": 2}),
    }
    OPTIONS: ClassVar[Mapping[str, Option]] = {
        "cap": Option(1.0, "the highest ratio", most=10),
        "case": Option("lc", "case", ("lc", "mixed")),
        "tok": Option(None, "tokeniser", ("13a", "none")),
    }

    def statistics(self, batch: Batch) -> Any:
        hyp, ref = batch.lengths(self.tokenization)
        values = np.minimum(self.number_option("cap"), hyp / np.maximum(ref, 1))
        return self.weighted_statistics(values[batch.best(values)], np.ones(len(batch)))


pytestmark = pytest.mark.usefixtures("restored_registry")


def metric_class(name: str, options: Mapping[str, Option] | None = None) -> type[MeanMetric]:
    """Return a new metric class with one name."""
    attributes: dict[str, Any] = {"VARIANTS": {name: Variant("", "", "")}}
    if options is not None:
        attributes["OPTIONS"] = {**LengthRatio.OPTIONS, **options}
    return type("Other", (LengthRatio,), attributes)


# Registration ----------------------------------------------------------------------------------


def test_a_registered_metric_is_scored_like_all_others() -> None:
    with pytest.raises(InputError, match="unknown metric 'relative_length'"):
        hb.metrics.get("relative_length")
    before = hb.metrics.names()
    assert hb.metrics.register(LengthRatio) is LengthRatio
    assert hb.metrics.names() == (*before, "relative_length", "relative_length_2")
    hb.metrics.register(LengthRatio)  # a second time changes nothing
    assert hb.metrics.names() == (*before, "relative_length", "relative_length_2")

    texts = ["a b c", "d"], [["a b c d", "x y z a b c"], ["e f"]]
    result = hb.score(*texts, ["relative_length", "Relative-Length:cap=0.5", "pef"])
    assert result["relative_length"].segments.tolist() == [0.75, 0.5]
    assert result["relative_length"].value == 0.625
    assert result["Relative-Length:cap=0.5"].value == 0.5
    assert hb.score(["a b c d"], ["a"], "relative_length_2")["relative_length_2"].value == 2
    assert hb.metrics.get("relative_length").sentence_score("a", ["a b"]).value == 0.5

    corpus = corpora.corpus(61, 30)
    systems = {"one": corpus.hypotheses, "two": ["a"] * 30}
    comparison = hb.compare(systems, corpus.references, "relative_length")
    assert comparison.differences[0].better == "one"
    assert (
        hb.score(*corpus, "relative_length", confidence=True)["relative_length"].lower is not None
    )


def test_sets_have_only_our_metrics() -> None:
    hb.metrics.register(LengthRatio)
    for name in hb.metrics.SETS:
        assert "relative_length" not in hb.score(["a"], ["a"], name)


def test_signatures_of_registered_metrics() -> None:
    hb.metrics.register(LengthRatio)
    label = package_label(LengthRatio)
    assert label
    score = hb.score(["a b"], ["a b c"], "relative_length:cap=0.25,tok=none")
    signature = score["relative_length:cap=0.25,tok=none"].signature
    assert signature == (
        f"relative_length|cap:0.25|nrefs:1|case:lc|tok:none|plugin:{label}|v:{hb.__version__}"
    )
    short = Signature.parse(signature).format(short=True)
    assert short == f"relative_length|cap:0.25|#:1|c:lc|t:none|pl:{label}|v:{hb.__version__}"
    metric = hb.metrics.get("relative_length:cap=0.25,tok=none")
    for text in (signature, short):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert hb.metrics.from_signature(text) == metric
    with pytest.warns(UserWarning, match="says plugin:mine-7, but here it is plugin:"):
        hb.metrics.from_signature(signature.replace(f"plugin:{label}", "plugin:mine-7"))
    # Metrics of Hyperbaton itself have no such key.
    assert "plugin" not in dict(hb.metrics.get("pef").signature(1))


def test_the_label_is_the_package_with_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    class Versioned:
        __version__ = "0.3"

    class Unversioned:
        pass

    for module, label in ((Versioned, "my_metrics-0.3"), (Unversioned, "my_metrics")):
        monkeypatch.setitem(sys.modules, "my_metrics", module)
        defined_there = type("Mine", (LengthRatio,), {"__module__": "my_metrics.lengths"})
        assert package_label(defined_there) == label
    assert package_label(hb.metrics.OrderMetric) is None


@pytest.mark.parametrize("wrong", [int, LengthRatio.__name__, 3, object(), [LengthRatio]])
def test_only_metrics_can_be_registered(wrong: Any) -> None:
    with pytest.raises(InputTypeError, match=r"must be a subclass of hyperbaton\.Metric"):
        hb.metrics.register(wrong)


def test_a_metric_must_define_its_statistics() -> None:
    class Unfinished(MeanMetric):
        VARIANTS: ClassVar[dict[str, Variant]] = {"unfinished": Variant("", "", "")}

    with pytest.raises(InputError, match="Unfinished does not define statistics"):
        hb.metrics.register(Unfinished)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((3, 3)), "a row for each of 2 segments, got the shape \\(3, 3\\)"),
        (np.ones(2), "got the shape \\(2,\\)"),
        (np.ones((2, 0)), "got the shape \\(2, 0\\)"),
        (np.ones((2, 3), bool), "must be an array of float64, got bool"),
        (None, "got NoneType"),
        (np.array([[1.0, 1, 1], [np.nan, 1, 1]]), "the statistics of segment 1 of a batch"),
    ],
)
def test_statistics_that_break_the_contract(rows: Any, message: str) -> None:
    class Broken(MeanMetric):
        VARIANTS: ClassVar[dict[str, Variant]] = {"broken": Variant("", "", "")}

        def statistics(self, batch: Batch) -> Any:
            return rows

    with pytest.raises(InputError, match=f"^broken: .*{message}"):
        hb.score(["a", "b"], ["a", "b"], [Broken()])


def test_names_are_checked() -> None:
    for name in ("pef", "default", "all"):
        with pytest.raises(InputError, match=f"there is already a metric '{name}'"):
            hb.metrics.register(metric_class(name))
    for name in ("Mine", "my-metric", "my metric", "2nd", "", "a|b", "a:b"):
        with pytest.raises(InputError, match="is not a valid name of a metric"):
            hb.metrics.register(metric_class(name))
    for name in ("none", "é"):
        with pytest.raises(InputError, match="is not a valid name of a metric"):
            hb.metrics.register(metric_class(name))
    with pytest.raises(InputTypeError, match="MeanMetric has no VARIANTS"):
        hb.metrics.register(MeanMetric)
    hb.metrics.register(LengthRatio)
    with pytest.raises(InputError, match="there is already a metric 'relative_length'"):
        hb.metrics.register(metric_class("relative_length"))
    assert hb.metrics.get("pef").spec == "pef"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("b", "the option 'b' needs another name: signatures write b for beta"),
        ("al", "signatures write al for align"),
        ("v", "the option 'v' needs another name: signatures have their own v"),
        ("nrefs", "signatures have their own nrefs"),
        ("name", "the option 'name' needs another name: it is an argument of every metric"),
        ("language", "it is an argument of every metric"),
        ("seed", "signatures have their own seed"),
        ("Cap", "'Cap' is not a valid name of an option"),
        ("my-cap", "'my-cap' is not a valid name of an option"),
        ("a b", "'a b' is not a valid name of an option"),
        ("größe", "'größe' is not a valid name of an option"),
    ],
)
def test_names_of_options_are_checked(key: str, message: str) -> None:
    other = metric_class("mine", {key: Option(1.0, "a number")})
    with pytest.raises(InputError, match=f"^mine: .*{message}"):
        hb.metrics.register(other)
    assert "mine" not in hb.metrics.names()
    hb.metrics.register(metric_class("mine", {"beta": Option(1.0, "a number")}))
    assert "|beta:1|" in str(hb.metrics.get("mine").signature(1))


# Installed packages ----------------------------------------------------------------------------

MODULE = """
import numpy as np
from hyperbaton.metrics import MeanMetric, Option, Variant


class Overlap(MeanMetric):
    VARIANTS = {"overlap": Variant("words in common", "Nobody 2020", "It ignores the order.")}
    OPTIONS = {
        "power": Option(1.0, "exponent of the share", most=4),
        "case": Option("lc", "case", ("lc", "mixed")),
        "tok": Option(None, "tokeniser", ("13a", "none")),
    }

    def statistics(self, batch):
        hyp, ref = batch.lengths(self.tokenization)
        shares = 2 * batch.overlaps(self.tokenization) / np.maximum(hyp + ref, 1)
        values = shares ** self.number_option("power")
        return self.weighted_statistics(values[batch.best(values)], np.ones(len(batch)))


not_a_metric = {"overlap": Overlap}
"""


OTHER = MODULE.replace('"overlap": V', '"other": V')


def install(folder: Path, distribution: str, module: str, source: str, entries: str) -> None:
    """Write a module, and what an installer leaves beside it."""
    (folder / f"{module}.py").write_text(source, encoding="utf-8")
    info = folder / f"{distribution.replace('-', '_')}-1.2.dist-info"
    info.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[hyperbaton.metrics]\n{entries}\n", encoding="utf-8")


def process_with(folder: Path) -> NewProcess:
    """Return a command line that also finds the packages in this folder."""
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return NewProcess(PYTHONPATH=os.pathsep.join(paths))


@pytest.fixture(scope="module")
def with_plugin(tmp_path_factory: pytest.TempPathFactory) -> NewProcess:
    folder = tmp_path_factory.mktemp("packages")
    install(folder, "my-overlap", "my_overlap", MODULE, "overlap = my_overlap:Overlap")
    return process_with(folder)


@pytest.fixture(scope="module")
def judged_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    write_folder(folder)
    return folder


def files(judged_set: Path) -> list[str]:
    """Return the options that name the reference and two systems of the test set."""
    systems = [str(judged_set / "systems" / f"{name}.txt") for name in ("good", "bad")]
    return ["-r", str(judged_set / "reference.txt"), *systems]


PLUGIN = "|plugin:my-overlap-1.2|v:"


def test_metrics_lists_the_plug_in(with_plugin: NewProcess) -> None:
    assert "words in common" in with_plugin.output("metrics")
    described = with_plugin.output("metrics", "overlap")
    for text in ("words in common", "Nobody 2020", "It ignores the order.", "power"):
        assert text in described
    document = with_plugin.json("metrics", "--format", "json")
    assert [metric["name"] for metric in document["metrics"]][-1] == "overlap"


def test_score_with_the_plug_in(with_plugin: NewProcess, judged_set: Path) -> None:
    arguments = ["score", *files(judged_set), "-m", "overlap:power=2,tok=none", "-m", "wer"]
    document = with_plugin.json(*arguments, "--format", "json")
    good, bad = (system["scores"]["overlap:power=2,tok=none"] for system in document["systems"])
    assert 1 > good["value"] > bad["value"] > 0
    assert good["signature"] == (
        f"overlap|power:2|nrefs:1|case:lc|tok:none{PLUGIN}{hb.__version__}"
    )
    short = with_plugin.output(*arguments)
    assert f"overlap|power:2|#:1|c:lc|t:none|pl:my-overlap-1.2|v:{hb.__version__}" in short


def test_compare_with_the_plug_in(with_plugin: NewProcess, judged_set: Path) -> None:
    arguments = ["compare", *files(judged_set), "-m", "overlap", "--samples", "100"]
    (found,) = with_plugin.json(*arguments, "--format", "json")["metrics"].values()
    assert PLUGIN in found["signature"]
    assert found["differences"][0]["better"] == "good"


def test_report_with_the_plug_in(with_plugin: NewProcess, judged_set: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    with_plugin.succeed("report", *files(judged_set), "-m", "overlap", "-m", "pef", "-o", str(page))
    assert PLUGIN in page.read_text("utf-8")


def test_meta_with_the_plug_in(with_plugin: NewProcess, judged_set: Path) -> None:
    arguments = ["meta", str(judged_set), "-m", "overlap", "-m", "wer", "--samples", "20"]
    text = with_plugin.succeed(*arguments, "--format", "json").stdout
    assert PLUGIN in text
    assert "overlap" in with_plugin.succeed(*arguments).stdout
    assert len(ERROR_RATES) == 4  # the systems that people judged


def test_unknown_without_the_plug_in(cli_process: NewProcess, judged_set: Path) -> None:
    message = cli_process.error("score", *files(judged_set), "-m", "overlap")
    assert message.startswith("unknown metric 'overlap'")


@pytest.mark.parametrize(
    ("source", "entry", "warning"),
    [
        (
            "raise RuntimeError('no licence')",
            "broken:Metric",
            "RuntimeError: no licence",
        ),
        ("", "broken:Metric", "the metric broken:Metric cannot be loaded"),
        ("import sys; sys.exit(3)", "broken:Metric", "SystemExit: 3"),
        (MODULE, "broken:not_a_metric", "must be a subclass of hyperbaton.Metric"),
        (OTHER.replace('"other": V', '"pef": V'), "broken:Overlap", "already a metric 'pef'"),
        (MODULE.replace("VARIANTS", "NAMES"), "broken:Overlap", "Overlap has no VARIANTS"),
        (OTHER.replace('"power": O', '"b": O'), "broken:Overlap", "signatures write b for beta"),
        (OTHER.replace("OPTIONS", "options_for"), "broken:Overlap", "broken.Overlap'> is left out"),
    ],
)
def test_a_broken_plug_in_gives_a_warning(
    source: str, entry: str, warning: str, judged_set: Path, tmp_path: Path
) -> None:
    install(tmp_path, "broken", "broken", source, f"broken = {entry}")
    install(tmp_path, "my-overlap", "my_overlap", MODULE, "overlap = my_overlap:Overlap")
    arguments = ["score", *files(judged_set), "-m", "overlap", "-m", "pef", "--format", "json"]
    result = process_with(tmp_path).succeed(*arguments)
    assert result.stderr.count("hyperbaton: warning: the metric") == 1
    assert warning in result.stderr
    for system in result.json()["systems"]:
        assert list(system["scores"]) == ["overlap", "pef"]
