"""Two heads, sentences, models or changes side by side, and their difference where it has a meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from viz_transformer.analysis.measures import entropy
from viz_transformer.heads import HeadRef, stack_config
from viz_transformer.interventions import (
    AblateHeads,
    ChangeMask,
    Intervention,
    PositionsOff,
    ScaleScores,
    ShiftPositions,
    Temperature,
)
from viz_transformer.trace import AttentionRecord, Floats, Trace
from viz_transformer.translator import TextError, shipped_models
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.heads.knock_out import OFF
from viz_transformer.ui.heads.measured import weights_of
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.controls import Texts, examples_of
from viz_transformer.ui.shared.folder_models import usable_names
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import choose_head, head_label, head_title, heads_in_link
from viz_transformer.ui.shared.models import ModelChoice, card_of, changed_trace, load_translator, recorded_trace
from viz_transformer.ui.shared.notes import note
from viz_transformer.ui.shared.own_models import own_models
from viz_transformer.views.text import _
from viz_transformer.visible import escape


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two things compared."""

    title: str
    model: ModelChoice
    trace: Trace
    head: HeadRef

    @property
    def record(self) -> AttentionRecord:
        """What was recorded of its head's attention module."""
        return self.trace.attention(self.head.module, self.head.layer)


@st.fragment
def heads_compare(model: ModelChoice, texts: Texts, trace: Trace, head: HeadRef) -> None:
    """What is compared (in the link as `compare`) and with what (`head_a`, `head_b`, `with`, `change_a`, `change_b`).

    `head` is the first side's where the link names none.
    """
    kinds = {
        "head": _("two heads"),
        "sentence": _("two sentences"),
        "model": _("two models"),
        "change": _("two changes to the forward pass"),
    }
    picture, side = picture_and_side("compare")
    with side:
        kind = linked_choice(_("Compare"), "compare", kinds, "head", column=True)
        first = choose_head(_("Head of A"), "head_a", trace.config, head)
        a = Side(head_title(first), model, trace, first)
        if kind == "change":
            a = _changed(a, "change_a", _("Change in A"), "none")
        try:
            b = _second(kind, a, texts)
        except TextError as error:
            note(_("B cannot be read: {reason}").format(reason=error.said(_)))
            return
    with picture:
        _maps(a, b)
    _facts(a, b)


def _second(kind: str, a: Side, texts: Texts) -> Side:
    model, trace, source, target = a.model, a.trace, texts.source, texts.target
    if kind == "sentence":
        card = card_of(model.name)
        other = next((example for example in examples_of(card) if example != source), source)
        source = st.text_input(_("Sentence of B"), value=other, key="with", bind="query-params") or ""
        target = ""
    if kind == "model":
        model, source, target = _second_model(model, texts)
    if kind in ("sentence", "model"):
        load_translator(model.name, model.device).encode_source(source)
        trace = recorded_trace(model, source, target)
    default = a.head
    if kind == "head":
        default = a.head._replace(head=(a.head.head + 1) % stack_config(trace.config, a.head.module).n_heads)
    head = choose_head(_("Head of B"), "head_b", trace.config, default)
    b = Side(head_title(head), model, trace, head)
    if kind == "change":
        unchanged = Side(b.title, model, recorded_trace(model, source, target), head)
        b = _changed(unchanged, "change_b", _("Change in B"), "no_scale")
    return b


def _second_model(model: ModelChoice, texts: Texts) -> tuple[ModelChoice, str, str]:
    """The model of B (in the link as `with_model`), its source and its target. Those that read A's language come first.

    A model that does not read A's language gets an example of its own, and the page says so.
    """
    names = [name for name in (*shipped_models(), *usable_names(), *own_models()) if name != model.name]
    names.sort(key=lambda name: not _reads_alike(model, name))
    chosen = linked_choice(_("Model of B"), "with_model", {name: name for name in names}, names[0], wide=True)
    other = ModelChoice(chosen, model.device)
    if _reads_alike(model, chosen):
        return other, texts.source, texts.target
    (example, *_others) = examples_of(card_of(chosen))
    note(
        _("The model {model} does not read this language. B reads one of that model's own examples:").format(
            model=chosen
        ),
        [example],
    )
    return other, example, ""


def _reads_alike(model: ModelChoice, name: str) -> bool:
    """Whether the model `name` reads the same language as `model`, or digits like it."""
    first, second = card_of(model.name), card_of(name)
    return bool(first.get("task")) == bool(second.get("task")) and first.get("source_language") == second.get(
        "source_language"
    )


