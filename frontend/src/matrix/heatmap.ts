// @ts-nocheck
// Paints one matrix: cells, hatching, axis names and labels, then the crosshair on top.
//
// A matrix: {queries, keys, predicted, values, mask, scale}: labels of its R rows, of its C columns, at the right end
// of its rows (or none), R·C numbers, R·C flags (1 = has a value, 0 = hatched), and a scale of kit/colour.ts.
// A label that is null is shown by its index alone. Its `image`, one pixel a cell, is kept with it.

import { hatch } from "../kit/colour.ts";
import { cellText, valueText } from "../kit/numbers.ts";
import { shorten } from "../kit/tokens.ts";
import { AXIS, GAP } from "./geometry.ts";

const NUMBERS_FROM = 34; // cells of this size have room for their number

// `look`: {text, background, hue, accent, font, ratio} as CSS colours, a font family and the device pixel ratio.
export function paintMatrix(context, matrix, geometry, look, axisNames) {
  const { left, top, cellWidth, cellHeight } = geometry;
  const [rows, columns] = [matrix.queries.length, matrix.keys.length];
  paintMasked(context, matrix, geometry, look);
  paintOdd(context, matrix, geometry, look);
  context.imageSmoothingEnabled = false;
  matrix.image ??= imageOf(matrix);
  context.drawImage(matrix.image, left, top, columns * cellWidth, rows * cellHeight);
  if (cellWidth >= 8 && cellHeight >= 8) paintGaps(context, rows, columns, geometry, look);
  if (cellWidth >= NUMBERS_FROM && cellHeight >= 16) paintNumbers(context, matrix, geometry, look);
  paintAxisNames(context, matrix, geometry, look, axisNames);

  const columnsWithRoom = matrix.keys.map((_, j) => j).filter((j) => j % geometry.everyColumn === 0);
  paintLabels(context, "column", matrix.keys, columnsWithRoom, geometry, look);
  const rowsWithRoom = matrix.queries.map((_, i) => i).filter((i) => i % geometry.everyRow === 0);
  paintLabels(context, "row", matrix.queries, rowsWithRoom, geometry, look);
  if (matrix.predicted.length) paintPredicted(context, matrix, rowsWithRoom, geometry, look);
}

// Over a painted matrix: the row of `step` is marked, the rows after it, which are not generated yet, are faint.
export function paintStep(context, matrix, geometry, look, step) {
  const { left, top, right, cellWidth, cellHeight } = geometry;
  const width = matrix.keys.length * cellWidth;
  const [from, height] = [top + (step + 1) * cellHeight, (matrix.queries.length - step - 1) * cellHeight];
  context.save();
  context.fillStyle = look.background;
  context.globalAlpha = 0.72;
  context.fillRect(left, from, width, height);
  context.globalAlpha = 0.6;
  context.fillRect(AXIS, from, left - AXIS, height);
  context.fillRect(left + width, from, right - (matrix.predicted.length ? AXIS : 0), height);
  context.restore();
  frame(context, left, top + step * cellHeight, width, cellHeight, look, look.hue, 2);
  const style = { bold: true, chip: true };
  paintLabels(context, "row", matrix.queries, [step], geometry, look, style);
  if (matrix.predicted.length) paintPredicted(context, matrix, [step], geometry, look, style);
}

// The crosshair of a cell. A row or a column that is null is not marked.
export function paintCursor(context, matrix, geometry, look, [i, j], colour) {
  const { left, top, cellWidth, cellHeight } = geometry;
  const [width, height] = [matrix.keys.length * cellWidth, matrix.queries.length * cellHeight];
  const [x, y] = [left + j * cellWidth, top + i * cellHeight];
  const isCell = i !== null && j !== null;
  if (i !== null) frame(context, left, y, width, cellHeight, look, isCell ? look.text : colour, 1);
  if (j !== null) frame(context, x, top, cellWidth, height, look, isCell ? look.text : colour, 1);
  if (isCell) frame(context, x, y, cellWidth, cellHeight, look, colour, 2);
  const style = { bold: true, chip: true };
  if (i !== null) paintLabels(context, "row", matrix.queries, [i], geometry, look, style);
  if (j !== null) paintLabels(context, "column", matrix.keys, [j], geometry, look, style);
  if (i !== null && matrix.predicted.length) paintPredicted(context, matrix, [i], geometry, look, style);
}

