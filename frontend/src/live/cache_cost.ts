// What the decoder's cache saves, in multiply-adds of matrix products, and what it holds: step_by_step.py.

import type { Cache } from "../decoding/search.ts";
import type { TransformerConfig } from "../model/config.ts";
import { layersOf } from "../model/heads.ts";

// `source`: tokens; `steps`: of the search.
export function cacheOf(config: TransformerConfig, source: number, steps: number): Cache {
  const layers = layersOf(config, "cross");
  const { d_model, decoder } = config;
  const memory = layers * 2 * source * d_model ** 2; // W_K, W_V of cross-attention
  const column = (numberAt: (step: number) => number) => ({
    shape: [steps],
    values: Float64Array.from({ length: steps }, (_, step) => numberAt(step)),
  });
  return {
    layers: config.n_decoder_layers,
    heads: decoder.n_heads,
    width: decoder.d_k,
    source,
    with: column((step) => decoderCost(config, 1, step + 1, source) + (step === 0 ? memory : 0)),
    without: column((step) => decoderCost(config, step + 1, step + 1, source) + memory),
    size: column((step) => layers * 2 * (step + 1 + source) * d_model),
  };
}

// Of `added` positions, of `length` so far.
function decoderCost(config: TransformerConfig, added: number, length: number, source: number): number {
  const d = config.d_model;
  const attention =
    added * (4 * d * d) + // W_Q, W_K, W_V, W_O of self-attention
    added * (2 * length * d) + // QKᵀ and weights · V
    added * (2 * d * d) + // W_Q, W_O of cross-attention
    added * (2 * source * d);
  const feedForward = config.hasFeedForward ? added * (2 * d * config.decoder.d_ff) : 0;
  const layers = layersOf(config, "cross") * attention + config.n_decoder_layers * feedForward;
  return layers + added * d * config.target_vocab_size;
}
