// The numbers of one matrix outside the canvas: as a table, as text to paste, as rows of a file.

import { type CsvCell, nineDigits } from "../kit/csv.ts";
import { element, type Labels } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import { valueText } from "../kit/numbers.ts";
import { fillTable, tokenNodes } from "../kit/table.ts";
import { hasOdd } from "./heatmap.ts";
import { type AxisNames, indexOf, type Matrix, type Token } from "./matrix.ts";

export function fillMatrixTable(
  table: HTMLTableElement,
  matrix: Matrix,
  [rowName, columnName, endName]: AxisNames,
  labels: Labels,
): void {
  const { rowLabels, columnLabels, rowEnds, values, firstIndex } = matrix;
  const cellOf = (n: number) =>
    isSaid(matrix, n)
      ? valueText(matrix, values[n])
      : element("td", { textContent: labels.masked, className: "masked" });
  fillTable(
    table,
    `${rowName} ↓ · ${columnName} →`,
    [
      "",
      ...columnLabels.map((label, j) => tokenNodes(label ?? "", j, firstIndex)),
      ...(rowEnds.length ? [endName] : []),
    ],
    rowLabels.map((label, i) => [
      tokenNodes(label ?? "", i, firstIndex),
      ...columnLabels.map((_, j) => cellOf(i * columnLabels.length + j)),
      ...rowEnds.slice(i, i + 1).map((token) => element("bdi", { textContent: token })),
    ]),
  );
}

function isSaid({ mask, hasMaskedNumbers }: Matrix, n: number): boolean {
  return mask[n] === 1 || hasMaskedNumbers === true;
}

// Tab-separated, with the nine digits that give back the same float32. Masked cells are empty, unless they show their numbers.
export function valuesAsText(matrix: Matrix): string {
  const { rowLabels, columnLabels, values } = matrix;
  const plain = (token: Token, i: number) => (token ?? String(indexOf(matrix, i))).replace(/[\t\r\n]/g, " ");
  const number = (n: number) => (isSaid(matrix, n) ? nineDigits(values[n]) : "");
  const lines = rowLabels.map((label, i) => [
    plain(label, i),
    ...columnLabels.map((_, j) => number(i * columnLabels.length + j)),
  ]);
  return [["", ...columnLabels.map(plain)], ...lines].map((line) => line.join("\t")).join("\n");
}

// The same for a file, where a place without a token goes by its axis: "head 2".
export function valuesAsRows(matrix: Matrix, [rowName, columnName]: AxisNames): CsvCell[][] {
  const { rowLabels, columnLabels, values } = matrix;
  const named = (axis: string) => (token: Token, i: number) => token ?? `${axis} ${indexOf(matrix, i)}`;
  const rowNamed = named(rowName);
  const number = (n: number) => (isSaid(matrix, n) ? values[n] : null);
  return [
    ["", ...columnLabels.map(named(columnName))],
    ...rowLabels.map((label, i) => [
      rowNamed(label, i),
      ...columnLabels.map((_, j) => number(i * columnLabels.length + j)),
    ]),
  ];
}

// Its scale, and what cells without a colour are.
export function legendOf(matrix: Matrix, scaleName: string, labels: Labels): HTMLElement {
  const { scale, mask } = matrix;
  return element(
    "div",
    { className: "legend" },
    ...(scale.stops.length ? [element("span", { className: "entry" }, scaleName, scaleElement(scale))] : []),
    ...(mask.includes(0) ? [legendEntry("masked", labels.masked)] : []),
    ...(hasOdd(matrix) ? [legendEntry("odd", labels.odd)] : []),
  );
}
