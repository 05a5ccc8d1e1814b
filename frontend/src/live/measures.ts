// What a head does, measured on one recorded pass: the formulas of measures.py, where each is explained.

import type { AttentionModule } from "../model/heads.ts";
import { type AttentionRecord, allowedIn } from "./trace.ts";
import { END, isPunctuation, isSink, isStart } from "./words.ts";

export interface Measure {
  readonly name: string;
  readonly modules: readonly AttentionModule[]; // that it is defined for
  readonly of: (record: AttentionRecord) => number[]; // one for each head; NaN where there is no such row or key
}

const ALL: readonly AttentionModule[] = ["encoder_self", "decoder_self", "cross"];
const SELF: readonly AttentionModule[] = ["encoder_self", "decoder_self"];
const SEES_ALL: readonly AttentionModule[] = ["encoder_self", "cross"];

export const MEASURES: readonly Measure[] = [
  { name: "previous", modules: ALL, of: (record) => onKey(record, (i) => i - 1) },
  { name: "same", modules: SELF, of: (record) => onKey(record, (i) => i) },
  { name: "next", modules: SEES_ALL, of: (record) => onKey(record, (i) => i + 1) },
  { name: "diagonal", modules: ["cross"], of: diagonal },
  { name: "antidiagonal", modules: SEES_ALL, of: antidiagonal },
  { name: "start", modules: ["decoder_self"], of: (record) => onKeys(record, isStart) },
  { name: "end", modules: SEES_ALL, of: (record) => onKeys(record, (token) => token === END) },
  { name: "punctuation", modules: ALL, of: (record) => onKeys(record, isPunctuation) },
  { name: "sinks", modules: ALL, of: (record) => onKeys(record, isSink) },
  { name: "distance", modules: ALL, of: distance },
  { name: "entropy", modules: ALL, of: (record) => meanOfRows(record, entropy) },
  { name: "keys", modules: ALL, of: (record) => meanOfRows(record, (weights) => 2 ** entropy(weights)) },
];

// In bits: 0 where one key has all the weight.
export function entropy(weights: Float32Array): number {
  let sum = 0;
  for (const weight of weights) if (weight > 0) sum += weight * Math.log2(weight);
  return -sum + 0; // no -0
}

// The mean, for each head, of a number of each row that may attend to more than one key.
function meanOfRows(
  { weights, mask }: AttentionRecord,
  numberOf: (weights: Float32Array, row: number) => number,
  isMeant: (row: number) => boolean = () => true,
): number[] {
  const [H, T, S] = weights.shape;
  const rows = Array.from({ length: T }, (_, t) => t).filter((t) => allowedIn(mask, t) > 1 && isMeant(t));
  return Array.from({ length: H }, (_, h) => {
    let sum = 0;
    for (const t of rows) sum += numberOf(weights.values.subarray((h * T + t) * S, (h * T + t + 1) * S), t);
    return Math.fround(sum / rows.length); // NaN without rows
  });
}

// The mean weight on one key in each row, `keyOf` its place, over the rows that have one.
function onKey(record: AttentionRecord, keyOf: (row: number) => number): number[] {
  const has = (row: number) => keyOf(row) >= 0 && keyOf(row) < record.keyTokens.length;
  return meanOfRows(record, (weights, row) => weights[keyOf(row)], has);
}

function diagonal(record: AttentionRecord): number[] {
  const words = Math.min(...record.mask.shape) - 1;
  return onKey(record, (row) => (row < words ? row : -1));
}

function antidiagonal(record: AttentionRecord): number[] {
  const [T, S] = record.mask.shape;
  return onKey(record, (row) => (row < T - 1 ? S - 2 - row : -1)); // the last key is the end token, the last row writes it
}

// The mean total weight on the keys whose token is meant.
function onKeys(record: AttentionRecord, isMeant: (token: string) => boolean): number[] {
  const keys = record.keyTokens.flatMap((token, j) => (isMeant(token) ? [j] : []));
  if (!keys.length) return new Array(record.weights.shape[0]).fill(NaN);
  return meanOfRows(record, (weights) => keys.reduce((sum, j) => sum + weights[j], 0));
}

function distance(record: AttentionRecord): number[] {
  return meanOfRows(record, (weights, row) => weights.reduce((sum, weight, j) => sum + weight * Math.abs(row - j), 0));
}
