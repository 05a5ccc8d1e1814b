// From q and k to the weights: every number as it was recorded and as head_stages.py sends it.

import type { Tensor } from "../kit/codec.ts";
import { bitsOf, type PackedModule } from "../maps/maps.ts";

type Numbers = Tensor<Float32Array>;

// Of one layer: q (H, T, D), k (H, S, D), the rest (H, T, S).
export interface LayerStages {
  readonly q: Numbers;
  readonly k: Numbers;
  readonly scores: Numbers;
  readonly scaled: Numbers;
  readonly weights: Numbers;
}

export interface StagesModule extends PackedModule {
  readonly depth: number; // of q and k
  readonly stages: readonly LayerStages[];
}

export interface Stages {
  readonly modules: readonly StagesModule[];
}

export interface Place {
  readonly layer: number;
  readonly head: number;
  readonly query: number;
}

// Of one query of one head: S keys, D = depth.
export interface QueryNumbers {
  readonly q: Float32Array; // (D)
  readonly k: Float32Array; // (S, D)
  readonly products: Float64Array; // (S, D), q times k
  readonly sums: Float64Array; // (S), of the products
  readonly scores: Float32Array; // (S)
  readonly scaled: Float32Array;
  readonly weights: Float32Array;
  readonly mask: Uint8Array; // (S), 1 = may be attended to
  readonly largest: number; // the key with the largest weight
  readonly vectorExtent: number; // the largest absolute value in q and k of the whole head
  readonly productExtent: number; // the largest absolute product of any query and key of the head
}

export function numbersOf(module: StagesModule, { layer, head, query }: Place): QueryNumbers {
  const [rows, columns] = [module.queries.length, module.keys.length];
  const { depth } = module;
  const stages = module.stages[layer];
  const ofHead = ({ values }: Numbers, size: number) => values.subarray(head * size, (head + 1) * size);
  const ofQuery = (numbers: Numbers, size: number) =>
    ofHead(numbers, rows * size).subarray(query * size, (query + 1) * size);
  const [allQ, k] = [ofHead(stages.q, rows * depth), ofHead(stages.k, columns * depth)];
  const q = ofQuery(stages.q, depth);
  const products = Float64Array.from(k, (value, n) => value * q[n % depth]);
  const weights = ofQuery(stages.weights, columns);
  return {
    q,
    k,
    products,
    sums: Float64Array.from({ length: columns }, (_, j) =>
      products.subarray(j * depth, (j + 1) * depth).reduce((sum, product) => sum + product, 0),
    ),
    scores: ofQuery(stages.scores, columns),
    scaled: ofQuery(stages.scaled, columns),
    weights,
    mask: bitsOf(module.mask.values, (layer * rows + query) * columns, columns),
    largest: weights.reduce((best, value, j) => (value > weights[best] ? j : best), 0),
    vectorExtent: Math.max(largestOf(allQ), largestOf(k)),
    productExtent: largestProduct(allQ, k, depth),
  };
}

function largestProduct(q: Float32Array, k: Float32Array, depth: number): number {
  const [ofQ, ofK] = [q, k].map((values) => {
    const largest = new Float64Array(depth);
    values.forEach((value, n) => {
      largest[n % depth] = Math.max(largest[n % depth], Math.abs(value));
    });
    return largest;
  });
  return largestOf(ofQ.map((size, d) => size * ofK[d]));
}

function largestOf(values: Float32Array | Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return largest;
}
