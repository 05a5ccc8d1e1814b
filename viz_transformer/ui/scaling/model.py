"""The part "This model" of the page on scaling: its scores, its output without scaling, the lengths of its vectors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from viz_transformer.charts.scaling import places_plot
from viz_transformer.experiments.scaling.head_statistics import (
    HeadScores,
    NormLengths,
    at_initialisation,
    head_scores,
    norm_lengths,
)
from viz_transformer.experiments.scaling.saturation import entropy_bits, jacobian_norm
from viz_transformer.heads import ATTENTION_MODULES, AttentionModule, n_layers
from viz_transformer.interventions import ScaleScores
from viz_transformer.trace import Trace
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.components.plot_view import plot_view
from viz_transformer.ui.shared.byte_cache import kept
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.head_names import both
from viz_transformer.ui.shared.lesson_controls import Recorded
from viz_transformer.ui.shared.models import (
    ModelChoice,
    changed_output,
    changed_trace,
    load_translator,
)
from viz_transformer.ui.shared.outputs import written_text
from viz_transformer.ui.shared.scheduler import scheduler
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


@kept()
def fresh_pass(model: ModelChoice, _trace: Trace, ids: tuple[tuple[int, ...], ...]) -> Trace:
    """The pass over the same tokens by the same architecture before any training."""
    with scheduler.short():
        return at_initialisation(load_translator(model.name, model.device).model, _trace)


def _fresh(recorded: Recorded) -> Trace:
    model, _source, trace = recorded
    return fresh_pass(model, trace, (trace.source_ids, trace.target_ids))


def products_model(recorded: Recorded) -> None:
    """The variance of q·k / √d_k in every head, trained and at initialisation, beside the theory's 1."""
    trace, fresh = recorded.trace, _fresh(recorded)
    places = {place: n for n, place in enumerate(_places(trace))}
    groups = {
        name: _points(head_scores(one), places)
        for name, one in ((_("trained"), trace), (_("at initialisation"), fresh))
    }
    picture, side = picture_and_side("heads-scores")
    with picture:
        _show_scores(trace, fresh, places, groups)
    with side:
        st.markdown(_why_not_one())
    number_table(
        "head-scores",
        _("Over all pairs (query, key) that the mask allows; d_k = {d_k}").format(
            d_k=both(trace.config, lambda stack: stack.d_k)
        ),
        [
            _("head"),
            _("mean of q·k"),
            _("variance of q·k"),
            _("variance of q·k / √d_k"),
            _("if independent: E[q_i²]·E[k_i²]"),
            _("at initialisation: variance of q·k / √d_k"),
            _("if independent"),
        ],
        [_head_row(own, new) for own, new in zip(head_scores(trace), head_scores(fresh), strict=True)],
    )


def _show_scores(
    trace: Trace,
    fresh: Trace,
    places: Mapping[tuple[AttentionModule, int], int],
    groups: Mapping[str, tuple[np.ndarray, np.ndarray, tuple[str, ...]]],
) -> None:
    notes = [_range_of_variances(head_scores(trace), head_scores(fresh))]
    if len(trace.source_ids) * len(trace.target_ids) < 12:
        notes.append(_("This sentence is short and has few query-key pairs: type a longer one for steadier numbers."))
    plot_view(
        [
            places_plot(
                "heads",
                _("Variance of q·k / √d_k in each head, on this sentence"),
                tuple(_place_name(*place) for place in places),
                groups,
                (_("theory: 1"), 1.0),
                {"x": _("module and layer"), "y": _("variance")},
                log=True,
            )
        ],
        key="head-scores",
        notes=notes,
    )


def _range_of_variances(trained: list[HeadScores], fresh: list[HeadScores]) -> str:
    low, *_others, high = sorted(trained, key=lambda one: one.scaled_variance)
    new = sorted(one.scaled_variance for one in fresh)
    return _(
        "The theory says 1. At initialisation this sentence gives {new_low} to {new_high}; after training {low} "
        "({low_head}) to {high} ({high_head}): training moves the scores to what each head needs."
    ).format(
        new_low=decimals(new[0], 2),
        new_high=decimals(new[-1], 2),
        low=decimals(low.scaled_variance, 2),
        low_head=_head_name(low),
        high=decimals(high.scaled_variance, 2),
        high_head=_head_name(high),
    )


