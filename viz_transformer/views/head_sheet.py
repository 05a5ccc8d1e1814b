"""One head as a series of stages for the matrix component: which matrices, which words, which part of the formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from viz_transformer.experiments.attention.steps import Floats, HeadStages
from viz_transformer.heads import AttentionModule, stack_config
from viz_transformer.trace import Trace
from viz_transformer.views.code_lens import code_of
from viz_transformer.views.sheets import Hue, Matrix, Sheet, Stage, Term
from viz_transformer.views.terms import marked
from viz_transformer.views.text import _
from viz_transformer.views.trace_view import default_labels

STAGES = ("x", "qkv", "scores", "scale", "mask", "softmax", "context", "output")
HAND_STAGES = STAGES[1:-1]
SCALED_STAGES = tuple(STAGES.index(name) for name in ("scale", "mask", "softmax"))  # that another divisor changes

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
# The terms that stages are about, and those that matrices show.
_TERMS = {
    "x": ("embedding", "residual-stream"),
    "qkv": ("query", "key", "value"),
    "scores": ("score", "dot-product"),
    "scale": ("scaling",),
    "mask": ("mask",),
    "softmax": ("softmax",),
    "context": ("context-vector",),
    "output": ("multi-head-attention", "head"),
}
_SHOWN = {
    "x": ("embedding", "residual-stream", "decoder"),
    "memory": ("encoder",),
    "q": ("query",),
    "k": ("key",),
    "k_transposed": ("key",),
    "v": ("value",),
    "scores": ("score", "dot-product"),
    "scaled_scores": ("score", "scaling"),
    "masked_scores": ("score", "mask"),
    "weights": ("weight", "attention"),
    "context": ("context-vector", "head"),
    "concatenated": ("head",),
    "output": ("multi-head-attention",),
}


@dataclass(frozen=True)
class Axes:
    """The labels of the axes: names and tokens of queries and keys, and what each query's row predicts, if anything."""

    queries: str
    keys: str
    query_tokens: Sequence[str]
    key_tokens: Sequence[str]
    predicted: Sequence[str] = ()
    is_cross: bool = False
    head: int = 0
    n_heads: int = 1


@dataclass(frozen=True, eq=False)
class Changed:
    """The same head in a pass with other divisors, and what its scaled scores are called then."""

    head: HeadStages
    scaled: str


def axes_of(trace: Trace, module: AttentionModule, head: int) -> Axes:
    """The axes of a recorded head."""
    labels = default_labels()
    return Axes(
        labels[f"query_{module}"],
        labels[f"key_{module}"],
        *trace.tokens_of(module),
        predicted=() if module == "encoder_self" else trace.predicted_tokens,
        is_cross=module == "cross",
        head=head,
        n_heads=stack_config(trace.config, module).n_heads,
    )