def _changes(trace: Trace) -> dict[str, tuple[str, Intervention | None]]:
    changes: dict[str, tuple[str, Intervention | None]] = {
        "none": (_("none: the recorded pass"), None),
        "no_scale": (_("QKᵀ not divided by √dₖ"), ScaleScores("none")),
        "d_model": (_("QKᵀ divided by √d_model"), ScaleScores("sqrt_d_model")),
        "sharp": (_("temperature ½: sharper"), Temperature(0.5)),
        "flat": (_("temperature 2: flatter"), Temperature(2.0)),
        "no_mask": (_("no causal mask in the decoder"), ChangeMask("off", frozenset({"decoder_self"}))),
        "bag_source": (_("no positions in the source"), PositionsOff("source")),
        "bag_target": (_("no positions in the target"), PositionsOff("target")),
    }
    if len(trace.source_ids) < trace.config.max_len:
        changes["shift"] = (_("source positions counted from 2"), ShiftPositions(1, "source"))
    heads = heads_in_link(OFF, trace.config)
    if heads:
        names = _(", ").join(map(head_label, heads))
        changes["off"] = (_("knocked out: {heads}").format(heads=names), AblateHeads(heads))
    return changes


def _changed(side: Side, name: str, label: str, default: str) -> Side:
    changes = _changes(side.trace)
    chosen = linked_choice(label, name, {key: text for key, (text, _change) in changes.items()}, default, wide=True)
    text, change = changes[chosen]
    trace = side.trace if change is None else changed_trace(side.model, side.trace, change)
    return Side(f"{side.title} · {text}", side.model, trace, side.head)


def _maps(a: Side, b: Side) -> None:
    """Both on the scale of all weights, and below them their difference on one of its own."""
    titles = [_("A: {title}").format(title=a.title), _("B: {title}").format(title=b.title)]
    pair = [
        weights_of(side.trace, side.head, title, name) for side, title, name in zip((a, b), titles, "ab", strict=True)
    ]
    matrix_view(pair, key="compare")
    why_not = _why_no_difference(a.record, b.record)
    if why_not:
        note(_("There is no difference map: {reason}").format(reason=why_not))
        return
    difference = b.record.weights[b.head.head] - a.record.weights[a.head.head]
    both = a.record.mask | b.record.mask  # there is a difference where either side has a weight
    _largest(a, difference)
    matrix_view(
        [
            replace(
                pair[0],
                title=_("B − A"),
                values=difference,
                mask=both,
                scale="diverging",
                scale_name=_("difference, on a scale of its own"),
                extent=0.0,
                name="difference",
            )
        ],
        key="compare-difference",
    )


def _largest(a: Side, difference: Floats) -> None:
    """A sentence about the cell in which they differ most."""
    i, j = np.unravel_index(np.abs(difference).argmax(), difference.shape)
    value = float(difference[i, j])
    record, predicted = a.record, a.trace.predicted_tokens
    if value == 0:
        text = _("They look at the same keys: all weights are equal.")
    elif a.head.module == "encoder_self":
        text = _("They differ most at «{token}»: B gives the key «{key}» {value} {more}.")
    else:
        text = _("They differ most when writing «{token}»: B gives the key «{key}» {value} {more}.")
    text = text.format(
        token=record.query_tokens[i] if a.head.module == "encoder_self" else predicted[i],
        key=record.key_tokens[j],
        value=decimals(abs(value), 3),
        more=_("more") if value > 0 else _("less"),
    )
    st.html(f'<p class="vt-reads" data-testid="compare-reads">{escape(text)}</p>')


def _why_no_difference(a: AttentionRecord, b: AttentionRecord) -> str:
    """The reason in words; "" if both sides have the same tokens on both axes, so that there is a difference."""
    for first, second, axis in (
        (a.query_tokens, b.query_tokens, _("queries")),
        (a.key_tokens, b.key_tokens, _("keys")),
    ):
        if len(first) != len(second):
            return _("A has {a} {axis} and B has {b}.").format(a=len(first), b=len(second), axis=axis)
        if first != second:
            place = next(n for n, pair in enumerate(zip(first, second, strict=True)) if pair[0] != pair[1])
            return _("their {axis} differ, first at position {place}.").format(axis=axis, place=place + 1)
    return ""


def _facts(a: Side, b: Side) -> None:
    columns = []
    for side in (a, b):
        translator = load_translator(side.model.name, side.model.device)
        bits = entropy(side.record.weights[side.head.head]).mean()
        columns.append(
            [
                Cell(side.model.name, "text"),
                Cell(translator.decode(side.trace), "text"),
                decimals(side.trace.log_prob),
                decimals(float(bits)),
            ]
        )
    names = [
        _("model"),
        _("target read by the decoder"),
        _("its log-probability, nats"),
        _("mean entropy of this head's rows, bits"),
    ]
    rows = [[name, first, second] for name, first, second in zip(names, *columns, strict=True)]
    if not _why_no_difference(a.record, b.record):
        gap = float(np.abs(b.record.weights[b.head.head] - a.record.weights[a.head.head]).max())
        rows.append([_("largest difference in a weight"), "", decimals(gap)])
    number_table("compare-facts", _("A and B in numbers"), ["", "A", "B"], rows)
