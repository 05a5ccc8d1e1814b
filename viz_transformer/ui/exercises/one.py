"""One exercise: its question, a box for the answer, and what is said of it."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from viz_transformer.experiments.exercises.answers import AHead, AText, AToken
from viz_transformer.experiments.exercises.bench import Bench
from viz_transformer.experiments.exercises.catalogue import BY_SLUG
from viz_transformer.experiments.exercises.exercise import Exercise, Feedback
from viz_transformer.sentences import SaidError
from viz_transformer.ui.exercises.checked import feedback_on, shown_bench
from viz_transformer.ui.exercises.chosen import listed, say_chosen
from viz_transformer.ui.exercises.progress import show_progress, solve, solved
from viz_transformer.ui.exercises.words import about, lines, question, said
from viz_transformer.ui.shared.choices import linked_choice, numbered, set_where_other
from viz_transformer.ui.shared.head_names import head_title
from viz_transformer.ui.shared.link import keep, read
from viz_transformer.ui.shared.notes import note_reading
from viz_transformer.ui.shared.text import chosen_language
from viz_transformer.views.linked import OneOf
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, language
from viz_transformer.visible import visible

_CHECKED = "exercise checked"  # in the session: its slug and the answer that was just given here
_BOXES = {"right": st.success, "nearly": st.warning, "wrong": st.error}


def exercise_in_link() -> Exercise:
    """The one that the link asks for, or the first of those that it is about."""
    offered = listed()
    return BY_SLUG[read("exercise", OneOf(offered), offered[0])].for_reader(language())


def choose_exercise() -> None:
    """The list, with a mark at those that are solved."""
    done, above = solved(), st.container()
    show_progress()  # first: who reads that one more is solved may leave at once, and the browser has kept it
    offered = listed()
    count = len(done & {*offered})
    above.markdown(_("**{solved} of {count} solved**").format(solved=count, count=len(offered)))
    titles = {
        slug: f"{'✓ ' if slug in done else ''}{n} · {_(BY_SLUG[slug].title)}" for n, slug in enumerate(offered, start=1)
    }
    with above, st.container(key="vt-exercises-list"):
        linked_choice(_("Exercise"), "exercise", titles, offered[0], column=True, on_change=_forget_answer)
    with above:
        say_chosen()


def show_exercise(exercise: Exercise) -> None:
    """Question, tokens, the box, and what is said of the answer that the link holds."""
    offered = listed()
    place = offered.index(exercise.slug)
    st.header(f"{place + 1} · {_(exercise.title)}", anchor=False)
    st.markdown(question(exercise))
    bench = shown_bench(exercise)
    if shown := lines(exercise) + about(exercise, bench):
        st.html(shown)
    _ask(exercise, bench)
    answer = st.query_params.get("answer")
    if answer is not None:
        _say(exercise, bench, answer)
    with st.container(horizontal=True, vertical_alignment="center"):
        where = urlencode({**exercise.link(), **chosen_language()})
        st.link_button(_("Show where ↗"), f"./{exercise.page}?{where}")
        for title, other in ((_("← Previous"), place - 1), (_("Next →"), place + 1)):
            slug = offered[other % len(offered)]
            st.button(title, on_click=_go_to, args=(slug,), disabled=not 0 <= other < len(offered))
    for n, (title, hint) in enumerate(zip((_("Hint"), _("Another hint")), exercise.hints, strict=True), start=1):
        with st.expander(title, key=f"hint {n} {exercise.slug}"):
            st.markdown(explained(hint))


def _ask(exercise: Exercise, bench: Bench) -> None:
    """Shows a box for the exercise's kind of answer, and a button that puts the answer into the link."""
    key, kind = f"answer to {exercise.slug}", exercise.kind
    if key not in st.session_state and (asked := st.query_params.get("answer")) is not None:
        st.session_state[key] = asked
    with (
        st.form(f"form of {exercise.slug}", border=False, enter_to_submit=True),
        st.container(key="vt-exercise-answer", horizontal=True, vertical_alignment="bottom"),
    ):
        options = _options(exercise, bench)
        if options:
            held = st.session_state.get(key)
            set_where_other(key, held if held in options else None, options)
            st.selectbox(
                _(kind.label),
                list(options),
                index=None,
                format_func=lambda value: visible(options.get(str(value), str(value))),
                key=key,
                placeholder=_("Choose one"),
            )
        else:
            st.text_input(_(kind.label), key=key, autocomplete="off")
        st.form_submit_button(_("Check"), type="primary", on_click=_keep_answer, args=(exercise.slug, key))


def _options(exercise: Exercise, bench: Bench) -> dict[str, str]:
    """The answers to choose from, spelling → text; empty where the answer is typed."""
    kind = exercise.kind
    if isinstance(kind, AHead):
        return {code: head_title(head) for code, head in kind.options(bench).items()}
    if isinstance(kind, AToken):
        return {str(n): token for n, token in enumerate(numbered(kind.tokens(bench)), start=1)}
    return {}


def _say(exercise: Exercise, bench: Bench, answer: str) -> None:
    place = st.empty()
    feedback = feedback_on(exercise, bench, answer, place)
    if feedback.verdict == "right" and st.session_state.get(_CHECKED) == (exercise.slug, answer):
        solve(exercise.slug)  # an answer that only came with the link is somebody else's
    _BOXES[feedback.verdict](said(feedback))
    _note_reading(exercise, bench, answer, feedback)


def _note_reading(exercise: Exercise, bench: Bench, answer: str, feedback: Feedback) -> None:
    """Says so where the model reads other characters than were typed."""
    if isinstance(exercise.kind, AText) and exercise.kind.side == "source" and answer.strip():
        try:
            encoded = exercise.kind.read(answer, bench)
        except SaidError:  # which is what the feedback says
            return
        note_reading(bench.translator, [answer], encoded=[encoded])


def _keep_answer(slug: str, key: str) -> None:
    answer = st.query_params["answer"] = str(st.session_state[key] or "")
    st.session_state[_CHECKED] = slug, answer


def _forget_answer() -> None:
    st.query_params.pop("answer", None)


def _go_to(slug: str) -> None:
    offered = listed()
    keep("exercise", OneOf(offered), slug, offered[0])
    _forget_answer()
