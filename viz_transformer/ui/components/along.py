"""What a bar of sliders shows at the places nearby, sent before a person goes there.

A rerun takes several times as long as a picture takes to be painted. So a view that goes along with a bar gets what it
shows where the sliders are and, as far as time and bytes allow, around there. The browser turns to it at once, and
Python hears where the sliders came to rest, to send what lies around that. Where a view has nothing yet for a place,
Python is asked for that place alone, at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from time import thread_time
from typing import Any

from viz_transformer.ui.components.once import Once
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.views.codec import pack
from viz_transformer.views.visible import visible

SECONDS, BYTES = 0.12, 500_000  # of this thread's computing and of data, for the places nearby, of each view


@dataclass(frozen=True)
class Along:
    """What a component shows at a bar's values.

    Attributes:
        content_of: what is shown at the sliders' values, see `pack`; it must not call Streamlit.
        is_cheap: whether that may be computed before anybody asks for it.
        depends_on: what decides about it besides the values and the reader's language, () if nothing: then a place
            is computed once for all visitors. None: what may change.
    """

    bar: Bar
    content_of: Callable[[Values], Mapping[str, Any]]
    is_cheap: Callable[[Values], bool] = lambda values: True
    depends_on: Hashable | None = None


def places_of(along: Along, key: str) -> dict[str, Any]:
    """The message of the component `key`, which goes along with a bar.

    Its `places` says which of the `bodies` each place has.
    """
    bar = along.bar
    here = _body(along, bar.values, key)
    started, size = thread_time(), len(here)
    bodies = {here: 0}  # equal ones once
    places = {_text(bar.at): 0}
    for place in bar.nearby:
        if size > BYTES or thread_time() - started > SECONDS:
            break
        if along.is_cheap(values := bar.values_at(place)):
            body = _body(along, values, key)
            if body not in bodies:
                bodies[body] = len(bodies)
                size += len(body)
            places[_text(place)] = bodies[body]
    return {"bar": bar.key, "at": _text(bar.at), "places": places, "bodies": [*bodies]}


def _body(along: Along, values: Values, key: str) -> bytes:
    if along.depends_on is None:
        return pack(along.content_of(values), visible)
    return Once((along.depends_on, tuple(sorted(values.items()))), lambda: along.content_of(values)).packed(key)


def _text(place: tuple[int, ...]) -> str:
    return ",".join(map(str, place))
