"""The fields of one scene in the editor: its texts, what it asks, its steps. What is refused stays in them as typed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

import streamlit as st

from viz_transformer.lecture_steps import said_anew
from viz_transformer.lectures import (
    MAX_NOTE,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_QUESTION,
    MAX_SAYS,
    MAX_TITLE,
    Ask,
    Said,
    Scene,
    asks_of,
    said,
)
from viz_transformer.ui.lecture.predict import question_or_why
from viz_transformer.ui.shared.choices import module_names
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _

# A scene's texts → keys of widgets
FIELDS = {"title": "own title", "question": "own question", "note": "own note", "keep": "own keep"}
ASK, OPTIONS, RIGHT = "own ask", "own options", "own right"  # "kind.of" or ""; one option a line; 0: none is right
SAYS = "own says {}"  # with the number of a place, from 0


def fill(scene: Scene, spoken: str) -> None:
    """Puts a scene into the fields."""
    for name, key in FIELDS.items():
        st.session_state[key] = said(getattr(scene, name), spoken)
    ask = scene.ask
    st.session_state[ASK] = _spelled(ask)
    st.session_state[OPTIONS] = "\n".join(said(one, spoken) for one in ask.options) if ask else ""
    st.session_state[RIGHT] = (ask and ask.right) or 0
    for place in range(scene.n_steps):
        st.session_state[SAYS.format(place)] = said(scene.says_at(place), spoken)


def typed(scene: Scene, spoken: str) -> Scene:
    """The scene with what the fields hold."""
    texts = {name: said_anew(getattr(scene, name), spoken, st.session_state[key]) for name, key in FIELDS.items()}
    says = [said_anew(scene.says_at(n), spoken, st.session_state[SAYS.format(n)]) for n in range(scene.n_steps)]
    while says and says[-1] == "":
        says.pop()
    return replace(scene, **texts, ask=_typed_ask(scene.ask, spoken), says=tuple(says))  # type: ignore[arg-type]


def show(scene: Scene, spoken: str, on_change: Callable[[], None], on_remove: Callable[[int], None]) -> None:
    """Shows the fields. `on_remove` is given the number of a step, from 1."""
    st.text_input(_("Title"), key=FIELDS["title"], max_chars=MAX_TITLE, on_change=on_change)
    st.text_input(_("Question"), key=FIELDS["question"], max_chars=MAX_QUESTION, on_change=on_change)
    _show_ask(scene, spoken, on_change)
    st.text_area(_("Note for the lecturer"), key=FIELDS["note"], max_chars=MAX_NOTE, on_change=on_change)
    st.text_input(
        _("Sentence to remember"),
        key=FIELDS["keep"],
        max_chars=MAX_SAYS,
        on_change=on_change,
        help=_(
            "Anyone reading the lecture alone finds it in *Explanation*, with the usual answer and the answer "
            "from the note."
        ),
    )
    _show_steps(scene, spoken, on_change, on_remove)


def options_anew(old: Sequence[Said], spoken: str, lines: Sequence[str]) -> tuple[Said, ...]:
    """A choice's options as typed in one language: a line that was there before keeps its text in the other, wherever
    it stands now; where there are as many as before, a new line takes the place of an old one."""
    kept = {said(one, spoken): one for one in old}

    def option(place: int, line: str) -> Said:
        is_replaced = len(lines) == len(old) and said(old[place], spoken) not in lines
        return said_anew(old[place], spoken, line) if line not in kept and is_replaced else kept.get(line, line)

    return tuple(option(place, line) for place, line in enumerate(lines))


def right_anew(old: Ask | None, spoken: str, lines: Sequence[str], chosen: int | None) -> int | None:
    """The number of the right option: the chosen one, or, if only the lines have changed, the one that was right."""
    if old is None or chosen is None or chosen != old.right or len(lines) == 0:
        return chosen
    before = [said(one, spoken) for one in old.options]
    if before[chosen - 1] in lines:
        return lines.index(before[chosen - 1]) + 1
    return chosen if len(lines) == len(before) else None


def _typed_ask(old: Ask | None, spoken: str) -> Ask | None:
    asked = str(st.session_state[ASK] or "")
    if not asked:
        return None
    if old and asked == _spelled(old) and old.kind != "choice":
        return old
    kind, _dot, of = asked.partition(".")
    if kind != "choice":
        return Ask(kind, of)
    lines = _lines()
    right = right_anew(old, spoken, lines, st.session_state.get(RIGHT) or None)
    return Ask(kind, of, options_anew(old.options if old else (), spoken, lines), right)


def _lines() -> list[str]:
    """The options as they are typed."""
    return [line.strip() for line in str(st.session_state.get(OPTIONS) or "").splitlines() if line.strip()]


def _spelled(ask: Ask | None) -> str:
    return f"{ask.kind}.{ask.of}" if ask else ""


def _show_ask(scene: Scene, spoken: str, on_change: Callable[[], None]) -> None:
    names, shown = ask_names(), _spelled(scene.ask)
    offered = ["", *(f"{kind}.{of}" for kind, of in asks_of(scene.page(spoken)))]
    if shown not in offered:
        offered.append(shown)
    st.selectbox(_("What is asked"), offered, format_func=lambda one: names.get(one, one), key=ASK, on_change=on_change)
    if st.session_state[ASK] == "choice.question":
        _show_choice(on_change)
    elif scene.ask and st.session_state[ASK] == shown:
        why = question_or_why(scene.ask, scene, spoken)
        if isinstance(why, str):
            st.warning(_("There is nothing to predict here: {why}").format(why=why))
    if st.session_state[ASK] in ("choice.question", "text.question") and not said(scene.question, spoken).strip():
        st.caption(_("This asks the scene's question: type one above."))


def _show_choice(on_change: Callable[[], None]) -> None:
    lines = _lines()
    numbers = range(min(len(lines), MAX_OPTIONS) + 1)
    if st.session_state.get(RIGHT) not in numbers:
        st.session_state[RIGHT] = 0
    st.text_area(
        _("Options, one per line: 2 to {limit}").format(limit=MAX_OPTIONS),
        key=OPTIONS,
        max_chars=MAX_OPTIONS * (MAX_OPTION + 2),
        on_change=on_change,
    )
    st.selectbox(
        _("Which one is right"),
        numbers,
        format_func=lambda number: f"{number}. {lines[number - 1]}" if number else _("none: it asks for an opinion"),
        key=RIGHT,
        on_change=on_change,
    )


def _show_steps(scene: Scene, spoken: str, on_change: Callable[[], None], on_remove: Callable[[int], None]) -> None:
    st.text_input(
        _("Sentence shown after the answer"),
        key=SAYS.format(0),
        max_chars=MAX_SAYS,
        on_change=on_change,
        help=_("`{reads}` in a sentence stands for what the picture says about its own numbers."),
    )
    for place, step in enumerate(scene.steps, start=1):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(
                _("Step {number}: {changes}").format(number=place + 1, changes=verbatim(in_words(said(step, spoken)))),
                key=SAYS.format(place),
                max_chars=MAX_SAYS,
                on_change=on_change,
                placeholder=_("its sentence"),
            )
            st.button(_("Remove"), key=f"own remove {place}", on_click=on_remove, args=(place,))
    st.caption(_("For one more step, open the scene, change the view, press **Share** and add it as *its next step*."))


def in_words(step: str) -> str:
    """A step's parameters as one can read them."""
    words, modules = _words(), module_names()

    def one(name: str, value: str) -> str:
        text = {"": _("default"), "none": _("none")}.get(value) or modules.get(value, value)
        return f"{words.get(name, name)} {text}"

    pairs = parse_qsl(step, keep_blank_values=True)
    return " · ".join(one(name, value) for name, value in pairs) or _("the same view")


