// Reads a safetensors file: eight bytes, the header's length; the header in JSON, for each array its dtype, its shape and
// where its bytes are; those bytes.

import { brief, SentenceError } from "./sentences.ts";
import { sizeOf } from "./tensor.ts";

export interface StoredArray {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>; // a view into the file
}

const MAX_HEADER = 2 ** 20; // bytes; a model of forty layers takes a tenth of it

// The bytes of one number.
const WIDTHS: Readonly<Record<string, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2, I8: 1 };

// Throws: a SentenceError where these are no such bytes, or not all of them.
export function readSafetensors(file: Uint8Array<ArrayBuffer>): Map<string, StoredArray> {
  if (file.length < 8) throw wrong(`it has ${file.length} bytes`);
  const length = Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  if (length > file.length - 8) throw wrong("its list of arrays is longer than the file");
  if (length > MAX_HEADER) {
    throw new SentenceError(
      "The weights list too many arrays: the list takes {length} bytes, but at most {limit} are allowed.",
      { length, limit: MAX_HEADER },
    );
  }
  const data = file.subarray(8 + length);
  const arrays = new Map<string, StoredArray>();
  for (const [name, entry] of Object.entries(headerIn(file.subarray(8, 8 + length)))) {
    if (name !== "__metadata__") arrays.set(name, arrayIn(data, name, entry));
  }
  return arrays;
}

function headerIn(utf8: Uint8Array): Record<string, unknown> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(utf8));
  } catch {
    throw wrong("its list of arrays is not JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header))
    throw wrong("its list of arrays is not a JSON object");
  return header as Record<string, unknown>;
}

function arrayIn(data: Uint8Array<ArrayBuffer>, name: string, entry: unknown): StoredArray {
  const { dtype, shape, data_offsets } = (entry ?? {}) as Record<string, unknown>;
  if (typeof dtype !== "string" || !Object.hasOwn(WIDTHS, dtype)) {
    throw new SentenceError("The weights hold {name} as {dtype}; the types allowed are {allowed}.", {
      name: brief(name),
      dtype: brief(dtype),
      allowed: Object.keys(WIDTHS).join(", "),
    });
  }
  if (!areCounts(shape) || !areCounts(data_offsets) || data_offsets.length !== 2)
    throw wrong(`the shape or the place of ${brief(name)} is not a list of whole numbers`);
  const [start, end] = data_offsets;
  if (end > data.length || end - start !== sizeOf(shape) * WIDTHS[dtype])
    throw wrong(`${brief(name)} has other bytes than its shape`);
  return { dtype, shape, bytes: data.subarray(start, end) };
}

function areCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((one) => Number.isInteger(one) && one >= 0);
}

function wrong(reason: string): SentenceError {
  return new SentenceError("The weights are not a safetensors file: {reason}.", { reason });
}
