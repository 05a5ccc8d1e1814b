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

INDEX = Path(st.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
# What a run says with `st.html` waits for a script of Streamlit's; what is to be predicted would be seen meanwhile.
FIRST_STYLE = "<style>.st-key-predict:not([data-revealed]) ~ * { display: none !important; }</style>"


async def index(request: Request) -> HTMLResponse:
    """Streamlit's page, hiding from the start what is hidden; with it comes who the visitor is."""
    page = HTMLResponse(INDEX.replace("</head>", FIRST_STYLE + "</head>"), headers={"Cache-Control": "no-cache"})
    if not is_secret(request.cookies.get(COOKIE)):
        page.headers.append("Set-Cookie", new_cookie(is_secure=request.url.scheme == "https"))
    return page


def own_scripts() -> str:
    """What a policy calls the scripts that stand in that page."""
    inline = re.findall(r"<script>(.*?)</script>", INDEX, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inline)
