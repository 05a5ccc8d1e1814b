"""One head as a series of stages for the matrix component: which matrices, which words, which part of the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.attention.steps import Floats, HeadStages
from viz_transformer.heads import AttentionModule
from viz_transformer.trace import Trace
from viz_transformer.ui.attention.code_lens import code_of
from viz_transformer.ui.components.sheets import Hue, Matrix, Sheet, Stage
from viz_transformer.ui.components.trace_view import default_labels
from viz_transformer.ui.shared.text import _

STAGES = ("x", "qkv", "scores", "scale", "mask", "softmax", "context", "output")
HAND_STAGES = STAGES[1:-1]

FORMULA = (
    ("head = ", ""),
    ("softmax", "softmax"),
    ("( ", "softmax"),
    ("Q", "q"),
    (" ", ""),
    ("Kᵀ", "k"),
    (" / √d_k", "scale"),
    (" + mask", "mask"),
    (" )", "softmax"),
    (" ", ""),
    ("V", "v"),
)
FORMULA_BEFORE = (("Q = X W_Q + b,  K = X W_K + b,  V = X W_V + b", "x"), ("   →   ", ""))
FORMULA_BEFORE_CROSS = (("Q = X W_Q + b,  K = M W_K + b,  V = M W_V + b", "x"), ("   →   ", ""))
FORMULA_AFTER = (("   →   ", ""), ("[head_1 … head_H] W_O + b", "output"))
_LIT = {
    "x": ("x",),
    "qkv": ("x", "q", "k", "v"),
    "scores": ("q", "k"),
    "scale": ("scale",),
    "mask": ("mask",),
    "softmax": ("softmax",),
    "context": ("v",),
    "output": ("output",),
}


@dataclass(frozen=True)
class Axes:
    """What the matrices say: names and tokens of queries and keys, and what each query's row predicts (or nothing)."""

    queries: str
    keys: str
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    predicted: Sequence[str] = ()
    is_cross: bool = False
    head: int = 0
    n_heads: int = 1


def axes_of(trace: Trace, module: AttentionModule, head: int) -> Axes:
    """The axes of a recorded head."""
    labels, record = default_labels(), trace.attention(module, 0)
    return Axes(
        labels[f"query_{module}"],
        labels[f"key_{module}"],
        record.query_tokens,
        record.key_tokens,
        predicted=() if module == "encoder_self" else trace.predicted_tokens,
        is_cross=module == "cross",
        head=head,
        n_heads=trace.config.n_heads,
    )


def sheet_of(head: HeadStages, axes: Axes) -> Sheet:
    """All matrices of one head, the stages that show them, and the formula. By hand there is no X and no W_O."""
    matrices = _matrices(head, axes)
    index = {matrix.name: n for n, matrix in enumerate(matrices)}
    is_recorded = head.query_input is not None
    names = STAGES if is_recorded else HAND_STAGES
    titles, texts, shapes = _titles(), _texts(head, axes), _shapes(head, axes)
    shown = {
        "x": ("x", "memory"),
        "qkv": ("q", "k", "v"),
        "scores": ("q", "k", "scores"),
        "scale": ("scores", "scaled_scores"),
        "mask": ("scaled_scores", "masked_scores"),
        "softmax": ("masked_scores", "weights"),
        "context": ("weights", "v", "context"),
        "output": ("context", "concatenated", "output"),
    }
    stages = [
        Stage(
            titles[name],
            [index[matrix] for matrix in shown[name] if matrix in index],
            text=texts[name],
            shapes=shapes[name],
            code=code_of(name) if is_recorded else "",
            lit=_LIT[name],
        )
        for name in names
    ]
    if not is_recorded:
        return Sheet(matrices, stages, FORMULA)
    before = FORMULA_BEFORE_CROSS if axes.is_cross else FORMULA_BEFORE
    return Sheet(matrices, stages, [*before, *FORMULA, *FORMULA_AFTER])


