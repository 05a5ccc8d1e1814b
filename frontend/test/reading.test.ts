// What a picture says of itself: by its key, as long as it is there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hearReadings, readingOf, tellReading } from "../src/kit/reading.ts";
import "./dom.ts";

Object.assign(globalThis, { CSS: { escape: (text: string) => text } });

const said = (key: string, text: string, more: object = {}): HTMLElement => {
  const closest = (selector: string) => (selector === `.st-key-${key}` ? {} : null);
  const element = { textContent: text, hidden: false, isConnected: true, closest, getRootNode: () => null, ...more };
  return element as unknown as HTMLElement;
};

test("a picture is found by its key, and by no other", () => {
  let heard = 0;
  const stop = hearReadings(() => {
    heard += 1;
  });
  const [one, two] = [said("one", " first "), said("two", "second")];
  for (const element of [one, two]) tellReading(element);
  assert.equal(heard, 2);
  assert.equal(readingOf("one"), "first");
  assert.equal(readingOf("two"), "second");
  assert.equal(readingOf("three"), "");
  assert.equal(readingOf(""), "");
  Object.assign(two, { hidden: true });
  assert.equal(readingOf("two"), "");
  Object.assign(one, { isConnected: false });
  assert.equal(readingOf("one"), "");
  Object.assign(one, { isConnected: true });
  assert.equal(readingOf("one"), ""); // until it tells again
  stop();
});
