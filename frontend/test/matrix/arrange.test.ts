// Where factors lie beside their product, and matrices with the same rows: what one would measure with a ruler.

import assert from "node:assert/strict";
import { test } from "node:test";
import { layOutProduct, layOutRow } from "../../src/matrix/arrange.ts";
import { canvasSize, STAGE } from "../../src/matrix/layout.ts";
import type { Geometry, Labelled } from "../../src/matrix/matrix.ts";
import "../canvas.ts";

const tokens = (count: number) => Array.from({ length: count }, (_, n) => `t${n}`);
const features = (count: number) => Array<null>(count).fill(null);
const matrix = (
  rowLabels: Labelled["rowLabels"],
  columnLabels: Labelled["columnLabels"],
  rowEnds: string[] = [],
): Labelled => ({ rowLabels, columnLabels, rowEnds });
const room = (width: number, height: number, ratio = 1) => ({ width, height, gap: 28, font: "serif", ratio });

// Q (T × D), Kᵀ (D × S) and their product; weights (T × S), V (S × D) and theirs.
const scores = (t: number, s: number, d: number) => [
  matrix(tokens(t), features(d), tokens(t)),
  matrix(features(d), tokens(s)),
  matrix(tokens(t), tokens(s), tokens(t)),
];
const context = (t: number, s: number, d: number) => [
  matrix(tokens(t), tokens(s), tokens(t)),
  matrix(tokens(s), features(d)),
  matrix(tokens(t), features(d), tokens(t)),
];
const PRODUCTS = [
  ["scores of a sentence", scores(5, 6, 48)],
  ["context of a sentence", context(5, 6, 48)],
  ["scores by hand", scores(3, 4, 2)],
  ["context by hand", context(3, 4, 2)],
  ["scores of a long text", scores(127, 110, 48)],
  ["scores of one token", scores(1, 1, 64)],
] as const;

const bottomOf = ({ top, cellHeight }: Geometry, rows: number) => top + rows * cellHeight;

for (const [name, matrices] of PRODUCTS) {
  test(`a row of the left factor and a column of the other meet in their cell: ${name}`, () => {
    for (const [width, height, ratio] of [
      [908, 460, 1],
      [1548, 820, 2],
      [712, 460, 1.25],
    ] as const) {
      const places = layOutProduct(matrices, room(width, height, ratio), STAGE);
      assert.ok(places, `${width} × ${height}`);
      const [left, above, product] = places;
      assert.deepEqual([product.top, product.cellHeight], [left.top, left.cellHeight]); // on one line
      assert.deepEqual([product.left, product.cellWidth], [above.left, above.cellWidth]); // in one column
      for (const { cellWidth, cellHeight } of places) {
        for (const size of [cellWidth * ratio, cellHeight * ratio]) {
          assert.ok(Math.abs(size - Math.round(size)) < 1e-6 && size > 0.5);
        }
      }
      assert.ok(left.room + product.room <= width, `${left.room} + ${product.room} in ${width}`);
      const [t, s] = [matrices[0].rowLabels.length, matrices[1].rowLabels.length];
      const high = bottomOf(above, s) + bottomOf(product, t);
      if (t < 30) assert.ok(high <= height + 1, `${high} of ${height}`);
      assert.equal(product.hidden?.includes("rows"), true); // they stand beside the left factor
      assert.equal(product.hidden?.includes("columns"), true); // and above the other
      assert.equal(product.hidden?.includes("ends"), false);
      matrices.forEach((one, n) => {
        const size = canvasSize(places[n], one, ["r", "c", ""], "serif");
        assert.ok(size.width < Math.max(places[n].room, 60) + 1, `matrix ${n}: ${size.width} in ${places[n].room}`);
      });
    }
  });
}

test("cells of a factor with few features are as large as those of the product, so that their numbers can be read", () => {
  for (const matrices of [scores(3, 3, 4), context(3, 3, 2)]) {
    const places = layOutProduct(matrices, room(712, 460), STAGE) ?? [];
    const sizes = new Set(places.flatMap(({ cellWidth, cellHeight }) => [cellWidth, cellHeight]));
    assert.equal(sizes.size, 1);
    assert.ok([...sizes][0] >= 50, `${[...sizes]}`);
  }
});

test("a factor is not drawn above its product where there is no room for both", () => {
  assert.equal(layOutProduct(scores(30, 30, 64), room(300, 400), STAGE), null);
  assert.equal(layOutProduct(scores(127, 127, 48), room(366, 580), STAGE), null);
});

test("matrices of the same rows show the labels of their rows once, and what these write at the end", () => {
  const one = matrix(tokens(5), tokens(6), tokens(5));
  const places = layOutRow([one, one, one], room(908, 460), STAGE) ?? [];
  assert.equal(places.length, 3);
  assert.deepEqual(
    places.map(({ hidden = [] }) => [hidden.includes("rows"), hidden.includes("ends"), hidden.includes("columns")]),
    [
      [false, true, false],
      [true, true, false],
      [true, false, false],
    ],
  );
  assert.equal(new Set(places.map(({ top, cellHeight, cellWidth }) => `${top} ${cellHeight} ${cellWidth}`)).size, 1);
  assert.ok(places.reduce((sum, place) => sum + place.room, 0) + 2 * 28 <= 908);
  assert.equal(layOutRow([one, one], room(200, 460), STAGE), null);
});

test("six tokens fill a projector's column, and more room makes no smaller cells", () => {
  const one = matrix(tokens(6), tokens(6), tokens(6));
  const [narrow, wide] = [room(908, 460), room(1548, 820)].map((space) => layOutRow([one, one], space, STAGE) ?? []);
  assert.ok(narrow[0].cellWidth >= 54, String(narrow[0].cellWidth)); // digits of 14 pixels
  assert.ok(wide[0].cellWidth > narrow[0].cellWidth);
  let before = 0;
  for (let width = 400; width < 1600; width += 7) {
    const cell = layOutRow([one, one], room(width, 600), STAGE)?.[0].cellWidth ?? 0;
    assert.ok(cell >= before, `${width}`);
    before = cell;
  }
});

test("a canvas is less than a pixel wider than its room: one that is wider fades out, as if there were more", () => {
  for (const length of [5, 6, 7])
    for (let width = 640; width < 1000; width += 3)
      for (const ratio of [1, 1.25, 1.5]) {
        const pair = [matrix(tokens(5), tokens(length)), matrix(tokens(5), [...tokens(4), "a long one"])];
        const places = layOutRow(pair, room(width, 460, ratio), STAGE) ?? [];
        places.forEach((place, n) => {
          const size = canvasSize(place, pair[n], ["r", "c", ""], "serif");
          assert.ok(size.width < place.room + 1, `${size.width} in ${place.room}`);
        });
        assert.ok(places.reduce((sum, one) => sum + one.room, 28) <= width, `${width}`);
      }
});

test("three matrices of different rows stand side by side, each with its own labels", () => {
  const small = [matrix(tokens(3), features(4)), matrix(tokens(4), features(4)), matrix(tokens(4), features(2))];
  const places = layOutRow(small, room(700, 460), STAGE, false) ?? [];
  assert.equal(places.length, 3);
  assert.ok(places.every(({ hidden }) => hidden?.length === 0));
  assert.equal(new Set(places.map(({ cellHeight }) => cellHeight)).size, 1);
  assert.ok(places[0].cellHeight >= 30, `${places[0].cellHeight}`);
  assert.ok(places.reduce((sum, one) => sum + one.room, 2 * 28) <= 700);
});
