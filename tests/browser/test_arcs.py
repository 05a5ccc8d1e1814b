"""The arcs of the head view against their formula: where they lie, how opaque they are, and their colours."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page

from tests.front_end import script

UNIT = 50_000
WIDTH, HEIGHT = 320, 200  # CSS pixels
ROW = 20
BLUE, RED = [0, 0, 255], [255, 0, 0]
DRAW = """({ arcs, ratio, isDraft, width, height }) => {
  const images = raster.arcsImages(arcs, width, height, ratio, isDraft);
  const canvas = new OffscreenCanvas(width * ratio, height * ratio);
  const context = canvas.getContext("2d");
  for (const image of images) context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const bytes = context.getImageData(0, 0, canvas.width, canvas.height).data;
  return { count: images.length, bytes: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")) };
}"""


@pytest.fixture(scope="module")
def raster(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.add_script_tag(content=script("heads/arcs_raster", "raster"))
    yield page
    page.close()


def arcs(weights: NDArray[np.floating], **more: Any) -> dict[str, Any]:
    """What arcs are drawn from, for weights (heads, queries, keys); each token has a row of its own."""
    heads, queries, keys = weights.shape
    codes = np.round(weights * UNIT).astype(int).reshape(heads, -1)
    middle = (np.arange(max(queries, keys)) + 0.5) * ROW
    return {
        "starts": np.repeat(middle[:queries], keys).tolist(),
        "ends": np.tile(middle[:keys], queries).tolist(),
        "cells": list(range(queries * keys)),
        "heads": [{"codes": one.tolist(), "colour": [BLUE, RED][n % 2], "shift": 0} for n, one in enumerate(codes)],
        "least": 1,
        "unit": UNIT,
        "count": int((codes > 0).sum()),
    } | more


def draw(
    raster: Page, given: dict[str, Any], ratio: int = 1, is_draft: bool = False
) -> tuple[NDArray[np.floating], NDArray[np.floating], int]:
    """Opacity (rows, columns) in 0 … 1, colour (rows, columns, 3), and how many images lie one over the other."""
    sizes = {"ratio": ratio, "isDraft": is_draft, "width": WIDTH, "height": HEIGHT}
    drawn = raster.evaluate(DRAW, {"arcs": given, **sizes})
    pixels = np.frombuffer(b64decode(drawn["bytes"]), np.uint8).reshape(HEIGHT * ratio, WIDTH * ratio, 4).astype(float)
    return pixels[..., 3] / 255, pixels[..., :3], drawn["count"]


def one_weight(query: int, key: int, weight: float) -> NDArray[np.floating]:
    weights = np.zeros((1, HEIGHT // ROW, HEIGHT // ROW))
    weights[0, query, key] = weight
    return weights


def centre(opacity: NDArray[np.floating]) -> NDArray[np.floating]:
    """The centre of each column's opacity, in rows from the top."""
    rows = np.arange(opacity.shape[0]) + 0.5
    return np.asarray(rows @ opacity / opacity.sum(axis=0))


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize(("query", "key"), [(1, 7), (8, 2), (4, 4)])
def test_a_line_follows_its_curve_with_the_opacity_of_its_weight(
    raster: Page, query: int, key: int, ratio: int
) -> None:
    opacity, colour, _ = draw(raster, arcs(one_weight(query, key, 0.6)), ratio)
    t = (np.arange(WIDTH * ratio) + 0.5) / (WIDTH * ratio)
    way = 3 * t**2 - 2 * t**3
    expected = ratio * ROW * (query + 0.5 + (key - query) * way)
    np.testing.assert_allclose(centre(opacity), expected, atol=0.15)
    if query != key:  # else its edges share pixels
        assert opacity.max() == pytest.approx(0.6, abs=0.005)
    slope = np.abs(np.gradient(expected))
    np.testing.assert_allclose(opacity.sum(axis=0), 0.6 * (1.5 * ratio + slope), atol=0.03)
    assert (colour[opacity > 0.02] == BLUE).all()


@pytest.mark.parametrize(("query", "key"), [(1, 7), (8, 2), (4, 4)])
def test_haze_has_as_much_ink_as_the_lines_and_lies_where_they_lie(raster: Page, query: int, key: int) -> None:
    given = arcs(one_weight(query, key, 0.6))
    lines, haze = draw(raster, given)[0], draw(raster, given, is_draft=True)[0]
    assert haze.sum() == pytest.approx(lines.sum(), rel=0.1)
    inside = slice(24, WIDTH - 24)  # at the ends, where arcs are flat, a column of haze is flat, too
    np.testing.assert_allclose(centre(haze)[inside], centre(lines)[inside], atol=6)


def test_where_arcs_meet_weights_add_up_and_colours_mix(raster: Page) -> None:
    weights = np.concatenate([one_weight(2, 6, 0.3), one_weight(2, 6, 0.1)])
    opacity, colour, _ = draw(raster, arcs(weights))
    at = np.unravel_index(opacity.argmax(), opacity.shape)
    assert opacity[at] == pytest.approx(0.4, abs=0.005)
    np.testing.assert_allclose(colour[at], [255 * 0.25, 0, 255 * 0.75], atol=3)
    full = draw(raster, arcs(np.repeat(one_weight(2, 6, 0.9), 2, axis=0)))[0]
    assert full.max() == 1


def test_weights_below_the_threshold_are_not_drawn(raster: Page) -> None:
    weights = one_weight(2, 6, 0.3) + one_weight(8, 8, 0.1)
    given = arcs(weights, least=UNIT // 5)
    for is_draft in (False, True):
        opacity = draw(raster, given, is_draft=is_draft)[0]
        assert opacity[:150].sum() > 0
        assert opacity[160:].sum() == 0
    nothing, _, count = draw(raster, arcs(weights, least=UNIT // 2))
    assert (nothing.sum(), count) == (0, 0)


def test_of_many_arcs_the_strong_ones_are_lines_over_the_haze_of_the_others(raster: Page) -> None:
    weights = one_weight(1, 7, 0.6) + one_weight(8, 8, 0.1)
    few, many = draw(raster, arcs(weights)), draw(raster, arcs(weights, count=10_000))
    assert (few[2], many[2]) == (1, 2)
    np.testing.assert_array_equal(few[0][:150], many[0][:150])
    assert many[0][160:].sum() == pytest.approx(few[0][160:].sum(), rel=0.1)
