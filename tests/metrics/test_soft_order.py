"""The metric order: values, options, several references, and real data."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from sacrebleu.significance import PairedTest

import hyperbaton as hb
from hyperbaton.metrics.batches import Batch, ReferenceTexts
from hyperbaton.order.catalogue import MEASURES
from hyperbaton.softorder import order as softorder
from hyperbaton.text.tokenization import Tokenization
from metrics import corpora
from pairs import data_folder
from reference import soft_order as twin
from softorder import sentences
from softorder.sentences import random_pairs

GOLDEN = Path(__file__).parents[1] / "golden"
SHORT = corpora.corpus(41, 30)
LONGER = random_pairs(42, 30)
CORPUS = corpora.Corpus(
    [*SHORT.hypotheses, *(" ".join(hyp) for hyp, _ in LONGER)],
    [*SHORT.references, *([" ".join(ref), " ".join(ref[::-1])] for _, ref in LONGER)],
)
REFERENCES = [line for lines in CORPUS.references for line in lines]
OFF = "order:tok=none,precedence=off"
OWN = "order:tok=none,precedence=own"
FITTED = "order:tok=none"
SPACES = Tokenization("none")


Judge = twin.Precedence | Literal["own"] | None


def close(expected: object) -> object:
    return pytest.approx(expected, rel=0, abs=1e-9)


def counted(lines: Iterable[str], text: Tokenization = SPACES) -> twin.Precedence:
    """The twin's counts in lines, which are distinct as they are written."""
    return twin.Precedence(text.split(line) for line in dict.fromkeys(lines))


def expected_statistics(
    corpus: corpora.Corpus, counts: twin.Precedence | Literal["own"] | None, **links: float
) -> list[twin.OrderStatistics]:
    """X, M and N of each segment, with the reference that has the most words in place."""
    found = []
    for hypothesis, references in zip(*corpus, strict=True):
        judge = counted([line.lower() for line in references]) if counts == "own" else counts
        hyp, refs = hypothesis.lower().split(), [line.lower().split() for line in references]
        found.append(
            twin.best_statistics(twin.order_statistics(hyp, ref, judge, **links) for ref in refs)
        )
    return found


def score(corpus: corpora.Corpus, spec: str) -> hb.metrics.Score:
    return hb.score(*corpus, [spec])[spec]


def statistics(corpus: corpora.Corpus, metric: hb.Metric) -> np.ndarray:
    return metric.statistics(
        Batch(corpus.hypotheses, ReferenceTexts.from_segments(corpus.references))
    )


# Values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "links",
    [{}, {"tau": 0.01}, {"tau": 10, "pi": 0}, {"pi": 5, "theta": 1}, {"theta": 0.01, "tau": 0.5}],
)
@pytest.mark.parametrize("spec", [OFF, OWN, FITTED])
def test_values_equal_the_twin(spec: str, links: dict[str, float]) -> None:
    judges: dict[str, Judge] = {OFF: None, OWN: "own", FITTED: counted(REFERENCES)}
    expected = expected_statistics(CORPUS, judges[spec], **links)
    spec += "".join(f",{key}={value}" for key, value in links.items())
    found = score(CORPUS, spec)
    rows = statistics(CORPUS, found.metric)
    assert rows[:, :2].tolist() == [close(list(row[:2])) for row in expected]
    if not links:  # with τ = 0.01, two references are alike except for rounding errors
        assert rows.tolist() == [close(list(row)) for row in expected]
    assert found.computed_segments.tolist() == close([row.value for row in expected])
    assert found.computed_value == close(twin.order_value(expected))
    assert (rows[:, 0] <= rows[:, 1]).all()
    assert len(np.unique(found.computed_segments)) > (2 if links else 15)


