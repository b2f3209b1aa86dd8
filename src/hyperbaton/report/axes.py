"""What plots stand on: scales, ticks, frames, and labels that do not cover each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperbaton.report.svg import Markup, element, text_width

Floats = npt.NDArray[np.float64]
SIZE = 12.0  # of text, in pixels
LINE = 15  # from one line of text to the next


@dataclass(frozen=True)
class Scale:
    """From values to pixels: ``low`` is at ``start``, ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """A scale on which all values are, with a little room; those that are no numbers do not
        count."""
        known = [value for value in values if math.isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        # of values that are all the same, or differ by rounding only, there is no scale
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            room = abs(low) / 10 or 1.0
        else:
            room = (high - low) / 20
        return cls(low - room, high + room, start, end)

    def __call__(self, value: float) -> float:
        """Where a value is."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[tuple[float, str]]:
        """Round values within it, about so many, and how they are written.

        >>> [text for _, text in Scale(0.13, 0.31, 0, 100).ticks()]
        ['0.15', '0.20', '0.25', '0.30']
        >>> [text for _, text in Scale(-120, 240, 0, 100).ticks(4)]
        ['−100', '0', '100', '200']
        """
        rough = (self.high - self.low) / count
        power = 10.0 ** math.floor(math.log10(rough))
        step = min((1, 2, 5, 10), key=lambda m: abs(math.log(m * power / rough))) * power
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        values = (k * step for k in range(first, last + 1))
        return [(value, f"{value:.{digits}f}".replace("-", "−")) for value in values]


@dataclass(frozen=True)
class Frame:
    """A panel: where its values are on the paper."""

    x: Scale
    y: Scale

    def rows(self, label: str, count: int = 5) -> Iterator[Markup]:
        """Lines across at round values, their numbers, and what they are, above them."""
        for value, text in self.y.ticks(count):
            y = self.y(value)
            yield element("line", x1=self.x.start, x2=self.x.end, y1=y, y2=y, class_="hb-faint")
            yield words(text, self.x.start - 8, y + 4, "quiet", "end")
        yield words(label, self.x.start, self.y.end - 10, "quiet")

    def columns(self, marks: Sequence[tuple[float, str]], label: str) -> Iterator[Markup]:
        """The axis below, with marks, and what they are."""
        y = self.y.start
        yield element("line", x1=self.x.start, x2=self.x.end, y1=y, y2=y, class_="hb-line")
        for value, text in marks:
            x = self.x(value)
            yield element("line", x1=x, x2=x, y1=y, y2=y + 5, class_="hb-line")
            yield words(text, x, y + 19, "quiet", "middle")
        yield words(label, (self.x.start + self.x.end) / 2, y + 38, "quiet", "middle")


def words(text: str, x: float, y: float, look: str = "ink", anchor: str | None = None) -> Markup:
    """A line of text."""
    return element("text", text, x=x, y=y, class_=f"hb-{look}", text_anchor=anchor)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places as near as can be to those wanted, in the same order, ``gap`` apart at least, and
    within bounds if there is room: what labels beside lines need.

    >>> spread([50, 51, 90], 10, 0, 100)
    [45.5, 55.5, 90.0]
    >>> spread([98, 99], 10, 0, 100)
    [90.0, 100.0]
    """
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    # Less k gaps each, the places need only ascend: those that do not are pooled at their mean.
    pools: list[tuple[float, int]] = []
    for k, which in enumerate(order):
        mean, size = wanted[which] - k * gap, 1
        while pools and pools[-1][0] > mean:
            before, more = pools.pop()
            mean = (before * more + mean * size) / (size + more)
            size += more
        pools.append((mean, size))
    last = high - gap * (len(wanted) - 1)
    free = [max(low, min(mean, last)) for mean, size in pools for _ in range(size)]
    places = [0.0] * len(wanted)
    for k, which in enumerate(order):
        places[which] = float(free[k] + k * gap)
    return places


def point_labels(
    points: Sequence[tuple[float, float]], names: Sequence[str], frame: Frame
) -> Iterator[Markup]:
    """The name beside each point, on a side where it covers no point and no other name; a point
    without such a side has none."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    for (x, y), name in zip(points, names, strict=True):
        wide, high = text_width(name, SIZE), SIZE
        for left, top in (
            (x + 7, y - high / 2),
            (x - 7 - wide, y - high / 2),
            (x - wide / 2, y - high - 6),
            (x - wide / 2, y + 6),
        ):
            box = (left, top, left + wide, top + high)
            inside = frame.x.start <= left and box[2] <= frame.x.end
            inside = inside and frame.y.end <= top and box[3] <= frame.y.start
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield words(name, left, top + high - 2, "quiet")
                break


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
