// The causal mask as a figure: what may be attended to has a colour, all else is hatched.

import assert from "node:assert/strict";
import { test } from "node:test";
import { causalMask } from "../../src/decoding/mask.ts";
import { imageOf } from "../../src/matrix/heatmap.ts";
import { traceOf } from "../../src/trace/payload.ts";
import type { RecordingCanvas } from "../canvas.ts";
import "../canvas.ts";

const TOKENS = ["<s>", "a", "b"];
const N = TOKENS.length;
const CAUSAL = Uint8Array.from({ length: N * N }, (_, n) => Number(n % N <= Math.floor(n / N)));
const nothing = { shape: [0], values: new Int32Array() };
const module = (name: string, mask: Uint8Array) => ({
  name,
  queries: TOKENS,
  keys: TOKENS,
  predicted: ["a", "b", "</s>"],
  weights: { shape: [1, 1, N, N], values: new Float32Array(N * N) },
  mask: { shape: [1, N, N], values: mask },
});
const trace = traceOf({
  modules: [module("decoder_self", CAUSAL), module("cross", new Uint8Array(N * N).fill(1))],
  read: TOKENS,
  predicted: ["a", "b", "</s>"],
  next: {
    tokens: [],
    ranks: { shape: [0, 1], values: new Int32Array() },
    logProbs: { shape: [0, 1], values: new Float32Array() },
    taken: nothing,
    rest: { shape: [0], values: new Float64Array() },
    vocabulary: 5,
  },
  doubts: [],
});

for (const [isDark, colour] of [
  [false, [226, 222, 210, 255]],
  [true, [52, 59, 68, 255]],
] as const) {
  test(`a token may attend to itself and to what is before it, ${isDark ? "dark" : "light"}`, () => {
    const mask = causalMask(trace, isDark);
    assert.deepEqual([mask.rowLabels, mask.columnLabels], [TOKENS, TOKENS]);
    const image = imageOf(mask) as unknown as RecordingCanvas;
    for (let i = 0; i < N; i++) {
      for (let j = 0; j < N; j++) assert.deepEqual(image.pixelAt(j, i), j <= i ? colour : [0, 0, 0, 0], `${i} ${j}`);
    }
  });
}
