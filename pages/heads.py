"""Heads: see all of them, measure what they do, knock them out, see what they write, compare them."""

from dataclasses import replace

from viz_transformer.ui.heads.compare import heads_compare
from viz_transformer.ui.heads.contributions import heads_contributions
from viz_transformer.ui.heads.explore import arcs, chosen_head, glance, query_key
from viz_transformer.ui.heads.importance import heads_importance
from viz_transformer.ui.heads.knock_out import heads_knock_out
from viz_transformer.ui.heads.lens import heads_lens
from viz_transformer.ui.heads.measured import heads_measured
from viz_transformer.ui.shared.controls import link_note
from viz_transformer.ui.shared.frame import Frame, Tab
from viz_transformer.ui.shared.reading import choose_reading
from viz_transformer.ui.shared.trace_file import offer_trace
from viz_transformer.views.text import _, in_a_row

VIEWS = {
    "glance": Tab(
        _("At a glance"),
        _("Which of these heads looks at the word that it translates? Choose a head to enlarge it."),
        glance,
    ),
    "arcs": Tab(
        _("Arcs"),
        _("Where does each head look while the model writes a token? Choose a token to pin it."),
        arcs,
    ),
    "query-key": Tab(
        _("Query · key"),
        _(
            "Why does a key get this weight? The products q × k add up to its score; scaling and softmax turn it "
            "into the weight."
        ),
        query_key,
    ),
    "measured": Tab(
        _("Measures"),
        _("What does each head do, in numbers? Sort by one of them, and look at the head at the top."),
        lambda one: heads_measured(one.model, one.trace),
    ),
    "knock-out": Tab(
        _("Knock-out"),
        _("Which heads does the output need? Choose a head to remove it, and choose it again to put it back."),
        lambda one: heads_knock_out(one.model, one.texts.source, one.trace),
    ),
    "effect": Tab(
        _("Effect"),
        _("If attention were importance, weight, contribution and effect would rank the keys alike. Do they?"),
        lambda one: heads_importance(one.model, one.trace, chosen_head(one)),
    ),
    "lens": Tab(
        _("Logit lens"),
        _("What would each layer say if it were the last? At which layer does the word that is written first appear?"),
        heads_lens,
    ),
    "contributions": Tab(
        _("Logit"),
        _(
            "Which head wrote this token? Each head's share of the logit, along the direct path; all the shares add"
            " up to the logit."
        ),
        heads_contributions,
    ),
    "compare": Tab(
        _("Compare"),
        _("Where do A and B look at different keys? Both maps are on one scale."),
        lambda one: heads_compare(one.model, one.texts, one.trace, chosen_head(one)),
    ),
}
CAUTION = _("**Attention is not explanation.**")
frame = Frame(
    _("Heads"), {name: replace(view, question=in_a_row(CAUTION, view.question)) for name, view in VIEWS.items()}
)
reading = choose_reading(frame)
VIEWS[frame.view].show(reading)
offer_trace(reading)
link_note()
