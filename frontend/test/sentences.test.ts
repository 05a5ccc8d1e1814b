// Sentences that stand one after the other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inARow } from "../src/kit/dom.ts";

test("between sentences there is a space, after a Chinese one there is none", () => {
  assert.equal(inARow("One.", "Two.", "Three."), "One. Two. Three.");
  assert.equal(inARow("第一句。", "第二句？", "Three."), "第一句。第二句？Three.");
});

test("no sentence is no text", () => {
  assert.equal(inARow(), "");
  assert.equal(inARow("One."), "One.");
});
