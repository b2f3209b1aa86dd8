"""Links through the source: lrscore as published, and composed links for other metrics."""

from __future__ import annotations

import itertools
import random
from typing import Any, NamedTuple

import numpy as np
import pytest

import hyperbaton as hb
from metrics import corpora
from reference import scoring as by_hand
from reference import source as twin


class Bitext(NamedTuple):
    corpus: corpora.Corpus
    source: list[str]
    system: list[list[tuple[int, int]]]
    references: list[list[list[tuple[int, int]]]]

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "alignments": [text(links) for links in self.system],
            "reference_alignments": [
                [text(links) for links in several] for several in self.references
            ],
        }


def text(links: list[tuple[int, int]]) -> str:
    return " ".join(f"{a}-{b}" for a, b in links)


def some_links(rng: random.Random, source: int, target: int) -> list[tuple[int, int]]:
    every = list(itertools.product(range(source), range(target)))
    return sorted(rng.sample(every, rng.randint(0, min(len(every), source + 2))))


def bitext(seed: int) -> Bitext:
    rng = random.Random(seed)
    corpus = corpora.corpus(seed, 40)
    lengths = [rng.randrange(9) for _ in corpus.hypotheses]
    return Bitext(
        corpus,
        [" ".join("s" * n) for n in lengths],
        [
            some_links(rng, n, len(hyp.split()))
            for n, hyp in zip(lengths, corpus.hypotheses, strict=True)
        ],
        [
            [some_links(rng, n, len(ref.split())) for ref in refs]
            for n, refs in zip(lengths, corpus.references, strict=True)
        ],
    )


@pytest.mark.parametrize("nulls", ["paper", "moses"])
@pytest.mark.parametrize("measure", ["kendall", "hamming"])
@pytest.mark.parametrize("bp", ["system", "off", "permutation"])
def test_two_permutations_of_the_source(nulls: str, measure: str, bp: str) -> None:
    """R of Birch & Osborne 2010: d(π, σ) × BP, for the best reference."""
    distance = {"kendall": twin.kendall, "hamming": twin.hamming}[measure]
    for seed in range(4):
        texts = bitext(seed)
        metric = f"lrscore:order={measure},nulls={nulls},bp={bp},alpha=1,tok=none"
        found = hb.score(*texts.corpus, [metric], **texts.arguments)[metric]
        expected = []
        for k, line in enumerate(texts.source):
            n, hyp = len(line.split()), corpora.words(texts.corpus.hypotheses[k])
            refs = [corpora.words(ref) for ref in texts.corpus.references[k]]
            penalty = by_hand.penalty(len(hyp), by_hand.closest(hyp, refs)) if bp == "system" else 1
            pi = twin.reordering(texts.system[k], n, nulls)
            values = [
                # nothing is known about a side without any link
                distance(pi, twin.reordering(links, n, nulls)) if links and texts.system[k] else 0
                for links in texts.references[k]
            ]
            expected.append(float(penalty * max(values)))
        np.testing.assert_allclose(found.segments, expected, 1e-12, 1e-12)


def test_other_metrics_use_composed_links() -> None:
    """They have the same scores if the composed links are given directly."""
    specs = [
        f"{name}:tok=none"
        for name in ("pef", "kendall", "adjacency", "meteor_frag", "full", "senscore", "wer")
    ]
    specs += ["pef:unaligned=left,bp=off,tok=none", "lrscore:nulls=drop,tok=none"]
    for seed in range(4):
        texts = bitext(seed)
        composed = []
        for k, line in enumerate(texts.source):
            n, hyp = len(line.split()), len(texts.corpus.hypotheses[k].split())
            to_system = hb.Alignment(n, hyp, texts.system[k])
            composed.append(
                [
                    to_system.inverse().compose(hb.Alignment(n, len(ref.split()), links))
                    for ref, links in zip(
                        texts.corpus.references[k], texts.references[k], strict=True
                    )
                ]
            )
        found = hb.score(*texts.corpus, specs, **texts.arguments)
        direct = hb.score(*texts.corpus, specs, alignments=composed)
        for spec in specs:
            assert found[spec].segments.tolist() == direct[spec].segments.tolist(), spec
            assert found[spec].linked == direct[spec].linked


