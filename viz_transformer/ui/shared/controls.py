"""The controls that pages share: which model, which texts. Their values are in the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from viz_transformer.devices import available_devices, pick_device
from viz_transformer.sentence_ends import split_sentences
from viz_transformer.translator import shipped_models
from viz_transformer.ui.shared import folder_models
from viz_transformer.ui.shared.frame import close_box
from viz_transformer.ui.shared.head_names import both
from viz_transformer.ui.shared.link import before_drawn, came_by_history
from viz_transformer.ui.shared.models import ModelChoice, card_of, load_translator
from viz_transformer.ui.shared.own_models import PREFIX, own_models
from viz_transformer.ui.shared.streamlit_private import write_bound
from viz_transformer.ui.shared.verbatim import verbatim
from viz_transformer.views.text import _, language, sentence
from viz_transformer.visible import visible

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

USUAL_MODELS = {"en": "en-de", "zh": "zh-en"}  # language of the app → a model for texts that its readers can write
_ABSENT = "absent model"  # in the session: the name of a model that the link asked for and that is not here
_SENTENCE = "sentence"
_SET = "texts to set"  # in the session: name → the text before and the new one; see `_set_again`
MAX_LINK = 2000  # characters; longer links are cut off by some programs
_EXAMPLES = {
    "digits": ("3 1 4 1 5 9 2 6", "2 7 1 8", "7 7 7 0 7"),
    # In the last three beam and greedy search differ, and both are right.
    "zh": (
        "你好,世界!",
        "我爱你。",
        "今天天气很好。",
        "他昨天晚上没有睡觉。",
        "今天来了很多人。",
        "我想喝一杯咖啡。",
        "你有很多笔吗?",
    ),
    # German has three words for "it", and puts the verb of the sixth at its end. In the last one they differ, too.
    "en": (
        "Hello, world!",
        "The animal didn't cross the street because it was too tired.",
        "The cat sleeps because it is tired.",
        "The dog sleeps because it is tired.",
        "The child sleeps because it is tired.",
        "Yesterday he bought a new car.",
        "Do you like oranges?",
    ),
    "de": (
        "Hallo Welt!",
        "Das Tier überquerte die Straße nicht, weil es zu müde war.",
        "Gestern hat er ein Auto gekauft.",
    ),
    "fr": ("Bonjour le monde !", "Hier, il a acheté une nouvelle voiture.", "Je ne sais pas où elle habite."),
    "es": ("¡Hola, mundo!", "Ayer compró un coche nuevo.", "No sé dónde vive ella."),
}


@dataclass(frozen=True)
class Texts:
    """What a person typed; an empty target means the model's own output."""

    source: str
    target: str


def choose_model() -> ModelChoice:
    """A model (in the link as `model`) and a device (not in the link: it belongs to the machine)."""
    automatic = _automatic_device()
    devices = available_devices()
    names = model_names()
    # Set as a choice: a default would not be in the link, and a browser of another language has another default.
    if _before_drawn("model", "") not in names:
        st.session_state["model"] = names[0]
        write_bound({"model": names[0]})  # the browser has no control in a closed box that could write it
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    # No format_func: the link would hold the formatted, translated title.
    chosen = left.selectbox(
        _("Model"),
        names,
        index=None,
        required=True,
        placeholder=_("Choose one"),
        key="model",
        bind="query-params",
        on_change=_change_example,
    )
    name = chosen or names[0]
    device = right.selectbox(
        _("Device"),
        devices,
        index=devices.index(automatic),
        placeholder=_("Choose one"),
        key="device",
        persist_state="session",
        disabled=len(devices) == 1,
        help=_("Chosen automatically: an accelerator if there is one. VIZ_DEVICE sets another default."),
    )
    device = device if device in devices else automatic  # Streamlit hands on any text that a client sends
    translator = load_translator(name, device)
    config = translator.model.config
    st.caption(
        _(
            "{title} · {parameters} M parameters · {encoder} encoder and {decoder} decoder layers · {heads} heads · "
            "d_model {d_model} · {norm} · texts of up to {limit} tokens"
        ).format(
            title=_model_title(name),
            parameters=round(translator.parameter_count / 1e6, 2),
            encoder=config.n_encoder_layers,
            decoder=config.n_decoder_layers,
            heads=both(config, lambda stack: stack.n_heads),
            d_model=config.d_model,
            norm=_("pre-norm") if config.norm_first else _("post-norm"),
            limit=config.max_len - 1,
        )
    )
    return ModelChoice(name, device)


def _automatic_device() -> str:
    """The default device; ends the page with a sentence if VIZ_DEVICE names one that is not here."""
    try:
        return pick_device().type
    except ValueError as error:
        st.error(verbatim(sentence(error)))
        st.stop()


def model_names() -> list[str]:
    """The shipped models, the usual one of the language first, then those of the server's folder, and the visitor's."""
    usual = USUAL_MODELS[language()]
    shipped = sorted(shipped_models(), key=lambda name: (name != usual, name))
    return [*shipped, *folder_models.usable_names(), *own_models()]


def choose_texts(model: ModelChoice, field: DeltaGenerator | None = None, *, has_target: bool = True) -> Texts:
    """Source and target (in the link as `source`, `target`), with examples to start from.

    Args:
        field: where the source is typed, in place of the box that this is called in.
    """
    examples = examples_of(card_of(model.name))
    source = _type_source(examples[0], field) or ""
    target = _choose_target() if has_target else ""
    with st.container(horizontal=True):
        st.button(_("Run"), type="primary", on_click=close_box)
        for example in examples:
            st.button(example, on_click=_set_texts, args=(example,), key=f"example {example}")
    return Texts(source, target)


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


