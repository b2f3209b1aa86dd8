"""Links through the source that an aligner finds while a corpus is scored."""

from __future__ import annotations

import pickle
import random
import re
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hyperbaton as hb
from hyperbaton.alignment import source_aligner
from hyperbaton.alignment.choices import SYMMETRIZATIONS
from hyperbaton.alignment.source_aligner import SourceAlignment
from hyperbaton.errors import InputError, InputTypeError
from hyperbaton.metrics.signature import Signature, common_signature
from metrics.corpora import score_in_batches
from runs.source_texts import ENGLISH, WORDS, Texts, pharaoh, texts

LRSCORES = ["lr_kb1", "lr_kb4", "lr_hb1", "lr_hb4"]
METRICS = [*LRSCORES, "pef", "adjacency", "full", "kendall", "hamming"]
FEW_PAIRS = "trained on only"
# The tests train on few pairs on purpose.
pytestmark = pytest.mark.filterwarnings(f"ignore:the source aligner was {FEW_PAIRS}")


@pytest.fixture(scope="module")
def aligner() -> hb.SourceAligner:
    """The aligner that scoring of the first system trains."""
    return hb.SourceAligner.train(texts().pairs("first"))


def score(given: Texts, metrics: Any = "lr_kb1", **options: Any) -> hb.Result:
    return hb.score(given.hypotheses, given.references, metrics, source=given.source, **options)


def without_aligner(signature: str) -> list[tuple[str, str]]:
    return [(key, value) for key, value in Signature.parse(signature) if key != "aligner"]


def assert_same_numbers(one: hb.Result, other: hb.Result, *, but_aligner: bool = False) -> None:
    """Everything about two results is equal, or everything but the aligner of their signatures."""
    assert list(one) == list(other)
    for name in one:
        ours, theirs = one[name], other[name]
        assert ours.value == theirs.value, name
        np.testing.assert_array_equal(ours.segments, theirs.segments)
        np.testing.assert_array_equal(ours.sums, theirs.sums)
        assert (ours.n, ours.linked, ours.inexact) == (theirs.n, theirs.linked, theirs.inexact)
        if but_aligner:
            assert "aligner" in dict(Signature.parse(ours.signature))
            assert without_aligner(ours.signature) == without_aligner(theirs.signature)
        else:
            assert ours.signature == theirs.signature


# Found links are worth as much as given ones


@pytest.mark.parametrize("references", [(1,), (3,), (1, 2, 3)])
def test_numbers_are_those_of_given_links(references: tuple[int, ...]) -> None:
    given = texts(references)
    trained = hb.SourceAligner.train(given.pairs("first"))
    system, reference_links = pharaoh(trained, given, given.hypotheses)
    found = score(given, METRICS, align_source=True)
    # There is word order to measure: Kendall and Hamming see different things.
    assert found["lr_kb1"].value != found["lr_hb1"].value
    assert found["kendall"].value != found["hamming"].value
    assert_same_numbers(
        found,
        score(
            given,
            METRICS,
            alignments=system,
            reference_alignments=reference_links,
            source_tokenize="13a",
        ),
        but_aligner=True,
    )


@pytest.mark.parametrize(
    ("options", "source_tokenize", "tokenize"),
    [
        ("punct=drop", "13a", "13a"),
        ("tok=none", "13a", "none"),
        ("tok=none", "none", "none"),
        ("tok=char", "intl", "char"),
        ("case=mixed", "13a", "13a"),
        ("fold=standard", "13a", "13a"),
    ],
)
def test_words_are_those_of_the_options(options: str, source_tokenize: str, tokenize: str) -> None:
    given = texts((1, 2))
    metrics = [f"{name}:{options}" for name in METRICS]
    fold = "standard" if options == "fold=standard" else None
    trained = hb.SourceAligner.train(
        given.pairs("first"), source_tokenize=source_tokenize, tokenize=tokenize, fold=fold
    )
    system, reference_links = pharaoh(trained, given, given.hypotheses)
    assert_same_numbers(
        score(given, metrics, align_source=True, source_tokenize=source_tokenize),
        score(
            given,
            metrics,
            alignments=system,
            reference_alignments=reference_links,
            source_tokenize=source_tokenize,
        ),
        but_aligner=True,
    )


