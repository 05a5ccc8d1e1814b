"""The browser component that shows one trace: every layer and head of its attention, step by step.

Everything is sent once; Python hears only what a person settled on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from viz_transformer.heads import HeadRef
from viz_transformer.ui.components.component import Component
from viz_transformer.views import kinds
from viz_transformer.views.trace_view import TraceView, clearest_step, fitting, trace_content

if TYPE_CHECKING:
    from viz_transformer.trace import Trace


def trace_view(
    trace: Trace,
    *,
    key: str,
    opens_with: HeadRef,
    token_label: Callable[[int], str],
    target_given: bool = False,
) -> TraceView:
    """Shows `trace` and returns the view that is on the screen. The view is in the link.

    Args:
        opens_with: whose layer and head are shown where the link has none. The step is then `clearest_step`.
        token_label: the text of a target vocabulary id, for the table of next tokens.
        target_given: the target was given, so the token that each step took was not the model's choice.

    Raises:
        ValueError: see `trace_content`.
    """
    return (_TRACE_OF_GIVEN if target_given else _TRACE).show_linked(
        trace_content(trace, token_label),
        key=key,
        usual=TraceView(opens_with.layer, opens_with.head, step=clearest_step(trace, opens_with)),
        fit=partial(fitting, trace=trace),
    )


_TRACE, _TRACE_OF_GIVEN = Component.of(kinds.OVERVIEW), Component.of(kinds.OVERVIEW_OF_GIVEN)
