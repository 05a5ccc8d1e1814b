// What is painted of a plot, held against its numbers. Axes are read as a person reads them: two ticks give the scale.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Axis, PlotContent, Series } from "../../src/plots/content.ts";
import { contentOf, isSame } from "../../src/plots/content.ts";
import { nearest } from "../../src/plots/figure.ts";
import { layOutPlot } from "../../src/plots/layout.ts";
import { colourOf, paintMark, paintPlot, paintSwatch } from "../../src/plots/paint.ts";
import { type Painted, type RecordingContext, recordingContext } from "../canvas.ts";

const AXIS: Axis = { title: "", log: 0, low: null, high: null, labels: [], isFixed: false };
const LOOK = {
  text: "ink",
  background: "paper",
  isDark: false,
  accent: "accent",
  hue: "hue",
  font: "serif",
  ratio: 1,
  style: { getPropertyValue: (name: string) => ` ${name} ` },
};

function series(kind: Series["kind"], x: number[], y: number[], more: Partial<Series> = {}): Series {
  const [xs, ys] = [Float64Array.from(x), Float64Array.from(y)];
  return { name: "s", kind, hue: "draw", dashed: false, x: xs, y: ys, error: null, texts: [], ...more };
}

type Part = Pick<PlotContent, "series"> & Partial<PlotContent>;

function plotOf(part: Part): PlotContent {
  const axes = { x: { ...AXIS, title: "across" }, y: { ...AXIS, title: "upwards" } };
  return { name: "p", title: "t", slugs: "", isWide: false, ...axes, ...part };
}

function painted(part: Part, width = 600): RecordingContext {
  const plot = plotOf(part);
  const layout = layOutPlot(plot, width);
  const context = recordingContext(layout.width, layout.height);
  paintPlot(context, plot, layout, LOOK);
  return context;
}

const numberOf = (text: string) => Number(text.replaceAll("−", "-"));

// Value -> pixel, by the two outermost ticks of an axis.
function scaleOf(ticks: readonly Painted[], along: 0 | 1, log: Axis["log"] = 0): (value: number) => number {
  const place = log ? Math.log : (value: number) => value;
  const sorted = ticks
    .map(({ text, points }) => ({ value: place(numberOf(text)), at: points[0][along] }))
    .sort((a, b) => a.value - b.value);
  assert.ok(sorted.length > 1, "an axis has two ticks");
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  for (const { value, at } of sorted) {
    const share = (value - first.value) / (last.value - first.value);
    assert.ok(Math.abs(at - (first.at + share * (last.at - first.at))) <= 1, "ticks stand where their numbers are");
  }
  return (value) => first.at + ((place(value) - first.value) / (last.value - first.value)) * (last.at - first.at);
}

const isNumber = ({ text }: Painted) => /^[−\d.e]+$/.test(text);
const xTicksOf = (context: RecordingContext) =>
  context.of("text").filter((one) => isNumber(one) && one.align === "center");
const yTicksOf = (context: RecordingContext) =>
  context.of("text").filter((one) => isNumber(one) && one.align === "right");
const near = (actual: number, expected: number, what: string) =>
  assert.ok(Math.abs(actual - expected) <= 1.01, `${what}: ${actual}, expected ${expected}`);

test("a line goes through its numbers and is interrupted where there is none", () => {
  const x = [0, 1, 2, 3, 4, 5];
  const y = [-3, 1.5, Number.NaN, 4, 2, Number.POSITIVE_INFINITY];
  const context = painted({ series: [series("line", x, y, { hue: "theory" })] });
  const [line] = context.of("stroke").filter(({ lineWidth }) => lineWidth === 3);
  const [px, py] = [scaleOf(xTicksOf(context), 0), scaleOf(yTicksOf(context), 1)];
  assert.equal(line.style, "--st-red-color");
  const drawn = [0, 1, 3, 4];
  assert.equal(line.points.length, drawn.length);
  drawn.forEach((n, place) => {
    near(line.points[place][0], px(x[n]), `x of ${n}`);
    near(line.points[place][1], py(y[n]), `y of ${n}`);
  });
  assert.deepEqual(line.starts, [0, 2]);
  assert.ok(line.points[2][1] < line.points[0][1], "more is higher up");
});

