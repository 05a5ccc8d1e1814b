import assert from "node:assert/strict";
import { test } from "node:test";
import { TransformerConfig } from "../../src/model/config.ts";
import { readSafetensors } from "../../src/model/safetensors.ts";
import { parameterShapes, readParameters } from "../../src/model/weights.ts";
import { file, filesOf, safetensors } from "./files.ts";

// The smallest model there is, and a file of its weights, all zero, with some of them replaced.
const CONFIG = new TransformerConfig({
  source_vocab_size: 4,
  target_vocab_size: 4,
  d_model: 2,
  n_heads: 1,
  n_encoder_layers: 1,
  n_decoder_layers: 1,
  d_ff: 1,
  sublayers: "feed_forward",
});
const TOKENS = "source_embedding.tokens.weight"; // [4, 2]

function weights(replaced: Parameters<typeof safetensors>[0] = {}): Uint8Array<ArrayBuffer> {
  const zeros = [...parameterShapes(CONFIG)].map(([name, shape]) => {
    const bytes = new Uint8Array(2 * shape.reduce((a, b) => a * b));
    return [name, { dtype: "F16", shape, bytes }] as const;
  });
  return safetensors({ ...replaced, ...Object.fromEntries(zeros.filter(([name]) => !(name in replaced))) });
}

const read = (bytes: Uint8Array<ArrayBuffer>) => [...(readParameters(bytes, CONFIG).byName.get(TOKENS)?.values ?? [])];
const bytesOf = (values: { buffer: ArrayBufferLike }) => new Uint8Array(values.buffer);
const shape = [4, 2];

test("half precision: signs, the smallest, the largest, and numbers between", () => {
  const bytes = bytesOf(Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x83ff, 0x0400, 0x7bff, 0x3555, 0x8000));
  const expected = [1, -2, 2 ** -24, -1023 * 2 ** -24, 2 ** -14, 65504, 1365 / 4096, -0];
  assert.deepEqual(read(weights({ [TOKENS]: { dtype: "F16", shape, bytes } })), expected.map(Math.fround));
});

test("other precisions, wherever their bytes begin", () => {
  const numbers = [1, -0.5, 3.25, 0, 1e-3, 100, -7, 2].map(Math.fround);
  const bytes = bytesOf(Float32Array.from(numbers));
  assert.deepEqual(read(weights({ [TOKENS]: { dtype: "F32", shape, bytes } })), numbers);
  assert.deepEqual(
    read(weights({ [TOKENS]: { dtype: "F64", shape, bytes: bytesOf(Float64Array.from(numbers)) } })),
    numbers,
  );
  const upper = bytesOf(Uint16Array.from(new Uint32Array(Float32Array.from(numbers).buffer), (code) => code >> 16));
  const cut = numbers.map((value) => (value === numbers[4] ? 0.00099945068359375 : value)); // of 1e-3 eight bits remain
  assert.deepEqual(read(weights({ [TOKENS]: { dtype: "BF16", shape, bytes: upper } })), cut);
});

test("eight bits: each row's integers times its scale", () => {
  const integers = { dtype: "I8", shape, bytes: bytesOf(Int8Array.of(1, -1, 127, -128, 0, 2, 3, 4)) };
  const scale = { dtype: "F32", shape: [4], bytes: bytesOf(Float32Array.of(1, 0.5, 2, 10)) };
  const found = read(weights({ [TOKENS]: integers, [`${TOKENS}.scale`]: scale }));
  assert.deepEqual(found, [1, -1, 63.5, -64, 0, 4, 30, 40]);
});

test("a shared matrix has one name, and a model of attention alone no feed-forward", () => {
  const names = (changes: object) => [...parameterShapes(new TransformerConfig({ ...CONFIG, ...changes })).keys()];
  assert.ok(!names({}).includes("target_embedding.tokens.weight"));
  assert.ok(names({ weight_tying: "target" }).includes("target_embedding.tokens.weight"));
  assert.ok(names({ weight_tying: "none" }).includes("output_projection.weight"));
  assert.ok(!names({ sublayers: "attention" }).some((name) => name.includes("feed_forward")));
});

test("progress goes up to the end", () => {
  const heard: number[] = [];
  readParameters(weights(), CONFIG, { progress: (done) => heard.push(done) });
  assert.deepEqual(heard.toSorted(), heard);
  assert.equal(heard.at(-1), 1);
});

const F32 = { dtype: "F32", shape, bytes: new Uint8Array(32) };
const SHIPPED = filesOf("copy").weights;
for (const [name, bytes, message] of [
  ["nothing", new Uint8Array(), /not a safetensors file: it has 0 bytes/],
  ["a truncated file", SHIPPED.slice(0, -1), /not a safetensors file: .* has other bytes than its shape/],
  ["a truncated list", SHIPPED.slice(0, 999), /list of arrays is longer than the file/],
  ["no JSON", file("{"), /not JSON/],
  ["no object", file("[]"), /not a JSON object/],
  ["another model's weights", SHIPPED, /do not fit the config: "decoder_layers.0.*" should be absent but is/],
  ["another shape", weights({ [TOKENS]: { ...F32, shape: [2, 4] } }), /should be \[4,2\] but is \[2,4\]/],
  ["a weight too many", weights({ more: F32 }), /"more" should be absent but is \[4,2\]/],
  ["another type", weights({ [TOKENS]: { ...F32, dtype: "I32" } }), /as "I32"; the types allowed are F64, F32/],
  ["no shape", file('{"a": {"dtype": "F32"}}'), /shape or the place of "a" is not a list/],
  [
    "integers without a scale",
    weights({ [TOKENS]: { dtype: "I8", shape, bytes: new Uint8Array(8) } }),
    /scale" should be/,
  ],
  [
    "a scale of another type",
    weights({
      [TOKENS]: { dtype: "I8", shape, bytes: new Uint8Array(8) },
      [`${TOKENS}.scale`]: { dtype: "F16", shape: [4], bytes: new Uint8Array(8) },
    }),
    /needs a matrix with a scale for each row/,
  ],
  [
    "an infinity",
    weights({ [TOKENS]: { ...F32, bytes: bytesOf(Float32Array.from({ length: 8 }, () => Infinity)) } }),
    /not finite/,
  ],
] as const) {
  test(`refused with a sentence: ${name}`, () => {
    assert.throws(() => readParameters(bytes as Uint8Array<ArrayBuffer>, CONFIG), { name: "SentenceError", message });
  });
}

test("a list of arrays that is too long, and a model that is too large", () => {
  const header = `{"a": ${" ".repeat(2 ** 20)}0}`;
  assert.throws(() => readSafetensors(file(header)), /list takes \d+ bytes, but at most 1048576/);
  const large = new TransformerConfig({ d_model: 2048, n_heads: 8, max_len: 64 });
  assert.throws(
    () => readParameters(SHIPPED, large),
    /has \d+ parameters; a browser computes models of up to 134217728/,
  );
});
