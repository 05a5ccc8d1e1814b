// What figures say. A figure knows a matrix; these know what its rows, columns and numbers mean.

import { type Child, fillNodes, fillText, type Labels } from "../kit/dom.ts";
import { valueText } from "../kit/numbers.ts";
import { type Cell, indexOf, type Labelled, type Matrix, type Token, type Words } from "./matrix.ts";

// The weights of one head.
export interface HeadMatrix extends Matrix {
  readonly layer: number;
  readonly head: number;
}

// What one attention module reads.
export interface Attending {
  readonly queries: readonly string[];
  readonly keys: readonly string[];
  readonly predicted: readonly string[]; // by each query of the decoder; the encoder predicts nothing
}

// As the labels of its matrices: a row for each query, a column for each key.
export function labelled({ queries, keys, predicted }: Attending): Labelled {
  return { rowLabels: queries, columnLabels: keys, rowEnds: predicted };
}

// What Python says of a matrix of matrix_view.py.
export interface About {
  readonly name: string;
  readonly title: string;
  readonly note: string;
  readonly rowAxis: string;
  readonly columnAxis: string;
  readonly rowEndsAxis: string;
  readonly scaleName: string;
  readonly isPinnable: boolean;
  readonly slugs: string; // that it shows
}

// The terms that a picture of an attention module shows.
export function termsOf(module: string): string {
  const [side, kind] = module === "cross" ? ["", "cross-attention"] : [module.replace("_self", ""), "self-attention"];
  return `${side} ${kind} attention head weight`.trim();
}

// The words for the weights of one head of the attention module `name`.
export function headWords(name: string, labels: Labels): Words<HeadMatrix> {
  const place = ({ layer, head }: HeadMatrix) => fillText(labels.place, { layer: layer + 1, head: head + 1 });
  const weight = (matrix: Matrix, i: number, j: number) => matrix.values[i * matrix.columnLabels.length + j].toFixed(4);
  const query = ({ rowLabels, rowEnds }: Matrix, i: number) =>
    fillNodes(labels[`row_${name}`], { i: i + 1, query: rowLabels[i] ?? "", predicted: rowEnds[i] ?? "" });
  return {
    title: labels[name],
    axisNames: [labels[`query_${name}`], labels[`key_${name}`], labels.predicted_axis],
    scaleName: labels.weight,
    hint: labels.hint,
    slugs: termsOf(name),
    place,
    spoken: (matrix) =>
      fillText(labels.matrix, {
        title: labels[name],
        place: place(matrix),
        hint: labels.hint,
        rows: matrix.rowLabels.length,
        columns: matrix.columnLabels.length,
      }),
    fileName: ({ layer, head }) => `${name}-layer${layer + 1}-head${head + 1}`,
    cell: (matrix, [i, j]) =>
      fillNodes(isAllowed(matrix, i, j) ? labels.cell : labels.cell_masked, {
        row: query(matrix, i),
        j: j + 1,
        key: matrix.columnLabels[j] ?? "",
        weight: weight(matrix, i, j),
      }),
    row: (matrix, i) => {
      const named = topColumns(matrix, i, 3).flatMap((j, n) => [
        n ? labels.separator : "",
        ...fillNodes(labels.row_key, { j: j + 1, key: matrix.columnLabels[j] ?? "", weight: weight(matrix, i, j) }),
      ]);
      return fillNodes(labels.attends_to, { row: query(matrix, i), keys: named });
    },
  };
}

export function isAllowed(
  { columnLabels, mask }: Pick<Matrix, "columnLabels" | "mask">,
  i: number,
  j: number,
): boolean {
  return mask[i * columnLabels.length + j] === 1;
}

// The columns with the largest numbers of row i, largest first.
export function topColumns(matrix: Matrix, i: number, count: number): number[] {
  const valueAt = (j: number) => matrix.values[i * matrix.columnLabels.length + j];
  const shown = matrix.columnLabels
    .map((_, j) => j)
    .filter((j) => isAllowed(matrix, i, j) && !Number.isNaN(valueAt(j)));
  return shown.sort((a, b) => (valueAt(b) > valueAt(a) ? 1 : -1)).slice(0, count);
}

// The words for any matrix of matrix_view.py; `names` says which row and column a cell is in.
export function matrixWords(
  about: About,
  labels: Labels,
): Words<Matrix> & { names(matrix: Matrix, cell: Cell): Child[] } {
  const valueAt = (matrix: Matrix, i: number, j: number) =>
    valueText(matrix, matrix.values[i * matrix.columnLabels.length + j]);
  const place = (matrix: Matrix, axis: string, i: number, label: Token): Child[] => {
    const index = indexOf(matrix, i);
    return fillNodes(label === null ? labels.place_bare : labels.place, { axis, index, label: label ?? "" });
  };
  const row = (matrix: Matrix, i: number): Child[] => {
    const [read, written] = [matrix.rowLabels[i], matrix.rowEnds[i]];
    if (written === undefined || read === null) return place(matrix, about.rowAxis, i, read);
    return fillNodes(labels.place_step, { index: indexOf(matrix, i), read, written });
  };
  return {
    title: about.title,
    axisNames: [about.rowAxis, about.columnAxis, about.rowEndsAxis],
    scaleName: about.scaleName,
    hint: about.isPinnable ? labels.hint : labels.hint_unpinnable,
    isPinnable: about.isPinnable,
    slugs: about.slugs,
    place: () => about.note,
    spoken: ({ rowLabels, columnLabels }) =>
      fillText(labels.matrix, {
        title: about.title,
        rows: rowLabels.length,
        columns: columnLabels.length,
        row_axis: about.rowAxis,
        column_axis: about.columnAxis,
        hint: about.isPinnable ? labels.hint : labels.hint_unpinnable,
      }),
    fileName: () => `matrix-${about.name}`,
    cell: (matrix, [i, j]) =>
      fillNodes(isAllowed(matrix, i, j) ? labels.cell : labels.cell_masked, {
        row: row(matrix, i),
        column: place(matrix, about.columnAxis, j, matrix.columnLabels[j]),
        value: valueAt(matrix, i, j),
      }),
    names: (matrix, [i, j]) => [
      ...row(matrix, i),
      " · ",
      ...place(matrix, about.columnAxis, j, matrix.columnLabels[j]),
    ],
    row: (matrix, i) => {
      const named = topColumns(matrix, i, 3).flatMap((j, n) => [
        n ? labels.separator : "",
        ...fillNodes(labels.row_value, {
          column: place(matrix, about.columnAxis, j, matrix.columnLabels[j]),
          value: valueAt(matrix, i, j),
        }),
      ]);
      return fillNodes(labels.row, { row: row(matrix, i), values: named });
    },
  };
}
