// Heads as Python would send them, from a formula for each weight, so that a test knows what has to be where.

import type { Tensor, Values } from "../../src/kit/codec.ts";
import type { PackedMaps } from "../../src/maps/maps.ts";

export const STEPS = 50_000;

export interface Given {
  readonly name: string;
  readonly layers: number;
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  readonly predicted?: readonly string[];
  isAllowed(layer: number, i: number, j: number): boolean;
}

// The weight of a cell; changing any one index gives another weight.
export function weight(layer: number, head: number, i: number, j: number): number {
  return ((17 * layer + 29 * head + 7 * i + 3 * j) % 101) / 100;
}

export function tensor<A extends Values>(values: A, ...shape: number[]): Tensor<A> {
  return { shape: shape.length ? shape : [values.length], values };
}

export const causal: Given = {
  name: "decoder_self",
  layers: 2,
  queries: ["<s>", "$x$", "世界", "d"],
  keys: ["<s>", "$x$", "世界", "d"],
  predicted: ["$x$", "世界", "d", "</s>"],
  isAllowed: (_, i, j) => j <= i,
};

// Its keys differ from its queries, and layer 1 has masked cells.
export const cross: Given = {
  name: "cross",
  layers: 3,
  queries: ["<s>", "$x$", "世界", "d"],
  keys: ["a", "b", "b"],
  predicted: causal.predicted ?? [],
  isAllowed: (layer, i, j) => layer !== 1 || (i + j) % 3 !== 0,
};

export function packedModule(given: Given, heads: number, weightOf = weight) {
  const { layers, queries, keys, isAllowed } = given;
  const bits: number[] = [];
  const codes: number[] = [];
  const allowed: number[] = [];
  for (let layer = 0; layer < layers; layer++) {
    const cells = queries.flatMap((_, i) => keys.map((_key, j) => [i, j] as const));
    const open = cells.filter(([i, j]) => isAllowed(layer, i, j));
    allowed.push(open.length);
    bits.push(...cells.map(([i, j]) => Number(isAllowed(layer, i, j))));
    for (let head = 0; head < heads; head++) {
      codes.push(...open.map(([i, j]) => Math.round(weightOf(layer, head, i, j) * STEPS)));
    }
  }
  const mask = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, n) => {
    mask[Math.floor(n / 8)] += bit * 2 ** (7 - (n % 8));
  });
  const { name, predicted = [] } = given;
  return {
    name,
    queries,
    keys,
    predicted,
    layers,
    heads,
    allowed,
    mask: tensor(mask),
    codes: tensor(Uint16Array.from(codes)),
  };
}

export function packedMaps(
  given: readonly Given[],
  heads: number | readonly number[],
  scores: PackedMaps["scores"] = [],
): PackedMaps {
  return {
    modules: given.map((one, n) => packedModule(one, typeof heads === "number" ? heads : heads[n])),
    steps: STEPS,
    scores,
  };
}
