// Paints thousands of arcs in a few milliseconds, column by column: the strong ones as lines and, where there are many,
// the weak ones together as a haze. Stroking them one by one takes a second or more.

import type { Context } from "../kit/canvas.ts";
import type { Colour } from "../kit/colour.ts";

const THICKNESS = 1.5; // CSS pixels
const LINES_UP_TO = 3000; // arcs; with more, those below STRONG are haze
const HAZE_COLUMN = 16; // CSS pixels
const CHANNELS = 4; // opacity, and the red, green and blue parts of it, out of 256
const FAINTEST = 0.002; // of a weight of 1: less than half a step of 255
const BITS = 12; // of the fraction of a pixel: the haze has fixed-point numbers
const ONE = 1 << BITS;

export const STRONG = 0.15;
export const hasHaze = (count: number): boolean => count > LINES_UP_TO;
export const DRAFT_FROM = 600; // arcs; so many take longer as lines than as haze

export interface ArcsOfHead {
  readonly codes: Uint16Array; // a weight for each cell, as whole numbers
  readonly colour: Colour;
  readonly shift: number; // how many CSS pixels lower the lines of this head are drawn
}

export interface DrawnArcs {
  readonly starts: readonly number[]; // of each arc, in CSS pixels from the top; all of it lies inside the image
  readonly ends: readonly number[];
  readonly cells: readonly number[]; // the place of each arc's weight among the codes of a head
  readonly heads: readonly ArcsOfHead[];
  readonly unit: number; // the code of a weight of 1
  readonly least: number; // codes below it are not drawn
  readonly count: number; // how many codes are drawn
}

// Stroke n has CHANNELS numbers in `channels`, from CHANNELS * n on.
interface Lines {
  readonly starts: readonly number[];
  readonly ways: readonly number[]; // how far down each one ends
  readonly channels: readonly number[];
}

interface Haze {
  readonly tops: readonly number[];
  readonly ways: readonly number[];
  readonly channels: Int32Array;
}

type Steps = Int32Array | Float32Array; // (row, channel): the change from the row above

// A line's opacity is its weight; where lines meet, weights add up to at most 1 and colours mix. The haze has as much ink.
// -> OffscreenCanvases, to be drawn on top of each other at width × height; a draft is all haze.
export function arcsImages(
  arcs: DrawnArcs,
  width: number,
  height: number,
  ratio: number,
  isDraft = false,
): OffscreenCanvas[] {
  const { least, unit, count } = arcs;
  const strong = isDraft ? unit + 1 : hasHaze(count) ? Math.max(least, STRONG * unit) : least;
  const images: OffscreenCanvas[] = [];
  if (least < strong) {
    const haze = hazeOf(arcs, least, strong);
    const [columns, rows] = [pixels(width / HAZE_COLUMN), pixels(height)];
    const add = (steps: Int32Array, x: number) => addHaze(steps, haze, x, columns);
    images.push(paint(columns, rows, new Int32Array(CHANNELS * (rows + 2)), add, unit));
  }
  const lines = linesOf(arcs, strong);
  if (lines.starts.length) {
    const [columns, rows] = [pixels(width * ratio), pixels(height * ratio)];
    const add = (steps: Float32Array, x: number) => addLines(steps, lines, x, columns, ratio, rows);
    images.push(paint(columns, rows, new Float32Array(CHANNELS * (rows + 2)), add, unit));
  }
  return images;
}

// Strokes the arcs one by one, at `x` and `y` of a picture without pixels. The cubic is the same curve as `ease`.
export function strokeArcs(
  context: Context,
  { starts, ends, cells, heads, least, unit }: DrawnArcs,
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  alpha: number,
): void {
  context.lineWidth = THICKNESS;
  for (const { codes, colour, shift } of heads) {
    context.strokeStyle = `rgb(${colour.map(Math.round).join(", ")})`;
    for (let arc = 0; arc < cells.length; arc++) {
      const code = codes[cells[arc]];
      if (code < least || code < FAINTEST * unit) continue;
      const [from, to] = [y + starts[arc] + shift, y + ends[arc] + shift];
      context.globalAlpha = alpha * Math.min(1, code / unit);
      context.beginPath();
      context.moveTo(x, from);
      context.bezierCurveTo(x + width / 3, from, x + (2 * width) / 3, to, x + width, to);
      context.stroke();
    }
  }
}

// One stroke for each weight.
function linesOf({ starts, ends, cells, heads }: DrawnArcs, strong: number): Lines {
  const strokes = { starts: [] as number[], ways: [] as number[], channels: [] as number[] };
  for (const { codes, colour, shift } of heads) {
    const [red, green, blue] = colour;
    for (let arc = 0; arc < cells.length; arc++) {
      const code = codes[cells[arc]];
      if (code < strong) continue;
      strokes.starts.push(starts[arc] + shift);
      strokes.ways.push(ends[arc] - starts[arc]);
      strokes.channels.push(code, (code * red) / 256, (code * green) / 256, (code * blue) / 256);
    }
  }
  return strokes;
}

