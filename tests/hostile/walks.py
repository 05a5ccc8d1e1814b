"""Walks through the whole app with hostile input. Each walk yields a line for everything that went wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from html import unescape
from html.parser import HTMLParser
from itertools import islice
from random import Random
from string import punctuation
from traceback import extract_tb
from typing import TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from markdown_it import MarkdownIt
from streamlit.runtime.runtime_util import WidgetStateSizeError

from tests.hostile.forged import forged_state
from tests.hostile.links import PLACES, TEXTS, Place, fuzzed_links
from tests.hostile.texts import AWAY, MARK, PAYLOADS
from tests.visitor import Site, Visitor
from viz_transformer.ui.shared.verbatim import CUT

One = TypeVar("One")
LONGEST_LINK = 1_000_000  # characters
SHORT = 5  # runs of one visitor
# Where Streamlit shows text as it is.
PLAIN = {
    *((kind, name) for kind in ("text_input", "text_area") for name in ("default", "value", "placeholder")),
    *((kind, "options") for kind in ("selectbox", "multiselect")),
    ("selectbox", "raw_value"),
    ("text", "body"),
    ("code", "code_text"),
}
_MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": False})
_SCRIPT = re.compile(r"^(script|iframe|img|link|meta|base|object|embed|svg|form|input|details)$")


def links_walk(site: Site, count: int, seed: int = 0) -> Iterator[str]:
    """Fuzzed links; a few of them opened by one visitor after the other."""
    for some in batched(fuzzed_links(count, seed)):
        yield from visit(site, some)


def visit(site: Site, places: Iterable[Place]) -> Iterator[str]:
    """Links that one visitor opens, one after the other."""
    visitor = site.visitor()
    for page, query in places:
        yield from _wrong(site, visitor, partial(visitor.open, page, query))
    visitor.leave()


def forged_walk(site: Site, rounds: int, places: Sequence[Place] = PLACES, seed: int = 0) -> Iterator[str]:
    """At every place, so many messages with forged values of all widgets and components on it."""
    dice = Random(seed)
    for page, query in places:
        for some in batched(range(rounds)):
            visitor = site.visitor()
            visitor.open(page, {"model": "copy", **query})
            for _ in some:
                sent = {one.id: one.bytes for one in visitor.shown("bidi_component")}
                kinds = {name: kind for name, kind in visitor.kinds().items() if "trigger" not in kind}
                forged = {name: forged_state(kind, sent.get(name, b""), dice) for name, kind in kinds.items()}
                yield from _wrong(site, visitor, partial(visitor.send, forged))
                if len(visitor.link) > LONGEST_LINK:
                    yield f"/{page} {query}: a link of {len(visitor.link)} characters"
            visitor.leave()


def batched(all_of_them: Iterable[One]) -> Iterator[list[One]]:
    """`SHORT` of them at a time."""
    rest = iter(all_of_them)
    while some := list(islice(rest, SHORT)):
        yield some


def texts_walk(site: Site, places: Sequence[tuple[Place, str]]) -> Iterator[str]:
    """Each place with a payload in its texts: in all but the source, then in the source, which may end the page."""
    for (page, query), name in places:
        payload, visitor = PAYLOADS[name], site.visitor()
        for texts in ({one: payload for one in TEXTS if one != "source"}, {"source": payload}):
            link = {"model": "copy", **query, **texts}
            yield from _wrong(site, visitor, partial(visitor.open, page, link))
            for element in visitor.elements.values():
                yield from (f"/{page} {query}, {name}: {found}" for found in markup_in(element, payload))
        visitor.leave()


def every_text_everywhere() -> list[tuple[Place, str]]:
    return [(place, name) for place in PLACES for name in PAYLOADS]


def each_text_somewhere() -> list[tuple[Place, str]]:
    """Each payload once, and each place at least once."""
    return [(PLACES[n % len(PLACES)], name) for n, name in enumerate(PAYLOADS)]


def _wrong(site: Site, visitor: Visitor, run: Callable[[], None]) -> Iterator[str]:
    try:
        run()
    except TimeoutError:
        yield f"/{visitor.page} {visitor.link[:300]}: no answer"
    for fault in site.faults:
        if isinstance(fault, WidgetStateSizeError):  # Streamlit refuses what has tens of megabytes
            continue
        frames = [f"{frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in extract_tb(fault.__traceback__)]
        yield f"/{visitor.page} {visitor.link[:300]}: {type(fault).__name__} at {' '.join(frames[-3:])}"
    site.faults.clear()
    yield from (f"/{visitor.page}: an exception is shown" for _ in visitor.shown("exception"))


def markup_in(element: Message, payload: str) -> Iterator[str]:
    """What of an element would be more than text, or other text than the payload."""
    kind = element.WhichOneof("type")
    for field, text in _texts_of(getattr(element, kind)) if kind else ():
        if MARK not in text or (kind, field) in PLAIN or field in ("id", "bytes", "query_string"):
            continue
        if (kind, field) == ("html", "body"):
            tags = _Tags(text)
            yield from (f"<{tag} {names}> in HTML" for tag, names in tags.odd)
            shown = tags.text
        else:  # Streamlit reads it as Markdown
            html = _MARKDOWN.render(text)
            yield from (f"<{tag} {names}> in {kind}.{field}" for tag, names in _Tags(html).odd)
            shown = unescape(html).replace(CUT, "")
            if payload in text and {*payload} & {*punctuation}:
                yield f"{kind}.{field} has it as it is"
        said = [word for word in re.findall("[!-~]+", payload) if MARK in word]
        if MARK in shown and not any(word in shown for word in said):
            yield f"{kind}.{field} shows something else"


def _texts_of(message: Message) -> Iterator[tuple[str, str]]:
    """Every text in a message, with the name of its field."""
    for field, value in message.ListFields():
        for one in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]:
            if field.type == FieldDescriptor.TYPE_STRING:
                yield field.name, one
            elif isinstance(one, Message):
                yield from _texts_of(one)


class _Tags(HTMLParser):
    """The text of HTML, and the elements in it that could do something."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text, self.odd = "", list[tuple[str, list[str]]]()
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        leads_away = any(
            AWAY in (value or "") or "javascript:" in (value or "") for name, value in attrs if name == "href"
        )
        if _SCRIPT.match(tag) or leads_away or any(name.startswith("on") or name == "src" for name, _value in attrs):
            self.odd.append((tag, [name for name, _value in attrs]))
