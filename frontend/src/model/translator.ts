// A model with its two tokenizers: texts in, texts and passes out; see translator.py.

import { type Dictionary, simplified } from "./chinese.ts";
import { TransformerConfig } from "./config.ts";
import type { Intervention } from "./interventions.ts";
import { brief, SentenceError } from "./sentences.ts";
import { type EncodedText, Tokenizer } from "./tokenizer.ts";
import { type Pass, Transformer } from "./transformer.ts";
import { withoutUnseen } from "./visible.ts";
import { readParameters } from "./weights.ts";

const MAX_TEXT = 20_000; // characters, many times what any model reads

// The files of a model's folder; those in JSON as texts.
export interface ModelFiles {
  readonly config: string;
  readonly card: string;
  readonly sourceTokenizer: string;
  readonly targetTokenizer: string;
  readonly weights: Uint8Array<ArrayBuffer>;
  readonly dictionaries?: readonly Dictionary[]; // for sources in traditional characters; without them, they stay
}

interface LoadOptions {
  readonly isPlain?: boolean; // without WebAssembly
  readonly progress?: (done: number) => void; // hears of every part of the weights that is read, from 0 to 1
}

// Which tokens the special ids of a config must be, in both vocabularies.
const SPECIAL = {
  pad_id: ["<pad>"],
  start_id: ["<s>", "<pad>"],
  end_id: ["</s>"],
  unknown_id: ["<unk>"],
} as const;

// A recorded pass with its labels.
export interface TracedPass extends Pass {
  readonly sourceTokens: readonly string[];
  readonly targetTokens: readonly string[]; // what the decoder read, the start token first
  readonly predictedTokens: readonly string[]; // what row t was to predict
  readonly predictedIds: readonly number[];
}

export class Translator {
  readonly model: Transformer;
  readonly sourceTokenizer: Tokenizer;
  readonly targetTokenizer: Tokenizer;
  readonly card: Readonly<Record<string, unknown>>;
  readonly #dictionaries: readonly Dictionary[];

  // Throws: a SentenceError where a file is not what it should be.
  constructor(files: ModelFiles, options: LoadOptions = {}) {
    const config = new TransformerConfig(objectIn("config", files.config));
    this.card = objectIn("card", files.card);
    this.sourceTokenizer = new Tokenizer(files.sourceTokenizer);
    this.targetTokenizer = new Tokenizer(files.targetTokenizer);
    checkVocabulary("source", this.sourceTokenizer, config, config.source_vocab_size);
    checkVocabulary("target", this.targetTokenizer, config, config.target_vocab_size);
    this.model = new Transformer(config, readParameters(files.weights, config, options));
    this.#dictionaries = files.dictionaries ?? [];
  }

  // Whether sources are Chinese that the model reads in simplified characters.
  get readsChinese(): boolean {
    return (this.card.simplify ?? this.card.source_language === "zh") === true;
  }

  // The longest text that the model reads or writes, in tokens, the end token not counted.
  get maxTokens(): number {
    return this.model.config.max_len - 1;
  }

  // Throws: a SentenceError where the text is empty or too long.
  encodeSource(text: string): EncodedText {
    this.#refuseLong(text, "source");
    const read = this.readsChinese ? simplified(text, this.#dictionaries) : text;
    return this.#encode(this.sourceTokenizer, read, "source");
  }

  encodeTarget(text: string): EncodedText {
    this.#refuseLong(text, "target");
    return this.#encode(this.targetTokenizer, text, "target");
  }

  // As the encoder reads it, or as the decoder should write it: the end token last.
  endedIds({ ids }: EncodedText): number[] {
    return [...ids, this.model.config.end_id];
  }

  // Ids and labels of a text as the decoder should write it. A sign that the vocabulary lacks is labelled as it was typed.
  endedTarget(text: string): { ids: number[]; tokens: string[] } {
    const encoded = this.encodeTarget(text);
    const end = this.targetTokenizer.label(this.model.config.end_id);
    return { ids: this.endedIds(encoded), tokens: [...encoded.tokens, end] };
  }

  // One pass over a source and an output, ended or not: the ids of a hypothesis, or of a text with the end token.
  // `predictedTokens`: its labels, where they are not those of the vocabulary.
  pass(
    source: EncodedText,
    predictedIds: readonly number[],
    interventions: readonly Intervention[] = [],
    predictedTokens: readonly string[] = predictedIds.map((id) => this.targetTokenizer.label(id)),
  ): TracedPass {
    if (!predictedIds.length) {
      throw new SentenceError("An output must have at least one token; this one has none.");
    }
    const { start_id, end_id } = this.model.config;
    const targetIds = [start_id, ...predictedIds.slice(0, -1)];
    let sourceTokens: readonly string[] = [...source.tokens, this.sourceTokenizer.label(end_id)];
    const pass = this.model.pass(this.endedIds(source), targetIds, interventions);
    for (const one of interventions) {
      if (one.kind === "PermuteSource") sourceTokens = one.order.map((place) => sourceTokens[place]); // labels follow
    }
    return {
      ...pass,
      sourceTokens,
      targetTokens: [this.targetTokenizer.label(start_id), ...predictedTokens.slice(0, -1)],
      predictedTokens,
      predictedIds,
    };
  }

  #refuseLong(text: string, side: string): void {
    const count = [...text].length;
    if (count > MAX_TEXT) {
      throw new SentenceError(
        "The {side} text has {count} characters, and this model reads at most {limit} tokens. Nothing was cut off: " +
          "please shorten it.",
        { side, count, limit: this.maxTokens },
      );
    }
  }

  #encode(tokenizer: Tokenizer, text: string, side: string): EncodedText {
    if (!text.isWellFormed()) {
      throw new SentenceError("The {side} text has half a character, a lone surrogate, at position {place}.", {
        side,
        place: [...text].findIndex((sign) => !sign.isWellFormed()) + 1,
      });
    }
    let encoded = tokenizer.encode(text);
    const known = withoutUnseen(text, encoded.unknown.join(""));
    if (known !== text) encoded = tokenizer.encode(known);
    if (!encoded.ids.length) {
      throw new SentenceError("The {side} text is empty: type at least one word or symbol.", { side });
    }
    if (encoded.ids.length > this.maxTokens) {
      throw new SentenceError(
        "The {side} text has {count} tokens, and this model reads at most {limit}. Nothing was cut off: please shorten " +
          "it.",
        { side, count: encoded.ids.length, limit: this.maxTokens },
      );
    }
    return encoded;
  }
}

function objectIn(name: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new SentenceError("The model's {name} is not JSON.", { name });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SentenceError("The model's {name} should be one JSON object.", { name });
  }
  return value as Record<string, unknown>;
}

function checkVocabulary(side: string, tokenizer: Tokenizer, config: TransformerConfig, size: number): void {
  if (tokenizer.vocabSize !== size) {
    throw new SentenceError("The {side} tokenizer has {count} entries, but the config says {size}.", {
      side,
      count: tokenizer.vocabSize,
      size,
    });
  }
  for (const name of Object.keys(SPECIAL) as (keyof typeof SPECIAL)[]) {
    const piece = tokenizer.piece(config[name]) ?? "";
    if (!(SPECIAL[name] as readonly string[]).includes(piece)) {
      throw new SentenceError("The config says that {name} is {id}, but that is {piece} in the {side} tokenizer.", {
        name,
        id: config[name],
        piece: brief(piece),
        side,
      });
    }
  }
}
