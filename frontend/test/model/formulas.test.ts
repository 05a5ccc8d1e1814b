// The paper's formulas in closed form.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ACTIVATIONS } from "../../src/model/activations.ts";
import { TransformerConfig } from "../../src/model/config.ts";
import { hooksOf } from "../../src/model/interventions.ts";
import { sinusoidalEncoding } from "../../src/model/layers.ts";
import { paddingMask, targetPaddingMask, withCausalMask } from "../../src/model/masks.ts";
import {
  appended,
  type Floats,
  idsOf,
  joinHeads,
  logSoftmax,
  softmax,
  splitHeads,
  sum,
  taken,
} from "../../src/model/tensor.ts";

const floats = (shape: number[], values: number[]): Floats => ({ shape, values: Float32Array.from(values) });
const count = (shape: number[]) => floats(shape, [...Array(shape.reduce((a, b) => a * b)).keys()]);

function near(actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-6): void {
  assert.equal(actual.length, expected.length);
  for (const [n, value] of expected.entries())
    assert.ok(Math.abs(actual[n] - value) <= tolerance, `${actual[n]} is not ${value}`);
}

test("softmax: equal scores share, and what is masked gets nothing", () => {
  near(softmax(floats([2, 3], [5, 5, 5, -Infinity, 0, Math.log(3)])).values, [1 / 3, 1 / 3, 1 / 3, 0, 0.25, 0.75]);
  assert.ok(softmax(floats([1, 2], [-Infinity, -Infinity])).values.every(Number.isNaN));
  near(softmax(floats([1, 2], [1000, 1000])).values, [0.5, 0.5]);
});

test("log-softmax of numbers whose exponentials float32 cannot hold", () => {
  near(
    logSoftmax(floats([1, 2], [1000, 998])).values,
    [-Math.log1p(Math.exp(-2)), -2 - Math.log1p(Math.exp(-2))],
    1e-5,
  );
});

test("heads are split and joined without loss, and each has its columns", () => {
  const x = count([2, 3, 4]); // [B, L, H·D]
  const heads = splitHeads(x, 2); // [B, H, L, D]
  assert.deepEqual(heads.shape, [2, 2, 3, 2]);
  assert.deepEqual([...heads.values.subarray(0, 6)], [0, 1, 4, 5, 8, 9]);
  assert.deepEqual(joinHeads(heads), x);
});

test("a cache grows by columns, and its rows follow a beam", () => {
  const kept = appended(count([2, 1, 1, 2]), count([2, 1, 2, 2])); // [B, H, t + T, D]
  assert.deepEqual(kept, floats([2, 1, 3, 2], [0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7]));
  assert.deepEqual(taken(kept, [1, 1]).values.slice(6), kept.values.slice(6));
});

test("a sum repeats what has fewer axes", () => {
  assert.deepEqual(sum(count([2, 2]), floats([2], [10, 20])), floats([2, 2], [10, 21, 12, 23]));
  assert.throws(() => sum(count([2, 2]), count([3])), /\[3\] cannot be added to \[2,2\]/);
});

test("sinusoids: interleaved as in the paper, or all sines first", () => {
  near(sinusoidalEncoding(2, 4).values, [0, 1, 0, 1, Math.sin(1), Math.cos(1), Math.sin(0.01), Math.cos(0.01)]);
  near(sinusoidalEncoding(2, 4, true).values.slice(4), [Math.sin(1), Math.sin(0.01), Math.cos(1), Math.cos(0.01)]);
});

test("activations at known places", () => {
  const { relu, gelu, swish } = ACTIVATIONS;
  near([relu(-2), relu(3), swish(0), swish(1)], [0, 3, 0, 1 / (1 + Math.exp(-1))]);
  // x times the normal distribution's function, from a table
  near([gelu(0), gelu(1), gelu(-1), gelu(3), gelu(9), gelu(-9)], [0, 0.8413447, -0.1586553, 2.9959503, 9, 0]);
});

test("masks: padding, the future, and a start token that is padding's", () => {
  const ids = idsOf([[0, 5, 0]]);
  assert.deepEqual([...paddingMask(ids, 0).values], [0, 1, 0]);
  assert.deepEqual([...targetPaddingMask(ids, 0, 0).values], [1, 1, 0]);
  const causal = withCausalMask(targetPaddingMask(ids, 0, 0), 2); // the last two of three positions ask
  assert.deepEqual(causal, { shape: [1, 1, 2, 3], values: Uint8Array.of(1, 1, 0, 1, 1, 0) });
});

test("a config is the paper's base model where it says nothing", () => {
  const { d_k, scoreDivisor, decoder, hasFinalNorms } = new TransformerConfig();
  assert.deepEqual([d_k, scoreDivisor, hasFinalNorms, decoder.n_heads], [64, 8, false, 8]);
  const uneven = new TransformerConfig({ n_decoder_heads: 16, decoder_d_ff: 7, norm_first: true });
  assert.deepEqual([uneven.decoder.d_k, uneven.decoder.d_ff, uneven.hasFinalNorms], [32, 7, true]);
});

for (const [name, changes, message] of [
  ["another field", { d_modle: 3 }, /fields that this version does not know: d_modle/],
  ["a half", { d_model: 1.5 }, /d_model must be a whole number from 1 to 1048576; it was 1.5/],
  ["a word", { positions: "rotary" }, /positions must be one of sinusoidal, learned, none; it was "rotary"/],
  ["heads that do not fit", { n_heads: 5 }, /512 is not divisible by 5/],
  ["an odd width", { d_model: 5, n_heads: 1 }, /even d_model/],
  ["a huge table", { max_len: 2 ** 20 }, /max_len is at most 8192; it was 1048576/],
  ["uneven vocabularies", { source_vocab_size: 5 }, /the same size; they have 5 and 37000 tokens/],
  ["an id beyond", { end_id: 37_000 }, /end_id must be a whole number from 0 to 36999/],
] as const) {
  test(`a config is refused: ${name}`, () => {
    assert.throws(() => new TransformerConfig(changes as object), { name: "SentenceError", message });
  });
}

test("interventions that do not fit are refused", () => {
  const config = new TransformerConfig();
  const refused = (one: object, message: RegExp) =>
    assert.throws(() => hooksOf([one as never], config), { name: "SentenceError", message });
  refused({ kind: "AblateHeads", heads: [["cross", 0, 8]] }, /heads 0 to 7; there is no head 8/);
  refused({ kind: "AblateHeads", heads: [["cross", 6, 0]] }, /cross attention has layers 0 to 5/);
  refused({ kind: "ScaleHead", head: ["self", 0, 0], factor: 1 }, /module must be one of .*; it was "self"/);
  refused({ kind: "ScaleHead", head: ["cross", 0, 0], factor: 0 }, /factor must be a number from 0.001 to 1000/);
  refused({ kind: "Temperature", temperature: null }, /temperature must be/);
  refused({ kind: "ScaleScores", divisor: "d" }, /divisor must be one of/);
  refused({ kind: "ShiftPositions", offset: -1, side: "both" }, /offset must be/);
  refused({ kind: "PermuteSource", order: [0, 2] }, /each of 0 to 1 once; it was \[0,2\]/);
  refused({ kind: "toString" }, /no intervention "toString"/);
  const twice = { kind: "ScaleScores", divisor: "none" } as const;
  assert.throws(() => hooksOf([twice, twice], config), /listed 2 times/);
  assert.throws(
    () =>
      hooksOf(
        [{ kind: "ScaleHead", head: ["cross", 0, 0], factor: 2 }],
        new TransformerConfig({ sublayers: "feed_forward" }),
      ),
    /no attention/,
  );
});
