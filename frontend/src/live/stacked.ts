// Arrays of one shape as one, with a new axis first.

import type { Tensor, Values } from "../kit/codec.ts";

export function stacked<A extends Values>(arrays: readonly Tensor<A>[]): Tensor<A> {
  const [{ shape, values: first }] = arrays;
  const values = new (first.constructor as new (length: number) => A)(arrays.length * first.length);
  for (const [n, one] of arrays.entries()) values.set(one.values, n * first.length);
  return { shape: [arrays.length, ...shape], values };
}
