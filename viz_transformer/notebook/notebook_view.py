"""One view of something recorded, ready to be shown: in a notebook, or as a file of its own."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar
from urllib.parse import urlencode

from viz_transformer.optional import needed
from viz_transformer.sentences import N_, SentenceError
from viz_transformer.views.codec import pack
from viz_transformer.views.kinds import Kind
from viz_transformer.views.linked import checked, link_for_browser, parameters_of
from viz_transformer.views.picture_labels import picture_labels
from viz_transformer.views.terms import glossary
from viz_transformer.views.text import LANGUAGES, language, speaking
from viz_transformer.visible import visible

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from viz_transformer.notebook.widget import ViewWidget

View = TypeVar("View", bound="DataclassInstance")
Theme = Literal["", "light", "dark"]
THEMES = ("", "light", "dark")
APP = "http://127.0.0.1:8501"  # where `viz-transformer app` opens


@dataclass(frozen=True)
class About:
    """What a view shows, in words.

    Attributes:
        title: names it.
        facts: (name, text) of the model, the texts and the settings.
        link: parameters of the link that opens the same model and texts in the app; None where the app cannot.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    link: Mapping[str, str] | None = None


class ShownView(Generic[View]):
    """A view that a notebook shows as the last value of a cell; see `show` and `to_html`.

    Attributes:
        kind, about: which view it is, and of what.
        usual: the view that it opens with.
    """

    def __init__(
        self,
        kind: Kind[View],
        content_of: Callable[[View], Mapping[str, Any]],
        usual: View,
        *,
        about: Callable[[], About],
        fit: Callable[[View], View],
        still_of: Callable[[View], str],
        follows: Callable[[View], object] = lambda view: None,
        language: str | None = None,
    ) -> None:
        """
        Args:
            content_of: view → the content that the browser is sent, see `pack`.
            fit: clamps a view to what the content has.
            still_of: view → an SVG of it, shown where no JavaScript runs.
            follows: view → the part of it that the content depends on (by default none); a change sends new content.
            language: of its texts, one of `LANGUAGES`; None: the reader's, English in a notebook.

        Raises:
            ValueError: for an unknown language.
        """
        with speaking(language):
            pass  # an unknown one raises here, not when it is shown
        self.kind, self.usual, self._about, self._language = kind, fit(usual), about, language
        self._content_of, self._fit, self._still_of, self._follows = content_of, fit, still_of, follows
        self._view = self.usual

    @property
    def view(self) -> View:
        """What is on the screen, as the browser last reported it; setting it moves the browser there.

        It is a frozen dataclass: `shown.view = replace(shown.view, layer=1)`. Everything counts from 0, and what is
        too large is clamped to what there is.
        """
        return self._view

    @view.setter
    def view(self, view: View) -> None:
        if not isinstance(view, self.kind.view):
            raise TypeError(f"The view must be a {self.kind.view.__name__}; it was {view!r}.")
        whole = checked(self.kind.view, asdict(view))
        if whole is None:
            raise ValueError(f"This is no {self.kind.view.__name__} that a browser could show: {view!r}.")
        self._view = self._fit(whole)
        if "widget" in self.__dict__:
            self.widget.go(self._view)

    def go(self, **parts: Any) -> ShownView[View]:
        """Changes these parts of the view, `layer=1` for instance, and returns itself."""
        self.view = replace(self._view, **parts)
        return self

    @property
    def about(self) -> About:
        """What it is of, in its language."""
        with speaking(self._language):
            return self._about()

    @cached_property
    def widget(self) -> ViewWidget:
        """This view as an anywidget, for notebooks.

        Raises:
            ImportError: anywidget is not installed; the message says how to install it.
        """
        needed("anywidget", N_("To show a view in a notebook"), "notebook")
        from viz_transformer.notebook.widget import ViewWidget

        return ViewWidget(self)

    def show(self, theme: Theme = "") -> None:
        """Shows it in the cell's output, also where it is not the cell's last value, and in a theme of its own.

        Args:
            theme: "light", "dark", or "" for that of the notebook.

        Raises:
            ImportError: IPython or anywidget is not installed.
        """
        check_theme(theme)
        self.widget.theme = theme
        needed("IPython.display", N_("To show a view in a notebook"), "notebook").display(self)

    def to_html(self, path: str | Path | None = None, *, theme: Theme = "", app: str | None = APP) -> str:
        """One HTML file with all of it, which opens without a network, and after years.

        Args:
            path: where it is written; None writes nothing.
            theme: "light", "dark", or "" for that of the reader's system.
            app: the address of the app, for a link that opens the view there; None leaves the link out.

        Returns:
            The file's text.

        Raises:
            FileNotFoundError: the folder does not exist.
        """
        check_theme(theme)
        from viz_transformer.notebook.html_file import html_file

        return written(html_file(self, theme, app), path)

    def iframe(self, height: int = 620, *, theme: Theme = "") -> Embedded:
        """The HTML file as an output that stays interactive without a kernel, for instance after nbconvert.

        Args:
            height: in CSS pixels.
        """
        from viz_transformer.notebook.html_file import Embedded

        return Embedded(self.to_html(theme=theme), self.about.title, height)

    def link(self, app: str | None = APP) -> str:
        """The address that opens this view in the app; "" where the app cannot have it."""
        about = self.about
        if about.link is None or app is None:
            return ""
        said = {**about.link, **self.kind.more, **parameters_of(self._view, self.usual)}
        said |= {} if self._language is None else {"lang": self._language}
        return f"{app.rstrip('/')}/{self.kind.page}?{urlencode(said)}"

    def still(self) -> str:
        """A still picture of the view on the screen, as SVG with real text."""
        with speaking(self._language):
            return self._still_of(self._view)

    # What a browser is sent

    def packed(self) -> bytes:
        """The content of the view on the screen."""
        with speaking(self._language):
            return pack(self._content_of(self._view), visible)

    def request(self) -> dict[str, Any]:
        """What goes with the content: texts, and the view with a new revision, so that the browser moves to it."""
        with speaking(self._language):
            return {
                "key": self.kind.panel,
                "panel": self.kind.panel,
                "revision": secrets.token_hex(4),
                "view": asdict(self._view),
                "language": LANGUAGES[language()][1],
                "labels": {**picture_labels(), **self.kind.labels()},
                "parameters": link_for_browser(self.usual),
            }

    def terms(self) -> dict[str, str]:
        """Slug → explanation, of the terms that its texts may mention."""
        with speaking(self._language):
            return {slug: one["said"] for slug, one in glossary().items()}

    def settled(self, raw: object) -> bool:
        """Takes over the view in which the browser came to rest → whether that view needs new content."""
        view = checked(self.kind.view, raw)
        if view is None:
            return False
        before, self._view = self._view, self._fit(view)
        return self._follows(before) != self._follows(self._view)

    # What notebooks ask for

    def _repr_mimebundle_(self, **_kwargs: Any) -> Any:
        """The widget; beside it, for where no program runs, a still picture and a line of text."""
        found = self.widget._repr_mimebundle_()
        data, metadata = found if isinstance(found, tuple) else (found, {})
        return {**(data or {}), "image/svg+xml": self.still(), "text/plain": repr(self)}, metadata

    def _display_(self) -> Any:
        """What marimo shows."""
        return self.widget

    def __repr__(self) -> str:
        return f"<{self.kind.panel} of {self.about.title}: {self._view}>"


def written(text: str, path: str | Path | None) -> str:
    """The text, written to a file where there is a path; raises a FileNotFoundError where the folder does not exist."""
    if path is not None:
        if not Path(path).parent.is_dir():
            raise FileNotFoundError(f"There is no folder {str(Path(path).parent)!r} to write the file in.")
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def check_theme(theme: str) -> None:
    """Raises a ValueError for an unknown one."""
    if theme not in THEMES:
        known = ", ".join(map(repr, THEMES))
        raise SentenceError("The theme must be one of {names}; it was {theme}.", names=known, theme=repr(theme))


if TYPE_CHECKING:
    from viz_transformer.notebook.html_file import Embedded