def test_precedence_is_a_factor() -> None:
    alone, both = (statistics(CORPUS, score(CORPUS, spec).metric) for spec in (OFF, FITTED))
    assert (both[:, 0] >= alone[:, 0]).all()
    assert (both[:, 0] > alone[:, 0]).sum() > 10
    hyp, ref, lines = "b a c d", "a b c d", ["a b c d", "a b", "c d"]
    fitted = hb.metrics.get(FITTED).fit(lines)
    matched, lost = (
        sum(twin.counterparts(hyp.split(), ref.split())[0]),
        twin.lost_words(hyp.split(), ref.split()),
    )
    B = counted(lines).value(hyp.split(), ref.split())
    assert B < 1
    assert fitted.sentence_score(hyp, [ref]).value == close((matched - lost) * B / matched)
    off = hb.metrics.get(OFF).sentence_score(hyp, [ref]).value
    assert off == close(1 - lost / matched)


def test_the_reference_with_most_words_in_place_counts() -> None:
    """Not the one with the highest value, which has the fewest words in common."""
    metric = hb.metrics.get(OWN)
    refs = ["x y z", "a b c d e"]
    for references in (refs, refs[::-1]):
        found = metric.sentence_score("b a c d e", references).computed_value
        alone = [metric.sentence_score("b a c d e", [ref]).computed_value for ref in references]
        assert max(alone) == 1
        assert found < 1
    # Without a precedence in which the other reference is counted, the value is that of one pair.
    off = hb.metrics.get(OFF)
    assert (
        off.sentence_score("b a c d e", refs).value
        == off.sentence_score("b a c d e", refs[1:]).value
    )


def test_own_references_are_those_of_the_segment() -> None:
    """The value of a segment is that of a metric that was fitted on its references alone."""
    own = score(CORPUS, OWN)
    for k in range(0, 60, 5):
        references = CORPUS.references[k]
        fitted = hb.metrics.get(FITTED).fit(references)
        expected = fitted.sentence_score(CORPUS.hypotheses[k], references)
        assert own.computed_segments[k] == expected.computed_value
        alone = hb.metrics.get(FITTED).sentence_score(CORPUS.hypotheses[k], references)
        assert alone.value == expected.value
    assert "|precedence:own|" in own.signature
    assert not own.metric.needs.fit


def test_own_references_of_many_words() -> None:
    """With more than 150 different words, rare ones have classes."""
    rng = random.Random(7)
    pool = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in ("l", "st", "-x", "9", "猫é")]
    corpus = corpora.Corpus([], [])
    for _ in range(4):
        refs = [rng.choices([*pool, *sentences.WORDS], k=200) for _ in range(2)]
        hyp = rng.sample(refs[0], 40) + rng.choices(pool, k=5) + ["unseenst", "77"]
        corpus.hypotheses.append(" ".join(hyp))
        corpus.references.append([" ".join(ref) for ref in refs])
    found = statistics(corpus, hb.metrics.get(OWN))
    assert found.tolist() == [close(list(row)) for row in expected_statistics(corpus, "own")]


def test_the_signature_names_the_limit() -> None:
    assert dict(hb.metrics.get("order").signature(1))["least"] == "0.35"
    assert dict(hb.metrics.get("order:tok=char").signature(1))["least"] == "0.45"
    assert "least" not in dict(hb.metrics.get("hyper").signature(1))


def test_the_order_of_references_does_not_matter() -> None:
    for spec in (OFF, FITTED):
        backwards = corpora.Corpus(CORPUS.hypotheses, [refs[::-1] for refs in CORPUS.references])
        found, expected = score(backwards, spec), score(CORPUS, spec)
        np.testing.assert_array_equal(found.segments, expected.segments)
        assert (found.value, found.signature) == (expected.value, expected.signature)