def sheet_of(head: HeadStages, axes: Axes, changed: Changed | None = None) -> Sheet:
    """All matrices of one head, the stages that show them, and the formula; without X and W_O where there is no input.

    With `changed` the stages ÷ √dₖ and softmax show that head beside the original.
    """
    matrices = [replace(one, terms=_SHOWN.get(one.name, ())) for one in _matrices(head, axes, changed)]
    index = {matrix.name: n for n, matrix in enumerate(matrices)}
    is_recorded = head.query_input is not None
    names = STAGES if is_recorded else HAND_STAGES
    labels, numbers = sheet_labels(), _numbers(head, axes)
    text_of = _text_names(head, axes)
    idle = _idle(changed.head if changed else head)
    shown = {
        "x": ("x", "memory"),
        "qkv": ("q", "k", "v"),
        "scores": ("q", "k_transposed", "scores"),
        "scale": ("scores", "scaled_scores", "changed_scores"),
        "mask": ("scaled_scores", "masked_scores"),
        "softmax": ("weights", "changed", "change") if changed else ("masked_scores", "weights"),
        "context": ("weights", "v", "context"),
        "output": ("concatenated", "output"),
    }
    operators = {name: (labels[f"operator_{name}"].format(**numbers),) for name in _OPERATORS}
    stages = [
        Stage(
            labels[f"stage_{name}"],
            [index[matrix] for matrix in shown[name] if matrix in index],
            text=labels[text_of[name]].format(**numbers),
            shapes=labels[_shapes_name(name, head, axes)].format(**numbers),
            code=labels[f"code_{name}"] if is_recorded else "",
            lit=_LIT[name],
            is_product=name in ("scores", "context"),
            operators=() if changed else operators.get(name, ()),
            terms=_TERMS[name],
            name=name,
            is_idle=name in idle,
        )
        for name in names
    ]
    terms = [
        Term(labels["term_score"], index["scores"], stage=names.index("scores")),
        Term(labels["stage_scale"], index["scaled_scores"], stage=names.index("scale")),
        Term(labels["term_mask"], index["masked_scores"], stage=names.index("mask")),
        Term(labels["term_exp"], index["masked_scores"], "exp", names.index("softmax")),
        Term(labels["term_sum"], index["masked_scores"], "sum", names.index("softmax")),
        Term(labels["term_weight"], index["weights"], stage=names.index("softmax")),
    ]
    if not is_recorded:
        return Sheet(matrices, stages, FORMULA, terms)
    before = FORMULA_BEFORE_CROSS if axes.is_cross else FORMULA_BEFORE
    return Sheet(matrices, stages, [*before, *FORMULA, *FORMULA_AFTER], terms)


def _matrices(head: HeadStages, axes: Axes, changed: Changed | None) -> list[Matrix]:
    labels = sheet_labels()
    width, wide = labels["head_dimension"], labels["model_dimension"]
    ends = {"row_ends": axes.predicted, "row_ends_axis": labels["writes"] if axes.predicted else ""}
    queries: dict[str, Any] = {"rows": axes.queries, "row_labels": axes.query_tokens, **ends}
    keys: dict[str, Any] = {"rows": axes.keys, "row_labels": axes.key_tokens}
    both: dict[str, Any] = {**queries, "columns": axes.keys, "column_labels": axes.key_tokens}
    # Matrices that are compared have one scale: projections and their averages; scores before and after the division.
    projected = _largest(head.q, head.k, head.v, head.concatenated)
    scored = _largest(head.scores)

    def vectors(
        name: str, title: str, values: Floats, side: dict[str, Any], columns: str, hue: Hue, extent: float = projected
    ) -> Matrix:
        look: dict[str, Any] = {"scale": "diverging", "scale_name": labels["value"], "note": _size(values), "hue": hue}
        return Matrix(title, values, columns=columns, name=name, is_pinnable=False, extent=extent, **look, **side)

    def scores(name: str, title: str, values: Floats, mask: NDArray[np.bool_] | None = None) -> Matrix:
        look: dict[str, Any] = {
            "scale": "diverging",
            "scale_name": labels["score"],
            "note": _size(values),
            "hue": "score",
        }
        return Matrix(title, values, name=name, mask=mask, extent=scored, **look, **both)

    weights_look: dict[str, Any] = {
        "scale_name": labels["weight"],
        "note": _size(head.weights),
        "hue": "score",
        "extent": _largest(head.weights, changed.head.weights if changed else None),
    }
    matrices = [
        scores("scores", labels["scores"], head.scores),
        scores("scaled_scores", labels["scaled_scores"], head.scaled_scores),
        scores("masked_scores", labels["masked_scores"], head.masked_scores, head.mask),
        Matrix(labels["weights"], head.weights, name="weights", mask=head.mask, **weights_look, **both),
        vectors("q", labels["q"], head.q, queries, width, "query"),
        vectors("k", labels["k"], head.k, keys, width, "key"),
        Matrix(
            labels["k_transposed"],
            head.k.T,
            name="k_transposed",
            rows=width,
            columns=axes.keys,
            column_labels=axes.key_tokens,
            scale="diverging",
            scale_name=labels["value"],
            note=_size(head.k.T),
            hue="key",
            extent=projected,
            is_pinnable=False,
        ),
        vectors("v", labels["v"], head.v, keys, width, "value"),
        vectors("context", labels["context"], head.context, queries, width, "value"),
    ]
    if changed:
        matrices += [
            scores("changed_scores", changed.scaled, changed.head.scaled_scores),
            Matrix(_("Changed"), changed.head.weights, name="changed", mask=head.mask, **weights_look, **both),
            Matrix(
                _("Changed − original"),
                changed.head.weights - head.weights,
                name="change",
                mask=head.mask,
                scale="diverging",
                scale_name=_("difference"),
                hue="score",
                **both,
            ),
        ]
    entering = _largest(head.query_input, head.key_input)
    if head.query_input is not None:
        title = labels["x_cross" if axes.is_cross else "x"]
        matrices.append(vectors("x", title, head.query_input, queries, wide, "query", entering))
    if head.key_input is not None and axes.is_cross:
        matrices.append(vectors("memory", labels["memory"], head.key_input, keys, wide, "key", entering))
    if head.concatenated is not None:
        matrices.append(vectors("concatenated", labels["concatenated"], head.concatenated, queries, wide, "value"))
    if head.output is not None:
        matrices.append(vectors("output", labels["output"], head.output, queries, wide, "plain", 0.0))
    return matrices


