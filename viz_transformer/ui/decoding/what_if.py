"""What if: another source word, a forced prefix, banned tokens, a changed forward pass. All of it is in the link."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from viz_transformer.config import TransformerConfig
from viz_transformer.decoding.step_decoder import never_written
from viz_transformer.experiments.heads.knock_out import all_heads
from viz_transformer.heads import ATTENTION_MODULES, HeadRef
from viz_transformer.interventions import (
    AblateHeads,
    ChangeMask,
    Divisor,
    Intervention,
    MaskMode,
    PermuteSource,
    PositionsOff,
    ScaleScores,
    ShiftPositions,
    Side,
    Temperature,
)
from viz_transformer.tokenizers import Tokenizer
from viz_transformer.translator import TextError, Translator
from viz_transformer.ui.decoding.controls import box_of
from viz_transformer.ui.shared.choices import linked_choice, module_names, set_where_other
from viz_transformer.ui.shared.head_names import both, heads_in_link, keep_heads_in_link
from viz_transformer.ui.shared.notes import sentence_of
from viz_transformer.views.decoding.tree import Settings
from viz_transformer.views.linked import HEAD
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MAX_SHIFT = 512
_IN_LINK = ("swap", "prefix", "ban", "divisor", "sharpness", "mask", "positions", "ablate", "order")


@dataclass(frozen=True)
class WhatIf:
    """The source that is read, and what the search is told: `settings` has the prefix, the bans and the changes."""

    source: str
    settings: Settings


def choose_what_if(translator: Translator, source: str) -> WhatIf:
    """Shows the controls. Input that the model cannot read is ignored, with a sentence above them; the rest counts."""
    said = st.container()
    box = box_of(_("What if …"), "what if", _IN_LINK)
    if not box:
        return WhatIf(source, Settings())
    with box:
        source = _replaced_source(translator, source, said)
        prefix = st.text_input(
            _("Forced prefix: the output begins with"),
            key="prefix",
            bind="query-params",
            help=_("These tokens are taken as given; the search goes on from there."),
        )
        banned = st.text_input(
            _("Banned tokens, as they appear in the tree, separated by spaces"),
            key="ban",
            bind="query-params",
            help=_("They are never taken, but their probabilities do not change. «</s>» is the end token."),
        )
        interventions = _choose_interventions(translator, source, said)
    prefix_ids: tuple[int, ...] = ()
    with _or_a_sentence(said):
        prefix_ids = _prefix_ids(translator, prefix or "")
    settings = Settings(
        prefix_ids=prefix_ids,
        banned_ids=_banned_ids(translator, banned or "", said),
        interventions=interventions,
    )
    return WhatIf(source, settings)


@contextmanager
def _or_a_sentence(place: DeltaGenerator) -> Iterator[None]:
    """Shows the sentence of a TextError at `place`; what could not be read counts as not typed."""
    try:
        yield
    except TextError as error:
        place.error(sentence_of(error))


def _replaced_source(translator: Translator, source: str, said: DeltaGenerator) -> str:
    encoded = translator.encode_source(source)
    names = {"0": _("none")} | {str(n): f"{n} {token}" for n, token in enumerate(encoded.tokens, start=1)}
    place = int(linked_choice(_("Replace a source token"), "swap", names, "0", wide=True))
    word = st.text_input(_("by"), key="by", bind="query-params", disabled=place == 0) or ""
    if place == 0 or not word:
        return source
    start, end = encoded.spans[place - 1]
    read = translator.read_as(source)
    replaced = f"{read[:start]}{word}{read[end:]}"
    with _or_a_sentence(said):
        translator.encode_source(replaced)
        return replaced
    return source


def _prefix_ids(translator: Translator, prefix: str) -> tuple[int, ...]:
    if not prefix.strip():
        return ()
    ids = translator.encode_target(prefix).ids
    if len(ids) >= translator.max_tokens:
        raise TextError(
            "The forced prefix has {count} tokens; it may have at most {limit}, so that there is something "
            "left to write.",
            count=len(ids),
            limit=translator.max_tokens - 1,
        )
    return ids


def _banned_ids(translator: Translator, typed: str, said: DeltaGenerator) -> tuple[int, ...]:
    banned: set[int] = set()
    for label in typed.split():
        with _or_a_sentence(said):
            banned.update(_ids_of(translator.target_tokenizer, label))
    with _or_a_sentence(said):
        if translator.target_tokenizer.vocab_size == len({*banned, *never_written(translator.model.config)}):
            raise TextError("All tokens are banned: nothing is left to write.")
        return tuple(sorted(banned))
    return ()


def _ids_of(tokenizer: Tokenizer, label: str) -> tuple[int, ...]:
    found = tokenizer.ids_of_label(label)
    if not found:
        raise TextError(
            "«{label}» is not a single token here, so it cannot be banned; it splits into: {tokens}.",
            label=label,
            tokens=" ".join(tokenizer.encode(label).tokens),
        )
    return found


def _choose_interventions(translator: Translator, source: str, said: DeltaGenerator) -> tuple[Intervention, ...]:
    """Any number of the package's interventions, each off by default."""
    config = translator.model.config
    n_source = len(translator.encode_source(source).ids) + 1
    st.markdown(_("**The forward pass**, in every step of the search:"))
    scale = _scale(config)
    heat = st.slider(_("Softmax temperature of attention"), 0.1, 5.0, 1.0, 0.1, key="sharpness", bind="query-params")
    mask = _mask()
    positions = _positions(config)
    ablated = _ablated_heads(config)
    order = st.text_input(
        _("Order of the {count} source tokens, for example «2 1 3 …»").format(count=n_source),
        key="order",
        bind="query-params",
    )
    changes: list[Intervention] = [*scale, *mask, *positions]
    if heat != 1.0:
        changes.append(Temperature(heat))
    if ablated:
        changes.append(AblateHeads(ablated))
    if (order or "").strip():
        with _or_a_sentence(said):
            changes.append(PermuteSource(_order(order or "", n_source)))
    return tuple(changes)


