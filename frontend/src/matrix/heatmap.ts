// Paints one matrix: cells, hatching, axis names and labels, then the crosshair on top.

import type { Context } from "../kit/canvas.ts";
import { hatch } from "../kit/colour.ts";
import type { Look } from "../kit/look.ts";
import { cellText, valueText } from "../kit/numbers.ts";
import { shorten, textWidth } from "../kit/tokens.ts";
import { AXIS, AXIS_FONT, dense, GAP, indexFont } from "./layout.ts";
import { type AxisNames, type Crosshair, type Geometry, indexOf, type Matrix, type Part } from "./matrix.ts";

const NUMBERS_FROM = 34; // cells of this size have room for their number, narrower ones where all of them are short
const MOST = 24; // pixels of a digit

// The parts of a look that a figure needs.
export type Ink = Omit<Look, "isDark">;

interface LabelStyle {
  readonly bold?: boolean;
  readonly chip?: boolean; // the page's colour behind it
}

const MARKED: LabelStyle = { bold: true, chip: true };

export function paintMatrix(
  context: Context,
  matrix: Matrix,
  geometry: Geometry,
  look: Ink,
  axisNames: AxisNames,
): void {
  const { left, top, cellWidth, cellHeight } = geometry;
  const [rows, columns] = [matrix.rowLabels.length, matrix.columnLabels.length];
  paintMasked(context, matrix, geometry, look);
  paintOdd(context, matrix, geometry, look);
  context.imageSmoothingEnabled = false;
  matrix.image ??= imageOf(matrix);
  context.drawImage(matrix.image, left, top, columns * cellWidth, rows * cellHeight);
  if (cellWidth >= 8 && cellHeight >= 8) paintGaps(context, rows, columns, geometry, look);
  if (cellWidth >= MOST && cellHeight >= 16) paintNumbers(context, matrix, geometry, look);
  paintAxisNames(context, matrix, geometry, look, axisNames);

  const columnsWithRoom = matrix.columnLabels.map((_, j) => j).filter((j) => j % geometry.everyColumn === 0);
  paintLabels(context, "column", matrix, columnsWithRoom, geometry, look);
  const rowsWithRoom = matrix.rowLabels.map((_, i) => i).filter((i) => i % geometry.everyRow === 0);
  paintLabels(context, "row", matrix, rowsWithRoom, geometry, look);
  if (matrix.rowEnds.length) paintRowEnds(context, matrix, rowsWithRoom, geometry, look);
}

// Over a painted matrix: the row of `step` is marked, the rows after it, which are not generated yet, are faint.
export function paintStep(context: Context, matrix: Matrix, geometry: Geometry, look: Ink, step: number): void {
  const { left, top, right, cellWidth, cellHeight } = geometry;
  const width = matrix.columnLabels.length * cellWidth;
  const [from, height] = [top + (step + 1) * cellHeight, (matrix.rowLabels.length - step - 1) * cellHeight];
  context.save();
  context.fillStyle = look.background;
  context.globalAlpha = 0.72;
  context.fillRect(left, from, width, height);
  context.globalAlpha = 0.6;
  context.fillRect(AXIS, from, left - AXIS, height);
  context.fillRect(left + width, from, right - (matrix.rowEnds.length ? AXIS : 0), height);
  context.restore();
  frame(context, left, top + step * cellHeight, width, cellHeight, look, look.hue, 2);
  paintLabels(context, "row", matrix, [step], geometry, look, MARKED);
  if (matrix.rowEnds.length) paintRowEnds(context, matrix, [step], geometry, look, MARKED);
}

// The crosshair of a cell. A row or a column that is null is not marked.
export function paintCursor(
  context: Context,
  matrix: Matrix,
  geometry: Geometry,
  look: Ink,
  [i, j]: Crosshair,
  colour: string,
): void {
  const { left, top, cellWidth, cellHeight } = geometry;
  const [width, height] = [matrix.columnLabels.length * cellWidth, matrix.rowLabels.length * cellHeight];
  const [x, y] = [left + (j ?? 0) * cellWidth, top + (i ?? 0) * cellHeight];
  const isCell = i !== null && j !== null;
  if (i !== null) frame(context, left, y, width, cellHeight, look, isCell ? look.text : colour, 1);
  if (j !== null) frame(context, x, top, cellWidth, height, look, isCell ? look.text : colour, 1);
  if (isCell) frame(context, x, y, cellWidth, cellHeight, look, colour, 2);
  if (i !== null) paintLabels(context, "row", matrix, [i], geometry, look, MARKED);
  if (j !== null) paintLabels(context, "column", matrix, [j], geometry, look, MARKED);
  if (i !== null && matrix.rowEnds.length) paintRowEnds(context, matrix, [i], geometry, look, MARKED);
}