test("lines of several runs differ in colour", () => {
  const hues = ["query", "key", "other", "unscaled", "draw", "convolution", "dilated", "restricted"];
  const colours = hues.map((hue) => colourOf({ hue }, LOOK));
  assert.ok(colours.every(Boolean));
  assert.equal(new Set(colours).size, hues.length);
});

test("bars stand on zero, between their edges, as high as their numbers", () => {
  const edges = [0, 1, 3, 4, 8];
  const heights = [0.5, 2, Number.NaN, 1.25];
  const plot = { series: [series("bars", edges, heights)] };
  const context = painted(plot);
  const [marks] = layOutPlot(plotOf(plot), 600).points;
  const [px, py] = [scaleOf(xTicksOf(context), 0), scaleOf(yTicksOf(context), 1)];
  const bars = context.of("rect");
  assert.deepEqual([bars[0].style, bars[0].alpha], ["--st-gray-color", 0.55]);
  [0, 1, 3].forEach((n, place) => {
    const [[left, top], [right, bottom]] = bars[place].points;
    near(left, px(edges[n]), `left of ${n}`);
    near(right + 1, px(edges[n + 1]), `right of ${n}`); // a pixel stays free
    near(top, py(heights[n]), `top of ${n}`);
    near(bottom, py(0), `foot of ${n}`);
    near(marks[n]?.[0] ?? 0, (left + right) / 2, `where ${n} is pointed at`);
  });
});

test("points have their errors around them, on logarithmic axes too", () => {
  const x = [1, 10, 100, 1000];
  const y = [0.01, 1, 0, 100];
  const error = Float64Array.of(0.005, 0.5, 1, Number.NaN);
  const axes = { x: { ...AXIS, log: 10 }, y: { ...AXIS, log: 10 } } as const;
  const context = painted({ ...axes, series: [series("points", x, y, { error })] });
  const [px, py] = [scaleOf(xTicksOf(context), 0, 10), scaleOf(yTicksOf(context), 1, 10)];
  assert.deepEqual(
    xTicksOf(context).map(({ text }) => text),
    ["1", "10", "100", "1000"],
  );
  const dots = context.of("fill");
  [0, 1, 3].forEach((n, place) => {
    near(dots[place].points[0][0], px(x[n]), `x of ${n}`);
    near(dots[place].points[0][1], py(y[n]), `y of ${n}`);
  });
  assert.equal(dots.length, 3); // 0 has no place on a logarithmic axis
  const errors = context.of("stroke").filter(({ lineWidth }) => lineWidth === 2);
  [0, 1].forEach((n) => {
    const heights = errors[n].points.map(([, at]) => at);
    near(Math.max(...heights), py(y[n] - error[n]), `below ${n}`);
    near(Math.min(...heights), py(y[n] + error[n]), `above ${n}`);
  });
  assert.equal(errors.length, 2); // none for a point without an error or a place
});

test("powers of two are written out, and named places have their names", () => {
  const sizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
  const powers = painted({ x: { ...AXIS, log: 2 }, series: [series("line", sizes, sizes)] });
  for (const { text } of xTicksOf(powers)) assert.ok(Number.isInteger(Math.log2(Number(text))), text);
  scaleOf(xTicksOf(powers), 0, 2);
  const names = ["one", "two", "three"];
  const named = painted({ x: { ...AXIS, labels: names }, series: [series("points", [0, 1, 2], [3, 1, 2])] });
  const dots = named.of("fill");
  names.forEach((name, n) => near(named.placeOf(name)?.[0] ?? 0, dots[n].points[0][0], name));
  const many = names.flatMap((name) => [`${name} of a long kind`, `${name} of another kind`]);
  const slanted = painted({ x: { ...AXIS, labels: many }, series: [series("points", [0, 5], [1, 2])] }, 400);
  const [first] = slanted.of("text").filter(({ text }) => text === many[0]);
  assert.equal(first.align, "right"); // it ends where its point is
  near(first.points[0][0], slanted.of("fill")[0].points[0][0] + 4, "a slanted name");
});

test("an axis reaches as far as it is told, and every number is inside", () => {
  const y = { ...AXIS, low: 0, high: 10 };
  const context = painted({ y, series: [series("line", [0, 1], [4, 5])] });
  const values = yTicksOf(context).map(({ text }) => numberOf(text));
  assert.deepEqual([Math.min(...values), Math.max(...values)], [0, 10]);
  for (const one of [[7], [0], [-2], [1e-12], [1e9], [], [Number.NaN]]) {
    const alone = painted({ series: [series("points", one, one)] });
    for (const { points } of alone.painted)
      for (const [x, height] of points) assert.ok(Number.isFinite(x) && Number.isFinite(height), String(one));
  }
});

