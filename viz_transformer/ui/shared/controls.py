"""The controls that pages share: which model, which texts. Their values are in the link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from viz_transformer.devices import available_devices, pick_device
from viz_transformer.translator import shipped_models
from viz_transformer.ui.shared.frame import close_box
from viz_transformer.ui.shared.models import ModelChoice, load_translator
from viz_transformer.ui.shared.own_models import PREFIX, own_models
from viz_transformer.ui.shared.text import _
from viz_transformer.ui.shared.verbatim import verbatim

DEFAULT_MODEL = "zh-en"
_ABSENT = "absent model"  # the name of one that the link asked for
MAX_LINK = 2000  # characters; longer links are cut off by some programs
_EXAMPLES = {
    "digits": ("3 1 4 1 5 9 2 6", "2 7 1 8", "7 7 7 0 7"),
    "zh": ("你好,世界!", "我爱你。", "你叫什么名字?", "今天天气很好。"),
    "en": ("Hello, world!", "I love you.", "What's your name?", "The weather is nice today."),
}


@dataclass(frozen=True)
class Texts:
    """What a person typed; an empty target means the model's own output."""

    source: str
    target: str


def choose_model() -> ModelChoice:
    """A model (in the link as `model`) and a device (not in the link: it belongs to the machine)."""
    try:
        automatic = pick_device().type
    except ValueError as error:  # VIZ_DEVICE names a device that is not here
        st.error(verbatim(str(error)))
        st.stop()
    devices = available_devices()
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    # No format_func: the link would hold the formatted, translated title.
    name = left.selectbox(_("Model"), model_names(), key="model", bind="query-params", on_change=_change_example)
    device = right.selectbox(
        _("Device"),
        devices,
        index=devices.index(automatic),
        key="device",
        persist_state="session",
        disabled=len(devices) == 1,
        help=_("Chosen automatically: an accelerator if there is one. VIZ_DEVICE sets another default."),
    )
    config = load_translator(name, device).model.config
    st.caption(
        _(
            "{title} · {parameters} M parameters · {encoder} encoder and {decoder} decoder layers · {heads} heads · "
            "d_model {d_model} · {norm} · texts of up to {limit} tokens"
        ).format(
            title=_model_title(name),
            parameters=round(load_translator(name, device).model.count_parameters() / 1e6, 2),
            encoder=config.n_encoder_layers,
            decoder=config.n_decoder_layers,
            heads=config.n_heads,
            d_model=config.d_model,
            norm=_("pre-norm") if config.norm_first else _("post-norm"),
            limit=config.max_len - 1,
        )
    )
    return ModelChoice(name, device)


def model_names() -> list[str]:
    """The shipped models, the usual one first, and the visitor's own."""
    return [*sorted(shipped_models(), key=lambda name: (name != DEFAULT_MODEL, name)), *own_models()]


def choose_texts(model: ModelChoice, *, has_target: bool = True) -> Texts:
    """Source and target (in the link as `source`, `target`), with examples to start from."""
    examples = examples_of(load_translator(model.name, model.device).card)
    source = st.text_area(
        _("Source"),
        value=examples[0],
        key="source",
        bind="query-params",
        height=80,
        on_change=_forget_place,
        help=_("Ctrl+Enter, a click elsewhere, or the button below runs the model on it."),
    )
    target = _choose_target() if has_target else ""
    with st.container(horizontal=True):
        st.button(_("Run"), type="primary", on_click=close_box)
        for example in examples:
            st.button(example, on_click=_set_texts, args=(example,), key=f"example {example}")
    return Texts(source or "", target)


def _choose_target() -> str:
    target = st.text_area(
        _("Target (optional)"),
        key="target",
        bind="query-params",
        height=80,
        on_change=_forget_place,
        placeholder=_("Empty: the model's own output."),
        help=_("If you give a target, the decoder reads it (teacher forcing) in place of the model's own output."),
    )
    return ((target or "").strip() and target) or ""


def texts_before_drawn() -> tuple[ModelChoice, Texts]:
    """What `choose_model` and `choose_texts` will return, for what is drawn before them."""
    names = model_names()
    name = _before_drawn("model", names[0])
    absent = st.session_state.get(_ABSENT)
    if name not in names and name.startswith(PREFIX):
        st.session_state[_ABSENT] = name  # the link is about to lose it
    elif absent in names:
        name = st.session_state["model"] = st.session_state.pop(_ABSENT)
    model = ModelChoice(name if name in names else names[0], _before_drawn("device", pick_device().type))
    source = _before_drawn("source", examples_of(load_translator(model.name, model.device).card)[0])
    target = _before_drawn("target", "")
    return model, Texts(source, target.strip() and target)


def absent_model() -> str:
    """A sentence, where the link asked for a model of somebody else, or of a session that is over; or ""."""
    name = st.session_state.get(_ABSENT)
    if not name:
        return ""
    return _(
        "The model {name} is not here: it belongs to the tab in which it was trained or loaded. This page shows "
        "{shown} in its place. Bring the model's file, or train it, on the page Training."
    ).format(name=verbatim(name), shown=DEFAULT_MODEL)


def _before_drawn(name: str, usual: str) -> str:
    value = st.session_state.get(name, st.query_params.get(name))
    return usual if value is None else str(value)


def link_note() -> None:
    """Says so where the link to this view is longer than some programs keep."""
    length = len(urlencode(st.query_params.to_dict()))
    if length > MAX_LINK:
        st.caption(
            _(
                "The link to this view has {length} characters; programs that cut links at {limit} will break it."
            ).format(length=length, limit=MAX_LINK)
        )


def _model_title(name: str) -> str:
    titles = {
        "copy": _("repeats digits"),
        "reverse": _("reverses digits"),
        "sort": _("sorts digits"),
        "zh-en": _("Chinese to English"),
        "en-zh": _("English to Chinese"),
    }
    return titles.get(name, _("your own model"))


def examples_of(card: dict[str, Any]) -> tuple[str, ...]:
    """Sources to start from, for a model with this card; one empty text where there are none."""
    return _EXAMPLES["digits"] if card.get("task") else _EXAMPLES.get(str(card.get("source_language")), ("",))


def _change_example() -> None:
    """Another model brings its own example, unless the person typed a text of their own."""
    _forget_place()
    typed = st.session_state.get("source")
    if typed in {example for examples in _EXAMPLES.values() for example in examples}:
        card = load_translator(st.session_state.model, pick_device().type).card
        _set_texts(examples_of(card)[0])


def _set_texts(source: str) -> None:
    close_box()
    st.session_state.source = source
    st.session_state.target = ""
    _forget_place()


def _forget_place() -> None:
    """Another text has other steps, cells, tokens and hypotheses: the link keeps only module, layer and head."""
    st.session_state.pop(_ABSENT, None)  # which has been read
    for name in ("step", "cell", "token", "node"):
        st.query_params.pop(name, None)