def test_a_language_selects_the_tokeniser() -> None:
    given = texts(chinese=True)
    trained = hb.SourceAligner.train(given.pairs("first"), source_language="de", language="zh")
    assert trained.model.target_text.tok == "zh"
    system, reference_links = pharaoh(trained, given, given.hypotheses)
    found = score(given, METRICS, align_source=True, language="zh", source_language="de")
    links = {"alignments": system, "reference_alignments": reference_links}
    expected = score(given, METRICS, language="zh", source_language="de", **links)
    assert_same_numbers(found, expected, but_aligner=True)
    assert trained.signature in found["lr_kb1"].signature


def test_a_source_in_chinese() -> None:
    there = texts(chinese=True)
    given = Texts(there.hypotheses, [[line] for line in there.source], {"back": there.source})
    trained = hb.SourceAligner.train(given.pairs("back"), source_language="zh")
    system, reference_links = pharaoh(trained, given, given.hypotheses)
    assert_same_numbers(
        score(given, METRICS, align_source=True, source_language="zh"),
        score(
            given,
            METRICS,
            alignments=system,
            reference_alignments=reference_links,
            source_language="zh",
        ),
        but_aligner=True,
    )


def test_japanese() -> None:
    pytest.importorskip("MeCab")
    rows = [("das haus", "家"), ("das buch", "本"), ("ein buch", "本です"), ("haus", "家です")]
    source, target = map(list, zip(*rows, strict=True))
    given = Texts(source, [[line] for line in target], {"ja": target[1:] + target[:1]})
    trained = hb.SourceAligner.train(given.pairs("ja"), tokenize="ja-mecab")
    system, reference_links = pharaoh(trained, given, given.hypotheses)
    metrics = ["lr_kb1:tok=ja-mecab"]
    links = {"alignments": system, "reference_alignments": reference_links}
    assert_same_numbers(
        score(given, metrics, align_source=True),
        score(given, metrics, source_tokenize="13a", **links),
        but_aligner=True,
    )


def test_compare_trains_on_all_systems() -> None:
    given = texts((1, 2))
    trained = hb.SourceAligner.train(given.pairs("first", "second"))
    links = {name: pharaoh(trained, given, lines) for name, lines in given.systems.items()}
    arguments = given.systems, given.references, METRICS
    found = hb.compare(*arguments, source=given.source, align_source=True, samples=20)
    expected = hb.compare(
        *arguments,
        source=given.source,
        alignments={name: system for name, (system, _) in links.items()},
        reference_alignments=links["first"][1],
        source_tokenize="13a",
        samples=20,
    )
    for ours, theirs in zip(found.results, expected.results, strict=True):
        assert_same_numbers(ours, theirs, but_aligner=True)
    assert f"pairs-{trained.pairs}." in found.results[0]["pef"].signature
    assert [one.p for one in found.differences] == [one.p for one in expected.differences]


def test_metrics_that_use_no_links_are_scored_as_ever(aligner: hb.SourceAligner) -> None:
    found = score(texts(), ["lr_kb1", "wer", "bleu"], align_source=aligner)
    alone = hb.score(texts().hypotheses, texts().references, ["wer", "bleu"])
    for name in alone:
        assert found[name].value == alone[name].value
        assert found[name].signature == alone[name].signature


def test_metrics_that_search_for_links_themselves_still_do() -> None:
    """RIBES defines its own links."""
    found = score(texts(), ["lr_kb1", "ribes"], align_source=True)
    alone = hb.score(texts().hypotheses, texts().references, ["ribes"])
    assert found["ribes"].value == alone["ribes"].value
    assert found["ribes"].signature == alone["ribes"].signature


# The signature


