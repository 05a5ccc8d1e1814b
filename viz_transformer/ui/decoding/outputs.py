"""What the search wrote, without and with the what-ifs, and one sentence that reads its numbers."""

from __future__ import annotations

import math

import streamlit as st

from viz_transformer.translator import Translator
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.shared.models import ModelChoice
from viz_transformer.ui.shared.tokens import output_text
from viz_transformer.views.decoding.tree import GreedyPath, Search, Settings
from viz_transformer.views.text import _
from viz_transformer.visible import escape

# Where a beam of four finds what greedy search does not.
_DIFFERENT = {"zh-en": "他怎么找到我们的?", "en-de": "He likes ham and eggs."}
_LONG = 70  # characters


def show_outputs(
    model: ModelChoice, translator: Translator, before: Search | None, search: Search, greedy: GreedyPath
) -> None:
    """Shows the output, above it the one `before` the what-ifs, what the numbers say, and what is forced and banned."""
    if before is None:
        _output(_("Output of the search"), translator, search)
    else:
        _output(_("Before: the model as it is"), translator, before)
        _output(_("After: with the what-ifs"), translator, search)
    st.html(f'<p class="vt-reading" data-testid="reading">{escape(reading_of(translator, search, greedy))}</p>')
    _given(translator, search.settings)
    other = _DIFFERENT.get(model.name)
    if other and before is None and search.settings.method == "beam" and search.best_ids == greedy.ids:
        st.button(
            _("Where they differ: {text}").format(text=other), on_click=_read, args=(other,), key="where they differ"
        )


def _output(caption: str, translator: Translator, search: Search) -> None:
    text = translator.target_tokenizer.decode(search.best_ids)
    output_text(caption, text, translator.card.get("target_language"), scrolls=len(text) > _LONG)


def reading_of(translator: Translator, search: Search, greedy: GreedyPath) -> str:
    """A sentence that compares the output with greedy search's; of greedy search itself, where it was least sure."""
    if search.settings.method == "greedy":
        return _least_sure(translator, search)

    def decode(ids: tuple[int, ...]) -> str:
        return _begun(translator.target_tokenizer.decode(ids))

    level, rank = search.best
    own = search.levels[level][rank].total_log_prob
    is_beam = search.settings.method == "beam"
    who = (
        _("beam {k}").format(k=search.settings.beam.beam_size)
        if is_beam
        else _("seed {seed}").format(seed=search.settings.seed)
    )
    if search.best_ids == greedy.ids:
        return _("Greedy search and {who} agree on «{text}» (log p {sum}).").format(
            who=who, text=decode(greedy.ids), sum=decimals(own, 2)
        )
    both = (
        _("Greedy search writes «{greedys}» (log p {greedys_sum}); {who} finds «{text}» (log p {sum}).")
        if is_beam
        else _("Greedy search writes «{greedys}» (log p {greedys_sum}); {who} draws «{text}» (log p {sum}).")
    )
    sentence = both.format(
        greedys=decode(greedy.ids),
        greedys_sum=decimals(greedy.total_log_prob, 2),
        who=who,
        text=decode(search.best_ids),
        sum=decimals(own, 2),
    )
    return f"{sentence} {_which_is_likelier(own - greedy.total_log_prob)}"


def _begun(text: str) -> str:
    """The text, cut if it is long: all of it stands above the sentence, or in the tree."""
    return text if len(text) <= _LONG else f"{text[:_LONG].rpartition(' ')[0] or text[:_LONG]} …"


def _which_is_likelier(gain: float) -> str:
    """`gain`: in log p, over greedy search."""
    if abs(gain) < 0.01:
        return _("The model finds both equally probable.")
    if abs(gain) > math.log(1000):
        return _("The model finds it far more probable.") if gain > 0 else _("The model finds it far less probable.")
    ratio = f"{math.exp(abs(gain)):.2g}" if abs(gain) < math.log(100) else f"{math.exp(abs(gain)):.0f}"
    return (
        _("The model gives it {ratio} times the probability.").format(ratio=ratio)
        if gain > 0
        else _("The model gives the greedy output {ratio} times the probability.").format(ratio=ratio)
    )


def _least_sure(translator: Translator, search: Search) -> str:
    path = search.path(*search.best)
    step = min(range(len(path)), key=lambda n: search.levels[path[n][0]][path[n][1]].log_prob)
    node = search.levels[path[step][0]][path[step][1]]
    return _("Greedy search writes «{text}». It was least sure at step {step}: «{token}» had p = {p}.").format(
        text=_begun(translator.target_tokenizer.decode(search.best_ids)),
        step=step + 1,
        token=node.token,
        p=decimals(math.exp(node.log_prob), 2),
    )


def _given(translator: Translator, settings: Settings) -> None:
    """What is forced and banned, and how to be rid of it."""
    tokenizer = translator.target_tokenizer
    banned = dict.fromkeys(tokenizer.label(n) for n in settings.banned_ids)
    said = []
    if settings.prefix_ids:
        said.append(_("forced: «{text}»").format(text=tokenizer.decode(settings.prefix_ids)))
    if banned:
        said.append(
            _("banned: {tokens}").format(tokens=" ".join(_("«{token}»").format(token=label) for label in banned))
        )
    if said:
        st.html(f'<p class="vt-caption">{escape(" · ".join(said))}</p>')
        st.button(_("Clear prefix and bans"), on_click=_clear, key="clear")


def _clear() -> None:
    st.session_state["prefix"] = st.session_state["ban"] = ""


def _read(source: str) -> None:
    st.session_state["source"] = source
    st.session_state["target"] = ""
    for name in ("step", "cell", "node"):
        st.query_params.pop(name, None)
