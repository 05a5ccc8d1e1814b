"""Traces and the page that shows one."""

from __future__ import annotations

from tests.slips.slip import Slip

TRACE: tuple[Slip, ...] = (
    Slip(
        "the weights of the first head",
        "frontend/src/trace/payload.ts",
        before="weights.subarray(head * size, (head + 1) * size)",
        after="weights.subarray(0, size)",
        tests=("frontend/test/trace/payload.test.ts",),
    ),
    Slip(
        "the mask of the first layer",
        "frontend/src/trace/payload.ts",
        before="mask: module.maskIn(ownLayer)",
        after="mask: module.maskIn(0)",
        tests=("frontend/test/trace/payload.test.ts",),
    ),
    Slip(
        "next tokens of another step",
        "frontend/src/trace/bars.ts",
        before="step * ranks.shape[1]",
        after="step * listed.length",
        tests=("frontend/test/trace/bars.test.ts",),
    ),
    Slip(
        "the token after the one that was taken",
        "frontend/src/trace/bars.ts",
        before="n === taken.values[step]",
        after="n === taken.values[step] + 1",
        tests=("frontend/test/trace/bars.test.ts",),
    ),
    Slip(
        "a bar is as long as what is missing",
        "frontend/src/trace/bars.ts",
        before="${100 * probability}%",
        after="${100 * (1 - probability)}%",
        tests=("frontend/test/trace/shown.test.ts",),
    ),
    Slip(
        "the controls say what the next step reads",
        "frontend/src/trace/controls.ts",
        before="read: read[step],",
        after="read: read[step + 1],",
        tests=("frontend/test/trace/shown.test.ts",),
    ),
    Slip(
        "layer and head are swapped",
        "frontend/src/overview/panel.ts",
        before="view.layer, view.head)",
        after="view.head, view.layer)",
        tests=("frontend/test/overview/panel.test.ts",),
    ),
    Slip(
        "the encoder's rows are steps",
        "frontend/src/overview/panel.ts",
        before="figure.name === ENCODER ? null : view.step",
        after="view.step",
        tests=("frontend/test/overview/panel.test.ts",),
    ),
    Slip(
        "the sentence always reads the first row",
        "frontend/src/overview/panel.ts",
        before="sentenceOf(matrix, row,",
        after="sentenceOf(matrix, 0,",
        tests=("frontend/test/overview/panel.test.ts",),
    ),
    Slip(
        "the sentence takes the share of the key before",
        "frontend/src/overview/reading.ts",
        before="const weight = values[row * columnLabels.length + j];\n    const share",
        after="const weight = values[row * columnLabels.length + j - 1];\n    const share",
        tests=("frontend/test/overview/reading.test.ts",),
    ),
    Slip(
        "the next tokens stay those of the first step",
        "frontend/src/overview/panel.ts",
        before="this.#bars.update(this.#trace.next, this.#state.view.step)",
        after="this.#bars.update(this.#trace.next, 0)",
        tests=("frontend/test/overview/panel.test.ts",),
    ),
)
