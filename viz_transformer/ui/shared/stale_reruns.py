"""Corrects requests that a browser sent before it had the server's last answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from viz_transformer.ui.shared.merged_link import merged_link
from viz_transformer.ui.shared.streamlit_private import key_of

if TYPE_CHECKING:
    from viz_transformer.ui.shared.streamlit_private import ClientState, Control

# Keys of what app.py shows on every page: a browser that opens a page sends their state along.
EVERYWHERE = {"room", "scene", "share"}
LANGUAGE = "speak "  # prefix of the keys of the language buttons, which mean the same on every page


class Known:
    """What a browser knew of its page when it last asked for a run.

    Attributes:
        page: its hash in Streamlit; "" for a session's first page, which is asked for by its path.
        links: query strings that the browser may have: the one it sent last, and those that runs have made of it since.
        opens: whether its last request opened a link, which leads, see `came_by_history`.
        said: control id → hash of the state that it sent last.
        controls: control id → what Streamlit knows of the control.
    """

    def __init__(self) -> None:
        self.page = ""
        self.links: list[str] = []
        self.opens = False
        self.said: dict[str, int] = {}
        self.controls: Mapping[str, Control] = {}

    def mend(self, asked: ClientState, *, has_begun: bool = True) -> bool:
        """Changes a request that is out of date into what is meant, in place; returns whether to run it.

        Args:
            has_begun: whether the run that was asked for last has begun. If not, Streamlit merges both requests.

        A fragment of the page before, asked for by a clock, or by a view that settled late, after the browser has asked
        for another page. Streamlit would open the page before again, with that fragment alone on an empty screen. It is
        not run.

        The page before, asked for by a control that the same click has closed or left (the box at the end of the line).
        Streamlit would go back there. The page that has been opened is run instead, by the link that opened it, since
        the run that this one cuts off may not have come to its controls. A language that was chosen is passed on.

        An old link: a person chooses twice within the time of one run. The second run would find the link as it was,
        and undo the first choice. It gets the link as the server has it, with the person's change in it.

        Two controls used within a moment: Streamlit's browser sends both values in one request, for the fragment of the
        first control alone. The other's choice would be on the screen, and nowhere else. The whole page is run.

        Another run of a page whose link has just been opened, by Back say, before its first run has begun. Streamlit
        would merge both into one that heeds the controls' values, which belong to the link before. The merged run goes
        by the link.
        """
        used = self._used(asked)
        is_late = False
        if self.page not in ("", asked.page_script_hash):
            if asked.fragment_id:
                return False
            if any(key_of(one.id) not in EVERYWHERE for one in asked.widget_states.widgets):
                # A browser that opens a page sends no control of the page before.
                is_late = True
                asked.page_script_hash = self.page
                asked.is_history_navigation = self.opens
                chosen = [one for one in asked.widget_states.widgets if key_of(one.id).startswith(LANGUAGE)]
                asked.ClearField("widget_states")
                if chosen:
                    asked.widget_states.widgets.extend(chosen)
        if used - {asked.fragment_id}:
            asked.ClearField("fragment_id")
        is_of_now = self.page in ("", asked.page_script_hash) and (is_late or not asked.is_history_navigation)
        if is_of_now and self.opens and not has_begun:
            asked.is_history_navigation = True
        self.opens = asked.is_history_navigation
        said = asked.query_string
        if self.links and is_of_now:
            asked.query_string = merged_link(said, self.links, self.links[-1])
        self.page, self.links = asked.page_script_hash, [said]
        if asked.query_string != said:
            self.links.append(asked.query_string)
        return True

    def _used(self, asked: ClientState) -> set[str | None]:
        """The fragments in which a person has used a control since the browser last asked.

        A control whose state it sends for the first time may still be in its initial state, and does not count as used;
        but components, buttons and boxes are not sent before they have been used.
        """
        fragments, said = set(), {}
        for one in asked.widget_states.widgets:
            control, state = self.controls.get(one.id), hash(one.SerializeToString(deterministic=True))
            if control is None:
                continue
            if self.said[one.id] != state if one.id in self.said else control.value_type in _BY_HAND:
                fragments.add(control.fragment_id)
            if not control.value_type.endswith("trigger_value"):  # a trigger is sent only once
                said[one.id] = state
        self.said = said
        return fragments


# The value types of components, buttons and boxes, which are not sent before they have been used.
_BY_HAND = {"json_value", "trigger_value", "string_trigger_value", "json_trigger_value", "bool_value"}
