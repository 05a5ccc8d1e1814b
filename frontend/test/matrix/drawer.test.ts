// The pinned cell unfolded: its numbers worked out from the scores, and what the row says.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Drawer, termText } from "../../src/matrix/drawer.ts";
import { type Sheet, sheetOf } from "../../src/matrix/sheet.ts";
import { labels, read } from "../dom.ts";
import { tensor } from "../maps/sent.ts";
import { sentMatrix } from "./sent.ts";

const SCORES = [3, -1, 0.5, 2, 8, -4];
const MASKED = [1.5, -0.5, 0.25, 1, -Infinity, -2];
const powers = MASKED.map((value) => Math.exp(value));
const sums = [powers[0] + powers[1] + powers[2], powers[3] + powers[5]];
const WEIGHTS = powers.map((power, n) => power / sums[Math.floor(n / 3)]);
const MASK = [1, 1, 1, 1, 0, 1];

const matrix = (name: string, values: number[], kind: "diverging" | "sequential" = "diverging") =>
  sentMatrix({
    name,
    kind,
    values: tensor(Float32Array.from(values), 2, 3),
    mask: tensor(Uint8Array.from(MASK), 2, 3),
    rowLabels: ["<s>", "$x$"],
    columnLabels: ["a", "b", "c"],
    rowEnds: ["$x$", "end"],
  });
const sheet: Sheet = sheetOf({
  stages: [],
  formula: [],
  matrices: [matrix("scores", SCORES), matrix("masked", MASKED), matrix("weights", WEIGHTS, "sequential")],
  terms: [
    { label: "score", matrix: 0, kind: "number", stage: 0 },
    { label: "exp", matrix: 1, kind: "exp", stage: 2 },
    { label: "sum", matrix: 1, kind: "sum", stage: 2 },
    { label: "weight", matrix: 2, kind: "number", stage: 2 },
  ],
});

test("a term is what it says: e to the distance from the row's largest, and the sum of those", () => {
  const [, masked] = sheet.matrices;
  const [, exp, sum] = sheet.terms;
  [
    [0, 1],
    [1, 0],
    [1, 2],
  ].forEach(([i, j]) => {
    const row = MASKED.slice(3 * i, 3 * i + 3);
    const largest = Math.max(...row);
    assert.equal(termText(masked, exp, i, j), Math.exp(row[j] - largest).toFixed(4));
    const total = row.reduce((all, value) => all + Math.exp(value - largest), 0);
    assert.equal(termText(masked, sum, i, j), total.toFixed(4));
    assert.ok(Math.abs(Math.exp(row[j] - largest) / total - WEIGHTS[3 * i + j]) < 1e-12);
  });
  assert.equal(termText(masked, exp, 1, 1), "0.0000"); // what is masked
  assert.equal(termText(masked, { ...exp, kind: "number" }, 1, 1), "−∞");
});

test("the drawer shows the pinned cell, lights what this stage makes, and reads its row", () => {
  const drawer = new Drawer();
  const fake = read(drawer.element);
  const words = {
    ...labels(),
    place_step: "{index} {read} {written}",
    place: "{label}",
    drawer: "Pinned",
    hint: "Pin one",
    reading_written: "{written}: {percent} % at {key}",
  };
  drawer.show(sheet, [1, 2], 2, words);
  const rows = fake.byId("mv-terms").tags("tr");
  assert.deepEqual(
    rows.map((row) => row.children.map((cell) => cell.textContent)),
    [
      ["score", "−4.0000"],
      ["exp", Math.exp(-3).toFixed(4)],
      ["sum", (1 + Math.exp(-3)).toFixed(4)],
      ["weight", WEIGHTS[5].toFixed(4)],
    ],
  );
  assert.deepEqual(
    rows.map((row) => row.classList.contains("lit")),
    [false, true, true, true],
  );
  assert.equal(fake.byId("mv-reading").textContent, `end: ${(100 * WEIGHTS[3]).toFixed(0)} % at a`);
  drawer.show(sheet, null, 2, words);
  assert.ok(fake.byId("mv-terms").hidden);
  assert.ok(fake.textContent.includes("Pin one"));
  drawer.show({ ...sheet, terms: [] }, [1, 2], 2, words);
  assert.ok(fake.hidden);
});