def test_any_order_metric_can_use_permutations_of_the_source() -> None:
    result = hb.score(
        ["c b a"],
        ["a b c"],
        ["pef:nulls=moses,tok=none", "pef:nulls=paper,tok=none"],
        source=["x y z"],
        alignments=["0-2 1-1"],  # z has no link
        reference_alignments=["0-0 1-1 2-2"],
    )
    # moses gives z the place of y: x y z at 2 1 1, so y z x; paper gives 2 1 2, so y x z.
    assert result["pef:nulls=moses,tok=none"].value == pytest.approx(hb.pef([2, 3, 1]))
    assert result["pef:nulls=paper,tok=none"].value == pytest.approx(hb.pef([2, 1, 3]))


def test_lrscore_as_published() -> None:
    """Figure 1: (a) is the translation, (b) to (d) are references with the same words."""
    words = "a b c d e f g h i j"
    targets = {
        "b": ([0, 1, 2, 3, 5, 4, 6, 7, 8, 9], 44 / 45, 0.8),
        "c": ([5, 6, 7, 8, 9, 0, 1, 2, 3, 4], 20 / 45, 0),
        "d": ([9, 0, 1, 2, 3, 4, 5, 6, 7, 8], 36 / 45, 0),
    }
    for places, kendall, hamming in targets.values():
        result = hb.score(
            [words],
            [words],
            ["lr_kb1", "lr_hb1", "lr_kb1:alpha=0.25"],
            source=["0 1 2 3 4 5 6 7 8 9"],
            alignments=[" ".join(f"{k}-{k}" for k in range(10))],
            reference_alignments=[" ".join(f"{s}-{t}" for s, t in enumerate(places))],
        )
        assert result["lr_kb1"].value == pytest.approx(0.5 * kendall + 0.5)
        assert result["lr_hb1"].value == pytest.approx(0.5 * hamming + 0.5)
        assert result["lr_kb1:alpha=0.25"].value == pytest.approx(0.25 * kendall + 0.75)


@pytest.mark.parametrize("batch", [1, 7, 100])
def test_any_batch_size(batch: int) -> None:
    texts = bitext(9)
    specs = ["lr_kb4:tok=none", "pef:tok=none"]
    whole = hb.score(*texts.corpus, specs, **texts.arguments)
    parts = corpora.score_in_batches(batch, *texts.corpus, specs, **texts.arguments)
    for spec in specs:
        assert parts[spec].segments.tolist() == whole[spec].segments.tolist()
        assert parts[spec].value == whole[spec].value


TEXTS: tuple[list[str], list[str]] = (["a b"], ["b a c"])
GIVEN: dict[str, Any] = {
    "source": ["x y"],
    "alignments": ["0-0 1-1"],
    "reference_alignments": ["0-1 1-0"],
}


def test_the_signature_says_where_links_come_from() -> None:
    specs = ["lr_kb4", "pef", "adjacency", "wer", "bleu", "ribes"]
    through = hb.score(*TEXTS, specs, **GIVEN)
    direct = hb.score(*TEXTS, specs, alignments=["0-1 1-0"])
    found = hb.score(*TEXTS, specs)
    for spec in ("lr_kb4", "pef", "adjacency"):
        signatures = [result[spec].signature for result in (through, direct, found)]
        assert [text.split("|align:")[1].split("|")[0] for text in signatures] == [
            "source",
            "given",
            "exact+anchored",
        ]
        assert ["|nulls:" in text for text in signatures] == [spec != "adjacency", False, False]
    for spec in ("wer", "bleu", "ribes"):
        assert through[spec].signature == direct[spec].signature == found[spec].signature
    assert "|nulls:paper|" in through["lr_kb4"].signature
    assert "|unaligned:" not in through["lr_kb4"].signature  # it has no effect there
    assert "|unaligned:drop|nulls:drop|" in through["pef"].signature


