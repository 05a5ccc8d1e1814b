import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../../src/kit/codec.ts";
import { bools, pack } from "../../src/live/pack.ts";

test("what is packed is read back, each array in its place and only once", () => {
  const weights = { shape: [2, 2], values: Float32Array.of(0, 0.25, 0.5, 1) };
  const content = {
    words: ["«你好»", "😀"],
    modules: [{ weights }, { weights, none: null }],
    mask: bools({ shape: [3], values: Uint8Array.of(1, 0, 1) }),
    codes: { shape: [1], values: Uint16Array.of(65_535) },
    counts: { shape: [0], values: new Int32Array() },
    exact: { shape: [2], values: Float64Array.of(0.1, NaN) },
    inner: pack({ a: 1 }),
  };
  const found = unpack<typeof content>(pack(content));
  assert.deepEqual(found.words, content.words);
  assert.deepEqual(found.modules[1].weights, weights);
  assert.equal(found.modules[0].weights.values, found.modules[1].weights.values);
  assert.deepEqual(found.mask, { shape: [3], values: Uint8Array.of(1, 0, 1) });
  assert.deepEqual(found.codes, content.codes);
  assert.deepEqual(found.counts, content.counts);
  assert.deepEqual(found.exact, content.exact);
  assert.deepEqual(unpack((found.inner as unknown as { values: Uint8Array }).values), { a: 1 });
});

test("what nobody sees is marked, as Python marks it", () => {
  const found = unpack<{ text: string }>(pack({ text: "a\u202eb\u200b 👩\u200d👩 \n<s>" }));
  assert.equal(found.text, "a⟨U+202E⟩b⟨U+200B⟩ 👩\u200d👩 \n<s>");
});
