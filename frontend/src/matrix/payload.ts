// Reads the bytes that `pack_sheets` and `matrix_view` in matrix_view.py write; the format is described there.

import type { Scale } from "../kit/colour.ts";
import type { Request } from "../kit/component.ts";
import { reader } from "../kit/reader.ts";
import type { Matrix, Token } from "./matrix.ts";
import type { About } from "./words.ts";

export interface View {
  readonly stage: number;
  readonly choices: Readonly<Record<string, number>>; // name -> the place of what is chosen
  readonly pinned: readonly [matrix: number, row: number, column: number] | null;
}

// A matrix of a sheet. Its scale fits its numbers and the page's background, so the stage that shows it makes it.
export interface SheetMatrix extends Matrix, About {
  readonly shape: readonly [rows: number, columns: number];
  readonly kind: "plain" | "sequential" | "diverging";
  readonly extent: number; // how far its scale reaches at least
  readonly hue: string;
  readonly columnLabels: readonly string[] | null;
  readonly isWhole: boolean;
  scale: Scale;
  scaledOn?: boolean; // whether on a dark page
}

export interface StageText {
  readonly title: string;
  readonly shapes: string;
  readonly text: string;
  readonly code: string;
  readonly lit: readonly string[]; // parts of the formula
  readonly matrices: readonly number[]; // their places in the sheet
}

export interface Sheet {
  readonly stages: readonly StageText[];
  readonly matrices: readonly SheetMatrix[];
  readonly formula: readonly (readonly [text: string, part: string])[];
}

export interface Offer {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly options: readonly string[];
  readonly turnsSheets: boolean;
  readonly hasDigits: boolean;
}

export interface Content {
  readonly sheets: readonly Sheet[];
  readonly choices: readonly Offer[];
}

export function decodeMatrices(bytes: Uint8Array): { request: Request<View>; content: Content } {
  const { readJson, readArray } = reader(bytes);
  const request = readJson();
  const content = readJson();
  const values = content.values.map((length: number) => readArray(Float32Array, length));
  const masks = content.masks.map((length: number) => readArray(Uint8Array, length));
  const nothing = (count: number): Token[] => Array(count).fill(null); // an axis without labels: by its indices alone
  for (const { matrices } of content.sheets) {
    for (const matrix of matrices) {
      matrix.queries = matrix.rowLabels ?? nothing(matrix.shape[0]);
      matrix.keys = matrix.columnLabels ?? nothing(matrix.shape[1]);
      matrix.predicted = matrix.rowEnds;
      matrix.values = values[matrix.values];
      matrix.mask = masks[matrix.mask];
      matrix.isWhole = matrix.values.every((value: number) => Number.isInteger(value) || !Number.isFinite(value));
    }
  }
  return { request, content };
}