def test_the_order_of_segments_does_not_matter() -> None:
    order = random.Random(1).sample(range(60), 60)
    shuffled = corpora.Corpus(
        [CORPUS.hypotheses[k] for k in order], [CORPUS.references[k] for k in order]
    )
    for spec in (OFF, FITTED):
        found, expected = score(shuffled, spec), score(CORPUS, spec)
        np.testing.assert_array_equal(found.segments, expected.segments[order])
        rows = statistics(CORPUS, expected.metric)  # N must not hang on the numbers of words
        assert statistics(shuffled, found.metric).tolist() == rows[order].tolist()
        assert (found.value, found.signature) == (expected.value, expected.signature)


def test_repeated_references_change_nothing() -> None:
    doubled = corpora.Corpus(CORPUS.hypotheses, [[*refs, *refs] for refs in CORPUS.references])
    found, expected = score(doubled, FITTED), score(CORPUS, FITTED)
    np.testing.assert_array_equal(found.segments, expected.segments)
    twice = corpora.Corpus(CORPUS.hypotheses * 2, CORPUS.references * 2)
    repeated = score(twice, FITTED)
    np.testing.assert_array_equal(repeated.segments, np.tile(expected.segments, 2))
    assert repeated.signature == expected.signature


SENTENCES = {
    "quotes": ' " " '.join("abcdefghijklmnopqrst"),
    "repeated words": " ".join(f"the n{k} of" for k in range(30)),
    "one word": "cat",
    "long": " ".join(f"w{k % 300}" for k in range(1000)),
    "marks": '<s> #d ^ $ </s> <s> " - begin end',
    "scripts": "e\u0301cole 猫が 𝐀𝐁 🐈 ß Ω ﬀ",
}


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("spec", ["order", OFF, OWN, "order:precedence=off,theta=1,tau=10"])
def test_a_perfect_translation(name: str, spec: str) -> None:
    line = SENTENCES[name]
    references = [[line], ["something else", line]]
    found = hb.score([line, line], references, spec)[spec]
    assert found.computed_segments.tolist() == [1, 1]
    assert found.computed_value == 1


def test_special_segments() -> None:
    metric = hb.metrics.get(FITTED).fit(["a b c", "the cat sat", ""])
    long = " ".join(f"w{k % 300}" for k in range(1000))
    pairs = [
        *[("", ""), ("a", ""), ("", "a"), ("a", "b"), ("a", "a"), ("a a a a", "a a")],
        *[("x y z", "a b c"), ("c b a", "a b c"), (long, "a b"), (long[::-1], long)],
    ]
    hyps, refs = map(list, zip(*pairs, strict=True))
    found = hb.score(hyps, refs, metric)[FITTED].computed_segments
    assert found.tolist()[:5] == [1, 1, 1, 1, 1]  # nothing is matched, or one word
    counts = counted(["a b c", "the cat sat", ""])
    expected = [
        twin.order_statistics(hyp.split(), ref.split(), counts).value for hyp, ref in pairs[:8]
    ]
    assert found.tolist()[:8] == close(expected)
    assert ((found >= 0) & (found <= 1)).all()


def test_too_long_sentences() -> None:
    long = " ".join(["a"] * 7100)
    with pytest.raises(hb.InputError, match=r"^segment 1: .*too long for soft order: 7,100 and"):
        hb.score(["a", long], ["a", f"{long} b"], OFF)


def test_case_and_tokens() -> None:
    """By default, tokens are those of 13a in lower case."""
    lines = ["The cat sat.", "It costs 1,000.50, he said.", "A dog sat; the cat did not."]
    hyps = ["the Cat, sat", "he said it costs 1,000.50.", "THE dog did not sat; a cat."]
    text = Tokenization()
    found = hb.score(hyps, lines, "order")["order"].computed_segments.tolist()
    expected = [
        twin.order_statistics(text.split(hyp), text.split(ref), counted(lines, text)).value
        for hyp, ref in zip(hyps, lines, strict=True)
    ]
    assert found == close(expected)
    mixed = Tokenization("none", "mixed")
    spec = "order:tok=none,case=mixed"
    expected = [
        twin.order_statistics(hyp.split(), ref.split(), counted(lines, mixed)).value
        for hyp, ref in zip(hyps, lines, strict=True)
    ]
    assert hb.score(hyps, lines, spec)[spec].computed_segments.tolist() == close(expected)
    assert expected != found


