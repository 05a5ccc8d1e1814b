"""Which search: greedy, beam or sampling, and its settings. All of it is in the link."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from viz_transformer.decoding.ranking import BeamOptions, Normalization, StopRule
from viz_transformer.ui.decoding.tree import METHODS, Settings
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.text import _

MAX_BEAM = 8
MAX_ALPHA = 2.0


def choose_search(what_if: Settings) -> Settings:
    """The method and its settings (in the link as `method`, `beam`, `alpha`, …), on top of the what-ifs."""
    names = {"beam": _("Beam search"), "greedy": _("Greedy"), "sample": _("Sampling")}
    left, right = st.columns([2, 5], vertical_alignment="bottom")
    with left:
        chosen = linked_choice(_("Method"), "method", names, METHODS[0])
    with right:
        if chosen == "beam":
            return _choose_beam(what_if)
        if chosen == "sample":
            return _choose_sampling(what_if)
        st.caption(_("Takes the most probable token at every step: a beam of one."))
    return what_if.greedy()


def _choose_beam(settings: Settings) -> Settings:
    scores = {
        "gnmt": _("÷ ((5 + length) / 6)^α"),
        "mean": _("÷ length: the mean"),
        "sum": _("the plain sum"),
    }
    stops = {
        "first": _("enough hypotheses have finished"),
        "likely": _("… and no live one scores better"),
        "certain": _("… and no live one can overtake them"),
    }
    size, penalty, score, stop = st.columns([2, 2, 2, 3], vertical_alignment="bottom")
    with size:
        beam_size = st.slider(
            _("Beam size"),
            1,
            MAX_BEAM,
            4,
            key="beam",
            bind="query-params",
            help=_("How many hypotheses are kept at each step."),
        )
    with score:
        score_name = linked_choice(_("Score: sum of log p"), "score", scores, "gnmt", wide=True)
    with penalty:
        alpha = st.slider(
            _("Length penalty α"),
            0.0,
            MAX_ALPHA,
            0.6,
            0.1,
            key="alpha",
            bind="query-params",
            disabled=score_name != "gnmt",
            help=_("0 is the plain sum; larger values favour longer outputs (Wu et al. 2016)."),
        )
    with stop:
        stop_name = linked_choice(
            _("Stop when"), "stop", stops, "first", wide=True, help=_("Enough means as many as the beam size.")
        )
    normalization: Normalization = next(name for name in get_args(Normalization) if name == score_name)
    rule: StopRule = next(name for name in get_args(StopRule) if name == stop_name)
    return replace(settings, method="beam", beam=BeamOptions(beam_size, alpha, normalization, rule))


def _choose_sampling(settings: Settings) -> Settings:
    heat, kept, mass, seed = st.columns(4, vertical_alignment="bottom")
    return replace(
        settings,
        method="sample",
        temperature=heat.slider(
            _("Temperature"),
            0.1,
            5.0,
            1.0,
            0.1,
            key="heat",
            bind="query-params",
            help=_("Below 1, likely tokens become more likely."),
        ),
        top_k=int(
            kept.number_input(_("Top-k"), 0, 1000, 0, key="topk", bind="query-params", help=_("0 keeps all tokens."))
        ),
        top_p=mass.slider(
            _("Top-p"), 0.05, 1.0, 1.0, 0.05, key="topp", bind="query-params", help=_("1 keeps all tokens.")
        ),
        seed=int(
            seed.number_input(
                _("Seed"),
                0,
                999_999,
                1,
                key="seed",
                bind="query-params",
                help=_("The same seed draws the same output."),
            )
        ),
    )
