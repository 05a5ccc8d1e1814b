"""What a browser asks for before it knows what the server has done meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from viz_transformer.ui.shared.merged_link import merged_link
from viz_transformer.ui.shared.streamlit_private import key_of

if TYPE_CHECKING:
    from viz_transformer.ui.shared.streamlit_private import ClientState, Control

# Keys of what app.py shows on every page: who opens one tells their state along.
EVERYWHERE = {"room", "scene", "share"}
LANGUAGE = "speak "  # begins the keys of its buttons, which mean the same on every page


class Known:
    """What a browser knew of its page when it last asked for a run.

    Attributes:
        page: Streamlit's name of it; of a session's first page, which is asked for by its path, "".
        links: queries that it may have: what it said last, and what runs have made of it since.
        opens: whether it last asked for the page by a link, which leads, see `came_by_history`.
        said: what it last said of its controls, by their ids: hashes.
        controls: what Streamlit knows of them.
    """

    def __init__(self) -> None:
        self.page = ""
        self.links: list[str] = []
        self.opens = False
        self.said: dict[str, int] = {}
        self.controls: Mapping[str, Control] = {}

    def mend(self, asked: ClientState, *, has_begun: bool = True) -> bool:
        """Makes of what is asked for what is meant, and says whether to run it.

        Args:
            has_begun: whether the run has that was asked for last. If not, Streamlit makes one of both.

        A fragment of the page before, which a clock or a view that settled late asks for after the browser has asked
        for another page: Streamlit would open the page before again, with that fragment alone, an empty screen. It is
        not run.

        The page before, which a control asks for that the same click has closed or left (the box at the end of the
        line): Streamlit would go back there. The page that has been opened is run instead, by the link that opened it:
        the run that this one cuts off may not have come to its controls. It hears of a language that was chosen there.

        A link that the server has changed since, where a person chooses twice within the time of one run: the second
        run would find the link as it was, and go back on the first choice. It gets the link as it is, with what the
        person has changed in it.

        Two controls that were used within a moment, which Streamlit's browser says together, and asks for the fragment
        of the first alone: what the other one chose would be on the screen, and nowhere else. The page is run.

        Another run of a page whose link has been opened, by Back say, before the first of it has begun: Streamlit would
        make of both one that heeds what the controls say, which is of the link before. It is one by the link.
        """
        used = self._used(asked)
        is_late = False
        if self.page not in ("", asked.page_script_hash):
            if asked.fragment_id:
                return False
            if any(key_of(one.id) not in EVERYWHERE for one in asked.widget_states.widgets):
                # Who opens a page tells nothing of the page before.
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

        Of one that it has not spoken of yet it may say what was there from the first: but not of a component, a button
        or a box.
        """
        fragments, said = set(), {}
        for one in asked.widget_states.widgets:
            control, state = self.controls.get(one.id), hash(one.SerializeToString(deterministic=True))
            if control is None:
                continue
            if self.said[one.id] != state if one.id in self.said else control.value_type in _BY_HAND:
                fragments.add(control.fragment_id)
            if not control.value_type.endswith("trigger_value"):  # which is said once
                said[one.id] = state
        self.said = said
        return fragments


# Kinds of values: of a component, a button, a box.
_BY_HAND = {"json_value", "trigger_value", "string_trigger_value", "json_trigger_value", "bool_value"}