# Batches and threads ---------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("size", [1, 7, 3000])
def test_the_same_bits_for_any_threads_and_batches(threads: int, size: int) -> None:
    specs = ["order", "hyper", "order:precedence=off", "order:precedence=own"]
    expected = hb.score(*CORPUS, specs, threads=1)
    found = corpora.score_in_batches(size, *CORPUS, specs, threads=threads)
    for spec in specs:
        np.testing.assert_array_equal(found[spec].segments, expected[spec].segments)
        assert found[spec].value == expected[spec].value
        assert found[spec].signature == expected[spec].signature


# Options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("tau=0.009", "tau must be between 0.01 and 10, got 0.009"),
        ("tau=11", "tau must be between 0.01 and 10, got 11"),
        ("tau=nan", "tau must be between 0.01 and 10, got nan"),
        ("pi=-0.1", "pi must be between 0 and 5, got -0.1"),
        ("pi=5.1", "pi must be between 0 and 5, got 5.1"),
        ("theta=0", "theta must be between 0.01 and 1, got 0"),
        ("theta=1.01", "theta must be between 0.01 and 1, got 1.01"),
        ("theta=high", "theta must be a number, got 'high'"),
        ("precedence=", "is not an option such as"),
        ("bp=off", "unknown option 'bp'"),
    ],
)
@pytest.mark.parametrize("name", ["order", "hyper", "full:order=soft"])
def test_invalid_options(name: str, option: str, message: str) -> None:
    with pytest.raises(hb.InputError) as error:
        hb.metrics.get(f"{name}{',' if ':' in name else ':'}{option}")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_options_of_other_types() -> None:
    for given in (3, None, True, ""):
        with pytest.raises(hb.InputError, match="must be references, own, off or the name"):
            hb.metrics.get("order", precedence=given)


def test_options_of_other_orders() -> None:
    """The options of soft order exist only with it."""
    for spec in ("hyper:order=kendall,tau=0.2", "full:precedence=off", "senscore:theta=0.5"):
        with pytest.raises(hb.InputError, match="unknown option"):
            hb.metrics.get(spec)


def test_there_is_no_weight() -> None:
    """The value is a ratio of sums."""
    with pytest.raises(hb.InputError, match="unknown option 'weight'"):
        hb.metrics.get("order:weight=ref")
    assert hb.metrics.get("hyper:weight=ref").options["weight"] == "ref"


# Evidence --------------------------------------------------------------------------------------


def test_the_evidence_of_order_is_that_of_its_value() -> None:
    metric = hb.metrics.get(OWN)
    batch = Batch(CORPUS.hypotheses, ReferenceTexts.from_segments(CORPUS.references))
    assert metric.needs.evidence is not None
    assert metric.needs.evidence(batch).tolist() == metric.statistics(batch)[:, 1:].tolist()


GUARDED = sorted({*MEASURES, *hb.metrics.SETS["permutations"], "ribes"})


def test_order_is_compared_by_anchors() -> None:
    needs = hb.metrics.get(OWN).needs
    assert needs.anchors is not None
    references = ReferenceTexts(["a b c d", "d c b", "b c"], [2, 1])
    values, offsets = needs.anchors(Batch(["b A x c c", ""], references))
    # Of "a b c d", b and a are at 1 and 0; of "d c b" only b is left, at 2; nothing of "b c".
    assert values.tolist() == [4, 2, 1, 0, 3, 1, 2, 2, 0]
    assert offsets.tolist() == [0, 7, 9]


