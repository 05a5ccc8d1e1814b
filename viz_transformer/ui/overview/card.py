"""A model's card: what the model is, where it comes from, and how good it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from viz_transformer import charts
from viz_transformer.ui.shared.attributions import attribution_of
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.figures import show_altair, theme_of_page
from viz_transformer.views.text import _


def model_card(card: dict[str, Any]) -> None:
    """A box with the card's facts; a card may lack any of them."""
    closed_box(_("About this model"), lambda: _facts(card), key="about", in_link=True)


def _facts(card: dict[str, Any]) -> None:
    if attribution := attribution_of(card):
        st.text(attribution)
    rows = _score_rows(card.get("scores", {}))
    if rows:
        columns = [_("measured on held-out data"), _("result")]
        st.table(pd.DataFrame(rows, columns=columns).set_index(columns[0]))
    if card.get("command"):
        st.caption(
            _("Trained in {minutes} minutes on {device}, seed {seed}, by this command:").format(
                minutes=round(card.get("seconds", 0) / 60, 1), device=card.get("device"), seed=card.get("seed")
            )
        )
        st.code(card["command"], language="bash", wrap_lines=True)
    if card.get("curve"):
        names = {
            "loss": _("training, with label smoothing and dropout"),
            "train_loss": _("training, without either"),
            "valid_loss": _("held-out"),
        }
        curve = pd.DataFrame(card["curve"])
        curves = {name: (curve["step"], curve[field]) for field, name in names.items() if field in curve}
        labels = {"step": _("step"), "value": _("loss, nats per token"), "run": _("curve")}
        show_altair(charts.training_curves(curves, labels=labels, theme=theme_of_page()), key="about-loss")


def _score_rows(scores: dict[str, Any]) -> list[tuple[str, str]]:
    rows = []
    for data, score in scores.items():
        if "exact_match" in score:
            name = _("exact match, greedy, {count} sequences").format(count=score["count"])
            rows.append((name, f"{score['exact_match']:.2%}"))
        for search in (key for key in score if key == "greedy" or key.startswith("beam")):
            total = score[search]["all"]
            name = _("greedy") if search == "greedy" else _("beam {k}").format(k=search.removeprefix("beam "))
            rows.append(
                (
                    _("{data}, {search}").format(data=data, search=name),
                    f"BLEU {total['bleu']:.1f}, chrF {total['chrf']:.1f}",
                )
            )
        if "alignment_accuracy" in score:
            names = {
                "predicts": _(
                    "best cross-attention head: how often its largest weight is on the source word of "
                    "the token that it predicts ({data})"
                ),
                "predicts, end token left out": _(
                    "the same, leaving out the end token: the largest weight among the words ({data})"
                ),
            }
            for way, name in names.items():
                if way in score["alignment_accuracy"]:
                    best = np.max(score["alignment_accuracy"][way]["heads"])
                    rows.append((name.format(data=data), f"{best:.0%}"))
        if "alignment_error_rate" in score:
            lowest = min(np.min(rates["heads"]) for rates in score["alignment_error_rate"].values())
            name = _("lowest alignment error rate of a cross-attention head, 0 is best ({data})")
            rows.append((name.format(data=data), f"{lowest:.0%}"))
    return rows
