import assert from "node:assert/strict";
import { test } from "node:test";
import { fit, visible } from "../src/kit/tokens.ts";

const ten = (text: string) => 10 * [...new Intl.Segmenter().segment(text)].length; // each character ten wide

test("what has room stays as it is", () => {
  assert.deepEqual(fit("world", 50, ten), { text: "world", width: 50 });
});

test("what has none keeps both ends", () => {
  assert.deepEqual(fit("attention", 60, ten), { text: "att…on", width: 60 });
  assert.deepEqual(fit("attention", 20, ten), { text: "a…", width: 20 });
  assert.deepEqual(fit("attention", 5, ten), { text: "…", width: 10 });
});

test("no character is cut in two", () => {
  assert.equal(fit("👨‍👩‍👧👍🏽éa", 30, ten).text, "👨‍👩‍👧…a");
});

test("white space alone is made visible, and only then", () => {
  assert.equal(visible(" \n\t"), "␣⏎⇥");
  assert.equal(visible(" a"), " a");
  assert.equal(visible(""), "");
});
