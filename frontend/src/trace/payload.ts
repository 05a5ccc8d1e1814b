// A trace as trace_view.py sends it, and its matrices.

import type { Tensor } from "../kit/codec.ts";
import { WEIGHTS } from "../kit/colour.ts";
import { type Attending, type HeadMatrix, labelled } from "../matrix/words.ts";

export interface TraceContent {
  readonly modules: readonly ModuleContent[];
  readonly steps?: number; // the two-byte code of a weight of 1
  readonly read: readonly string[]; // by the decoder, step by step
  readonly predicted: readonly string[];
  readonly next: NextTokens;
  readonly doubts: readonly DoubtContent[];
}

// A sign that the model is unsure of its output.
export interface DoubtContent {
  readonly sign: "improbable" | "repeated" | "unread";
  readonly token: string; // "" where it is about all of them
  readonly value: number;
}

interface ModuleContent extends Attending {
  readonly name: string;
  readonly weights?: Tensor<Float32Array>; // (layers, H, T, S); without it, they are in `high` and `low`
  readonly high?: Tensor<Uint8Array>;
  readonly low?: Tensor<Uint8Array>;
  readonly mask: Tensor<Uint8Array>; // (layers, T, S), 1 = may attend
}

// For each of T steps the likeliest tokens, and the one that was taken.
export interface NextTokens {
  readonly tokens: readonly (readonly string[])[];
  readonly ranks: Tensor<Int32Array>; // (T, K); a step may have fewer tokens
  readonly logProbs: Tensor<Float32Array>; // (T, K)
  readonly taken: Tensor<Int32Array>; // (T), its place among the tokens
  readonly rest: Tensor<Float64Array>; // (T), the probability of all others together
  readonly vocabulary: number; // how many tokens there are
}

// The weights of all heads of one attention module. Every call returns the same arrays.
export interface HeadMaps extends Attending {
  readonly name: string;
  readonly layers: number;
  readonly heads: number;
  weightsIn(layer: number): Float32Array; // H·T·S
  maskIn(layer: number): Uint8Array; // T·S, of all heads
}

// Of one head, as recorded.
export interface RecordedMatrix extends HeadMatrix {
  readonly values: Float32Array;
  readonly mask: Uint8Array;
}

export interface Trace extends Omit<TraceContent, "modules" | "steps"> {
  readonly modules: readonly HeadMaps[];
  readonly layers: number; // of the module that has the most
  readonly heads: number; // likewise
  module(name: string): HeadMaps;
}

export function traceOf(content: TraceContent): Trace {
  const modules = content.modules.map(({ weights, high, low, mask, ...labels }): HeadMaps => {
    const { shape } = weights ?? high!;
    const values = weights?.values ?? ofTwoBytes(high!.values, low!.values, content.steps ?? 1);
    const [ofLayers, masks] = [parts({ shape, values }), parts(mask)];
    return {
      ...labels,
      layers: ofLayers.length,
      heads: shape[1],
      weightsIn: (layer) => ofLayers[layer],
      maskIn: (layer) => masks[layer],
    };
  });
  return {
    ...content,
    modules,
    layers: Math.max(...modules.map((module) => module.layers)),
    heads: Math.max(...modules.map((module) => module.heads)),
    module(name) {
      const found = modules.find((one) => one.name === name);
      if (!found) throw new Error(`The trace has no module “${name}”.`);
      return found;
    },
  };
}

// Weights, exact to the four decimals that are shown. A smaller one would be shown with an exponent and digits that two
// bytes do not hold, so it becomes 0.
function ofTwoBytes(high: Uint8Array, low: Uint8Array, steps: number): Float32Array {
  return Float32Array.from(low, (byte, n) => {
    const value = (256 * high[n] + byte) / steps;
    return value < 5e-5 ? 0 : value;
  });
}

// Along the first axis.
function parts<A extends Float32Array | Uint8Array>({ shape: [count], values }: Tensor<A>): A[] {
  const size = values.length / count;
  return Array.from({ length: count }, (_, n) => values.subarray(n * size, (n + 1) * size) as A);
}

// The weights of a layer -> the matrices of its heads. Kept, since a figure paints anew when it gets other arrays.
const matrices = new WeakMap<Float32Array, RecordedMatrix[]>();

// One head's matrix. A layer or a head that the module does not have becomes its last one.
export function matrixOf(module: HeadMaps, layer: number, chosen: number): RecordedMatrix {
  const [ownLayer, head] = [Math.min(layer, module.layers - 1), Math.min(chosen, module.heads - 1)];
  const weights = module.weightsIn(ownLayer);
  let known = matrices.get(weights);
  if (!known) matrices.set(weights, (known = Array(module.heads)));
  const size = module.queries.length * module.keys.length;
  known[head] ??= {
    ...labelled(module),
    layer: ownLayer,
    head,
    scale: WEIGHTS,
    values: weights.subarray(head * size, (head + 1) * size),
    mask: module.maskIn(ownLayer),
  };
  return known[head];
}
