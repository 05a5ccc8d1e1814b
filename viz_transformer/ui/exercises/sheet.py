"""All exercises on paper: with room to write, or with answers that are computed now, and a QR code for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from viz_transformer.experiments.exercises.catalogue import EXERCISES
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.ui.exercises.checked import answers_to
from viz_transformer.ui.exercises.words import plain_answer, plain_question, plain_said
from viz_transformer.ui.shared.link import keep, read
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.linked import OneOf
from viz_transformer.views.text import _, in_a_row
from viz_transformer.visible import escape

_SHEET = OneOf(("sheet", "answers"))


def sheet_in_link() -> str:
    """`sheet` or `answers`, where the link asks for one; or ""."""
    return read("print", _SHEET, "")


def offer_sheets() -> None:
    """Two buttons."""
    with st.container(key="vt-exercises-sheets", horizontal=True):
        st.button(_("Print the sheet"), on_click=_open, args=("sheet",))
        st.button(_("Print with answers"), on_click=_open, args=("answers",))


def show_sheet(kind: str) -> None:
    """The sheet, plainly; a style sheet for print takes everything else away."""
    address = server_address(st.context.url)
    codes_at = "" if is_only_here(address) else address
    with st.container(key="vt-exercises-screen"):
        st.button(_("← Back to the exercises"), on_click=_open, args=("",))
        st.markdown(_("Print this page with your browser: Ctrl+P, or ⌘P on a Mac."))
        place = st.empty()
    sections = (
        _section(n, exercise, codes_at, found)
        for n, (exercise, found) in enumerate(zip(EXERCISES, _found(kind, place), strict=True), start=1)
    )
    title = _("Exercises") if kind == "sheet" else _("Exercises, with answers")
    st.html(f'<div class="vt-sheet"><h1>{escape(title)}</h1><p>{_about(address)}</p>{"".join(sections)}</div>')
    place.empty()


def server_address(url: str | None) -> str:
    """The address that a browser says it came to, without page and parameters; "" where it is no address."""
    try:
        parts = urlsplit(url or "")
        is_one = parts.scheme in ("http", "https") and bool(
            re.fullmatch(r"[\w.-]+(:\d+)?|\[[\da-f:]+\](:\d+)?", parts.netloc)
        )
    except ValueError:
        return ""
    folder = parts.path.rpartition("/")[0]
    if not is_one or not re.fullmatch(r"[\w./~-]*", folder):
        return ""
    return f"{parts.scheme}://{parts.netloc}{folder}/"


def is_only_here(address: str) -> bool:
    """Whether no other machine finds a server by this address."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


def _found(kind: str, place: st.delta_generator.DeltaGenerator) -> Iterator[tuple[str, Feedback] | None]:
    """A right answer to each where answers are asked for, or else None."""
    if kind == "sheet":
        yield from repeat(None, len(EXERCISES))
        return
    for done, found in enumerate(answers_to(EXERCISES, place), start=1):
        place.progress(
            done / len(EXERCISES), _("{done} of {count} answers computed").format(done=done, count=len(EXERCISES))
        )
        yield found


def _about(address: str) -> str:
    if not address:
        return escape(_("The address of this server is not known, so there are no QR codes."))
    if is_only_here(address):
        return escape(
            _(
                "Only this machine can open {address}, so there are no QR codes: serve the app at an address that the "
                "class can open, and print the sheet there."
            ).format(address=address)
        )
    return escape(_("Each QR code opens its exercise at {address}").format(address=address))


def _section(n: int, exercise: Exercise, address: str, found: tuple[str, Feedback] | None) -> str:
    """One exercise as HTML, all of it escaped."""
    link = urlencode({"exercise": exercise.slug, **chosen_language()})
    code = qr_code(f"{address}exercises?{link}", _(exercise.title)) if address else ""
    reads = _("{model} reads: {source}").format(model=exercise.model, source=exercise.source) if exercise.source else ""
    if exercise.target:
        reads = in_a_row(reads, _("The decoder reads: {target}").format(target=exercise.target))
    if found is None:
        room = '<div class="vt-room"></div>'
    else:
        answer, feedback = found
        shown = plain_answer(exercise, answer)
        room = f'<p class="vt-answer"><b>{escape(shown)}</b><br>{escape(plain_said(feedback))}</p>'
    return (
        f'<section class="vt-exercise">{code}<h2>{n} · {escape(_(exercise.title))}</h2>'
        f"<p>{escape(plain_question(exercise))}</p>"
        f"{f'<p><i>{escape(reads)}</i></p>' if reads else ''}{room}</section>"
    )


def qr_code(link: str, title: str) -> str:
    """A QR code as SVG, dark on white in every scheme; as an image, since Streamlit drops SVG from HTML."""
    source = segno.make(link, error="m", micro=False).svg_data_uri(scale=2, border=2, light="#fff")
    said = _("QR code: {title}").format(title=title)
    return f'<img class="vt-qr" src="{escape(source)}" alt="{escape(said)}">'


def _open(kind: str) -> None:
    if kind:
        keep("print", _SHEET, kind)
    else:
        st.query_params.pop("print", None)
