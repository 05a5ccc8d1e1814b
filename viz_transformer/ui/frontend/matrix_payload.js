// Reads the bytes that `pack_matrices` and `matrix_view` in matrix_view.py write; the format is described there.

import { reader } from "./payload.js";

export function decodeMatrices(bytes) {
  const { readJson, readArray } = reader(bytes);
  const request = readJson();
  const content = readJson();
  const nothing = (count) => Array(count).fill(null); // an axis without labels: by its indices alone
  for (const matrix of content.matrices) {
    matrix.queries = matrix.rowLabels ?? nothing(matrix.shape[0]);
    matrix.keys = matrix.columnLabels ?? nothing(matrix.shape[1]);
    matrix.predicted = matrix.rowEnds;
    matrix.values = readArray(Float32Array, matrix.shape[0] * matrix.shape[1]);
  }
  for (const matrix of content.matrices) matrix.mask = readArray(Uint8Array, matrix.shape[0] * matrix.shape[1]);
  return { request, content };
}
