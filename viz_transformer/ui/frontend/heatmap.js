// Paints one head's matrix: cells, hatching, axis names and labels, then the crosshair on top.

import { hatch, inkOn, pixelOf } from "./colour.js";
import { GAP } from "./geometry.js";
import { shorten } from "./tokens.js";

const NUMBERS_FROM = 34; // cells of this size have room for their number

// `look`: {text, background, hue, accent, font, ratio} as CSS colours, a font family and the device pixel ratio.
// `step`: rows after it are not generated yet; null where rows are not steps.
export function paintMatrix(context, matrix, geometry, look, axisNames, step) {
  const { left, top, cell } = geometry;
  const [rows, columns] = [matrix.queries.length, matrix.keys.length];
  paintMasked(context, matrix, geometry, look);
  context.imageSmoothingEnabled = false;
  context.drawImage(imageOf(matrix), left, top, columns * cell, rows * cell);
  if (cell >= 8) paintGaps(context, rows, columns, geometry, look);
  if (cell >= NUMBERS_FROM) paintNumbers(context, matrix, geometry, look);
  if (step !== null) paintStep(context, rows, columns, geometry, look, step);
  paintAxisNames(context, matrix, geometry, look, axisNames);

  const isRoom = (index, marked) =>
    index === marked || (index % geometry.every === 0 && (marked === null || Math.abs(index - marked) >= geometry.every));
  matrix.queries.forEach((token, i) => {
    if (isRoom(i, step)) paintLabel(context, "row", i, token, geometry, look, { bold: i === step, faint: step !== null && i > step });
  });
  matrix.predicted.forEach((token, i) => {
    if (isRoom(i, step)) paintPredicted(context, i, columns, token, geometry, look, { bold: i === step, faint: i > step });
  });
  matrix.keys.forEach((token, j) => {
    if (isRoom(j, null)) paintLabel(context, "column", j, token, geometry, look, {});
  });
}

export function paintCursor(context, matrix, geometry, look, [i, j], colour) {
  const { left, top, cell } = geometry;
  const [width, height] = [matrix.keys.length * cell, matrix.queries.length * cell];
  frame(context, left, top + i * cell, width, cell, look, look.text, 1);
  frame(context, left + j * cell, top, cell, height, look, look.text, 1);
  frame(context, left + j * cell, top + i * cell, cell, cell, look, colour, 2);
  paintLabel(context, "row", i, matrix.queries[i], geometry, look, { bold: true, chip: true });
  paintLabel(context, "column", j, matrix.keys[j], geometry, look, { bold: true, chip: true });
  if (matrix.predicted.length) {
    paintPredicted(context, i, matrix.keys.length, matrix.predicted[i], geometry, look, { bold: true, chip: true });
  }
}

function imageOf(matrix) {
  const canvas = new OffscreenCanvas(matrix.keys.length, matrix.queries.length);
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < pixels.length; n++) {
    if (matrix.mask[n]) pixels[n] = pixelOf(matrix.weights[n]); // masked cells stay clear
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function paintMasked(context, matrix, { left, top, cell }, look) {
  const columns = matrix.keys.length;
  context.beginPath();
  matrix.queries.forEach((_, i) => {
    for (let j = 0; j < columns; j++) {
      const start = j;
      while (j < columns && !matrix.mask[i * columns + j]) j++;
      if (j > start) context.rect(left + start * cell, top + i * cell, (j - start) * cell, cell);
    }
  });
  context.fillStyle = hatch(context, look.text, look.ratio);
  context.fill();
}

function paintGaps(context, rows, columns, { left, top, cell }, look) {
  context.fillStyle = look.background;
  const line = 1 / look.ratio;
  for (let i = 1; i < rows; i++) context.fillRect(left, top + i * cell - line, columns * cell, line);
  for (let j = 1; j < columns; j++) context.fillRect(left + j * cell - line, top, line, rows * cell);
}

function paintNumbers(context, matrix, { left, top, cell }, look) {
  context.font = `11px ${look.font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  const columns = matrix.keys.length;
  matrix.weights.forEach((weight, n) => {
    if (!matrix.mask[n]) return;
    context.fillStyle = inkOn(weight);
    context.fillText(weight.toFixed(2), left + ((n % columns) + 0.5) * cell, top + (Math.floor(n / columns) + 0.5) * cell);
  });
}

function paintStep(context, rows, columns, { left, top, cell }, look, step) {
  context.save();
  context.globalAlpha = 0.72;
  context.fillStyle = look.background;
  context.fillRect(left, top + (step + 1) * cell, columns * cell, (rows - step - 1) * cell);
  context.restore();
  frame(context, left, top + step * cell, columns * cell, cell, look, look.hue, 2);
}

// A line around a box, not over it: small cells stay visible. A halo of the page's colour sets it off from the scale.
function frame(context, x, y, width, height, look, colour, lineWidth) {
  for (const [style, thickness, distance] of [[look.background, 1, lineWidth + 0.5], [colour, lineWidth, lineWidth / 2]]) {
    context.strokeStyle = style;
    context.lineWidth = thickness;
    context.strokeRect(x - distance, y - distance, width + 2 * distance, height + 2 * distance);
  }
}

function paintAxisNames(context, matrix, { left, right, top, cell }, look, [queryName, keyName, predictedName]) {
  context.save();
  context.fillStyle = look.text;
  context.globalAlpha = 0.7;
  context.font = `11px ${look.font}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  context.fillText(`${keyName} →`, left, 2);
  context.translate(2, top + matrix.queries.length * cell);
  context.rotate(-Math.PI / 2);
  context.fillText(`← ${queryName}`, 0, 0);
  if (matrix.predicted.length) context.fillText(predictedName, 0, left + matrix.keys.length * cell + right - 16);
  context.restore();
}

// At the right end of a decoder's row: what it predicts.
function paintPredicted(context, index, columns, token, geometry, look, { bold, faint, chip }) {
  const { left, top, cell, fontSize, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const { text, width } = shorten(token, font, labelMax);
  context.save();
  context.translate(left + columns * cell + GAP, top + (index + 0.5) * cell);
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
  const { left, top, cell, slant, fontSize, indexWidth, labelMax } = geometry;
  const font = `${bold ? "600 " : ""}${fontSize}px ${look.font}`;
  const { text, width } = shorten(token, font, labelMax);
  const sign = axis === "row" ? -1 : 1; // away from the cells
  context.save();
  if (axis === "row") {
    context.translate(left - GAP, top + (index + 0.5) * cell);
  } else {
    context.translate(left + (index + 0.5) * cell, top - GAP);
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