type Cells = Pick<Matrix, "values" | "mask" | "scale"> & {
  readonly rowLabels: ArrayLike<unknown>;
  readonly columnLabels: ArrayLike<unknown>;
};

export function imageOf(matrix: Cells): OffscreenCanvas {
  const canvas = new OffscreenCanvas(matrix.columnLabels.length, matrix.rowLabels.length);
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++) {
    const value = matrix.values[n];
    if (matrix.mask[n] && matrix.scale.paints(value)) pixels[n] = matrix.scale.pixelOf(value); // all others stay clear
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// Whether a number has no place on the scale.
export function hasOdd({ values, mask, scale }: Pick<Matrix, "values" | "mask" | "scale">): boolean {
  for (let n = 0; n < values.length; n++) if (mask[n] && !scale.paints(values[n])) return true;
  return false;
}

function paintMasked(
  context: Context,
  matrix: Matrix,
  { left, top, cellWidth, cellHeight }: Geometry,
  look: Ink,
): void {
  const columns = matrix.columnLabels.length;
  context.beginPath();
  matrix.rowLabels.forEach((_, i) => {
    for (let j = 0; j < columns; j++) {
      const start = j;
      while (j < columns && !matrix.mask[i * columns + j]) j++;
      if (j > start) context.rect(left + start * cellWidth, top + i * cellHeight, (j - start) * cellWidth, cellHeight);
    }
  });
  context.fillStyle = hatch(context, look.text, look.ratio);
  context.fill();
}

// Infinities and NaN have no place on a scale: they get a shade of the text's colour, and their name where there is room.
function paintOdd(context: Context, matrix: Matrix, { left, top, cellWidth, cellHeight }: Geometry, look: Ink): void {
  if (!hasOdd(matrix)) return;
  const columns = matrix.columnLabels.length;
  context.save();
  context.globalAlpha = 0.18;
  context.fillStyle = look.text;
  matrix.values.forEach((value, n) => {
    if (!matrix.mask[n] || matrix.scale.paints(value)) return;
    context.fillRect(
      left + (n % columns) * cellWidth,
      top + Math.floor(n / columns) * cellHeight,
      cellWidth,
      cellHeight,
    );
  });
  context.restore();
}

function paintGaps(
  context: Context,
  rows: number,
  columns: number,
  { left, top, cellWidth, cellHeight }: Geometry,
  look: Ink,
): void {
  context.fillStyle = look.background;
  const line = 1 / look.ratio;
  for (let i = 1; i < rows; i++) context.fillRect(left, top + i * cellHeight - line, columns * cellWidth, line);
  for (let j = 1; j < columns; j++) context.fillRect(left + j * cellWidth - line, top, line, rows * cellHeight);
}

function paintNumbers(
  context: Context,
  matrix: Matrix,
  { left, top, cellWidth, cellHeight }: Geometry,
  look: Ink,
): void {
  const columns = matrix.columnLabels.length;
  const texts = Array.from(matrix.values, (value) => (matrix.isWhole ? valueText(matrix, value) : cellText(value)));
  const longest = texts.reduce((most, text, n) => (matrix.mask[n] && text.length > most.length ? text : most), "0");
  const fitting = (cellWidth - 7) / textWidth(longest, `1px ${look.font}`); // the size at which even the longest fits
  if (cellWidth < NUMBERS_FROM && fitting < dense()) return;
  const size = Math.max(dense(), Math.min(MOST, fitting, 0.5 * cellHeight));
  context.font = `${size}px ${look.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  matrix.values.forEach((value, n) => {
    if (!matrix.mask[n] && !matrix.hasMaskedNumbers) return;
    const [i, j] = [Math.floor(n / columns), n % columns];
    const [x, y] = [left + (j + 0.5) * cellWidth, top + (i + 0.5) * cellHeight];
    if (!matrix.mask[n]) {
      context.fillStyle = look.background; // over the hatching
      context.fillRect(x - 0.6 * size, y - 0.7 * size, 1.2 * size, 1.4 * size);
    }
    context.fillStyle = matrix.mask[n] && matrix.scale.paints(value) ? matrix.scale.inkOn(value) : look.text;
    context.fillText(texts[n], x, y, cellWidth - 2);
  });
}

function shows({ hidden }: Geometry, part: Part): boolean {
  return !hidden?.includes(part);
}

// A line around a box, not over it: small cells stay visible. A halo of the page's colour sets it off from the scale.
function frame(
  context: Context,
  x: number,
  y: number,
  width: number,
  height: number,
  look: Ink,
  colour: string,
  lineWidth: number,
): void {
  for (const [style, thickness, distance] of [
    [look.background, 1, lineWidth + 0.5],
    [colour, lineWidth, lineWidth / 2],
  ] as const) {
    context.strokeStyle = style;
    context.lineWidth = thickness;
    context.strokeRect(x - distance, y - distance, width + 2 * distance, height + 2 * distance);
  }
}

function paintAxisNames(
  context: Context,
  matrix: Matrix,
  geometry: Geometry,
  look: Ink,
  [rowName, columnName, endName]: AxisNames,
): void {
  const { left, right, top, cellWidth, cellHeight } = geometry;
  context.save();
  context.fillStyle = look.text;
  context.globalAlpha = 0.8;
  context.font = `${AXIS_FONT}px ${look.font}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  if (shows(geometry, "column name")) context.fillText(`${columnName} →`, left, 2);
  context.translate(2, top + matrix.rowLabels.length * cellHeight);
  context.rotate(-Math.PI / 2);
  if (shows(geometry, "row name")) context.fillText(`← ${rowName}`, 0, 0);
  if (matrix.rowEnds.length && shows(geometry, "ends"))
    context.fillText(endName, 0, left + matrix.columnLabels.length * cellWidth + right - 16);
  context.restore();
}

// At the right end of a decoder's rows: what they predict.
function paintRowEnds(
  context: Context,
  matrix: Matrix,
  places: readonly number[],
  geometry: Geometry,
  look: Ink,
  { bold, chip }: LabelStyle = {},
): void {
  if (!shows(geometry, "ends")) return;
  const { left, top, cellWidth, cellHeight, fontSize, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const x = left + matrix.columnLabels.length * cellWidth + GAP;
  context.save();
  Object.assign(context, { font, textBaseline: "middle", textAlign: "left", direction: "ltr" });
  for (const i of places) {
    const { text, width } = shorten(matrix.rowEnds[i], font, labelMax);
    const y = top + (i + 0.5) * cellHeight;
    if (chip) paintChip(context, x, y, width + 2, fontSize, look);
    context.fillStyle = look.text;
    context.fillText(text, x, y);
  }
  context.restore();
}

// The labels of `places` in one go: to change a canvas's font is slow.
function paintLabels(
  context: Context,
  axis: "row" | "column",
  matrix: Matrix,
  places: readonly number[],
  geometry: Geometry,
  look: Ink,
  { bold, chip }: LabelStyle = {},
): void {
  if (!shows(geometry, axis === "row" ? "rows" : "columns")) return;
  const { left, top, cellWidth, cellHeight, slant, fontSize, indexWidth, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const sign = axis === "row" ? -1 : 1; // away from the cells
  const tokens = axis === "row" ? matrix.rowLabels : matrix.columnLabels;
  const turn = axis === "row" ? 0 : slant; // the canvas is turned once for all labels, their places the other way
  const labels = places.map((index) => {
    const token = tokens[index];
    const { text, width } = token === null ? { text: "", width: 0 } : shorten(token, font, labelMax);
    const x = axis === "row" ? left - GAP : left + (index + 0.5) * cellWidth;
    const y = axis === "row" ? top + (index + 0.5) * cellHeight : top - GAP;
    return {
      index,
      text,
      width,
      x: x * Math.cos(turn) - y * Math.sin(turn),
      y: x * Math.sin(turn) + y * Math.cos(turn),
    };
  });
  context.save();
  context.rotate(-turn);
  Object.assign(context, { textBaseline: "middle", textAlign: sign < 0 ? "right" : "left", direction: "ltr" });
  if (chip) {
    for (const { x, y, width } of labels) {
      const length = indexWidth + width + 2;
      paintChip(context, sign < 0 ? x - length : x, y, length, fontSize, look);
    }
  }
  context.fillStyle = look.text;
  context.globalAlpha = 0.75;
  context.font = `${indexFont()}px ${look.font}`;
  for (const { index, x, y } of labels) context.fillText(String(indexOf(matrix, index, axis)), x, y + 1);
  context.globalAlpha = 1;
  context.font = font;
  for (const { text, x, y } of labels) context.fillText(text, x + sign * indexWidth, y);
  context.restore();
}

// The page's colour behind a label that stands out.
function paintChip(context: Context, x: number, y: number, length: number, fontSize: number, look: Ink): void {
  context.fillStyle = look.background;
  context.fillRect(x, y - fontSize * 0.7, length, fontSize * 1.4);
}
