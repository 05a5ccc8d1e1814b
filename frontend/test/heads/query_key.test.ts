// From query and key to the weight: every strip, number and bar, held against the recorded stages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellUnder, layOutQueryKey } from "../../src/heads/query_key_layout.ts";
import { paintPlace, paintQueryKey } from "../../src/heads/query_key_paint.ts";
import { numbersOf, type Place, type StagesModule } from "../../src/heads/stages.ts";
import { divergingTo } from "../../src/kit/colour.ts";
import { recordingContext } from "../canvas.ts";
import { assertColour, signedColour, weightColour } from "../colours.ts";
import { cross, packedModule, tensor, weight } from "../maps/sent.ts";

const HEADS = 2;
const DEPTH = 5;
const [T, S] = [cross.queries.length, cross.keys.length];
const LOOK = { text: "#111", background: "#fff", accent: "#00f", font: "serif", ratio: 1 };
const TITLES = { q: "q", k: "k", product: "q × k", score: "score", scaled: "scaled", weight: "weight" };

// Numbers of either sign; changing any one index gives another number.
const q = (layer: number, head: number, i: number, d: number) => ((13 * layer + 11 * head + 5 * i + 3 * d) % 17) - 8;
const k = (layer: number, head: number, j: number, d: number) =>
  ((7 * layer + 3 * head + 6 * j + 4 * d) % 19) / 10 - 0.9;
const score = (layer: number, head: number, i: number, j: number) => 10 * weight(layer, head, i, j) - 4;

function filled(rows: number, columns: number, of: (head: number, row: number, column: number) => number) {
  const values = new Float32Array(HEADS * rows * columns);
  for (let n = 0, head = 0; head < HEADS; head++)
    for (let row = 0; row < rows; row++) for (let c = 0; c < columns; c++) values[n++] = of(head, row, c);
  return tensor(values, HEADS, rows, columns);
}

const module: StagesModule = {
  ...packedModule(cross, HEADS),
  depth: DEPTH,
  stages: Array.from({ length: cross.layers }, (_, layer) => ({
    q: filled(T, DEPTH, (head, i, d) => q(layer, head, i, d)),
    k: filled(S, DEPTH, (head, j, d) => k(layer, head, j, d)),
    scores: filled(T, S, (head, i, j) => score(layer, head, i, j)),
    scaled: filled(T, S, (head, i, j) => score(layer, head, i, j) / 2),
    weights: filled(T, S, (head, i, j) => (cross.isAllowed(layer, i, j) ? weight(layer, head, i, j) : 0)),
  })),
};
const PLACE: Place = { layer: 1, head: 1, query: 2 };
const { layer, head, query } = PLACE;
const all = (count: number) => [...Array(count).keys()];
const near = (actual: ArrayLike<number>, expected: number[]) => {
  assert.equal(actual.length, expected.length);
  expected.forEach((value, n) => assert.ok(Math.abs(actual[n] - value) < 1e-5, `${n}: ${actual[n]} and not ${value}`));
};

test("the numbers of a query are those of its layer, head and row", () => {
  const numbers = numbersOf(module, PLACE);
  near(
    numbers.q,
    all(DEPTH).map((d) => q(layer, head, query, d)),
  );
  near(
    numbers.k,
    all(S).flatMap((j) => all(DEPTH).map((d) => k(layer, head, j, d))),
  );
  near(
    numbers.products,
    all(S).flatMap((j) => all(DEPTH).map((d) => q(layer, head, query, d) * k(layer, head, j, d))),
  );
  near(
    numbers.sums,
    all(S).map((j) => all(DEPTH).reduce((sum, d) => sum + q(layer, head, query, d) * k(layer, head, j, d), 0)),
  );
  near(
    numbers.scores,
    all(S).map((j) => score(layer, head, query, j)),
  );
  near(
    numbers.scaled,
    all(S).map((j) => score(layer, head, query, j) / 2),
  );
  assert.deepEqual(
    [...numbers.mask],
    all(S).map((j) => Number(cross.isAllowed(layer, query, j))),
  );
  assert.ok(numbers.mask.includes(0) && numbers.mask.includes(1));
});

