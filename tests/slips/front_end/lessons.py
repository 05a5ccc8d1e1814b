"""Training, Architecture, Why attention, sliders and tables."""

from __future__ import annotations

from tests.slips.slip import Slip

LESSONS: tuple[Slip, ...] = (
    Slip(
        "curves are upside down",
        "frontend/src/training/curve_layout.ts",
        before="(1 - share) * (HEIGHT",
        after="share * (HEIGHT",
        tests=("frontend/test/training/curve.test.ts",),
    ),
    Slip(
        "the frame of the next snapshot",
        "frontend/src/training/film.ts",
        before="subarray(at * cells, (at + 1) * cells)",
        after="subarray((at + 1) * cells, (at + 2) * cells)",
        tests=("frontend/test/training/curve.test.ts",),
    ),
    Slip(
        "the mark is at the next snapshot",
        "frontend/src/training/curve.ts",
        before="xOf(film.snapshotSteps[at], film.steps, width)",
        after="xOf(film.snapshotSteps[at + 1] ?? 0, film.steps, width)",
        tests=("frontend/test/training/shown.test.ts",),
    ),
    Slip(
        "the losses on the axis are upside down",
        "frontend/src/training/curve.ts",
        before="tickText(share * highest)",
        after="tickText((1 - share) * highest)",
        tests=("frontend/test/training/shown.test.ts",),
    ),
    Slip(
        "the memory leads to the self-attention",
        "frontend/src/architecture/layout.ts",
        before="M164 306 H220 V425 H254",
        after="M164 306 H220 V561 H254",
        tests=("frontend/test/architecture/layout.test.ts",),
    ),
    Slip(
        "the tensors of the first layer",
        "frontend/src/architecture/panel.ts",
        before="box.layers[layer]",
        after="box.layers[0]",
        tests=("frontend/test/architecture/shown.test.ts",),
    ),
    Slip(
        "another box is pressed",
        "frontend/src/architecture/drawing.ts",
        before="String(id === chosen)",
        after="String(id !== chosen)",
        tests=("frontend/test/architecture/shown.test.ts",),
    ),
    Slip(
        "the kernel's width is not squared",
        "frontend/src/why_attention/kernel_numbers.ts",
        before="(2 * width ** 2)",
        after="(2 * width)",
        tests=("frontend/test/why_attention/kernel_matrix.test.ts",),
    ),
    Slip(
        "a softmax without the maximum",
        "frontend/src/why_attention/kernel_numbers.ts",
        before="Math.exp(score - highest)",
        after="Math.exp(score)",
        tests=("frontend/test/why_attention/kernel_shown.test.ts",),
    ),
    Slip(
        "the kernel's curve is upside down",
        "frontend/src/why_attention/kernel_plot.ts",
        before="FLOOR - ((value - low + margin)",
        after="TOP + ((value - low + margin)",
        tests=("frontend/test/why_attention/kernel_shown.test.ts",),
    ),
    Slip(
        "the bell stands at 0",
        "frontend/src/why_attention/kernel_plot.ts",
        before="((at - query) ** 2)",
        after="(at ** 2)",
        tests=("frontend/test/why_attention/kernel_shown.test.ts",),
    ),
    Slip(
        "a path begins a level too low",
        "frontend/src/why_attention/paths_graph.ts",
        before="const start = levels * n + to;",
        after="const start = (levels - 1) * n + to;",
        tests=("frontend/test/why_attention/paths_graph.test.ts",),
    ),
    Slip(
        "the outputs of a drawing are at its foot",
        "frontend/src/why_attention/paths_drawing.ts",
        before="TOP + (levels - level) * STEP",
        after="TOP + level * STEP",
        tests=("frontend/test/why_attention/paths_shown.test.ts",),
    ),
    Slip(
        "what an output does not see is lit",
        "frontend/src/why_attention/paths_drawing.ts",
        before='seen.distance[to] !== undefined ? "seen" : "edge"',
        after='seen.distance[to] === undefined ? "seen" : "edge"',
        tests=("frontend/test/why_attention/paths_shown.test.ts",),
    ),
    Slip(
        "a slider says the place after",
        "frontend/src/sliders/slider_bar.ts",
        before="value.textContent = texts[place];",
        after="value.textContent = texts[place + 1];",
        tests=("frontend/test/sliders/slider_bar.test.ts",),
    ),
    Slip(
        "the views hear of the place before",
        "frontend/src/sliders/slider_bar.ts",
        before="const places = this.settled.view.places.with(n, place);",
        after="const { places } = this.settled.view;\n    this.settled.change({ places: places.with(n, place) });",
        tests=("frontend/test/sliders/slider_bar.test.ts",),
    ),
    Slip(
        "a cell of a table keeps its first text",
        "frontend/src/tables/table_view.ts",
        before="if (node.textContent !== text)",
        after="if (!node.textContent)",
        tests=("frontend/test/tables/table_view.test.ts",),
    ),
    Slip(
        "a shade is that of what is missing",
        "frontend/src/tables/table_view.ts",
        before="`${100 * cell.shade}%`",
        after="`${100 * (1 - cell.shade)}%`",
        tests=("frontend/test/tables/table_view.test.ts",),
    ),
)
