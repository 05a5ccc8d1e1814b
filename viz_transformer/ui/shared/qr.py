"""QR codes as the browser draws them."""

from __future__ import annotations

import numpy as np
import segno


def qr_code(text: str) -> np.ndarray | None:
    """Its modules, 1 where they are dark, without the quiet zone around them; None for what no QR code holds."""
    try:
        return np.array(segno.make_qr(text, error="l").matrix, dtype=np.uint8)
    except segno.DataOverflowError:
        return None
