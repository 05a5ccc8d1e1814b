// Where things lie on a matrix's canvas, in CSS pixels. All three matrices of a trace share one geometry, so that the
// rows of the two decoder matrices line up.

import { shorten, textWidth } from "../kit/tokens.ts";
import type { AxisNames, Cell, Geometry, Labelled, Token } from "./matrix.ts";

export const GAP = 5; // between labels and cells
export const AXIS = 20; // height of an axis name
export const DENSE = 12; // more tokens than this get small labels, upright ones on the columns
export const LABEL_PITCH = { sparse: 14, dense: 11 }; // the least distance of two labels
const NARROWEST = 300; // of a matrix with its title and readout
const [SMALLEST_CELL, LARGEST_CELL, TALLEST] = [4, 52, 640];

// As many matrices side by side as there is room for with a label at every row; two, if that is not to be had.
export function arrange(
  matrices: readonly Labelled[],
  width: number,
  gap: number,
  font: string,
  ratio: number,
): { columns: number; geometry: Geometry } {
  let columns = Math.max(1, Math.min(matrices.length, Math.floor((width + gap) / (NARROWEST + gap))));
  for (; ; columns--) {
    const geometry = geometryFor(matrices, Math.floor((width - gap * (columns - 1)) / columns), font, ratio);
    if (columns === 1 || geometry.everyRow === 1 || (columns === 2 && geometry.fits)) return { columns, geometry };
  }
}

function geometryFor(
  matrices: readonly Labelled[],
  width: number,
  font: string,
  ratio: number,
): Geometry & { fits: boolean } {
  const n = Math.max(...matrices.flatMap((matrix) => [matrix.rowLabels.length, matrix.columnLabels.length]));
  const isDense = n > DENSE;
  const slant = isDense ? Math.PI / 2 : Math.PI / 3;
  const fontSize = isDense ? 11 : 12.5;
  const labelMax = Math.max(60, Math.min(0.24 * width, isDense ? 84 : 112));
  const indexWidth = 6 + 5.5 * String(n).length;
  const widthOf = (token: Token) => shorten(token ?? "", `${fontSize}px ${font}`, labelMax).width;
  const labelWidth = Math.max(
    ...matrices.flatMap((matrix) => [...matrix.rowLabels, ...matrix.columnLabels]).map(widthOf),
  );
  const left = Math.ceil(AXIS + labelWidth + indexWidth + GAP);
  const top = Math.ceil(AXIS + (labelWidth + indexWidth) * Math.sin(slant) + GAP + 6);

  const endWidth = Math.max(0, ...matrices.flatMap((matrix) => matrix.rowEnds).map(widthOf));

  const cellIn = (space: number) => Math.min(space / n, TALLEST / n, LARGEST_CELL);
  // How far what stands at the ends of rows, or the slanted labels of the last columns, reach past the matrix.
  const reachWith = (cell: number) =>
    Math.max(
      GAP + endWidth + AXIS,
      ...matrices.flatMap(({ columnLabels }) =>
        columnLabels.map(
          (label, j) => (j + 0.8 - columnLabels.length) * cell + (indexWidth + widthOf(label)) * Math.cos(slant),
        ),
      ),
    );
  const best = cellIn(width - left - reachWith(cellIn(width - left)));
  const cell = Math.floor(Math.max(SMALLEST_CELL, best) * ratio) / ratio; // whole device pixels keep the cells sharp

  const every = Math.ceil((isDense ? LABEL_PITCH.dense : LABEL_PITCH.sparse) / cell); // label every n-th row and column
  return {
    cellWidth: cell,
    cellHeight: cell,
    room: width,
    left,
    top,
    slant,
    labelMax,
    indexWidth,
    everyRow: every,
    everyColumn: every,
    right: reachWith(cell),
    fontSize: Math.min(fontSize, every * cell - 0.5),
    fits: best >= SMALLEST_CELL,
  };
}

export function canvasSize(
  geometry: Geometry,
  matrix: Omit<Labelled, "rowEnds">,
  axisNames: AxisNames,
  font: string,
): { width: number; height: number } {
  const [rowName, columnName] = axisNames.slice(0, 2).map((name) => textWidth(`${name} →`, `11px ${font}`) + 4);
  const { left, right, top, cellWidth, cellHeight } = geometry;
  return {
    width: Math.ceil(left + Math.max(matrix.columnLabels.length * cellWidth + right, columnName)),
    height: Math.ceil(Math.max(top + matrix.rowLabels.length * cellHeight + 4, rowName)),
  };
}

// The cell at a place of the canvas, or null beside the cells.
export function cellAt(geometry: Geometry, matrix: Omit<Labelled, "rowEnds">, x: number, y: number): Cell | null {
  const row = Math.floor((y - geometry.top) / geometry.cellHeight);
  const column = Math.floor((x - geometry.left) / geometry.cellWidth);
  const inside = row >= 0 && column >= 0 && row < matrix.rowLabels.length && column < matrix.columnLabels.length;
  return inside ? [row, column] : null;
}
