"""What a bar of sliders shows at the places nearby, sent before a person goes there.

A rerun takes several times as long as a picture takes to be painted. So a view that goes along with a bar gets what it
shows where the sliders are and, as far as time and bytes allow, around there. The browser turns to it at once, and
Python hears where the sliders came to rest, to send what lies around that. Where a view has nothing yet for a place,
Python is asked for that place alone, at once.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time

from viz_transformer.ui.components.frames import frame
from viz_transformer.ui.components.sliders import Bar, Values

SECONDS, BYTES = 0.12, 500_000  # of this thread's computing and of data, for the places nearby, of each view


def with_places_nearby(
    bar: Bar,
    pack: Callable[[Values], bytes],
    *,
    head: bytes = b"",
    is_cheap: Callable[[Values], bool] = lambda values: True,
) -> bytes:
    """The data of a component whose front end is `following` (follow.ts).

    Four zeros, which no other data begins with; a JSON header (see `frame`) that says where each place's body is;
    `head`; the bodies, equal ones once. For a place the component decodes `head` + body.

    Args:
        pack: what is shown at the sliders' values; it must not call Streamlit.
        is_cheap: whether that may be computed before anybody asks for it.
    """
    here = pack(bar.values)
    started, size = thread_time(), len(here)
    spans = {here: (0, size)}
    places = {_text(bar.at): spans[here]}
    for place in bar.nearby:
        if size > BYTES or thread_time() - started > SECONDS:
            break
        if is_cheap(values := bar.values_at(place)):
            body = pack(values)
            if body not in spans:
                spans[body] = (size, len(body))
                size += len(body)
            places[_text(place)] = spans[body]
    header = {"bar": bar.key, "at": _text(bar.at), "head": len(head), "places": places}
    return b"".join([bytes(4), frame(header), head, *spans])


def _text(place: tuple[int, ...]) -> str:
    return ",".join(map(str, place))