def _type_source(usual: str, field: DeltaGenerator | None) -> str | None:
    """Shows the source in `field`: on one line, where Enter runs the model, unless that would drop its line breaks."""
    if field is None:
        return st.text_area(
            _("Source"),
            value=usual,
            key="source",
            bind="query-params",
            height=80,
            on_change=_forget_place,
            help=_("Ctrl+Enter, a click elsewhere, or the button below runs the model on it."),
        )
    text = _before_drawn("source", usual)
    is_one_line = len(text.splitlines()) <= 1
    if text != st.query_params.get("source", usual):  # a control that is new on the page takes its text from the link
        write_bound({"source": text})
    return (field.text_input if is_one_line else field.text_area)(
        _("Source"),
        value=usual,
        key="source",
        bind="query-params",
        on_change=_forget_place,
        label_visibility="collapsed",
        placeholder=_("Type a sentence, then press Enter"),
    )


def offer_sentences(source: str) -> None:
    """Says so where a source has several sentences, which a model reads as one, and offers each of them by itself."""
    sentences = split_sentences(source)
    if len(sentences) < 2:
        return

    def take() -> None:
        chosen = st.session_state.get(_SENTENCE)
        if chosen in sentences:  # Streamlit hands on any text that a client sends
            _set_texts(chosen)

    label = _("{count} sentences are read as one. Read only …").format(count=len(sentences))
    st.selectbox(
        label,
        list(dict.fromkeys(sentences)),
        index=None,
        format_func=visible,
        label_visibility="collapsed",
        placeholder=label,
        key=_SENTENCE,
        on_change=take,
    )


def texts_before_drawn() -> tuple[ModelChoice, Texts]:
    """What `choose_model` and `choose_texts` will return, for what is drawn before them."""
    _set_again()
    names = model_names()
    name = _before_drawn("model", names[0])
    absent = st.session_state.get(_ABSENT)
    if name not in names and name.startswith((PREFIX, folder_models.PREFIX)):
        st.session_state[_ABSENT] = name  # the link is about to lose it
    elif absent in names:
        name = st.session_state["model"] = st.session_state.pop(_ABSENT)
    device, automatic = st.session_state.get("device"), _automatic_device()
    model = ModelChoice(name if name in names else names[0], device if device in available_devices() else automatic)
    source = _before_drawn("source", examples_of(card_of(model.name))[0])
    target = _before_drawn("target", "")
    return model, Texts(source, target.strip() and target)


def absent_model() -> str:
    """A sentence, where the link asked for a model that is not here, such as another visitor's; else ""."""
    name = st.session_state.get(_ABSENT)
    if not name:
        return ""
    shown = model_names()[0]
    if name.startswith(folder_models.PREFIX):
        damaged = folder_models.folder_models().get(name)
        if damaged is None or damaged.fault is None:
            absent = _("The model {name} is not in this server's folder. This page shows {shown} in its place.")
            return absent.format(name=verbatim(name), shown=shown)
        return _("The model {name} cannot be chosen: {reason} This page shows {shown} in its place.").format(
            name=verbatim(name), reason=verbatim(sentence(damaged.fault)), shown=shown
        )
    return _(
        "The model {name} is not here: it belongs to the tab in which it was trained or loaded. This page shows "
        "{shown} in its place. Load the model's file, or train it, on the page Training."
    ).format(name=verbatim(name), shown=shown)


def _set_again() -> None:
    """Called once a run: sets the texts of `_SET` again, until the browser sends another than the one before."""
    if came_by_history():
        st.session_state.pop(_SET, None)
    to_set = st.session_state.get(_SET, {})
    for name, (before, text) in [*to_set.items()]:
        if st.session_state.get(name, before) == before:
            st.session_state[name] = text
        else:
            del to_set[name]


def _before_drawn(name: str, usual: str) -> str:
    value = before_drawn(name)
    return usual if value is None else value


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
        "en-de": _("English to German"),
        "en-zh": _("English to Chinese"),
    }
    if name.startswith(folder_models.PREFIX):
        return _("a model of this server")
    return titles.get(name, _("your own model"))


def examples_of(card: Mapping[str, Any]) -> tuple[str, ...]:
    """Sources to start from, for a model with this card; one empty text where it does not say what it reads."""
    if card.get("task"):
        return _EXAMPLES["digits"]
    language = card.get("source_language")
    return _EXAMPLES.get(str(language), _EXAMPLES["en"]) if language else ("",)


def _change_example() -> None:
    """Another model brings its own example, unless the person typed a text of their own."""
    _forget_place()
    typed, name = st.session_state.get("source"), st.session_state.model
    if typed in {example for examples in _EXAMPLES.values() for example in examples} and name in model_names():
        _set_texts(examples_of(card_of(name))[0])


def _set_texts(source: str) -> None:
    close_box()
    # Set in every run from now on: one that ends early, or an older request on its way, would bring back the old texts.
    texts = {name: (st.session_state.get(name), text) for name, text in (("source", source), ("target", ""))}
    st.session_state[_SET] = {name: (before, text) for name, (before, text) in texts.items() if text != before}
    _forget_place()


def _forget_place() -> None:
    """Removes step, cell, token and hypothesis from the link: another text has others. Module, layer and head stay."""
    st.session_state.pop(_ABSENT, None)  # its sentence has been read by now
    for name in ("step", "cell", "token", "node"):
        st.query_params.pop(name, None)
