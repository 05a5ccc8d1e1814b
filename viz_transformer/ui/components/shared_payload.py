"""Content that is packed once for all who see it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from viz_transformer.ui.shared.byte_cache import Kept
from viz_transformer.views.codec import pack
from viz_transformer.views.text import language
from viz_transformer.visible import visible

_PACKED: Kept[Hashable, bytes] = Kept()


@dataclass(frozen=True)
class SharedPayload:
    """What a component shows, worked out once for all visitors who read one language.

    Attributes:
        depends_on: everything else that the content depends on.
        content_of: see `pack`; it must not call Streamlit.
    """

    depends_on: Hashable
    content_of: Callable[[], Mapping[str, Any]]

    def packed(self, key: str) -> bytes:
        """The packed content, for the component `key`."""
        return _PACKED.computed((key, self.depends_on, language()), lambda: pack(self.content_of(), visible))

    def kept(self, key: str) -> bytes | None:
        """The packed content if it is in the cache, else None."""
        return _PACKED.get((key, self.depends_on, language()))
