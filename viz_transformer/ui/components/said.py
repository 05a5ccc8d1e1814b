"""The components' texts in the reader's language: a page is sent all of them once, and each message names its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache

from viz_transformer.views.picture_labels import picture_labels
from viz_transformer.views.text import language

Texts = Mapping[str, str]  # by name; words in braces are filled in by the browser

ON_THE_PAGE = "said"  # in the session: the names of the texts that its page has been sent
_KNOWN: set[Callable[[], Texts]] = set()


def know(texts: Callable[[], Texts]) -> None:
    """Registers texts that are to be sent with every page."""
    _KNOWN.add(texts)


def named(texts: Callable[[], Texts]) -> tuple[str, Texts]:
    """A name and the texts. The name is a hash, so other texts, or another language's, have another name."""
    return _named(texts, language())


def all_known() -> dict[str, Texts]:
    """All registered texts by name, in the same order in every run."""
    said = dict(map(named, tuple(_KNOWN)))
    return {name: said[name] for name in sorted(said)}


@cache
def _named(texts: Callable[[], Texts], _language: str) -> tuple[str, Texts]:
    said = {**picture_labels(), **texts()}
    return hashlib.blake2b(json.dumps(said).encode(), digest_size=8).hexdigest(), said