test("a fixed axis ends where it is told, and what lies beyond is no point", () => {
  const [x, y] = [
    { ...AXIS, low: -2, high: 2, isFixed: true },
    { ...AXIS, low: 0, high: 1, isFixed: true },
  ];
  const plot = plotOf({ x, y, series: [series("points", [-9, -2, 0, 2, 9], [0, 0, 0.5, 1, 1])] });
  const { box, points, px, py } = layOutPlot(plot, 600);
  assert.deepEqual([px(-2), px(2)], [box.left, box.right]);
  assert.deepEqual([py(0), py(1)], [box.bottom, box.top]);
  assert.deepEqual(
    points[0].map((point) => point !== null),
    [false, true, true, true, false],
  );
});

test("a plot is as high as there is room", () => {
  const plot = plotOf({ series: [series("points", [0, 1], [0, 1])] });
  assert.deepEqual(
    [300, 500, 900].map((tallest) => layOutPlot(plot, 1500, tallest).height),
    [300, 500, 900],
  );
  assert.equal(layOutPlot(plot, 500, 900).height, 310); // in proportion to its width
});

test("titles, hues, dashes, and the mark of a point", () => {
  const dashed = series("line", [0, 1], [0, 1], { dashed: true, hue: "recurrent" });
  const context = painted({ series: [dashed] });
  const [line] = context.of("stroke").filter(({ lineWidth }) => lineWidth === 3);
  assert.deepEqual([line.dash.length > 0, line.style], [true, "#d55e00"]);
  assert.ok(context.placeOf("across") && context.placeOf("upwards"));
  const mark = recordingContext();
  paintMark(mark, [30, 40], "red", { box: { left: 0, right: 100, top: 5, bottom: 90 } }, LOOK);
  assert.deepEqual(mark.of("stroke")[0].points, [
    [30, 5],
    [30, 90],
  ]);
  assert.deepEqual([mark.of("fill")[0].style, mark.of("fill")[0].points[0]], ["red", [30, 40]]);
  for (const [kind, what] of [
    ["bars", "rect"],
    ["line", "stroke"],
    ["points", "fill"],
  ] as const) {
    const swatch = recordingContext(28, 12);
    paintSwatch(swatch, series(kind, [], [], { hue: "query" }), LOOK);
    assert.deepEqual(
      swatch.painted.map((one) => [one.kind, one.style]),
      [[what, "--st-blue-color"]],
    );
  }
});

test("a pointer finds the point that is nearest across, then upwards", () => {
  // biome-ignore format: points
  const points = [[[0, 0], [50, 100], null], [[0, 60], [50, 20], [100, 5]]] as const;
  assert.deepEqual(nearest({ points }, 48, 90), { series: 0, point: 1 });
  assert.deepEqual(nearest({ points }, 48, 30), { series: 1, point: 1 });
  assert.deepEqual(nearest({ points }, 95, 100), { series: 1, point: 2 });
  assert.equal(nearest({ points: [[null]] }, 0, 0), null);
});

test("a plot is another as soon as one number is", () => {
  const numbers = () => ({ shape: [2], values: Float64Array.of(1, Number.NaN) });
  const sent = (change = {}) => {
    const one = { name: "s", kind: "line", hue: "draw", dashed: false, x: numbers(), y: numbers(), texts: [] } as const;
    return {
      name: "p",
      title: "t",
      x: AXIS,
      y: AXIS,
      slugs: "",
      isWide: false,
      series: [{ ...one, error: null, ...change }],
    };
  };
  assert.ok(isSame(contentOf(sent()), contentOf(sent())));
  const [other, longer] = [Float64Array.of(1, 2), Float64Array.of(1, Number.NaN, 2)];
  for (const change of [
    { y: { shape: [2], values: other } },
    { x: { shape: [2], values: other } },
    { x: { shape: [3], values: longer } },
    { error: numbers() },
    { name: "another" },
  ]) {
    assert.ok(!isSame(contentOf(sent()), contentOf(sent(change))), JSON.stringify(change));
  }
});
