"""The page that Streamlit's front end starts from."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse

from viz_transformer.ui.shared.browser import COOKIE, is_secret, new_cookie

BUILT = Path(__file__).resolve().parents[1] / "ui/static"
(PANELS,) = BUILT.glob("panels-*.js")
# What a run says with `st.html` waits for a script of Streamlit's; what is to be predicted would be seen meanwhile.
STYLE = "<style>.st-key-predict:not([data-revealed]) ~ * { display: none !important; }</style>"
# Where the server is. Else, and where a version no longer looks here, Streamlit first asks below the page's own path,
# is told 404, and waits for a tenth of a second.
SCRIPT = "<script>window.__streamlit={BACKEND_BASE_URL:new URL('.',location.href).href}</script>"
# Fetched at once, instead of when the first of them is to be shown.
MODULE = f'<link rel="modulepreload" href="_stcore/bidi-components/viz-transformer.panels/{PANELS.name}">'
INDEX = (
    Path(st.__file__)
    .with_name("static")
    .joinpath("index.html")
    .read_text(encoding="utf-8")
    .replace("</head>", f"{STYLE}{SCRIPT}{MODULE}</head>")
)


async def index(request: Request) -> HTMLResponse:
    """Streamlit's page, with what it would learn later; with it comes who the visitor is."""
    page = HTMLResponse(INDEX, headers={"Cache-Control": "no-cache"})
    if not is_secret(request.cookies.get(COOKIE)):
        page.headers.append("Set-Cookie", new_cookie(is_secure=request.url.scheme == "https"))
    return page


def own_scripts() -> str:
    """What a policy calls the scripts that stand in that page."""
    inline = re.findall(r"<script>(.*?)</script>", INDEX, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inline)
