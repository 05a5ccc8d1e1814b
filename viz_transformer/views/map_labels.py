"""The texts of the views that show all heads, in the reader's language. The browser fills in words in braces."""

from __future__ import annotations

from viz_transformer.views.text import _
from viz_transformer.views.trace_view import default_labels


def heads_labels() -> dict[str, str]:
    """The texts of the views of all heads; for a single matrix they are those of trace_view.py."""
    return default_labels() | {
        "module": _("Module"),
        "short_encoder_self": _("encoder"),
        "short_decoder_self": _("decoder"),
        "short_cross": _("cross"),
        "short_head": _("{module} {layer}.{head}"),
        "more": _("more"),
        "merge_words": _("Merge subwords into words"),
        "hide_sinks": _("Hide start, end and punctuation as keys"),
        "all": _("all"),
        "only": _("Show"),
        "score": _("Colour by"),
        "no_score": _("nothing"),
        "order": _("Sort by"),
        "by_place": _("layer and head"),
        "by_score": _("highest first"),
        "layer_n": _("layer {layer}"),
        "head_n": _("head {head}"),
        "short_place": _("{layer}·{head}"),
        "thumbnail": _("{module}, layer {layer}, head {head}"),
        "with_score": _("{place}: {score} {value}"),
        "no_value": _("none"),
        "glance": _("{count} heads. Rows are queries, columns are keys. {hint}"),
        "glance_hint": _("Point at a head, or use the arrow keys; a click or Enter opens it, Escape closes it."),
        "glance_hint_touch": _("Tap a head to see it large."),
        "extremes": _("Highest {score}: {highest} with {most}; lowest: {lowest} with {least}."),
        "open_hint": _("A click on a head shows it large, here."),
        "open_hint_touch": _("A tap on a head shows it large, here."),
        "close": _("close"),
        "heads": _("Heads"),
        "heads_keys": _("a click or a digit key switches a head on or off; a double click shows only that head"),
        "heads_keys_touch": _("a tap switches a head on or off; a double tap shows only that head"),
        "all_heads": _("all heads"),
        "threshold": _("Hide weights below"),
        "hidden": _("{threshold}: hides {hidden} of {shown} arcs and {mass} % of the weight"),
        "arcs": _("{title}, layer {layer}: arcs from {rows} queries to {columns} keys. {hint}"),
        "arcs_hint": _(
            "Point at a token, or use the arrow keys (left and right change the side); a click or Enter pins it, "
            "Escape releases it."
        ),
        "has_read": _("has read"),
        "is_writing": _("is writing"),
        "strongest": _("The strongest arc: at «{token}», head {head} puts {percent} % of its weight on «{key}»."),
        "strongest_writes": _(
            "The strongest arc: while writing «{token}», head {head} puts {percent} % of its weight on «{key}»."
        ),
        "zoom": _("Zoom: from the whole text to readable rows"),
        "step_table": _("What step {index}, which writes «{token}», attends to, by head"),
        "arc_legend": _("an arc's opacity is its attention weight"),
        "haze_legend": _(
            "an arc's opacity is its attention weight; with so many arcs, those below {strong} are drawn together "
            "as a haze"
        ),
        "arcs_hint_touch": _("Tap a token to see where it looks; tap it again to release it."),
        "head_line": _("head {head}: {tokens}"),
        "arc_token": _("{index} «{token}» {weight}"),
        "key_side": _("key {j} «{key}»"),
        "is_attended": _("{key} gets the most weight from"),
        "query_table": _("What query {index} «{token}» attends to, by head"),
        "key_table": _("How much each query attends to key {index} «{token}», by head"),
        "query": _("Query token"),
        "dimension": _("dimension"),
        "step_writes": _("Step that writes"),
        "q_title": _("q of query {i} «{query}»"),
        "q_writes": _("q of step {i}: has read «{query}», is writing «{predicted}»"),
        "largest_key": _(
            "At «{token}», the key «{key}» has the largest weight: its score {score} ÷ {root} is {scaled}, which "
            "softmax turns into {percent} %."
        ),
        "largest_writes": _(
            "Writing «{token}», this head looks most at «{key}»: its score {score} ÷ {root} is {scaled}, which "
            "softmax turns into {percent} %."
        ),
        "k_title": _("k of each key"),
        "product_title": _("q × k"),
        "score_title": _("Σ = score"),
        "scaled_title": _("÷ √{depth}"),
        "weight_title": _("weight"),
        "vector_scale": _("q and k"),
        "product_scale": _("q × k"),
        "query_key": _("{title}, layer {layer}, head {head}: from query {i} «{query}» to {columns} keys. {hint}"),
        "query_key_hint": _(
            "Point at a cell, or use the arrow keys: up and down change the key, left and right the dimension, "
            "Page Up and Page Down the query."
        ),
        "query_key_hint_touch": _("Tap a cell for its numbers."),
        "key_numbers": _("key {j} «{key}»: score {score}, ÷ √{depth} = {root}: {scaled}, weight {weight}"),
        "key_masked": _("key {j} «{key}»: score {score}, ÷ √{depth} = {root}: {scaled}, masked: weight 0"),
        "products": _("dimension {d}: q {q} × k {k} = {product}; the {depth} products add up to {sum}"),
        "query_key_table": _("From query {i} «{query}» to each key"),
    }


def knock_out_labels() -> dict[str, str]:
    """The texts of the grid in which heads are knocked out."""
    return {
        "grid": _("Each head, and how much taking it out alone lowers the output's log p, in nats"),
        "head_n": _("head {head}"),
        "fall": _("fall of the output's log p when this head alone is taken out, nats"),
        "in_falls": _("Taking out {head} alone lowers log p by {number}; choose it to take it out"),
        "in_rises": _("Taking out {head} alone raises log p by {number}; choose it to take it out"),
        "out_falls": _("{head} is out; taking out this head alone lowers log p by {number}; choose it to put it back"),
        "out_rises": _("{head} is out; taking out this head alone raises log p by {number}; choose it to put it back"),
    }


def lens_labels() -> dict[str, str]:
    """The texts of the logit lens; those of its list of tokens are trace_view.py's."""
    return {
        name: text
        for name, text in default_labels().items()
        if name in ("rank", "token", "probability", "log_probability", "rest")
    } | {
        "title": _("Logit lens"),
        "layer": _("layer"),
        "position": _("position"),
        "grid": _("What each layer would say at each position. The arrow keys move to another cell."),
        "read": _("has read"),
        "written": _("is written"),
        "taken": _("written"),
        "right": _("the token that is written"),
        "probability_of": _("probability of the token that is shown"),
        "cell": _(
            "{layer}, position {position}: «{token}» with probability {probability}; «{written}», which is written, "
            "has rank {rank} and probability {written_probability}"
        ),
        "place": _("{layer}, position {position}"),
        "said": _(
            "«{token}», which is written, has rank {rank} of {vocabulary}. Entropy {entropy} nats; KL from the output "
            "{divergence} nats."
        ),
    }
