// Where the model was unsure.

import assert from "node:assert/strict";
import { test } from "node:test";
import { probabilitiesOf, sentenceOfDoubt } from "../../src/overview/doubt.ts";
import "../dom.ts";
import { PROBABILITIES, traceContent } from "../trace/sent.ts";

const LABELS = {
  unsure: "Unsure: {signs}.",
  improbable: "{value} on average",
  repeated: "{token} {value} times",
  unread: "{token} unread",
  separator: ", ",
};

const said = (...doubts: Parameters<typeof sentenceOfDoubt>[0][number][]) =>
  sentenceOfDoubt(doubts, LABELS)
    .map((node) => (typeof node === "string" ? node : node.textContent))
    .join("");

test("the probability of each step is that of the token that it took", () => {
  const { next } = traceContent();
  const close = (actual: number[], expected: number[]) =>
    actual.forEach((one, n) => {
      assert.ok(Math.abs(one - expected[n]) < 1e-6);
    });
  close(
    probabilitiesOf(next),
    PROBABILITIES.map(([first]) => first),
  );
  next.taken.values.set([2, 0, 1]);
  close(probabilitiesOf(next), [PROBABILITIES[0][2], PROBABILITIES[1][0], PROBABILITIES[2][1]]);
});

test("all signs of doubt stand in one sentence, and without one there is none", () => {
  const [improbable, repeated, unread] = [
    { sign: "improbable", token: "", value: 0.4149 },
    { sign: "repeated", token: "Mein", value: 2 },
    { sign: "unread", token: "<b>", value: 0.1 },
  ] as const;
  assert.equal(said(), "");
  assert.equal(said(improbable), "Unsure: 41 % on average.");
  assert.equal(said(improbable, repeated, unread), "Unsure: 41 % on average, Mein 2 times, <b> unread.");
});