// One stroke for each arc, with all heads in it. The haze is painted in whole numbers: when a page's first arcs are
// painted, this code is not compiled yet, and the browser's interpreter would allocate an object for every fraction.
function hazeOf({ starts, ends, cells, heads }: DrawnArcs, least: number, strong: number): Haze {
  const channels = new Int32Array(CHANNELS * cells.length);
  for (const { codes, colour } of heads) {
    const [red, green, blue] = colour;
    for (let arc = 0; arc < cells.length; arc++) {
      const code = codes[cells[arc]];
      if (code < least || code >= strong) continue;
      const n = CHANNELS * arc;
      channels[n] += code;
      channels[n + 1] += (code * red) >> 8;
      channels[n + 2] += (code * green) >> 8;
      channels[n + 3] += (code * blue) >> 8;
    }
  }
  const top = (0.5 - THICKNESS / 2) * ONE; // of a span, measured from the middle of its arc, rounded
  return { tops: starts.map((start) => start * ONE + top), ways: ends.map((end, arc) => end - starts[arc]), channels };
}

function pixels(length: number): number {
  return Math.max(1, Math.round(length));
}

// `add` adds all strokes of column x to `steps`.
function paint<S extends Steps>(
  columns: number,
  rows: number,
  steps: S,
  add: (steps: S, x: number) => void,
  unit: number,
): OffscreenCanvas {
  const canvas = new OffscreenCanvas(columns, rows);
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser gives no more canvases.");
  const image = context.createImageData(columns, rows);
  for (let x = 0; x < columns; x++) {
    add(steps, x);
    paintColumn(image, x, steps, unit);
    steps.fill(0);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// Flat at both ends, so that the arcs of a token start side by side.
function ease(t: number): number {
  return t * t * (3 - 2 * t);
}

// In a column a stroke covers a span of pixels. Where the span begins or ends within a pixel, its weight is shared with
// the next pixel, which smooths the edge.
function addLines(
  steps: Float32Array,
  { starts, ways, channels }: Lines,
  x: number,
  columns: number,
  scale: number,
  rows: number,
): void {
  const [from, to] = [ease(x / columns) * scale, ease((x + 1) / columns) * scale];
  const thickness = THICKNESS * scale;
  for (let n = 0; n < starts.length; n++) {
    const start = starts[n] * scale - thickness / 2;
    const a = start + ways[n] * from;
    const b = start + ways[n] * to;
    addStep(steps, Math.max(0, a < b ? a : b), channels, n, 1);
    addStep(steps, Math.min(rows, (a < b ? b : a) + thickness), channels, n, -1);
  }
}

function addStep(steps: Float32Array, y: number, channels: readonly number[], stroke: number, sign: 1 | -1): void {
  const row = y | 0;
  const below = sign * (y - row);
  const within = sign - below;
  const n = CHANNELS * row;
  for (let channel = 0; channel < CHANNELS; channel++) {
    const amount = channels[CHANNELS * stroke + channel];
    steps[n + channel] += within * amount;
    steps[n + CHANNELS + channel] += below * amount;
  }
}

// Like addLines, but in whole pixels and wide columns. A span reaches from the middle of the column before to the
// middle of the one after, since columns blend into each other. It has as much ink as a line has over the same width.
function addHaze(steps: Int32Array, { tops, ways, channels }: Haze, x: number, columns: number): void {
  const near = Math.round(ease(Math.max(0, (x - 0.5) / columns)) * ONE);
  const far = Math.round(ease(Math.min(1, (x + 1.5) / columns)) * ONE);
  const thickness = THICKNESS * ONE;
  for (let stroke = 0, n = 0; stroke < tops.length; stroke++, n += CHANNELS) {
    const a = tops[stroke] + ways[stroke] * near;
    const b = tops[stroke] + ways[stroke] * far;
    const first = (a < b ? a : b) >> BITS;
    const end = ((a < b ? b : a) + thickness) >> BITS;
    const height = thickness + Math.abs(a - b) / (2 * HAZE_COLUMN); // of a line's span, on average
    const ink = ((height >> (BITS - 8)) / (end - first)) | 0; // in a row, of 256
    const top = CHANNELS * first;
    const bottom = CHANNELS * end;
    for (let channel = 0; channel < CHANNELS; channel++) {
      const amount = (ink * channels[n + channel]) >> 8;
      steps[top + channel] += amount;
      steps[bottom + channel] -= amount;
    }
  }
}

function paintColumn({ data, width, height }: ImageData, x: number, steps: Steps, unit: number): void {
  const visible = FAINTEST * unit;
  let [code, red, green, blue] = [0, 0, 0, 0];
  for (let n = 0, at = CHANNELS * x; n < CHANNELS * height; n += CHANNELS, at += CHANNELS * width) {
    code += steps[n];
    red += steps[n + 1];
    green += steps[n + 2];
    blue += steps[n + 3];
    if (code < visible) continue;
    data[at] = (256 * red) / code;
    data[at + 1] = (256 * green) / code;
    data[at + 2] = (256 * blue) / code;
    data[at + 3] = code < unit ? (255 * code) / unit : 255;
  }
}
