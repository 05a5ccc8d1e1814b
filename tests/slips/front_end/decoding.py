"""The tree of a search, the n best, the rows of attention, the cache."""

from __future__ import annotations

from tests.slips.slip import Slip

DECODING: tuple[Slip, ...] = (
    Slip(
        "a parent is one rank too low",
        "frontend/src/decoding/search.ts",
        before="parent: nodes.parents.values[n],",
        after="parent: nodes.parents.values[n] + (n > 2 ? 1 : 0),",
        tests=("frontend/test/decoding/search.test.ts",),
    ),
    Slip(
        "an edge leaves the node below its parent",
        "frontend/src/decoding/tree_layout.ts",
        before="yOf(Math.max(0, parent), zoom)",
        after="yOf(Math.max(0, parent) + 1, zoom)",
        tests=("frontend/test/decoding/tree_layout.test.ts",),
    ),
    Slip(
        "the first rank is the lowest",
        "frontend/src/decoding/tree_layout.ts",
        before="TOP + rank * (height + below)",
        after="TOP + (9 - rank) * (height + below)",
        tests=("frontend/test/decoding/tree_layout.test.ts",),
    ),
    Slip(
        "the tree is a step behind the clock",
        "frontend/src/decoding/tree.ts",
        before="box.hidden = level > step;",
        after="box.hidden = level >= step;",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "kept edges look pruned",
        "frontend/src/decoding/tree.ts",
        before='(status === "pruned") === isPruned',
        after='(status === "pruned") !== isPruned',
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "another α ranks",
        "frontend/src/decoding/n_best.ts",
        before="return distances.indexOf(Math.min(...distances));",
        after="return distances.indexOf(Math.max(...distances));",
        tests=("frontend/test/decoding/search.test.ts",),
    ),
    Slip(
        "the worst output is the first",
        "frontend/src/decoding/n_best.ts",
        before="b.score - a.score",
        after="a.score - b.score",
        tests=("frontend/test/decoding/search.test.ts",),
    ),
    Slip(
        "a length counts from 0",
        "frontend/src/decoding/n_best.ts",
        before="      number(level + 1),\n",
        after="      number(level),\n",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "the strip is the row before",
        "frontend/src/decoding/moment.ts",
        before="values.subarray(start, end);",
        after="values.subarray(start - keys.length, start);",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "the strip's colours are inverted",
        "frontend/src/decoding/strip.ts",
        before="WEIGHTS.pixelOf(weights[j])",
        after="WEIGHTS.pixelOf(1 - weights[j])",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "what is masked has a weight in the strip",
        "frontend/src/decoding/strip.ts",
        before="if (mask[j]) {",
        after="if (!mask[j]) {",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "the costs of a step are not in their sum",
        "frontend/src/decoding/cache.ts",
        before="costs.subarray(0, step + 1)",
        after="costs.subarray(0, step)",
        tests=("frontend/test/decoding/shown.test.ts",),
    ),
    Slip(
        "the tree has always grown up",
        "frontend/src/decoding/panel.ts",
        before="this.#tree.update(search, view.step,",
        after="this.#tree.update(search, search.steps - 1,",
        tests=("frontend/test/decoding/panel.test.ts",),
    ),
    Slip(
        "layer and head of a step's rows are swapped",
        "frontend/src/decoding/panel.ts",
        before="this.#moment.update(trace, row, view.layer, view.head)",
        after="this.#moment.update(trace, row, view.head, view.layer)",
        tests=("frontend/test/decoding/panel.test.ts",),
    ),
    Slip(
        "the first step is banned in place of the one shown",
        "frontend/src/decoding/panel.ts",
        before="this.#actions.update(path[Math.min(view.step, path.length - 1)],",
        after="this.#actions.update(path[0],",
        tests=("frontend/test/decoding/panel.test.ts",),
    ),
    Slip(
        "Python does not hear of a chosen node",
        "frontend/src/decoding/panel.ts",
        before="    this.#change({ node, pinned: null });\n    this.#state.tell();\n",
        after="    this.#change({ node, pinned: null });\n",
        tests=("frontend/test/decoding/panel.test.ts",),
    ),
)
