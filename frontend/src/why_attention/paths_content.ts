// What paths_view.py sends, and what is chosen of it.

import type { Tensor } from "../kit/codec.ts";

// Positions from 0; both are clamped to those that are drawn.
export interface PathsView {
  readonly input: number;
  readonly output: number;
}

export interface Drawings {
  readonly n: number;
  readonly kinds: readonly Kind[];
}

export interface Kind {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly cut: string; // what the drawing leaves out, or ""
  readonly n: number;
  readonly levels: number;
  readonly edges: Tensor<Uint16Array>; // (edges, 4): from level, from position, to level, to position
}
