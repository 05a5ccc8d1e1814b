// What a figure shows, and where it lies on its canvas.

import type { Scale } from "../kit/colour.ts";
import type { Child } from "../kit/dom.ts";

export type Numbers = Float32Array | Float64Array | readonly number[];
export type Flags = Uint8Array | readonly number[];
export type Token = string | null; // null is shown by its index alone

// R rows and C columns.
export interface Labelled {
  readonly rowLabels: readonly Token[]; // R
  readonly columnLabels: readonly Token[]; // C
  readonly rowEnds: readonly string[]; // at the right end of the rows, or none
}

export interface Matrix extends Labelled {
  readonly values: Numbers; // R·C
  readonly mask: Flags; // R·C; 1 = has a value, 0 = hatched
  readonly scale: Scale;
  readonly hasMaskedNumbers?: boolean; // whether hatched cells show theirs
  readonly isWhole?: boolean; // whether all numbers are
  readonly firstIndex?: number; // of the first row and the first column; 1 where it is not said
  readonly firstColumn?: number; // where columns begin with another index than rows
  image?: OffscreenCanvas | null; // one pixel a cell, once it was painted
}

// What a row or a column is called.
export function indexOf(
  { firstIndex = 1, firstColumn = firstIndex }: Pick<Matrix, "firstIndex" | "firstColumn">,
  place: number,
  axis: "row" | "column" = "row",
): number {
  return (axis === "row" ? firstIndex : firstColumn) + place;
}

export type Cell = readonly [row: number, column: number];
// The row and the column that are marked, each an index or null.
export type Crosshair = readonly [row: number | null, column: number | null];
export type AxisNames = readonly [rows: string, columns: string, ends: string];

// In CSS pixels.
export interface Geometry {
  readonly cellWidth: number;
  readonly cellHeight: number;
  readonly left: number; // of the cells
  readonly top: number;
  readonly right: number; // what reaches past them
  readonly room: number; // the width that there is
  readonly slant: number; // of the columns' labels, an angle
  readonly fontSize: number;
  readonly labelMax: number; // width of a label
  readonly indexWidth: number;
  readonly everyRow: number; // every how many rows there is a label
  readonly everyColumn: number;
  readonly hidden?: readonly Part[]; // since a matrix beside it, or above it, shows them
}

// Labels of an axis, and its name.
export type Part = "rows" | "columns" | "ends" | "row name" | "column name";

// What a matrix' rows, columns and numbers mean, in words.
export interface Words<M extends Matrix> {
  readonly title: string;
  readonly axisNames: AxisNames;
  readonly scaleName?: string;
  readonly hint: string;
  readonly isPinnable?: boolean; // where it is not said, it is
  readonly slugs: string; // that it shows, see kit/term_highlight.ts
  place(matrix: M): string;
  spoken(matrix: M): string;
  fileName(matrix: M): string; // without its ending
  cell(matrix: M, cell: Cell): Child[];
  row(matrix: M, i: number): Child[];
}
