"""The browser components of the page Heads: all heads at a glance, as arcs, or from query and key to the weight;
heads that are taken out; what each layer would say.

Everything is sent once; module, layer, head, token and threshold are switched in the browser. Python only hears what a
person settled on, and keeps it in the link.
"""

from __future__ import annotations

from viz_transformer.ui.components.component import Component
from viz_transformer.views.heads import HeadsView, KnockOutView, LensView
from viz_transformer.views.map_labels import heads_labels, knock_out_labels, lens_labels

GLANCE = Component("heads_glance", HeadsView, heads_labels)
ARCS = Component("heads_arcs", HeadsView, heads_labels)
QUERY_KEY = Component("heads_query_key", HeadsView, heads_labels)
KNOCK_OUT = Component("heads_knock_out", KnockOutView, knock_out_labels)
LENS = Component("heads_lens", LensView, lens_labels)
