// All heads of a pass, or of a snapshot of a training run, as maps.py sends them.

import type { Tensor } from "../kit/codec.ts";
import { WEIGHTS } from "../kit/colour.ts";
import { type Attending, type HeadMatrix, labelled } from "../matrix/words.ts";

// One attention module.
export interface Axes extends Attending {
  readonly name: string;
  readonly layers: number;
  readonly heads: number; // of each layer
}

export interface PackedModule extends Axes {
  readonly allowed: readonly number[]; // for each layer, how many cells may be attended to
  readonly mask: Tensor<Uint8Array>; // one bit a cell, most significant first, (layers, T, S)
}

export interface Score {
  readonly name: string;
  readonly label: string;
  readonly values: Readonly<Record<string, Tensor<Float64Array>>>; // by module, (layers, heads); NaN where there is none
}

export interface PackedMaps {
  readonly modules: readonly (PackedModule & { readonly codes: Tensor<Uint16Array> })[];
  readonly steps: number; // the code of a weight of 1
  readonly scores: readonly Score[];
}

export interface HeadMaps {
  readonly modules: readonly ModuleMaps[];
  readonly steps: number;
  readonly scores: readonly Score[];
}

export function headMaps({ modules, steps, scores }: PackedMaps): HeadMaps {
  return { modules: modules.map((module) => new ModuleMaps(module, module.codes.values, steps)), steps, scores };
}

// Masks and weights are unpacked on first use: most are never shown.
export class ModuleMaps implements Axes {
  readonly name: string;
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  readonly predicted: readonly string[];
  readonly layers: number;
  readonly heads: number;
  readonly allowed: readonly number[];
  readonly #bits: Uint8Array;
  readonly #codes: Uint16Array;
  readonly #steps: number;
  readonly #masks: Uint8Array[] = [];
  readonly #spreads: Uint16Array[] = [];
  readonly #weights: Float32Array[] = []; // of each head of each layer

  // `codes`: by layer and head, the weights of the cells that may be attended to, in multiples of 1 / `steps`.
  constructor(about: PackedModule, codes: Uint16Array, steps: number) {
    this.name = about.name;
    this.queries = about.queries;
    this.keys = about.keys;
    this.predicted = about.predicted;
    this.layers = about.layers;
    this.allowed = about.allowed;
    this.#bits = about.mask.values;
    this.#codes = codes;
    this.heads = about.heads;
    this.#steps = steps;
  }

  // The number of cells in a matrix.
  get size(): number {
    return this.queries.length * this.keys.length;
  }

  // 1 in a cell that may be attended to, (T, S).
  maskIn(layer: number): Uint8Array {
    return (this.#masks[layer] ??= bitsOf(this.#bits, layer * this.size, this.size));
  }

  // Of all heads, (heads, T, S); masked cells, which have no code, are 0.
  codesIn(layer: number): Uint16Array {
    const { heads, allowed } = this;
    const start = heads * allowed.slice(0, layer).reduce((sum, cells) => sum + cells, 0);
    const own = this.#codes.subarray(start, start + heads * allowed[layer]);
    return (this.#spreads[layer] ??= spread(own, this.maskIn(layer), heads));
  }

  // Of one head, (T, S); the same array each time.
  weightsOf(layer: number, head: number): Float32Array {
    const codes = this.codesIn(layer).subarray(head * this.size, (head + 1) * this.size);
    return (this.#weights[layer * this.heads + head] ??= Float32Array.from(codes, (code) => code / this.#steps));
  }
}

// One head's weights as a figure shows them.
export function matrixOf(module: ModuleMaps, layer: number, head: number): HeadMatrix {
  const [values, mask] = [module.weightsOf(layer, head), module.maskIn(layer)];
  return { ...labelled(module), layer, head, scale: WEIGHTS, values, mask };
}

// The module that a view names.
export function moduleOf<Module extends Axes>(
  modules: readonly Module[],
  { module }: { readonly module: string },
): Module {
  return modules.find(({ name }) => name === module) ?? modules[0];
}

// `length` bits from `first` on, one a byte.
export function bitsOf(bits: Uint8Array, first: number, length: number): Uint8Array {
  const cells = new Uint8Array(length);
  for (let n = 0, bit = first; n < length; n++, bit++) cells[n] = (bits[bit >> 3] >> (7 - (bit & 7))) & 1;
  return cells;
}

function spread(codes: Uint16Array, mask: Uint8Array, heads: number): Uint16Array {
  if (codes.length === heads * mask.length) return codes;
  const all = new Uint16Array(heads * mask.length);
  let next = 0;
  for (let head = 0; head < heads; head++) {
    for (let n = 0; n < mask.length; n++) if (mask[n]) all[head * mask.length + n] = codes[next++];
  }
  return all;
}
