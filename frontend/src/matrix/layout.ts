// Where matrices lie on the page and what is of them on their canvases, in CSS pixels: side by side where there is room.
// Equal rows line up: all matrices have one top and one cell height.

import { shorten, textWidth } from "../kit/tokens.ts";
import type { AxisNames, Cell, Geometry, Labelled, Token } from "./matrix.ts";

export const GAP = 5; // between labels and cells
export const AXIS = 20; // height of an axis name
const DENSE = 12; // more tokens than this get small labels, upright ones on the columns
const PITCH = { sparse: 14, dense: 11 }; // the least distance of two labels
const SMALLEST = 4; // cell; below it a matrix scrolls
const FEATURE = { widest: 16, tallest: 26, smallest: 1.5 }; // cells whose columns are no tokens, so that they may be narrow

export interface Room {
  readonly width: number;
  readonly gap: number; // between two matrices
  readonly font: string; // family
  readonly ratio: number; // device pixels in a CSS pixel
}

export interface Style {
  readonly isShared: boolean; // one geometry for all: that of a square in which each of them fits
  readonly narrowest: number; // matrix with its title and readout
  readonly margin: number; // to the right of its cells, at least
  readonly tallest: number;
  readonly largest: number; // cell
  // From which size of cells on so many matrices may be side by side.
  least(draft: Draft, columns: number): number;
}

// As many side by side as have a label at every row; two, if that is not to be had.
export const TRACE: Style = {
  isShared: true,
  narrowest: 300,
  margin: GAP + AXIS,
  tallest: 640,
  largest: 52,
  least: ({ pitch }, columns) => (columns === 2 ? SMALLEST : pitch),
};

// The matrices of a stage, which may be of different kinds.
export const STAGE: Style = {
  isShared: false,
  narrowest: 250,
  margin: 8,
  tallest: 600,
  largest: 48,
  least: ({ hasTokens, side }) => (hasTokens ? Math.min(12, STAGE.tallest / side) : SMALLEST),
};

type Draft = ReturnType<typeof draft>;

// How many matrices are side by side, and the geometry of each.
export function layOutMatrices(
  matrices: readonly Labelled[],
  room: Room,
  style: Style,
): { columns: number; geometries: Geometry[] } {
  const { width, gap, font, ratio } = room;
  const groups = style.isShared ? [matrices] : matrices.map((matrix) => [matrix]);
  let columns = Math.max(1, Math.min(matrices.length, Math.floor((width + gap) / (style.narrowest + gap))));
  for (; ; columns--) {
    const space = Math.floor((width - gap * (columns - 1)) / columns);
    const drafts = groups.map((group) => draft(group, space, font, style));
    if (columns === 1 || drafts.every((one) => one.best >= style.least(one, columns))) {
      const geometries = finish(drafts, ratio, style);
      return { columns, geometries: matrices.map((_, n) => geometries[style.isShared ? 0 : n]) };
    }
  }
}

// What a group of matrices with one geometry would like to have.
function draft(group: readonly Labelled[], space: number, font: string, { isShared, margin, largest, tallest }: Style) {
  const rowLabels = group.flatMap((matrix) => matrix.rowLabels);
  const columnLabels = group.flatMap((matrix) => matrix.columnLabels);
  const rowEnds = group.flatMap((matrix) => matrix.rowEnds);
  const hasTokens = columnLabels.some((label) => label !== null); // or its columns are features
  const most = (labels: "rowLabels" | "columnLabels") => Math.max(...group.map((matrix) => matrix[labels].length));
  const longest = Math.max(most("rowLabels"), most("columnLabels"));
  const side = hasTokens ? longest : most("rowLabels");
  const [rows, columns] = isShared ? [side, side] : [most("rowLabels"), most("columnLabels")];

  const isDense = side > DENSE;
  const slant = isDense || !hasTokens ? Math.PI / 2 : Math.PI / 3;
  const fontSize = isDense ? 11 : 12.5;
  const labelMax = Math.max(56, Math.min(0.24 * space, isDense ? 84 : 112));
  const indexWidth = 6 + 5.5 * String(longest).length;
  const widthOf = (token: Token) => (token === null ? 0 : shorten(token, `${fontSize}px ${font}`, labelMax).width);
  const widest = (tokens: readonly Token[]) => Math.max(0, ...tokens.map(widthOf));
  const widths = [widest(rowLabels), widest(columnLabels)];
  const [rowWidth, columnWidth] = isShared ? [Math.max(...widths), Math.max(...widths)] : widths;
  const left = Math.ceil(AXIS + rowWidth + indexWidth + GAP);

  // What reaches past the matrix: the ends of rows, and the slanted labels of the last columns.
  const ends = Math.max(margin, rowEnds.length ? GAP + widest(rowEnds) + AXIS : 0);
  const slanted = group.flatMap((matrix) =>
    matrix.columnLabels.map((label, j) => ({
      cells: j + 0.8 - matrix.columnLabels.length,
      width: (indexWidth + widthOf(label)) * Math.cos(slant),
    })),
  );
  const inside = space - left;
  const widthFor = Math.min(
    (inside - ends) / columns,
    ...slanted.map(({ cells, width }) => (inside - width) / (columns + cells)),
  );
  return {
    hasTokens,
    side,
    rows,
    best: hasTokens ? Math.min(widthFor, largest, tallest / rows) : Math.min(widthFor, FEATURE.widest), // width of a cell
    reachWith: (cell: number) => Math.max(ends, ...slanted.map(({ cells, width }) => cells * cell + width)),
    pitch: isDense ? PITCH.dense : PITCH.sparse,
    left,
    top: Math.ceil(AXIS + (columnWidth + indexWidth) * Math.sin(slant) + GAP + 6),
    room: space,
    slant,
    fontSize,
    labelMax,
    indexWidth,
  };
}

function finish(drafts: readonly Draft[], ratio: number, { largest, tallest }: Style): Geometry[] {
  const whole = (size: number) => Math.max(1, Math.floor(size * ratio)) / ratio; // device pixels keep the cells sharp
  const squares = drafts.filter(({ hasTokens }) => hasTokens).map(({ best }) => best);
  const rows = Math.max(...drafts.map((one) => one.rows));
  const highest = squares.length ? Math.min(...squares, largest) : FEATURE.tallest;
  const cellHeight = whole(Math.max(SMALLEST, Math.min(highest, tallest / rows)));
  const top = Math.max(...drafts.map((one) => one.top));
  return drafts.map(({ hasTokens, best, reachWith, pitch, left, room, slant, fontSize, labelMax, indexWidth }) => {
    const cellWidth = hasTokens ? cellHeight : whole(Math.max(FEATURE.smallest, Math.min(best, cellHeight)));
    const everyRow = Math.ceil(pitch / cellHeight);
    return {
      cellWidth,
      cellHeight,
      left,
      top,
      right: reachWith(cellWidth),
      room,
      slant,
      fontSize: Math.min(fontSize, everyRow * cellHeight - 0.5),
      labelMax,
      indexWidth,
      everyRow,
      everyColumn: hasTokens ? everyRow : tidy(PITCH.sparse / cellWidth),
    };
  });
}

// Indices without labels are shown at 1, 6, 11 … rather than at 1, 4, 7 …
function tidy(every: number): number {
  return [1, 2, 5, 10, 20, 50, 100].find((step) => step >= every) ?? 200;
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
