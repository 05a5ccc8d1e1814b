"""QR codes as the browser draws them."""

from __future__ import annotations

import numpy as np
import segno

from viz_transformer.views.text import _
from viz_transformer.visible import escape


def qr_code(text: str) -> np.ndarray | None:
    """Its modules, 1 where they are dark, without the quiet zone around them; None for what no QR code holds."""
    try:
        return np.array(segno.make_qr(text, error="l").matrix, dtype=np.uint8)
    except segno.DataOverflowError:
        return None


def qr_image(link: str, title: str) -> str:
    """A QR code as an image in HTML, dark on white in every scheme: Streamlit drops SVG from HTML."""
    source = segno.make(link, error="m", micro=False).svg_data_uri(scale=2, border=2, light="#fff")
    said = _("QR code: {title}").format(title=title)
    return f'<img class="vt-qr" src="{escape(source)}" alt="{escape(said)}">'