def _idle(head: HeadStages) -> list[str]:
    """The stages that change nothing: without scaling, or where the mask allows every key."""
    return [
        name
        for name, before, after in (
            ("scale", head.scores, head.scaled_scores),
            ("mask", head.scaled_scores, head.masked_scores),
        )
        if np.allclose(before, after)  # an intervention takes a divisor away by multiplying, which rounds
    ]


def _largest(*values: Floats | None) -> float:
    """The largest absolute value among the finite numbers, to which a scale that they share must reach."""
    sizes = [np.abs(one[np.isfinite(one)]).max(initial=0) for one in values if one is not None]
    return float(max(sizes, default=0.0))


def _size(values: Floats) -> str:
    return f"{values.shape[0]} × {values.shape[1]}"


def _numbers(head: HeadStages, axes: Axes) -> dict[str, object]:
    """What fills the braces of `sheet_labels`."""
    (t, d), s = head.q.shape, head.k.shape[0]
    return {
        "t": t,
        "s": s,
        "d": d,
        "width": head.v.shape[1],
        "wide": 0 if head.query_input is None else head.query_input.shape[1],
        "root": f"{d**0.5:.4f}",
        "count": int((~head.mask).sum()),
        "all": head.mask.size,
        "n": axes.n_heads,
        "first": axes.head * d + 1,
        "last": axes.head * d + d,
    }


def _text_names(head: HeadStages, axes: Axes) -> dict[str, str]:
    """Stage → the label of its text."""
    return {name: f"text_{name}" for name in STAGES} | {
        "x": "text_x_cross" if axes.is_cross else "text_x",
        "qkv": "text_qkv" if head.query_input is not None else "text_qkv_by_hand",
        "mask": "text_mask" if not head.mask.all() else "text_mask_allows",
    }


def _shapes_name(name: str, head: HeadStages, axes: Axes) -> str:
    if name == "x" and axes.is_cross:
        return "shapes_x_cross"
    return "shapes_qkv_by_hand" if name == "qkv" and head.query_input is None else f"shapes_{name}"


_OPERATORS = ("scale", "mask", "softmax", "output")


