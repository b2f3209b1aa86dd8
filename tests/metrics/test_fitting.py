"""Metrics that are fitted: models from references and files, signatures, sacreBLEU, samples."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
import random
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

import hyperbaton as hb
from hyperbaton import _core
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from hyperbaton.metrics.metric import Metric
from hyperbaton.metrics.parts import fit_metrics, with_saved_model
from hyperbaton.metrics.soft_order import Order
from hyperbaton.stats.resampling import bootstrap_counts
from hyperbaton.text.tokenization import Tokenization
from metrics import corpora
from reference import resampling as reference
from softorder.sentences import count_lines

CORPUS = corpora.corpus(43, 60)
REFERENCES = [line for lines in CORPUS.references for line in lines]
DISTINCT = len(set(REFERENCES))
NAMES = ("order", "hyper")
PAIR = "g c b f a e d", ["a b c d e f g"]  # some neighbours stand the wrong way round


def fitted(name: str = "order", lines: Sequence[Any] = REFERENCES, **options: Any) -> Any:
    return hb.metrics.get(name, **options).fit(lines)


def label(metric: Metric) -> str:
    return dict(metric.signature(None))["precedence"]


def write(path: Path, lines: Sequence[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


# Fitting ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_scoring_fits_on_all_references(name: str) -> None:
    metric = fitted(name)
    assert metric.needs.fit is False
    assert hb.metrics.get(name).needs.fit is True
    expected = hb.score(*CORPUS, [name])[name]
    assert label(metric).startswith(f"{DISTINCT}-")
    assert f"|precedence:{label(metric)}|" in expected.signature
    found = hb.score(*CORPUS, [metric])[name]
    np.testing.assert_array_equal(found.segments, expected.segments)
    # A segment by itself has the same value, because the metric is not fitted again.
    for k in range(0, 60, 7):
        alone = metric.sentence_score(CORPUS.hypotheses[k], CORPUS.references[k])
        np.testing.assert_equal(float(alone), expected.segments[k])
        assert f"|precedence:{label(metric)}|" in alone.signature
        again = hb.score([CORPUS.hypotheses[k]], [CORPUS.references[k]], [metric])[name]
        np.testing.assert_equal(float(again), expected.segments[k])


def test_only_references_count() -> None:
    """Other translations are judged by the same counts."""
    others = [line[::-1] for line in CORPUS.hypotheses]
    one, two = (
        hb.score(lines, CORPUS.references, "order")["order"]
        for lines in (CORPUS.hypotheses, others)
    )
    assert one.signature == two.signature
    assert one.value != two.value


def test_forms_of_references() -> None:
    expected = fitted()
    assert fitted(lines=CORPUS.references) == expected
    assert fitted(lines=REFERENCES[::-1]) == expected
    assert fitted(lines=REFERENCES * 2) == expected
    assert fitted(lines=tuple(REFERENCES)) == expected
    assert fitted(lines=(line for line in REFERENCES)) == expected  # type: ignore[arg-type]
    assert fitted(lines=REFERENCES[1:-1][:20]) != expected
    assert hb.metrics.get("order").fit(REFERENCES, threads=3) == expected


def test_a_fitted_metric_can_be_fitted_on_other_references() -> None:
    metric = fitted()
    assert metric.fit(REFERENCES[:20]) == hb.metrics.get("order").fit(REFERENCES[:20])
    assert with_saved_model(metric) is metric
    off = hb.metrics.get("order:precedence=off")
    assert off.fit(REFERENCES) == off
    assert hb.metrics.get("pef").fit(REFERENCES) == hb.metrics.get("pef")


def test_bad_references() -> None:
    metric = hb.metrics.get("order")
    with pytest.raises(hb.InputError, match="there are no lines to count in"):
        metric.fit([])
    with pytest.raises(hb.InputTypeError, match="references must be a list of references, got str"):
        metric.fit("a b")
    with pytest.raises(hb.InputTypeError, match=r"references\[1\] must be a string"):
        metric.fit(["a", 3])  # type: ignore[list-item]
    with pytest.raises(hb.InputError, match="NUL"):
        metric.fit(["a\0b"])


@pytest.mark.parametrize("spec", ["order", "hyper", "full:order=soft"])
def test_a_metric_that_is_not_fitted_does_not_score(spec: str) -> None:
    batch = Batch(["a b"], ReferenceTexts(["b a"], None))
    with pytest.raises(hb.InputError, match="must be fitted before it scores: call fit with all"):
        hb.metrics.get(spec).statistics(batch)


def test_metrics_share_a_model() -> None:
    """Counts depend on the tokens alone, so that lines are counted once for each tokenisation."""
    specs = ["order", "hyper", "order:tau=0.2", "order:tok=none", "pef", "wer"]
    reads = []

    def read() -> list[_core.Lines]:
        reads.append(1)
        return [_core.Lines.from_strings(REFERENCES)]

    found = fit_metrics({spec: hb.metrics.get(spec) for spec in specs}, read)
    assert list(found) == specs
    models = [metric.model for metric in found.values() if metric.needs.fitting is not None]
    assert models[0] is models[1] is models[2]
    assert models[3] is not models[0]
    assert len(reads) == 1
    fit_metrics({"pef": hb.metrics.get("pef")}, read)
    assert len(reads) == 1  # nothing needs them


def test_few_references_are_not_warned_of() -> None:
    """However few lines are counted, each of them says something."""
    lines = [f"w{k} w{k + 1}" for k in range(5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hb.score(lines, lines, NAMES)
        hb.metrics.get("order").fit(lines)


# Equality, signatures, pickles -----------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_same_lines_make_equal_metrics(name: str, tmp_path: Path) -> None:
    expected = fitted(name)
    text = write(tmp_path / "corpus, 1.txt", REFERENCES)
    packed = tmp_path / "corpus.gz"
    packed.write_bytes(gzip.compress(write(tmp_path / "copy", REFERENCES[::-1]).read_bytes()))
    saved = tmp_path / "saved model"
    expected.save(saved)
    for source in (text, str(packed), str(saved)):
        metric = hb.metrics.get(name, precedence=source)
        assert metric.needs.fit is False
        assert metric != expected  # nothing is read yet
        loaded = with_saved_model(metric)
        assert loaded == expected
        assert hash(loaded) == hash(expected)
        assert str(loaded.signature(1)) == str(expected.signature(1))
        assert metric.fit(["other lines"]) == expected
        result = hb.score(*CORPUS, [metric])
        (score,) = result.values()
        np.testing.assert_array_equal(score.segments, hb.score(*CORPUS, [name])[name].segments)
        assert metric.sentence_score(*PAIR).value == expected.sentence_score(*PAIR).value
    assert fitted(name, REFERENCES[:-10]) != expected
    assert fitted(name, tau=0.2) != expected
    assert len({expected, fitted(name, REFERENCES * 2), hb.metrics.get(name)}) == 2


def test_specs_with_files(tmp_path: Path) -> None:
    path = write(tmp_path / "corpus.txt", REFERENCES)
    spec = f"order:precedence={path}"
    score = hb.score([PAIR[0]], [PAIR[1]], [spec])[spec]
    assert score.value == fitted().sentence_score(*PAIR).value
    assert f"|precedence:{label(fitted())}|" in score.signature
    assert str(path) not in score.signature


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path / "corpus.txt", ["a b"])
    metric = hb.metrics.get("order", precedence=path)
    before = with_saved_model(metric)
    write(path, ["a b", "c"])
    after = with_saved_model(metric)
    assert label(before).startswith("1-")
    assert label(after).startswith("2-")


@pytest.mark.parametrize("name", NAMES)
def test_signatures_name_what_was_counted(name: str) -> None:
    metric = fitted(name)
    fields = dict(metric.signature(1))
    assert (fields["tau"], fields["pi"], fields["theta"]) == ("0.1", "0.5", "0.5")
    assert fields["precedence"].startswith(f"{DISTINCT}-")
    assert (fields["tok"], fields["case"], fields["nrefs"]) == ("13a", "lc", "1")
    assert dict(hb.metrics.get(name).signature(1))["precedence"] == "references"
    assert dict(hb.metrics.get(f"{name}:precedence=off").signature(1))["precedence"] == "off"
    short = metric.signature(1).format(short=True)
    assert f"|pr:{fields['precedence']}|" in short


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_from_a_signature_insists_on_the_same_lines(name: str) -> None:
    metric = fitted(name)
    for text in (str(metric.signature(1)), metric.signature(1).format(short=True)):
        again = hb.metrics.from_signature(text)
        assert again.needs.fit
        assert again.fit(REFERENCES[::-1]) == metric
        assert hb.score(*CORPUS, [again])[again.spec].signature == str(metric.signature("var"))
        with pytest.raises(hb.InputError, match=f"other lines: .* instead of {label(metric)}"):
            again.fit(REFERENCES[:-10])
        with pytest.raises(hb.InputError, match="counted in other lines"):
            hb.score(["a"], ["a"], [again])


def test_other_options_keep_the_model() -> None:
    metric = fitted()
    for options in ({"tau": 0.2}, {"fold": "none"}, {"theta": 1}):
        changed = metric.with_options(**options)
        assert not changed.needs.fit
        assert label(changed) == label(metric)
        assert changed == fitted(**options)
    for options in ({"tok": "none"}, {"case": "mixed"}, {"fold": "standard"}, {"punct": "drop"}):
        assert metric.with_options(**options).needs.fit  # other tokens
    off = metric.with_options(precedence="off")
    assert off == hb.metrics.get("order:precedence=off")
    assert off.sentence_score(*PAIR).value > metric.sentence_score(*PAIR).value
    other_order = fitted("hyper").with_options(order="kendall")
    assert other_order == hb.metrics.get("hyper:order=kendall")


@pytest.mark.parametrize("name", NAMES)
def test_pickles_and_copies(name: str) -> None:
    metric = fitted(name)
    expected = metric.sentence_score(*PAIR)
    for other in (pickle.loads(pickle.dumps(metric)), copy.copy(metric), copy.deepcopy(metric)):
        assert other == metric
        assert not other.needs.fit
        assert other.sentence_score(*PAIR).value == expected.value
        assert other.sentence_score(*PAIR).signature == expected.signature


def test_another_process_computes_the_same_bits() -> None:
    """With other hashes of strings, another locale and one thread."""
    metrics = [fitted(name) for name in NAMES]
    program = (
        "import pickle, sys, hyperbaton as hb\n"
        "metrics, corpus = pickle.load(sys.stdin.buffer)\n"
        "scores = hb.score(*corpus, metrics, threads=1).values()\n"
        "again = hb.score(*corpus, [m.name for m in metrics], threads=2).values()\n"
        "rows = [(s.segments.tobytes(), s.value, s.signature) for s in (*scores, *again)]\n"
        "sys.stdout.buffer.write(pickle.dumps(rows))\n"
    )
    found = pickle.loads(
        subprocess.run(
            [sys.executable, "-c", program],
            input=pickle.dumps((metrics, tuple(CORPUS))),
            env={**os.environ, "PYTHONHASHSEED": "17", "LC_ALL": "C", "LANG": "C"},
            capture_output=True,
            check=True,
        ).stdout
    )
    scores = hb.score(*CORPUS, metrics, threads=2).values()
    expected = [(s.segments.tobytes(), s.value, s.signature) for s in scores]
    assert found == expected * 2


# Files -----------------------------------------------------------------------------------------


def check_error(metric: Metric, *words: str) -> None:
    """Loading the metric is an error of one line with these words."""
    for use in (lambda: with_saved_model(metric), lambda: hb.score(["a"], ["a"], [metric])):
        with pytest.raises(hb.InputError) as error:
            use()
        for word in words:
            assert word in str(error.value)
        assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    def metric(path: Path) -> Metric:
        return hb.metrics.get("order", precedence=path)

    check_error(metric(tmp_path / "no file"), "no file", "No such file")
    check_error(metric(tmp_path), "cannot read", "folder")
    check_error(metric(write(tmp_path / "empty", [])), "empty", "there are no lines to count in")
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    check_error(metric(tmp_path / "latin"), "latin, line 1", "is not UTF-8")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"a b\n" * 1000)[:20])
    check_error(metric(tmp_path / "cut.gz"), "cut.gz", "damaged gzip")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b""))
    check_error(metric(tmp_path / "packed.gz"), "packed.gz", "there are no lines to count in")
    saved = tmp_path / "saved"
    fitted().save(saved)
    data = saved.read_bytes()
    saved.write_bytes(data[:-5])
    check_error(metric(saved), "saved is damaged: fit the model again")
    saved.write_bytes(data.replace(b"/2\n", b"/9\n", 1))
    check_error(metric(saved), "saved has version 9", "fit the model again")


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"tok": "none"}, "tok=13a there, tok=none here"),
        ({"case": "mixed"}, "case=lc there, case=mixed here"),
        ({"fold": "standard"}, "fold=none there, fold=standard here"),
        ({"punct": "drop"}, "punct=keep there, punct=drop here"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_models_of_other_tokens(
    name: str, options: dict[str, str], difference: str, tmp_path: Path
) -> None:
    saved = tmp_path / "saved"
    fitted(name).save(saved)
    metric = hb.metrics.get(name, precedence=saved, **options)
    check_error(metric, "fitted on other tokens", difference, "saved")
    fitted(name, **options).save(saved)
    assert with_saved_model(metric) == fitted(name, **options)


def test_incomplete_models(tmp_path: Path) -> None:
    parts = [count_lines(REFERENCES, Tokenization(), part, 3) for part in range(3)]
    metric = hb.metrics.get("order")
    with pytest.raises(hb.InputError, match="has only part 1, 2 of 3: merge it with the others"):
        metric.with_options(model=parts[0].merge(parts[1]))
    assert metric.with_options(model=parts[2].merge(parts[0]).merge(parts[1])) == fitted()


def test_saving_needs_a_fit(tmp_path: Path) -> None:
    for spec in ("order", "hyper", "order:precedence=off", "pef"):
        with pytest.raises(hb.InputError, match="has no model to save: it is not fitted"):
            hb.metrics.get(spec).save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


# sacreBLEU's interface -------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_sacrebleu_scores(name: str) -> None:
    metric = hb.metrics.get(name)
    score = metric.corpus_score(CORPUS.hypotheses, CORPUS.streams)
    expected = hb.score(*CORPUS, [name])[name]
    assert score.value == expected.value
    assert score.signature == expected.signature
    # A single segment has only its own references to count in.
    alone = metric.sentence_score(*PAIR)
    assert "|precedence:own|" in alone.signature
    assert alone.value == hb.metrics.get(f"{name}:precedence=own").sentence_score(*PAIR).value
    assert alone.value == fitted(name, PAIR[1]).sentence_score(*PAIR).value
    with_references = metric.with_references(CORPUS.streams)
    assert dict(with_references.get_signature())["precedence"] == label(fitted(name))
    assert with_references.sentence_score(*PAIR).value == fitted(name).sentence_score(*PAIR).value
    assert with_references.corpus_score(CORPUS.hypotheses, None).value == expected.value
    assert dict(metric.get_signature())["precedence"] == "references"


@pytest.mark.parametrize("test_type", ["ar", "bs"])
def test_sacrebleu_paired_tests(test_type: str) -> None:
    rng = random.Random(2)
    others = [" ".join(corpora.edited(rng, line.split())) for line in CORPUS.hypotheses]
    systems: list[tuple[str, Any]] = [("one", CORPUS.hypotheses), ("two", others)]
    metrics: dict[str, Any] = {
        "BLEU": BLEU(references=CORPUS.streams),
        **{name: hb.metrics.get(name).with_references(CORPUS.streams) for name in NAMES},
    }
    test: Any = PairedTest(systems, metrics, references=None, test_type=test_type, n_samples=50)
    signatures, results = test()
    for name in NAMES:
        assert f"precedence:{label(fitted(name))}" in str(signatures[name])
        expected = [hb.score(lines, CORPUS.references, [name])[name] for _, lines in systems]
        for found, score in zip(results[name], expected, strict=True):
            assert found.score == pytest.approx(score.score, rel=1e-12)
        assert results[name][1].p_value is not None


def test_sacrebleu_paired_tests_with_references_in_the_call() -> None:
    metrics: dict[str, Any] = {name: hb.metrics.get(name) for name in NAMES}
    reverse = CORPUS.hypotheses[::-1]
    systems: list[tuple[str, Any]] = [("one", CORPUS.hypotheses), ("two", reverse)]
    test: Any = PairedTest(systems, metrics, CORPUS.streams, test_type="ar", n_samples=20)
    _, results = test()
    for name in NAMES:
        expected = hb.score(*CORPUS, [name])[name]
        assert results[name][0].score == pytest.approx(expected.score, rel=1e-12)


# Samples of segments ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_samples_do_not_refit(name: str) -> None:
    """An interval is that of the rows of the metric that was fitted once."""
    settings: Any = {"samples": 40, "seed": 3, "level": 0.8}
    score = hb.score(*CORPUS, [name], confidence=True, **settings)[name]
    given = hb.score(*CORPUS, [fitted(name)], confidence=True, **settings)[name]
    assert (score.lower, score.upper) == (given.lower, given.upper)
    assert score.signature == given.signature
    draws = [row for part in bootstrap_counts(60, 40, 3) for row in part]
    statistics = score.metric.statistics(
        Batch(CORPUS.hypotheses, ReferenceTexts.from_segments(CORPUS.references))
    )
    values = [float(score.metric.aggregate(row @ statistics)) for row in draws]
    assert (score.lower, score.upper) == pytest.approx(reference.interval(values, 0.8), abs=1e-12)


def test_comparisons_fit_once_for_all_systems() -> None:
    systems = {"one": CORPUS.hypotheses, "two": CORPUS.hypotheses[::-1]}
    found = hb.compare(systems, CORPUS.references, list(NAMES), samples=50)
    for name in NAMES:
        scores = found.scores(name)
        for system, lines in systems.items():
            expected = hb.score(lines, CORPUS.references, [name])[name]
            assert scores[system].value == expected.value
            assert scores[system].signature.startswith(expected.signature.partition("|v:")[0])


def test_the_class_can_be_used_directly() -> None:
    metric = Order(tau=0.2).fit(REFERENCES)
    assert metric == fitted(tau=0.2)
    assert np.isfinite(float(metric.sentence_score(*PAIR)))
