// What a frame says of its height, in a page that gives it what it asks for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Height } from "../../src/share/height.ts";

// A page that does as it is told, around content of a height in a window -> the heights that were said.
function frame(contentIn: (window: number) => number, first: number, rounds = 20): { said: number[]; height: Height } {
  const height = new Height();
  const said: number[] = [];
  let window = first;
  for (let now = 0; now < rounds * 100; now += 100) {
    const asked = height.measure(contentIn(window), window, now);
    if (asked === null) continue;
    said.push(asked);
    window = asked;
  }
  return { said, height };
}

test("content of its own height is said once", () => {
  assert.deepEqual(frame(() => 900, 600).said, [900]);
  assert.deepEqual(frame(() => 300, 600).said, [300]);
});

test("a picture as high as the window does not grow for ever, nor shrink", () => {
  assert.deepEqual(frame((window) => window + 40, 600).said, [640]);
  assert.deepEqual(frame((window) => window - 30, 600).said, [570]);
  assert.deepEqual(frame((window) => Math.max(384, window - 152) + 400, 600).said, [848]);
});

test("what a person opens is said, also of a picture as high as the window", () => {
  const height = new Height();
  assert.equal(height.measure(640, 600, 0), 640);
  assert.equal(height.measure(680, 640, 50), null);
  assert.equal(height.measure(980, 640, 5000), 940); // opened: 300 more
  assert.equal(height.measure(1280, 940, 5050), null);
  assert.equal(height.measure(980, 940, 9000), 640); // closed
});

test("room that is taken much later was not taken for the window's sake", () => {
  const height = new Height();
  height.measure(600, 600, 0);
  assert.equal(height.measure(600, 900, 100), null);
  assert.equal(height.measure(800, 900, 5000), 800);
});
