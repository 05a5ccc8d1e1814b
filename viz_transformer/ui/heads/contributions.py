"""Direct contributions: what each head, and every other part of the decoder, adds to the logit of one token."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from viz_transformer.analysis.logit_attribution import LogitContributions, logit_contributions
from viz_transformer.config import TransformerConfig
from viz_transformer.heads import DECODER_MODULES, HeadRef
from viz_transformer.trace import Floats
from viz_transformer.ui.components.matrix_view import matrix_view
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.shared.choices import linked_choice, module_names
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import head_label
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.sheets import Matrix
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row
from viz_transformer.visible import escape

TOP = 10  # of the likeliest tokens are offered
SIDE = 380  # px, beside the matrices
WRITTEN, NOTHING = "written", "none"


@st.fragment
def heads_contributions(reading: Reading) -> None:
    """One step (in the link as `step`), a token (`says`), and the token that it is compared with (`against`)."""
    trace, model = reading.trace, reading.translator.model
    picture, side = picture_and_side("contributions", SIDE)
    with side:
        row = _choose_step(trace.target_tokens, trace.predicted_tokens)
        token, against = _choose_tokens(reading, trace.log_probs[row], trace.predicted_ids[row])
    with scheduler.short():
        found = logit_contributions(model, trace, row, token, against)
    names = [
        _("«{token}»").format(token=reading.translator.target_tokenizer.label(one)) for one in (token, against or 0)
    ]
    with picture:
        matrix_view(_matrices(found), key="contributions-view")
        _says(found, names)
    with side:
        _table(found, trace.config)
    st.markdown(explained(_how_it_counts(trace.config)))


def _choose_step(read: tuple[str, ...], written: tuple[str, ...]) -> int:
    options = {
        str(step): _("{step} writes «{token}» (has read «{query}»)").format(step=step, token=token, query=query)
        for step, (query, token) in enumerate(zip(read, written, strict=True), start=1)
    }
    return int(linked_choice(_("Step"), "step", options, str((len(read) + 1) // 2), wide=True)) - 1


def _choose_tokens(reading: Reading, log_probs: Floats, written: int) -> tuple[int, int | None]:
    """Ids of the chosen token and of the one that it is compared with, or None. The link has their ranks."""
    likeliest = np.argsort(-log_probs, kind="stable")[:TOP].tolist()
    by_name = {WRITTEN: written} | {str(rank): one for rank, one in enumerate(likeliest, start=1) if one != written}

    def text_of(name: str) -> str:
        token, p = reading.translator.target_tokenizer.label(by_name[name]), math.exp(log_probs[by_name[name]])
        said = _("«{token}», written, p = {p}") if name == WRITTEN else _("«{token}», rank {name}, p = {p}")
        return said.format(token=token, name=name, p=decimals(p))

    token = linked_choice(_("Token"), "says", {name: text_of(name) for name in by_name}, WRITTEN, wide=True)
    others = [name for name in by_name if name != token]
    usual = max(others, key=lambda name: log_probs[by_name[name]])
    options = {NOTHING: _("nothing: the logit alone")} | {name: text_of(name) for name in others}
    against = linked_choice(_("Compared with"), "against", options, usual, wide=True)
    return by_name[token], None if against == NOTHING else by_name[against]


def _matrices(found: LogitContributions) -> list[Matrix]:
    """The heads of self-attention and of cross-attention, side by side on one scale."""
    extent = max(float(np.abs(heads).max()) for heads in found.heads.values())
    return [
        Matrix(
            module_names()[module],
            heads,  # (N, H)
            rows=_("layer"),
            columns=_("head"),
            scale="diverging",
            scale_name=_unit(found),
            extent=extent,
            is_pinnable=False,
            name=module,
        )
        for module, heads in found.heads.items()
    ]


def _unit(found: LogitContributions) -> str:
    return _("logit") if found.against is None else _("difference of logits")


def _says(found: LogitContributions, names: list[str]) -> None:
    """The head that adds most, and the one that takes most away."""
    by_head = {
        HeadRef(module, layer, head): float(value)
        for module in DECODER_MODULES
        for (layer, head), value in np.ndenumerate(found.heads[module])
    }
    most, least = max(by_head, key=lambda head: by_head[head]), min(by_head, key=lambda head: by_head[head])
    if found.against is None:
        total = _("The logit of {token} is {logit}.")
    else:
        total = _("The logit of {token} is {logit} above that of {other}.")
    if by_head[most] <= 0:
        share = _("No head adds to it; {least} takes the most away, {minus}.")
    elif by_head[least] >= 0:
        share = _("Of all heads, {most} adds the most to it, {plus}.")
    else:
        share = _("Of all heads, {most} adds the most to it, {plus}; {least} takes the most away, {minus}.")
    text = in_a_row(total, share).format(
        token=names[0],
        other=names[1],
        logit=decimals(found.logit, 3),
        most=head_label(most),
        plus=decimals(by_head[most], 3),
        least=head_label(least),
        minus=decimals(by_head[least], 3),
    )
    st.html(f'<p class="vt-reads" data-testid="contributions-reads">{escape(text)}</p>')


def _table(found: LogitContributions, config: TransformerConfig) -> None:
    """Shows what every part adds, all heads of a module together, and the sum beside the recorded logit."""
    parts = {
        _("all heads of self-attention"): float(found.heads["decoder_self"].sum()),
        _("all heads of cross-attention"): float(found.heads["cross"].sum()),
        **{
            _("feed-forward network {layer}").format(layer=layer): float(value)
            for layer, value in enumerate(found.feed_forwards, start=1)
        },
        _("embedding of the token that was read"): found.token,
        _("positional encoding"): found.position,
        _("biases of W_O"): float(sum(biases.sum() for biases in found.projection_biases.values())),
        _("biases of the LayerNorms"): sum(found.norm_biases.values()),
        **({_("bias of the output projection"): found.output_bias} if config.output_bias else {}),
    }
    largest = max(map(abs, parts.values())) or 1.0
    rows: list[list[str | Cell]] = [
        [name, Cell(decimals(value), shade=abs(value) / largest)] for name, value in parts.items()
    ]
    number_table(
        "contributions",
        _("What every part adds; the darker, the more. Nothing is left over."),
        [_("part"), _unit(found)],
        [
            *rows,
            [_("sum of all parts"), decimals(found.total)],
            [_("in the recorded pass"), decimals(found.logit)],
        ],
    )


def _how_it_counts(config: TransformerConfig) -> str:
    """What the numbers hold fixed, and what they leave out."""
    if config.norm_first:
        held = _(
            "A head writes its context, through its rows of W_O, into the residual stream; the output "
            "projection reads what arrives there. This model is pre-norm: only a final LayerNorm, if there is "
            "one, lies on the way, and it divides by the recorded standard deviation."
        )
    else:
        held = _(
            "A head writes its context, through its rows of W_O, into the residual stream; the output "
            "projection reads what arrives there. This model is post-norm: what a layer wrote goes through every "
            "LayerNorm after it, and each of them divides by the recorded standard deviation."
        )
    pieces = [held]
    if not config.residuals:
        pieces.append(_("Without residual connections, only the last sub-layer reaches the output directly."))
    if not config.has_feed_forward:
        pieces.append(_("This model has no feed-forward networks."))
    pieces.append(
        _(
            "Only this direct path is counted. What a head changes in later attention and later feed-forward "
            "networks is credited to them, and the standard deviations are held fixed; the encoder acts through "
            "cross-attention. So the output without a head differs by another number: see **Knock-out**."
        )
    )
    return in_a_row(*pieces)
