// Paints thousands of arcs in tens of milliseconds: column by column, each arc adds its weight to the span of pixels that
// it crosses there. Stroking them one by one takes a second and more.

const THICKNESS = 1.5; // CSS pixels
const SHARP_UP_TO = 6000; // arcs; of more, what is across is computed for every sixth CSS pixel only, and edges are not smoothed
const COARSE = 6;

// `arcs`: for each head {colour: [red, green, blue], lines: Float32Array of start, end, weight; start and end in CSS
// pixels from the top}. An arc's opacity is its weight; where arcs meet, weights add up to at most 1 and colours mix.
// -> an OffscreenCanvas to be drawn at width × height.
export function arcsImage(arcs, width, height, ratio) {
  const count = arcs.reduce((sum, { lines }) => sum + lines.length / 3, 0);
  const isCoarse = count > SHARP_UP_TO;
  const scale = isCoarse ? 1 : ratio;
  const columns = Math.max(1, Math.round(isCoarse ? width / COARSE : width * scale));
  const rows = Math.max(1, Math.round(height * scale));
  const canvas = new OffscreenCanvas(columns, rows);
  if (count === 0) return canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = image.data;
  const thickness = THICKNESS * scale;
  const scaled = arcs.map(({ colour, lines }) => ({ colour, lines: toPixels(lines, scale, thickness) }));
  const add = isCoarse ? addWholeSpans : addSpans;
  const steps = new Float32Array(rows + 3); // what changes from one pixel to the one below
  const [total, red, green, blue] = Array.from({ length: 4 }, () => new Float32Array(rows));
  for (let x = 0; x < columns; x++) {
    for (const channel of [total, red, green, blue]) channel.fill(0);
    const [from, to] = [ease(x / columns), ease((x + 1) / columns)];
    for (const { colour, lines } of scaled) {
      add(steps, lines, from, to, thickness, rows);
      addColour(steps, colour, total, red, green, blue);
    }
    for (let y = 0; y < rows; y++) {
      if (total[y] < 0.002) continue; // less than half a step of 255
      const at = 4 * (y * columns + x);
      pixels[at] = red[y] / total[y];
      pixels[at + 1] = green[y] / total[y];
      pixels[at + 2] = blue[y] / total[y];
      pixels[at + 3] = 255 * Math.min(1, total[y]);
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

function toPixels(lines, scale, thickness) {
  const pixels = new Float32Array(lines);
  for (let n = 0; n < pixels.length; n += 3) {
    pixels[n] = pixels[n] * scale - thickness / 2;
    pixels[n + 1] = pixels[n + 1] * scale - thickness / 2;
  }
  return pixels;
}

// Flat at both ends, so that the arcs of a token leave it side by side.
function ease(t) {
  return t * t * (3 - 2 * t);
}

// A span begins and ends inside of pixels: its weight is shared between two, which smooths the edges.
function addSpans(steps, lines, from, to, thickness, rows) {
  for (let n = 0; n < lines.length; n += 3) {
    const way = lines[n + 1] - lines[n];
    const weight = lines[n + 2];
    const a = lines[n] + way * from;
    const b = lines[n] + way * to;
    const top = Math.max(0, a < b ? a : b);
    const bottom = Math.min(rows, (a < b ? b : a) + thickness);
    const firstTop = top | 0;
    const firstBottom = bottom | 0;
    const restTop = weight * (top - firstTop);
    const restBottom = weight * (bottom - firstBottom);
    steps[firstTop] += weight - restTop;
    steps[firstTop + 1] += restTop;
    steps[firstBottom] -= weight - restBottom;
    steps[firstBottom + 1] -= restBottom;
  }
}

// The same in whole pixels.
function addWholeSpans(steps, lines, from, to, thickness, rows) {
  for (let n = 0; n < lines.length; n += 3) {
    const start = lines[n];
    const way = lines[n + 1] - start;
    const weight = lines[n + 2];
    const a = start + way * from + 0.5;
    const b = start + way * to + 0.5;
    const top = a < b ? a : b;
    const bottom = (a < b ? b : a) + thickness;
    steps[top > 0 ? top | 0 : 0] += weight;
    steps[bottom < rows ? bottom | 0 : rows] -= weight;
  }
}

function addColour(steps, [r, g, b], total, red, green, blue) {
  let sum = 0;
  for (let y = 0; y < total.length; y++) {
    sum += steps[y];
    steps[y] = 0;
    if (sum < 1e-5) continue;
    total[y] += sum;
    red[y] += sum * r;
    green[y] += sum * g;
    blue[y] += sum * b;
  }
  steps.fill(0, total.length);
}