@pytest.mark.parametrize("name", GUARDED)
def test_metrics_over_links_keep_their_values(name: str) -> None:
    """Without evidence they have a value, as their papers do, but may not win with it."""
    needs = hb.metrics.get(name).needs
    assert needs.evidence is not None
    assert needs.has_value is None
    assert needs.anchors is None
    score = hb.score(["xyzzy plugh", "a"], ["a b c d e", "b c d e f"], name)[name]
    assert score.value is not None
    assert not np.isnan(score.segments).any()
    assert score.matched == 0
    assert not score.is_scored


@pytest.mark.parametrize("name", GUARDED)
def test_metrics_over_links_count_the_words_in_common(name: str) -> None:
    """By soft links with default options, without pairs of words, of their own tokens."""
    batch = Batch(CORPUS.hypotheses, ReferenceTexts.from_segments(CORPUS.references))
    evidence = hb.metrics.get(name, tok="none").needs.evidence
    assert evidence is not None
    assert evidence(batch).tolist() == statistics(CORPUS, hb.metrics.get(OFF))[:, 1:].tolist()


def test_the_words_in_common_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    count = softorder.match_words

    def counting(*arguments: Any) -> Any:
        calls.append(1)
        return count(*arguments)

    monkeypatch.setattr(softorder, "match_words", counting)
    batch = Batch(CORPUS.hypotheses, ReferenceTexts.from_segments(CORPUS.references))
    for spec in ("kendall", "adjacency", OWN, OFF, "hyper:precedence=own"):
        metric = hb.metrics.get(spec, **({"tok": "none"} if spec != OWN and spec != OFF else {}))
        metric.statistics(batch)
        if metric.needs.evidence is not None:
            metric.needs.evidence(batch)
    assert len(calls) == 1


@pytest.mark.parametrize("most", ["MOST_CELLS", "MOST_CHARACTERS"])
def test_in_very_long_lines_shared_words_are_counted(
    monkeypatch: pytest.MonkeyPatch, most: str
) -> None:
    """Of the sentences that are too long to compare, and of no others."""
    monkeypatch.setattr(softorder, most, 20)
    hypotheses = ["a b a c d e", "a b", "", "a a a a b"]
    references = [["b a f a e g e h"], ["b a"], ["a b c d e f"], ["b b a a c c", "b"]]
    evidence = hb.metrics.get("pef", tok="none").needs.evidence
    assert evidence is not None
    found = evidence(Batch(hypotheses, ReferenceTexts.from_segments(references)))
    _, matched, words = twin.order_statistics(["a", "b"], ["b", "a"])
    empty = twin.order_statistics([], list("abcdef"))
    # a, a, b and e of 6 and 8 words. Of the last two references, the first has three words of 5
    # and 6, which are 30 pairs; the second one has one word.
    expected = [[4, 7], [matched, words], [empty.M, empty.N], [3, 5.5]]
    assert found.tolist() == [close(row) for row in expected]


@pytest.mark.parametrize(
    ("specs", "references", "lost_words"),
    [
        (["pef", "adjacency"], [["a b c d"]], [False]),
        (["pef"], [["a b c d", "b a c d"]], [True]),  # what is in place chooses the reference
        (["pef", OFF.replace("none", "13a")], [["a b c d"]], [True]),
    ],
)
def test_lost_words_are_counted_only_if_they_matter(
    monkeypatch: pytest.MonkeyPatch,
    specs: list[str],
    references: list[list[str]],
    lost_words: list[bool],
) -> None:
    counted = []
    count = softorder.match_words

    def counting(*arguments: Any) -> Any:
        counted.append(arguments[4])
        return count(*arguments)

    monkeypatch.setattr(softorder, "match_words", counting)
    found = hb.score(["b a c d"], references, specs)
    assert counted == lost_words
    assert len({score.evidence for score in found.values()}) == 1


@pytest.mark.parametrize("name", sorted({*hb.metrics.names()} - {*GUARDED, "order"}))
def test_other_metrics_have_no_evidence(name: str) -> None:
    """Composites and error rates are compared as they are, whatever is matched."""
    needs = hb.metrics.get(name).needs
    assert (needs.evidence, needs.has_value, needs.anchors) == (None, None, None)
    if name != "dted":
        score = hb.score(["xyzzy plugh"], ["a b c d e"], name)[name]
        assert score.matched is None
        assert score.is_scored


