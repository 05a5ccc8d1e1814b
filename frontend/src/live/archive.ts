// What a file carries in a <script>: packed by codec.py, compressed, and written as a text.

import { unpack } from "../kit/codec.ts";
import { SentenceError } from "../model/sentences.ts";
import { decoded } from "./seven_bits.ts";

export interface Archive {
  readonly text: string;
  readonly size: number; // of the compressed bytes
}

export function archiveIn(id: string): Archive {
  const script = document.getElementById(id);
  return { text: script?.textContent ?? "", size: Number(script?.dataset.size ?? 0) };
}

// Throws: a SentenceError where a part is missing or has been changed: gzip has a checksum.
export async function opened<Content>({ text, size }: Archive): Promise<Content> {
  try {
    const stream = new Blob([decoded(text, size)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return unpack<Content>(new Uint8Array(await new Response(stream).arrayBuffer()));
  } catch {
    throw new SentenceError("This file is damaged: a part of it is missing or has been changed.");
  }
}
