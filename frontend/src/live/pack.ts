// Packs what a view gets, as codec.py does: JSON with arrays in it, as one safetensors file, which kit/codec.ts reads.

import type { Tensor, Values } from "../kit/codec.ts";
import { visible } from "../model/visible.ts";

const DTYPES = new Map<unknown, string>([
  [Float64Array, "F64"],
  [Float32Array, "F32"],
  [Int32Array, "I32"],
  [Uint16Array, "U16"],
  [Uint8Array, "U8"],
]);

type Packable = Tensor & { readonly isBool?: true };

// Yes or no, one byte each.
export function bools(tensor: Tensor<Uint8Array>): Tensor<Uint8Array> {
  return { ...tensor, isBool: true } as Packable as Tensor<Uint8Array>;
}

// Bytes, of what was packed before, are an array of one axis. An array that stands in several places travels once.
export function pack(content: unknown): Uint8Array<ArrayBuffer> {
  const arrays: [path: string, array: Packable][] = [];
  const paths = new Map<Values, string>(); // of each array that has been seen
  const same: Record<string, string> = {};
  const take = (array: Packable, path: string): null => {
    const first = paths.get(array.values);
    if (first === undefined) {
      paths.set(array.values, path);
      arrays.push([path, array]);
    } else same[path] = first;
    return null;
  };
  // The value with null where arrays stand.
  const without = (value: unknown, path: string): unknown => {
    if (typeof value === "string") return visible(value);
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Uint8Array) return take({ shape: [value.length], values: value }, path);
    if (isTensor(value)) return take(value, path);
    const inside = (name: string | number) => (path ? `${path}/${name}` : String(name));
    if (Array.isArray(value)) return value.map((one, n) => without(one, inside(n)));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, without(one, inside(name))]));
  };
  const json = without(content, "");
  const text = new TextEncoder().encode(JSON.stringify({ json, same }));
  return safetensors([["/", { shape: [text.length], values: text }], ...arrays]);
}

function isTensor(value: object): value is Packable {
  return "values" in value && ArrayBuffer.isView(value.values);
}

// Each array begins where its numbers are aligned, so that the reader needs no copy.
function safetensors(arrays: readonly (readonly [string, Packable])[]): Uint8Array<ArrayBuffer> {
  const wide = arrays.toSorted(([, one], [, other]) => other.values.BYTES_PER_ELEMENT - one.values.BYTES_PER_ELEMENT);
  let end = 0;
  const entries = wide.map(([path, { shape, values, isBool }]) => {
    const dtype = isBool ? "BOOL" : DTYPES.get(values.constructor);
    return [path, { dtype, shape, data_offsets: [end, (end += values.byteLength)] }];
  });
  const header = JSON.stringify(Object.fromEntries(entries));
  const bytes = new TextEncoder().encode(header);
  const length = Math.ceil(bytes.length / 8) * 8; // filled up with spaces
  const file = new Uint8Array(8 + length + end).fill(32, 8, 8 + length);
  new DataView(file.buffer).setBigUint64(0, BigInt(length), true);
  file.set(bytes, 8);
  let at = 8 + length;
  for (const [, { values }] of wide) {
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return file;
}