@pytest.mark.parametrize(("tok", "least"), [("none", 0.35), ("13a", 0.35), ("char", 0.45)])
def test_the_least_share_of_matched_words(tok: str, least: float) -> None:
    has_value = hb.metrics.get("order", tok=tok).needs.has_value
    assert has_value is not None
    below = least - 1e-4
    sums = np.array([[0, 100 * least, 100], [0, 100 * below, 100], [0, 1, 2], [0, 0.999, 1]])
    assert has_value(sums).tolist() == [True, False, True, False]
    assert not has_value(np.zeros(3))


@pytest.mark.parametrize(("tok", "least"), [("none", 0.35), ("char", 0.45)])
def test_values_below_the_limit_are_not_shown(tok: str, least: float) -> None:
    spec = f"order:tok={tok},precedence=off"
    found = score(CORPUS, spec)
    text = Tokenization(tok)
    shown = []
    for hypothesis, references in zip(*CORPUS, strict=True):
        hyp, refs = text.split(hypothesis), [text.split(ref) for ref in references]
        row = twin.best_statistics(twin.order_statistics(hyp, ref) for ref in refs)
        # One word that is matched has M = 1 except for rounding errors, which do not count.
        shown.append(max(1, least * row.N) <= row.M + 1e-9)
    assert (~np.isnan(found.segments)).tolist() == shown
    assert 5 < sum(shown) < 55
    for k in (0, shown.index(True)):
        alone = found.metric.sentence_score(CORPUS.hypotheses[k], CORPUS.references[k])
        assert (alone.value is not None) == shown[k]
        assert alone.computed_value == found.computed_segments[k]


def test_a_corpus_without_evidence_has_no_value() -> None:
    """Here the sums say so, whatever single segments are worth."""
    result = hb.score(["xyzzy qwert plugh"] * 9 + ["a b c d"], ["a b c d e f"] * 10, OFF)
    found = result[OFF]
    assert found.value is None
    assert np.isnan(float(found))
    assert np.isnan(found.score)
    assert not np.isnan(found.segments[-1])
    assert found.computed_value == found.segments[-1]  # the others have nothing to add
    assert found.to_dict()["value"] is None
    assert found.matched == result.matched == found.sums[1] / found.sums[2] < 0.35
    assert found.to_dict()["not_scored"].startswith("not scored: only ")
    assert repr(found).startswith("Score(not scored, n=10, ")


def test_sacrebleu_sees_no_number_where_there_is_no_evidence() -> None:
    metric: Any = hb.metrics.get(OFF)
    single = metric.sentence_score("xyzzy qwert", ["a b c d"])
    assert single.value is None
    assert np.isnan(single.score)
    assert single.format() == f"{metric.spec} = nan"
    assert single.format(score_only=True) == "nan"
    lines = [" ".join(ref) for _, ref in LONGER]
    junk = ["xyzzy qwert plugh"] * len(lines)
    systems: list[tuple[str, Any]] = [("good", lines[:]), ("junk", junk)]
    for test_type in ("ar", "bs"):
        test: Any = PairedTest(systems, {"order": metric}, [lines], test_type, n_samples=20)
        _, results = test()
        good, bad = results[metric.spec]
        assert good.score == pytest.approx(100)
        assert np.isnan(bad.score)
        assert 0 < bad.p_value <= 1


# Values of other programs ----------------------------------------------------------------------


