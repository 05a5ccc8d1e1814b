// @ts-nocheck
// Where the vectors and numbers of the query-key view lie, in CSS pixels: token, k, products, score, scaled, weight.

import { shorten } from "../kit/tokens.ts";

const [TOP, GAP] = [78, 14]; // above the first key: titles, and q over both blocks of vectors
const Q_TOP = 22; // of the strip of q
const NUMBER = 62; // width of a column of numbers
const WEIGHT = 92; // of the weight with its bar
const CELL = { least: 3, most: 12 };

export function layOutQueryKey(module, depth, width, { font, ratio }) {
  const rowHeight = module.keys.length <= 24 ? 24 : 18;
  const fontSize = rowHeight > 20 ? 13 : 12;
  const labelMax = Math.max(56, Math.min(130, 0.2 * width));
  const indexWidth = 6 + 5.5 * String(module.keys.length).length;
  const label =
    Math.max(...module.keys.map((token) => shorten(token, `${fontSize}px ${font}`, labelMax).width)) + indexWidth;
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
    keys: module.keys.length,
    width: numbersLeft + 2 * NUMBER + WEIGHT,
    height: TOP + module.keys.length * rowHeight + 4,
  };
}

export function cellUnder({ left, productLeft, cell, rowHeight, top, depth, keys }, x, y) {
  const key = Math.floor((y - top) / rowHeight);
  if (key < 0 || key >= keys) return null;
  const from = x >= productLeft ? productLeft : left;
  const dimension = Math.floor((x - from) / cell);
  return { key, dimension: dimension >= 0 && dimension < depth ? dimension : null };
}