def test_the_signature_names_what_links_depend_on(aligner: hb.SourceAligner) -> None:
    found = score(texts(), METRICS, align_source=True)
    for one in found.values():
        fields = dict(Signature.parse(one.signature))
        assert fields["align"] == "source"
        assert fields["aligner"] == aligner.signature
    usable = sum(bool(source) and bool(target) for source, target in texts().pairs("first"))
    settings = rf"mean\.pairs-{usable}\.sources-\d+\.iterations-250\.seed-1\.source_tok-13a"
    assert re.fullmatch(settings + r"\.[0-9a-f]{16}", aligner.signature)


def test_the_signature_changes_with_each_setting() -> None:
    pairs = texts().pairs("first")
    settings: list[dict[str, Any]] = [
        {},
        {"seed": 2},
        {"iterations": 9},
        *({"symmetrization": name} for name in SYMMETRIZATIONS[1:]),
        {"source_tokenize": "intl"},
    ]
    aligners = [hb.SourceAligner.train(pairs, **{"iterations": 8, **one}) for one in settings]
    aligners.append(hb.SourceAligner.train([*pairs, ("ein haus", "a house")], iterations=8))
    signatures = [score(texts(), align_source=one)["lr_kb1"].signature for one in aligners]
    assert len(set(signatures)) == len(aligners)
    for one, signature in zip(aligners, signatures, strict=True):
        assert dict(Signature.parse(signature))["aligner"] == one.signature
        for part in (
            one.symmetrization,
            f"pairs-{one.pairs}",
            f"iterations-{one.iterations}",
            f"seed-{one.seed}",
            one.digest,
        ):
            assert part in one.signature.split(".")


def test_a_saved_aligner_gives_the_same_numbers(tmp_path: Path, aligner: hb.SourceAligner) -> None:
    aligner.save(tmp_path / "model")
    loaded = hb.SourceAligner.load(tmp_path / "model")
    expected = score(texts(), METRICS, align_source=True)
    for given in (aligner, loaded):
        assert_same_numbers(score(texts(), METRICS, align_source=given), expected)


def test_the_signature_names_the_tokeniser_of_the_source_of_given_links(
    aligner: hb.SourceAligner,
) -> None:
    """The number of source words changes the LRscore."""
    system, reference_links = pharaoh(aligner, texts(), texts().hypotheses)
    links = {"alignments": system, "reference_alignments": reference_links}
    for option in ({"source_tokenize": "13a"}, {"source_language": "de"}):
        found = score(texts(), **option, **links)["lr_kb1"]
        assert dict(Signature.parse(found.signature))["aligner"] == "given.tok-13a"
    words = [" ".join(re.findall(r"\w+|[.,]", line)) for line in texts().source]
    split = replace(texts(), source=words)
    for tokenize in (None, "none"):
        same = score(split, source_tokenize=tokenize, **links)["lr_kb1"]
        assert "aligner" not in dict(Signature.parse(same.signature))
        assert same.value == found.value


def test_short_signatures_can_be_read_back(aligner: hb.SourceAligner) -> None:
    for one in score(texts(), METRICS, align_source=aligner).values():
        signature = Signature.parse(one.signature)
        short = signature.format(short=True)
        assert f"|sa:{aligner.signature}|" in short
        assert Signature.parse(short) == signature


def test_a_metric_from_its_signature(aligner: hb.SourceAligner) -> None:
    """The metric insists on links through the source; with the aligner it gives the same number."""
    for name, one in score(texts(), METRICS, align_source=aligner).items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            metric = hb.metrics.from_signature(one.signature)
        assert metric.options["align"] == "source", name
        with pytest.raises(InputError, match="align=source needs alignments through the source"):
            hb.score(texts().hypotheses, texts().references, metric)
        (same,) = score(texts(), metric, align_source=aligner).values()
        assert (same.value, same.signature) == (one.value, one.signature)