def printed_values(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@cache
def real_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").removesuffix("\n").split("\n")


def check_printed(hypotheses: dict[str, list[str]], references: list[str], path: Path) -> None:
    """Scored together and one by one, all values are those that another program printed."""
    rows = printed_values(path)
    metrics = [
        hb.metrics.get(spec).fit(references)
        for spec in ("order:fold=none", "hyper:fold=none,combine=product")
    ]
    columns = dict(zip(("value", "hyper_product"), metrics, strict=True))
    assert f"|precedence:{len(set(references))}-" in str(metrics[0].signature(1))
    for system, lines in hypotheses.items():
        together = dict(zip(columns, hb.score(lines, references, metrics).values(), strict=True))
        batch = Batch(lines, ReferenceTexts(references))
        found = metrics[0].statistics(batch)
        for row in rows:
            if row["system"] == system:
                segment = int(row["segment"])
                place = system, segment
                expected = [float(row[name]) for name in ("X", "M", "N")]
                assert found[segment].tolist() == close(expected), place
                for name, metric in columns.items():
                    alone = metric.sentence_score(lines[segment], [references[segment]])
                    assert alone.computed_value == close(float(row[name])), (*place, name)
                    assert together[name].computed_segments[segment] == alone.computed_value


def test_the_example_by_another_program() -> None:
    """``expected-order-example.tsv`` comes from a program written from the definition alone."""
    folder = Path(hb.__file__).parent / "example"
    references = real_lines(folder / "reference.txt")
    systems = {
        name: real_lines(folder / f"{name}.txt") for name in ("literal", "phrasal", "fluent")
    }
    check_printed(systems, references, GOLDEN / "expected-order-example.tsv")


def test_real_segments_by_another_program() -> None:
    data = data_folder()
    if not (data / "softorder").is_dir():
        pytest.skip("needs the values of softorder in HYPERBATON_DATA")
    path, folder = data / "softorder" / "expected-order-wmt15-fi-en.tsv", data / "wmt15" / "fi-en"
    names = {row["system"] for row in printed_values(path)}
    systems = {name: real_lines(folder / "systems" / name) for name in names}
    check_printed(systems, real_lines(folder / "reference.txt"), path)


# M, X and N of whole systems, which the page of the definition prints with six decimals.
SUMS = {
    ("wordorder/popovic17/de-en", "nmt"): (2507.556732, 288.427746, 3332.769184),
    ("wordorder/popovic17/de-en", "pbmt"): (2467.376081, 327.924152, 3325.978003),
    ("wordorder/popovic17/en-de", "nmt"): (2772.996929, 354.264182, 3975.767680),
    ("wordorder/popovic17/en-de", "pbmt"): (2678.370604, 471.789392, 3874.858560),
    ("biomqm/es-en", "TMT_run1"): (9234.339556, 509.739300, 10191.624272),
}


@pytest.mark.parametrize(("folder", "system"), SUMS)
def test_sums_of_the_definition(folder: str, system: str) -> None:
    path = data_folder() / folder
    lines = real_lines(path / "systems" / f"{system}.txt")
    references = real_lines(path / "reference.txt")
    metric = hb.metrics.get("order").fit(references)
    X, M, N = metric.statistics(Batch(lines, ReferenceTexts(references))).sum(axis=0)
    assert pytest.approx(SUMS[folder, system], rel=0, abs=1e-6) == (M, X, N)
    assert hb.score(lines, references, metric)["order"].value == close(1 - X / M)


def test_references_against_themselves() -> None:
    """Nearly all words have a counterpart; those that occur several times lose a little."""
    folder = Path(hb.__file__).parent / "example"
    references = real_lines(folder / "reference.txt")
    metric = hb.metrics.get("order:precedence=own")
    X, M, N = metric.statistics(Batch(references, ReferenceTexts(references))).sum(axis=0)
    assert X == 0
    assert 0.99 < M / N < 1
    (row,) = metric.statistics(
        Batch(["a aa aaa aaaa aaaaa"], ReferenceTexts(["a aa aaa aaaa aaaaa"]))
    )
    assert row[1] / row[2] == pytest.approx(0.818, abs=5e-4)  # of the definition's page
