"""Which tokens have nearly the same embedding, and what becomes of one when others are added or taken away."""

from __future__ import annotations

import streamlit as st

from viz_transformer.experiments.positions.neighbours import cosines, nearest, read_sum
from viz_transformer.ui.components.number_table import Cell, decimals, number_table
from viz_transformer.ui.shared.box import closed_box
from viz_transformer.ui.shared.lesson_controls import Recorded
from viz_transformer.ui.shared.models import load_translator
from viz_transformer.ui.shared.notes import explain_text_errors
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _

_SHOWN = 8


def neighbours_box(recorded: Recorded) -> None:
    """A closed box with the neighbours of a typed word, or of a sum of words (in the link as `near`)."""

    def fill() -> None:
        with explain_text_errors():
            _neighbours(recorded)

    closed_box(
        _("Which tokens have nearly the same embedding? Calculate with words"), fill, key="neighbours", in_link=True
    )


def _neighbours(recorded: Recorded) -> None:
    translator = load_translator(recorded.model.name, recorded.model.device)
    tokenizer, config = translator.source_tokenizer, translator.model.config
    typed = st.text_input(
        _("A word, or a sum of words"),
        key="near",
        bind="query-params",
        placeholder=_longest(recorded.trace.source_tokens),
        help=_("For instance: went − go + see. Each word has to be one token; put spaces around + and −."),
    )
    asked = (typed or "").strip() or _longest(recorded.trace.source_tokens)
    terms = read_sum(asked, tokenizer)
    table = translator.model.source_embedding.tokens.weight.detach().float().cpu().numpy()
    found = cosines(table, terms)
    near = nearest(found, _SHOWN, {*config.special_ids, *(term.token_id for term in terms)})
    number_table(
        "neighbours",
        _("The nearest of {count} tokens").format(count=f"{len(table):,}"),
        [_("token"), _("cosine")],
        [
            [tokenizer.label(one.token_id), Cell(decimals(one.cosine, 3), "strong" if one is near[0] else "")]
            for one in near
        ],
    )
    st.markdown(
        explained(
            "A cosine of 1 means the same direction, 0 a right angle. Over all tokens it is {mean} on average, "
            "with a standard deviation of {deviation}; so the nearest one is {sigmas} standard deviations away "
            "from the mean."
        ).format(
            mean=decimals(float(found.mean()), 3),
            deviation=decimals(float(found.std()), 3),
            sigmas=decimals(float((near[0].cosine - found.mean()) / found.std()), 1),
        )
    )
    st.caption(
        _(
            "Nobody told the model which words are similar. Words that are used in similar ways have to be "
            "translated in similar ways, so training moves their embeddings in similar directions. The difference"
            " between two words can be a direction, too: then a sum of words leads to another word. In a small "
            "model this works for words that it has read often, and fails for the rest."
        )
    )


def _longest(tokens: tuple[str, ...]) -> str:
    """The longest token of the sentence that is a word by itself."""
    words = [token for token in tokens if token.isalnum()] or list(tokens)
    return max(words, key=len)