def test_the_signature_of_several_test_sets() -> None:
    signatures = [
        Signature.parse(score(texts(count), align_source=True)["lr_kb1"].signature)
        for count in ((1,), (2,))
    ]
    common = dict(common_signature(signatures))
    assert common["aligner"] == "trained"
    assert common["nrefs"] == "var"
    assert dict(common_signature([signatures[0]] * 2))["aligner"] == dict(signatures[0])["aligner"]


# What changes no number


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads: int) -> None:
    expected = score(texts((1, 2)), METRICS, align_source=True)
    assert_same_numbers(score(texts((1, 2)), METRICS, align_source=True, threads=threads), expected)


def test_a_second_run_is_identical() -> None:
    runs = [score(texts(), METRICS, align_source=True, confidence=True) for _ in range(2)]
    assert_same_numbers(*runs)
    for name in METRICS:
        assert (runs[0][name].lower, runs[0][name].upper) == (
            runs[1][name].lower,
            runs[1][name].upper,
        )


@pytest.mark.parametrize("size", [1, 5, 24])
@pytest.mark.parametrize("threads", [1, 3])
def test_the_size_of_batches_changes_nothing(size: int, threads: int) -> None:
    given = texts((1, 2))
    found = score_in_batches(
        size,
        given.hypotheses,
        given.references,
        METRICS,
        threads,
        source=given.source,
        source_alignment=SourceAlignment(),
    )
    assert_same_numbers(found, score(given, METRICS, align_source=True))


def test_the_order_of_systems_changes_nothing() -> None:
    given = texts((1, 2))
    there, back = (
        hb.compare(
            {name: given.systems[name] for name in names},
            given.references,
            METRICS,
            source=given.source,
            align_source=True,
            samples=10,
        )
        for names in (("first", "second"), ("second", "first"))
    )
    for one, other in zip(there.results, back.results[::-1], strict=True):
        assert one.name == other.name
        assert_same_numbers(one, other)


def test_links_of_references_are_found_once(
    monkeypatch: pytest.MonkeyPatch, aligner: hb.SourceAligner
) -> None:
    aligned: list[int] = []
    align_words = hb.SourceAligner.align_words

    def count(self: hb.SourceAligner, sources: Any, *arguments: Any, **options: Any) -> Any:
        aligned.append(len(sources.lengths))
        return align_words(self, sources, *arguments, **options)

    monkeypatch.setattr(hb.SourceAligner, "align_words", count)
    given = texts((2,))
    hb.compare(
        given.systems,
        given.references,
        METRICS,
        source=given.source,
        align_source=aligner,
        samples=10,
    )
    assert sum(aligned) == (2 + 2) * len(given.source)  # two references, two systems


# Aligners in other threads and processes


def test_an_aligner_can_be_pickled(aligner: hb.SourceAligner) -> None:
    copy = pickle.loads(pickle.dumps(aligner))
    assert (copy.signature, copy.left_out) == (aligner.signature, aligner.left_out)
    given = texts()
    for name in SYMMETRIZATIONS:
        links, again = (
            one.align(given.source, given.hypotheses, symmetrization=name)
            for one in (aligner, copy)
        )
        assert again == links
    assert_same_numbers(score(given, align_source=copy), score(given, align_source=aligner))


def test_threads_can_share_an_aligner(tmp_path: Path, aligner: hb.SourceAligner) -> None:
    """New words are looked up in threads at the same time."""
    aligner.save(tmp_path / "model")
    rng = random.Random(3)
    jobs = []
    for k in range(40):
        new = [f"haus{k}x{n}" for n in range(30)]
        words = [*WORDS.split() * 2, *new]
        rng.shuffle(words)
        jobs.append(([" ".join(words)], [" ".join([*ENGLISH.split() * 2, *new])]))
    expected = [aligner.align(*job, threads=1) for job in jobs]
    for _ in range(3):
        loaded = hb.SourceAligner.load(tmp_path / "model")
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda job: loaded.align(*job, threads=1), jobs))  # noqa: B023
        assert found == expected


# Warnings and notes


