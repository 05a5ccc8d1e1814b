// The causal mask of a trace, as a figure beside those of its heads.

import { plain } from "../kit/colour.ts";
import { fillNodes, fillText, type Labels } from "../kit/dom.ts";
import type { Matrix, Words } from "../matrix/matrix.ts";
import { isAllowed, labelled } from "../matrix/words.ts";
import type { Trace } from "../trace/payload.ts";

// 1 where a row may attend, hatched elsewhere.
export function causalMask(trace: Trace, isOnDark: boolean): Matrix {
  const module = trace.module("decoder_self");
  const mask = module.maskIn(0);
  return {
    ...labelled(module),
    values: new Float32Array(mask.length).fill(1),
    mask,
    scale: plain(isOnDark),
    isWhole: true,
  };
}

export function maskWords(labels: Labels): Words<Matrix> {
  const row = ({ rowLabels, rowEnds }: Matrix, i: number) =>
    fillNodes(labels.row_decoder_self, { i: i + 1, query: rowLabels[i] ?? "", predicted: rowEnds[i] });
  return {
    slugs: "mask causal-mask",
    title: labels.mask,
    axisNames: [labels.query_decoder_self, labels.key_decoder_self, labels.predicted_axis],
    hint: labels.hint,
    isPinnable: false,
    place: () => labels.mask_place,
    spoken: ({ rowLabels, columnLabels }) =>
      fillText(labels.mask_matrix, {
        title: labels.mask,
        rows: rowLabels.length,
        columns: columnLabels.length,
        hint: labels.hint,
      }),
    fileName: () => "causal-mask",
    cell: (matrix, [i, j]) =>
      fillNodes(isAllowed(matrix, i, j) ? labels.mask_cell : labels.cell_masked, {
        row: row(matrix, i),
        j: j + 1,
        key: matrix.columnLabels[j] ?? "",
      }),
    row: (matrix, i) => {
      const count = matrix.columnLabels.filter((_, j) => isAllowed(matrix, i, j)).length;
      return fillNodes(labels.mask_row, { row: row(matrix, i), count });
    },
  };
}
