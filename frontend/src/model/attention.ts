// Multi-head attention as the paper writes it (§3.2), every stage seen on its way.
//
// Shapes: B batch, T target (query) length, S source (key) length, H heads, D = d_k = d_model / H.

import type { TransformerConfig } from "./config.ts";
import type { See } from "./hooks.ts";
import { Linear } from "./linear.ts";
import { type Floats, joinHeads, type Mask, mapped, softmax, splitHeads, zeros } from "./tensor.ts";
import type { Parameters } from "./weights.ts";

// The keys and values that one module has computed so far, each [B, H, S, D]. In a beam that reads one source, B is 1.
export interface KeyValues {
  readonly keys: Floats;
  readonly values: Floats;
}

// MultiHead(Q, K, V) = Concat(head_1, …, head_H) W_O, head_i = Attention(Q W_Q, K W_K, V W_V)
export class MultiHeadAttention {
  readonly #path: string;
  readonly #nHeads: number;
  readonly #divisor: number; // √d_k, or 1 in a model without scaling
  readonly #wQ: Linear;
  readonly #wK: Linear;
  readonly #wV: Linear;
  readonly #wO: Linear;

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    this.#path = path;
    this.#nHeads = config.n_heads;
    this.#divisor = config.scoreDivisor;
    this.#wQ = new Linear(parameters, `${path}.w_q`);
    this.#wK = new Linear(parameters, `${path}.w_k`);
    this.#wV = new Linear(parameters, `${path}.w_v`);
    this.#wO = new Linear(parameters, `${path}.w_o`);
  }

  // x [B, S, d_model] -> its keys and values, each [B, H, S, D]
  projectKeysValues(x: Floats, see: See): KeyValues {
    const read = see(`${this.#path}.key_input`, x);
    return {
      keys: splitHeads(this.#wK.forward(read), this.#nHeads), // [B, S, H·D] -> [B, H, S, D]
      values: splitHeads(this.#wV.forward(read), this.#nHeads),
    };
  }

  // x [B, T, d_model] attends to the keys where the mask is 1 -> [B, T, d_model]
  forward(x: Floats, { keys, values }: KeyValues, mask: Mask, see: See): Floats {
    const path = this.#path;
    const read = see(`${path}.query_input`, x);
    const q = see(`${path}.q`, splitHeads(this.#wQ.forward(read), this.#nHeads)); // [B, T, H·D] -> [B, H, T, D]
    const k = see(`${path}.k`, keys); // [B, H, S, D]
    const v = see(`${path}.v`, values); // [B, H, S, D]
    const mayAttend = see(`${path}.mask`, mask); // [B or 1, 1, T or 1, S]

    const scores = see(`${path}.scores`, queriesTimesKeys(q, k)); // [B, H, T, S]
    const scaled = see(
      `${path}.scaled_scores`,
      mapped(scores, (score) => score / this.#divisor),
    );
    const masked = see(`${path}.masked_scores`, withMask(scaled, mayAttend));
    const weights = see(`${path}.weights`, softmax(masked));
    const context = see(`${path}.context`, weightsTimesValues(weights, v)); // [B, H, T, D]

    const concatenated = see(`${path}.concatenated`, joinHeads(context)); // [B, H, T, D] -> [B, T, H·D]
    return see(`${path}.output`, this.#wO.forward(concatenated));
  }
}

// QKᵀ: q [B, H, T, D], k [B or 1, H, S, D] -> [B, H, T, S]
function queriesTimesKeys(q: Floats, k: Floats): Floats {
  const [B, H, T, D] = q.shape;
  const S = k.shape[2];
  const scores = zeros(B, H, T, S);
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++) {
      const keysAt = ((k.shape[0] === 1 ? 0 : b) * H + h) * S;
      for (let t = 0; t < T; t++)
        for (let s = 0; s < S; s++) {
          const query = ((b * H + h) * T + t) * D;
          const key = (keysAt + s) * D;
          let sum = 0;
          for (let d = 0; d < D; d++) sum += q.values[query + d] * k.values[key + d];
          scores.values[((b * H + h) * T + t) * S + s] = sum;
        }
    }
  return scores;
}

// -Infinity where a query may not attend: scores [B, H, T, S], mask [B or 1, 1, T or 1, S]
function withMask(scores: Floats, mask: Mask): Floats {
  const masked = zeros(...scores.shape);
  const cell = cellsOf(mask, scores.shape);
  for (let i = 0; i < masked.values.length; i++) masked.values[i] = mask.values[cell(i)] ? scores.values[i] : -Infinity;
  return masked;
}

// Which cell of a mask [B or 1, 1, T or 1, S] belongs to number i of scores [B, H, T, S].
export function cellsOf(mask: Mask, [, H, T, S]: readonly number[]): (i: number) => number {
  const [batch, , rows] = mask.shape;
  return (i) => {
    const s = i % S;
    const t = Math.floor(i / S) % T;
    const b = Math.floor(i / (S * T * H));
    return ((batch === 1 ? 0 : b) * rows + (rows === 1 ? 0 : t)) * S + s;
  };
}

// weights [B, H, T, S] · v [B or 1, H, S, D] -> [B, H, T, D]
function weightsTimesValues(weights: Floats, v: Floats): Floats {
  const [B, H, T, S] = weights.shape;
  const D = v.shape[3];
  const context = zeros(B, H, T, D);
  const sums = new Float64Array(D);
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++) {
      const valuesAt = ((v.shape[0] === 1 ? 0 : b) * H + h) * S;
      for (let t = 0; t < T; t++) {
        const query = (b * H + h) * T + t;
        sums.fill(0);
        for (let s = 0; s < S; s++) {
          const weight = weights.values[query * S + s];
          const value = (valuesAt + s) * D;
          for (let d = 0; d < D; d++) sums[d] += weight * v.values[value + d];
        }
        context.values.set(sums, query * D);
      }
    }
  return context;
}