def warned(**options: Any) -> Iterator[str]:
    with pytest.warns(UserWarning, match=FEW_PAIRS) as caught:
        score(texts(), METRICS, **options)
    return (str(one.message) for one in caught if "source sentence" in str(one.message))


def test_few_pairs_are_a_warning(aligner: hb.SourceAligner) -> None:
    for align_source in (True, aligner):
        (message,) = warned(align_source=align_source)
        assert f"trained on only {aligner.sources} source sentences" in message
        assert "\n" not in message


def test_warnings_point_to_the_caller(aligner: hb.SourceAligner) -> None:
    given = texts()
    arguments: dict[str, Any] = {"source": given.source, "align_source": aligner}
    with pytest.warns(UserWarning, match=FEW_PAIRS) as scoring:
        hb.score(given.hypotheses, given.references, "lr_kb1", **arguments)
    with pytest.warns(UserWarning, match=FEW_PAIRS) as comparing:
        hb.compare(given.systems, given.references, "lr_kb1", samples=10, **arguments)
    caught = [*scoring, *comparing]
    assert {one.filename for one in caught} == {__file__}
    assert sum(FEW_PAIRS in str(one.message) for one in caught) == 2


def test_no_warning_above_the_limit(
    monkeypatch: pytest.MonkeyPatch, aligner: hb.SourceAligner
) -> None:
    limit = "hyperbaton.alignment.source_aligner.FEW_SOURCES"
    monkeypatch.setattr(limit, aligner.sources)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=FEW_PAIRS)
        score(texts(), align_source=aligner)
    monkeypatch.setattr(limit, aligner.sources + 1)
    with pytest.warns(UserWarning, match=FEW_PAIRS):
        score(texts(), align_source=aligner)


def notes(given: Texts, **options: Any) -> list[str]:
    alignment = SourceAlignment(**options)
    score_in_batches(
        10,
        given.hypotheses,
        given.references,
        ["lr_kb1"],
        source=given.source,
        source_alignment=alignment,
    )
    return list(alignment.notes)


def test_pairs_that_are_left_out_are_noted() -> None:
    given = texts()
    empty = sum(not source or not target for source, target in given.pairs("first"))
    note = f"{empty} sentence pairs with an empty side: not used for training"
    first, *_ = notes(given)
    assert note in first
    long = "haus " * 401
    longer = Texts(
        [*given.source, long],
        [*given.references, ["house"]],
        {"first": [*given.hypotheses, "house"]},
    )
    first, second, *_ = notes(longer)
    assert note in first
    assert "2 sentence pairs with more than 400 words on a side" in second


