"""The methods of search (greedy, beam, sampling) and the controls for their settings, which are in the link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

import streamlit as st

from viz_transformer.decoding.ranking import BeamOptions, Normalization, StopRule
from viz_transformer.ui.shared.choices import linked_choice
from viz_transformer.ui.shared.frame import Titled
from viz_transformer.views.decoding.tree import Settings
from viz_transformer.views.text import _

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

MAX_BEAM = 8
MIN_ALPHA, MAX_ALPHA = -1.0, 2.0


def methods() -> dict[str, Titled]:
    """The titles and the questions of all methods, the usual one first."""
    return {
        "beam": Titled(
            _("Beam search"),
            _("Each column is one step, each box a candidate. **Where does beam search leave the greedy path?**"),
        ),
        "greedy": Titled(
            _("Greedy"),
            _("Each step takes its most probable token and never turns back. **Where was the choice close?**"),
        ),
        "sample": Titled(
            _("Sampling"),
            _("Each step draws one token by its probability. **What changes with another seed?**"),
        ),
    }


def choose_search(method: str, what_if: Settings) -> Settings:
    """The settings of a method (in the link as `beam`, `alpha`, …), on top of the what-ifs."""
    if method == "beam":
        return _choose_beam(what_if)
    if method == "sample":
        return _choose_sampling(what_if)
    st.caption(_("A beam of one: there is nothing to set."))
    return what_if.greedy()


def box_of(title: str, key: str, parameters: Iterable[str]) -> DeltaGenerator | None:
    """A box that opens at first if the link has one of the parameters, and then stays as the person leaves it.

    None if it is closed and neither the link nor the session has one of them: then nothing needs to be in it.
    """
    is_asked = any(name in st.query_params or name in st.session_state for name in parameters)
    st.session_state.setdefault(key, is_asked)
    box = st.expander(title, key=key, on_change="rerun")
    return box if box.open or is_asked else None


def _choose_beam(settings: Settings) -> Settings:
    scores = {
        "gnmt": _("÷ ((5 + length) / 6)^α"),
        "power": _("÷ length^α, as in Hugging Face"),
        "mean": _("÷ length: the mean"),
        "sum": _("the plain sum"),
    }
    stops = {
        "first": _("enough hypotheses have finished"),
        "likely": _("… and no live one scores better"),
        "certain": _("… and no live one can overtake them"),
    }
    beam_size = st.slider(
        _("Beam size"),
        1,
        MAX_BEAM,
        4,
        key="beam",
        bind="query-params",
        help=_("How many hypotheses are kept at each step."),
    )
    penalty = st.container()
    score_name, stop_name = "gnmt", "first"
    if box := box_of(_("More: score and stop rule"), "more of beam", ("score", "stop")):
        with box:
            score_name = linked_choice(_("Score: sum of log p"), "score", scores, score_name, wide=True)
            help = _("Enough means as many as the beam size.")
            stop_name = linked_choice(_("Stop when"), "stop", stops, stop_name, wide=True, help=help)
    alpha = penalty.slider(
        _("Length penalty α"),
        MIN_ALPHA,
        MAX_ALPHA,
        0.6,
        0.1,
        key="alpha",
        bind="query-params",
        disabled=score_name not in ("gnmt", "power"),
        help=_(
            "0 is the plain sum; larger values favour longer outputs, smaller values shorter ones (Wu et al. 2016)."
        ),
    )
    normalization: Normalization = next(name for name in get_args(Normalization) if name == score_name)
    rule: StopRule = next(name for name in get_args(StopRule) if name == stop_name)
    return replace(settings, method="beam", beam=BeamOptions(beam_size, alpha, normalization, rule))


def _choose_sampling(settings: Settings) -> Settings:
    temperature = st.slider(
        _("Temperature"),
        0.1,
        5.0,
        1.0,
        0.1,
        key="heat",
        bind="query-params",
        help=_("Below 1, likely tokens become more likely."),
    )
    seed = st.number_input(
        _("Seed"),
        0,
        999_999,
        1,
        key="seed",
        bind="query-params",
        help=_("The same seed draws the same output."),
    )
    top_k, top_p = 0, 1.0
    if box := box_of(_("More: top-k and top-p"), "more of sampling", ("topk", "topp")):
        top_k = box.number_input(
            _("Top-k"), 0, 1000, top_k, key="topk", bind="query-params", help=_("0 keeps all tokens.")
        )
        top_p = box.slider(
            _("Top-p"), 0.05, 1.0, top_p, 0.05, key="topp", bind="query-params", help=_("1 keeps all tokens.")
        )
    return replace(
        settings,
        method="sample",
        temperature=temperature,
        top_k=int(top_k),
        top_p=top_p,
        seed=int(seed),
    )
