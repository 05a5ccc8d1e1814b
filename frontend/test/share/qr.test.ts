// The drawing of a QR code.

import assert from "node:assert/strict";
import { test } from "node:test";
import { darkModules } from "../../src/share/qr.ts";

// The squares that a path of rectangles covers, by row and column without the quiet zone.
function covered(path: string): Set<string> {
  const squares = new Set<string>();
  for (const [, x, y, width, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h(-\d+)z/g)) {
    assert.equal(Number(back), -Number(width));
    for (let n = 0; n < Number(width); n++) squares.add(`${Number(y) - 4}-${Number(x) + n - 4}`);
  }
  return squares;
}

test("every dark module is drawn, and no light one", () => {
  for (const size of [1, 21, 33]) {
    let seed = size;
    const values = Uint8Array.from({ length: size * size }, () => {
      seed = (seed * 48271) % 2147483647;
      return seed % 2;
    });
    const dark = new Set<string>();
    values.forEach((is, n) => {
      if (is) dark.add(`${Math.floor(n / size)}-${n % size}`);
    });
    assert.deepEqual([...covered(darkModules(size, values))].sort(), [...dark].sort());
  }
});
