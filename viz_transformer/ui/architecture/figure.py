"""The first lesson of the page Architecture: the figure, its boxes, and the numbers of any recorded tensor."""

from __future__ import annotations

import numpy as np
import streamlit as st

from viz_transformer.experiments.architecture.shapes import TensorShape
from viz_transformer.ui.architecture.view import architecture_view, shape_text, shown_tensor
from viz_transformer.ui.components.matrix_view import MATRICES, stages_view
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.link import keep, read
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.views.linked import INDEX
from viz_transformer.views.matrices import StagesView
from viz_transformer.views.sheets import Choice, Matrix, Sheet, Stage
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

MOST_COLUMNS = 1100  # of a matrix on the screen; of wider ones the columns with the largest numbers are shown
_LARGEST = 5
_KEY = "architecture-numbers"


def figure(reading: Reading) -> None:
    """Shows the drawing, beside it the numbers of the tensor chosen in it, and the theory."""
    drawing, numbers = picture_and_side("architecture-figure", side=360)
    shared = {"model": reading.model.name, "source": reading.texts.source}
    if reading.texts.target:
        shared["target"] = reading.texts.target
    with drawing:
        view = architecture_view(reading.trace, key="architecture", shared=shared)
    tensor = shown_tensor(reading.trace, view)
    values = reading.trace.tensors[tensor.name]
    with numbers:
        this_model()
        st.markdown(
            explained("`{name}`, recorded in this pass: ({letters}) = {shape}.").format(
                name=tensor.name, letters=", ".join(tensor.letters), shape=shape_text(values.shape)
            )
        )
        _numbers(reading, tensor, values)
    _explain(reading)


def _explain(reading: Reading) -> None:
    """The figure in three sentences, and what its sizes say."""
    config, lengths = reading.trace.config, reading.lengths
    theory()
    st.markdown(
        explained(
            "The encoder reads the source once; the decoder reads the target so far and, through "
            "cross-attention, the encoder's output. A residual connection runs around every sub-layer. Each "
            "stack repeats its layer N times. The sizes in the boxes are those of the sentence you typed."
        )
    )
    if not config.has_feed_forward:
        st.markdown(explained("This model has no feed-forward layers, only attention: their boxes are left out."))
    st.markdown(
        explained(
            "The residual stream is {source} × {width} numbers on the left and {target} × {width} on the right, "
            "from the embedding to the last layer; no box changes that, so layers can be stacked. The two meet in"
            " one place, cross-attention, where {target} queries weigh {source} keys."
        ).format(source=lengths.source, target=lengths.target, width=f"{config.d_model:,}")
    )
    st.markdown(
        explained(
            "There, Q comes from the decoder, K and V from the encoder. A common mistake is to swap them: with Q "
            "from the encoder there would be {source} rows where the decoder's residual stream has {target}, and "
            "nothing would express what the token being written asks for."
        ).format(source=lengths.source, target=lengths.target)
    )
    st.markdown(
        explained(
            "**Dropout** acts in training only: on embedding plus position, and on the output of each sub-layer "
            "before it is added. This model was trained with {dropout}: that share of the numbers became 0 at "
            "random, so that the model could not rely on any one of them alone. In the pass above it is off."
        ).format(dropout=f"{config.dropout:g}")
        if config.dropout
        else explained(
            "This model was trained without **dropout**, which the paper applies to each sub-layer's output in "
            "training."
        )
    )


def _numbers(reading: Reading, tensor: TensorShape, values: np.ndarray) -> None:
    """Shows a tensor of up to three axes: the last two as a matrix, the first (the heads) as a row of buttons."""
    letters = tensor.letters
    if values.ndim == 1:
        values, letters = values[None], ("1", *letters)
    if values.ndim == 2:
        values, letters = values[None], ("1", *letters)
    kept = _columns(values)
    if len(kept) < values.shape[2]:
        st.caption(
            _("{kept} of its {count} columns are shown: those with the {largest} largest numbers of each row.").format(
                count=f"{values.shape[2]:,}", kept=len(kept), largest=_LARGEST
            )
        )
    sheets = []
    for slice_ in values:
        matrix = _matrix(reading, tensor, letters, slice_.astype(np.float32), kept)
        sheets.append(Sheet([matrix], [Stage("", [0])]))
    heads = [str(n + 1) for n in range(len(sheets))]
    choices = [Choice("head", _("Head"), heads, has_digits=True, turns_sheets=True)] if letters[0] == "H" else []
    head = min(read("head", INDEX, 0), len(sheets) - 1)
    view = StagesView(0, (head,) if choices else ())
    stages_view(sheets, key=_KEY, view=view, choices=choices, on_change=_keep_head)


def _keep_head() -> None:
    view = MATRICES.committed(_KEY)
    if view is not None and view.choices:
        keep("head", INDEX, view.choices[0])


def _columns(values: np.ndarray) -> np.ndarray:
    """Indices of the columns to show: all, or if there are too many, those of the largest numbers of each row."""
    count = values.shape[2]
    if count <= MOST_COLUMNS:
        return np.arange(count)
    rows = values.reshape(-1, count)
    return np.unique(np.argpartition(rows, -_LARGEST, axis=1)[:, -_LARGEST:])


def _matrix(
    reading: Reading, tensor: TensorShape, letters: tuple[str, ...], values: np.ndarray, kept: np.ndarray
) -> Matrix:
    rows, row_labels = _axis(reading, letters[1])
    columns, column_labels = _axis(reading, letters[2])
    if letters[2] == "V":
        column_labels = [reading.translator.target_tokenizer.label(int(place)) for place in kept]
    elif len(kept) < values.shape[1]:
        column_labels = [str(place + 1) for place in kept]
    is_weight = tensor.stage in ("weights", "hidden") and values.min() >= 0
    is_plain = tensor.stage in ("mask", "positions") or tensor.stage.endswith("tokens")
    counts = values[:, kept] > 0 if tensor.stage == "mask" else np.isfinite(values[:, kept])
    return Matrix(
        tensor.stage,
        values[:, kept],
        rows=rows,
        columns=columns,
        row_labels=row_labels,
        column_labels=column_labels,
        mask=None if counts.all() else counts,
        scale="plain" if is_plain else "sequential" if is_weight else "diverging",
        note=shape_text(values.shape),
        extent=1.0 if tensor.stage == "weights" else 0.0,
        is_pinnable=False,
        name="tensor",
    )


def _axis(reading: Reading, letter: str) -> tuple[str, list[str] | None]:
    """The name of an axis, and its tokens where it has some."""
    if letter == "S":
        return _("source token"), list(reading.trace.source_tokens)
    if letter == "T":
        return _("target token"), list(reading.trace.target_tokens)
    if letter == "1":
        return _("one row for all tokens"), [""]
    names = {"D": _("dimension of the head"), "d_model": _("dimension"), "d_ff": _("hidden unit"), "V": _("next token")}
    return names[letter], None
