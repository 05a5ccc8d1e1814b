// Where tokens and arcs lie, in CSS pixels. From left to right: numbers, read tokens, queries, arcs, keys, numbers. A
// row of the decoder is named after the token that it writes; the token that it has read stands to the left of that.

import { shorten } from "../kit/tokens.ts";
import type { Axes } from "../maps/maps.ts";
import { fitRows, fontIn } from "./rows.ts";
import type { Side, Token } from "./view.ts";

const TOP = 38; // axis names, and under them the numbers of the heads
const GAP = 8; // between a token and its arcs
const TALLEST = 96; // a row
const NUMBER = 50; // width of a column of weights
const ARCS = { least: 90, most: 0.55 }; // at most this share of the width

export interface ArcsLayout {
  readonly rowHeight: number;
  readonly fontSize: number;
  readonly labelMax: number; // width of a token
  readonly indexWidth: number;
  readonly numbers: number; // heads with numbers beside the tokens
  readonly numberWidth: number;
  readonly gap: number;
  readonly read: number; // width of what the decoder's rows have read
  readonly left: number; // of the queries
  readonly right: number; // of the keys
  readonly arcs: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  readonly width: number;
  readonly height: number;
  readonly margin: number; // how much narrower the canvas is on each side without numbers
  readonly counts: Readonly<Record<Side, number>>; // of tokens
  readonly isDense: boolean; // see Rows
}

// Without `hasNumbers` the canvas begins and ends at the tokens; everything else stays in place. `room`: the height there
// is; see fitRows.
export function layOutArcs(
  { queries, keys, predicted }: Pick<Axes, "queries" | "keys" | "predicted">,
  heads: number,
  width: number,
  font: string,
  hasNumbers: boolean,
  room = Number.POSITIVE_INFINITY,
  zoom = 0,
): ArcsLayout {
  const count = Math.max(queries.length, keys.length);
  const { height: rowHeight, isDense } = fitRows(count, room - TOP - 4, TALLEST, zoom);
  const fontSize = fontIn(rowHeight);
  const labelMax = Math.max(60, Math.min(150, 0.16 * width));
  const indexWidth = 6 + 5.5 * String(count).length;
  const widest = (tokens: readonly string[]) =>
    Math.max(40, ...tokens.map((token) => shorten(token, `${fontSize}px ${font}`, labelMax).width));
  const isWriting = predicted.length > 0;
  const read = isWriting ? widest(queries) + 2 * GAP : 0;
  const [left, right] = [widest(isWriting ? predicted : queries) + indexWidth, widest(keys) + indexWidth];
  const spare = width - read - left - right - 4 * GAP - ARCS.least;
  const numbers = Math.max(0, Math.min(heads, Math.floor(spare / (2 * NUMBER))));
  const arcsWidth = Math.min(ARCS.most * width, ARCS.least + spare - 2 * NUMBER * numbers);
  const ofNumbers = hasNumbers ? numbers * NUMBER : 0;
  const x = ofNumbers + read + left + 2 * GAP;
  return {
    rowHeight,
    fontSize,
    labelMax,
    indexWidth,
    numbers,
    numberWidth: NUMBER,
    gap: GAP,
    read,
    left,
    right,
    arcs: { x, y: TOP, width: arcsWidth, height: count * rowHeight },
    width: x + arcsWidth + right + 2 * GAP + ofNumbers,
    height: TOP + count * rowHeight + 4,
    margin: numbers * NUMBER - ofNumbers,
    counts: { query: queries.length, key: keys.length },
    isDense,
  };
}

// The middle of a token's row, from the top of the arcs.
export function middleOf({ rowHeight }: ArcsLayout, place: number): number {
  return (place + 0.5) * rowHeight;
}

// The token at a point; the half of the arcs on its side belongs to it, too.
export function tokenAt({ arcs, rowHeight, counts }: ArcsLayout, x: number, y: number): Token | null {
  const side = x < arcs.x + arcs.width / 2 ? "query" : "key";
  const place = Math.floor((y - arcs.y) / rowHeight);
  return place >= 0 && place < counts[side] ? [side, place] : null;
}
