// The parts of Figure 1 of the paper: embedding with positions, feed-forward, encoder and decoder layers.
//
// Shapes: B batch, L length, T target (query) length, S source (key) length, H heads, D = d_k.

import { ACTIVATIONS } from "./activations.ts";
import { type KeyValues, MultiHeadAttention } from "./attention.ts";
import type { TransformerConfig } from "./config.ts";
import type { See } from "./hooks.ts";
import { Linear, parameter } from "./linear.ts";
import { SentenceError } from "./sentences.ts";
import { appended, type Floats, type Ids, type Mask, mapped, sum, taken, zeros } from "./tensor.ts";
import type { Parameters } from "./weights.ts";

const EPSILON = 1e-5; // under the root of a norm

// PE(pos, 2i) = sin(pos / 10000^(2i / d_model)), PE(pos, 2i + 1) = cos of the same angle (paper §3.5): [L, d_model]
export function sinusoidalEncoding(L: number, d_model: number, sinesFirst = false): Floats {
  const table = zeros(L, d_model);
  const half = d_model / 2;
  for (let position = 0; position < L; position++)
    for (let i = 0; i < half; i++) {
      const angle = position / 10_000 ** ((2 * i) / d_model);
      table.values[position * d_model + (sinesFirst ? i : 2 * i)] = Math.sin(angle);
      table.values[position * d_model + (sinesFirst ? half + i : 2 * i + 1)] = Math.cos(angle);
    }
  return table;
}

