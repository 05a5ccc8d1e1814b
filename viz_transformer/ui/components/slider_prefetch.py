"""What a bar of sliders shows at the places nearby, sent before a person goes there.

A rerun takes several times as long as painting a picture. So a view that follows a bar is sent what it shows where the
sliders are and, as far as time and bytes allow, at the places nearby. The browser shows those at once; Python hears
where the sliders came to rest, and sends what lies around there. Where a view has nothing yet for a place, the browser
asks Python for that place alone, at once. While several visitors are there, prefetching may take only a small part of
the server's time; beyond that, each visitor gets what is in the cache already.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from threading import Lock
from time import monotonic, thread_time
from typing import Any

from viz_transformer.ui.components.shared_payload import SharedPayload
from viz_transformer.ui.components.sliders import Bar, Values
from viz_transformer.ui.shared.streamlit_private import this_run
from viz_transformer.views.codec import pack
from viz_transformer.visible import visible

SECONDS, BYTES = 0.12, 500_000  # for one view's places nearby: at most so much computing, and data
SHARE = 0.2  # of a core, at most, for all prefetching while several visitors are there
THERE = 10.0  # seconds after a view was shown for which its visitor counts as present


@dataclass(frozen=True)
class BySliders:
    """What a component shows at a bar's values.

    Attributes:
        content_of: what is shown at the sliders' values, see `pack`; it must not call Streamlit.
        is_cheap: whether that may be computed before anybody asks for it.
        depends_on: what the content depends on besides the values and the reader's language, () if nothing; each place
            is then computed once for all visitors. None: the content is computed anew in every run.
    """

    bar: Bar
    content_of: Callable[[Values], Mapping[str, Any]]
    is_cheap: Callable[[Values], bool] = lambda values: True
    depends_on: Hashable | None = None


class PrefetchBudget:
    """How much computing may go into places nearby, in seconds of a core."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock, self._lock = clock, Lock()
        self._seen: dict[str, float] = {}  # visitor → when they were last there
        self._left, self._at = SECONDS, clock()

    def left(self, visitor: str) -> float:
        """The seconds that this visitor's view may take now: `SECONDS` if nobody else is there."""
        with self._lock:
            now = self._clock()
            self._left, self._at = min(SECONDS, self._left + SHARE * (now - self._at)), now
            self._seen = {one: at for one, at in self._seen.items() if now - at < THERE} | {visitor: now}
            return SECONDS if len(self._seen) == 1 else self._left

    def take(self, seconds: float) -> None:
        """Subtracts the seconds that a view has taken."""
        with self._lock:
            self._left -= seconds


_BUDGET = PrefetchBudget()


def places_of(content: BySliders, key: str) -> dict[str, Any]:
    """The message of the component `key`, which follows a bar.

    Its `places` maps each place to an index into its `bodies`.
    """
    bar = content.bar
    here = _body(content, bar.values, key)
    run = this_run()
    started, most, size = thread_time(), _BUDGET.left(run.session_id if run else ""), len(here)
    bodies = {here: 0}  # body → its index; equal ones are sent once
    places = {_text(bar.at): 0}
    for place in bar.nearby:
        if size > BYTES:
            break
        values = bar.values_at(place)
        may_compute = thread_time() - started < most and content.is_cheap(values)
        body = _body(content, values, key) if may_compute else _kept_body(content, values, key)
        if body is not None:
            if body not in bodies:
                bodies[body] = len(bodies)
                size += len(body)
            places[_text(place)] = bodies[body]
    _BUDGET.take(thread_time() - started)
    return {"bar": bar.key, "at": _text(bar.at), "places": places, "bodies": [*bodies]}


def _body(content: BySliders, values: Values, key: str) -> bytes:
    if content.depends_on is None:
        return pack(content.content_of(values), visible)
    return _shared(content, values).packed(key)


def _kept_body(content: BySliders, values: Values, key: str) -> bytes | None:
    return None if content.depends_on is None else _shared(content, values).kept(key)


def _shared(content: BySliders, values: Values) -> SharedPayload:
    return SharedPayload((content.depends_on, tuple(sorted(values.items()))), lambda: content.content_of(values))


def _text(place: tuple[int, ...]) -> str:
    return ",".join(map(str, place))
