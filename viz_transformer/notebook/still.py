"""Still pictures, as SVG with real text: what a reader sees where no program runs."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from viz_transformer.visible import visible

# As frontend/src/kit/colour.ts has them.
SEQUENTIAL = np.array(
    [
        *([0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115]),
        *([138, 134, 120], [165, 156, 116], [195, 179, 105], [254, 232, 56]),
    ],
    dtype=float,
)
FONT = "'Source Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"
PAPER, INK = "#fdfcf9", "#22262b"
PALE = np.array([226, 222, 210])  # of what may not be attended to
LETTER, LINE, LABEL = 12, 16, 130  # px: font size, line height, and room for a label
MOST = 18  # characters of a label


def matrix(
    title: str,
    values: NDArray[np.floating],
    mask: NDArray[np.bool_],
    rows: tuple[str, Sequence[str]],
    columns: tuple[str, Sequence[str]],
    scale: str,
) -> str:
    """Weights (T, S) from 0 to 1 with their tokens, their axes and a legend; masked cells are pale.

    Args:
        rows, columns: the name of the axis, and T or S labels.
        scale: what the colours mean.
    """
    n_rows, n_columns = values.shape
    side = max(3, min(24, 560 // max(n_rows, n_columns)))
    left, top = LABEL + 2 * LINE, LABEL + 3 * LINE
    width, height = max(left + n_columns * side, 420) + LINE, top + n_rows * side + 3 * LINE
    parts = [text(LINE / 2, LINE, title, bold=True), *cells(values, mask, left, top, side)]
    if side >= LETTER - 2:
        parts += [
            text(left - 5, top + (i + 0.5) * side, _short(token), anchor="end") for i, token in enumerate(rows[1])
        ]
        parts += [
            text(left + (j + 0.5) * side, top - 5, _short(token), turned=True) for j, token in enumerate(columns[1])
        ]
    parts.append(text(LINE / 2 + 4, top + n_rows * side / 2, rows[0], turned=True, anchor="middle", faint=True))
    parts.append(text(left + n_columns * side / 2, 2 * LINE + 4, columns[0], anchor="middle", faint=True))
    parts += legend(left, top + n_rows * side + LINE, scale)
    return document(width, height, parts)


def grid(title: str, rows: Sequence[tuple[str, Sequence[NDArray[np.floating]], NDArray[np.bool_]]], scale: str) -> str:
    """Small matrices, a row of them for each (name, matrices (T, S), mask (T, S))."""
    side, gap = 84, 10
    parts, y = [text(LINE / 2, LINE, title, bold=True)], 2.5 * LINE
    widest = 0
    for name, matrices, mask in rows:
        parts.append(text(LINE / 2, y, name))
        for n, values in enumerate(matrices):
            parts += cells(values, mask, LINE / 2 + n * (side + gap), y + LINE / 2, side / max(values.shape))
        widest, y = max(widest, len(matrices)), y + side + 2 * LINE
    parts += legend(LINE / 2, y - LINE / 2, scale)
    return document(max(LINE + widest * (side + gap), 420), y + 2 * LINE, parts)


def lines(title: str, said: Sequence[str]) -> str:
    """Texts below each other."""
    parts = [text(LINE / 2, LINE, title, bold=True)]
    parts += [text(LINE / 2, (n + 2.5) * LINE, one) for n, one in enumerate(said)]
    widest = max((len(one) for one in (title, *said)), default=0)
    return document(max(420, widest * 8), (len(said) + 3) * LINE, parts)


def document(width: float, height: float, parts: Iterable[str]) -> str:
    """The SVG of all parts, on a background."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" font-family="{FONT}" font-size="{LETTER}" fill="{INK}">'
        f'<rect width="100%" height="100%" fill="{PAPER}"/>{"".join(parts)}</svg>'
    )


def cells(values: NDArray[np.floating], mask: NDArray[np.bool_], left: float, top: float, side: float) -> list[str]:
    """The cells of a matrix (T, S), as an image of one pixel a cell."""
    n_rows, n_columns = values.shape
    places = np.clip(np.nan_to_num(values), 0, 1) * (len(SEQUENTIAL) - 1)  # (T, S)
    below = np.minimum(places.astype(int), len(SEQUENTIAL) - 2)
    colours = SEQUENTIAL[below] + (places - below)[..., None] * (SEQUENTIAL[below + 1] - SEQUENTIAL[below])
    shown = np.where((mask & np.isfinite(values))[..., None], colours, PALE).round().astype(np.uint8)  # (T, S, 3)
    return [
        f'<image x="{left:g}" y="{top:g}" width="{n_columns * side:g}" height="{n_rows * side:g}" '
        f'preserveAspectRatio="none" style="image-rendering: pixelated" '
        f'href="data:image/png;base64,{b64encode(_png(shown)).decode()}"/>'
    ]


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """(height, width, 3) red, green, blue → a PNG file."""
    height, width, _channels = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # each begins with its filter type: 0, none

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def legend(left: float, top: float, name: str) -> list[str]:
    """What the colours mean, from 0 to 1."""
    width, ramp = 168, np.linspace(0, 1, 84)[None]
    return [
        *cells(np.repeat(ramp, 4, axis=0), np.ones((4, 84), dtype=bool), left, top, 2),
        text(left, top + 20, "0"),
        text(left + width, top + 20, "1", anchor="end"),
        text(left + width + 8, top + 4, name),
    ]


def text(
    x: float,
    y: float,
    said: str,
    *,
    anchor: str = "start",
    turned: bool = False,
    bold: bool = False,
    faint: bool = False,
) -> str:
    """A text as it is, at a place; `turned` reads upwards."""
    look = f' text-anchor="{anchor}"' + (' font-weight="600"' if bold else "") + (' opacity="0.7"' if faint else "")
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    middle = "" if bold else ' dominant-baseline="central"'
    return f'<text x="{x:g}" y="{y:g}"{look}{turn}{middle} xml:space="preserve">{escape(visible(said))}</text>'


def _short(token: str) -> str:
    return token if len(token) <= MOST else f"{token[: MOST - 1]}…"
