// A model's files as live_file.py sends them.

import type { Tensor } from "../kit/codec.ts";
import type { Dictionary } from "../model/chinese.ts";
import type { ModelFiles } from "../model/translator.ts";

type Bytes = Tensor<Uint8Array<ArrayBuffer>>;

export interface SentFiles {
  readonly config: string;
  readonly card: string;
  readonly sourceTokenizer: Bytes;
  readonly targetTokenizer: Bytes;
  readonly weights: Bytes; // a safetensors file: its bytes as they are, or those of its numbers plane by plane
  readonly width: number; // how many planes: all first bytes of numbers, then all second ones; they compress better
  readonly dictionaries: readonly string[]; // in JSON
}

export function filesOf(sent: SentFiles): ModelFiles {
  const text = ({ values }: Bytes) => new TextDecoder().decode(values);
  return {
    config: sent.config,
    card: sent.card,
    sourceTokenizer: text(sent.sourceTokenizer),
    targetTokenizer: text(sent.targetTokenizer),
    weights: interleaved(sent.weights.values, sent.width),
    dictionaries: sent.dictionaries.map((json) => JSON.parse(json) as Dictionary),
  };
}

function interleaved(planes: Uint8Array<ArrayBuffer>, width: number): Uint8Array<ArrayBuffer> {
  if (width === 1) return planes;
  const count = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < width; plane++)
    for (let n = 0; n < count; n++) bytes[n * width + plane] = planes[plane * count + n];
  return bytes;
}
