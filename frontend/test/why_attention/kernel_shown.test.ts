// Kernel regression in the browser: its numbers, and the drawing read by its own axes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ViewState } from "../../src/kit/view_state.ts";
import type { KernelView } from "../../src/why_attention/kernel_content.ts";
import { estimate, weightsOf } from "../../src/why_attention/kernel_numbers.ts";
import { KernelPanel } from "../../src/why_attention/kernel_panel.ts";
import { KernelPlot } from "../../src/why_attention/kernel_plot.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, parent, read } from "../dom.ts";
import { tensor } from "../maps/sent.ts";

const X_MAX = 6;
const points = {
  x: Float64Array.of(0.2, 1.1, 1.3, 4, 5.9),
  y: Float64Array.of(-1, 0.5, 2, 3, -0.5),
  curve: Float32Array.of(-1, 0, 2, 3, 1),
  xMax: X_MAX,
};
const near = (actual: number, expected: number, where: string, by = 0.02) =>
  assert.ok(Math.abs(actual - expected) <= by, `${where}: ${actual} and not ${expected}`);

// Gaussians, divided by their sum.
function bells(query: number, width: number): number[] {
  const all = [...points.x].map((x) => Math.exp(-(((query - x) / width) ** 2) / 2));
  return all.map((one) => one / all.reduce((a, b) => a + b));
}

test("weights are a softmax, however far the query is from every point and however narrow the kernel", () => {
  weightsOf(2.4, points.x, 0.7).forEach((weight, n) => near(weight, bells(2.4, 0.7)[n], `point ${n}`, 1e-12));
  const far = weightsOf(2.6, points.x, 0.02); // every Gaussian of it is 0 in float64
  assert.deepEqual(
    far.map((weight) => Math.round(weight)),
    [0, 0, 1, 0, 0],
  );
  near(
    far.reduce((a, b) => a + b),
    1,
    "sum",
    1e-12,
  );
  near(estimate([0.25, 0, 0.5, 0.25, 0], points.y), 1.5, "estimate", 1e-12);
});

// Value -> place, by the first and the last tick of an axis.
function scaleOf(shown: FakeElement, axis: "x" | "y"): (value: number) => number {
  const ticks = shown.classed(`${axis}-tick`).map((tick) => ({
    value: Number(tick.textContent.replace("−", "-")),
    at: Number(tick.getAttribute(axis)),
  }));
  const [first, last] = [ticks[0], ticks[ticks.length - 1]];
  return (value) => first.at + ((value - first.value) / (last.value - first.value)) * (last.at - first.at);
}

const placesOf = (path: FakeElement) =>
  [...(path.getAttribute("d") ?? "").matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [+x, +y] as const);

test("points, curve, estimate and bell stand where the axes say", () => {
  const [query, width] = [2.4, 0.7];
  const plot = new KernelPlot(() => {});
  plot.setContent(points, labels(), 500, 420);
  const weights = bells(query, width);
  const value = weights.reduce((sum, weight, n) => sum + weight * points.y[n], 0);
  plot.update(query, width, weights, value);
  const shown = read(plot.element);
  const [x, y] = [scaleOf(shown, "x"), scaleOf(shown, "y")];
  assert.ok(y(3) < y(-1) && x(6) > x(0), "more is higher up, and further right");
  shown.classed("point").forEach((circle, n) => {
    near(Number(circle.getAttribute("cx")), x(points.x[n]), `x of ${n}`);
    near(Number(circle.getAttribute("cy")), y(points.y[n]), `y of ${n}`);
    const share = weights[n] / Math.max(...weights);
    near(Number(circle.getAttribute("r")), 3 + 7 * Math.sqrt(share), `size of ${n}`, 1e-9);
    near(Number(circle.getAttribute("fill-opacity")), 0.25 + 0.75 * share, `opacity of ${n}`, 1e-9);
  });
  placesOf(shown.byId("ke-behind")).forEach(([left, top], n) => {
    near(left, x((n / 4) * X_MAX), `behind ${n}`);
    near(top, y(points.curve[n]), `behind ${n}`);
  });
  const estimated = placesOf(shown.byId("ke-curve"));
  estimated.forEach(([left, top], n) => {
    const at = (n / (estimated.length - 1)) * X_MAX;
    near(left, x(at), `estimate at ${at}`);
    near(top, y(bells(at, width).reduce((sum, weight, i) => sum + weight * points.y[i], 0)), `estimate at ${at}`);
  });
  const [dot] = shown.classed("estimate-dot");
  near(Number(dot.getAttribute("cx")), x(query), "dot");
  near(Number(dot.getAttribute("cy")), y(value), "dot");
  const bell = placesOf(shown.classed("kernel")[0]).slice(0, -2); // then it is closed along the floor
  const top = bell.reduce((best, one) => (one[1] < best[1] ? one : best));
  near(top[0], x(query), "the top of the bell", 500 / 160);
  const floor = Math.max(...bell.map(([, height]) => height));
  const aside = bell.reduce((best, one) =>
    Math.abs(one[0] - x(query + width)) < Math.abs(best[0] - x(query + width)) ? one : best,
  );
  near((floor - aside[1]) / (floor - top[1]), Math.exp(-0.5), "one width aside", 0.03);
});