// One vector for each position: computed (sinusoidal), trained (learned), or zero (none).
class PositionalEncoding {
  readonly #path: string;
  readonly #table: Floats; // [max_len, d_model]

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    const { positions, max_len, d_model, sines_first } = config;
    this.#path = path;
    if (positions === "learned") this.#table = parameter(parameters, `${path}.table`);
    else if (positions === "sinusoidal") this.#table = sinusoidalEncoding(max_len, d_model, sines_first);
    else this.#table = zeros(max_len, d_model);
  }

  // Of positions `start` … `start + L - 1`: [L, d_model]
  forward(L: number, start: number, see: See): Floats {
    const places = Int32Array.from({ length: L }, (_, l) => start + l);
    const positions = see(`${this.#path}.positions`, { shape: [L], values: places });
    const last = positions.values.reduce((largest, position) => Math.max(largest, position), 0);
    if (last >= this.#table.shape[0]) {
      throw new SentenceError("This model knows positions 0 to {last}; position {asked} was asked for.", {
        last: this.#table.shape[0] - 1,
        asked: last,
      });
    }
    return see(`${this.#path}.encoding`, taken(this.#table, [...positions.values]));
  }
}

// Token vectors, scaled by √d_model (§3.4), plus positions (§3.5), in some models a norm.
export class Embedding {
  readonly #path: string;
  readonly #tokens: Floats; // [V, d_model]
  readonly #positions: PositionalEncoding;
  readonly #scale: number;
  readonly #norm: LayerNorm | null;

  // `tokens` is the name of the matrix, which may be another part's, too.
  constructor(config: TransformerConfig, parameters: Parameters, path: string, tokens: string) {
    this.#path = path;
    this.#tokens = parameter(parameters, tokens);
    this.#positions = new PositionalEncoding(config, parameters, `${path}.positions`);
    this.#scale = config.scale_embeddings ? Math.sqrt(config.d_model) : 1;
    this.#norm = config.embedding_norm ? new LayerNorm(parameters, `${path}.norm`) : null;
  }

  // ids [B, L], the first of them at position `start` -> [B, L, d_model]
  forward(ids: Ids, start: number, see: See): Floats {
    const [B, L] = ids.shape;
    const { values } = taken(this.#tokens, [...ids.values]);
    const tokens = { shape: [B, L, this.#tokens.shape[1]], values };
    const scaled = see(
      `${this.#path}.scaled_tokens`,
      mapped(tokens, (value) => value * this.#scale),
    );
    const x = sum(scaled, this.#positions.forward(L, start, see)); // [B, L, d_model] + [L, d_model]
    return see(`${this.#path}.output`, this.#norm?.forward(x) ?? x);
  }
}

// (x − mean) / √(variance + ε), times a weight, plus a bias; over the last axis.
export class LayerNorm {
  readonly #weight: Floats;
  readonly #bias: Floats;

  constructor(parameters: Parameters, path: string) {
    this.#weight = parameter(parameters, `${path}.weight`);
    this.#bias = parameter(parameters, `${path}.bias`);
  }

  forward(x: Floats): Floats {
    const width = this.#weight.values.length;
    const result = zeros(...x.shape);
    for (let start = 0; start < x.values.length; start += width) {
      let mean = 0;
      for (let i = 0; i < width; i++) mean += x.values[start + i] / width;
      let variance = 0;
      for (let i = 0; i < width; i++) variance += (x.values[start + i] - mean) ** 2 / width;
      const deviation = Math.sqrt(variance + EPSILON);
      for (let i = 0; i < width; i++) {
        const normed = (x.values[start + i] - mean) / deviation;
        result.values[start + i] = normed * this.#weight.values[i] + this.#bias.values[i];
      }
    }
    return result;
  }
}

// FFN(x) = activation(x W_1 + b_1) W_2 + b_2, the same at every position (§3.3).
class FeedForward {
  readonly #path: string;
  readonly #w1: Linear;
  readonly #w2: Linear;
  readonly #activation: (x: number) => number;

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    this.#path = path;
    this.#w1 = new Linear(parameters, `${path}.w_1`);
    this.#w2 = new Linear(parameters, `${path}.w_2`);
    this.#activation = ACTIVATIONS[config.activation];
  }

  // [B, L, d_model] -> [B, L, d_model]
  forward(x: Floats, see: See): Floats {
    const read = see(`${this.#path}.input`, x);
    const hidden = see(`${this.#path}.hidden`, mapped(this.#w1.forward(read), this.#activation)); // [B, L, d_ff]
    return see(`${this.#path}.output`, this.#w2.forward(hidden));
  }
}

// Add & Norm around a sub-layer: LayerNorm(x + Sublayer(x)), or pre-norm x + Sublayer(LayerNorm(x)). In a model without
// residual connections nothing is added.
class Residual {
  readonly #path: string;
  readonly #normFirst: boolean;
  readonly #isResidual: boolean;
  readonly #norm: LayerNorm;

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    this.#path = path;
    this.#normFirst = config.norm_first;
    this.#isResidual = config.residuals;
    this.#norm = new LayerNorm(parameters, `${path}.norm`);
  }

  around(x: Floats, sublayer: (x: Floats) => Floats, see: See): Floats {
    const result = this.#normFirst
      ? this.#add(x, sublayer(this.#normalise(x, see)))
      : this.#normalise(this.#add(x, sublayer(x)), see);
    return see(`${this.#path}.output`, result);
  }

  #add(x: Floats, added: Floats): Floats {
    return this.#isResidual ? sum(x, added) : added;
  }

  #normalise(x: Floats, see: See): Floats {
    return see(`${this.#path}.after_norm`, this.#norm.forward(see(`${this.#path}.before_norm`, x)));
  }
}

// One sub-layer with the Add & Norm around it, or nothing where the model lacks it.
interface Sublayer<Kind> {
  readonly inner: Kind;
  readonly add: Residual;
}

function attentionIn(config: TransformerConfig, parameters: Parameters, path: string, name: string) {
  if (!config.hasAttention) return null;
  const inner = new MultiHeadAttention(config, parameters, `${path}.${name}`);
  return { inner, add: new Residual(config, parameters, `${path}.add_${name}`) };
}

function feedForwardIn(config: TransformerConfig, parameters: Parameters, path: string) {
  if (!config.hasFeedForward) return null;
  const inner = new FeedForward(config, parameters, `${path}.feed_forward`);
  return { inner, add: new Residual(config, parameters, `${path}.add_feed_forward`) };
}

// Self-attention, then feed-forward, each in a residual (left half of Figure 1).
export class EncoderLayer {
  readonly #selfAttention: Sublayer<MultiHeadAttention> | null;
  readonly #feedForward: Sublayer<FeedForward> | null;

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    this.#selfAttention = attentionIn(config, parameters, path, "self_attention");
    this.#feedForward = feedForwardIn(config, parameters, path);
  }

  // x [B, S, d_model], sourceMask [B, 1, 1, S] -> [B, S, d_model]
  forward(x: Floats, sourceMask: Mask, see: See): Floats {
    const [attention, feedForward] = [this.#selfAttention, this.#feedForward];
    let y = x;
    if (attention) {
      const attend = (x: Floats) =>
        attention.inner.forward(x, attention.inner.projectKeysValues(x, see), sourceMask, see);
      y = attention.add.around(y, attend, see);
    }
    if (feedForward) y = feedForward.add.around(y, (x) => feedForward.inner.forward(x, see), see);
    return y;
  }
}

// What one decoder layer keeps between steps: its own keys and values, and those of the memory.
export class LayerCache {
  own: KeyValues | null = null; // [B, H, t, D], one column longer at every step
  memory: KeyValues | null = null; // [1, H, S, D], computed once

  // Appends the new positions, and returns all of them.
  extendOwn(added: KeyValues): KeyValues {
    const { own } = this;
    this.own = own
      ? { keys: appended(own.keys, added.keys), values: appended(own.values, added.values) } // [B, H, t + T, D]
      : added;
    return this.own;
  }

  reorder(rows: readonly number[]): void {
    if (this.own) this.own = { keys: taken(this.own.keys, rows), values: taken(this.own.values, rows) };
  }
}

// Masked self-attention, attention to the encoder's output, feed-forward (right half of Figure 1).
export class DecoderLayer {
  readonly #selfAttention: Sublayer<MultiHeadAttention> | null;
  readonly #crossAttention: Sublayer<MultiHeadAttention> | null;
  readonly #feedForward: Sublayer<FeedForward> | null;

  constructor(config: TransformerConfig, parameters: Parameters, path: string) {
    this.#selfAttention = attentionIn(config, parameters, path, "self_attention");
    this.#crossAttention = attentionIn(config, parameters, path, "cross_attention");
    this.#feedForward = feedForwardIn(config, parameters, path);
  }

  // x [B, T, d_model] holds the new positions, memory is [1, S, d_model] -> [B, T, d_model]
  forward(x: Floats, memory: Floats, targetMask: Mask, sourceMask: Mask, cache: LayerCache, see: See): Floats {
    const [own, cross, feedForward] = [this.#selfAttention, this.#crossAttention, this.#feedForward];
    let y = x;
    if (own && cross) {
      // As in layers.py, the memory is projected first, before the layer reads x.
      const memoryKeyValues = (cache.memory ??= cross.inner.projectKeysValues(memory, see));
      const attendToTarget = (x: Floats) => {
        const keyValues = cache.extendOwn(own.inner.projectKeysValues(x, see));
        return own.inner.forward(x, keyValues, targetMask, see);
      };
      // Q from the decoder, K and V from the encoder
      const attendToMemory = (x: Floats) => cross.inner.forward(x, memoryKeyValues, sourceMask, see);
      y = own.add.around(y, attendToTarget, see);
      y = cross.add.around(y, attendToMemory, see);
    }
    if (feedForward) y = feedForward.add.around(y, (x) => feedForward.inner.forward(x, see), see);
    return y;
  }
}
