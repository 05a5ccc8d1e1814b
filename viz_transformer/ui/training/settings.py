"""The settings of a run as controls. Each is in the link, so that a link opens with the same run ready."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from viz_transformer.training.slips import TRAINERS
from viz_transformer.training.tasks import TASKS
from viz_transformer.training.toy_runs import PRESETS, RANGES, RunSettings
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.views.terms import marked
from viz_transformer.views.text import _

RATES = [1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 7e-3, 1e-2, 2e-2, 3e-2]
WIDTHS, HEADS = [16, 32, 48, 64, 96, 128], [1, 2, 4, 8]
# What the link and the widgets call a setting: other pages use some of the plain names for something else.
_KEYS = {
    "task": "task",
    "n_layers": "layers",
    "n_heads": "nheads",
    "d_model": "width",
    "steps": "steps",
    "batch": "batch",
    "learning_rate": "rate",
    "warmup": "warmup",
    "label_smoothing": "smoothing",
    "dropout": "dropout",
    "seed": "trainseed",
    "scale_scores": "scaling",
    "causal": "causal",
    "residuals": "residuals",
}
_CHOICES = ("positions", "sublayers", "slip")  # the link holds their values, the session those of `_KEYS`
_APPLIED = "training settings"  # key in the session of the lesson that they were last set to
_PRESET = "lesson_of_run"


def preset_names() -> dict[str, str]:
    """What the lessons are called."""
    return {
        "whole": _("the whole Transformer"),
        "no-scaling": _("without scaling: softmax(QKᵀ)"),
        "no-positions": _("without positions"),
        "no-mask": _("without the causal mask"),
        "no-warmup": _("without warm-up"),
        "one-head": _("one head"),
        "attention-only": _("attention only"),
        "feed-forward-only": _("feed-forward only"),
        "no-residuals": _("without residual connections"),
        "softmax-axis": _("a slip: softmax over the queries"),
        "sqrt-d-model": _("a slip: ÷ √d_model"),
        "polarity": _("a slip: masks the wrong way round"),
        "diagonal": _("a slip: the diagonal masked, too"),
        "encoder-mask": _("a slip: no mask on the source's padding"),
        "loss": _("a slip: the loss divided twice"),
        "pad-loss": _("a slip: padding in the loss"),
        "cos-cos": _("a slip: cosines in place of sines"),
    }


def slip_names() -> dict[str, str]:
    """What the slips of a run are called, in a sentence after "with"."""
    return {
        "softmax-axis": _("the softmax over the queries"),
        "sqrt-d-model": _("scores ÷ √d_model"),
        "polarity": _("masks the wrong way round"),
        "diagonal": _("the diagonal masked, too"),
        "encoder-mask": _("no mask on the source's padding"),
        "loss": _("the loss divided twice"),
        "pad-loss": _("padding in the loss"),
        "cos-cos": _("cosines in place of sines"),
    }


def preset_lessons() -> dict[str, str]:
    """What to look for in each lesson."""
    return {
        "whole": _("Look for the cross-attention head whose diagonal appears just as exact match starts to rise."),
        "no-scaling": _(
            "One head of d_k = 128 without ÷ √d_k: at step 0 the softmax already puts nearly all weight on "
            "single keys, and almost no gradient gets through. Then switch the scaling on and compare."
        ),
        "no-positions": _(
            "Look at the cross-attention: a digit that occurs twice cannot be told from its twin, so exact match stays "
            "low although the loss falls."
        ),
        "no-mask": _(
            "Look at the gap: with teacher forcing, the decoder sees one token ahead and is nearly always "
            "right; generating from its own output, it has nothing ahead to look at."
        ),
        "no-warmup": _(
            "A large learning rate from the first step on: see how long the loss stays where it began. With 50 "
            "steps of warm-up, the model learns to copy without a mistake at the same rate."
        ),
        "one-head": _(
            "One head as wide as four: see how soon its diagonal appears. Copying requires looking at only one "
            "position."
        ),
        "attention-only": _(
            "No feed-forward layers: copying is little more than looking things up, so see how far attention "
            "alone gets."
        ),
        "feed-forward-only": _(
            "No attention: no token can see another and the decoder never sees the source, so the loss stays at "
            "the level of guessing."
        ),
        "no-residuals": _(
            "Two layers without x + Sublayer(x): attention averages tokens until they are all alike, so the loss "
            "stays near the level of guessing. With the residuals the same two layers learn to copy."
        ),
        "softmax-axis": _(
            "Columns of the weights add up to 1, so every weight depends on what later queries want. Look at the "
            "gap: the loss falls as usual, but nothing that the model writes is right."
        ),
        "sqrt-d-model": _(
            "Every score is too small by a factor of √H. The model learns all the same, only a little later: a "
            "falling loss does not reveal this slip."
        ),
        "polarity": _(
            "A query sees exactly what it must not, including the next token: the loss falls faster than that of "
            "the whole model, but nothing that the model writes is right."
        ),
        "diagonal": _(
            "No token may attend to itself, and the first row, with no key left, reads the whole target. The loss "
            "falls as usual, but in writing that row sees only the start token: look at the first token of each output."
        ),
        "encoder-mask": _(
            "Padding is read as if it were text. The model learns to live with it, so nothing shows here, but "
            "what it writes now depends on how long the other sentences of a batch are."
        ),
        "loss": _(
            "The training loss looks hundreds of times too small; the held-out loss beside it is normal. Adam "
            "divides the factor out again, but gradients are never clipped now, and the start is slower."
        ),
        "pad-loss": _(
            "The labels of padding count, and they are easy, so the training loss is too low. The held-out loss leaves "
            "padding out: compare it with that of a run without the slip."
        ),
        "cos-cos": _(
            "Half of the dimensions of a position say nothing new. For sequences as short as these the other half is "
            "enough, so nothing shows."
        ),
    }


def name_of(settings: RunSettings) -> str:
    """What a run trains, by its settings: a lesson that was changed is no longer that lesson."""
    changed = changes(settings)
    if changed:
        return changed
    return preset_names()["one-head" if settings.n_heads == 1 else "whole"]


def choose_lesson() -> None:
    """Controls for the lesson, which says what is left out, and for the task."""
    asked = st.query_params.get(_PRESET, "")
    if asked != st.session_state.get(_APPLIED):  # the first time, and where a link leads here from another page
        st.session_state[_APPLIED] = asked
        _apply(asked, only_missing=True)
    preset = linked_choice(_("Lesson"), _PRESET, preset_names(), "whole", wide=True, on_change=_apply_chosen)
    st.selectbox(_("Task"), list(TASKS), placeholder=_("Choose one"), **_bound("task"))
    st.info(marked(preset_lessons()[preset]))


def choose_settings() -> RunSettings:
    """The settings of the run, by controls for all but the task; call it after `choose_lesson`, which sets them."""
    settings = RunSettings(task=st.session_state[_KEYS["task"]], **(_sizes() | _training() | _parts()))
    if settings.slip != "none" and _is_idle(settings):
        st.caption(_("Here this slip has nothing to act on."))
    st.caption(_summary(settings))
    return settings


def _summary(settings: RunSettings) -> str:
    changed = changes(settings)
    words = _(
        "{task} · {layers} + {layers} layers · {heads} heads · d_model {width} · {steps} steps of {batch} sequences · "
        "learning rate {rate:g} after {warmup} steps of warm-up · label smoothing {smoothing:g} · "
        "dropout {dropout:g} · seed {seed}"
    ).format(
        task=settings.task,
        layers=settings.n_layers,
        heads=settings.n_heads,
        width=settings.d_model,
        steps=settings.steps,
        batch=settings.batch,
        rate=settings.learning_rate,
        warmup=settings.warmup,
        smoothing=settings.label_smoothing,
        dropout=settings.dropout,
        seed=settings.seed,
    )
    return f"{words} · **{changed}**" if changed else words


def is_whole(settings: RunSettings) -> bool:
    """Whether nothing is left out, no slip is made, and there are several heads."""
    return settings.n_heads > 1 and not changes(settings)


def changes(settings: RunSettings) -> str:
    """What is left out, and the slip that is made; or ""."""
    missing, slip = missing_parts(settings), "" if _is_idle(settings) else slip_names().get(settings.slip)
    return _(", ").join(
        [
            *([_("without {parts}").format(parts=_(", ").join(missing))] if missing else []),
            *([_("with {slip}").format(slip=slip)] if slip else []),
        ]
    )


def _is_idle(settings: RunSettings) -> bool:
    """Whether the slip has nothing to act on."""
    if settings.slip == "cos-cos":
        return settings.positions == "none"
    return settings.slip not in TRAINERS and settings.sublayers == "feed_forward"


def missing_parts(settings: RunSettings) -> list[str]:
    """The parts that are left out."""
    parts = {
        _("scaling"): settings.scale_scores or settings.slip == "sqrt-d-model",  # this slip divides, too
        _("positions"): settings.positions != "none",
        _("the causal mask"): settings.causal,
        _("warm-up"): settings.warmup > 1,
        _("feed-forward layers"): settings.sublayers != "attention",
        _("attention"): settings.sublayers != "feed_forward",
        _("residual connections"): settings.residuals,
    }
    return [part for part, is_there in parts.items() if not is_there]


def _sizes() -> dict[str, Any]:
    layers, heads, width = st.columns(3)
    return {
        "n_layers": _slider(layers, _("Layers in encoder and in decoder"), "n_layers"),
        "n_heads": _select(heads, _("Heads"), "n_heads", HEADS, disabled=not _has_attention()),
        "d_model": _select(width, "d_model", "d_model", WIDTHS),
    }


def _training() -> dict[str, Any]:
    first, second = st.columns(4), st.columns(3)
    return {
        "steps": _slider(first[0], _("Steps"), "steps", 20),
        "batch": _slider(first[1], _("Sequences per batch"), "batch", 4),
        "learning_rate": _select(first[2], _("Peak learning rate"), "learning_rate", RATES),
        "warmup": _slider(first[3], _("Warm-up steps"), "warmup"),
        "label_smoothing": _slider(second[0], _("Label smoothing ε"), "label_smoothing", 0.05),
        "dropout": _slider(second[1], _("Dropout"), "dropout", 0.05),
        "seed": int(second[2].number_input(_("Seed"), *_whole("seed"), **_bound("seed", _default("seed")))),
    }


def _parts() -> dict[str, Any]:
    scaling, causal, residuals, positions, sublayers = st.columns([2, 2, 2, 3, 5], vertical_alignment="top")
    with positions:
        kinds = {"sinusoidal": _("added"), "none": _("left out")}
        chosen = linked_choice(_("Positions"), "positions", kinds, "sinusoidal")
    with sublayers:
        kinds = {"both": _("both"), "attention": _("attention only"), "feed_forward": _("feed-forward only")}
        layers = linked_choice(_("Sub-layers"), "sublayers", kinds, "both")
    slips = {"none": _("none")} | {name: said[:1].upper() + said[1:] for name, said in slip_names().items()}
    slip = linked_choice(_("Slip, made in every pass"), "slip", slips, "none", wide=True)
    is_off = not _has_attention()
    if is_off:
        st.caption(_("Without attention, heads, scaling and causal mask have nothing to act on."))
    return {
        "scale_scores": scaling.toggle(_("Scores ÷ √dₖ"), disabled=is_off, **_bound("scale_scores", True)),
        "causal": causal.toggle(_("Causal mask"), disabled=is_off, **_bound("causal", True)),
        "residuals": residuals.toggle(_("Residuals"), **_bound("residuals", True)),
        "positions": chosen,
        "sublayers": layers,
        "slip": slip,
    }


def _has_attention() -> bool:
    return st.query_params.get("sublayers") != "feed_forward"


def _slider(place: Any, label: str, name: str, step: float = 1) -> Any:
    low, high = _whole(name) if isinstance(_default(name), int) else RANGES[name]
    return place.slider(label, low, high, step=step, **_bound(name, _default(name)))


def _select(place: Any, label: str, name: str, options: Sequence[float], *, disabled: bool = False) -> Any:
    return place.select_slider(label, options, disabled=disabled, **_bound(name, _default(name)))


def _bound(name: str, value: Any = None) -> dict[str, Any]:
    """The arguments that tie a widget to the link; `value`: used if neither link nor session has one."""
    usual = {} if value is None else {"value": value}
    return {"key": _KEYS[name], "bind": "query-params", **usual}


def _whole(name: str) -> tuple[int, int]:
    low, high = RANGES[name]
    return int(low), int(high)


def _default(name: str) -> Any:
    return getattr(RunSettings(), name)


def _apply_chosen() -> None:
    st.session_state[_APPLIED] = st.query_params.get(_PRESET, "")
    _apply(st.query_params.get(_PRESET, "whole"))


def _apply(preset: str, *, only_missing: bool = False) -> None:
    """Sets every control but the task to what a lesson wants; with `only_missing`, not those that the link sets."""
    if preset not in PRESETS:
        return
    values = RunSettings(**PRESETS[preset]).to_dict()
    for name in _CHOICES:
        if not (only_missing and name in st.query_params):
            st.query_params[name] = values[name]
    for name, key in _KEYS.items():
        if name != "task" and not (only_missing and key in st.query_params):
            st.session_state[key] = values[name]
