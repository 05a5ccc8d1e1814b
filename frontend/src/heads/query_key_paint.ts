// Paints the query-key view: strips of numbers, each cell one dimension.

import type { Context } from "../kit/canvas.ts";
import { cssOf, hatch, type Scale, WEIGHTS } from "../kit/colour.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { shorten } from "../kit/tokens.ts";
import type { QueryKeyLayout, VectorCell } from "./query_key_layout.ts";
import { largestOf, namedRows } from "./rows.ts";
import type { QueryNumbers } from "./stages.ts";

export interface Titles {
  readonly q: string;
  readonly k: string;
  readonly product: string;
  readonly score: string;
  readonly scaled: string;
  readonly weight: string;
}

export interface Scales {
  readonly vectors: Scale;
  readonly products: Scale;
}

const STRONGEST = 12; // keys that are named first, where not all are
const TITLES = 12; // pixels from the line of the titles to the first key, whose text may be higher than its row
const BESIDE = 44; // pixels of a weight's number, where its bar stands beside it

type Inks = Pick<Look, "text" | "background" | "accent" | "font" | "ratio">;

export function paintQueryKey(
  context: Context,
  layout: QueryKeyLayout,
  keys: readonly string[],
  numbers: QueryNumbers,
  { vectors, products }: Scales,
  titles: Titles,
  look: Inks,
): void {
  const { left, productLeft, qTop, qHeight, top, rowHeight, depth } = layout;
  paintTitles(context, layout, titles, look);
  paintStrip(context, layout, numbers.q, left, qTop, qHeight, vectors);
  paintStrip(context, layout, numbers.q, productLeft, qTop, qHeight, vectors);
  const named = namedRows(keys.length, rowHeight, largestOf([...numbers.weights], STRONGEST));
  const pattern = hatch(context, look.text, look.ratio);
  keys.forEach((token, j) => {
    const y = top + j * rowHeight;
    paintStrip(context, layout, numbers.k.subarray(j * depth, (j + 1) * depth), left, y, rowHeight, vectors);
    paintStrip(
      context,
      layout,
      numbers.products.subarray(j * depth, (j + 1) * depth),
      productLeft,
      y,
      rowHeight,
      products,
    );
    if (named.has(j)) paintKey(context, layout, j, token, look, false);
    paintNumbers(context, layout, numbers, j, look, pattern, named.has(j));
  });
}

// Marks the key and the dimension pointed at.
export function paintPlace(
  context: Context,
  layout: QueryKeyLayout,
  keys: readonly string[],
  { key, dimension }: VectorCell,
  look: Inks,
): void {
  const { left, productLeft, top, qTop, qHeight, cell, rowHeight, width } = layout;
  const y = top + key * rowHeight;
  context.strokeStyle = look.text;
  context.lineWidth = 1;
  context.strokeRect(0.5, y - 0.5, width - 1, rowHeight);
  paintKey(context, layout, key, keys[key], look, true);
  if (dimension === null) return;
  context.strokeStyle = look.accent;
  context.lineWidth = 2;
  for (const from of [left, productLeft]) {
    context.strokeRect(from + dimension * cell - 1, y, cell + 2, rowHeight - 1);
    context.strokeRect(from + dimension * cell - 1, qTop, cell + 2, qHeight - 1);
  }
}

function paintStrip(
  context: Context,
  { cell }: QueryKeyLayout,
  values: Float32Array | Float64Array,
  x: number,
  y: number,
  height: number,
  scale: Scale,
): void {
  const [above, between] = height > 6 ? [1, 3] : [0, 0];
  values.forEach((value, d) => {
    context.fillStyle = cssOf(scale.pixelOf(value));
    context.fillRect(x + d * cell, y + above, cell, height - between);
  });
}

function paintKey(
  context: Context,
  { left, top, rowHeight, fontSize, labelMax, indexWidth }: QueryKeyLayout,
  j: number,
  token: string,
  look: Inks,
  isBold: boolean,
): void {
  const y = top + (j + 0.5) * rowHeight;
  const font = `${isBold ? "600 " : ""}${fontSize}px ${look.font}`;
  const { text } = shorten(token, font, labelMax);
  if (isBold) {
    context.fillStyle = look.background;
    const high = Math.max(rowHeight, fontSize + 4);
    context.fillRect(1, y - high / 2 + 1, left - 4, high - 2);
  }
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.direction = "ltr";
  context.globalAlpha = 0.7;
  context.font = `10px ${look.font}`;
  context.fillText(String(j + 1), left - 6, y + 1);
  context.globalAlpha = 1;
  context.font = font;
  context.fillText(text, left - 6 - indexWidth, y);
}

function paintNumbers(
  context: Context,
  { top, rowHeight, fontSize, scoreRight, scaledRight, weightLeft, weightWidth, isDense }: QueryKeyLayout,
  numbers: QueryNumbers,
  j: number,
  look: Inks,
  pattern: CanvasPattern,
  isNamed: boolean,
): void {
  const y = top + (j + 0.5) * rowHeight;
  context.font = `${Math.min(14, fontSize)}px ${look.font}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillStyle = look.text;
  if (isNamed) {
    context.fillText(numberText(numbers.scores[j]), scoreRight, y);
    context.fillText(numberText(numbers.scaled[j]), scaledRight, y);
  }
  const bar = Math.min(3, rowHeight);
  const barTop = isDense ? y - bar / 2 : y + Math.min(rowHeight / 2, 15) - 2 * bar;
  const barLeft = weightLeft + (isDense ? BESIDE : 0);
  const barWidth = weightLeft + weightWidth - barLeft;
  if (!numbers.mask[j]) {
    context.fillStyle = pattern;
    const high = Math.max(1, rowHeight - 4);
    context.fillRect(weightLeft, y - high / 2, weightWidth, high);
    return;
  }
  context.textAlign = "left";
  if (isNamed) context.fillText(numberText(numbers.weights[j]), weightLeft, y - 1);
  context.globalAlpha = rowHeight > 2 * bar ? 0.15 : 0; // in low rows the tracks would merge into a wall
  context.fillRect(barLeft, barTop, barWidth, bar);
  context.globalAlpha = 1;
  context.fillStyle = cssOf(WEIGHTS.pixelOf(numbers.weights[j]));
  context.fillRect(barLeft, barTop, numbers.weights[j] * barWidth, bar);
}

function paintTitles(
  context: Context,
  { left, productLeft, top, scoreRight, scaledRight, weightLeft, cell, depth }: QueryKeyLayout,
  titles: Titles,
  look: Inks,
): void {
  context.fillStyle = look.text;
  context.globalAlpha = 0.8;
  context.font = `600 13px ${look.font}`;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(titles.q, left, 15, depth * cell + 40);
  context.fillText(titles.k, left, top - TITLES, depth * cell);
  context.fillText(titles.product, productLeft, top - TITLES, depth * cell);
  context.textAlign = "right";
  context.fillText(titles.score, scoreRight, top - TITLES, 60);
  context.fillText(titles.scaled, scaledRight, top - TITLES, 60);
  context.textAlign = "left";
  context.fillText(titles.weight, weightLeft, top - TITLES);
  context.globalAlpha = 1;
}
