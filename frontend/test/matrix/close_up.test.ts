// The cells around one of a long matrix: the same numbers, under the same names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergingTo } from "../../src/kit/colour.ts";
import { isLong, partOf } from "../../src/matrix/close_up.ts";
import { indexOf, type Matrix } from "../../src/matrix/matrix.ts";
import "../canvas.ts";

const ROWS = Array.from({ length: 40 }, (_, i) => `r${i}`);
const COLUMNS = Array.from({ length: 7 }, (_, j) => `c${j}`);
const long: Matrix = {
  rowLabels: ROWS,
  columnLabels: COLUMNS,
  rowEnds: ROWS.map((row) => `${row}!`),
  values: Float32Array.from({ length: 280 }, (_, n) => n),
  mask: Uint8Array.from({ length: 280 }, (_, n) => Number(n % 3 > 0)),
  scale: divergingTo(280, false),
};

test("each cell of a part is the one of its row and column in the whole, and so are its names", () => {
  for (const [i, j] of [
    [0, 0],
    [39, 6],
    [17, 3],
    [1, 5],
  ]) {
    const [part, row, column] = partOf(long, i, j);
    assert.equal(part.rowLabels.length * part.columnLabels.length, 25);
    assert.equal(part.values[row * 5 + column], 7 * i + j);
    assert.equal(part.rowLabels[row], `r${i}`);
    assert.equal(part.columnLabels[column], `c${j}`);
    part.rowLabels.forEach((label, n) => {
      const whole = indexOf(part, n) - 1;
      assert.deepEqual([label, part.rowEnds[n]], [`r${whole}`, `r${whole}!`]);
      part.columnLabels.forEach((name, m) => {
        const place = indexOf(part, m, "column") - 1;
        assert.equal(name, `c${place}`);
        assert.equal(part.values[n * 5 + m], 7 * whole + place);
        assert.equal(part.mask[n * 5 + m], Number((7 * whole + place) % 3 > 0));
      });
    });
  }
});

test("a matrix of few rows and columns is shown whole", () => {
  assert.ok(isLong(long) && !isLong({ rowLabels: ["a"], columnLabels: ["b"] }));
  const small: Matrix = {
    ...long,
    rowLabels: ["a", "b"],
    rowEnds: [],
    columnLabels: ["c"],
    values: [1, 2],
    mask: [1, 1],
  };
  const [part, row, column] = partOf(small, 1, 0);
  assert.deepEqual([part.values, row, column], [[1, 2], 1, 0]);
});
