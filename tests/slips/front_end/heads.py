"""All heads: the glance, arcs, query and key."""

from __future__ import annotations

from tests.slips.slip import Slip

HEADS: tuple[Slip, ...] = (
    Slip(
        "the smallest scores come first at a glance",
        "frontend/src/maps/glance.ts",
        before="value(b) - value(a) || 0",
        after="value(a) - value(b) || 0",
        tests=("frontend/test/maps/shown.test.ts",),
    ),
    Slip(
        "the score of another layer and head",
        "frontend/src/maps/glance.ts",
        before="ofModule[layer * shape[1] + head]",
        after="ofModule[head * shape[0] + layer]",
        tests=("frontend/test/maps/shown.test.ts",),
    ),
    Slip(
        "every thumbnail is the first head's",
        "frontend/src/maps/glance_paint.ts",
        before="matrixOf(module, layer, head)",
        after="matrixOf(module, layer, 0)",
        tests=("frontend/test/maps/glance.test.ts",),
    ),
    Slip(
        "layers run across and heads down",
        "frontend/src/maps/glance_layout.ts",
        before=": [layer, head];",
        after=": [head, layer];",
        tests=("frontend/test/maps/glance.test.ts",),
    ),
    Slip(
        "a mask's bits are read backwards",
        "frontend/src/maps/maps.ts",
        before="(7 - (bit & 7))",
        after="(bit & 7)",
        tests=("frontend/test/maps/maps.test.ts",),
    ),
    Slip(
        "the weights of the layer after",
        "frontend/src/maps/maps.ts",
        before="allowed.slice(0, layer)",
        after="allowed.slice(0, layer + 1)",
        tests=("frontend/test/maps/maps.test.ts",),
    ),
    Slip(
        "arcs lead from key to query",
        "frontend/src/heads/arcs_drawn.ts",
        before="      starts.push(middleOf(layout, i));\n      ends.push(middleOf(layout, j));",
        after="      starts.push(middleOf(layout, j));\n      ends.push(middleOf(layout, i));",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "the head's colour is that of its place",
        "frontend/src/heads/arcs_drawn.ts",
        before="headColour(head, isDark) as Colour",
        after="headColour(place, isDark) as Colour",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "a weight at the threshold counts as hidden",
        "frontend/src/heads/arcs_drawn.ts",
        before="if (code < least) continue;",
        after="if (code <= least) continue;",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "an arc at the threshold is not drawn",
        "frontend/src/heads/arcs_raster.ts",
        before="if (code < strong) continue;",
        after="if (code <= strong) continue;",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "arcs run the wrong way down",
        "frontend/src/heads/arcs_raster.ts",
        before="strokes.ways.push(ends[arc] - starts[arc]);",
        after="strokes.ways.push(starts[arc] - ends[arc]);",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "a box is as opaque as the weight of another head",
        "frontend/src/heads/arcs_paint.ts",
        before="const weights = module.weightsOf(layer, head);",
        after="const weights = module.weightsOf(layer, n);",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "the lit key has the weights of a query",
        "frontend/src/heads/arcs_paint.ts",
        before="other * keys.length + place",
        after="place * keys.length + other",
        tests=("frontend/test/heads/arcs.test.ts",),
    ),
    Slip(
        "a product takes another dimension of q",
        "frontend/src/heads/stages.ts",
        before="value * q[n % depth]",
        after="value * q[(n + 1) % depth]",
        tests=("frontend/test/heads/query_key.test.ts",),
    ),
    Slip(
        "a weight's bar is as long as what is missing",
        "frontend/src/heads/query_key_paint.ts",
        before="numbers.weights[j] * weightWidth",
        after="(1 - numbers.weights[j]) * weightWidth",
        tests=("frontend/test/heads/query_key.test.ts",),
    ),
    Slip(
        "a key is pointed at one row below",
        "frontend/src/heads/query_key_layout.ts",
        before="Math.floor((y - top) / rowHeight)",
        after="Math.floor((y - top) / rowHeight) - 1",
        tests=("frontend/test/heads/query_key.test.ts",),
    ),
)
