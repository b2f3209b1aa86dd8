"""Names of points in a plot, with lines that lead to names that do not fit beside their points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from hyperbaton.presentation import Markup
from hyperbaton.views.axes import SIZE, Frame, fit_text, text_line
from hyperbaton.views.svg import element, number, text_width

MAX_WIDTH = 150.0  # of a name, in pixels; the tooltip of the point has the whole name
FILLED = 0.15  # of a panel, by names; with more, lines become long
RADIUS = 6.0  # of the room of a point
BESIDE = 2.0  # from this room to a name without a line
PAD, HIGH = 3.0, SIZE + 2  # room on both sides of a name, and its height
STEP = 12.0  # between the distances that are tried
DIRECTIONS = [(math.cos(k * math.pi / 8), math.sin(k * math.pi / 8)) for k in range(16)]
ROUNDS = 3
# The costs of a name over something, and of a line through something, in pixels of distance.
COVERS, CROSSES = 10_000.0, 80.0

Point = tuple[float, float]


class Box(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Return whether the two have a common area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def nearest(self, point: Point) -> Point:
        """Return the point of the box that is nearest to a point."""
        x, y = point
        return min(max(x, self.left), self.right), min(max(y, self.top), self.bottom)


class Label(NamedTuple):
    """The place of a name, and the line from its point to it."""

    box: Box
    line: tuple[Point, Point]


def panel_side(names: Sequence[str], least: float) -> float:
    """Return how wide and high a panel must be to have room for all names."""
    area = sum(min(text_width(name, SIZE), MAX_WIDTH) * SIZE for name in names)
    return max(least, math.ceil(math.sqrt(area / FILLED)))


def point_labels(points: Sequence[Point], names: Sequence[str], frame: Frame) -> Iterator[Markup]:
    """Yield the name of every point, with a line to it if it is not beside its point.

    Names cover neither points nor each other if the panel has room for them; see
    :func:`panel_side`.
    """
    texts = [fit_text(name, MAX_WIDTH) for name in names]
    labels = _place(points, [text_width(text, SIZE) + 2 * PAD for text in texts], frame)
    for point, text, (box, (start, end)) in zip(points, texts, labels, strict=True):
        if math.dist(point, end) > RADIUS + BESIDE + 1:
            path = f"M{number(start[0])} {number(start[1])}L{number(end[0])} {number(end[1])}"
            yield element("path", d=path, class_="hb-line")
        yield text_line(text, box.left + PAD, box.bottom - 3, "quiet")


def _place(points: Sequence[Point], widths: Sequence[float], frame: Frame) -> list[Label]:
    """Return a label for each point.

    The points with the most room around them choose first. Then each chooses again, because the
    first ones did not know the labels of the others.
    """
    dots = [Box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in points]
    crowds = [sum(math.dist(a, b) < 10 * RADIUS for b in points) for a in points]
    order = sorted(range(len(points)), key=lambda k: crowds[k])
    labels: dict[int, Label] = {}
    for k in ROUNDS * order:
        # a line from one of several points at the same place cannot avoid the others
        other_dots = [
            dot for dot, point in zip(dots, points, strict=True) if math.dist(point, points[k]) > 1
        ]
        other_labels = [label for j, label in labels.items() if j != k]
        best = math.inf
        for distance, label in _candidates(points[k], widths[k], frame):
            if distance >= best:
                break
            cost = distance + _conflicts(label, other_dots, other_labels, best - distance)
            if cost < best:
                best, labels[k] = cost, label
    return [labels[k] for k in range(len(points))]


def _candidates(point: Point, width: float, frame: Frame) -> Iterator[tuple[float, Label]]:
    """Yield places within the frame around a point, the nearest first."""
    x, y = point
    furthest = abs(frame.x.end - frame.x.start) + abs(frame.y.end - frame.y.start)
    for ring in range(int(furthest / STEP)):
        distance = RADIUS + BESIDE + ring * STEP
        for dx, dy in DIRECTIONS:
            # the side or corner of the name that faces the point is at this distance
            left = x + dx * distance - width * (1 - dx) / 2
            top = y + dy * distance - HIGH * (1 - dy) / 2
            left = min(max(left, frame.x.start), max(frame.x.end - width, frame.x.start))
            top = min(max(top, frame.y.end), frame.y.start - HIGH)
            box = Box(left, top, left + width, top + HIGH)
            end = box.nearest(point)
            length = math.dist(point, end)
            if length < RADIUS:
                continue  # moved back into the frame, onto the point
            share = RADIUS / length
            start = (x + share * (end[0] - x), y + share * (end[1] - y))
            yield distance, Label(box, (start, end))


def _conflicts(label: Label, dots: Sequence[Box], labels: Sequence[Label], limit: float) -> float:
    """Return the cost of what a label and its line cover and cross, or a part of it if it is high.

    Parts from ``limit`` on are enough to know that another place is better.
    """
    box, line = label
    cost = COVERS * sum(box.overlaps(dot) for dot in dots)
    cost += COVERS * sum(box.overlaps(other.box) for other in labels)
    for dot in dots:
        if cost >= limit:
            return cost
        cost += CROSSES * _enters(line, dot)
    for other in labels:
        if cost >= limit:
            return cost
        crossed = _enters(line, other.box) + _enters(other.line, box) + _cross(line, other.line)
        cost += CROSSES * crossed
    return cost


def _enters(line: tuple[Point, Point], box: Box) -> bool:
    """Return whether a line has a part inside of a box (Liang & Barsky 1984)."""
    (x, y), (x2, y2) = line
    first, last = 0.0, 1.0
    for step, low, high in (
        (x2 - x, box.left - x, box.right - x),
        (y2 - y, box.top - y, box.bottom - y),
    ):
        if step == 0:
            if low >= 0 or high <= 0:
                return False
            continue
        enter, leave = sorted((low / step, high / step))
        first, last = max(first, enter), min(last, leave)
    return first < last


def _cross(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    """Return whether two lines cross."""

    def side(a: Point, b: Point, c: Point) -> bool:
        return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])

    return side(*one, other[0]) != side(*one, other[1]) and side(*other, one[0]) != side(
        *other, one[1]
    )
