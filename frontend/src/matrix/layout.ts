// Where the matrices of a stage lie: side by side where there is room, with one cell height and one top for all, so
// that equal rows line up. Matrices of tokens have square cells; those without column labels may have narrow ones.

import { shorten } from "../kit/tokens.ts";
import { AXIS, DENSE, GAP, LABEL_PITCH } from "./geometry.ts";
import type { Geometry, Labelled, Token } from "./matrix.ts";

const [TALLEST, LARGEST_CELL, WIDEST_FEATURE] = [600, 48, 16];
const SMALLEST = { square: 12, feature: 4, last: 1.5 }; // cell widths; below the last a matrix scrolls
const NARROWEST = 250; // of a matrix with its title and readout

type Draft = ReturnType<typeof draft>;

// How many matrices are side by side, and one geometry for each.
export function layOutMatrices(
  matrices: readonly Labelled[],
  width: number,
  gap: number,
  font: string,
  ratio: number,
): { columns: number; geometries: Geometry[] } {
  for (let columns = Math.min(matrices.length, Math.floor((width + gap) / (NARROWEST + gap)) || 1); ; columns--) {
    const space = Math.floor((width - gap * (columns - 1)) / columns);
    const drafts = matrices.map((matrix) => draft(matrix, space, font));
    if (columns <= 1 || drafts.every(({ fits }) => fits)) {
      return { columns: Math.max(1, columns), geometries: finish(drafts, ratio) };
    }
  }
}

function draft({ rowLabels, columnLabels, rowEnds }: Labelled, space: number, font: string) {
  const isSquare = columnLabels.some((label) => label !== null); // or columns are features
  const n = Math.max(rowLabels.length, isSquare ? columnLabels.length : 0);
  const isDense = n > DENSE;
  const slant = isDense ? Math.PI / 2 : Math.PI / 3;
  const fontSize = isDense ? 11 : 12.5;
  const labelMax = Math.max(56, Math.min(0.24 * space, isDense ? 84 : 112));
  const indexWidth = 6 + 5.5 * String(Math.max(rowLabels.length, columnLabels.length)).length;
  const widthOf = (token: Token) => (token === null ? 0 : shorten(token, `${fontSize}px ${font}`, labelMax).width);
  const widest = (tokens: readonly Token[]) => Math.max(0, ...tokens.map(widthOf));
  const left = Math.ceil(AXIS + widest(rowLabels) + indexWidth + GAP);
  const labelHeight = (widest(columnLabels) + indexWidth) * Math.sin(isSquare ? slant : Math.PI / 2);
  const ends = rowEnds.length ? GAP + widest(rowEnds) + AXIS : 0;
  const reachWith = (cell: number) =>
    Math.max(
      ends,
      8,
      ...columnLabels.map(
        (label, j) =>
          (j + 0.8 - columnLabels.length) * cell +
          (indexWidth + widthOf(label)) * Math.cos(isSquare ? slant : Math.PI / 2),
      ),
    );
  const widthIn = (reach: number) => (space - left - reach) / columnLabels.length;
  const best = Math.min(widthIn(reachWith(widthIn(reachWith(8)))), isSquare ? LARGEST_CELL : WIDEST_FEATURE);
  return {
    isSquare,
    best,
    left,
    reachWith,
    room: space,
    labelMax,
    indexWidth,
    isDense,
    rows: rowLabels.length,
    slant: isSquare ? slant : Math.PI / 2,
    fontSize,
    top: Math.ceil(AXIS + labelHeight + GAP + 6),
    fits: best >= (isSquare ? Math.min(SMALLEST.square, TALLEST / n) : SMALLEST.feature),
  };
}

function finish(drafts: readonly Draft[], ratio: number): Geometry[] {
  const whole = (size: number) => Math.max(1, Math.floor(size * ratio)) / ratio; // device pixels keep the cells sharp
  const squares = drafts.filter(({ isSquare }) => isSquare).map(({ best }) => best);
  const rows = Math.max(...drafts.map((one) => one.rows));
  const height = whole(Math.max(4, Math.min(...squares, squares.length ? LARGEST_CELL : 26, TALLEST / rows)));
  const top = Math.max(...drafts.map((one) => one.top));
  return drafts.map((one) => {
    const cellWidth = one.isSquare ? height : whole(Math.max(SMALLEST.last, Math.min(one.best, height)));
    const pitch = one.isDense ? LABEL_PITCH.dense : LABEL_PITCH.sparse;
    const everyRow = Math.ceil(pitch / height);
    const everyColumn = Math.ceil((one.isSquare ? pitch : LABEL_PITCH.sparse) / cellWidth);
    return {
      cellWidth,
      cellHeight: height,
      top,
      room: one.room,
      left: one.left,
      slant: one.slant,
      labelMax: one.labelMax,
      indexWidth: one.indexWidth,
      right: one.reachWith(cellWidth),
      everyRow,
      everyColumn: one.isSquare ? everyColumn : tidy(everyColumn),
      fontSize: Math.min(one.fontSize, everyRow * height - 0.5),
    };
  });
}

// Indices without labels are shown at 1, 6, 11 … rather than at 1, 4, 7 …
function tidy(every: number): number {
  return [1, 2, 5, 10, 20, 50, 100].find((step) => step >= every) ?? 200;
}
