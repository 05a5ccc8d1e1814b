"""What a class takes home, after the last scene: the formula, the lecture's sentences, and codes for the next steps."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from viz_transformer.lectures import Lecture, said
from viz_transformer.ui.shared.qr import qr_image
from viz_transformer.ui.shared.server_address import is_only_here, server_address
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.text import _, language
from viz_transformer.visible import escape


def show_closing(lecture: Lecture) -> None:
    """Shows the page; under `picture=closing` it stands alone."""
    sentences = [said(text, language()) for text in lecture.closing]
    with st.container(key="closing"):
        st.latex(r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d_k}} + \mathrm{mask}\right) V")
        st.html(closing_html(sentences, server_address(st.context.url)))


def closing_html(sentences: list[str], address: str) -> str:
    """The sentences, and two ways on, each with a QR code unless only this machine finds the server at `address`."""
    query = f"?{urlencode(chosen_language())}".rstrip("?")
    ways = ((_("Try the exercises"), "exercises"), (_("Type a sentence of your own"), "overview"))
    links = "".join(_way(title, page + query, address) for title, page in ways)
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<div class="vt-closing"><ol>{items}</ol><div class="vt-ways">{links}</div></div>'


def _way(title: str, link: str, address: str) -> str:
    code = "" if not address or is_only_here(address) else qr_image(address + link, title)
    return f'<a href="{escape(address + link)}" target="_self">{code}<span>{escape(title)}</span></a>'