def sheet_labels() -> dict[str, str]:
    """The texts of a sheet in the reader's language, with numbers in braces, which live/steps.ts fills in, too.

    `stage_`, `text_`, `shapes_` and `code_` stand before the name of a stage, and the matrices have their own names.
    """
    return {
        "stage_x": "X",
        "stage_qkv": "Q, K, V",
        "stage_scores": "Q Kᵀ",
        "stage_scale": "÷ √dₖ",
        "stage_mask": _("mask"),
        "stage_softmax": "softmax",
        "stage_context": "· V",
        "stage_output": _("heads · W_O"),
        **{f"code_{name}": code_of(name) for name in STAGES},
        **{f"text_{name}": marked(text) for name, text in _texts().items()},
        "shapes_x": "X ({t} × {wide})",
        "shapes_x_cross": "X ({t} × {wide}), M ({s} × {wide})",
        "shapes_qkv": "({t} × {wide}) · ({wide} × {d}) = ({t} × {d})",
        "shapes_qkv_by_hand": "Q ({t} × {d}), K ({s} × {d}), V ({s} × {width})",
        "shapes_scores": "({t} × {d}) · ({d} × {s}) = ({t} × {s})",
        "shapes_scale": "({t} × {s}) / √{d} = ({t} × {s}) / {root}",
        "shapes_mask": "({t} × {s}) + ({t} × {s}) = ({t} × {s})",
        "shapes_softmax": "({t} × {s}) → ({t} × {s})",
        "shapes_context": "({t} × {s}) · ({s} × {width}) = ({t} × {width})",
        "shapes_output": "({t} × {wide}) · ({wide} × {wide}) = ({t} × {wide})",
        "operator_scale": "÷ √{d} =",
        "operator_mask": _("+ mask ="),
        "operator_softmax": _("→ softmax →"),
        "operator_output": "· W_O =",
        "term_score": _("score"),
        "term_mask": _("+ mask"),
        "term_exp": _("exp(· − row's largest)"),
        "term_sum": _("÷ sum of the row"),
        "term_weight": _("= weight"),
        "x": "X",
        "x_cross": _("X, from the decoder"),
        "memory": _("M, the encoder's output"),
        "q": "Q",
        "k": "K",
        "k_transposed": "Kᵀ",
        "v": "V",
        "scores": "Q Kᵀ",
        "scaled_scores": "Q Kᵀ / √dₖ",
        "masked_scores": _("Q Kᵀ / √dₖ, masked"),
        "weights": _("Weights"),
        "context": _("Context: weights · V"),
        "concatenated": _("All heads side by side"),
        "output": _("Output, times W_O"),
        "head_dimension": _("head dimension"),
        "model_dimension": _("model dimension"),
        "writes": _("writes"),
        "value": _("value"),
        "score": _("score"),
        "weight": _("weight"),
    }


def _texts() -> dict[str, str]:
    return {
        "x": _("One vector per token enters the layer. Queries, keys and values are all computed from it."),
        "x_cross": _("Queries come from the decoder's vectors X, keys and values from the encoder's output M."),
        "qkv": _(
            "Three learned projections of the whole vector give this head its queries, keys and values, "
            "{d} numbers each."
        ),
        "qkv_by_hand": _("Your queries, keys and values: one row for each token."),
        "scores": _(
            "Every query meets every key: the score of a pair is the sum of the {d} products of their numbers."
        ),
        "scale": _(
            "All scores are divided by √{d} = {root}. Their order stays the same, but their spread no "
            "longer grows with the width."
        ),
        "mask": _("{count} of {all} scores become −∞: these queries may not attend to these keys."),
        "mask_allows": _(
            "Here the mask allows every key, so no score changes. (Only padding and the decoder's future are masked.)"
        ),
        "softmax": _("Each row becomes positive numbers that add up to 1; −∞ becomes exactly 0."),
        "context": _("Each query gets the average of the values, weighted by its row of weights."),
        "output": _(
            "The {n} heads are put side by side, this one in columns {first} to {last}; W_O mixes them into the output."
        ),
    }
