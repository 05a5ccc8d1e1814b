"""Pixels of what a browser shows, and the colours that the legend promises for numbers."""

from __future__ import annotations

import json
import re

import numpy as np
from numpy.typing import ArrayLike, NDArray
from playwright.sync_api import Locator, expect

# The colours of the two scales at equal distances; between two of them a mixture.
SEQUENTIAL = [
    (0, 34, 78), (18, 53, 112), (59, 73, 108), (87, 93, 109), (112, 113, 115),
    (138, 134, 120), (165, 156, 116), (195, 179, 105), (254, 232, 56),
]  # fmt: skip
DIVERGING = [
    (8, 62, 121), (74, 135, 189), (164, 200, 226), (244, 242, 236), (247, 200, 145), (217, 126, 46), (133, 62, 6),
]  # fmt: skip  # on a light page

# Near a cell's corner: digits stand in its middle.
_CELLS = """
(canvas, [rows, columns]) => {
    const { left, top, cell, height } = canvas.dataset;
    const ratio = canvas.width / canvas.getBoundingClientRect().width;
    const context = canvas.getContext("2d");
    return Array.from({ length: rows * columns }, (_, n) => {
        const x = Number(left) + (n % columns + 0.12) * Number(cell);
        const y = Number(top) + (Math.floor(n / columns) + 0.2) * Number(height);
        return [...context.getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data];
    });
}
"""

_PIXELS = """
(canvas, points) => {
    const ratio = canvas.width / canvas.getBoundingClientRect().width;
    const context = canvas.getContext("2d");
    return points.map(([x, y]) => [...context.getImageData(Math.floor(x * ratio), Math.floor(y * ratio), 1, 1).data]);
}
"""


def pixels_at(canvas: Locator, points: ArrayLike) -> NDArray[np.float64]:
    """Red, green, blue and opacity (…, 4) of points (…, 2) in CSS pixels of a canvas."""
    places = np.asarray(points, dtype=np.float64)
    pixels = np.array(canvas.evaluate(_PIXELS, places.reshape(-1, 2).tolist()), dtype=np.float64)
    return pixels.reshape(*places.shape[:-1], 4)


def thumbnail_colours(canvas: Locator, head: tuple[str, int, int], shape: tuple[int, int]) -> NDArray[np.float64]:
    """The colour of each cell (T, S, 3) of one head, (module, layer, head), among all heads at a glance."""
    expect(canvas).to_have_attribute("data-slots", re.compile(head[0]))  # it is visible before it is painted
    slots = json.loads(canvas.get_attribute("data-slots") or "[]")
    x, y = next(slot[3:] for slot in slots if tuple(slot[:3]) == head)
    cell = float(canvas.get_attribute("data-side") or "nan") / max(shape)
    rows, columns = np.indices(shape)
    return pixels_at(canvas, np.stack([x + (columns + 0.5) * cell, y + (rows + 0.5) * cell], axis=-1))[..., :3]


def cell_colours(canvas: Locator, shape: tuple[int, int]) -> NDArray[np.float64]:
    """The colour of each cell of a painted matrix (R, C, 3)."""
    pixels = np.array(canvas.evaluate(_CELLS, list(shape)), dtype=np.float64)
    return pixels[:, :3].reshape(*shape, 3)


def colours_of(values: ArrayLike, low: float, high: float, scale: list[tuple[int, int, int]]) -> NDArray[np.float64]:
    """What the legend promises for numbers between `low` and `high`: (…, 3)."""
    anchors = np.array(scale, dtype=np.float64)
    places = (np.asarray(values) - low) / (high - low) * (len(anchors) - 1)
    return np.stack([np.interp(places, np.arange(len(anchors)), anchors[:, channel]) for channel in range(3)], axis=-1)


def assert_painted(
    canvas: Locator,
    values: NDArray[np.floating],
    mask: NDArray[np.bool_],
    *,
    diverging: bool,
    extent: float | None = None,
) -> None:
    """Asserts that each cell in the mask (R, C) has the colour of its number.

    The scale ends at `extent`, or else at the largest of these numbers.
    """
    if extent is None:
        extent = float(np.abs(values[mask]).max())
    expected = (
        colours_of(values, -extent, extent, DIVERGING) if diverging else colours_of(values, 0, extent, SEQUENTIAL)
    )
    actual = cell_colours(canvas, values.shape)
    difference = np.abs(actual - expected).max(axis=-1)
    assert (difference[mask] <= 3).all(), f"cell {np.unravel_index((difference * mask).argmax(), values.shape)}"
