"""A slip in the loop around the model: a running total of the losses that keeps the graph of every batch."""

from __future__ import annotations

from viz_transformer.experiments.slips.kept_graphs import BATCHES, KeptGraphs
from viz_transformer.ui.components.number_table import decimals
from viz_transformer.ui.slips.passes import graphs_of, ids_of
from viz_transformer.ui.slips.pictures import pair, results
from viz_transformer.ui.slips.slip_context import Code, SlipContext
from viz_transformer.views.terms import explained
from viz_transformer.views.text import _


def megabytes(found: KeptGraphs, loop: int) -> str:
    """What is held after the last batch."""
    return decimals(float(found.megabytes[loop, -1]), 2)


def graphs(context: SlipContext) -> None:
    """What is alive after one batch, two, …, where losses are added up as numbers, and as tensors."""
    reading, trace = context.reading, context.reading.trace
    right, wrong = graphs_of(reading.model, trace, ids_of(trace))
    loops = [_("training"), _("evaluation")]
    batches = [str(n + 1) for n in range(BATCHES)]
    names = (_("loop"), _("batches so far"))
    with context.picture:
        pair(
            (right.nodes.astype("float32"), wrong.nodes.astype("float32")),
            (loops, loops),
            (batches, batches),
            (names, names),
            _("nodes of graphs that are alive"),
            float(wrong.nodes.max()),
        )
        results(
            _("After {n} batches of your sentence").format(n=BATCHES),
            [
                (_("nodes of graphs that are alive"), f"{right.nodes[0, -1]:,}", f"{wrong.nodes[0, -1]:,}"),
                (_("MB that they hold, training"), megabytes(right, 0), megabytes(wrong, 0)),
                (_("MB that they hold, evaluation without no_grad"), megabytes(right, 1), megabytes(wrong, 1)),
            ],
        )
    context.explain(
        explained(
            "A loss is a tensor that remembers how it was computed. A sum of losses remembers all of it: after {n} "
            "batches **{wrong} nodes** are alive in place of {right}. `backward()` lets go of the tensors that they "
            "saved; an evaluation without `no_grad()` never does, and holds **{more} MB** for this one sentence in "
            "place of {less}."
        ).format(
            n=BATCHES,
            wrong=f"{wrong.nodes[1, -1]:,}",
            right=f"{right.nodes[1, -1]:,}",
            more=megabytes(wrong, 1),
            less=megabytes(right, 1),
        ),
        Code(
            "total += loss",
            "total += loss.item()",
            "assert not torch.is_tensor(total)",
        ),
        _(
            "There is no training run with this slip: the model learns exactly the same. Only memory grows with "
            "every batch, until the program is stopped."
        ),
    )
