"""Parts of plots: scales, ticks, frames with titles, and positions of labels beside curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hyperbaton.presentation import Markup
from hyperbaton.views.svg import element, number, text_width

Floats = npt.NDArray[np.float64]
SIZE = 12.0  # font size, in pixels
LINE = 15  # line height
TITLE_ROOM = 52  # from the y axis to its title, for values


@dataclass(frozen=True)
class Scale:
    """A linear map from values to pixels: ``low`` is at ``start``, ``high`` at ``end``."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """Return a scale that covers all finite values, with a small margin."""
        known = [value for value in values if math.isfinite(value)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        # values that are equal, or differ only by rounding, have no range
        if high - low <= 1e-12 * max(abs(low), abs(high)):
            margin = abs(low) / 10 or 1.0
        else:
            margin = (high - low) / 20
        return cls(low - margin, high + margin, start, end)

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[tuple[float, str]]:
        """Return about ``count`` round values on the scale, with their labels.

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
    """The axes of a panel."""

    x: Scale
    y: Scale

    def rows(self, title: str, count: int = 5) -> Iterator[Markup]:
        """Yield horizontal grid lines with their values, and the title of the y axis beside it."""
        for value, text in self.y.ticks(count):
            y = self.y(value)
            yield element("line", x1=self.x.start, x2=self.x.end, y1=y, y2=y, class_="hb-faint")
            yield text_line(text, self.x.start - 8, y + 4, "quiet", "end")
        x, y = self.x.start - TITLE_ROOM, (self.y.start + self.y.end) / 2
        turn = f"rotate(-90 {number(x)} {number(y)})"
        text = fit_text(title, self.y.start - self.y.end)
        yield element(
            "text", text, x=x, y=y, class_="hb-quiet", text_anchor="middle", transform=turn
        )

    def columns(self, marks: Sequence[tuple[float, str]], title: str) -> Iterator[Markup]:
        """Yield the x axis with marks and its title."""
        y = self.y.start
        yield element("line", x1=self.x.start, x2=self.x.end, y1=y, y2=y, class_="hb-line")
        for value, text in marks:
            x = self.x(value)
            yield element("line", x1=x, x2=x, y1=y, y2=y + 5, class_="hb-line")
            yield text_line(text, x, y + 19, "quiet", "middle")
        yield text_line(title, (self.x.start + self.x.end) / 2, y + 38, "quiet", "middle")


def text_line(
    text: str, x: float, y: float, look: str = "ink", anchor: str | None = None
) -> Markup:
    """Return a line of text."""
    return element("text", text, x=x, y=y, class_=f"hb-{look}", text_anchor=anchor)


def fit_text(text: str, room: float) -> str:
    """Return the text, or its start and … if it is wider than the room.

    >>> fit_text("adjacency", 60), fit_text("adjacency", 40)
    ('adjacency', 'adjac…')
    """
    if text_width(text, SIZE) <= room:
        return text
    while text and text_width(f"{text}…", SIZE) > room:
        text = text[:-1]
    return f"{text}…"


def spread_positions(ideal: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions close to the ideal ones that are at least ``gap`` apart.

    They keep the order of the ideal positions, minimise the squared differences, and lie within
    the bounds if there is room. Used for labels beside curves.

    >>> spread_positions([50, 51, 90], 10, 0, 100)
    [45.5, 55.5, 90.0]
    >>> spread_positions([98, 99], 10, 0, 100)
    [90.0, 100.0]
    """
    order = sorted(range(len(ideal)), key=lambda k: ideal[k])
    # After subtracting k gaps from the k-th position, positions only have to increase: isotonic
    # regression by pooling adjacent violators.
    pools: list[tuple[float, int]] = []
    for k, which in enumerate(order):
        mean, size = ideal[which] - k * gap, 1
        while pools and pools[-1][0] > mean:
            other_mean, other_size = pools.pop()
            mean = (other_mean * other_size + mean * size) / (size + other_size)
            size += other_size
        pools.append((mean, size))
    last = high - gap * (len(ideal) - 1)
    free = [max(low, min(mean, last)) for mean, size in pools for _ in range(size)]
    places = [0.0] * len(ideal)
    for k, which in enumerate(order):
        places[which] = float(free[k] + k * gap)
    return places
