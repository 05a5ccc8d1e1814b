"""Attention: one head of the model, stage by stage, on a typed sentence; or matrices typed by hand."""

from functools import cache

import streamlit as st

from viz_transformer.experiments.attention.steps import HeadStages, layer_stages
from viz_transformer.heads import ATTENTION_MODULES, n_layers, stack_config
from viz_transformer.ui.attention.by_hand import by_hand
from viz_transformer.ui.attention.microscope import microscope
from viz_transformer.ui.attention.place import (
    MASKED_FROM,
    fits_at_once,
    is_module_chosen,
    keep_place,
    place_in_link,
    stages_view_of,
)
from viz_transformer.ui.attention.what_if import changed_title, intervention_of, results_of, what_if_choices
from viz_transformer.ui.components.matrix_view import stages_view
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Titled
from viz_transformer.ui.shared.models import changed_trace, opening_head
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.trace_file import offer_trace, trace_name
from viz_transformer.views.code_lens import snippet
from viz_transformer.views.head_sheet import STAGES, Changed, axes_of, sheet_of
from viz_transformer.views.sheets import Choice, Results, Sheet, Sheets
from viz_transformer.views.text import _
from viz_transformer.views.trace_view import default_labels

frame = Frame(_("Attention"), {"false": Titled(_("In the model"), ""), "true": Titled(_("By hand"), "")}, "hand")
if frame.view == "true":
    by_hand()
    st.stop()

reading = choose_reading(frame)
model, texts = reading.model, reading.texts


@st.fragment
def attention() -> None:
    """In a fragment of its own: another head, stage or cell does not run the page again."""
    trace = reading.trace  # in here: as a global it would stay in memory while the page is open
    labels, config, key = default_labels(), trace.config, "stages"
    place = place_in_link(trace, opening_head(reading.translator))
    module, layer, head = place.module, place.layer, place.head
    layers, heads = range(n_layers(config, module)), range(stack_config(config, module).n_heads)
    sent = layers if fits_at_once(trace, module) else range(layer, layer + 1)
    intervention = intervention_of(place, config)
    other = None if intervention is None else changed_trace(model, trace, intervention)

    @cache
    def stages_in(layer: int) -> list[HeadStages]:
        return layer_stages(trace, module, layer)

    @cache
    def changed_in(layer: int) -> list[HeadStages]:
        return [] if other is None else layer_stages(other, module, layer)

    def sheet(index: int) -> Sheet:
        nth, n = divmod(index, len(heads))
        m = sent[nth]
        changed = Changed(changed_in(m)[n], changed_title(place)) if other else None
        return sheet_of(stages_in(m)[n], axes_of(trace, module, n), changed)

    def results() -> Results | None:
        if intervention is None or other is None:
            return None
        return results_of(model, (trace, other), texts.source, place, intervention)

    choices = [
        Choice(
            "module",
            _("Module"),
            [_("Encoder self"), _("Decoder self"), _("Cross")],
            until=None if is_module_chosen() else (MASKED_FROM, ATTENTION_MODULES.index("decoder_self")),
        ),
        Choice("layer", _("Layer"), [str(n + 1) for n in layers], turns_sheets=sent == layers),
        Choice(
            "head",
            _("Head"),
            [str(n + 1) for n in heads],
            hint=labels["head_keys"],
            has_digits=True,
            turns_sheets=True,
        ),
        *what_if_choices(place),
    ]
    stages_view(
        Sheets(len(sent) * len(heads), sheet),
        key=key,
        view=stages_view_of(place, STAGES),
        choices=choices,
        results=results,
        depends_on=(model, *reading.encoded, place if intervention else module, sent, is_module_chosen()),
        on_change=lambda: keep_place(key, place),
    )
    microscope(stages_in(layer)[head], axes_of(trace, module, head), place.cell, key="cell")
    if place.cell:
        st.markdown(_("**The same number in a notebook**"))
        target = texts.target or ""
        cell, file = (module, layer, head, *place.cell), trace_name(model.name)
        st.code(snippet(model.name, texts.source, trace, target, cell, file), language="python")


attention()
offer_trace(reading)
link_note()
