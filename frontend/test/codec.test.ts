import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Tensor, unpack } from "../src/kit/codec.ts";

interface Content {
  modules: { name: string; weights: Tensor<Float32Array>; mask?: Tensor<Uint8Array> }[];
  codes: Tensor<Uint16Array>;
  ids: Tensor<Int32Array>;
  exact: Tensor<Float64Array>;
  raw: Tensor<Uint8Array>;
  nothing: Tensor<Float32Array>;
  absent: null;
}

// Written by codec.py; tests/test_front_end.py says from what.
const PACKED = new Uint8Array(readFileSync(join(import.meta.dirname, "packed.safetensors")));

function file(header: unknown, data: ArrayLike<number> = []): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const length = new Uint8Array(new BigUint64Array([BigInt(text.length)]).buffer);
  return Uint8Array.from([...length, ...text, ...Array.from(data)]);
}

// `data`, then the JSON text of `rest`.
function packed(rest: unknown, entries = {}, data: number[] = []): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(rest));
  const own = { dtype: "U8", shape: [text.length], data_offsets: [data.length, data.length + text.length] };
  return file({ "/": own, ...entries }, [...data, ...text]);
}

const content = (json: unknown, same = {}) => ({ json, same });
const entry = { dtype: "U8", shape: [2], data_offsets: [0, 2] };

test("arrays stand where they stood, with their shapes and numbers", () => {
  const read = unpack<Content>(PACKED);
  assert.deepEqual(read.modules[0], {
    name: "«你好»",
    weights: { shape: [2, 3], values: Float32Array.of(0, 0.25, 0.5, 0.75, 1, 1.25) },
    mask: { shape: [1, 3], values: Uint8Array.of(1, 0, 1) },
  });
  assert.deepEqual(read.codes, { shape: [3], values: Uint16Array.of(0, 1, 65535) });
  assert.deepEqual(read.ids, { shape: [2], values: Int32Array.of(-1, 2147483647) });
  assert.deepEqual(read.exact, { shape: [3], values: Float64Array.of(0.1, -Infinity, NaN) });
  assert.deepEqual(read.raw, { shape: [3], values: Uint8Array.of(7, 0, 255) });
  assert.deepEqual(read.nothing, { shape: [0, 4], values: new Float32Array() });
  assert.equal(read.absent, null);
});

test("an array that travelled once stands in all its places", () => {
  const { modules } = unpack<Content>(PACKED);
  assert.equal(modules[1].weights, modules[0].weights);
  assert.equal(modules[1].name, "cross");
});

test("arrays are views into the bytes, which are copied only where they begin out of step", () => {
  for (let shift = 0; shift < 9; shift++) {
    const buffer = new ArrayBuffer(PACKED.length + 16);
    const bytes = new Uint8Array(buffer, shift, PACKED.length);
    bytes.set(PACKED);
    const read = unpack<Content>(bytes);
    assert.deepEqual(read, unpack<Content>(PACKED));
    const arrays = [read.exact, read.ids, read.codes, read.raw, read.modules[0].weights];
    for (const { values } of arrays) assert.equal(values.buffer === buffer, shift % 8 === 0);
    assert.equal(new Set(arrays.map(({ values }) => values.buffer)).size, 1);
  }
});

test("content without arrays, and content that is one", () => {
  assert.deepEqual(unpack(packed(content({ a: [1, "x", null] }))), { a: [1, "x", null] });
  assert.deepEqual(unpack(packed(content(null), { "": entry }, [1, 2])), {
    shape: [2],
    values: Uint8Array.of(1, 2),
  });
});

const BAD: [string, Uint8Array, RegExp][] = [
  ["nothing", new Uint8Array(), /not what codec.py packs: 0 bytes/],
  ["less than a length", new Uint8Array(7), /7 bytes/],
  ["a header beyond the end", PACKED.subarray(0, 40), /header is longer/],
  ["a length beyond all numbers", new Uint8Array(16).fill(255), /header is longer/],
  ["no JSON", file("{"), /header is no JSON object/],
  ["JSON that is no object", file("[1]"), /header is no JSON object/],
  ["arrays alone", file({ a: entry }, [1, 2]), /no “\/”/],
  ["a content that is no object", packed("x"), /content is no JSON object/],
  ["a content that is no JSON", file({ "/": entry }, [123, 34]), /content is no JSON object/],
  ["a content beyond the data", file({ "/": entry }, [123]), /“\/” has other bytes/],
  ["another dtype", packed(content([null]), { "0": { ...entry, dtype: "BF16" } }, [1, 2]), /BF16/],
  ["a dtype of all objects", packed(content([null]), { "0": { ...entry, dtype: "toString" } }), /toString/],
  ["too few bytes", packed(content([null]), { "0": { ...entry, data_offsets: [999, 1001] } }), /“0” has other bytes/],
  ["bytes of another shape", packed(content([null]), { "0": { ...entry, shape: [3] } }, [1, 2]), /“0” has/],
  ["no shape", packed(content([null]), { "0": { dtype: "U8" } }, [1, 2]), /“0” has other bytes/],
  ["offsets before the data", packed(content([null]), { "0": { ...entry, data_offsets: [-1, 1] } }, [1]), /“0”/],
  ["no place for an array", packed(content({}), { "a/b": entry }, [1, 2]), /no place for “a\/b”/],
  ["a place that is taken", packed(content({ a: 1 }), { a: entry }, [1, 2]), /no place for “a”/],
  ["a place in all objects", packed(content({}), { "__proto__/x": entry }, [1, 2]), /no place/],
  ["a twin of nothing", packed(content([null], { 0: "1" })), /no array “1”/],
];

for (const [name, bytes, message] of BAD) {
  test(`refused with a sentence: ${name}`, () => assert.throws(() => unpack(bytes), { name: "Error", message }));
}
