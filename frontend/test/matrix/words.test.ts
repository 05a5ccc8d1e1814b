// What figures say: of a cell its own row, column and number, counted from 1, and of a row its largest weights.

import assert from "node:assert/strict";
import { test } from "node:test";
import { causalMask, maskWords } from "../../src/decoding/mask.ts";
import { sheetOf } from "../../src/matrix/sheet.ts";
import { headWords, matrixWords } from "../../src/matrix/words.ts";
import { matrixOf, traceOf } from "../../src/trace/payload.ts";
import { FakeElement, labels } from "../dom.ts";
import { PREDICTED, READ, SOURCE, traceContent, weightAt } from "../trace/sent.ts";
import { sentMatrix } from "./sent.ts";

const text = (nodes: readonly (Node | string)[]) => {
  const box = new FakeElement("p");
  box.append(...(nodes as unknown as FakeElement[]));
  return box.textContent;
};

test("of a head: cell, row, place and the name of its picture", () => {
  const trace = traceOf(traceContent());
  const [layer, head] = [1, 2];
  for (const [name, keys] of [
    ["cross", SOURCE],
    ["decoder_self", READ],
  ] as const) {
    const words = headWords(
      name,
      labels({
        [`row_${name}`]: "{i} {query} > {predicted}",
        cell: "{row}: {j} {key} {weight}",
        cell_masked: "{row}: {j} {key} masked",
        place: "layer {layer}, head {head}",
        attends_to: "{row}: {keys}",
        row_key: "{j} {key} {weight}",
        separator: ", ",
        matrix: "{rows} × {columns}, {place}",
      }),
    );
    const matrix = matrixOf(trace.module(name), layer, head);
    assert.equal(words.place(matrix), "layer 2, head 3");
    assert.equal(words.fileName(matrix), `${name}-layer2-head3`);
    assert.equal(words.spoken(matrix), `3 × ${keys.length}, layer 2, head 3`);
    READ.forEach((query, i) => {
      const row = `${i + 1} ${query} > ${PREDICTED[i]}`;
      const seen = [...keys.keys()].filter((j) => name === "cross" || j <= i);
      keys.forEach((key, j) => {
        const number = seen.includes(j) ? weightAt(name, layer, head, i, j).toFixed(4) : "masked";
        assert.equal(text(words.cell(matrix, [i, j])), `${row}: ${j + 1} ${key} ${number}`);
      });
      const weight = (j: number) => weightAt(name, layer, head, i, j);
      const named = seen
        .sort((a, b) => weight(b) - weight(a))
        .map((j) => `${j + 1} ${keys[j]} ${weight(j).toFixed(4)}`);
      assert.equal(text(words.row(matrix, i)), `${row}: ${named.join(", ")}`);
    });
  }
});

test("of the causal mask: which cells are open, and how many in a row", () => {
  const mask = causalMask(traceOf(traceContent()), false);
  const words = maskWords(
    labels({
      row_decoder_self: "{i} {query} > {predicted}",
      mask_cell: "{row}: {j} {key} open",
      cell_masked: "{row}: {j} {key} masked",
      mask_row: "{row}: {count}",
    }),
  );
  READ.forEach((query, i) => {
    const row = `${i + 1} ${query} > ${PREDICTED[i]}`;
    READ.forEach((key, j) =>
      assert.equal(text(words.cell(mask, [i, j])), `${row}: ${j + 1} ${key} ${j <= i ? "open" : "masked"}`),
    );
    assert.equal(text(words.row(mask, i)), `${row}: ${i + 1}`);
  });
});

test("of any matrix: a cell's axes, places, labels and number; columns without labels by their places", () => {
  const said = labels({
    cell: "{row} {column} = {value}",
    cell_masked: "{row} {column} masked",
    place: "{axis} {index} {label}",
    place_bare: "{axis} {index}",
  });
  const sent = sentMatrix();
  const of = (changes: object) =>
    sheetOf({ stages: [], formula: [], terms: [], matrices: [{ ...sent, ...changes }] }).matrices[0];
  const [named, bare] = [of({}), of({ columnLabels: null })];
  assert.equal(text(matrixWords(named, said).cell(named, [0, 1])), "query 1 <s> key 2 b\tc = −2.0000");
  assert.equal(text(matrixWords(named, said).cell(named, [1, 0])), "query 2 $x$ key 1 a masked");
  assert.equal(text(matrixWords(bare, said).cell(bare, [1, 2])), "query 2 $x$ key 3 = 1.00e−12");
});

test("of any matrix: positions count from 0; a row that predicts says what it has read and what it is writing", () => {
  const said = labels({
    cell: "{row} {column} = {value}",
    place: "{axis} {index} {label}",
    place_bare: "{axis} {index}",
    place_step: "step {index}: has read {read}, is writing {written}",
    row: "{row} · {values}",
    row_value: "{column} ({value})",
    separator: ", ",
  });
  const of = (changes: object) =>
    sheetOf({ stages: [], formula: [], terms: [], matrices: [{ ...sentMatrix(), ...changes }] }).matrices[0];
  const positions = of({ firstIndex: 0, columnLabels: null });
  assert.equal(text(matrixWords(positions, said).cell(positions, [0, 1])), "query 0 <s> key 1 = −2.0000");
  const decoder = of({ rowEnds: ["$x$", "</s>"] });
  const words = matrixWords(decoder, said);
  assert.equal(text(words.cell(decoder, [0, 1])), "step 1: has read <s>, is writing $x$ key 2 b\tc = −2.0000");
  assert.equal(
    text(words.row(decoder, 1)),
    "step 2: has read $x$, is writing </s> · key 2 b\tc (0.2500), key 3 b (1.00e−12)",
  );
});
