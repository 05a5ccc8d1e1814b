// What leaves the page: every number as it was sent, and nothing of what is masked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergingTo } from "../../src/kit/colour.ts";
import { fillMatrixTable, pngOf, valuesAsText } from "../../src/matrix/export.ts";
import { sheetOf } from "../../src/matrix/sheet.ts";
import { RecordingCanvas } from "../canvas.ts";
import { FakeElement, rowsOf } from "../dom.ts";
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

test("the picture has its title, the canvas, and a scale whose ends are those of its colours", async () => {
  const canvas = new RecordingCanvas(400, 300);
  const look = { text: "ink", background: "paper", font: "serif", ratio: 2, accent: "", hue: "" };
  const scale = divergingTo(2, false);
  const page = canvas as unknown as HTMLCanvasElement;
  const blob = await pngOf(page, "Scores, layer 1", scale, "score", { masked: "masked" }, look);
  const { context } = blob as unknown as RecordingCanvas;
  const [image] = context.of("image");
  assert.equal(image.image, canvas);
  assert.deepEqual([image.points[1][0] - image.points[0][0], image.points[1][1] - image.points[0][1]], [400, 300]);
  const title = context.placeOf("Scores, layer 1");
  assert.ok(title && title[1] < image.points[0][1], "above the matrix");
  const ramp = context.of("rect").find(({ style }) => Array.isArray((style as { stops?: unknown }).stops));
  assert.ok(ramp);
  const [[left], [right]] = ramp.points;
  const ends = (ramp.style as { line: number[]; stops: [number, string][] }).stops;
  assert.deepEqual(
    [ends[0], ends.at(-1)],
    [
      [0, "rgb(8,62,121)"],
      [1, "rgb(133,62,6)"],
    ],
  );
  assert.deepEqual([context.placeOf("−2")?.[0], context.placeOf("2")?.[0]], [left, right]);
  assert.ok(context.placeOf("score") && context.placeOf("masked"));
});
