"""What the components say, in the reader's language: the page sends all of it once, and each message names its part."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache

from viz_transformer.views.picture_labels import picture_labels
from viz_transformer.views.text import language

Texts = Mapping[str, str]  # by name; words in braces are filled in by the browser

ON_THE_PAGE = "said"  # in the session: the names of what its page has been sent
_KNOWN: set[Callable[[], Texts]] = set()


def know(texts: Callable[[], Texts]) -> None:
    """These will be sent with the page."""
    _KNOWN.add(texts)


def named(texts: Callable[[], Texts]) -> tuple[str, Texts]:
    """A name, and what is said. Other texts, and the same in another language, have another name."""
    return _named(texts, language())


def all_known() -> dict[str, Texts]:
    """Everything by its name, in an order that is the same in every run."""
    said = dict(map(named, tuple(_KNOWN)))
    return {name: said[name] for name in sorted(said)}


@cache
def _named(texts: Callable[[], Texts], _language: str) -> tuple[str, Texts]:
    said = {**picture_labels(), **texts()}
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=8).hexdigest(), said