export function imageOf(matrix) {
  const canvas = new OffscreenCanvas(matrix.keys.length, matrix.queries.length);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++) {
    const value = matrix.values[n];
    if (matrix.mask[n] && matrix.scale.paints(value)) pixels[n] = matrix.scale.pixelOf(value); // all others stay clear
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

export function hasOdd({ values, mask, scale }) {
  for (let n = 0; n < values.length; n++) if (mask[n] && !scale.paints(values[n])) return true;
  return false;
}

function paintMasked(context, matrix, { left, top, cellWidth, cellHeight }, look) {
  const columns = matrix.keys.length;
  context.beginPath();
  matrix.queries.forEach((_, i) => {
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
function paintOdd(context, matrix, { left, top, cellWidth, cellHeight }, look) {
  if (!hasOdd(matrix)) return;
  const columns = matrix.keys.length;
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

function paintGaps(context, rows, columns, { left, top, cellWidth, cellHeight }, look) {
  context.fillStyle = look.background;
  const line = 1 / look.ratio;
  for (let i = 1; i < rows; i++) context.fillRect(left, top + i * cellHeight - line, columns * cellWidth, line);
  for (let j = 1; j < columns; j++) context.fillRect(left + j * cellWidth - line, top, line, rows * cellHeight);
}

function paintNumbers(context, matrix, { left, top, cellWidth, cellHeight }, look) {
  context.font = `11px ${look.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const columns = matrix.keys.length;
  matrix.values.forEach((value, n) => {
    if (!matrix.mask[n]) return;
    context.fillStyle = matrix.scale.paints(value) ? matrix.scale.inkOn(value) : look.text;
    const [i, j] = [Math.floor(n / columns), n % columns];
    const text = matrix.isWhole ? valueText(matrix, value) : cellText(value);
    context.fillText(text, left + (j + 0.5) * cellWidth, top + (i + 0.5) * cellHeight, cellWidth - 2);
  });
}

// A line around a box, not over it: small cells stay visible. A halo of the page's colour sets it off from the scale.
function frame(context, x, y, width, height, look, colour, lineWidth) {
  for (const [style, thickness, distance] of [
    [look.background, 1, lineWidth + 0.5],
    [colour, lineWidth, lineWidth / 2],
  ]) {
    context.strokeStyle = style;
    context.lineWidth = thickness;
    context.strokeRect(x - distance, y - distance, width + 2 * distance, height + 2 * distance);
  }
}

function paintAxisNames(
  context,
  matrix,
  { left, right, top, cellWidth, cellHeight },
  look,
  [queryName, keyName, predictedName],
) {
  context.save();
  context.fillStyle = look.text;
  context.globalAlpha = 0.7;
  context.font = `11px ${look.font}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  context.fillText(`${keyName} →`, left, 2);
  context.translate(2, top + matrix.queries.length * cellHeight);
  context.rotate(-Math.PI / 2);
  context.fillText(`← ${queryName}`, 0, 0);
  if (matrix.predicted.length) context.fillText(predictedName, 0, left + matrix.keys.length * cellWidth + right - 16);
  context.restore();
}

// At the right end of a decoder's rows: what they predict.
function paintPredicted(context, matrix, places, geometry, look, { bold, chip } = {}) {
  const { left, top, cellWidth, cellHeight, fontSize, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const x = left + matrix.keys.length * cellWidth + GAP;
  context.save();
  Object.assign(context, { font, textBaseline: "middle", textAlign: "left", direction: "ltr" });
  for (const i of places) {
    const { text, width } = shorten(matrix.predicted[i], font, labelMax);
    const y = top + (i + 0.5) * cellHeight;
    if (chip) paintChip(context, x, y, width + 2, fontSize, look);
    context.fillStyle = look.text;
    context.fillText(text, x, y);
  }
  context.restore();
}

// The labels of `places` in one go: to change a canvas's font is slow.
function paintLabels(context, axis, tokens, places, geometry, look, { bold, chip } = {}) {
  const { left, top, cellWidth, cellHeight, slant, fontSize, indexWidth, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const sign = axis === "row" ? -1 : 1; // away from the cells
  const turn = axis === "row" ? 0 : slant; // of all labels at once: places are turned the other way
  const labels = places.map((index) => {
    const { text, width } = tokens[index] === null ? { text: "", width: 0 } : shorten(tokens[index], font, labelMax);
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
  context.globalAlpha = 0.6;
  context.font = `9px ${look.font}`;
  for (const { index, x, y } of labels) context.fillText(String(index + 1), x, y + 1);
  context.globalAlpha = 1;
  context.font = font;
  for (const { text, x, y } of labels) context.fillText(text, x + sign * indexWidth, y);
  context.restore();
}

// The page's colour behind a label that stands out.
function paintChip(context, x, y, length, fontSize, look) {
  context.fillStyle = look.background;
  context.fillRect(x, y - fontSize * 0.7, length, fontSize * 1.4);
}
