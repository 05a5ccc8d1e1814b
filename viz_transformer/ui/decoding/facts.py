"""What there is to say about a finished search, in sentences: why it stopped, where greedy's path went."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz_transformer.ui.components.number_table import decimals
from viz_transformer.views.decoding.tree import GreedyPath, Search
from viz_transformer.views.text import _
from viz_transformer.visible import escape


def show_facts(search: Search, greedy: GreedyPath) -> None:
    """A short list: the output's numbers, when it was reached, why the search stopped, and greedy's path."""
    facts = [_result(search), _stopped(search)]
    if search.settings.method != "greedy":
        facts += _beside_greedy(search, greedy)
    items = "".join(f"<li>{escape(fact)}</li>" for fact in facts)
    st.html(f'<ul class="vt-facts" data-testid="facts">{items}</ul>')


def _result(search: Search) -> str:
    level, rank = search.best
    node = search.levels[level][rank]
    numbers = _("{count} tokens, sum of log p {sum}").format(count=level + 1, sum=decimals(node.total_log_prob))
    if search.settings.method == "beam":
        numbers += _(", score {score}").format(score=decimals(node.score))
    if node.status != "finished":
        return _("The output has not ended: {numbers}.").format(numbers=numbers)
    return _("The output was reached at step {step} of {steps}: {numbers}.").format(
        step=level + 1, steps=len(search.levels), numbers=numbers
    )


def _stopped(search: Search) -> str:
    k = search.settings.beam.beam_size
    reasons = {
        "beam_finished": _("as many hypotheses have finished as the beam size, {k}").format(k=k)
        if k > 1
        else _("it took the end token"),
        "no_better_now": _("{k} have finished, and no live one scores better").format(k=k),
        "no_better_ever": _("no live hypothesis can ever score better than the finished ones"),
        "max_len": _("the model can write at most {steps} tokens").format(steps=len(search.levels)),
        "ended": _("it drew the end token"),
    }
    return _("The search stopped after step {step}: {reason}.").format(
        step=len(search.levels), reason=reasons[str(search.stop_reason)]
    )


def _beside_greedy(search: Search, greedy: GreedyPath) -> list[str]:
    left = first_difference(search.best_ids, greedy.ids)
    facts = [] if left is None else [_("The output leaves the greedy path at step {step}.").format(step=left + 1)]
    return [*facts, _greedys_fate(search, greedy)] if search.settings.method == "beam" else facts


def _greedys_fate(search: Search, greedy: GreedyPath) -> str:
    places = search.follow(greedy.ids)
    last = len(places) - 1
    node = search.levels[last][places[last]] if places else None
    if node is None or (node.status == "live" and last + 1 < min(len(greedy.ids), len(search.levels))):
        return _("The beam drops the greedy path at step {step}: it is no longer a candidate there.").format(
            step=len(places) + 1
        )
    if node.status == "pruned":
        return _("The beam drops the greedy path at step {step}: rank {rank}, {margin:.4f} too low.").format(
            step=last + 1, rank=places[last] + 1, margin=node.margin
        )
    if node.status == "finished":
        ids = search.ids(last, places[last])
        finished = [hypothesis.ids for hypothesis in search.steps[-1].finished]
        if ids in finished:
            return _("The beam keeps the greedy path to its end: it finishes at step {step}, in place {place}.").format(
                step=last + 1, place=finished.index(ids) + 1
            )
        return _("The beam keeps the greedy path to its end at step {step}; better hypotheses push it out.").format(
            step=last + 1
        )
    return _("The greedy path is still live when the search stops.")


def first_difference(first: Sequence[int], second: Sequence[int]) -> int | None:
    """The first place at which two outputs differ, from 0; None where they are equal."""
    if tuple(first) == tuple(second):
        return None
    pairs = zip((*first, None), (*second, None), strict=False)
    return next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(first), len(second)))
