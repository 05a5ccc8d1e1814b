"""The one contract of everything that shows something: what Python sends to the browser, and what it hears back.

    TRACE = Component("trace_view", TraceView, labels=trace_labels)
    view = TRACE.show_linked(content, key="trace", usual=TraceView(layer=1))

The browser moves on its own and tells Python only where a person settled. A revision says who leads: while it stays,
so does every byte that is sent, Streamlit sends nothing, and the browser stays where it is; a new one tells it to go
where Python says. kit/component.ts is the other end.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import streamlit as st

from viz_transformer.resources import package_version
from viz_transformer.ui.components.front_end import component
from viz_transformer.ui.components.said import ON_THE_PAGE, Texts, know, named
from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.slider_prefetch import BySliders, places_of
from viz_transformer.ui.shared.link import ABOUT, arrivals, came_by_history, from_link, keep_in_link
from viz_transformer.views.codec import pack
from viz_transformer.views.linked import checked, link_for_browser
from viz_transformer.views.text import LANGUAGES, language
from viz_transformer.visible import visible

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from viz_transformer.views.kinds import Kind

View = TypeVar("View", bound="DataclassInstance")
Content = Mapping[str, Any]  # see `pack`


@dataclass(frozen=True)
class NoView:
    """Of a component in which nothing is chosen that Python would hear of."""


@dataclass(frozen=True)
class ByView(Generic[View]):
    """Content that depends on the view, where only Python can work it out.

    Attributes:
        subject: what the view is of, packed: of another one, the view goes where the page asks.
        content_of: what is shown in a view; computed once it is known which view is on the screen.
    """

    subject: bytes
    content_of: Callable[[View], Content]


class _Sent(NamedTuple, Generic[View]):
    """What one session's component last got."""

    revision: str
    is_first: bool  # the link asks, of a browser that may know better: its last session may have gone with its server
    arrivals: int  # by history, until then: it asks for a view, whatever the browser shows
    content: str  # names what was shown; a view of other content is no longer valid
    asked: View  # by the page, at the last run
    shown: View  # in what was sent
    latest: View  # on the screen, as far as Python has heard; Streamlit forgets a component's state with its page


class Component(Generic[View]):
    """A browser component and its view, a frozen dataclass whose fields are `linked`.

    Args:
        name: of its panel, in `frontend/src/panels.ts`.
        view: the class of its views.
        labels: every text of the component in the reader's language; words in braces are filled in by the browser. They
            travel once with the page, see page_texts.py; where the page has not been sent them, with every message.
        stays: whether other content leaves the view where it is, instead of going where the page asks.
        keeps_link: whether the browser keeps the view in the link by itself, so that moving on sends nothing. Then the
            browser leads as long as the content is the same: the link that Python knows may be an older one.
    """

    def __init__(
        self,
        name: str,
        view: type[View],
        labels: Callable[[], Texts] = dict,
        *,
        stays: bool = False,
        keeps_link: bool = False,
    ) -> None:
        self.name, self.view, self.labels = name, view, labels
        self.stays, self.keeps_link = stays, keeps_link
        if labels is not dict:
            know(labels)

    @classmethod
    def of(cls, kind: Kind[View], *, stays: bool = False, keeps_link: bool = False) -> Component[View]:
        """The component of a view that is shown elsewhere, too."""
        return cls(kind.panel, kind.view, kind.labels, stays=stays, keeps_link=keeps_link)

    def show(
        self,
        content: Content | SharedPayload | BySliders | ByView[View],
        *,
        key: str,
        view: View,
        fit: Callable[[View], View] = lambda view: view,
        on_change: Callable[[], None] = lambda: None,
    ) -> View:
        """Shows `content`, and returns the view that is on the screen.

        Args:
            content: see `pack`; or what is packed once; or what a bar of sliders moves through; or what depends on the
                view.
            key: unique in the app.
            view: where to go at the first run and whenever it asks for something new. To ask for what was asked before,
                or for what the browser committed, changes nothing, so a page may keep the view in its own state.
            fit: takes out of a view, or clamps, what `content` does not have.
            on_change: called before the run that a newly committed view starts; see `committed`.
        """
        return self._show(content, key, fit(view), fit, on_change, {})

    def show_linked(
        self,
        content: Content | SharedPayload | BySliders | ByView[View],
        *,
        key: str,
        usual: View,
        fit: Callable[[View], View] = lambda view: view,
        on_change: Callable[[], None] = lambda: None,
    ) -> View:
        """The same for a view that is in the link, which leads: `usual` is what it does not say."""

        def keep() -> None:
            view = self.committed(key)
            if view is not None and not self.keeps_link:
                keep_in_link(fit(view), usual)
            on_change()

        link = {"link": link_for_browser(usual)} if self.keeps_link else {}
        return self._show(content, key, fit(from_link(usual)), fit, keep, link)

    def committed(self, key: str) -> View | None:
        """The view that a person settled on in the component `key`; None before that, and where it is no such view."""
        sent: _Sent[View] | None = st.session_state.get(_sent_key(key))
        raw = (st.session_state.get(key) or {}).get("view")
        if sent is None or not isinstance(raw, dict) or raw.get("revision") != sent.revision:
            return None
        return checked(self.view, raw)

    def _show(
        self,
        content: Content | SharedPayload | BySliders | ByView[View],
        key: str,
        asked: View,
        fit: Callable[[View], View],
        on_change: Callable[[], None],
        link: Mapping[str, Any],
    ) -> View:
        if isinstance(content, BySliders):
            sent, body = self._settle(key, asked, b""), places_of(content, key)
        elif isinstance(content, ByView):
            sent = self._settle(key, asked, content.subject)
            body = {"content": pack(content.content_of(fit(sent.latest)), visible)}
        else:
            packed = content.packed(key) if isinstance(content, SharedPayload) else pack(content, visible)
            sent, body = self._settle(key, asked, packed), {"content": packed}
        name, said = named(self.labels)
        request = {
            "panel": self.name,
            "key": key,
            "revision": sent.revision,
            "isFirst": sent.is_first,
            "view": asdict(sent.shown),
            "language": LANGUAGES[language()][1],
            "about": {"version": package_version(), **st.session_state.get(ABOUT, {})},
            "labels": name if name in st.session_state.get(ON_THE_PAGE, ()) else said,
            **link,
        }
        component()(key=key, data=pack({"request": request, **body}), on_view_change=on_change)
        return fit(sent.latest)

    def _settle(self, key: str, asked: View, subject: bytes) -> _Sent[View]:
        """What to send now."""
        content = "" if self.stays else hashlib.blake2b(subject, digest_size=8).hexdigest()
        committed = self.committed(key)
        sent: _Sent[View] | None = st.session_state.get(_sent_key(key))
        leads = self.keeps_link or (sent is not None and asked in (sent.asked, committed))  # the browser
        if sent is None or not leads or (sent.content, sent.arrivals) != (content, arrivals()):
            is_first = sent is None and not came_by_history()
            sent = _Sent(secrets.token_hex(4), is_first, arrivals(), content, asked, shown=asked, latest=asked)
        else:
            sent = sent._replace(asked=asked, latest=sent.latest if committed is None else committed)
        st.session_state[_sent_key(key)] = sent
        return sent


def _sent_key(key: str) -> str:
    return f"{key}:sent"
