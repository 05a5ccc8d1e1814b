// Files of models, for tests.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelFiles } from "../../src/model/translator.ts";

const MODELS = join(import.meta.dirname, "../../../assets/models");

export function filesOf(name: string): ModelFiles {
  const text = (file: string) => readFileSync(join(MODELS, name, file), "utf8");
  return {
    config: text("config.json"),
    card: text("card.json"),
    sourceTokenizer: text("source_tokenizer.json"),
    targetTokenizer: text("target_tokenizer.json"),
    weights: new Uint8Array(readFileSync(join(MODELS, name, "model.safetensors"))),
  };
}

interface Stored {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: ArrayLike<number>;
}

// A safetensors file.
export function safetensors(arrays: Readonly<Record<string, Stored>>): Uint8Array<ArrayBuffer> {
  const data: number[] = [];
  const entries = Object.entries(arrays).map(([name, { dtype, shape, bytes }]) => {
    const start = data.length;
    data.push(...Array.from(bytes));
    return [name, { dtype, shape, data_offsets: [start, data.length] }];
  });
  return file(JSON.stringify(Object.fromEntries(entries)), data);
}

export function file(header: string, data: readonly number[] = []): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(header);
  return Uint8Array.from([...new Uint8Array(new BigUint64Array([BigInt(text.length)]).buffer), ...text, ...data]);
}
