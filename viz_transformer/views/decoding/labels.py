"""Every text of the decoding component in the reader's language. Words in braces are filled in by the browser."""

from __future__ import annotations

from viz_transformer.views.text import _
from viz_transformer.views.trace_view import default_labels


def decoding_labels() -> dict[str, str]:
    """The labels of the trace view, which the component shares, and its own."""
    return {
        **default_labels(),
        "taken": _("taken"),
        "query_cross": _("query: target token just read"),
        "query_decoder_self": _("query: target token just read"),
        "predicted_axis": _("writes"),
        "keys": _(
            "Keys: ← → step, Home and End go to the first and last step, Space plays, digits select a head. In "
            "the tree, the arrow keys move from hypothesis to hypothesis and Enter shows one."
        ),
        "step_ended": _("step {step} of {steps}: this hypothesis ended at step {ended}"),
        # the tree
        "tree_beam": _("Beam search: what each step considered"),
        "tree_greedy": _("Greedy search: what each step considered"),
        "tree_sample": _("Sampling: what each step drew from"),
        "tree_hint": _("↔ scroll sideways"),
        "zoom_out": _("smaller tree"),
        "zoom_in": _("larger tree"),
        "column": _("step {step}"),
        "csv_step": _("step"),
        "csv_parent": _("rank of the candidate that it extends"),
        "csv_status": _("status"),
        "start": _("start"),
        "live": _("live"),
        "pruned": _("pruned"),
        "not_drawn": _("not drawn"),
        "finished": _("finished"),
        "result": _("the output"),
        "shown": _("the one shown"),
        "greedy": _("the greedy path"),
        "node": _("step {step}, rank {rank} of {count}: «{text}»"),
        "node_numbers": _("log p of «{token}» {logProb}, sum {sum}, score {score}"),
        "why_among_the_best": _("live: among the best {beam} of this step"),
        "why_best": _("live: the most probable token"),
        "why_forced": _("forced: given by the prefix"),
        "why_ended": _("finished: it ends the sentence and is among the best {beam} candidates of this step"),
        "why_ended_greedy": _("finished: the end token is the most probable one"),
        "why_beam_full": _("pruned: {margin} below the last of the {beam} live ones"),
        "why_beam_full_greedy": _("not taken: {margin} below the most probable token"),
        "why_end_too_low": _("pruned: it ends the sentence, but {margin} below the best {beam} candidates"),
        "why_drawn": _(
            "drawn: {draw} falls between {low} and {high}, the interval of «{token}»; tokens kept: {kept}; "
            "filtered out: {mass} of the probability"
        ),
        "why_not_drawn": _("not drawn: its probability after filtering was {probability}"),
        "loading": _("recording the pass over this hypothesis …"),
        "loading_file": _(
            "This file holds the forward pass over another hypothesis; the pass over this one can be seen in the app."
        ),
        # what one may do with the step shown
        "force": _("Force the output up to here"),
        "ban": _("Ban «{token}»"),
        "at_end": _("Step back to force or ban a token."),
        # below the tree
        "so_far": _("Tokens so far"),
        "so_far_new": _("written at this step"),
        "strip_cross": _("Cross-attention: over the source"),
        "strip_decoder_self": _("Decoder self-attention: over the tokens read so far"),
        "strip_later": _("masked: not generated yet"),
        "strip_most": _("While writing «{predicted}», this head puts {share} % of its weight on {place} «{key}»."),
        "mask": _("Causal mask"),
        "mask_place": _("the same in every layer and head"),
        "mask_cell": _("{row} → key {j} «{key}»: may attend"),
        "mask_row": _("{row}: may attend to keys 1 to {count}"),
        "mask_matrix": _("{title}: {rows} queries, {columns} keys. {hint}"),
        # what is open below them
        "results": _("Details"),
        "result_matrices": _("Matrices"),
        "result_finished": _("Finished hypotheses"),
        "result_cache": _("Cache"),
        # what the cache holds
        "cache": _("The cache: encoder once, keys and values kept"),
        "cache_encoder": _("The encoder ran once, before step 1: its output, {source} vectors, is used at every step."),
        "cache_kept": _(
            "Kept from earlier steps, in each of the {layers} layers: K and V of {before} target tokens, "
            "{heads} × {before} × {width} each, and of the {source} source tokens, {heads} × {source} × {width} each."
        ),
        "cache_new": _(
            "Computed at step {step}: one position, so one row of Q, K and V ({heads} × 1 × {width}) and one row "
            "of attention over {step} keys; without the cache there would be {step} rows."
        ),
        "cache_cost": _("multiply-adds of this hypothesis"),
        "cache_with": _("with the cache"),
        "cache_without": _("without the cache"),
        "cache_ratio": _("ratio"),
        "cache_step": _("step {step}"),
        "cache_sum": _("steps 1 to {step}"),
        "cache_size": _("The cache holds {count} numbers for this hypothesis, {kib} KiB as float32."),
        # what has finished
        "n_best": _("Finished hypotheses"),
        "n_best_alpha": _("Length penalty α"),
        "n_best_by_gnmt": _("score = sum of log p ÷ ((5 + length) / 6)^α; the slider changes the ranking at once"),
        "n_best_by_power": _("score = sum of log p ÷ length^α; the slider changes the ranking at once"),
        "n_best_mean": _("score = sum of log p ÷ length"),
        "n_best_sum": _("score = sum of log p"),
        "n_best_same": _("The search was run with α = {own}; a search with α = {alpha} would find the same."),
        "n_best_own": _("The search was run with this α."),
        "n_best_earlier": _(
            "The search was run with α = {own}; with α = {alpha} it would have stopped after step {step} and "
            "found the hypotheses ranked here."
        ),
        "n_best_needs": _(
            "With α = {alpha} the search would have gone on after step {step}: only what was found up to that "
            "step is ranked here. To search again, set the length penalty of the search to {alpha}."
        ),
        "n_best_none": _("No hypothesis has finished: the output is the best live one."),
        "n_rank": _("rank"),
        "n_output": _("output"),
        "n_length": _("tokens"),
        "n_sum": _("sum of log p"),
        "n_score": _("score"),
        "n_step": _("finished at step"),
        "n_live": _("live"),
        "n_show": _("Show this hypothesis"),
    }
