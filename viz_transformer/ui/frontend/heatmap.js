// Paints one matrix: cells, hatching, axis names and labels, then the crosshair on top.
//
// A matrix: {queries, keys, predicted, values, mask, scale}: labels of its R rows, of its C columns, at the right end
// of its rows (or none), R·C numbers, R·C flags (1 = has a value, 0 = hatched), and a scale of colour.js.
// A label that is null is shown by its index alone.

import { hatch } from "./colour.js";
import { GAP } from "./geometry.js";
import { cellText, valueText } from "./numbers.js";
import { shorten } from "./tokens.js";

const NUMBERS_FROM = 34; // cells of this size have room for their number

// `look`: {text, background, hue, accent, font, ratio} as CSS colours, a font family and the device pixel ratio.
// `step`: rows after it are not generated yet; null where rows are not steps.
export function paintMatrix(context, matrix, geometry, look, axisNames, step) {
  const { left, top, cellWidth, cellHeight } = geometry;
  const [rows, columns] = [matrix.queries.length, matrix.keys.length];
  paintMasked(context, matrix, geometry, look);
  paintOdd(context, matrix, geometry, look);
  context.imageSmoothingEnabled = false;
  context.drawImage(imageOf(matrix), left, top, columns * cellWidth, rows * cellHeight);
  if (cellWidth >= 8 && cellHeight >= 8) paintGaps(context, rows, columns, geometry, look);
  if (cellWidth >= NUMBERS_FROM && cellHeight >= 16) paintNumbers(context, matrix, geometry, look);
  if (step !== null) paintStep(context, rows, columns, geometry, look, step);
  paintAxisNames(context, matrix, geometry, look, axisNames);

  const isRoom = (index, marked, every) =>
    index === marked || (index % every === 0 && (marked === null || Math.abs(index - marked) >= every));
  matrix.queries.forEach((token, i) => {
    if (isRoom(i, step, geometry.everyRow)) paintLabel(context, "row", i, token, geometry, look, { bold: i === step, faint: step !== null && i > step });
  });
  matrix.predicted.forEach((token, i) => {
    if (isRoom(i, step, geometry.everyRow)) paintPredicted(context, i, columns, token, geometry, look, { bold: i === step, faint: step !== null && i > step });
  });
  matrix.keys.forEach((token, j) => {
    if (isRoom(j, null, geometry.everyColumn)) paintLabel(context, "column", j, token, geometry, look, {});
  });
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
  if (i !== null) paintLabel(context, "row", i, matrix.queries[i], geometry, look, { bold: true, chip: true });
  if (j !== null) paintLabel(context, "column", j, matrix.keys[j], geometry, look, { bold: true, chip: true });
  if (i !== null && matrix.predicted.length) {
    paintPredicted(context, i, matrix.keys.length, matrix.predicted[i], geometry, look, { bold: true, chip: true });
  }
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
  const columns = matrix.keys.length;
  context.save();
  context.globalAlpha = 0.18;
  context.fillStyle = look.text;
  matrix.values.forEach((value, n) => {
    if (!matrix.mask[n] || matrix.scale.paints(value)) return;
    context.fillRect(left + (n % columns) * cellWidth, top + Math.floor(n / columns) * cellHeight, cellWidth, cellHeight);
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

function paintStep(context, rows, columns, { left, top, cellWidth, cellHeight }, look, step) {
  context.save();
  context.globalAlpha = 0.72;
  context.fillStyle = look.background;
  context.fillRect(left, top + (step + 1) * cellHeight, columns * cellWidth, (rows - step - 1) * cellHeight);
  context.restore();
  frame(context, left, top + step * cellHeight, columns * cellWidth, cellHeight, look, look.hue, 2);
}

// A line around a box, not over it: small cells stay visible. A halo of the page's colour sets it off from the scale.
function frame(context, x, y, width, height, look, colour, lineWidth) {
  for (const [style, thickness, distance] of [[look.background, 1, lineWidth + 0.5], [colour, lineWidth, lineWidth / 2]]) {
    context.strokeStyle = style;
    context.lineWidth = thickness;
    context.strokeRect(x - distance, y - distance, width + 2 * distance, height + 2 * distance);
  }
}

function paintAxisNames(context, matrix, { left, right, top, cellWidth, cellHeight }, look, [queryName, keyName, predictedName]) {
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

// At the right end of a decoder's row: what it predicts.
function paintPredicted(context, index, columns, token, geometry, look, { bold, faint, chip }) {
  const { left, top, cellWidth, cellHeight, fontSize, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const { text, width } = shorten(token, font, labelMax);
  context.save();
  context.translate(left + columns * cellWidth + GAP, top + (index + 0.5) * cellHeight);
  if (chip) {
    context.fillStyle = look.background;
    context.fillRect(0, -fontSize * 0.7, width + 2, fontSize * 1.4);
  }
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.direction = "ltr";
  context.globalAlpha = faint ? 0.4 : 1;
  context.font = font;
  context.fillText(text, 0, 0);
  context.restore();
}

function paintLabel(context, axis, index, token, geometry, look, { bold, faint, chip }) {
  const { left, top, cellWidth, cellHeight, slant, fontSize, indexWidth, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const { text, width } = token === null ? { text: "", width: 0 } : shorten(token, font, labelMax);
  const sign = axis === "row" ? -1 : 1; // away from the cells
  context.save();
  if (axis === "row") {
    context.translate(left - GAP, top + (index + 0.5) * cellHeight);
  } else {
    context.translate(left + (index + 0.5) * cellWidth, top - GAP);
    context.rotate(-slant);
  }
  if (chip) {
    context.fillStyle = look.background;
    const length = indexWidth + width + 2;
    context.fillRect(sign < 0 ? -length : 0, -fontSize * 0.7, length, fontSize * 1.4);
  }
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.textAlign = sign < 0 ? "right" : "left";
  context.direction = "ltr";
  context.globalAlpha = faint ? 0.35 : 0.6;
  context.font = `9px ${look.font}`;
  context.fillText(String(index + 1), 0, 1);
  context.globalAlpha = faint ? 0.4 : 1;
  context.font = font;
  context.fillText(text, sign * indexWidth, 0);
  context.restore();
}
