"""The frame of every page: one line of title, views and chip, one sentence, then the picture, its controls beside it.

The chip says which model reads which texts, and opens where they are chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from viz_transformer.ui.shared.choices import linked_tabs
from viz_transformer.ui.shared.link import came_by_history
from viz_transformer.views.terms import marked
from viz_transformer.views.text import _
from viz_transformer.visible import escape

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

SIDE = 280  # px, of the controls beside a picture
# In the session: how often the box was closed or opened by the page, and which of these times it was opened.
_TIMES, _OPENED = "times the box was moved", "time the box was opened"
_REFUSED = "refused"  # what was asked for last and could not be read


@dataclass(frozen=True)
class Titled:
    """What stands behind a tab: a view of a page, a lesson, a method.

    Args:
        title: on the tab; short, so that all tabs of a page fit into its line.
        question: one sentence, in Markdown, that says what to look at; or "".
    """

    title: str
    question: str


@dataclass(frozen=True)
class Tab(Titled):
    """A tab and the function that draws what stands behind it."""

    show: Callable[..., None]


class Frame:
    """The first line of a page, which is drawn when this is made, and the sentence below it.

    Args:
        title: of the page.
        tabs: of the line, of which the first is the usual one.
        parameter: that holds the chosen one in the link.
        parts: of every lesson, a second row of tabs, in the link as `part`.
        usual_part: one of them.
        has_field: whether the line has room for one open field, `field`.

    Attributes:
        view: the chosen tab, "" where there are none; its question is drawn.
        part: the chosen part, "" where there are none.
        field, chip: places in the line.
    """

    def __init__(
        self,
        title: str,
        tabs: Mapping[str, Titled] | None = None,
        parameter: str = "view",
        parts: Mapping[str, str] | None = None,
        usual_part: str | None = None,
        *,
        has_field: bool = False,
    ) -> None:
        line = st.container(key="vt-line", horizontal=True, vertical_alignment="center", gap="small")
        line.title(title, anchor=False, width="content")
        tabs = tabs or {}
        titles = {name: tab.title for name, tab in tabs.items()}
        self.view = linked_tabs(line, title, parameter, titles) if titles else ""
        self.part = linked_tabs(line, _("Part"), "part", parts, usual_part) if parts else ""
        self.field = line.container(key="vt-field", width="stretch") if has_field else None
        self.chip = line.container(key="vt-chip", horizontal=True, vertical_alignment="center", width="stretch")
        if self.view and tabs[self.view].question:
            st.container(key="vt-question").markdown(marked(tabs[self.view].question))

    @contextmanager
    def box(self, said: str, refused: str = "", asked: Hashable = None) -> Iterator[None]:
        """The box at the end of the line, where one chooses what the page reads.

        Args:
            said: what the page reads now, as text; it stands beside the button.
            refused: a sentence, in Markdown, why that cannot be read. The box then opens by itself, but only once for
                each `asked`, so that a visitor can close it. It closes when another link is opened.
        """
        if came_by_history():
            close_box()
            st.session_state[_REFUSED] = None
        if refused and st.session_state.get(_REFUSED) != asked:
            close_box()
            st.session_state[_OPENED] = _times()
        st.session_state[_REFUSED] = asked if refused else None
        with self.chip:
            st.html(f'<div class="vt-chip"><bdi>{escape(said)}</bdi></div>', width="stretch")
            box = self._box()
        with box:
            if refused:
                st.error(refused)
            yield

    def _box(self) -> DeltaGenerator:
        """The popover. Only the browser knows whether it is open: if the page said it, that could undo a click.

        So the page opens or closes it by another key, which makes it a new box: closed, unless the page opens it.
        """
        key = f"chip-{_times()}"
        if st.session_state.get(_OPENED) != _times():
            return st.popover(_("✎ Change"), key=key)
        st.session_state.setdefault(key, True)
        return st.popover(_("✎ Change"), key=key, on_change="rerun")


def _times() -> int:
    return int(st.session_state.get(_TIMES, 0))


def close_box() -> None:
    """Closes the box. Called in a callback, once a visitor has chosen, so that the picture is seen."""
    st.session_state[_TIMES] = _times() + 1


def picture_and_side(key: str = "stage", side: int = SIDE) -> tuple[DeltaGenerator, DeltaGenerator]:
    """A place for a picture, and one beside it for the controls that move it, and for the text that points at it.

    On a phone the second stands below the first.
    """
    row = st.container(key=f"vt-{key}", horizontal=True, gap="medium")
    return row.container(key=f"vt-{key}-picture", width="stretch"), row.container(key=f"vt-{key}-side", width=side)