def _why_not_one() -> str:
    return explained(
        "**Why it is not 1.** The theory draws q and k independently, with mean 0 and variance 1; here q = x W_Q "
        "and k = x W_K come from the same few tokens. *At initialisation* W_Q and W_K are still independent of "
        "each other, so a head's variance is about E[q_i²]·E[k_i²]: above 1 in the first layers, where x is an "
        "embedding of variance 1 plus a positional encoding of mean square ½, so (1 + ½)² = 2.25; near 1 after a "
        "layer norm; and lower where the tokens' vectors resemble each other, because what they share moves the "
        "mean of q·k, not its variance. *Training* then makes q and k depend on each other: a head that looks at "
        "one particular key needs scores that differ by much more than 1. The table below shows the value under "
        "independence next to the actual one."
    )


def _places(trace: Trace) -> list[tuple[AttentionModule, int]]:
    return [(module, layer) for module in ATTENTION_MODULES for layer in range(n_layers(trace.config, module))]


def _place_name(module: AttentionModule, layer: int) -> str:
    names = {"encoder_self": _("encoder {n}"), "decoder_self": _("decoder {n}"), "cross": _("cross {n}")}
    return names[module].format(n=layer + 1)


def _points(
    scores: list[HeadScores], places: dict[tuple[AttentionModule, int], int]
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    x = np.array([places[one.head.module, one.head.layer] for one in scores], dtype=np.float64)
    y = np.array([one.scaled_variance for one in scores])
    return x, y, tuple(_("head {n}").format(n=one.head.head + 1) for one in scores)


def _head_row(own: HeadScores, new: HeadScores) -> list[str | Cell]:
    numbers = (
        own.mean,
        own.variance,
        own.scaled_variance,
        own.expected_scaled_variance,
        new.scaled_variance,
        new.expected_scaled_variance,
    )
    return [_head_name(own), *(decimals(number, 3) for number in numbers)]


def _head_name(scores: HeadScores) -> str:
    head = scores.head
    return _("{place}, head {n}").format(place=_place_name(head.module, head.layer), n=head.head + 1)


def softmax_model(recorded: Recorded) -> None:
    """The same sentence decoded with and without scaling, and what becomes of every layer's softmax."""
    model, source, trace = recorded
    change = ScaleScores("none")
    changed = changed_trace(model, trace, change)
    translator = load_translator(model.name, model.device)
    rows: list[list[str | Cell]] = []
    for name, intervention, one in ((_("÷ √d_k"), None, trace), (_("not scaled"), change, changed)):
        output = written_text(translator, changed_output(model, source, intervention))
        rows.append([name, Cell(output, "text"), decimals(one.log_prob, 3)])
    number_table(
        "decoded",
        _("The same sentence, decoded greedily with and without scaling, in every layer"),
        ["", _("output"), _("log p of the original output, nats")],
        rows,
    )
    places = _places(trace)
    names = tuple(_place_name(*place) for place in places)
    measures = {
        "entropy": (_("Entropy of the weights"), _("bits"), entropy_bits),
        "largest": (_("Largest weight"), _("weight"), lambda weights: weights.max(axis=-1)),
        "gradient": (_("Gradient that gets through"), _("‖∂w/∂s‖"), jacobian_norm),
    }
    plots = []
    means: dict[str, list[float]] = {}  # with scaling and without
    for key, (title, y, measure) in measures.items():
        groups = {}
        for group, one in ((_("÷ √d_k"), trace), (_("not scaled"), changed)):
            found = [measure(one.attention(*place).weights).mean(axis=-1) for place in places]  # each (H,)
            means.setdefault(key, []).append(float(np.concatenate(found).mean()))
            x = np.repeat(np.arange(len(places), dtype=np.float64), [len(heads) for heads in found])
            heads = tuple(_("head {n}").format(n=n + 1) for values in found for n in range(len(values)))
            groups[group] = (x, np.concatenate(found), heads)
        labels = {"x": _("module and layer"), "y": y}
        plots.append(places_plot(key, title, names, groups, None, labels, log=False, hues=("scaled", "unscaled")))
    largest, gradient = means["largest"], means["gradient"]
    said = _(
        "Without scaling the mean largest weight goes from {largest} to {other_largest}, the norm of the Jacobian from "
        "{gradient} to {other_gradient}, and log p of the original output changes by {change} nats."
    ).format(
        largest=decimals(largest[0], 3),
        other_largest=decimals(largest[1], 3),
        gradient=decimals(gradient[0], 3),
        other_gradient=decimals(gradient[1], 3),
        change=decimals(changed.log_prob - trace.log_prob, 3),
    )
    plot_view(plots, key="model-softmax", notes=[said])
    st.markdown(
        explained(
            "Each point is a head: the mean over its queries, for the tokens of the original output. The model "
            "was trained with the division; without it every score is √d_k = {root} times too large, so the "
            "softmax is sharper than the one it learned, and less gradient gets through."
        ).format(
            root=" / ".join(dict.fromkeys(f"{stack.d_k**0.5:.2f}" for stack in (trace.config, trace.config.decoder)))
        )
    )


def lengths_model(recorded: Recorded) -> None:
    """The model's own vectors before and after its layer norms."""
    trace, fresh = recorded.trace, _fresh(recorded)
    lengths = norm_lengths(trace)
    if not lengths:
        st.markdown(
            explained(
                "This model is pre-norm: it normalises before each sub-layer, so there is no layer norm after the "
                "residual sum."
            )
        )
        return
    shell = lengths[0].shell
    names = tuple(_norm_name(one) for one in lengths)
    plots = []
    everything = [
        values for one in (trace, fresh) for place in norm_lengths(one) for values in (place.before, place.after)
    ]
    span = (min(float(values.min()) for values in everything), max(float(values.max()) for values in everything))
    for key, title, one in (("norms-trained", _("Trained"), trace), ("norms-fresh", _("At initialisation"), fresh)):
        measured = norm_lengths(one)
        groups = {}
        for group, found in (
            (_("after the norm"), [place.after for place in measured]),
            (_("before the norm"), [place.before for place in measured]),
        ):
            x = np.repeat(np.arange(len(found), dtype=np.float64), [len(values) for values in found])
            tokens = tuple(_tokens(one, measured[int(n)].stack)[i] for n, i in _indices(found))
            groups[group] = (x, np.concatenate(found), tokens)
        plots.append(
            places_plot(
                key,
                title,
                names,
                groups,
                (_("√d_model"), shell),
                {"x": _("layer and sub-layer"), "y": _("length of a token's vector")},
                log=True,
                span=span,
            )
        )
    after, before = (
        np.concatenate([place.after for place in norm_lengths(one)]) for one in (trace, fresh)
    )  # trained, at initialisation
    said = _(
        "At initialisation every vector after a norm has length {shell} = √d_model (at most {most} off); trained,"
        " they are {low} to {high} long."
    ).format(
        shell=decimals(shell, 2),
        most=decimals(float(np.abs(before - shell).max()), 4),
        low=decimals(float(after.min()), 2),
        high=decimals(float(after.max()), 2),
    )
    plot_view(plots, key="norm-lengths", notes=[said])
    rows: list[list[str | Cell]] = []
    for norm in lengths:
        numbers = [f(values) for values in (norm.before, norm.after) for f in (np.mean, np.std)]
        rows.append([_norm_name(norm), *(decimals(float(number), 3) for number in numbers)])
    number_table(
        "norm-lengths",
        _("Lengths of x + Sublayer(x) before the layer norm and after it; √d_model = {shell}").format(
            shell=decimals(shell, 3)
        ),
        [_("norm after"), _("before: mean"), _("before: sd"), _("after: mean"), _("after: sd")],
        rows,
    )
    st.markdown(
        explained(
            "At initialisation the gain is 1 and the bias 0: after the norm every vector lies on the shell of "
            "radius √d_model. Training gives the norm a gain for each dimension and a bias, which move its "
            "vectors off the shell; the table shows how far."
        )
    )


def _norm_name(norm: NormLengths) -> str:
    stacks = {"encoder": _("encoder {n}, {sublayer}"), "decoder": _("decoder {n}, {sublayer}")}
    sublayers = {"self": _("self"), "cross": _("cross"), "ffn": _("ffn")}
    return stacks[norm.stack].format(n=norm.layer + 1, sublayer=sublayers[norm.sublayer])


def _tokens(trace: Trace, stack: str) -> tuple[str, ...]:
    return trace.source_tokens if stack == "encoder" else trace.target_tokens


def _indices(found: list[np.ndarray]) -> list[tuple[int, int]]:
    return [(n, i) for n, values in enumerate(found) for i in range(len(values))]
