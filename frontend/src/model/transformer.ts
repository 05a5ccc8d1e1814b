// The encoder-decoder Transformer (paper §3, Figure 1), as model.py has it.
//
// Shapes: B batch, T target length, S source length, V target vocabulary.

import type { TransformerConfig } from "./config.ts";
import { type Hook, recorder, type See, seeing } from "./hooks.ts";
import { checkIds } from "./ids.ts";
import { hooksOf, type Intervention } from "./interventions.ts";
import { DecoderLayer, Embedding, EncoderLayer, LayerCache, LayerNorm } from "./layers.ts";
import { Linear } from "./linear.ts";
import { paddingMask, targetPaddingMask, withCausalMask } from "./masks.ts";
import { SentenceError } from "./sentences.ts";
import { type Floats, type Ids, idsOf, logSoftmax, type Tensor, taken } from "./tensor.ts";
import type { Parameters } from "./weights.ts";

// Keys and values of the positions decoded so far, so that a step computes only the new one.
export class DecoderCache {
  readonly layers: readonly LayerCache[];
  targetIds: Ids | null = null; // [B, t]

  constructor(nLayers: number) {
    this.layers = Array.from({ length: nLayers }, () => new LayerCache());
  }

  // Appends new ids [B, T], and returns all so far: [B, t + T]
  extend(added: Ids): Ids {
    const [B, T] = added.shape;
    const t = this.targetIds?.shape[1] ?? 0;
    const all: Ids = { shape: [B, t + T], values: new Int32Array(B * (t + T)) };
    for (let b = 0; b < B; b++) {
      if (this.targetIds) all.values.set(this.targetIds.values.subarray(b * t, (b + 1) * t), b * (t + T));
      all.values.set(added.values.subarray(b * T, (b + 1) * T), b * (t + T) + t);
    }
    this.targetIds = all;
    return all;
  }

  // Row i goes on from what was row rows[i]; a beam can grow, shrink and swap hypotheses. The memory's keys and values
  // stay: all hypotheses of a beam read the same source.
  reorder(rows: readonly number[]): void {
    if (!this.targetIds) return;
    this.targetIds = taken(this.targetIds, rows);
    for (const layer of this.layers) layer.reorder(rows);
  }
}

// What one teacher-forced pass computed.
export interface Pass {
  readonly points: ReadonlyMap<string, Tensor>; // by name, in the order of the pass; the batch axis is kept
  readonly logProbs: Floats; // [T, V]; row t is of the token after t
}

export class Transformer {
  readonly config: TransformerConfig;
  readonly #sourceEmbedding: Embedding;
  readonly #targetEmbedding: Embedding;
  readonly #encoderLayers: readonly EncoderLayer[];
  readonly #decoderLayers: readonly DecoderLayer[];
  readonly #encoderNorm: LayerNorm | null;
  readonly #decoderNorm: LayerNorm | null;
  readonly #outputProjection: Linear;

  constructor(config: TransformerConfig, parameters: Parameters) {
    this.config = config;
    const { weight_tying, n_encoder_layers, n_decoder_layers } = config;
    const sourceTokens = "source_embedding.tokens.weight";
    const targetTokens = weight_tying === "all" ? sourceTokens : "target_embedding.tokens.weight";
    const output = weight_tying === "none" ? "output_projection.weight" : targetTokens;
    this.#sourceEmbedding = new Embedding(config, parameters, "source_embedding", sourceTokens);
    this.#targetEmbedding = new Embedding(config, parameters, "target_embedding", targetTokens);
    this.#encoderLayers = Array.from(
      { length: n_encoder_layers },
      (_, n) => new EncoderLayer(config, parameters, `encoder_layers.${n}`),
    );
    this.#decoderLayers = Array.from(
      { length: n_decoder_layers },
      (_, n) => new DecoderLayer(config.decoder, parameters, `decoder_layers.${n}`),
    );
    this.#encoderNorm = config.hasFinalNorms ? new LayerNorm(parameters, "encoder_norm") : null;
    this.#decoderNorm = config.hasFinalNorms ? new LayerNorm(parameters, "decoder_norm") : null;
    this.#outputProjection = new Linear(parameters, "output_projection", output);
  }

  newCache(): DecoderCache {
    return new DecoderCache(this.#decoderLayers.length);
  }

  // sourceIds [1, S] -> memory [1, S, d_model]
  encode(sourceIds: Ids, see: See): Floats {
    const ids = see("source_tokens", sourceIds);
    const sourceMask = paddingMask(ids, this.config.pad_id);
    let x = this.#sourceEmbedding.forward(ids, 0, see);
    for (const layer of this.#encoderLayers) x = layer.forward(x, sourceMask, see);
    return see("memory", this.#encoderNorm?.forward(x) ?? x);
  }

  // targetIds [B, T], memory [1, S, d_model], sourceIds [1, S] -> logits [B, T, V]
  //
  // With a cache, the ids are the new positions only; they continue those of the calls before.
  decode(targetIds: Ids, memory: Floats, sourceIds: Ids, see: See, cache?: DecoderCache): Floats {
    const isGenerating = cache !== undefined; // then nothing comes after the newest token, whatever the mask
    const kept = cache ?? this.newCache();
    const { pad_id, start_id, causal } = this.config;
    const ids = see("target_tokens", targetIds);
    const allIds = kept.extend(ids);
    const [length, added] = [allIds.shape[1], ids.shape[1]];
    const sourceMask = paddingMask(see("source_tokens", sourceIds), pad_id);
    let targetMask = targetPaddingMask(allIds, pad_id, start_id); // [B, 1, 1, t + T]
    if (causal || isGenerating) targetMask = withCausalMask(targetMask, added); // [B, 1, T, t + T]
    let x = this.#targetEmbedding.forward(ids, length - added, see);
    for (const [n, layer] of this.#decoderLayers.entries())
      x = layer.forward(x, memory, targetMask, sourceMask, kept.layers[n], see);
    return see("logits", this.#outputProjection.forward(see("decoder_output", this.#decoderNorm?.forward(x) ?? x)));
  }

  // One pass over a source and a target, every point recorded.
  //
  // Throws: a SentenceError for ids beyond the vocabulary, padding alone, and an intervention that does not fit.
  pass(sourceIds: readonly number[], targetIds: readonly number[], interventions: readonly Intervention[] = []): Pass {
    const { pad_id, start_id, source_vocab_size, target_vocab_size } = this.config;
    checkIds("The source's ids", sourceIds, source_vocab_size);
    checkIds("The target's ids", targetIds, target_vocab_size);
    const isRead = (side: string, id: number, n: number) =>
      id !== pad_id || (side === "target" && !n && id === start_id);
    for (const [side, ids] of [["source", sourceIds] as const, ["target", targetIds] as const]) {
      if (!ids.some((id, n) => isRead(side, id, n))) {
        throw new SentenceError("The {side} needs at least one token that is not padding; it has none.", { side });
      }
    }
    const points = new Map<string, Tensor>();
    const hooks: Hook[] = [...hooksOf(interventions, this.config), recorder(points)];
    const see = seeing(hooks);
    const source = idsOf([sourceIds]);
    const logits = this.decode(idsOf([targetIds]), this.encode(source, see), source, see);
    const [, T, V] = logits.shape;
    return { points, logProbs: logSoftmax({ shape: [T, V], values: logits.values }) }; // [1, T, V] -> [T, V]
  }
}
