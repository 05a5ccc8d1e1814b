// @ts-nocheck
// Reads the bytes that `pack_sheets` and `matrix_view` in matrix_view.py write; the format is described there.

import { reader } from "../kit/reader.ts";

export function decodeMatrices(bytes) {
  const { readJson, readArray } = reader(bytes);
  const request = readJson();
  const content = readJson();
  const values = content.values.map((length) => readArray(Float32Array, length));
  const masks = content.masks.map((length) => readArray(Uint8Array, length));
  const nothing = (count) => Array(count).fill(null); // an axis without labels: by its indices alone
  for (const matrix of content.sheets.flatMap(({ matrices }) => matrices)) {
    matrix.queries = matrix.rowLabels ?? nothing(matrix.shape[0]);
    matrix.keys = matrix.columnLabels ?? nothing(matrix.shape[1]);
    matrix.predicted = matrix.rowEnds;
    matrix.values = values[matrix.values];
    matrix.mask = masks[matrix.mask];
    matrix.isWhole = matrix.values.every((value) => Number.isInteger(value) || !Number.isFinite(value));
  }
  return { request, content };
}
