// @ts-nocheck
// Where tokens and arcs lie in the head view, in CSS pixels: numbers, queries, arcs, keys, numbers.
// Without `hasNumbers` the canvas begins and ends at the tokens, `margin` further in, and all else is where it is with it.

import { shorten } from "../kit/tokens.ts";

const TOP = 38; // axis names, and the numbers of the heads under them
const GAP = 8; // between a token and its arcs
const [ROWS, FONTS] = [
  { loose: 26, normal: 21, dense: 16 },
  { loose: 14, normal: 13, dense: 11.5 },
];
const NUMBER = 44; // width of a column of weights
const ARCS = { least: 90, most: 340 };

export function layOutArcs(module, heads, width, font, hasNumbers) {
  const count = Math.max(module.queries.length, module.keys.length);
  const density = count <= 16 ? "loose" : count <= 40 ? "normal" : "dense";
  const [rowHeight, fontSize] = [ROWS[density], FONTS[density]];
  const labelMax = Math.max(60, Math.min(150, 0.22 * width));
  const indexWidth = 6 + 5.5 * String(count).length;
  const widest = (tokens) =>
    Math.max(40, ...tokens.map((token) => shorten(token, `${fontSize}px ${font}`, labelMax).width)) + indexWidth;
  const [left, right] = [widest(module.queries), widest(module.keys)];
  const spare = width - left - right - 4 * GAP - ARCS.least;
  const numbers = Math.max(0, Math.min(heads, Math.floor(spare / (2 * NUMBER)))); // heads with numbers beside the tokens
  const arcsWidth = Math.min(ARCS.most, ARCS.least + spare - 2 * NUMBER * numbers);
  const ofNumbers = hasNumbers ? numbers * NUMBER : 0;
  const x = ofNumbers + left + 2 * GAP;
  return {
    rowHeight,
    fontSize,
    labelMax,
    indexWidth,
    numbers,
    numberWidth: NUMBER,
    gap: GAP,
    left,
    right,
    arcs: { x, y: TOP, width: arcsWidth, height: count * rowHeight },
    width: x + arcsWidth + right + 2 * GAP + ofNumbers,
    margin: numbers * NUMBER - ofNumbers,
    height: TOP + count * rowHeight + 4,
    middle: (place) => (place + 0.5) * rowHeight, // from the top of the arcs
    counts: { query: module.queries.length, key: module.keys.length },
  };
}

// The token under a point: its own column and half of the arcs belong to it.
export function tokenAt({ arcs, rowHeight, counts }, x, y) {
  const side = x < arcs.x + arcs.width / 2 ? "query" : "key";
  const place = Math.floor((y - arcs.y) / rowHeight);
  return place >= 0 && place < counts[side] ? [side, place] : null;
}
