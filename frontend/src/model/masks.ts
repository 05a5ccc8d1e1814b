// Attention masks. 1 means "may attend", as True does in masks.py.

import type { Ids, Mask } from "./tensor.ts";

// Every query may attend to every key that is not padding: ids [B, S] -> [B, 1, 1, S]
export function paddingMask({ shape: [B, S], values }: Ids, padId: number): Mask {
  return { shape: [B, 1, 1, S], values: Uint8Array.from(values, (id) => Number(id !== padId)) };
}

// The same for a target, whose first token is the start token, even where that has the padding's id, as in Marian.
export function targetPaddingMask(ids: Ids, padId: number, startId: number): Mask {
  const mask = paddingMask(ids, padId);
  const [B, T] = ids.shape;
  if (startId === padId) for (let b = 0; b < B; b++) mask.values[b * T] = 1;
  return mask;
}

// A query may attend to keys at its own position and before (paper §3.2.3), where the mask allows it. The queries are
// the last T of S positions: mask [B, 1, 1, S] -> [B, 1, T, S]
export function withCausalMask({ shape: [B, , , S], values }: Mask, T: number): Mask {
  const mask: Mask = { shape: [B, 1, T, S], values: new Uint8Array(B * T * S) };
  for (let b = 0; b < B; b++)
    for (let t = 0; t < T; t++)
      for (let s = 0; s <= S - T + t; s++) mask.values[(b * T + t) * S + s] = values[b * S + s];
  return mask;
}
