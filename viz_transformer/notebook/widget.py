"""A view as an anywidget. frontend/src/kit/standalone.ts is the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from viz_transformer.notebook import front_end

if TYPE_CHECKING:
    from viz_transformer.notebook.notebook_view import ShownView


class ViewWidget(anywidget.AnyWidget):
    """What a notebook shows of a `ShownView`.

    Attributes:
        view: what is on the screen; it can be read, observed and set, as `ShownView.view`.
        request, content, terms, theme: what the browser is sent. (The names `style` and `layout` are ipywidgets'.)
        settled: the view in which the browser came to rest.
    """

    request = traitlets.Dict().tag(sync=True)
    content = traitlets.Bytes().tag(sync=True)
    terms = traitlets.Dict().tag(sync=True)
    theme = traitlets.Unicode().tag(sync=True)
    settled = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    view = traitlets.Any()

    def __init__(self, shown: ShownView[Any]) -> None:
        self._shown = shown
        super().__init__(
            _esm=front_end.module(),
            terms=shown.terms(),
            content=shown.packed(),
            request=shown.request(),
            view=shown.view,
        )

    def go(self, view: Any) -> None:
        """Moves the browser to this view, which the `ShownView` already has."""
        with self.hold_sync():
            self.content = self._shown.packed()
            self.request = self._shown.request()
        self.set_trait("view", view)

    @traitlets.observe("settled")
    def _on_settled(self, change: dict[str, Any]) -> None:
        raw = change["new"]
        if not raw or raw.get("revision") != self.request.get("revision"):
            return
        if self._shown.settled(raw):
            with self.hold_sync():
                self.content = self._shown.packed()
                self.request = self._shown.request()
        self.set_trait("view", self._shown.view)

    @traitlets.observe("view")
    def _on_view(self, change: dict[str, Any]) -> None:
        if change["old"] is not traitlets.Undefined and change["new"] != self._shown.view:
            self._shown.view = change["new"]
            self.set_trait("view", self._shown.view)  # clamped
