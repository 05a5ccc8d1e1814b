"""The lesson of the page Architecture on shapes: every tensor of the pass, for any config."""

from __future__ import annotations

from math import prod

import streamlit as st

from viz_transformer.config import TransformerConfig
from viz_transformer.experiments.architecture.shapes import box_shapes, boxes_of, layers_of, tensor_shapes
from viz_transformer.ui.architecture.config_controls import config_bar, config_line, config_of
from viz_transformer.ui.architecture.view import shape_text
from viz_transformer.ui.architecture.words import box_words
from viz_transformer.ui.components.live_table import Tables, live_tables
from viz_transformer.ui.components.number_table import Cell, Table
from viz_transformer.ui.components.sliders import Values
from viz_transformer.ui.shared.choices import module_names
from viz_transformer.ui.shared.frame import picture_and_side
from viz_transformer.ui.shared.lesson_controls import theory, this_model
from viz_transformer.ui.shared.reading import Reading
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _, sentence


def shapes(reading: Reading) -> None:
    """The table of all tensors of one sequence, and sliders for the sizes."""
    lengths = reading.lengths
    _any_config(reading)
    this_model()
    expected = tensor_shapes(reading.trace.config, lengths)
    recorded = reading.trace.tensors
    right = sum(tensor.name in recorded and reading.trace.shape(tensor.name) == tensor.shape for tensor in expected)
    st.markdown(
        explained(
            "The pass over your sentence (S = {source}, T = {target}) recorded {count} tensors. {right} of "
            "them have exactly the shape that the rules above predict from this model's config."
        ).format(source=lengths.source, target=lengths.target, count=len(recorded), right=right)
    )


@st.fragment
def _any_config(reading: Reading) -> None:
    own = reading.trace.config

    def tables(values: Values) -> Tables:
        try:
            config = config_of(own, values)
        except ValueError as error:
            return Tables(problem=sentence(error))
        return Tables([_table(config, reading)], config_line(config), conclusion=_conclusion(config, reading))

    picture, side = picture_and_side("architecture-shapes")
    with side:
        bar = config_bar(own)
        theory()
        st.markdown(
            explained(
                "S source tokens and T target tokens travel as S and T rows of width d_model. Only in attention do "
                "they meet: H heads of width D = d_model / H, and one H × T × S block of scores. The feed-forward "
                "widens each row to d_ff and back; the last linear map widens it to the vocabulary V. A batch of B "
                "sentences puts a B in front of every shape."
            )
        )
    with picture:
        live_tables(bar, tables, key="shapes", depends_on=(own, reading.lengths))


def _conclusion(config: TransformerConfig, reading: Reading) -> str:
    source = reading.lengths.source
    return _(
        "One row of the stream has {width} numbers; one row of the scores has {scores}: {heads} heads × {source} "
        "keys. Only the scores grow with the product of two lengths: from {longer} keys on, they are larger than "
        "the stream."
    ).format(
        width=f"{config.d_model:,}",
        heads=config.n_heads,
        source=source,
        scores=f"{config.n_heads * source:,}",
        longer=f"{config.d_k + 1:,}",
    )


def _table(config: TransformerConfig, reading: Reading) -> Table:
    words, modules = box_words(config.norm_first), module_names()
    rows: list[list[str | Cell]] = []
    for box in boxes_of(config):
        name = modules.get(box) or words[box].title.replace("\n", " ")
        layers = layers_of(config, box)
        side = _("decoder") if box.startswith(("decoder", "cross", "target", "linear", "softmax")) else _("encoder")
        if box not in modules:
            name = _("{part} ({stack})").format(part=name, stack=side)
        for n, tensor in enumerate(box_shapes(config, reading.lengths, box, 0)):
            rows.append(
                [
                    name if n == 0 else "",
                    Cell(tensor.stage, "text"),
                    Cell(f"({', '.join(tensor.letters)})", "text"),
                    Cell(shape_text(tensor.shape), "text"),
                    f"{prod(tensor.shape):,}",
                    f"× {layers}" if layers > 1 else "",
                ]
            )
    return Table(
        "shapes",
        _("Every tensor of the pass over your sentence, S = {source}, T = {target}").format(
            source=reading.lengths.source, target=reading.lengths.target
        ),
        [_("part"), _("tensor"), _("shape"), _("here"), _("numbers"), _("layers")],
        rows,
    )
