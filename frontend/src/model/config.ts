// The sizes and the variants of a Transformer, checked when they are set: config.py, whose names these are.

import { brief, SentenceError } from "./sentences.ts";

const CHOICES = {
  positions: ["sinusoidal", "learned", "none"],
  weight_tying: ["none", "target", "all"],
  activation: ["relu", "gelu", "swish"],
  sublayers: ["both", "attention", "feed_forward"],
} as const;
type Choice<Name extends keyof typeof CHOICES> = (typeof CHOICES)[Name][number];
export type Activation = Choice<"activation">;

const SIZES = [
  "source_vocab_size",
  "target_vocab_size",
  "d_model",
  "n_heads",
  "n_encoder_layers",
  "n_decoder_layers",
  "d_ff",
  "max_len",
] as const;
const SWITCHES = [
  "norm_first",
  "scale_embeddings",
  "scale_scores",
  "causal",
  "residuals",
  "sines_first",
  "embedding_norm",
  "output_bias",
] as const;
const SPECIAL_IDS = ["pad_id", "start_id", "end_id", "unknown_id"] as const;

const MAX_SIZE = 2 ** 20;
const MAX_LAYERS = 256;
const MAX_TABLE = 2 ** 22; // numbers in a table of positions, max_len × d_model

// The fields of config.json, with the paper's base model as defaults.
class Fields {
  readonly source_vocab_size: number = 37_000;
  readonly target_vocab_size: number = 37_000;
  readonly d_model: number = 512;
  readonly n_heads: number = 8;
  readonly n_encoder_layers: number = 6;
  readonly n_decoder_layers: number = 6;
  readonly d_ff: number = 2048;
  readonly max_len: number = 512;
  readonly dropout: number = 0.1; // read, and never applied: nothing is trained here
  readonly attention_dropout: number = 0;
  readonly norm_first: boolean = false;
  readonly positions: Choice<"positions"> = "sinusoidal";
  readonly weight_tying: Choice<"weight_tying"> = "all";
  readonly scale_embeddings: boolean = true;
  readonly activation: Activation = "relu";
  readonly n_decoder_heads: number | null = null;
  readonly decoder_d_ff: number | null = null;
  readonly sines_first: boolean = false;
  readonly embedding_norm: boolean = false;
  readonly final_norms: boolean | null = null;
  readonly output_bias: boolean = false;
  readonly scale_scores: boolean = true;
  readonly causal: boolean = true;
  readonly sublayers: Choice<"sublayers"> = "both";
  readonly residuals: boolean = true;
  readonly pad_id: number = 0;
  readonly start_id: number = 1;
  readonly end_id: number = 2;
  readonly unknown_id: number = 3;
}

export class TransformerConfig extends Fields {
  constructor(values: Partial<Fields> = {}) {
    super();
    const unknown = Object.keys(values).filter((name) => !Object.hasOwn(this, name));
    if (unknown.length) {
      throw new SentenceError("The model's config has fields that this version does not know: {unknown}.", {
        unknown: unknown.sort().slice(0, 5).join(", "),
      });
    }
    Object.assign(this, values);
    this.#check();
  }

  // Width of one head's queries, keys and values.
  get d_k(): number {
    return this.d_model / this.n_heads;
  }

  // What QKᵀ is divided by: √d_k, or 1 without scaling.
  get scoreDivisor(): number {
    return this.scale_scores ? Math.sqrt(this.d_k) : 1;
  }

  get hasAttention(): boolean {
    return this.sublayers !== "feed_forward";
  }

  get hasFeedForward(): boolean {
    return this.sublayers !== "attention";
  }

  // Whether a LayerNorm follows each stack.
  get hasFinalNorms(): boolean {
    return this.final_norms ?? this.norm_first;
  }

  // The config as the decoder's layers read it: `n_heads` and `d_ff` are theirs.
  get decoder(): TransformerConfig {
    const { n_decoder_heads, decoder_d_ff } = this;
    if (n_decoder_heads === null && decoder_d_ff === null) return this;
    return new TransformerConfig({
      ...this,
      n_heads: n_decoder_heads ?? this.n_heads,
      d_ff: decoder_d_ff ?? this.d_ff,
      n_decoder_heads: null,
      decoder_d_ff: null,
    });
  }

  #check(): void {
    for (const name of SIZES) checkWhole(name, this[name], 1, name.endsWith("_layers") ? MAX_LAYERS : MAX_SIZE);
    for (const name of ["n_decoder_heads", "decoder_d_ff"] as const)
      if (this[name] !== null) checkWhole(name, this[name], 1, MAX_SIZE);
    for (const name of ["dropout", "attention_dropout"] as const) {
      if (!(typeof this[name] === "number" && this[name] >= 0 && this[name] < 1)) {
        throw new SentenceError("{name} must be a number from 0 up to, but not including, 1; it was {value}.", {
          name,
          value: brief(this[name]),
        });
      }
    }
    if (this.final_norms !== null && typeof this.final_norms !== "boolean") {
      throw new SentenceError("final_norms must be true, false or null; it was {value}.", {
        value: brief(this.final_norms),
      });
    }
    for (const name of SWITCHES) {
      if (typeof this[name] !== "boolean") {
        throw new SentenceError("{name} must be true or false; it was {value}.", { name, value: brief(this[name]) });
      }
    }
    for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) {
      if (!(CHOICES[name] as readonly string[]).includes(this[name])) {
        throw new SentenceError("{name} must be one of {allowed}; it was {value}.", {
          name,
          allowed: CHOICES[name].join(", "),
          value: brief(this[name]),
        });
      }
    }
    for (const n_heads of [this.n_heads, this.n_decoder_heads ?? this.n_heads]) {
      if (this.d_model % n_heads) {
        throw new SentenceError(
          "d_model must be divisible by n_heads, so that every head gets d_k = d_model / n_heads columns; {d_model} is " +
            "not divisible by {n_heads}.",
          { d_model: this.d_model, n_heads },
        );
      }
    }
    if (this.positions === "sinusoidal" && this.d_model % 2) {
      throw new SentenceError(
        "Sinusoidal positions need an even d_model, a sine and a cosine for each wavelength; it was {d_model}.",
        { d_model: this.d_model },
      );
    }
    if (this.max_len * this.d_model > MAX_TABLE) {
      throw new SentenceError(
        "max_len × d_model, the size of the table of positions, must be at most {largest}: with d_model {d_model} " +
          "max_len is at most {limit}; it was {max_len}.",
        {
          largest: MAX_TABLE,
          d_model: this.d_model,
          limit: Math.floor(MAX_TABLE / this.d_model),
          max_len: this.max_len,
        },
      );
    }
    if (this.weight_tying === "all" && this.source_vocab_size !== this.target_vocab_size) {
      throw new SentenceError(
        'weight_tying="all" shares one embedding between source and target, so both vocabularies must have the same ' +
          "size; they have {source_vocab_size} and {target_vocab_size} tokens.",
        { source_vocab_size: this.source_vocab_size, target_vocab_size: this.target_vocab_size },
      );
    }
    const inBoth = Math.min(this.source_vocab_size, this.target_vocab_size);
    for (const name of SPECIAL_IDS) checkWhole(name, this[name], 0, inBoth - 1);
  }
}

function checkWhole(name: string, value: unknown, low: number, high: number): void {
  if (!(Number.isInteger(value) && (value as number) >= low && (value as number) <= high)) {
    throw new SentenceError("{name} must be a whole number from {low} to {high}; it was {value}.", {
      name,
      low,
      high,
      value: brief(value),
    });
  }
}