def test_pairs_that_are_too_long_are_noted_once(
    monkeypatch: pytest.MonkeyPatch, aligner: hb.SourceAligner
) -> None:
    """Aligning them would take too long for a test, so a smaller limit takes its place."""
    lengths = [
        (found.hyp_length, found.ref_length)
        for pairs in (texts().pairs(), texts().pairs("first")[len(texts().source) :])
        for found in aligner.align(*map(list, zip(*pairs, strict=True)))
    ]
    expected = sum(a * b > 40 for a, b in lengths)
    assert expected > 1
    monkeypatch.setattr(
        source_aligner,
        "count_unaligned",
        lambda found: sum(one.hyp_length * one.ref_length > 40 for one in found),
    )
    (note,) = (note for note in notes(texts(), model=aligner) if "combinations" in note)
    assert f"{expected} sentence pairs with more than 30 million combinations" in note


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": None}, "align_source needs the source sentences: source is missing"),
        ({"source": texts().source[1:]}, "24 segments, but source has 23"),
        ({"source": []}, "24 segments, but source has 0"),
        ({"alignments": [""] * 24}, "align_source computes the links: do not give alignments"),
        (
            {"reference_alignments": [""] * 24},
            "align_source computes the links: do not give alignments",
        ),
        ({"metrics": ["wer", "bleu"]}, "no metric uses links"),
        ({"metrics": "ribes"}, "no metric uses links"),
        ({"metrics": "dted"}, "no metric uses links"),
        (
            {"metrics": ["lr_kb1", "pef:tok=none"]},
            "the same tokens for all metrics, but lr_kb1 has tok=13a,fold=none and "
            "pef:tok=none has tok=none,fold=none",
        ),
        (
            {"metrics": ["lr_kb1", "pef:fold=standard"]},
            "the same tokens for all metrics, but lr_kb1 has tok=13a,fold=none and "
            "pef:fold=standard has tok=13a,fold=standard",
        ),
        (
            {"metrics": ["lr_kb1", "dted:match=aligned"]},
            "dted:match=aligned needs links between the words of trees",
        ),
        ({"source_tokenize": "13b"}, "13b"),
    ],
)
def test_errors(options: dict[str, Any], message: str) -> None:
    given = texts()
    arguments = {"source": given.source, "metrics": "lr_kb1", "align_source": True, **options}
    with pytest.raises(InputError) as caught:
        hb.score(given.hypotheses, given.references, **arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("given", [1, None])
def test_align_source_is_true_or_an_aligner(given: Any) -> None:
    with pytest.raises(InputTypeError, match="align_source must be True, False, a SourceAligner"):
        score(texts(), align_source=given)


def test_the_file_of_an_aligner(tmp_path: Path, aligner: hb.SourceAligner) -> None:
    path = tmp_path / "model"
    with pytest.raises(InputError, match="cannot read"):
        score(texts(), align_source=path)
    aligner.save(path)
    found, expected = (score(texts(), align_source=given) for given in (str(path), aligner))
    assert found["lr_kb1"].signature == expected["lr_kb1"].signature
    assert hb.SourceAligner.load(path) == aligner


def test_matchers_that_are_named_are_used(aligner: hb.SourceAligner) -> None:
    """Direct links and links through the source can stand in one table."""
    given = texts()
    metrics = ["pef", "pef:align=exact", "lr_kb1:align=exact"]
    through = hb.score(
        given.hypotheses, given.references, metrics, source=given.source, align_source=aligner
    )
    direct = hb.score(given.hypotheses, given.references, metrics)
    for name in metrics[1:]:
        assert through[name].signature == direct[name].signature
        assert through[name].segments.tolist() == direct[name].segments.tolist()
    assert "align:source" in through["pef"].signature
    assert through["pef"].value != direct["pef"].value


def test_source_sentences_are_strings() -> None:
    given = texts()
    source: list[Any] = [*given.source[1:], 7]
    with pytest.raises(InputTypeError, match=r"source\[23\] must be a string"):
        hb.score(given.hypotheses, given.references, "lr_kb1", source=source, align_source=True)


def test_an_aligner_with_other_words(aligner: hb.SourceAligner) -> None:
    for metric, options, message in (
        ("lr_kb1:tok=none", {}, "target texts with tok=13a, but here it is tok=none"),
        ("lr_kb1:fold=standard", {}, "target texts with fold=none, but here it is fold=standard"),
        ("lr_kb1", {"source_tokenize": "none"}, "source texts with tok=13a, but here it is tok=no"),
    ):
        with pytest.raises(InputError, match=f"the aligner was trained on {message}"):
            score(texts(), metric, align_source=aligner, **options)


def test_an_aligner_of_other_languages(aligner: hb.SourceAligner) -> None:
    given = texts()
    with pytest.raises(InputError, match=r"knows only .*% of the source words"):
        hb.score(
            given.source, given.source, "lr_kb1", source=given.hypotheses, align_source=aligner
        )
    with pytest.raises(InputError, match=r"knows only .*% of the target words"):
        hb.score(given.source, given.source, "lr_kb1", source=given.source, align_source=aligner)


def test_nothing_to_train_on() -> None:
    with pytest.raises(InputError, match="no sentence pair to train on"):
        hb.score(["a", ""], ["a", "b"], "lr_kb1", source=["", ""], align_source=True)
