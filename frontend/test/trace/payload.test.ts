// A trace's matrices, held against the numbers that were sent: a wrong module, layer or head shows here.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tensor } from "../../src/kit/codec.ts";
import { matrixOf, type TraceContent, traceOf } from "../../src/trace/payload.ts";

const [HEADS, QUERIES, KEYS] = [3, 4, 2];
const SOURCE = ["a", "b"];
const TARGET = ["<s>", "x", "x", "y"];

// The digits of a weight are its layer, head, row and column.
const weight = (layer: number, head: number, i: number, j: number) => layer + head / 10 + i / 100 + j / 1000;
const mask = (layer: number, i: number, j: number) => Number((layer + i + j) % 3 !== 0);

function module(name: string, layers: number, queries: string[], keys: string[], heads = HEADS) {
  const [rows, columns] = [queries.length, keys.length];
  const at = (n: number) => [Math.floor(n / columns) % rows, n % columns] as const;
  const weights: Tensor<Float32Array> = {
    shape: [layers, heads, rows, columns],
    values: Float32Array.from({ length: layers * heads * rows * columns }, (_, n) => {
      const matrix = Math.floor(n / (rows * columns));
      return weight(Math.floor(matrix / heads), matrix % heads, ...at(n));
    }),
  };
  const masks: Tensor<Uint8Array> = {
    shape: [layers, rows, columns],
    values: Uint8Array.from({ length: layers * rows * columns }, (_, n) =>
      mask(Math.floor(n / (rows * columns)), ...at(n)),
    ),
  };
  return {
    name,
    queries,
    keys,
    predicted: name === "encoder_self" ? [] : ["x", "x", "y", "</s>"],
    weights,
    mask: masks,
  };
}

const content: TraceContent = {
  modules: [module("encoder_self", 1, SOURCE, SOURCE), module("cross", 3, TARGET, SOURCE)],
  read: TARGET,
  predicted: ["x", "x", "y", "</s>"],
  next: {
    tokens: [],
    ranks: { shape: [0, 1], values: new Int32Array() },
    logProbs: { shape: [0, 1], values: new Float32Array() },
    taken: { shape: [0], values: new Int32Array() },
    rest: { shape: [0], values: new Float64Array() },
    vocabulary: 9,
  },
  doubts: [],
};

test("the trace knows its layers and heads", () => {
  const trace = traceOf(content);
  assert.equal(trace.layers, 3);
  assert.equal(trace.heads, HEADS);
  assert.deepEqual(
    trace.modules.map(({ name, layers }) => [name, layers]),
    [
      ["encoder_self", 1],
      ["cross", 3],
    ],
  );
});

test("every cell of every head of every layer is the one that was recorded there", () => {
  const trace = traceOf(content);
  const [, cross] = trace.modules;
  for (let layer = 0; layer < 3; layer++) {
    for (let head = 0; head < HEADS; head++) {
      const matrix = matrixOf(cross, layer, head);
      assert.deepEqual([matrix.layer, matrix.head], [layer, head]);
      assert.equal(matrix.values.length, QUERIES * KEYS);
      for (let i = 0; i < QUERIES; i++) {
        for (let j = 0; j < KEYS; j++) {
          const where = `${layer} ${head} ${i} ${j}`;
          assert.equal(matrix.values[i * KEYS + j], Math.fround(weight(layer, head, i, j)), where);
          assert.equal(matrix.mask[i * KEYS + j], mask(layer, i, j), where);
        }
      }
    }
  }
});

test("rows are queries, columns keys, and at a row's end stands what it predicts", () => {
  const trace = traceOf(content);
  const [encoder, cross] = trace.modules.map((one) => matrixOf(one, 0, 0));
  assert.deepEqual([cross.rowLabels, cross.columnLabels, cross.rowEnds], [TARGET, SOURCE, ["x", "x", "y", "</s>"]]);
  assert.deepEqual(encoder.rowEnds, []);
});

test("a module is found by its name", () => {
  const trace = traceOf(content);
  assert.equal(trace.module("cross"), trace.modules[1]);
  assert.throws(() => trace.module("decoder_self"), /no module “decoder_self”/);
});

test("a layer that a module does not have is its last one", () => {
  const trace = traceOf(content);
  const [encoder] = trace.modules;
  const matrix = matrixOf(encoder, 2, 1);
  assert.equal(matrix.layer, 0);
  assert.equal(matrix.values[0], Math.fround(weight(0, 1, 0, 0)));
});

test("modules may have different numbers of heads: one that a module lacks is its last one", () => {
  const modules = [module("encoder_self", 2, SOURCE, SOURCE, 5), module("cross", 2, TARGET, SOURCE, 2)];
  const trace = traceOf({ ...content, modules });
  assert.equal(trace.heads, 5);
  const [encoder, cross] = trace.modules;
  for (const [asked, own] of [
    [0, 0],
    [1, 1],
    [4, 1],
  ]) {
    const [first, second] = [matrixOf(encoder, 1, asked), matrixOf(cross, 1, asked)];
    assert.deepEqual([first.head, second.head], [asked, own]);
    assert.equal(first.values[1], Math.fround(weight(1, asked, 0, 1)));
    assert.equal(second.values[1], Math.fround(weight(1, own, 0, 1)));
  }
});

test("a matrix is the same when it is asked for again, and another of another trace", () => {
  const [one, other] = [traceOf(content), traceOf(structuredClone(content))];
  const of = (trace: typeof one, head: number) => matrixOf(trace.modules[1], 1, head);
  assert.equal(of(one, 2), of(one, 2));
  assert.notEqual(of(one, 1), of(one, 2));
  assert.notEqual(of(one, 2), of(other, 2));
});
