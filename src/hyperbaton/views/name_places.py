"""Where names go in a plot: around points, and beside the ends of curves."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RADIUS = 6.0  # of the room of a point
BESIDE = 2.0  # from this room to a name without a line
STEP = 12.0  # between the distances that are tried
TURNS = np.arange(16) * np.pi / 8
DIRECTIONS = np.column_stack([np.cos(TURNS), np.sin(TURNS)])
TRIED = 24  # free places for a name; the one with the best line is taken
SPACING = 6.0  # of the boxes along a line
CROSSES = 5  # how much longer a line may get, in boxes, rather than cross something


def spread_positions(ideal: Floats, gap: float, low: float, high: float) -> Floats:
    """Return positions close to the ideal ones that are at least ``gap`` apart.

    They keep the order of the ideal positions, minimise the squared differences, and lie within
    the bounds if there is room. Used for labels beside curves.

    >>> spread_positions(np.array([50, 51, 90]), 10, 0, 100)
    array([45.5, 55.5, 90. ])
    >>> spread_positions(np.array([98, 99]), 10, 0, 100)
    array([ 90., 100.])
    """
    order = np.argsort(ideal, kind="stable")
    steps = np.arange(len(ideal))
    # Without k gaps, the k-th position only has to be at least the one before: isotonic regression
    # by the means of all runs (Barlow et al. 1972).
    sums = np.concatenate([[0.0], np.cumsum(ideal[order] - gap * steps)])
    sizes = np.maximum(steps[None] - steps[:, None] + 1, 1)
    means = (sums[None, 1:] - sums[:-1, None]) / sizes
    free = [means[: k + 1, k:].min(axis=1).max() for k in steps]
    places = np.empty(len(ideal))
    places[order] = np.clip(free, low, max(low, high - gap * steps[-1])) + gap * steps
    return places


def place_names(points: Floats, sizes: Floats, frame: Floats) -> list[Floats]:
    """Return boxes (left, bottom, right, top) for each name: its own, and those along its line.

    Parameters
    ----------
    points, sizes : array
        A row for each name: x and y; width and height.
    frame : array
        The box in which the names have to be.

    Names cover neither points nor each other if the frame has room for them. The points with the
    most room around them choose first. Then each chooses again, because the first ones did not know
    the places of the others.
    """
    dots = _squares(points, RADIUS)
    crowds = _overlaps(dots, _squares(points, 10 * RADIUS)).sum(axis=1)
    placed: dict[int, Floats] = {}
    for k in 3 * np.argsort(crowds, kind="stable").tolist():
        placed.pop(k, None)
        taken = np.vstack([dots, *(parts[:1] for parts in placed.values())])
        boxes = _boxes_around(points[k], sizes[k], frame)
        free = boxes[~_overlaps(boxes, taken).any(axis=1)]
        tried = [_with_line(points[k], box) for box in (free if len(free) else boxes)[:TRIED]]
        # a line from one of several points at the same place cannot avoid the others
        elsewhere = np.abs(points - points[k]).max(axis=1) > 1
        drawn = np.vstack([dots[elsewhere], *placed.values()])
        costs = [len(parts) + CROSSES * _overlaps(parts, drawn).sum() for parts in tried]
        placed[k] = tried[int(np.argmin(costs))]
    return [placed[k] for k in range(len(points))]


def _boxes_around(point: Floats, size: Floats, frame: Floats) -> Floats:
    """Return boxes for a name around its point and within the frame, the nearest first."""
    distances = np.arange(RADIUS + BESIDE, (frame[2:] - frame[:2]).max(), STEP)[:, None, None]
    # the side or corner of the name that faces the point is at this distance
    low = point + DIRECTIONS * distances - size * (1 - DIRECTIONS) / 2
    low = np.clip(low.reshape(-1, 2), frame[:2], np.maximum(frame[2:] - size, frame[:2]))
    return np.hstack([low, low + size])


def _with_line(point: Floats, box: Floats) -> Floats:
    """Return a box with small ones along the line to it, which begins beside the point."""
    end = np.clip(point, box[:2], box[2:])
    length = max(math.dist(point, end), RADIUS)
    along = np.linspace(RADIUS / length, 1, 2 + int(length / SPACING))[:, None]
    return np.vstack([box, _squares(point + along * (end - point), SPACING / 2)])


def _squares(centres: Floats, radius: float) -> Floats:
    return np.hstack([centres - radius, centres + radius])


def _overlaps(some: Floats, others: Floats) -> npt.NDArray[np.bool_]:
    """Return which boxes have a common area with which others."""
    low, high = some[:, None, :2], some[:, None, 2:]
    found: npt.NDArray[np.bool_] = np.all((low < others[:, 2:]) & (others[:, :2] < high), axis=2)
    return found
