"""Every view that is shown in several places, declared once: for the app, a notebook and a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from viz_transformer.views.decoding.labels import decoding_labels
from viz_transformer.views.decoding.view import DecodingView
from viz_transformer.views.heads import HeadsView
from viz_transformer.views.map_labels import heads_labels
from viz_transformer.views.matrices import StagesView, matrix_labels
from viz_transformer.views.trace_view import TraceView, default_labels

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

View = TypeVar("View", bound="DataclassInstance")


@dataclass(frozen=True)
class Kind(Generic[View]):
    """One kind of view.

    Attributes:
        panel: its name in `frontend/src/panels.ts`.
        view: the class of its state, a frozen dataclass whose fields are `linked`.
        labels: every text of it in the reader's language; words in braces are filled in by the browser.
        page: the page of the app that shows it.
        more: further parameters of the link to that page.
    """

    panel: str
    view: type[View]
    labels: Callable[[], Mapping[str, str]]
    page: str
    more: Mapping[str, str] = field(default_factory=dict)


OVERVIEW = Kind("trace_view", TraceView, default_labels, "overview")
OVERVIEW_OF_GIVEN = replace(OVERVIEW, labels=partial(default_labels, target_given=True))
STEPS = Kind("matrix_view", StagesView, matrix_labels, "attention")
GLANCE = Kind("heads_glance", HeadsView, heads_labels, "heads")
ARCS = Kind("heads_arcs", HeadsView, heads_labels, "heads", more={"view": "arcs"})
QUERY_KEY = Kind("heads_query_key", HeadsView, heads_labels, "heads", more={"view": "query-key"})
TREE = Kind("decoding_view", DecodingView, decoding_labels, "decoding")
