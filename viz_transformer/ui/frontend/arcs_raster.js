// Paints thousands of arcs in some milliseconds: column by column, each arc adds its weight to the span of pixels that it
// crosses there. Stroking them one by one takes a second and more.

const THICKNESS = 1.5; // CSS pixels
const SHARP_UP_TO = 6000; // arcs; of more, edges are not smoothed, and columns are wider
const COARSE = { least: 6, most: 12, arcs: 3500 }; // CSS pixels, one for so many arcs: time grows little with their number

// `ends`: Float32Array of each arc's start and end, in CSS pixels from the top, where all of it lies inside of the image;
// `heads`: [{colour: [red, green, blue], shift}], how many CSS pixels lower the arcs of a head are drawn; `weights`:
// Float32Array, of each arc one weight for each head, 0 for none; `count`: how many are above 0.
// An arc's opacity is its weight; where arcs meet, weights add up to at most 1 and colours mix.
// -> an OffscreenCanvas to be drawn at width × height.
export function arcsImage({ ends, weights, heads, count }, width, height, ratio) {
  const isCoarse = count > SHARP_UP_TO;
  const scale = isCoarse ? 1 : ratio;
  const columnWidth = isCoarse ? Math.max(COARSE.least, Math.min(COARSE.most, count / COARSE.arcs)) : 1 / scale;
  const columns = Math.max(1, Math.round(width / columnWidth));
  const rows = Math.max(1, Math.round(height * scale));
  const canvas = new OffscreenCanvas(columns, rows);
  if (count === 0) return canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  const shifts = heads.map(({ shift }) => (isCoarse ? Math.round(shift) : shift * scale));
  const margin = Math.ceil(Math.max(...shifts.map(Math.abs))); // rows above and below the image
  const steps = new Float32Array((rows + 2 * margin + 2) * heads.length); // (row, head): what changes from the row above
  const starts = shifts.map((shift, head) => (margin - (isCoarse ? shift : 0)) * heads.length + head); // of the image
  const add = isCoarse ? addWholeSpans : addSpans;
  for (let x = 0; x < columns; x++) {
    add(steps, ends, weights, { from: ease(x / columns), to: ease((x + 1) / columns), scale, shifts, margin });
    paintColumn(image, x, steps, starts, heads);
    steps.fill(0);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// Flat at both ends, so that the arcs of a token leave it side by side.
function ease(t) {
  return t * t * (3 - 2 * t);
}

// A span begins and ends inside of pixels: its weight is shared between two, which smooths the edges.
function addSpans(steps, ends, weights, { from, to, scale, shifts, margin }) {
  const headCount = shifts.length;
  const thickness = THICKNESS * scale;
  for (let arc = 0; 2 * arc < ends.length; arc++) {
    const start = ends[2 * arc] * scale - thickness / 2 + margin;
    const way = (ends[2 * arc + 1] - ends[2 * arc]) * scale;
    const a = start + way * from;
    const b = start + way * to;
    for (let head = 0; head < headCount; head++) {
      const weight = weights[arc * headCount + head];
      if (weight === 0) continue;
      addStep(steps, (a < b ? a : b) + shifts[head], weight, headCount, head);
      addStep(steps, (a < b ? b : a) + shifts[head] + thickness, -weight, headCount, head);
    }
  }
}

function addStep(steps, y, weight, headCount, head) {
  const row = y | 0;
  const rest = weight * (y - row);
  steps[row * headCount + head] += weight - rest;
  steps[(row + 1) * headCount + head] += rest;
}

// In whole pixels, where a span is the same for all heads: `paintColumn` shifts them.
function addWholeSpans(steps, ends, weights, { from, to, shifts, margin }) {
  const headCount = shifts.length;
  let next = 0;
  for (let n = 0; n < ends.length; n += 2) {
    const start = ends[n] - THICKNESS / 2 + margin + 0.5;
    const way = ends[n + 1] - ends[n];
    const a = start + way * from;
    const b = start + way * to;
    const top = ((a < b ? a : b) | 0) * headCount;
    const bottom = (((a < b ? b : a) + THICKNESS) | 0) * headCount;
    for (let head = 0; head < headCount; head++) {
      const weight = weights[next++];
      steps[top + head] += weight;
      steps[bottom + head] -= weight;
    }
  }
}

// `starts`: for each head, where in `steps` the image's first row is.
function paintColumn({ data, width, height }, x, steps, starts, heads) {
  const colours = heads.flatMap(({ colour }) => colour);
  const sums = new Float64Array(heads.length);
  for (let y = 0; y < height; y++) {
    let total = 0;
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let head = 0; head < sums.length; head++) {
      const sum = (sums[head] += steps[starts[head] + y * sums.length]);
      if (sum < 1e-5) continue;
      total += sum;
      red += sum * colours[3 * head];
      green += sum * colours[3 * head + 1];
      blue += sum * colours[3 * head + 2];
    }
    if (total < 0.002) continue; // less than half a step of 255
    const at = 4 * (y * width + x);
    data[at] = red / total;
    data[at + 1] = green / total;
    data[at + 2] = blue / total;
    data[at + 3] = 255 * Math.min(1, total);
  }
}
