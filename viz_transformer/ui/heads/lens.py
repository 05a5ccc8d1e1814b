"""The logit lens: what each decoder layer would say if it were the last."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from viz_transformer.analysis.logit_lens import LogitLens, logit_lens
from viz_transformer.config import TransformerConfig
from viz_transformer.tokenizers import EncodedText
from viz_transformer.trace import Trace
from viz_transformer.ui.heads.view import LENS
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.models import ModelChoice, load_translator, recorded_trace
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.heads import LensView
from viz_transformer.views.linked import clamped
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, in_a_row
from viz_transformer.visible import escape

TOP = 6  # tokens that are listed of one layer at one position


@st.fragment
def heads_lens(reading: Reading) -> None:
    """Layers and positions as a grid of tokens; one of them (in the link as `lens`) with its likeliest tokens."""
    lens, trace = _lens_of(reading.model, *reading.encoded), reading.trace
    rows, positions = lens.entropies.shape
    last = lens.divergences[-2]  # before the last layer
    usual = LensView((rows - 2, int(last.argmax())))
    LENS.show_linked(
        _content(reading, lens),
        key="heads-lens",
        usual=usual,
        fit=lambda view: clamped(view, spot=(rows, positions)),
    )
    _says(lens, trace)
    st.markdown(explained(_how_it_reads(trace.config)))
    st.caption(
        _(
            "KL is Σ p · ln (p / q) over the vocabulary, with p from the output and q from this layer, in nats: 0"
            " where they agree. The logit lens: nostalgebraist 2020."
        )
    )


@kept()
def _lens_of(model: ModelChoice, *encoded: EncodedText) -> LogitLens:
    trace = recorded_trace(model, *encoded)
    with scheduler.short():
        return logit_lens(load_translator(model.name, model.device).model, trace, TOP)


def layer_names(config: TransformerConfig) -> list[str]:
    """The rows: the embedding, then the layers, of which the last is the output."""
    layers = [_("layer {layer}").format(layer=layer) for layer in range(1, config.n_decoder_layers)]
    return [_("embedding"), *layers, _("layer {layer}: output").format(layer=config.n_decoder_layers)]


def _content(reading: Reading, lens: LogitLens) -> dict[str, Any]:
    trace = reading.trace
    ids, places = np.unique(np.append(lens.token_ids.ravel(), trace.predicted_ids), return_inverse=True)
    count = lens.token_ids.size
    return {
        "layers": layer_names(trace.config),
        "read": list(trace.target_tokens),
        "written": list(trace.predicted_tokens),
        "names": list(reading.translator.target_tokenizer.labels(ids.tolist())),
        "tokens": places[:count].reshape(lens.token_ids.shape).astype(np.int32),
        "logProbs": lens.token_log_probs,
        "taken": places[count:].astype(np.int32),
        "takenLogProbs": lens.predicted_log_probs,
        "ranks": lens.predicted_ranks.astype(np.int32),
        "entropies": lens.entropies,
        "divergences": lens.divergences,
        "vocabulary": trace.config.target_vocab_size,
    }


def _says(lens: LogitLens, trace: Trace) -> None:
    """At how many positions a layer already puts the written token first, and what the embedding says instead."""
    first = lens.token_ids[:, :, 0]  # (N + 1, T)
    right = (first == np.asarray(trace.predicted_ids)).sum(axis=1)
    read = int((first[0] == np.asarray(trace.target_ids)).sum())
    sentence = _(
        "The token that the model writes is already the likeliest before the last layer at {before} of {count} "
        "positions, and in the output at {output}. At {read} positions, the embedding is read as the token that "
        "went in."
    ).format(before=right[-2], output=right[-1], read=read, count=len(trace.target_ids))
    st.html(f'<p class="vt-reads" data-testid="lens-reads">{escape(sentence)}</p>')


def _how_it_reads(config: TransformerConfig) -> str:
    """What the lens means in a model of this kind."""
    if config.has_final_norms:
        how = _(
            "Each row is what the output layer (the final LayerNorm, then the output projection) makes of the "
            "states recorded after a layer."
        )
    elif config.norm_first:
        how = _(
            "Each row is what the output projection makes of the recorded states after a layer. This model has no "
            "final LayerNorm, so it reads the residual stream as it is."
        )
    else:
        how = _(
            "Each row is what the output projection makes of the recorded states after a layer. This model is "
            "post-norm: each layer's states come out of that layer's own LayerNorm and are read as they are."
        )
    pieces = [
        how,
        _(
            "Only the last row is an output. No earlier layer was trained to be read out there, so its row shows "
            "what can already be read from its states, and not what the model has decided."
        ),
    ]
    if config.weight_tying != "none":
        pieces.append(_("Because of weight tying, a token's embedding is most likely to be read as that token itself."))
    return in_a_row(*pieces)
