// Arcs and query-key as the views show them: after every change what is painted and said is of that layer, head and token.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Arcs } from "../../src/heads/arcs.ts";
import { QueryKey } from "../../src/heads/query_key.ts";
import type { Stages } from "../../src/heads/stages.ts";
import type { HeadsView } from "../../src/heads/view.ts";
import { headMaps } from "../../src/maps/maps.ts";
import type { RecordingCanvas } from "../canvas.ts";
import { assertColour, HEADS } from "../colours.ts";
import { FakeCanvas, type FakeElement, labels, read, rowsOf } from "../dom.ts";
import { causal, cross, packedMaps, packedModule, tensor, weight } from "../maps/sent.ts";

const COUNT = 3; // heads
const LOOK = { text: "#111", background: "#fff", isDark: false, accent: "#00f", hue: "", font: "serif", ratio: 1 };
const VIEW: HeadsView = {
  module: "cross",
  layer: 0,
  head: 0,
  only: null,
  score: null,
  order: "place",
  is_open: false,
  pinned: null,
  heads: [0, 1, 2],
  token: null,
  threshold: 0,
  words: false,
  nosinks: false,
};

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

function contextOf(shown: FakeElement, name: string) {
  const canvas = shown.byId(`hv-canvas-${name}`);
  assert.ok(canvas instanceof FakeCanvas);
  return canvas.context;
}

test("the arcs are those of the layer, the heads and the threshold that are chosen", () => {
  const arcs = new Arcs(() => {});
  const shown = read(arcs.element);
  const content = headMaps(packedMaps([cross], COUNT));
  arcs.setLabels(labels({ hidden: "{hidden} of {shown}" }));
  for (const change of [
    {},
    { layer: 2 },
    { heads: [1] },
    { heads: [1], layer: 2 },
    { heads: [1], layer: 2, threshold: 0.25 },
    { layer: 1, heads: [0, 2], threshold: 0.09 },
  ]) {
    const view = { ...VIEW, ...change };
    arcs.update(content, view, LOOK, 900);
    const [image] = contextOf(shown, "arcs").of("image").slice(-1);
    const picture = image.image as RecordingCanvas;
    const [left, right] = [0, picture.width - 1];
    const row = Number(shown.byId("hv-canvas-arcs").dataset.row);
    // At its left end an arc is in the row of its query; all weights of the query's row meet there.
    cross.queries.forEach((_, i) => {
      const inRow = (x: number, place: number) =>
        Array.from({ length: row }, (_pixel, y) => picture.pixelAt(x, place * row + y)[3]).reduce((a, b) => a + b, 0);
      const shownIn = (isOwn: (i: number, j: number) => boolean) =>
        view.heads.flatMap((head) =>
          cross.queries.flatMap((_query, q) =>
            cross.keys.flatMap((_key, k) => {
              const value = weight(view.layer, head, q, k);
              return isOwn(q, k) && cross.isAllowed(view.layer, q, k) && value >= view.threshold && value > 0
                ? [value]
                : [];
            }),
          ),
        ).length;
      assert.equal(inRow(left, i) > 0, shownIn((q) => q === i) > 0, `${JSON.stringify(change)}: query ${i}`);
      // An arc is 1.5 pixels thick, centred between two pixels: each of them gets 0.75 of the sum of the weights.
      const ofOne = (head: number) =>
        cross.keys
          .map((_key, j) => (cross.isAllowed(view.layer, i, j) ? weight(view.layer, head, i, j) : 0))
          .filter((value) => value >= view.threshold)
          .reduce((a, b) => a + b, 0);
      if (view.heads.length === 1) {
        const expected = 2 * 255 * Math.min(1, 0.75 * ofOne(view.heads[0]));
        assert.ok(Math.abs(inRow(left, i) - expected) < 8, `${JSON.stringify(change)}: ${inRow(left, i)}, ${expected}`);
      }
      if (i < cross.keys.length)
        assert.equal(inRow(right, i) > 0, shownIn((_q, k) => k === i) > 0, `${JSON.stringify(change)}: key ${i}`);
    });
    const all = view.heads.flatMap((head) =>
      cross.queries.flatMap((_, i) =>
        cross.keys.flatMap((_key, j) => (cross.isAllowed(view.layer, i, j) ? [weight(view.layer, head, i, j)] : [])),
      ),
    );
    const hidden = all.filter((value) => value < view.threshold).length;
    assert.equal(shown.byId("hv-hidden").textContent, `${hidden} of ${all.length}`, JSON.stringify(change));
    assert.equal(Number(shown.byId("hv-threshold").value), 100 * Math.sqrt(view.threshold));
    [0, 1, 2].forEach((head) => {
      const chip = shown.byId(`hv-toggle-${head + 1}`);
      assert.equal(chip.getAttribute("aria-pressed"), String(view.heads.includes(head)));
      assertColour(chip.style["--hue"], HEADS[head], `chip ${head}`);
    });
  }
});

