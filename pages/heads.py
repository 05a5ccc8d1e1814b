"""Heads: see all of them, measure what they do, knock them out, compare them."""

from collections.abc import Callable

from viz_transformer.ui.heads.compare import heads_compare
from viz_transformer.ui.heads.explore import arcs, chosen_head, glance, query_key
from viz_transformer.ui.heads.importance import heads_importance
from viz_transformer.ui.heads.knock_out import heads_knock_out
from viz_transformer.ui.heads.measured import heads_measured
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.reading import Reading, choose_reading
from viz_transformer.ui.shared.text import _

VIEWS: dict[str, tuple[str, str, Callable[[Reading], None]]] = {
    "glance": (
        _("At a glance"),
        _("Which of these heads looks at the word that it translates? A click on a head shows it large."),
        glance,
    ),
    "arcs": (
        _("Arcs"),
        _("Where does each head look while the model writes a token? Point at one, or click to keep it."),
        arcs,
    ),
    "query-key": (
        _("Query · key"),
        _("Why does a key get this weight? q × k, added up, is its score; scale and softmax make the weight."),
        query_key,
    ),
    "measured": (
        _("Measures"),
        _("What does each head do, in numbers? Sort by one of them, and look at the head on top."),
        lambda one: heads_measured(one.model, one.trace),
    ),
    "knock-out": (
        _("Knock-out"),
        _("Which heads does the output need? A click takes a head out, another one puts it back."),
        lambda one: heads_knock_out(one.model, one.texts.source, one.trace),
    ),
    "effect": (
        _("Effect"),
        _("Were attention importance, weight, contribution and effect would rank the keys alike. Do they?"),
        lambda one: heads_importance(one.model, one.trace, chosen_head(one)),
    ),
    "compare": (
        _("Compare"),
        _("Where do A and B look at different keys? Both maps are on one scale."),
        lambda one: heads_compare(one.model, one.texts, one.trace, chosen_head(one)),
    ),
}
frame = Frame(_("Heads"), {name: title for name, (title, _question, _show) in VIEWS.items()})
reading = choose_reading(frame)
_title, question, show = VIEWS[frame.view]
frame.lede(f"{_('**Attention is not explanation.**')} {question}")
show(reading)
link_note()
