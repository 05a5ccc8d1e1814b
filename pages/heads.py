"""Heads: see all of them, measure what they do, knock them out, compare them."""

from viz_transformer.ui.heads.compare import heads_compare
from viz_transformer.ui.heads.explore import arcs, chosen_head, glance, query_key
from viz_transformer.ui.heads.importance import heads_importance
from viz_transformer.ui.heads.knock_out import heads_knock_out
from viz_transformer.ui.heads.measured import heads_measured
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.text import _

VIEWS = {
    "glance": (_("At a glance"), glance),
    "arcs": (_("Arcs"), arcs),
    "query-key": (_("Query and key"), query_key),
    "measured": (_("Measures"), lambda one: heads_measured(one.model, one.trace)),
    "knock-out": (_("Knock-out"), lambda one: heads_knock_out(one.model, one.texts.source, one.trace)),
    "effect": (
        _("Effect"),
        lambda one: heads_importance(one.model, one.trace, chosen_head(one)),
    ),
    "compare": (_("Compare"), lambda one: heads_compare(one.model, one.texts, one.trace, chosen_head(one))),
}
frame = Frame(_("Heads"), {name: title for name, (title, _show) in VIEWS.items()})
reading = choose_reading(frame)
frame.lede(
    _("**Attention is not explanation:** a weight says how much of a key's value a head takes in, no more than that.")
)
VIEWS[frame.view][1](reading)
link_note()
