// One recorded pass as the contents of views read it: trace.py, without the batch axis.
//
// Shapes: T target length, S source length, H heads, D = d_k, V target vocabulary.

import type { TransformerConfig } from "../model/config.ts";
import { type AttentionModule, type HeadRef, hookPath, layersOf } from "../model/heads.ts";
import type { Floats, Mask, Tensor } from "../model/tensor.ts";
import type { TracedPass } from "../model/translator.ts";

// Every stage of one attention module: q (H, T, D), k and v (H, S, D), scores to weights (H, T, S), mask (T, S),
// context (H, T, D), the rest (T or S, d_model).
export interface AttentionRecord {
  readonly q: Floats;
  readonly k: Floats;
  readonly v: Floats;
  readonly scores: Floats;
  readonly scaled: Floats;
  readonly masked: Floats;
  readonly weights: Floats;
  readonly mask: Mask;
  readonly context: Floats;
  readonly queryInput: Floats;
  readonly keyInput: Floats;
  readonly concatenated: Floats;
  readonly output: Floats;
  readonly queryTokens: readonly string[];
  readonly keyTokens: readonly string[];
}

export class Trace {
  readonly config: TransformerConfig;
  readonly pass: TracedPass;
  readonly labelOf: (id: number) => string; // of a token of the target vocabulary
  readonly opensWith: HeadRef; // the head that views open with
  readonly isGiven: boolean; // whether the target was given, and not the model's own
  readonly #records = new Map<string, AttentionRecord>();

  constructor(
    config: TransformerConfig,
    pass: TracedPass,
    { labelOf, opensWith, isGiven }: Pick<Trace, "labelOf" | "opensWith" | "isGiven">,
  ) {
    this.config = config;
    this.pass = pass;
    this.labelOf = labelOf;
    this.opensWith = opensWith;
    this.isGiven = isGiven;
  }

  get sourceTokens(): readonly string[] {
    return this.pass.sourceTokens;
  }

  get targetTokens(): readonly string[] {
    return this.pass.targetTokens;
  }

  // What each row is to predict: for the encoder nothing.
  predictedIn(module: AttentionModule): readonly string[] {
    return module === "encoder_self" ? [] : this.pass.predictedTokens;
  }

  // Of one layer; the same object each time.
  attention(module: AttentionModule, layer: number): AttentionRecord {
    const path = hookPath(module, layer);
    const found = this.#records.get(path) ?? this.#record(module, path);
    this.#records.set(path, found);
    return found;
  }

  // Of every layer that has the module.
  layers(module: AttentionModule): AttentionRecord[] {
    return Array.from({ length: layersOf(this.config, module) }, (_, layer) => this.attention(module, layer));
  }

  // Row t: log p of every token after t, (V).
  logProbsAt(t: number): Float32Array {
    const { shape, values } = this.pass.logProbs;
    return values.subarray(t * shape[1], (t + 1) * shape[1]);
  }

  #record(module: AttentionModule, path: string): AttentionRecord {
    const queryTokens = module === "encoder_self" ? this.sourceTokens : this.targetTokens;
    const keyTokens = module === "decoder_self" ? this.targetTokens : this.sourceTokens;
    const point = (name: string): Floats => withoutBatch(this.pass.points.get(`${path}.${name}`) as Floats);
    return {
      q: point("q"),
      k: point("k"),
      v: point("v"),
      scores: point("scores"),
      scaled: point("scaled_scores"),
      masked: point("masked_scores"),
      weights: point("weights"),
      mask: spread(this.pass.points.get(`${path}.mask`) as Mask, queryTokens.length),
      context: point("context"),
      queryInput: point("query_input"),
      keyInput: point("key_input"),
      concatenated: point("concatenated"),
      output: point("output"),
      queryTokens,
      keyTokens,
    };
  }
}

// Head n of what has a head axis first.
export function headOf({ shape: [, ...shape], values }: Floats, n: number): Floats {
  const size = shape.reduce((product, count) => product * count, 1);
  return { shape, values: values.subarray(n * size, (n + 1) * size) };
}

// What a mask forbids has no number.
export function isAllowed({ values, shape: [, columns] }: Mask, row: number, column: number): boolean {
  return values[row * columns + column] === 1;
}

// How many keys a row may attend to.
export function allowedIn({ values, shape: [, columns] }: Mask, row: number): number {
  let count = 0;
  for (let column = 0; column < columns; column++) count += values[row * columns + column];
  return count;
}

function withoutBatch({ shape, values }: Tensor<Float32Array>): Floats {
  return { shape: shape.slice(1), values };
}

// [1, 1, T or 1, S] -> (T, S)
function spread({ shape, values }: Mask, T: number): Mask {
  const S = shape[shape.length - 1];
  if (values.length === T * S) return { shape: [T, S], values };
  const rows = new Uint8Array(T * S);
  for (let t = 0; t < T; t++) rows.set(values.subarray(0, S), t * S);
  return { shape: [T, S], values: rows };
}