def _matrices(head: HeadStages, axes: Axes) -> list[Matrix]:
    width, wide = _("head dimension"), _("model dimension")
    queries = {"rows": axes.queries, "row_labels": axes.query_tokens}
    keys = {"rows": axes.keys, "row_labels": axes.key_tokens}
    ends = {"row_ends": axes.predicted, "row_ends_axis": _("predicts") if axes.predicted else ""}
    both: dict[str, Any] = {**queries, "columns": axes.keys, "column_labels": axes.key_tokens, **ends}

    def vectors(name: str, title: str, values: Floats, side: dict[str, Any], columns: str, hue: Hue) -> Matrix:
        look: dict[str, Any] = {"scale": "diverging", "scale_name": _("value"), "note": _size(values), "hue": hue}
        return Matrix(title, values, columns=columns, name=name, is_pinnable=False, **look, **side)

    def scores(name: str, title: str, values: Floats, mask: NDArray[np.bool_] | None = None) -> Matrix:
        look: dict[str, Any] = {"scale": "diverging", "scale_name": _("score"), "note": _size(values), "hue": "score"}
        return Matrix(title, values, name=name, mask=mask, **look, **both)

    weights_look: dict[str, Any] = {"scale_name": _("weight"), "note": _size(head.weights), "hue": "score"}
    matrices = [
        scores("scores", "Q Kᵀ", head.scores),
        scores("scaled_scores", "Q Kᵀ / √dₖ", head.scaled_scores),
        scores("masked_scores", _("Q Kᵀ / √dₖ, masked"), head.masked_scores, head.mask),
        Matrix(_("Weights"), head.weights, name="weights", mask=head.mask, **weights_look, **both),
        vectors("q", "Q", head.q, queries, width, "query"),
        vectors("k", "K", head.k, keys, width, "key"),
        vectors("v", "V", head.v, keys, width, "value"),
        vectors("context", _("Context: weights · V"), head.context, queries, width, "value"),
    ]
    if head.query_input is not None:
        title = _("X, from the decoder") if axes.is_cross else "X"
        matrices.append(vectors("x", title, head.query_input, queries, wide, "query"))
    if head.key_input is not None and axes.is_cross:
        matrices.append(vectors("memory", _("M, the encoder's output"), head.key_input, keys, wide, "key"))
    if head.concatenated is not None:
        matrices.append(vectors("concatenated", _("All heads side by side"), head.concatenated, queries, wide, "value"))
    if head.output is not None:
        matrices.append(vectors("output", _("Output, times W_O"), head.output, queries, wide, "plain"))
    return matrices


def _size(values: Floats) -> str:
    return f"{values.shape[0]} × {values.shape[1]}"


def _titles() -> dict[str, str]:
    return {
        "x": "X",
        "qkv": "Q, K, V",
        "scores": "Q Kᵀ",
        "scale": "÷ √dₖ",
        "mask": _("mask"),
        "softmax": "softmax",
        "context": "· V",
        "output": _("heads · W_O"),
    }


def _shapes(head: HeadStages, axes: Axes) -> dict[str, str]:
    (t, d), s = head.q.shape, head.k.shape[0]
    wide = 0 if head.query_input is None else head.query_input.shape[1]
    width = head.v.shape[1]
    return {
        "x": f"X ({t} × {wide}), M ({s} × {wide})" if axes.is_cross else f"X ({t} × {wide})",
        "qkv": f"({t} × {wide}) · ({wide} × {d}) = ({t} × {d})"
        if wide
        else f"Q ({t} × {d}), K ({s} × {d}), V ({s} × {width})",
        "scores": f"({t} × {d}) · ({d} × {s}) = ({t} × {s})",
        "scale": f"({t} × {s}) / √{d} = ({t} × {s}) / {d**0.5:.4f}",
        "mask": f"({t} × {s}) + ({t} × {s}) = ({t} × {s})",
        "softmax": f"({t} × {s}) → ({t} × {s})",
        "context": f"({t} × {s}) · ({s} × {width}) = ({t} × {width})",
        "output": f"({t} × {wide}) · ({wide} × {wide}) = ({t} × {wide})",
    }


def _texts(head: HeadStages, axes: Axes) -> dict[str, str]:
    d = head.q.shape[1]
    hidden = int((~head.mask).sum())
    first = axes.head * d + 1
    return {
        "x": _("Queries come from the decoder's vectors X, keys and values from the encoder's output M.")
        if axes.is_cross
        else _("One vector per token enters the layer. Queries, keys and values are all computed from it."),
        "qkv": _(
            "Three learned projections of the whole vector give this head its queries, keys and values, "
            "{d} numbers each."
        ).format(d=d)
        if head.query_input is not None
        else _("Your queries, keys and values: one row for each token."),
        "scores": _(
            "Every query meets every key: the score of a pair is the sum of the {d} products of their numbers."
        ).format(d=d),
        "scale": _(
            "All scores are divided by √{d} = {root:.4f}. Their order stays the same, but their spread no "
            "longer grows with the width."
        ).format(d=d, root=d**0.5),
        "mask": _("{count} of {all} scores become −∞: these queries may not attend to these keys.").format(
            count=hidden, all=head.mask.size
        )
        if hidden
        else _(
            "Here the mask allows every key, so no score changes. (What gets masked is padding, and the "
            "decoder's future.)"
        ),
        "softmax": _("Each row becomes positive numbers that add up to 1; −∞ becomes exactly 0."),
        "context": _("Each query gets the average of the values, weighted by its row of weights."),
        "output": _(
            "The {n} heads are put side by side, this one in columns {first} to {last}; W_O mixes them into the output."
        ).format(n=axes.n_heads, first=first, last=first + d - 1),
    }