def _scale(config: TransformerConfig) -> list[Intervention]:
    names: dict[str, str] = {
        "sqrt_d_k": _("÷ √dₖ = √{k}, as it is").format(k=both(config, lambda stack: stack.d_k).replace(" / ", " / √")),
        "none": _("not divided"),
        "sqrt_d_model": _("÷ √d_model = √{d}").format(d=config.d_model),
    }
    chosen = linked_choice(_("Scores QKᵀ"), "divisor", names, "sqrt_d_k", wide=True)
    divisors: dict[str, Divisor] = {"none": "none", "sqrt_d_model": "sqrt_d_model"}
    return [ScaleScores(divisors[chosen])] if chosen in divisors else []


def _mask() -> list[Intervention]:
    names = {
        "on": _("on, as they are"),
        "off": _("off: every key may be attended to"),
        "after_softmax": _("multiplied after the softmax"),
    }
    chosen = linked_choice(_("Masks"), "mask", names, "on", wide=True)
    modules = {"all": _("all modules")} | module_names()
    where = linked_choice(_("of"), "maskof", modules, "all", wide=True)
    modes: dict[str, MaskMode] = {"off": "off", "after_softmax": "after_softmax"}
    if chosen not in modes:
        return []
    return [ChangeMask(modes[chosen], frozenset(m for m in ATTENTION_MODULES if where in ("all", m)))]


def _positions(config: TransformerConfig) -> list[Intervention]:
    names = {
        "as": _("as they are"),
        "off": _("none"),
        "shift": _("shifted"),
    }
    chosen = linked_choice(_("Positions"), "positions", names, "as", wide=True)
    sides = {"both": _("source and target"), "source": _("source"), "target": _("target")}
    side = linked_choice(_("of the"), "side", sides, "both", wide=True)
    typed: dict[str, Side] = {"both": "both", "source": "source", "target": "target"}
    if chosen == "off":
        return [PositionsOff(typed[side])]
    if chosen == "shift":
        highest = min(MAX_SHIFT, config.max_len - 1)
        offset = st.number_input(
            _("shifted by, up to {limit}").format(limit=highest), 1, highest, 1, key="shift", bind="query-params"
        )
        return [ShiftPositions(int(offset), typed[side])]
    return []


def _ablated_heads(config: TransformerConfig) -> list[HeadRef]:
    name, key = "ablate", "heads to ablate"
    heads = {HEAD.write(head): head for head in all_heads(config)}
    set_where_other(key, list(map(HEAD.write, heads_in_link(name, config))))  # the link leads, so that Back works

    def keep() -> None:
        keep_heads_in_link(name, [heads[text] for text in st.session_state[key] if text in heads])  # unknown: ignored

    label = _("Heads whose contribution is set to zero: module.layer.head")
    chosen = st.multiselect(label, list(heads), key=key, on_change=keep, placeholder=_("Choose heads"))
    return [heads[text] for text in chosen if text in heads]


def _order(typed: str, n_source: int) -> tuple[int, ...]:
    words = typed.split()
    if sorted(words) != sorted(str(n) for n in range(1, n_source + 1)):
        raise TextError(
            "The order must name each source token from 1 to {count} once, the end token included; it was: {typed}.",
            count=n_source,
            typed=typed,
        )
    return tuple(int(word) - 1 for word in words)
