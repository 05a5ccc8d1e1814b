// What leaves the page: every number as it was sent, and nothing of what is masked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergingTo } from "../../src/kit/colour.ts";
import { fillMatrixTable, legendOf, valuesAsRows, valuesAsText } from "../../src/matrix/export.ts";
import { sheetOf } from "../../src/matrix/sheet.ts";
import { FakeElement, read, rowsOf } from "../dom.ts";
import { COLUMNS, MASK, ROWS, sentMatrix, VALUES } from "./sent.ts";

const matrixOf = (changes = {}) =>
  sheetOf({ stages: [], formula: [], terms: [], matrices: [sentMatrix(changes)] }).matrices[0];

test("copied text gives back each float32, in its row and column, and masked cells are empty", () => {
  const [head, ...lines] = valuesAsText(matrixOf())
    .split("\n")
    .map((line) => line.split("\t"));
  assert.deepEqual(head, ["", "a", "b c", "b"]);
  lines.forEach(([name, ...texts], i) => {
    assert.equal(name, ROWS[i]);
    assert.equal(texts.length, COLUMNS.length);
    texts.forEach((text, j) => {
      const n = i * COLUMNS.length + j;
      if (MASK[n]) assert.equal(Math.fround(Number(text)), Math.fround(VALUES[n]), `${i} ${j}`);
      else assert.equal(text, "");
    });
  });
  assert.equal(lines.length, ROWS.length);
});

test("masked cells that show their numbers are copied, too", () => {
  const lines = valuesAsText(matrixOf({ hasMaskedNumbers: true }))
    .split("\n")
    .slice(1);
  const copied = lines.flatMap((line) => line.split("\t").slice(1).map(Number));
  assert.deepEqual(copied.map(Math.fround), [...VALUES].map(Math.fround));
});

test("the table has each number in its cell, what is masked by name, and what a row predicts at its end", () => {
  const table = new FakeElement("table");
  const matrix = matrixOf({ rowEnds: ["$x$", "</s>"] });
  fillMatrixTable(table as unknown as HTMLTableElement, matrix, ["query", "key", "predicts"], { masked: "masked" });
  assert.deepEqual(rowsOf(table), [
    ["", "1 a", "2 b\tc", "3 b", "predicts"],
    ["1 <s>", "0.1000", "−2.0000", "0.3333", "$x$"],
    ["2 $x$", "masked", "0.2500", "1.00e−12", "</s>"],
  ]);
});

test("a file has the same numbers in the same cells, as numbers", () => {
  const matrix = matrixOf();
  const [head, ...lines] = valuesAsRows(matrix, ["row", "column", ""]);
  assert.deepEqual(head, ["", ...COLUMNS]);
  assert.deepEqual(
    lines,
    ROWS.map((name, i) => [name, ...COLUMNS.map((_, j) => (MASK[3 * i + j] ? Math.fround(VALUES[3 * i + j]) : null))]),
  );
});

test("in a file, a place without a token goes by its axis", () => {
  const [head, first] = valuesAsRows(matrixOf({ rowLabels: null, columnLabels: null }), ["layer", "head", ""]);
  assert.deepEqual(head, ["", "head 1", "head 2", "head 3"]);
  assert.equal(first[0], "layer 1");
});

test("the legend of a picture has the scale with its ends, and what is masked", () => {
  const legend = legendOf({ ...matrixOf(), scale: divergingTo(2, false) }, "score", { masked: "masked" });
  assert.equal(read(legend).textContent, "score−202masked");
});
