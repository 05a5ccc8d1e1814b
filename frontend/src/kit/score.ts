// How a prediction is scored against the true answer: 0 … 1, by rules that stand beside each score.

import type { Kind, Truth } from "./classroom.ts";

export const PLACES = 33; // of a drawn curve, from end to end of its axis

// For what is true of no tokens.
export const WORDLESS: Omit<Truth, "values"> = { rows: [], columns: [], mask: false };

// `guess`: as it is sent to a room, whose answers are scored by this rule, too.
export function scoreOf(kind: Kind, { values, rows, columns, mask }: Truth, guess: unknown): number {
  if (kind === "number") return scoreNumber(values[0], Number(guess));
  if (kind === "token") return scoreToken(values, rankOf(rows, String(guess)));
  if (kind === "curve") return scoreCurve(values, guess as readonly (number | null)[]);
  const marked = guess as readonly number[];
  return mask ? scoreMask(values, new Set(marked)) : scoreWeights(values, columns.length, marked);
}

// Whether there is a right answer: where one asks for an opinion, no option is.
export function hasRight(kind: Kind, { values, mask }: Truth): boolean {
  return kind !== "cells" || mask || values.some((value) => value > 0);
}

// The weight that the marks collect, as a share of the most that they could. `weights`: (T, S), row by row; `marked`:
// their places, of which one counts in each row.
export function scoreWeights(weights: readonly number[], columns: number, marked: readonly number[]): number {
  let collected = 0;
  let most = 0;
  for (let start = 0; start < weights.length; start += columns) {
    most += Math.max(...weights.slice(start, start + columns));
    collected += weights[marked.find((place) => place >= start && place < start + columns) ?? -1] ?? 0;
  }
  return most > 0 ? collected / most : 0;
}

// The share of cells that are marked where the mask takes them away, and not marked where it does not.
export function scoreMask(taken: ArrayLike<number>, marked: ReadonlySet<number>): number {
  let right = 0;
  for (let n = 0; n < taken.length; n++) if (marked.has(n) === taken[n] > 0) right += 1;
  return taken.length ? right / taken.length : 0;
}

// The rank of a typed token, from 0, in `tokens`, the likeliest first; -1 where it is none of them. An exact match goes
// before one that differs in upper and lower case.
export function rankOf(tokens: readonly string[], typed: string): number {
  const text = typed.trim();
  const exact = tokens.indexOf(text);
  return exact >= 0 ? exact : tokens.findIndex((token) => token.toLowerCase() === text.toLowerCase());
}

// The likeliest tokens, down to those that score 1 %, each in all its spellings with capitals: any other scores 0 %.
export function scoredTokens(tokens: readonly string[], probabilities: ArrayLike<number>): Truth {
  const scores = tokens.filter((_, rank) => percent(scoreToken(probabilities, rank)) > 0);
  const spelled = new Set(scores.map((token) => token.toLowerCase()));
  const ranks = [...tokens.keys()].filter((rank) => spelled.has(tokens[rank].toLowerCase()));
  return { ...WORDLESS, values: ranks.map((rank) => probabilities[rank]), rows: ranks.map((rank) => tokens[rank]) };
}

export function scoreToken(probabilities: ArrayLike<number>, rank: number): number {
  return rank < 0 ? 0 : probabilities[rank] / probabilities[0];
}

// 1 less the relative error; where the value is 0, only 0 scores.
export function scoreNumber(value: number, guess: number): number {
  if (value === 0) return guess === 0 ? 1 : 0;
  return Math.max(0, 1 - Math.abs(guess - value) / Math.abs(value));
}

// 1 less the mean distance between the curves, relative to the range of the true one. Both are given at the same
// places, as shares of the height; null where nothing is drawn.
export function scoreCurve(truth: readonly number[], drawn: readonly (number | null)[]): number {
  const range = Math.max(...truth) - Math.min(...truth) || 1;
  const distances = truth.map((y, n) => {
    const own = drawn[n] ?? null;
    return own === null ? range : Math.abs(own - y);
  });
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / truth.length;
  return Math.max(0, 1 - mean / range);
}

export interface Axis {
  readonly low: number;
  readonly high: number;
  readonly log: number; // its base, or 0
}

// A value -> its share of an axis, and back.
export function shareOf({ low, high, log }: Axis, value: number): number {
  return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

export function valueAt({ low, high, log }: Axis, share: number): number {
  return log ? low * (high / low) ** share : low + share * (high - low);
}

// A curve of points, as shares of the axes with x ascending, at `PLACES` even places; straight between its points.
export function atPlaces(x: readonly number[], y: readonly number[]): number[] {
  return Array.from({ length: PLACES }, (_, n) => {
    const at = n / (PLACES - 1);
    const after = x.findIndex((one) => one >= at);
    if (after === 0) return y[0];
    if (after < 0) return y[y.length - 1];
    const part = (at - x[after - 1]) / (x[after] - x[after - 1]);
    return y[after - 1] + part * (y[after] - y[after - 1]);
  });
}

// Rounded down, so that only a perfect score is 100.
export const percent = (score: number): number => Math.floor(100 * score + 1e-6);
