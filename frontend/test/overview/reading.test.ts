// The sentence that reads the picture, and a long text on the colours of its weights.

import assert from "node:assert/strict";
import { test } from "node:test";
import { WEIGHTS } from "../../src/kit/colour.ts";
import type { HeadMatrix } from "../../src/matrix/words.ts";
import { Passage, percent, sentenceOf } from "../../src/overview/reading.ts";
import { assertColour, weightColour } from "../colours.ts";
import { labels, read } from "../dom.ts";

const LABELS = labels({
  sentence_written: "{token} < {looks}.",
  sentence_read: "{token} = {looks}.",
  looks: "{share} {key}",
  looks_more: "{share} {key}",
});
const matrix = (keys: readonly string[], ...weights: number[]): HeadMatrix => ({
  layer: 0,
  head: 0,
  rowLabels: ["<s>"],
  columnLabels: keys,
  rowEnds: ["world"],
  values: weights,
  mask: weights.map((weight) => Number(weight >= 0)),
  scale: WEIGHTS,
});
const said = (one: HeadMatrix, isRead = false) =>
  sentenceOf(one, 0, isRead, LABELS)
    .map((node) => (typeof node === "string" ? node : node.textContent))
    .join("");

test("as many keys are named as it takes for half of the row, three at most", () => {
  assert.equal(said(matrix(["a", "b", "c"], 0.06, 0.93, 0.01)), "world < 93 % b.");
  assert.equal(said(matrix(["a", "b", "c"], 0.3, 0.25, 0.45)), "world < 45 % cseparator30 % a.");
  assert.equal(said(matrix(["a", "b", "c", "d", "e"], 0.11, 0.12, 0.13, 0.14, 0.1)).split("separator").length, 3);
});

test("a masked key is not named", () => {
  assert.equal(said(matrix(["a", "b"], 1, -1)), "world < 100 % a.");
});

test("of several keys of a kind the number is said", () => {
  assert.equal(said(matrix(["a", "b", "a"], 0.1, 0.1, 0.8)), "world < 80 % a 3.");
});

test("what the row is stands in place of what it writes, where it is read", () => {
  assert.equal(said(matrix(["a"], 1), true), "<s> = 100 % a.");
});

test("a share is 100 % or 0 % only where it is", () => {
  const shares = [1, 0.9996, 0.996, 0.9949, 0.504, 0.0049, 0.0004, 0];
  assert.deepEqual(shares.map(percent), ["100 %", "100 %", "99.6 %", "99 %", "50 %", "0.5 %", "0 %", "0 %"]);
});

test("each token of a long text is on the colour of its weight, and the heaviest is marked", () => {
  const weights = [0.1, 0.7, 0.2, -1];
  const passage = new Passage();
  passage.update(matrix(["a", "b", "c", "d"], ...weights), 0);
  const tokens = read(passage.element).children;
  assert.deepEqual(
    tokens.map((token) => [token.textContent, token.className]),
    [
      ["a", ""],
      ["b", "strongest"],
      ["c", ""],
      ["d", "masked"],
    ],
  );
  weights.slice(0, 3).forEach((weight, j) => {
    const channels = String(tokens[j].style.background).match(/\d+/g)?.map(Number) ?? [];
    assertColour([...channels, 255], weightColour(weight), `${weight}`);
  });
});