test("a module with fewer heads has arcs of those that it has, and all stay chosen for the others", () => {
  const changes: Partial<HeadsView>[] = [];
  const arcs = new Arcs((part) => changes.push(part));
  const shown = read(arcs.element);
  const content = headMaps(packedMaps([causal, cross], [5, 2]));
  arcs.setLabels(labels({ hidden: "{hidden} of {shown}" }));
  const cells = (one: typeof cross) =>
    one.queries.flatMap((_, i) => one.keys.filter((_key, j) => one.isAllowed(0, i, j))).length;
  for (const [heads, module, given, lit] of [
    [[0, 1, 2, 3, 4], "cross", cross, [0, 1]],
    [[0, 1, 2, 3, 4], "decoder_self", causal, [0, 1, 2, 3, 4]],
    [[1, 4], "cross", cross, [1]],
    [[3, 4], "cross", cross, [0, 1]],
  ] as const) {
    arcs.update(content, { ...VIEW, module, layer: 0, heads, threshold: 0 }, LOOK, 900);
    assert.equal(shown.byId("hv-hidden").textContent, `0 of ${lit.length * cells(given)}`);
    const chips = Array.from({ length: module === "cross" ? 2 : 5 }, (_, n) => shown.byId(`hv-toggle-${n + 1}`));
    assert.deepEqual(
      chips.flatMap((chip, n) => (chip.getAttribute("aria-pressed") === "true" ? [n] : [])),
      lit,
    );
  }
  arcs.update(content, { ...VIEW, module: "cross", layer: 0, heads: [1], threshold: 0 }, LOOK, 900);
  shown.byId("hv-toggle-1").onclick?.({});
  assert.deepEqual(changes.at(-1)?.heads, [0, 1, 2, 3, 4]);
});

test("a kept token has its weights of the layer, head by head, in the sentence and in the table", () => {
  const arcs = new Arcs(() => {});
  const shown = read(arcs.element);
  const content = headMaps(packedMaps([cross], COUNT));
  arcs.setLabels(
    labels({ head_n: "head {head}", head_line: "{head}: {tokens}", arc_token: "{index}={weight}", separator: " " }),
  );
  arcs.update(content, VIEW, LOOK, 900);
  shown.byId("hv-table-toggle-arcs").onclick?.({});
  for (const [layer, heads, query] of [
    [1, [0, 2], 2],
    [2, [1], 0],
  ] as const) {
    arcs.update(content, { ...VIEW, layer, heads, token: ["query", query] }, LOOK, 900);
    const [columns, ...rows] = rowsOf(shown.byId("hv-table-arcs"));
    assert.deepEqual(columns, ["", ...heads.map((head) => `head ${head + 1}`)]);
    assert.deepEqual(
      rows,
      cross.keys.map((key, j) => [
        `${j + 1} ${key}`,
        ...heads.map((head) =>
          cross.isAllowed(layer, query, j) ? weight(layer, head, query, j).toFixed(4) : "masked",
        ),
      ]),
    );
    const lines = shown.byId("hv-readout-arcs").classed("head-line");
    heads.forEach((head, n) => {
      const allowed = [...cross.keys.keys()].filter((j) => cross.isAllowed(layer, query, j));
      const sorted = allowed.sort((a, b) => weight(layer, head, query, b) - weight(layer, head, query, a));
      const said = sorted.map((j) => `${j + 1}=${weight(layer, head, query, j).toFixed(4)}`).join(" ");
      assert.equal(lines[n].textContent, `${head + 1}: ${said}`);
      assertColour(String(lines[n].style.cssText), HEADS[head], `line of head ${head}`);
    });
  }
});

const DEPTH = 4;
const [T, S] = [cross.queries.length, cross.keys.length];
const vector = (layer: number, head: number, place: number, d: number) =>
  ((13 * layer + 11 * head + 5 * place + 3 * d) % 17) - 8;
