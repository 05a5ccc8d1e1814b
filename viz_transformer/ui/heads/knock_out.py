"""Take heads out and see how the output changes; and how much is lost without each head alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

import numpy as np
import streamlit as st

from viz_transformer.analysis.scores import ALIGNMENT
from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.heads.knock_out import all_heads, impact_of_heads
from viz_transformer.heads import HeadRef, stack_config
from viz_transformer.interventions import AblateHeads
from viz_transformer.trace import Floats, Trace
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.heads.measured import catalogue_of
from viz_transformer.ui.heads.view import KNOCK_OUT
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.choices import numbered
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import head_label, heads_in_link, keep_heads_in_link, short_module
from viz_transformer.ui.shared.models import ModelChoice, changed_output, changed_trace, load_translator
from viz_transformer.ui.shared.scheduler import in_turn
from viz_transformer.views.heads import KnockOutView
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row
from viz_transformer.visible import escape

OFF = "off"  # in the link: the heads that are knocked out
GRID = "heads-knock-out"
RESULTS = 500  # px, beside the grid
MOST_WORK = 4e12  # heads × tokens × parameters: some two minutes of one core


@st.fragment
def heads_knock_out(model: ModelChoice, source: str, trace: Trace) -> None:
    """What is lost without each head alone, any set of heads to knock out (in the link as `off`), and what is then
    written.
    """
    picture, side = picture_and_side("knock-out", RESULTS)
    if is_too_much(model, trace):
        picture.warning(
            _(
                "Knocking out each of this model's {heads} heads over {tokens} tokens would keep this server busy"
                " for minutes. Shorten the text."
            ).format(heads=len(all_heads(trace.config)), tokens=len(trace.source_ids) + len(trace.target_ids))
        )
        return
    with picture:
        falls = {head: 0.0 - change for head, change in impact_grid(model, trace).items()}
        _grid(trace.config, falls)
        _presets(model, trace.config, falls)
    with side:
        _without(model, source, trace, falls)
    st.markdown(
        explained(
            "A head is knocked out by setting its context vectors to zero, just before W_O. The grid shows how "
            "much the log-probability of the whole output falls, in nats, when **one** head is missing; below 0, "
            "the model finds the output likelier without it. Even if nothing changes without a head, it may still"
            " do the work: others can stand in for it."
        )
    )
    matrix_view([_by_token(trace, falls)], key="knock-out-by-token")


def is_too_much(model: ModelChoice, trace: Trace) -> bool:
    """Whether the passes without each head take too long: they are refused, so that nobody waits behind them."""
    tokens = len(trace.source_ids) + len(trace.target_ids)
    parameters = load_translator(model.name, model.device).parameter_count
    return len(all_heads(trace.config)) * tokens * parameters > MOST_WORK


def impact_grid(model: ModelChoice, trace: Trace) -> dict[HeadRef, Floats]:
    """(T,) for every head: the change of the log-probability of each predicted token without it, in nats.

    Computed once for all visitors, with a progress bar; if a visitor leaves, what is done is kept for the next.
    """
    known = _impacts(model, (trace.source_ids, trace.target_ids, trace.predicted_ids))
    heads = all_heads(trace.config)
    missing = [head for head in heads if head not in known]
    if missing:
        bar = st.progress(0.0, _("Knocking out each head …"))
        passes = impact_of_heads(load_translator(model.name, model.device).model, trace, missing)
        for head, change in in_turn(passes, len(missing) * len(trace.target_ids), bar):
            known[head] = change
            bar.progress(len(known) / len(heads), _("Knocking out each head …"))
        bar.empty()
    return {head: known[head] for head in heads}


@kept(at_least=64 * 2**10)
def _impacts(model: ModelChoice, ids: tuple[tuple[int, ...], ...]) -> dict[HeadRef, Floats]:
    return {}  # filled head by head in `impact_grid`


def _grid(config: TransformerConfig, falls: dict[HeadRef, Floats]) -> None:
    """Shows a button for each head; the link says which are knocked out."""
    heads = all_heads(config)
    lines = [[*line] for _layer, line in groupby(heads, key=lambda head: head[:2])]
    content = {
        "rows": [
            {
                "label": f"{short_module(line[0].module)} {line[0].layer + 1}",
                "heads": [head_label(head) for head in line],
            }
            for line in lines
        ],
        "falls": np.array([float(falls[head].sum()) for head in heads]),
    }
    off = heads_in_link(OFF, config)
    view = KnockOutView(tuple(n for n, head in enumerate(heads) if head in off))
    KNOCK_OUT.show(content, key=GRID, view=view, fit=_within(len(heads)), on_change=lambda: keep_committed(heads))


def _within(count: int) -> Callable[[KnockOutView], KnockOutView]:
    return lambda view: KnockOutView(tuple(sorted({place for place in view.off if place < count})))


def keep_committed(heads: Sequence[HeadRef]) -> None:
    """Writes which of all heads a person took out into the link."""
    view = KNOCK_OUT.committed(GRID)
    if view:
        keep_heads_in_link(OFF, [heads[place] for place in _within(len(heads))(view).off])


def _presets(model: ModelChoice, config: TransformerConfig, falls: dict[HeadRef, Floats]) -> None:
    """Buttons to take out the head that aligns best or is missed most, the others of its layer, or the whole layer."""
    catalogue = catalogue_of(model.name)
    aligned = {
        head: values[ALIGNMENT.name]
        for head, values in (catalogue.means if catalogue else {}).items()
        if ALIGNMENT.name in values
    }
    best = max(aligned, key=lambda head: aligned[head]) if aligned else max(falls, key=lambda head: falls[head].sum())
    layer = [best._replace(head=head) for head in range(stack_config(config, best.module).n_heads)]
    label = head_label(best)
    name = f"{short_module(best.module)} {best.layer + 1}"
    choices = [
        (_("All heads on"), []),
        (_("Without {head}, best aligned") if aligned else _("Without {head}"), [best]),
        (_("Only {head} of {layer}"), [head for head in layer if head != best]),
        (_("Without all of {layer}"), layer),
    ]
    with st.container(key="vt-knock-out-presets", horizontal=True):
        for n, (text, heads) in enumerate(choices):
            is_on = set(heads) == set(heads_in_link(OFF, config))
            st.button(
                text.format(head=label, layer=name),
                key=f"knock-out {n}",
                on_click=keep_heads_in_link,
                args=(OFF, heads),
                disabled=is_on,
            )


def _without(model: ModelChoice, source: str, trace: Trace, falls: dict[HeadRef, Floats]) -> None:
    """The outputs, a sentence about them, and what each token loses."""
    heads = heads_in_link(OFF, trace.config)
    change = AblateHeads(heads) if heads else None
    outputs = [_written(model, source, None), _written(model, source, change) if change else ""]
    names = _(", ").join(map(head_label, heads))
    number_table(
        "knock-out-output",
        _("The model's greedy output with all heads and without {heads}.").format(heads=names)
        if heads
        else _("The model's greedy output"),
        ["", _("output")],
        [[_("all heads"), Cell(outputs[0], "text")], [_("without"), Cell(outputs[1] or "—", "text")]],
    )
    before = trace.token_log_probs
    after = changed_trace(model, trace, change).token_log_probs if change else before
    sentence = _sentence(names, outputs, float((before - after).sum())) if heads else _alone(falls)
    st.html(f'<p class="vt-reads" data-testid="knock-out-reads">{escape(sentence)}</p>')
    worst = int((before - after).argmax())
    rows: list[list[str | Cell]] = [
        [
            token,
            decimals(float(first)),
            decimals(float(second)) if heads else "",
            Cell(decimals(float(first - second)), "strong" if place == worst else "") if heads else "",
        ]
        for place, (token, first, second) in enumerate(
            zip(numbered(trace.predicted_tokens), before, after, strict=True)
        )
    ]
    totals = [decimals(float(before.sum())), "", ""]
    if heads:
        totals[1:] = [decimals(float(value)) for value in (after.sum(), (before - after).sum())]
    number_table(
        "knock-out-tokens",
        _("Log-probability of each token of the target shown, in nats. The decoder reads the same tokens both times."),
        [_("token"), _("all heads"), _("without"), _("fall")],
        [*rows, [_("all tokens"), *totals]],
    )


def _written(model: ModelChoice, source: str, change: AblateHeads | None) -> str:
    ids = changed_output(model, source, change)
    translator = load_translator(model.name, model.device)
    text = translator.target_tokenizer.decode(ids)
    is_whole = ids[-1] == translator.model.config.end_id
    return text if is_whole else _("{text} (stopped at the length limit)").format(text=text)


def _sentence(names: str, outputs: Sequence[str], fall: float) -> str:
    said = _("Without {heads}, log p falls by {number}") if fall > 0 else _("Without {heads}, log p rises by {number}")
    if outputs[0] == outputs[1]:
        then = _("and the model writes the same output: other heads can stand in.")
    else:
        then = _("and the model writes «{output}».").format(output=outputs[1])
    return f"{said.format(heads=names, number=decimals(abs(fall), 3))}, {then}"


def _alone(falls: dict[HeadRef, Floats]) -> str:
    """What the grid says while no head is out."""
    sums = {head: float(fall.sum()) for head, fall in falls.items()}
    most, least = max(sums, key=lambda head: sums[head]), min(sums, key=lambda head: sums[head])
    sentence = _(
        "No head is knocked out. The output depends most on {most}: without this head alone, log p falls by {fall}."
    )
    if sums[least] < 0:
        sentence = in_a_row(sentence, _("Without {least}, it even rises by {rise}."))
    return sentence.format(
        most=head_label(most), fall=decimals(sums[most], 3), least=head_label(least), rise=decimals(-sums[least], 3)
    )


def _by_token(trace: Trace, falls: dict[HeadRef, Floats]) -> Matrix:
    return Matrix(
        _("Without one head: each token"),
        np.stack(list(falls.values())),  # (heads, T)
        rows=_("without head"),
        columns=_("written token"),
        row_labels=[head_label(head) for head in falls],
        column_labels=list(trace.predicted_tokens),
        scale="diverging",
        scale_name=_("fall of log p, nats"),
        is_pinnable=False,
    )
