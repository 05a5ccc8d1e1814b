// A trace as trace_view.py sends it. Each weight is a formula of its place.

import type { TraceContent } from "../../src/trace/payload.ts";
import { tensor } from "../maps/sent.ts";

export const [LAYERS, HEADS] = [2, 3];
export const SOURCE = ["a", "b"];
export const READ = ["<s>", "x", "y"];
export const PREDICTED = ["x", "y", "</s>"];

export function weightAt(name: string, layer: number, head: number, i: number, j: number): number {
  const module = ["encoder_self", "decoder_self", "cross"].indexOf(name);
  return ((31 * module + 23 * layer + 41 * head + 7 * i + 13 * j) % 97) / 100;
}

export const isAllowed = (name: string, i: number, j: number): boolean => name !== "decoder_self" || j <= i;

function module(name: string, queries: readonly string[], keys: readonly string[]) {
  const cells = queries.flatMap((_, i) => keys.map((_key, j) => [i, j] as const));
  const places = Array.from({ length: LAYERS * HEADS }, (_, n) => [Math.floor(n / HEADS), n % HEADS] as const);
  const weights = places.flatMap(([layer, head]) =>
    cells.map(([i, j]) => (isAllowed(name, i, j) ? weightAt(name, layer, head, i, j) : 0)),
  );
  const mask = Array.from({ length: LAYERS }, () => cells.map(([i, j]) => Number(isAllowed(name, i, j)))).flat();
  return {
    name,
    queries,
    keys,
    predicted: name === "encoder_self" ? [] : PREDICTED,
    weights: tensor(Float32Array.from(weights), LAYERS, HEADS, queries.length, keys.length),
    mask: tensor(Uint8Array.from(mask), LAYERS, queries.length, keys.length),
  };
}

// At each step, the three likeliest tokens of a vocabulary of ten.
export const PROBABILITIES = [
  [0.5, 0.25, 0.125],
  [0.75, 0.0625, 0.04],
  [0.875, 0.0625, 0.04],
];

export function traceContent(names = ["encoder_self", "decoder_self", "cross"]): TraceContent {
  return {
    modules: names.map((name) =>
      module(name, name === "encoder_self" ? SOURCE : READ, name === "decoder_self" ? READ : SOURCE),
    ),
    read: READ,
    predicted: PREDICTED,
    next: {
      tokens: PREDICTED.map((token, step) => [token, `second ${step}`, `third ${step}`]),
      ranks: tensor(Int32Array.of(1, 2, 3, 1, 2, 3, 1, 2, 3), 3, 3),
      logProbs: tensor(Float32Array.from(PROBABILITIES.flat().map(Math.log)), 3, 3),
      taken: tensor(Int32Array.of(0, 0, 0)),
      rest: tensor(Float64Array.from(PROBABILITIES.map((row) => 1 - row.reduce((a, b) => a + b)))),
      vocabulary: 10,
    },
    doubts: [],
  };
}
