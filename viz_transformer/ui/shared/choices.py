"""Choices whose value is in the link, and the words that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import streamlit as st

from viz_transformer.heads import ATTENTION_MODULES, AttentionModule
from viz_transformer.ui.shared.link import came_by_history, keep, read
from viz_transformer.views.linked import OneOf
from viz_transformer.views.text import _
from viz_transformer.visible import visible

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


def linked_choice(
    label: str,
    name: str,
    options: Mapping[str, str],
    default: str,
    *,
    wide: bool = False,
    column: bool = False,
    help: str | None = None,
    on_change: Callable[[], None] = lambda: None,
) -> str:
    """One of `options` (value → text), shown as radio buttons, in a `column` if asked, or many as a `wide` list.

    The link holds the value, not the text, which differs between languages; a missing or wrong value means the default.
    `on_change` is called once the link holds a new value.
    """
    key = f"choice of {name}"
    spelling = OneOf(tuple(options))
    set_where_other(key, _asked(name, spelling, default), options)

    def keep_chosen() -> None:
        _keep(name, spelling, st.session_state[key])
        on_change()

    def text_of(value: str) -> str:
        return visible(options.get(value, value))

    if wide:
        return st.selectbox(
            label,
            list(options),
            format_func=text_of,
            key=key,
            on_change=keep_chosen,
            help=help,
            placeholder=_("Choose one"),
        )
    return str(
        st.radio(
            label, list(options), format_func=text_of, key=key, on_change=keep_chosen, help=help, horizontal=not column
        )
    )


def linked_tabs(
    place: DeltaGenerator, label: str, name: str, options: Mapping[str, str], usual: str | None = None
) -> str:
    """One of `options` (value → text), shown as the tabs of a page.

    The link holds the value; a missing or wrong one means `usual`, or else the first. `label` is for screen readers.
    """
    key, usual = f"choice of {name}", usual or next(iter(options))
    spelling = OneOf(tuple(options))
    set_where_other(key, _asked(name, spelling, usual), options)

    def keep_chosen() -> None:
        _keep(name, spelling, st.session_state[key])

    chosen = place.segmented_control(
        label,
        list(options),
        format_func=lambda value: options.get(value, value),
        key=key,
        on_change=keep_chosen,
        required=True,
        label_visibility="collapsed",
    )
    return str(chosen)


def set_where_other(key: str, value: str | list[str] | None, texts: Mapping[str, str] | None = None) -> None:
    """Sets the value of the control `key` before it is drawn, unless it has that value already.

    Streamlit sends a value that is set to the browser, where it would undo what a person has chosen meanwhile; hence
    the same value is not set again. There are three exceptions. The browser knows a choice by its text alone, so a
    value whose text has changed is set. A control of the same key with other values, on another page, is another one
    to Streamlit, and has no value yet. And after a link was opened it is set anyway: the browser may have missed it,
    since it hears nothing of a run that was cut off.

    Args:
        texts: how the values read, if not as themselves.
    """
    drawn = f"{key}, as drawn"
    before, now = st.session_state.get(drawn, {}), texts or {}
    st.session_state[drawn] = now
    held = [value] if isinstance(value, str) else value or []
    reads_otherwise = any(before.get(one) != now.get(one) for one in held)
    is_another = before.keys() != now.keys()
    if st.session_state.get(key) != value or reads_otherwise or is_another or came_by_history():
        st.session_state[key] = value


def _keep(name: str, spelling: OneOf, chosen: object) -> None:
    """Writes a choice into the link, unless it is none of the options: Streamlit takes any text that a client sends."""
    with suppress(ValueError):
        keep(name, spelling, spelling.checked(chosen))


def _asked(name: str, spelling: OneOf, usual: str) -> str:
    """The value in the link, which leads, so that Back works. A wrong one is removed from it, as it is not shown."""
    asked = st.query_params.get(name)
    if asked is not None and asked not in spelling.names:
        del st.query_params[name]
    return read(name, spelling, usual)


def linked_number(label: str, name: str, count: int, default: int = 1) -> int:
    """A number from 1 to `count` as radio buttons → an index from 0."""
    options = {str(number): str(number) for number in range(1, count + 1)}
    return int(linked_choice(label, name, options, str(default))) - 1


def module_names() -> dict[str, str]:
    """The attention modules in words, in the order of `ATTENTION_MODULES`."""
    return {
        "encoder_self": _("Encoder self-attention"),
        "decoder_self": _("Decoder self-attention"),
        "cross": _("Cross-attention"),
    }


def choose_module(usual: AttentionModule, *, wide: bool = False, column: bool = False) -> AttentionModule:
    """One of the three attention modules (in the link as `module`); for `wide` and `column` see `linked_choice`."""
    names = module_names()
    chosen = linked_choice(_("Attention module"), "module", names, usual, wide=wide, column=column)
    return next(module for module in ATTENTION_MODULES if module == chosen)


def axes_of(module: AttentionModule) -> tuple[str, str]:
    """The names of the rows and the columns of its matrices."""
    source, target = _("source token"), _("target token")
    rows = _("query: {token}").format(token=source if module == "encoder_self" else target)
    return rows, _("key: {token}").format(token=target if module == "decoder_self" else source)


def numbered(tokens: Sequence[str], first: int = 1) -> list[str]:
    """Tokens with their numbers, the first being `first`, so that equal ones stay apart."""
    return [f"{number} {token}" for number, token in enumerate(tokens, start=first)]
