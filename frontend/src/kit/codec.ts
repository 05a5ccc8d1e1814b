// Reads what codec.py packs: nested JSON in which arrays may stand anywhere, as one safetensors file.
//
// Eight bytes, the header's length; the header in JSON, for each array its dtype, shape and where its bytes are; those
// bytes. An array is named by its path, keys and indices joined with "/". The array "/" is the rest, a JSON text in UTF-8:
// {"json": the content with null where arrays stand, "same": path of an array -> path of the first that equals it}.

const TYPES = {
  F64: Float64Array,
  F32: Float32Array,
  I32: Int32Array,
  U16: Uint16Array,
  U8: Uint8Array,
  BOOL: Uint8Array, // 0 or 1
};

const JSON_TEXT = "/";

export type Values = Float64Array | Float32Array | Int32Array | Uint16Array | Uint8Array;

export interface Tensor<A extends Values = Values> {
  readonly shape: readonly number[];
  readonly values: A;
}

interface Entry {
  readonly dtype: string;
  readonly shape?: readonly number[];
  readonly data_offsets?: readonly [number, number];
}

// The arrays are views into the bytes.
//
// Throws: an Error for bytes that are no such file, and for a dtype that is not read here.
export function unpack<Content>(bytes: Uint8Array): Content {
  const aligned = bytes.byteOffset % 8 ? bytes.slice() : bytes;
  const { header, data } = split(aligned);
  const { [JSON_TEXT]: rest, ...entries } = header;
  if (!rest) throw wrong(`it has no “${JSON_TEXT}”`);
  const { json, same } = parsed(read(JSON_TEXT, rest as Entry, data).values, "content");
  const tensors = new Map<string, Tensor>();
  for (const [path, entry] of Object.entries(entries)) tensors.set(path, read(path, (entry ?? {}) as Entry, data));
  for (const [path, first] of Object.entries((same ?? {}) as Record<string, string>)) {
    const tensor = tensors.get(first);
    if (!tensor) throw wrong(`no array “${first}”`);
    tensors.set(path, tensor);
  }
  const root = { content: json };
  for (const [path, tensor] of tensors) put(root, path, tensor);
  return root.content as Content;
}

function split(bytes: Uint8Array): { header: Record<string, unknown>; data: Uint8Array } {
  if (bytes.length < 8) throw wrong(`${bytes.length} bytes`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  if (length > bytes.length - 8) throw wrong("its header is longer than the bytes");
  return {
    header: parsed(bytes.subarray(8, 8 + length), "header"),
    data: bytes.subarray(8 + length),
  };
}

function parsed(utf8: Values, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(utf8 as Uint8Array<ArrayBuffer>));
  } catch {
    value = null;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(`its ${name} is no JSON object`);
  return value as Record<string, unknown>;
}

function read(path: string, { dtype, shape = [], data_offsets = [0, 0] }: Entry, data: Uint8Array): Tensor {
  if (!Object.hasOwn(TYPES, dtype)) throw new Error(`The array “${path}” has a dtype that is not read here: ${dtype}.`);
  const Type = TYPES[dtype as keyof typeof TYPES];
  const [start, end] = data_offsets;
  const count = shape.reduce((product, size) => product * size, 1);
  if (!(start >= 0 && end <= data.length && end - start === count * Type.BYTES_PER_ELEMENT)) {
    throw wrong(`the array “${path}” has other bytes than its shape`);
  }
  const own = data.subarray(start, end);
  const { buffer, byteOffset } = own.byteOffset % Type.BYTES_PER_ELEMENT ? own.slice() : own;
  return { shape, values: new Type(buffer as ArrayBuffer, byteOffset, count) };
}

// A path leads to a null that holds the array's place; "" is the whole content.
function put(root: { content: unknown }, path: string, tensor: Tensor): void {
  let parent: object = root;
  let key = "content";
  for (const next of path === "" ? [] : path.split("/")) {
    const inner: unknown = Reflect.get(parent, key);
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, next))
      throw wrong(`no place for “${path}”`);
    parent = inner;
    key = next;
  }
  if (Reflect.get(parent, key) !== null) throw wrong(`no place for “${path}”`);
  Reflect.set(parent, key, tensor);
}

function wrong(reason: string): Error {
  return new Error(`This is not what codec.py packs: ${reason}.`);
}