test("the scales reach over all queries and keys of the head, so that another query changes no colour", () => {
  const vectors = Math.max(
    ...all(DEPTH).flatMap((d) => [
      ...all(T).map((i) => Math.abs(q(layer, head, i, d))),
      ...all(S).map((j) => Math.abs(k(layer, head, j, d))),
    ]),
  );
  const products = Math.max(
    ...all(DEPTH).flatMap((d) =>
      all(T).flatMap((i) => all(S).map((j) => Math.abs(q(layer, head, i, d) * k(layer, head, j, d)))),
    ),
  );
  for (const one of all(T)) {
    const numbers = numbersOf(module, { ...PLACE, query: one });
    near([numbers.vectorExtent, numbers.productExtent], [vectors, products]);
  }
});

test("every cell has the colour of its number, every key its score, scaled score and weight", () => {
  const layout = layOutQueryKey(cross.keys, DEPTH, 900, LOOK);
  const numbers = numbersOf(module, PLACE);
  const scales = { vectors: divergingTo(8, false), products: divergingTo(20, false) };
  const context = recordingContext(layout.width, layout.height);
  paintQueryKey(context, layout, cross.keys, numbers, scales, TITLES, LOOK);
  const cellAt = (x: number, y: number) =>
    context
      .of("rect")
      .find(({ points: [[left, top], [right]] }) => left === x && top === y + 1 && right === x + layout.cell);
  const strip = (left: number, y: number, of: (d: number) => number, extent: number, where: string) => {
    for (const d of all(DEPTH))
      assertColour(cellAt(left + d * layout.cell, y)?.style, signedColour(of(d), extent), `${where} ${d}`);
  };
  const textsIn = (y: number) => context.of("text").filter(({ points: [[, ty]] }) => Math.abs(ty - y) < 2);
  strip(layout.left, layout.qTop, (d) => q(layer, head, query, d), 8, "q");
  strip(layout.productLeft, layout.qTop, (d) => q(layer, head, query, d), 8, "q over the products");
  for (const j of all(S)) {
    const y = layout.top + j * layout.rowHeight;
    const middle = y + layout.rowHeight / 2;
    strip(layout.left, y, (d) => k(layer, head, j, d), 8, `k ${j}`);
    strip(layout.productLeft, y, (d) => q(layer, head, query, d) * k(layer, head, j, d), 20, `product ${j}`);
    const value = weight(layer, head, query, j);
    const isAllowed = cross.isAllowed(layer, query, j);
    const texts = textsIn(middle).map(({ text }) => text);
    const shown = [score(layer, head, query, j), score(layer, head, query, j) / 2].map((one) =>
      one.toFixed(4).replace("-", "−"),
    );
    assert.deepEqual(texts, [String(j + 1), cross.keys[j], ...shown, ...(isAllowed ? [value.toFixed(4)] : [])]);
    const inRow = context
      .of("rect")
      .filter(({ points: [[left, top]] }) => left === layout.weightLeft && top > y && top < y + layout.rowHeight);
    if (isAllowed) {
      const [ground, bar] = inRow;
      assert.deepEqual([ground.points[1][0], ground.alpha], [layout.weightLeft + layout.weightWidth, 0.15]);
      assert.ok(Math.abs(bar.points[1][0] - layout.weightLeft - value * layout.weightWidth) < 1e-4);
      assertColour(bar.style, weightColour(value), `weight ${j}`);
    } else {
      assert.deepEqual(
        inRow.map(({ style }) => typeof style),
        ["object"],
      ); // hatched
    }
  }
});

