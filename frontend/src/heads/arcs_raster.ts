// @ts-nocheck
// Paints thousands of arcs in some milliseconds, column by column: the strong ones as lines, and of many the weak ones
// together as a haze. Stroking them one by one takes a second and more.

const THICKNESS = 1.5; // CSS pixels
const LINES_UP_TO = 3000; // arcs; of more, those of less than STRONG are haze
const HAZE_COLUMN = 16; // CSS pixels
const CHANNELS = 4; // how much there is, and red, green and blue parts of it, of 256
const [BITS, ONE] = [12, 1 << 12]; // of a pixel, in the haze

export const STRONG = 0.15;
export const hasHaze = (count) => count > LINES_UP_TO;
export const DRAFT_FROM = 600; // arcs: so many lines take longer than all of them as haze

// `starts`, `ends`: of each arc, in CSS pixels from the top, where all of it lies inside of the image; `cells`: where its
// weights are among the `codes` of a head; `heads`: [{codes, colour: [red, green, blue], shift}], whole numbers of which
// `unit` are a weight of 1, and how many CSS pixels lower the lines of this head are drawn; codes below `least` are not
// drawn; `count`: how many are.
// A line's opacity is its weight; where lines meet, weights add up to at most 1 and colours mix. The haze has as much ink.
// -> OffscreenCanvases, to be drawn one over the other at width × height; as a draft, all of it haze.
export function arcsImages(arcs, width, height, ratio, isDraft = false) {
  const { least, unit, count } = arcs;
  const strong = isDraft ? unit + 1 : hasHaze(count) ? Math.max(least, STRONG * unit) : least;
  const images = [];
  if (least < strong) images.push(paint(hazeOf(arcs, least, strong), unit, width, height, 1, HAZE_COLUMN));
  const lines = linesOf(arcs, strong);
  if (lines.starts.length) images.push(paint(lines, unit, width, height, ratio, 1));
  return images;
}

// One stroke for each weight.
function linesOf({ starts, ends, cells, heads }, strong) {
  const strokes = { starts: [], ways: [], channels: [] };
  for (const {
    codes,
    colour: [red, green, blue],
    shift,
  } of heads) {
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

// One stroke for all heads. The haze is painted in whole numbers: what paints a page's first arcs is not compiled yet, and
// would make an object of every fraction.
function hazeOf({ starts, ends, cells, heads }, least, strong) {
  const channels = new Int32Array(CHANNELS * cells.length);
  for (const {
    codes,
    colour: [red, green, blue],
  } of heads) {
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
  const top = (0.5 - THICKNESS / 2) * ONE; // of a span, from the middle of its arc, rounded
  return { tops: starts.map((start) => start * ONE + top), ways: ends.map((end, arc) => end - starts[arc]), channels };
}

// In columns of `columnWidth` pixels, of which there are `scale` in a CSS pixel.
function paint(strokes, unit, width, height, scale, columnWidth) {
  const whole = (pixels) => Math.max(1, Math.round(pixels));
  const [columns, rows] = [whole((width * scale) / columnWidth), whole(height * scale)];
  const canvas = new OffscreenCanvas(columns, rows);
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const [add, Steps] = columnWidth > 1 ? [addHaze, Int32Array] : [addLines, Float32Array];
  const steps = new Steps(CHANNELS * (rows + 2)); // (row, channel): what changes from the row above
  for (let x = 0; x < columns; x++) {
    add(steps, strokes, x, columns, scale, rows);
    paintColumn(image, x, steps, unit);
    steps.fill(0);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// Flat at both ends, so that the arcs of a token leave it side by side.
function ease(t) {
  return t * t * (3 - 2 * t);
}

// In a column a stroke covers a span of pixels. It begins and ends inside of pixels: its weight is shared between two, which
// smooths the edges.
function addLines(steps, { starts, ways, channels }, x, columns, scale, rows) {
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

function addStep(steps, y, channels, stroke, sign) {
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

// In whole pixels. A span reaches from the middle of the column before to the middle of the one after, since columns are
// drawn one into the other; it stands for those of a line in as many pixels, and has as much ink.
function addHaze(steps, { tops, ways, channels }, x, columns) {
  const near = Math.round(ease(Math.max(0, (x - 0.5) / columns)) * ONE);
  const far = Math.round(ease(Math.min(1, (x + 1.5) / columns)) * ONE);
  const thickness = THICKNESS * ONE;
  for (let stroke = 0, n = 0; stroke < tops.length; stroke++, n += CHANNELS) {
    const a = tops[stroke] + ways[stroke] * near;
    const b = tops[stroke] + ways[stroke] * far;
    const first = (a < b ? a : b) >> BITS;
    const end = ((a < b ? b : a) + thickness) >> BITS;
    const height = thickness + Math.abs(a - b) / (2 * HAZE_COLUMN); // of a line, on average
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

function paintColumn({ data, width, height }, x, steps, unit) {
  const visible = 0.002 * unit; // less than half a step of 255
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
