// How a prediction is scored against the true answer: 0 … 1, by rules that stand beside each score.

export const PLACES = 33; // of a drawn curve, from end to end of its axis

// The weight that the marks collect, as a share of the most that they could. `weights`: (T, S); `marks`: for each row a
// column or null.
export function scoreWeights(weights: ArrayLike<number>, columns: number, marks: readonly (number | null)[]): number {
  let collected = 0;
  let most = 0;
  marks.forEach((mark, row) => {
    const own = Array.from({ length: columns }, (_, column) => weights[row * columns + column]);
    most += Math.max(...own);
    if (mark !== null) collected += own[mark];
  });
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

export function scoreToken(probabilities: ArrayLike<number>, rank: number): number {
  return rank < 0 ? 0 : probabilities[rank] / probabilities[0];
}

// 1 less the relative error; where the value is 0, only 0 scores.
export function scoreNumber(value: number, guess: number): number {
  if (value === 0) return guess === 0 ? 1 : 0;
  return Math.max(0, 1 - Math.abs(guess - value) / Math.abs(value));
}

// "0,25" and "0.25" -> 0.25; null for what is no number.
export function numberOf(text: string): number | null {
  const plain = text.trim().replace(",", ".").replace("−", "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain) && Number.isFinite(Number(plain))
    ? Number(plain)
    : null;
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
