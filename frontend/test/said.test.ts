import assert from "node:assert/strict";
import { test } from "node:test";
import type { Labels } from "../src/kit/dom.ts";
import { say, whenSaid } from "../src/kit/said.ts";

const LABELS: Labels = { hint: "Click.", hint_touch: "Tap.", title: "Heads" };

const onScreen = (hoversNot: boolean): void => {
  Object.assign(globalThis, { matchMedia: () => ({ matches: hoversNot }) });
};

const said = (labels: Labels | string): Labels => {
  let got: Labels = {};
  whenSaid(labels, (labels) => {
    got = labels;
  })();
  return got;
};

test("labels are as they were sent where a mouse points", () => {
  onScreen(false);
  say({ heads: LABELS });
  assert.deepEqual(said("heads"), LABELS);
  assert.equal(said(LABELS), LABELS);
});

test("a touch screen has words of its own, sent with the page or with the view", () => {
  onScreen(true);
  say({ heads: LABELS });
  for (const labels of ["heads", LABELS]) {
    const { hint, title } = said(labels);
    assert.deepEqual([hint, title], ["Tap.", "Heads"]);
  }
});

test("who asks before they are sent gets them once they are", () => {
  onScreen(false);
  const got: string[] = [];
  whenSaid("later", ({ title }) => got.push(title));
  assert.deepEqual(got, []);
  say({ later: { title: "Here" } });
  assert.deepEqual(got, ["Here"]);
});
