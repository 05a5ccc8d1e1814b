// Paints the query-key view: strips of numbers, each cell one dimension.

import type { Context } from "../kit/canvas.ts";
import { cssOf, hatch, type Scale, WEIGHTS } from "../kit/colour.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { shorten } from "../kit/tokens.ts";
import type { QueryKeyLayout, VectorCell } from "./query_key_layout.ts";
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
  const { left, productLeft, qTop, top, rowHeight, depth } = layout;
  paintTitles(context, layout, titles, look);
  paintStrip(context, layout, numbers.q, left, qTop, vectors);
  paintStrip(context, layout, numbers.q, productLeft, qTop, vectors);
  const pattern = hatch(context, look.text, look.ratio);
  keys.forEach((token, j) => {
    const y = top + j * rowHeight;
    paintStrip(context, layout, numbers.k.subarray(j * depth, (j + 1) * depth), left, y, vectors);
    paintStrip(context, layout, numbers.products.subarray(j * depth, (j + 1) * depth), productLeft, y, products);
    paintKey(context, layout, j, token, look, false);
    paintNumbers(context, layout, numbers, j, look, pattern);
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
  const { left, productLeft, top, qTop, cell, rowHeight, width } = layout;
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
    context.strokeRect(from + dimension * cell - 1, qTop, cell + 2, rowHeight - 1);
  }
}

function paintStrip(
  context: Context,
  { cell, rowHeight }: QueryKeyLayout,
  values: Float32Array | Float64Array,
  x: number,
  y: number,
  scale: Scale,
): void {
  values.forEach((value, d) => {
    context.fillStyle = cssOf(scale.pixelOf(value));
    context.fillRect(x + d * cell, y + 1, cell, rowHeight - 3);
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
    context.fillRect(1, y - rowHeight / 2 + 1, left - 4, rowHeight - 2);
  }
  context.fillStyle = look.text;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.direction = "ltr";
  context.globalAlpha = 0.6;
  context.font = `9px ${look.font}`;
  context.fillText(String(j + 1), left - 6, y + 1);
  context.globalAlpha = 1;
  context.font = font;
  context.fillText(text, left - 6 - indexWidth, y);
}

function paintNumbers(
  context: Context,
  { top, rowHeight, scoreRight, scaledRight, weightLeft, weightWidth }: QueryKeyLayout,
  numbers: QueryNumbers,
  j: number,
  look: Inks,
  pattern: CanvasPattern,
): void {
  const y = top + (j + 0.5) * rowHeight;
  context.font = `12px ${look.font}`;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillStyle = look.text;
  context.fillText(numberText(numbers.scores[j]), scoreRight, y);
  context.fillText(numberText(numbers.scaled[j]), scaledRight, y);
  const barTop = y + rowHeight / 2 - 6;
  if (!numbers.mask[j]) {
    context.fillStyle = pattern;
    context.fillRect(weightLeft, y - rowHeight / 2 + 2, weightWidth, rowHeight - 4);
    return;
  }
  context.textAlign = "left";
  context.fillText(numberText(numbers.weights[j]), weightLeft, y - 1);
  context.globalAlpha = 0.15;
  context.fillRect(weightLeft, barTop, weightWidth, 3);
  context.globalAlpha = 1;
  context.fillStyle = cssOf(WEIGHTS.pixelOf(numbers.weights[j]));
  context.fillRect(weightLeft, barTop, numbers.weights[j] * weightWidth, 3);
}

function paintTitles(
  context: Context,
  { left, productLeft, top, scoreRight, scaledRight, weightLeft, cell, depth }: QueryKeyLayout,
  titles: Titles,
  look: Inks,
): void {
  context.fillStyle = look.text;
  context.globalAlpha = 0.8;
  context.font = `600 12px ${look.font}`;
  context.textBaseline = "alphabetic";
  context.textAlign = "left";
  context.fillText(titles.q, left, 15, depth * cell + 40);
  context.fillText(titles.k, left, top - 6, depth * cell);
  context.fillText(titles.product, productLeft, top - 6, depth * cell);
  context.textAlign = "right";
  context.fillText(titles.score, scoreRight, top - 6, 60);
  context.fillText(titles.scaled, scaledRight, top - 6, 60);
  context.textAlign = "left";
  context.fillText(titles.weight, weightLeft, top - 6);
  context.globalAlpha = 1;
}
