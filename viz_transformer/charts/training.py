"""Pictures of a training run."""

from __future__ import annotations

import altair as alt
import pandas as pd


def loss_curve(curve: pd.DataFrame, labels: dict[str, str]) -> alt.Chart:
    """Training and held-out loss over the steps of a run.

    Args:
        curve: columns step, loss, valid_loss; losses in nats a token.
        labels: texts for "step", "loss", "training" and "held_out".
    """
    named = curve.rename(columns={"loss": labels["training"], "valid_loss": labels["held_out"]})
    long = named.melt("step", [labels["training"], labels["held_out"]], var_name="series", value_name="nats")
    return (
        alt.Chart(long)
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title=labels["step"]),
            y=alt.Y("nats:Q", title=labels["loss"], scale=alt.Scale(zero=True)),
            color=alt.Color("series:N", title=None, legend=alt.Legend(orient="top", labelLimit=0)),
            tooltip=["series:N", "step:Q", alt.Tooltip("nats:Q", format=".4f")],
        )
        .properties(height=260)
    )
