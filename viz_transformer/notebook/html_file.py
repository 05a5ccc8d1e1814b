"""A view as one HTML file: the front end, the numbers and what they are of, and nothing to be fetched."""

from __future__ import annotations

import gzip
import html
import json
import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from viz_transformer.notebook import front_end
from viz_transformer.resources import package_version
from viz_transformer.views.picture_labels import picture_labels
from viz_transformer.views.text import LANGUAGES, language, speaking
from viz_transformer.visible import escape

if TYPE_CHECKING:
    from viz_transformer.notebook.notebook_view import ShownView


def html_file(shown: ShownView[Any], theme: str, app: str | None) -> str:
    """The text of the file; see `ShownView.to_html`."""
    about = shown.about
    with speaking(shown._language):
        labels = picture_labels()
        facts = [*about.facts, (labels["made_by"], f"viz_transformer {package_version()}")]
        said = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in facts)
        link = shown.link(app)
        opens = f'<p><a id="reopen" href="{html.escape(link)}">{escape(labels["reopen"])}</a></p>'
        filled = {
            "language": LANGUAGES[language()][1],
            "theme": theme,
            "version": package_version(),
            "title": escape(about.title),
            "about": f"<dl>{said}</dl>" + (opens if link else ""),
            "fallback": f"<p>{escape(labels['needs_script'])}</p>{shown.still()}",
        }
    filled |= {
        "request": _json(shown.request()),
        "terms": _json(shown.terms()),
        "content": b64encode(gzip.compress(shown.packed(), mtime=0)).decode(),
        "code": front_end.inline_module(),
    }
    return re.sub(r"\{(\w+)\}", lambda found: filled.get(found[1], found[0]), front_end.page())


@dataclass(frozen=True)
class Embedded:
    """An HTML file as an output of a notebook.

    Attributes:
        text: of the file.
        title: of the frame, for screen readers.
        height: in CSS pixels.
    """

    text: str
    title: str
    height: int

    def _repr_html_(self) -> str:
        """In a frame, so that neither its style nor its script meets the notebook's."""
        return (
            f'<iframe title="{html.escape(self.title)}" srcdoc="{html.escape(self.text)}" width="100%" '
            f'height="{self.height}" style="border: 0" sandbox="allow-scripts allow-downloads allow-popups"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{self.title}, {len(self.text):,} characters of HTML>"


def _json(value: object) -> str:
    """JSON for a `<script>`: `<` is escaped, so that no text in it can end the element."""
    return json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