def _words() -> Mapping[str, str]:
    """The parameters that most pages have; others are named as in the link."""
    return {
        "model": _("model"),
        "source": _("source"),
        "target": _("target"),
        "module": _("module"),
        "layer": _("layer"),
        "head": _("head"),
        "cell": _("cell"),
        "step": _("step"),
        "stage": _("stage"),
        "lesson": _("lesson"),
        "view": _("view"),
        "mask": _("mask"),
    }


def ask_names() -> Mapping[str, str]:
    """All that can be asked, in words."""
    return {
        "": _("nothing"),
        "cells.weights": _("mark the cells with the most weight"),
        "cells.mask": _("mark what the mask removes"),
        "cells.heads": _("mark in each layer the head that puts the most weight on the cell"),
        "token.next": _("the next token"),
        "number.weight": _("a number: the weight of the cell"),
        "number.entropy": _("a number: the entropy of the row"),
        "number.score_sd": _("a number: the standard deviation of the scores"),
        "number.allowed": _("a number: how many cells may be attended to"),
        "number.crossing": _("a number: from how many tokens on the recurrent layer is cheaper"),
        "curve.score_sd": _("a curve: the standard deviation against d_k"),
        "curve.learning_rate": _("a curve: the learning rate"),
        "curve.gradient": _("a curve: the gradient that is left without ÷ √d_k"),
        "choice.question": _("a choice"),
        "text.question": _("an answer in your own words"),
    }