test("what is pointed at is the cell under the pointer, and its frames lie over q, k and the product", () => {
  const layout = layOutQueryKey(cross.keys, DEPTH, 900, LOOK);
  const { left, productLeft, cell, top, rowHeight, qTop } = layout;
  assert.deepEqual(cellUnder(layout, left + 3.5 * cell, top + 1.5 * rowHeight), { key: 1, dimension: 3 });
  assert.deepEqual(cellUnder(layout, productLeft + 0.5 * cell, top + 2.5 * rowHeight), { key: 2, dimension: 0 });
  assert.deepEqual(cellUnder(layout, 2, top + 0.5 * rowHeight), { key: 0, dimension: null });
  assert.equal(cellUnder(layout, left + 1, top - 1), null);
  assert.equal(cellUnder(layout, left + 1, top + S * rowHeight + 1), null);
  const context = recordingContext(layout.width, layout.height);
  paintPlace(context, layout, cross.keys, { key: 1, dimension: 3 }, LOOK);
  const [row, ...frames] = context.of("outline");
  assert.deepEqual(
    row.points.map(([, y]) => y),
    [top + rowHeight - 0.5, top + 2 * rowHeight - 0.5],
  );
  assert.deepEqual(
    frames.map(({ points: [[x, y]] }) => [x, y]),
    [left, productLeft].flatMap((from) => [top + rowHeight, qTop].map((y) => [from + 3 * cell - 1, y])),
  );
});

test("what there is room for stays inside of it, and no two columns meet", () => {
  for (const width of [520, 700, 900, 1400]) {
    const { left, productLeft, cell, scoreRight, scaledRight, weightLeft, weightWidth, ...layout } = layOutQueryKey(
      cross.keys,
      DEPTH,
      width,
      LOOK,
    );
    const tokens = Math.max(...cross.keys.map((key) => key.length)) * 6; // as the recording canvas measures
    assert.ok(left >= tokens + 10, "beside the tokens");
    const edges = [left, left + DEPTH * cell, productLeft, productLeft + DEPTH * cell, scoreRight, scaledRight];
    edges.push(weightLeft, weightLeft + weightWidth, Math.min(layout.width, width));
    for (let n = 1; n < edges.length; n++) assert.ok(edges[n] >= edges[n - 1], `${width}: ${edges}`);
    assert.ok(layout.width <= width);
  }
});

test("of many keys no number stands in the titles or under its bar", () => {
  const keys = all(127).map((j) => `t${j}`);
  const layout = layOutQueryKey(keys, DEPTH, 900, LOOK, 450);
  const numbers = {
    q: new Float32Array(DEPTH),
    k: new Float32Array(DEPTH * keys.length),
    products: new Float64Array(DEPTH * keys.length),
    sums: new Float64Array(keys.length),
    scores: new Float32Array(keys.length),
    scaled: new Float32Array(keys.length),
    weights: Float32Array.from(keys, (_, j) => (j === 0 ? 0.7 : 0.3 / 126)),
    mask: new Uint8Array(keys.length).fill(1),
    largest: 0,
    vectorExtent: 8,
    productExtent: 20,
  };
  const scales = { vectors: divergingTo(8, false), products: divergingTo(20, false) };
  const context = recordingContext(layout.width, layout.height);
  paintQueryKey(context, layout, keys, numbers, scales, TITLES, LOOK);
  const texts = context.of("text");
  const titles = texts.filter(({ text }) => [TITLES.score, TITLES.scaled, TITLES.weight].includes(text));
  const [first] = texts.filter(({ text }) => text === "0.7000");
  assert.equal(titles.length, 3);
  for (const { text, points } of titles)
    assert.ok(points[0][1] + 3 <= first.points[0][1] - layout.fontSize / 2, `${text} ends above the first number`);
  const right = first.points[0][0] + 6 * first.text.length; // as the recording canvas measures
  const bars = context.of("rect").filter(({ points: [[left]] }) => left >= layout.weightLeft);
  assert.equal(bars.length, 2 * keys.length);
  for (const { points } of bars) {
    assert.ok(points[0][0] >= right, "a bar begins beside the number");
    assert.ok(points[1][0] <= layout.weightLeft + layout.weightWidth);
  }
});
