// An explanation stands beside its term, and inside the window.

import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside } from "../../src/terms/place.ts";

const PHONE = { width: 390, height: 844 };
const term = (left: number, top: number) => ({ left, top, bottom: top + 20 });
const place = (left: number, top: number, width = 300, height = 60) =>
  placeBeside(term(left, top), { width, height }, PHONE);

test("it begins below its term", () => {
  assert.deepEqual(place(40, 100), { left: 40, top: 124 });
});

test("where there is no room below, it ends above the term", () => {
  assert.deepEqual(place(40, 800), { left: 40, top: 800 - 4 - 60 });
});

test("in a window that is too low for it, it is below", () => {
  assert.equal(place(40, 30, 300, 900).top, 54);
});

test("it stays inside the window wherever its term stands", () => {
  for (let left = -20; left < 390; left += 10) {
    for (let top = 0; top < 824; top += 20) {
      const { left: x, top: y } = place(left, top);
      assert.ok(x >= 8 && x + 300 <= 382 && y >= 8 && y + 60 <= 836, `${left} ${top}: ${x} ${y}`);
    }
  }
});
