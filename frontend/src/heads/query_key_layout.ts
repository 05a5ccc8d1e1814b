// Where the vectors and numbers of the query-key view lie, in CSS pixels: token, k, products, score, scaled, weight.

import type { Look } from "../kit/look.ts";
import { shorten } from "../kit/tokens.ts";
import { fitRows, fontIn } from "./rows.ts";

const TOP = 78; // above the first key: titles, and q over both blocks of vectors
const GAP = 14;
const Q_TOP = 22; // of the strip of q
const STRIP = 24; // the height of the strip of q
const TALLEST = 64; // a row
const NUMBER = 66; // width of a column of numbers
const WEIGHT = 96; // of the weight with its bar
const CELL = { least: 3, most: 16 };

export interface QueryKeyLayout {
  readonly left: number; // of the vectors
  readonly productLeft: number; // of the products
  readonly cell: number; // width of a dimension
  readonly rowHeight: number;
  readonly qHeight: number;
  readonly isDense: boolean; // see Rows
  readonly fontSize: number;
  readonly labelMax: number;
  readonly indexWidth: number;
  readonly depth: number;
  readonly top: number; // of the first key
  readonly qTop: number;
  readonly scoreRight: number;
  readonly scaledRight: number;
  readonly weightLeft: number;
  readonly weightWidth: number;
  readonly keys: number;
  readonly width: number;
  readonly height: number;
}

// The key and the dimension at a point, or null outside the vectors.
export interface VectorCell {
  readonly key: number;
  readonly dimension: number | null;
}

// `most`: the height there is; see fitRows.
export function layOutQueryKey(
  keys: readonly string[],
  depth: number,
  width: number,
  { font, ratio }: Pick<Look, "font" | "ratio">,
  most = Number.POSITIVE_INFINITY,
  zoom = 0,
): QueryKeyLayout {
  const { height: rowHeight, isDense } = fitRows(keys.length, most - TOP - 4, TALLEST, zoom);
  const fontSize = fontIn(rowHeight);
  const labelMax = Math.max(56, Math.min(130, 0.2 * width));
  const indexWidth = 6 + 5.5 * String(keys.length).length;
  const label = Math.max(...keys.map((token) => shorten(token, `${fontSize}px ${font}`, labelMax).width)) + indexWidth;
  const left = Math.ceil(label + GAP);
  const room = (width - left - GAP - 2 * NUMBER - WEIGHT - GAP) / (2 * depth);
  const cell = Math.floor(Math.max(CELL.least, Math.min(CELL.most, room)) * ratio) / ratio;
  const productLeft = left + depth * cell + GAP;
  const numbersLeft = productLeft + depth * cell;
  return {
    left,
    productLeft,
    cell,
    rowHeight,
    qHeight: STRIP,
    isDense,
    fontSize,
    labelMax,
    indexWidth,
    depth,
    top: TOP,
    qTop: Q_TOP,
    scoreRight: numbersLeft + NUMBER,
    scaledRight: numbersLeft + 2 * NUMBER,
    weightLeft: numbersLeft + 2 * NUMBER + GAP,
    weightWidth: WEIGHT - GAP,
    keys: keys.length,
    width: numbersLeft + 2 * NUMBER + WEIGHT,
    height: TOP + keys.length * rowHeight + 4,
  };
}

export function cellUnder(layout: QueryKeyLayout, x: number, y: number): VectorCell | null {
  const { left, productLeft, cell, rowHeight, top, depth, keys } = layout;
  const key = Math.floor((y - top) / rowHeight);
  if (key < 0 || key >= keys) return null;
  const from = x >= productLeft ? productLeft : left;
  const dimension = Math.floor((x - from) / cell);
  return { key, dimension: dimension >= 0 && dimension < depth ? dimension : null };
}
