// What kernel_view.py sends, and what is chosen of it.

import type { Tensor } from "../kit/codec.ts";

export interface KernelView {
  readonly query: number;
  readonly width: number;
}

export interface Sent {
  readonly x: Tensor<Float64Array>; // (P,) keys
  readonly y: Tensor<Float64Array>; // (P,) values
  readonly curve: Tensor<Float32Array>; // behind the points, at evenly spaced places from 0 to xMax
  readonly xMax: number;
  readonly widths: readonly [low: number, high: number];
}

export interface Points {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly curve: Float32Array;
  readonly xMax: number;
}
