"""The browser components of the page Heads: all heads at a glance, as arcs, or from query and key to the weight;
heads that are taken out; what each layer would say.

Everything is sent once; module, layer, head, token and threshold are switched in the browser. Python only hears what a
person settled on, and keeps it in the link.
"""

from __future__ import annotations

from viz_transformer.ui.components.component import Component
from viz_transformer.views import kinds
from viz_transformer.views.heads import KnockOutView, LensView
from viz_transformer.views.map_labels import knock_out_labels, lens_labels

GLANCE = Component.of(kinds.GLANCE)
ARCS = Component.of(kinds.ARCS)
QUERY_KEY = Component.of(kinds.QUERY_KEY)
KNOCK_OUT = Component("heads_knock_out", KnockOutView, knock_out_labels)
LENS = Component("heads_lens", LensView, lens_labels)
