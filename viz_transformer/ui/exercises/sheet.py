"""A worksheet: chosen exercises with room to answer and a QR code for each, and solutions that are computed now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from viz_transformer.experiments.exercises.catalogue import BY_SLUG, EXERCISES
from viz_transformer.experiments.exercises.exercise import Exercise
from viz_transformer.ui.exercises.answer_space import answer_space
from viz_transformer.ui.exercises.checked import answers_to, shown_bench
from viz_transformer.ui.exercises.chosen import chosen, keep_chosen, listed
from viz_transformer.ui.exercises.look import apply_paper_look
from viz_transformer.ui.exercises.words import about, lines, plain_answer, plain_question, plain_said
from viz_transformer.ui.shared.choices import linked_choice, set_where_other
from viz_transformer.ui.shared.link import keep, read
from viz_transformer.ui.shared.qr import qr_image
from viz_transformer.ui.shared.server_address import is_only_here, server_address
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.linked import OneOf
from viz_transformer.views.text import _, language
from viz_transformer.visible import escape

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_SHEET = OneOf(("sheet", "answers"))


def is_sheet_in_link() -> bool:
    """Whether the link asks for the sheet."""
    return bool(read("print", _SHEET, ""))


def offer_sheet() -> None:
    """A button."""
    st.button(_("Print a worksheet"), on_click=_open_sheet)


def show_sheet() -> None:
    """What is on the sheet is chosen above it; a style sheet for print takes everything but the sheet away."""
    apply_paper_look()
    address = server_address(st.context.url)
    codes_at = "" if is_only_here(address) else address
    st.button(_("← Back to the exercises"), on_click=_close_sheet)
    exercises = _choose_exercises()
    kinds = {"sheet": _("none"), "answers": _("at the end, on pages of their own")}
    has_solutions = linked_choice(_("Solutions"), "print", kinds, "sheet") == "answers"
    st.markdown(
        _(
            "Print this page with your browser: Ctrl+P, or ⌘P on a Mac; on A4 or US Letter, without the browser's own "
            "headers and footers."
        )
    )
    if not codes_at:
        st.markdown(verbatim(_no_codes(address)))
    place = st.empty()
    sections = (_section(n, exercise, codes_at) for n, exercise in enumerate(exercises, start=1))
    title = escape(_("Exercises"))
    head = f"<h1>{title}</h1>{_name_line()}{_codes_lead(codes_at)}"
    solutions = _solutions(exercises, place) if has_solutions else ""
    st.html(f'<div class="vt-sheet">{head}{"".join(sections)}{solutions}</div>')
    place.empty()


def _choose_exercises() -> Sequence[Exercise]:
    """Those that the link names, or else all, in the order of the catalogue."""
    key, titles = "exercises on the sheet", {exercise.slug: _(exercise.title) for exercise in EXERCISES}
    set_where_other(key, [*chosen()], titles)
    st.pills(
        _("Exercises on the sheet; if none is chosen, all of them"),
        list(titles),
        selection_mode="multi",
        format_func=lambda slug: titles.get(slug, slug),
        key=key,
        on_change=lambda: keep_chosen(st.session_state[key]),
    )
    st.caption(_("*Back to the exercises* shows only these, and so does the link that *Share* copies there."))
    return [BY_SLUG[slug].for_reader(language()) for slug in listed()]


def _no_codes(address: str) -> str:
    if not address:
        return _("The address of this server is not known, so there are no QR codes.")
    return _(
        "Only this machine can open {address}, so there are no QR codes: serve the app at an address that the "
        "class can open, and print the sheet there."
    ).format(address=address)


def _name_line() -> str:
    name, date = escape(_("Name")), escape(_("Date"))
    return f'<p class="vt-name">{name} <i></i> {date} <i></i></p>'


def _codes_lead(address: str) -> str:
    said = _("Each QR code opens its exercise at {address}").format(address=address)
    return f"<p>{escape(said)}</p>" if address else ""


def _section(n: int, exercise: Exercise, address: str) -> str:
    """One exercise as HTML, all of it escaped."""
    link = urlencode({"exercise": exercise.slug, "lang": language()})  # it is about that reader's sentence
    code = qr_image(f"{address}exercises?{link}", _(exercise.title)) if address else ""
    bench = shown_bench(exercise)
    return (
        f'<section class="vt-exercise">{code}<h2>{n} · {escape(_(exercise.title))}</h2>'
        f"<p>{escape(plain_question(exercise))}</p>{lines(exercise)}{about(exercise, bench)}"
        f"{answer_space(exercise, bench)}</section>"
    )


def _solutions(exercises: Sequence[Exercise], place: DeltaGenerator) -> str:
    """A right answer to each, computed now; `place` says how far this is."""
    solutions, count = "", len(exercises)
    for n, (exercise, (answer, feedback)) in enumerate(
        zip(exercises, answers_to(exercises, place), strict=True), start=1
    ):
        place.progress(n / count, _("{done} of {count} answers computed").format(done=n, count=count))
        solutions += (
            f'<p class="vt-answer">{n} · {escape(_(exercise.title))}<br>'
            f"<b>{escape(plain_answer(exercise, answer))}</b> · {escape(plain_said(feedback))}</p>"
        )
    title = escape(_("Solutions"))
    return f'<div class="vt-solutions"><h1>{title}</h1>{solutions}</div>'


def _open_sheet() -> None:
    keep("print", _SHEET, "sheet")


def _close_sheet() -> None:
    st.query_params.pop("print", None)