def test_links_through_the_source_are_needed_again() -> None:
    for spec in ("lr_kb4", "pef", "adjacency", "pef:nulls=moses"):
        score = hb.score(*TEXTS, [spec], **GIVEN)[spec]
        metric = hb.metrics.from_signature(score.signature)
        again = hb.score(*TEXTS, [metric], **GIVEN)[metric.spec]
        assert (again.value, again.signature) == (score.value, score.signature)
        for other in (None, ["0-1 1-0"]):
            with pytest.raises(
                ValueError, match=r"align=source needs alignments through the source"
            ):
                hb.score(*TEXTS, [metric], alignments=other)
    direct = hb.score(*TEXTS, ["pef"], alignments=["0-1 1-0"])["pef"]
    with pytest.raises(
        ValueError, match=r"align=given needs alignments: give them to score or compare$"
    ):
        hb.score(*TEXTS, [hb.metrics.from_signature(direct.signature)], **GIVEN)


def test_metrics_that_differ_in_nulls_only() -> None:
    assert hb.metrics.get("pef:nulls=paper") != hb.metrics.get("pef:nulls=moses")
    assert hb.metrics.get("lr_kb4:nulls=paper") == hb.metrics.get("lr_kb4")


def test_comparing() -> None:
    references = ["a b c"] * 12
    systems = {"good": references, "bad": ["c b a"] * 12}
    aligned = {"good": ["0-0 1-1 2-2"] * 12, "bad": ["0-2 1-1 2-0"] * 12}
    found = hb.compare(
        systems,
        references,
        ["lr_kb1"],
        samples=200,
        source=["x y z"] * 12,
        alignments=aligned,
        reference_alignments=["0-0 1-1 2-2"] * 12,
    )
    assert [result["lr_kb1"].value for result in found.results] == [1.0, 0.5]
    assert found.differences[0].better == "good"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"source": None}, ValueError, "links through the source need .*: source is missing"),
        ({"alignments": None}, ValueError, "alignments is missing"),
        (
            {"source": None, "alignments": None},
            ValueError,
            "reference_alignments: source and alignments are missing",
        ),
        ({"reference_alignments": None}, ValueError, "reference_alignments is missing"),
        ({"source": ["x", "y"]}, ValueError, "1 segments, but source has 2"),
        ({"source": "x y"}, TypeError, "source must be a list of strings, got str"),
        ({"alignments": ["", ""]}, ValueError, "1 segments, but 2 alignments"),
        ({"reference_alignments": []}, ValueError, "1 segments, but 0 reference_alignments"),
        (
            {"reference_alignments": [["", ""]]},
            ValueError,
            r"reference_alignments\[0\] has 2, but there are 1 references",
        ),
        (
            {"alignments": ["2-0"]},
            ValueError,
            "^segment 0: alignments: link 2-0 is outside the source, which has 2 words",
        ),
        ({"alignments": ["0-2"]}, ValueError, "link 0-2 is outside the system, which has 2 words"),
        (
            {"reference_alignments": ["0-3"]},
            ValueError,
            "^segment 0: reference_alignments: link 0-3 is outside the reference, which has 3",
        ),
        ({"alignments": ["0_0"]}, ValueError, "'0_0' is not a link"),
        (
            {"alignments": [hb.Alignment(3, 2, [])]},
            ValueError,
            "the alignment is for sentences of 3 and 2 words, but these have 2 and 2",
        ),
        ({"alignments": [7]}, TypeError, "int"),
    ],
)
def test_invalid_input(change: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        hb.score(*TEXTS, ["lr_kb4"], **{**GIVEN, **change})
