// What codec.py does, for tests.

import type { Values } from "../src/kit/codec.ts";

const DTYPES = new Map<string, string>([
  ["Float64Array", "F64"],
  ["Float32Array", "F32"],
  ["Int32Array", "I32"],
  ["Uint16Array", "U16"],
  ["Uint8Array", "U8"],
]);

// `content`: nested JSON in which typed arrays stand; each becomes a tensor of one axis.
export function pack(content: unknown): Uint8Array {
  const arrays: [path: string, values: Values][] = [];
  const json = without(content, "", arrays);
  arrays.push(["/", new TextEncoder().encode(JSON.stringify({ json, same: {} }))]);
  arrays.sort(([, a], [, b]) => b.BYTES_PER_ELEMENT - a.BYTES_PER_ELEMENT); // so that each is aligned
  let end = 0;
  const entries = arrays.map(([path, values]) => {
    const data_offsets = [end, (end += values.byteLength)];
    return [path, { dtype: DTYPES.get(values.constructor.name), shape: [values.length], data_offsets }];
  });
  const header = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  const padded = Math.ceil(header.length / 8) * 8;
  const bytes = new Uint8Array(8 + padded + end).fill(32);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded), true);
  bytes.set(header, 8);
  let offset = 8 + padded;
  for (const [, { buffer, byteOffset, byteLength }] of arrays) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
  return bytes;
}

function without(content: unknown, path: string, arrays: [string, Values][]): unknown {
  if (ArrayBuffer.isView(content)) {
    arrays.push([path, content as Values]);
    return null;
  }
  if (typeof content !== "object" || content === null) return content;
  const inner = (key: string | number, value: unknown) => without(value, path ? `${path}/${key}` : String(key), arrays);
  if (Array.isArray(content)) return content.map((value, n) => inner(n, value));
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, inner(key, value)]));
}
