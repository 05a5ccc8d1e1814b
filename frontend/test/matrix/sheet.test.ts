// Sheets of matrices: their scales, the axes that they share, what is said of a row.

import assert from "node:assert/strict";
import { test } from "node:test";
import { scaleOf, sharedCell, sheetOf } from "../../src/matrix/sheet.ts";
import { isAllowed, topColumns } from "../../src/matrix/words.ts";
import { sentMatrix } from "./sent.ts";

const matrixOf = (changes = {}) =>
  sheetOf({ stages: [], formula: [], terms: [], matrices: [sentMatrix(changes)] }).matrices[0];

test("a scale reaches as far as the largest number that is shown, masked ones left out", () => {
  assert.deepEqual(scaleOf(matrixOf(), false).ticks, [-2, 0, 2]);
  assert.deepEqual(scaleOf(matrixOf({ extent: 5 }), false).ticks, [-5, 0, 5]);
  assert.deepEqual(scaleOf(matrixOf({ kind: "sequential" }), false).ticks, [0, 1, 2]);
  assert.deepEqual(scaleOf(matrixOf({ kind: "plain" }), false).ticks, []);
});

test("a cell marks the row or the column of a matrix that has the same axis", () => {
  const [owner, other] = [matrixOf(), matrixOf({ rowAxis: "key", columnAxis: "dimension" })];
  assert.deepEqual(sharedCell(owner, [4, 7], owner), [4, 7]);
  assert.deepEqual(sharedCell(owner, [4, 7], other), [7, null]);
  assert.deepEqual(sharedCell(other, [4, 7], owner), [null, 4]);
});

test("the largest numbers of a row are named first, and none that is masked", () => {
  const matrix = matrixOf();
  assert.deepEqual(topColumns(matrix, 0, 2), [2, 0]);
  assert.deepEqual(topColumns(matrix, 1, 3), [1, 2]);
  assert.ok(!isAllowed(matrix, 1, 0) && isAllowed(matrix, 0, 1));
});
