"""Links of repeated words that lie far from those of words that occur once, link by link."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reference.aligner import Match

REACH = 12  # docs/alignment.md


def anchored(
    hyp: Sequence[object], ref: Sequence[object], links: Iterable[Match], reach: int = REACH
) -> list[Match]:
    """Return the links that stay. Words are kinds: those that match by stems are equal here."""
    links = sorted(links)

    def is_single(link: Match) -> bool:
        return link.h_length == link.r_length == 1

    def is_anchor(link: Match) -> bool:
        once = list(hyp).count(hyp[link.h]) == 1 and list(ref).count(ref[link.r]) == 1
        return once and is_single(link)

    def stays(link: Match) -> bool:
        before = [other for other in links if is_anchor(other) and other.h < link.h]
        after = [other for other in links if is_anchor(other) and other.h > link.h]
        nearest = [*before[-1:], *after[:1]]
        shifts = [abs((other.r - other.h) - (link.r - link.h)) for other in nearest]
        return is_anchor(link) or not is_single(link) or not nearest or min(shifts) <= reach

    return [link for link in links if stays(link)]
