// What stands between the two products of a feed-forward layer.

import type { Activation } from "./config.ts";

export const ACTIVATIONS: Readonly<Record<Activation, (x: number) => number>> = {
  relu: (x) => Math.max(0, x),
  gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)), // x times the probability that a normal variable is below x
  swish: (x) => x / (1 + Math.exp(-x)),
};

// The error function, by a series whose terms are all of one sign, so that nothing cancels:
// 2/√π · exp(−x²) · (x + 2x³/3 + 4x⁵/15 + …). Beyond 4 the result differs from 1 by less than float32 can tell.
function erf(x: number): number {
  if (Math.abs(x) > 4) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-9 * Math.abs(sum); n++) sum += term *= (2 * x * x) / (2 * n + 1);
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
