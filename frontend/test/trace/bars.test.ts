// The next tokens of a step, held against the columns that were sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "../../src/trace/bars.ts";
import type { NextTokens } from "../../src/trace/payload.ts";

const LABELS = { rest: "{count} other tokens" };
const logs = (...probabilities: number[]) => probabilities.map(Math.log);
const NEXT: NextTokens = {
  tokens: [
    ["a", "b"],
    ["b", "c", "z"], // "z" was taken, and is not among the two likeliest
    ["a", "a"],
  ],
  ranks: { shape: [3, 3], values: Int32Array.of(1, 2, 1, 1, 2, 7, 1, 2, 2) },
  logProbs: {
    shape: [3, 3],
    values: Float32Array.from([...logs(0.5, 0.25, 0.5), ...logs(0.75, 0.125, 0.0625), 0, -Infinity, -Infinity]),
  },
  taken: { shape: [3], values: Int32Array.of(1, 2, 0) },
  rest: { shape: [3], values: Float64Array.of(0.25, 0.0625, 0) },
  vocabulary: 10,
};

test("each step has its own tokens, ranks and probabilities, and the one that was taken", () => {
  const lines = linesOf(NEXT, 0, LABELS);
  assert.deepEqual(
    lines.map(({ rank, token, isTaken }) => [rank, token, isTaken]),
    [
      [1, "a", false],
      [2, "b", true],
      [null, "8 other tokens", false],
    ],
  );
  [0.5, 0.25, 0.25].forEach((probability, n) => {
    assert.ok(Math.abs(lines[n].probability - probability) < 1e-6);
    assert.ok(Math.abs(lines[n].logProb - Math.log(probability)) < 1e-6);
  });
});

test("a taken token that is not among the likeliest has its own rank", () => {
  const lines = linesOf(NEXT, 1, LABELS);
  assert.deepEqual(
    lines.map(({ rank, token, isTaken }) => [rank, token, isTaken]),
    [
      [1, "b", false],
      [2, "c", false],
      [7, "z", true],
      [null, "7 other tokens", false],
    ],
  );
  assert.ok(Math.abs(lines[2].probability - 0.0625) < 1e-6);
  assert.ok(Math.abs(lines.reduce((sum, { probability }) => sum + probability, 0) - 1) < 1e-6);
});

test("what has no probability stays in the list, and so does a rest without any", () => {
  const lines = linesOf(NEXT, 2, LABELS);
  assert.deepEqual(
    lines.map(({ probability, logProb }) => [probability, logProb]),
    [
      [1, 0],
      [0, -Infinity],
      [0, -Infinity],
    ],
  );
});

test("where all tokens are listed there is no rest", () => {
  assert.equal(linesOf({ ...NEXT, vocabulary: 2 }, 0, LABELS).length, 2);
});
