// The numbers of one matrix outside the canvas: as a table, as text to paste, as a picture.

import type { Context } from "../kit/canvas.ts";
import { canvasGradient, hatch, type Scale } from "../kit/colour.ts";
import { element, type Labels } from "../kit/dom.ts";
import { pictureOf } from "../kit/export.ts";
import { tickText, valueText } from "../kit/numbers.ts";
import { fillTable, tokenNodes } from "../kit/table.ts";
import type { Ink } from "./heatmap.ts";
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
  const number = (n: number) => (isSaid(matrix, n) ? String(Number(values[n].toPrecision(9))) : "");
  const lines = rowLabels.map((label, i) => [
    plain(label, i),
    ...columnLabels.map((_, j) => number(i * columnLabels.length + j)),
  ]);
  return [["", ...columnLabels.map(plain)], ...lines].map((line) => line.join("\t")).join("\n");
}

// The canvas under its title and above the scale, on the page's colour, in the resolution of the screen.
export function pngOf(
  canvas: HTMLCanvasElement,
  title: string,
  scale: Scale,
  scaleName: string,
  labels: Labels,
  look: Ink,
): Promise<Blob> {
  const line = 24;
  const [width, height] = [canvas.width / look.ratio, canvas.height / look.ratio];
  const size = { width: Math.max(width, 340), height: height + 3 * line, margin: 12, size: 13 };
  return pictureOf(title, size, look, (context) => {
    context.drawImage(canvas, 0, line, width, height);
    context.translate(0, line + height + line / 2);
    paintScale(context, scale, scaleName, labels, look);
  });
}

function paintScale(context: Context, scale: Scale, scaleName: string, labels: Labels, look: Ink): void {
  const [start, end, thickness] = [130, 270, 9];
  context.font = `11px ${look.font}`;
  context.textBaseline = "top";
  context.fillText(scaleName, 0, 0, start - 8);
  context.textAlign = "center";
  scale.ticks.forEach((tick, n) => {
    context.fillText(tickText(tick), start + (n / (scale.ticks.length - 1)) * (end - start), thickness + 3);
  });
  context.textAlign = "left";
  context.fillText(labels.masked, end + 34, 0, 60);
  context.fillStyle = canvasGradient(context, scale, start, end);
  context.fillRect(start, 0, end - start, thickness);
  context.fillStyle = hatch(context, look.text, look.ratio);
  context.fillRect(end + 14, 0, 14, thickness);
}
