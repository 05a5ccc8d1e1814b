// Where the nodes and edges of a tree lie: by step from left to right, by rank from top to bottom.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Search } from "../../src/decoding/search.ts";
import { edgePath, fieldSize, SIZES, widthOf, xOf, yOf, zoomFor } from "../../src/decoding/tree_layout.ts";
import { SEARCH } from "./content.ts";

const search = new Search(SEARCH);
const nodes = search.levels.flat();

for (const zoom of [0, 1, 2, 3]) {
  const { height } = SIZES[zoom];
  const box = (level: number, rank: number) => ({
    left: xOf(level, zoom),
    right: xOf(level, zoom) + widthOf(level, zoom),
    top: yOf(rank, zoom),
    bottom: yOf(rank, zoom) + height,
  });

  test(`at zoom ${zoom} no two nodes touch, steps go to the right and ranks down, and all are on the field`, () => {
    const field = fieldSize(search, zoom);
    for (const one of nodes) {
      const a = box(one.level, one.rank);
      assert.ok(a.left > box(-1, 0).right, "the start is left of all steps");
      assert.ok(a.top >= 22, "below the row of step numbers");
      assert.ok(a.right <= field.width && a.bottom <= field.height);
      for (const other of nodes) {
        const b = box(other.level, other.rank);
        if (other.level > one.level) assert.ok(b.left > a.right);
        if (other.level === one.level && other.rank > one.rank) assert.ok(b.top > a.bottom);
        if (other.rank === one.rank) assert.equal(b.top, a.top);
      }
    }
  });

  test(`at zoom ${zoom} an edge goes from the middle of its parent's right side to the middle of its own left side`, () => {
    for (const node of nodes) {
      const numbers = [...edgePath(node, zoom).matchAll(/-?[\d.]+/g)].map(Number);
      const [x1, y1, , , , , x2, y2] = numbers;
      const [from, to] = [box(node.level - 1, Math.max(0, node.parent)), box(node.level, node.rank)];
      assert.deepEqual([x1, y1], [from.right, (from.top + from.bottom) / 2], node.token);
      assert.deepEqual([x2, y2], [to.left, (to.top + to.bottom) / 2], node.token);
      const [, , cx1, cy1, cx2, cy2] = numbers; // it leaves and arrives level
      assert.deepEqual([cy1, cy2], [y1, y2]);
      assert.ok(cx1 > x1 && cx2 < x2);
    }
  });
}

test("the tree is as large as there is room, and never too small to read", () => {
  const levels = (count: number, height: number) =>
    ({ levels: Array(count).fill(Array(height).fill(search.at([0, 0]))) }) as unknown as Search;
  assert.equal(zoomFor(search, 900, 400), 3);
  assert.equal(zoomFor(search, 650, 400), 2);
  assert.equal(zoomFor(search, 500, 400), 1);
  assert.equal(zoomFor(levels(3, 8), 900, 330), 2);
  assert.equal(zoomFor(levels(3, 9), 900, 330), 1);
  assert.equal(zoomFor(levels(31, 3), 900, 330), 1);
  assert.equal(zoomFor(levels(30, 8), 900, 330), 2);
  assert.equal(zoomFor(levels(128, 16), 900, 330), 1);
  for (const [zoom, width, height] of [
    [3, 1500, 690],
    [2, 900, 330],
  ]) {
    const field = fieldSize(levels(6, 8), zoom);
    assert.ok(field.width <= width && field.height <= height, `six steps of a beam of four at zoom ${zoom}`);
    assert.equal(zoomFor(levels(6, 8), width, height), zoom);
  }
});
