"""Streamlit's index.html, with the style and the scripts that must be there before its front end starts."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse

from viz_transformer.ui.components.front_end import STATIC
from viz_transformer.ui.shared.browser import COOKIE, is_secret, new_cookie

# Hides what is to be predicted. `st.html` is too late: Streamlit must load a script first, and all is seen meanwhile.
FIRST_STYLE = "<style>.st-key-predict:not([data-revealed]) ~ * { display: none !important; }</style>"
# Built from `frontend/src/first.ts`; it must run before anything that writes the address.
FIRST_SCRIPT = f"<script>{next(STATIC.glob('first-*.js')).read_text(encoding='utf-8').strip()}</script>"
# Fetched at once, instead of when the first view is to be shown.
_PANELS = next(STATIC.glob("panels-*.js")).name
PANELS = f'<link rel="modulepreload" href="_stcore/bidi-components/viz-transformer.panels/{_PANELS}">'
_STREAMLITS = Path(st.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
INDEX = _STREAMLITS.replace("</head>", f"{FIRST_STYLE}{PANELS}{FIRST_SCRIPT}</head>")


async def index(request: Request) -> HTMLResponse:
    """The page; a browser without the cookie that tells visitors apart gets one."""
    page = HTMLResponse(INDEX, headers={"Cache-Control": "no-cache"})
    if not is_secret(request.cookies.get(COOKIE)):
        page.headers.append("Set-Cookie", new_cookie(is_secure=request.url.scheme == "https"))
    return page


def own_scripts() -> str:
    """The inline scripts of that page as a content security policy names them: by their hashes."""
    inline = re.findall(r"<script>(.*?)</script>", INDEX, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inline)