const filled = (rows: number, columns: number, of: (head: number, row: number, column: number) => number) =>
  tensor(
    Float32Array.from({ length: COUNT * rows * columns }, (_, n) =>
      of(Math.floor(n / (rows * columns)), Math.floor(n / columns) % rows, n % columns),
    ),
    COUNT,
    rows,
    columns,
  );
const STAGES: Stages = {
  modules: [
    {
      ...packedModule(cross, COUNT),
      depth: DEPTH,
      stages: Array.from({ length: cross.layers }, (_, layer) => ({
        q: filled(T, DEPTH, (head, i, d) => vector(layer, head, i, d)),
        k: filled(S, DEPTH, (head, j, d) => vector(layer + 1, head, j, d)),
        scores: filled(T, S, (head, i, j) => 8 * weight(layer, head, i, j)),
        scaled: filled(T, S, (head, i, j) => 4 * weight(layer, head, i, j)),
        weights: filled(T, S, (head, i, j) => weight(layer, head, i, j)),
      })),
    },
  ],
};

test("query-key shows the numbers of the layer, head and query that are chosen", () => {
  const queryKey = new QueryKey(() => {});
  const shown = read(queryKey.element);
  queryKey.setLabels(labels({ q_writes: "q of {i} {query}, writing {predicted}" }));
  queryKey.update(STAGES, VIEW, LOOK, 900);
  shown.byId("hv-table-toggle-query-key").onclick?.({});
  for (const [layer, head, query] of [
    [1, 2, 3],
    [0, 1, 1],
    [2, 0, 0],
  ]) {
    queryKey.update(STAGES, { ...VIEW, layer, head, token: ["query", query] }, LOOK, 900);
    const rows = rowsOf(shown.byId("hv-table-query-key")).slice(1);
    rows.forEach(([, score, scaled, value, ...products], j) => {
      const one = weight(layer, head, query, j);
      const isAllowed = cross.isAllowed(layer, query, j);
      const expected = [(8 * one).toFixed(4), (4 * one).toFixed(4), isAllowed ? one.toFixed(4) : "masked"];
      assert.deepEqual([score, scaled, value], expected, `${[layer, head, query, j]}`);
      const own = products.map((text) => Number(text.replace("−", "-")));
      assert.deepEqual(
        own,
        own.map((_, d) => vector(layer, head, query, d) * vector(layer + 1, head, j, d) + 0), // no −0
      );
    });
    assert.equal(rows.length, S);
    const base = contextOf(shown, "query-key").of("image").at(-1)?.image as RecordingCanvas;
    const written = cross.predicted?.[query];
    assert.ok(base.context.placeOf(`q of ${query + 1} ${cross.queries[query]}, writing ${written}`));
    assert.equal(shown.byId(`hv-query-${query + 1}`).textContent, `${query + 1} ${written}`);
    assert.equal(shown.byId(`hv-query-${query + 1}`).getAttribute("aria-pressed"), "true");
  }
});

test("the keys lead from token to token, over to the other side, and not beyond the ends", () => {
  const arcs = new Arcs(() => {});
  const shown = read(arcs.element);
  arcs.setLabels(labels({ row_cross: "query {i} {query}", is_attended: "{key}", key_side: "key {j} {key}" }));
  arcs.update(headMaps(packedMaps([cross], COUNT)), VIEW, LOOK, 900);
  const said = (key: string) => {
    const event = { key, preventDefault() {}, stopPropagation() {} };
    shown.byId("hv-canvas-arcs").onkeydown?.(event);
    return shown.byId("hv-readout-arcs").textContent;
  };
  const [queries, keys] = [cross.queries, cross.keys];
  for (const [key, expected] of [
    ["ArrowDown", `query 1 ${queries[0]}`], // the first key pressed only shows the place
    ["ArrowDown", `query 2 ${queries[1]}`],
    ["End", `query 4 ${queries[3]}`],
    ["ArrowDown", `query 4 ${queries[3]}`],
    ["ArrowRight", `key 3 ${keys[2]}`],
    ["ArrowUp", `key 2 ${keys[1]}`],
    ["ArrowLeft", `query 2 ${queries[1]}`],
    ["Home", `query 1 ${queries[0]}`],
    ["ArrowUp", `query 1 ${queries[0]}`],
  ]) {
    assert.ok(said(key).startsWith(expected), `${key}: ${expected}`);
  }
});