test("another width draws another curve", () => {
  const plot = new KernelPlot(() => {});
  plot.setContent(points, labels(), 500, 420);
  const draw = (width: number) => {
    plot.update(2, width, bells(2, width), 0);
    return read(plot.element).byId("ke-curve").getAttribute("d");
  };
  assert.notEqual(draw(0.3), draw(1.2));
});

test("query, weights, curve and matrix go along with the view", () => {
  const state = new ViewState<KernelView>(new Map());
  const { element, fake } = parent();
  const panel = new KernelPanel(element, state);
  for (const figure of fake.tags("figure")) figure.clientWidth = 460;
  const sent = { ...points, x: tensor(points.x), y: tensor(points.y), curve: tensor(points.curve) };
  state.adopt({ key: "k", revision: "1", view: { query: 2, width: 0.3 } }, () => {});
  panel.show(
    { ...sent, widths: [0.1, 10] },
    labels({
      readout: "{query}: {value}, point {point} {weight}",
      copies: "copy",
      averages: "mean",
      smooths: "smooth",
    }),
  );
  const slider = (name: string, value: number) => {
    fake.byId(name).valueAsNumber = value;
    fake.byId(name).oninput?.({});
  };
  const said = new Set<string>();
  for (const [query, power] of [
    [2, -0.9],
    [2, -0.3],
    [5, -0.3],
    [5, 0.2],
    [3, 1],
  ]) {
    slider("ke-width", power);
    slider("ke-query", query);
    const width = Number((10 ** power).toPrecision(4));
    const weights = bells(query, width);
    const value = weights.reduce((sum, weight, n) => sum + weight * points.y[n], 0);
    const heaviest = weights.indexOf(Math.max(...weights));
    const effective = 1 / weights.reduce((sum, weight) => sum + weight ** 2, 0); // how many points it averages over
    const follows = effective < 1.1 ? "copy" : effective > 0.9 * weights.length ? "mean" : "smooth";
    said.add(follows);
    const mean = points.y.reduce((sum, y) => sum + y, 0) / points.y.length;
    const expected = { copy: points.y[heaviest], mean, smooth: value }[follows]; // what it is said to be nearly
    assert.ok(Math.abs(value - expected) < 0.1 * (Math.max(...points.y) - Math.min(...points.y)), follows);
    assert.equal(
      fake.byId("ke-readout").textContent,
      `${query.toFixed(2)}: ${value.toFixed(4)}, point ${heaviest + 1} ${weights[heaviest].toFixed(4)} ${follows}`.replace(
        "-",
        "−",
      ),
    );
    const canvas = fake.byId("ke-matrix");
    assert.ok(canvas instanceof FakeCanvas);
    const picture = canvas.context.of("image").at(-1)?.image as RecordingCanvas;
    const rows = Array.from({ length: picture.height }, (_, row) => bells((X_MAX * row) / (picture.height - 1), width));
    const highest = Math.max(...rows.flat());
    rows.forEach((row, i) => {
      row.forEach((weight, j) =>
        assertColour(picture.pixelAt(j, i), weightColour(weight, highest), `${width}: ${[i, j]}`),
      );
    });
  }
  assert.deepEqual([...said].sort(), ["copy", "mean", "smooth"]);
});
