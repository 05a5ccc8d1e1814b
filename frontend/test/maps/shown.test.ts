// All heads at a glance, as the view shows them: in which order, with which scores, and the one that is open.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HeadGrid } from "../../src/maps/head_grid.ts";
import { headMaps } from "../../src/maps/maps.ts";
import type { GlanceView } from "../../src/maps/view.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, weightColour } from "../colours.ts";
import { FakeCanvas, labels, read, rowsOf } from "../dom.ts";
import { causal, cross, packedMaps, tensor, weight } from "./sent.ts";

const HEADS = 3;
// One head has no score.
const SCORES: Readonly<Record<string, readonly number[]>> = {
  decoder_self: [0.5, 2, 1, 0.25, 4, 3],
  cross: [1, Number.NaN, 5, 0.5, 2, 3, 0, 6, 4],
};
const scores = [
  {
    name: "entropy",
    label: "Entropy",
    values: Object.fromEntries(
      Object.entries(SCORES).map(([name, values]) => [
        name,
        tensor(Float64Array.from(values), values.length / HEADS, HEADS),
      ]),
    ),
  },
];
const content = headMaps(packedMaps([causal, cross], HEADS, scores));
const LOOK = { text: "#111", background: "#fff", isDark: false, accent: "#00f", hue: "", font: "serif", ratio: 1 };
const VIEW: GlanceView = {
  module: "cross",
  layer: 0,
  head: 0,
  only: null,
  score: null,
  order: "place",
  is_open: false,
  pinned: null,
};

function shown(view: Partial<GlanceView>) {
  const glance = new HeadGrid(() => {});
  glance.setLabels(labels({ thumbnail: "{module} {layer} {head}" }));
  glance.update(content, { ...VIEW, ...view }, LOOK, 900);
  const fake = read(glance.element);
  const slots: [string, number, number][] = JSON.parse(String(fake.byId("hv-canvas-glance").dataset.slots));
  return { fake, slots };
}

const of = (name: string, slots: readonly [string, number, number][]) =>
  slots.filter(([module]) => module === name).map(([, layer, head]) => [layer, head]);

test("by place heads stand layer by layer; by score the largest first, those without one last", () => {
  const byPlace = shown({ score: "entropy" });
  const byScore = shown({ score: "entropy", order: "score" });
  for (const [name, values] of Object.entries(SCORES)) {
    const places = values.map((_, n) => [Math.floor(n / HEADS), n % HEADS]);
    assert.deepEqual(of(name, byPlace.slots), places);
    const numbers = of(name, byScore.slots).map(([layer, head]) => values[layer * HEADS + head]);
    const known = values.filter((value) => !Number.isNaN(value)).sort((a, b) => b - a);
    assert.deepEqual(numbers, [...known, ...values.filter(Number.isNaN)]);
  }
  assert.deepEqual(new Set(shown({ only: "cross" }).slots.map(([name]) => name)), new Set(["cross"]));
});

test("a sentence names the heads with the highest and the lowest score", () => {
  const glance = new HeadGrid(() => {});
  const words = { extremes: "{highest} {most} {lowest} {least}", short_head: "{module} {layer}.{head}" };
  glance.setLabels(labels(words));
  glance.update(content, { ...VIEW, score: "entropy" }, LOOK, 900);
  assert.equal(read(glance.element).byId("hv-reads").textContent, "short_cross 3.2 6.000 short_cross 3.1 0.000");
  glance.update(content, { ...VIEW, score: "entropy", only: "decoder_self" }, LOOK, 900);
  const said = read(glance.element).byId("hv-reads").textContent;
  assert.equal(said, "short_decoder_self 2.2 4.000 short_decoder_self 2.1 0.250");
  glance.update(content, VIEW, LOOK, 900);
  assert.equal(read(glance.element).byId("hv-reads").textContent, "");
});

test("the table has each head's own score", () => {
  const { fake } = shown({ score: "entropy" });
  fake.byId("hv-table-toggle-glance").onclick?.({});
  const expected = Object.entries(SCORES).flatMap(([name, values]) =>
    values.map((value, n) => [
      `${name} ${Math.floor(n / HEADS) + 1} ${(n % HEADS) + 1}`,
      Number.isNaN(value) ? "no_value" : value.toFixed(4),
    ]),
  );
  assert.deepEqual(rowsOf(fake.byId("hv-table-glance")).slice(1), expected);
});

test("the head that is open is large, with its own weights, and framed among the others", () => {
  const { fake, slots } = shown({ is_open: true, layer: 2, head: 1 });
  const canvas = fake.byId("hv-matrix-cross");
  assert.ok(canvas instanceof FakeCanvas);
  const base = canvas.context.of("image")[0].image as RecordingCanvas;
  const picture = base.context.of("image")[0].image as RecordingCanvas;
  cross.queries.forEach((_, i) => {
    cross.keys.forEach((_key, j) => assertColour(picture.pixelAt(j, i), weightColour(weight(2, 1, i, j)), `${i} ${j}`));
  });
  const glance = fake.byId("hv-canvas-glance");
  assert.ok(glance instanceof FakeCanvas);
  const [frame] = glance.context.of("outline");
  const all: [string, number, number, number, number][] = JSON.parse(String(glance.dataset.slots));
  const place = all.find(([name, layer, head]) => name === "cross" && layer === 2 && head === 1);
  assert.deepEqual(frame.points[0], [(place?.[3] ?? 0) - 2, (place?.[4] ?? 0) - 2]);
  assert.equal(slots.length, 15);
});
