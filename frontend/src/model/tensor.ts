// Arrays with a shape, row after row, and the few operations on them that are not a layer of their own.
//
// Shapes everywhere in this folder: B batch, T target (query) length, S source (key) length, L either, H heads,
// D = d_k = d_model / H, V vocabulary. The batch is 1, or the hypotheses of a beam.

import type { Tensor, Values } from "../kit/codec.ts";

export type { Tensor, Values };
export type Floats = Tensor<Float32Array>;
export type Ids = Tensor<Int32Array>;
export type Mask = Tensor<Uint8Array>; // 1 = may attend

export function zeros(...shape: number[]): Floats {
  return { shape, values: new Float32Array(sizeOf(shape)) };
}

export function idsOf(rows: readonly (readonly number[])[]): Ids {
  return { shape: [rows.length, rows[0]?.length ?? 0], values: Int32Array.from(rows.flat()) }; // [B, L]
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

// The shape's last number: how long a row is.
export function widthOf(x: Tensor): number {
  return x.shape[x.shape.length - 1];
}

export function mapped(x: Floats, change: (value: number) => number): Floats {
  return { shape: x.shape, values: x.values.map((value) => change(value)) };
}

// x + y, where y may lack leading axes of x.
export function sum(x: Floats, y: Floats): Floats {
  const { values, shape } = y;
  if (x.values.length % values.length) throw new Error(`[${shape}] cannot be added to [${x.shape}].`);
  const result = x.values.slice();
  for (let n = 0; n < result.length; n += values.length)
    for (let i = 0; i < values.length; i++) result[n + i] += values[i];
  return { shape: x.shape, values: result };
}

// Rows of x's first axis, in this order.
export function taken<A extends Values>(x: Tensor<A>, rows: readonly number[]): Tensor<A> {
  const size = sizeOf(x.shape.slice(1));
  const values = new (x.values.constructor as new (length: number) => A)(rows.length * size);
  for (const [to, from] of rows.entries()) values.set(x.values.subarray(from * size, (from + 1) * size), to * size);
  return { shape: [rows.length, ...x.shape.slice(1)], values };
}

// [B, L, H·D] -> [B, H, L, D]
export function splitHeads({ shape: [B, L, width], values }: Floats, H: number): Floats {
  const D = width / H;
  const x = zeros(B, H, L, D);
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let l = 0; l < L; l++) {
        const from = (b * L + l) * width + h * D;
        x.values.set(values.subarray(from, from + D), ((b * H + h) * L + l) * D);
      }
  return x;
}

// [B, H, L, D] -> [B, L, H·D]
export function joinHeads({ shape: [B, H, L, D], values }: Floats): Floats {
  const x = zeros(B, L, H * D);
  for (let b = 0; b < B; b++)
    for (let h = 0; h < H; h++)
      for (let l = 0; l < L; l++) {
        const from = ((b * H + h) * L + l) * D;
        x.values.set(values.subarray(from, from + D), (b * L + l) * H * D + h * D);
      }
  return x;
}

// [B, H, t, D] and [B, H, T, D] -> [B, H, t + T, D]
export function appended(old: Floats, added: Floats): Floats {
  const [B, H, t, D] = old.shape;
  const T = added.shape[2];
  const x = zeros(B, H, t + T, D);
  for (let n = 0; n < B * H; n++) {
    x.values.set(old.values.subarray(n * t * D, (n + 1) * t * D), n * (t + T) * D);
    x.values.set(added.values.subarray(n * T * D, (n + 1) * T * D), (n * (t + T) + t) * D);
  }
  return x;
}

// Over the last axis. A row of -Infinity alone is NaN, as in PyTorch.
export function softmax(x: Floats): Floats {
  const width = widthOf(x);
  const result = zeros(...x.shape);
  for (let start = 0; start < x.values.length; start += width) {
    const largest = largestIn(x.values, start, width);
    let total = 0;
    for (let i = start; i < start + width; i++) total += result.values[i] = Math.exp(x.values[i] - largest);
    for (let i = start; i < start + width; i++) result.values[i] /= total;
  }
  return result;
}

export function logSoftmax(x: Floats): Floats {
  const width = widthOf(x);
  const result = zeros(...x.shape);
  for (let start = 0; start < x.values.length; start += width) {
    const largest = largestIn(x.values, start, width);
    let total = 0;
    for (let i = start; i < start + width; i++) total += Math.exp(x.values[i] - largest);
    const subtracted = largest + Math.log(total);
    for (let i = start; i < start + width; i++) result.values[i] = x.values[i] - subtracted;
  }
  return result;
}

function largestIn(values: Float32Array, start: number, count: number): number {
  let largest = -Infinity;
  for (let i = start; i < start + count; i++) if (values[i] > largest) largest = values[i];
  return largest;
}
