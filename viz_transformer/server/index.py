"""The page that Streamlit's front end starts from."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse

INDEX = Path(st.__file__).with_name("static").joinpath("index.html").read_text(encoding="utf-8")
# What a run says with `st.html` waits for a script of Streamlit's; what is to be predicted would be seen meanwhile.
FIRST_STYLE = "<style>.st-key-predict:not([data-revealed]) ~ * { display: none !important; }</style>"


async def index(request: Request) -> HTMLResponse:
    """Streamlit's page, hiding from the start what is hidden."""
    return HTMLResponse(INDEX.replace("</head>", FIRST_STYLE + "</head>"), headers={"Cache-Control": "no-cache"})


def own_scripts() -> str:
    """What a policy calls the scripts that stand in that page."""
    inline = re.findall(r"<script>(.*?)</script>", INDEX, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in inline)
