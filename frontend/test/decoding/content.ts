// A search of three steps with a beam of two, as decoding/pack.py sends it.

import type { SearchContent } from "../../src/decoding/search.ts";

const numbers = (...values: number[]) => ({ shape: [values.length], values: Float64Array.from(values) });
const integers = (...values: number[]) => ({ shape: [values.length], values: Int32Array.from(values) });
const codes = (...values: number[]) => ({ shape: [values.length], values: Uint8Array.from(values) });

//   step 1      step 2            step 3
//   a ───────── b (of a) ──────── </s> (of b, finished, the output)
//   c ───────── </s> (of c)       d (of b, lives on)
//   e (pruned)  f (of a, pruned)
export const SEARCH: SearchContent = {
  method: "beam",
  beam: 2,
  normalization: "gnmt",
  alpha: 0.6,
  counts: integers(3, 3, 2),
  nodes: {
    parents: integers(-1, -1, -1, 0, 1, 0, 0, 0),
    tokens: ["a", "c", "e", "b", "</s>", "f", "</s>", "d"],
    logProbs: numbers(-0.5, -1, -3, -0.25, -0.125, -2, -0.0625, -4),
    sums: numbers(-0.5, -1, -3, -0.75, -1.125, -2.5, -0.8125, -4.75),
    scores: numbers(-0.5, -1, -3, -0.7, -1.05, -2.3, -0.7, -4),
    margins: numbers(0, 0, 2, 0, 0, 1.75, 0, 0),
    probabilities: numbers(...Array(8).fill(Number.NaN)),
    statuses: { names: ["finished", "live", "pruned"], codes: codes(1, 1, 2, 1, 0, 2, 0, 1) },
    reasons: { names: ["among_the_best", "beam_full", "ended"], codes: codes(0, 0, 1, 0, 2, 1, 2, 0) },
  },
  draws: { draw: numbers(), kept: integers(), mass: numbers(), low: numbers(), high: numbers() },
  best: [2, 0],
  end: "</s>",
  greedy: [0, 0, 0],
  ended: [
    { node: [1, 1], text: "c" },
    { node: [2, 0], text: "a b" },
    { node: [2, 1], text: "a b d" },
  ],
  rankings: {
    alphas: numbers(0, 0.6, 2),
    counts: integers(1, 2, 2),
    nodes: { shape: [5, 2], values: Int32Array.of(1, 1, 2, 0, 1, 1, 2, 0, 1, 1) },
    scores: numbers(-1.125, -0.7, -1.05, -0.4, -0.9),
    steps: integers(2, 3, 3),
    needsSearch: codes(0, 0, 1),
  },
  cache: {
    layers: 2,
    heads: 4,
    width: 8,
    source: 5,
    with: numbers(100, 110, 120),
    without: numbers(100, 220, 360),
    size: numbers(10, 20, 30),
  },
};
