// What matrix_view.py sends: sheets of matrices, the stages that show them, and the choices that turn to another sheet.

import type { Tensor } from "../kit/codec.ts";
import { divergingTo, plain, type Scale, sequentialTo } from "../kit/colour.ts";
import type { Cell, Crosshair, Matrix, Token } from "./matrix.ts";
import type { About } from "./words.ts";

export interface View {
  readonly stage: number;
  readonly choices: readonly number[]; // what is chosen of each, in their order
  readonly pinned: readonly [matrix: number, row: number, column: number] | null;
}

export interface Content {
  readonly sheets: readonly SentSheet[];
  readonly choices: readonly Offer[];
  readonly results: Results | null;
}

// What a choice did, in a table beside it.
export interface Results {
  readonly caption: string;
  readonly rows: readonly (readonly string[])[]; // the first is the header
  readonly stages: readonly number[]; // that show it
}

export interface Offer {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly options: readonly string[];
  readonly turnsSheets: boolean; // the last such choice runs fastest
  readonly hasDigits: boolean;
  readonly stages: readonly number[]; // that show it; none: it is always there
  readonly isRange: boolean; // a slider rather than buttons
  readonly until: readonly [stage: number, option: number] | null; // from that stage on: that option, if nobody chose
}

export interface StageText {
  readonly name: string; // of what it computes, "" if it has no box in Figure 2
  readonly title: string;
  readonly shapes: string;
  readonly text: string;
  readonly code: string;
  readonly lit: readonly string[]; // parts of the formula
  readonly matrices: readonly number[]; // their places in the sheet
  readonly operators: readonly string[]; // signs before the second matrix, the third …; none: ""
  readonly slugs: string; // that it is about
  readonly isIdle: boolean; // whether it changes nothing in this pass
  readonly isProduct: boolean; // of its first matrix and its second, which is drawn above the third
}

// A line of the drawer, which unfolds the pinned cell.
export interface Term {
  readonly label: string;
  readonly matrix: number; // its place in the sheet
  readonly kind: "number" | "exp" | "sum"; // as it stands there; e to its distance from the row's largest; the sum of those
  readonly stage: number; // that makes it
}

interface SentSheet {
  readonly stages: readonly StageText[];
  readonly matrices: readonly SentMatrix[];
  readonly formula: readonly (readonly [text: string, part: string])[];
  readonly terms: readonly Term[];
}

interface Looks extends About {
  readonly kind: "plain" | "sequential" | "diverging";
  readonly extent: number; // how far its scale reaches at least
  readonly hue: string;
  readonly rowEnds: readonly string[];
}

interface SentMatrix extends Looks {
  readonly values: Tensor<Float32Array>;
  readonly mask: Tensor<Uint8Array>; // 1 = has a number
  readonly hasMaskedNumbers?: boolean;
  readonly firstIndex: number;
  readonly rowLabels: readonly string[] | null;
  readonly columnLabels: readonly string[] | null; // null where columns are features rather than tokens
}

// A matrix of a sheet. Its scale fits its numbers and the page's background, so the stage that shows it chooses it.
export interface SheetMatrix extends Looks, Matrix {
  scale: Scale;
  scaledOn: boolean | null; // whether the page was dark when the scale was chosen; null: none is chosen yet
}

export interface Sheet extends Omit<SentSheet, "matrices"> {
  readonly matrices: readonly SheetMatrix[];
}

export function sheetOf(sent: SentSheet): Sheet {
  return { ...sent, matrices: sent.matrices.map(matrixOf) };
}

function matrixOf({ values, mask, rowLabels, columnLabels, ...looks }: SentMatrix): SheetMatrix {
  const [rows, columns] = values.shape;
  const nothing = (count: number): Token[] => Array(count).fill(null); // an axis without labels: by its indices alone
  return {
    ...looks,
    rowLabels: rowLabels ?? nothing(rows),
    columnLabels: columnLabels ?? nothing(columns),
    values: values.values,
    mask: mask.values,
    isWhole: values.values.every((value) => Number.isInteger(value) || !Number.isFinite(value)),
    scale: plain(false),
    scaledOn: null,
  };
}

// A scale that reaches as far as the numbers that are shown, so that none lies outside.
export function scaleOf({ values, mask, kind, extent: least }: SheetMatrix, isOnDark: boolean): Scale {
  if (kind === "plain") return plain(isOnDark);
  let extent = least;
  for (let n = 0; n < values.length; n++) {
    if (mask[n] && Number.isFinite(values[n])) extent = Math.max(extent, Math.abs(values[n]));
  }
  return kind === "sequential" ? sequentialTo(extent || 1) : divergingTo(extent || 1, isOnDark);
}

// A cell of `owner` as `matrix` sees it: where it has the same axis, its row or column, else null.
export function sharedCell(owner: About, [i, j]: Cell, matrix: About): Crosshair {
  const at = new Map([
    [owner.rowAxis, i],
    [owner.columnAxis, j],
  ]);
  return [at.get(matrix.rowAxis) ?? null, at.get(matrix.columnAxis) ?? null];
}
