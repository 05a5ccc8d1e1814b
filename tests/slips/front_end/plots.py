"""Plots: axes, bars, lines, errors."""

from __future__ import annotations

from tests.slips.slip import Slip

PLOTS: tuple[Slip, ...] = (
    Slip(
        "a plot is upside down",
        "frontend/src/plots/layout.ts",
        before="scaleOf(ySpan, y, box.bottom, box.top)",
        after="scaleOf(ySpan, y, box.top, box.bottom)",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "bars do not begin at 0",
        "frontend/src/plots/layout.ts",
        before='kind === "bars" && !y.log ? [...ends, 0] : ends',
        after="ends",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "the upright axis has the ticks of the other",
        "frontend/src/plots/paint.ts",
        before="for (const tick of yTicks)",
        after="for (const tick of xTicks)",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "a bar stands one place to the right",
        "frontend/src/plots/paint.ts",
        before="[px(x[n]), px(x[n + 1])]",
        after="[px(x[n + 1]), px(x[n + 2])]",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "error bars are doubled",
        "frontend/src/plots/paint.ts",
        before="[y[n] - error[n], y[n] + error[n]]",
        after="[y[n] - 2 * error[n], y[n] + 2 * error[n]]",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "a line is not interrupted",
        "frontend/src/plots/paint.ts",
        before="isDown = at !== null;",
        after="isDown = true;",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
    Slip(
        "a plot with other heights is not painted anew",
        "frontend/src/plots/content.ts",
        before="equal(a.x, b.x) && equal(a.y, b.y)",
        after="equal(a.x, b.x)",
        tests=("frontend/test/plots/plots.test.ts",),
    ),
)
