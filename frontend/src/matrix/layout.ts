// Where matrices lie on the page, and where their parts lie on their canvases, in CSS pixels. Matrices stand side by
// side where there is room, and all have the same top and cell height, so that equal rows line up.

import { shorten, textWidth } from "../kit/tokens.ts";
import { isOnStage } from "../kit/window.ts";
import type { AxisNames, Cell, Geometry, Labelled, Token } from "./matrix.ts";

export const GAP = 5; // between labels and cells
export const AXIS = 20; // height of an axis name
export const AXIS_FONT = 12;
const DENSE = 12; // more tokens than this get small labels, upright ones on the columns
const PITCH = 14; // the least distance of two labels
export const SMALLEST = 4; // cell; below it a matrix scrolls
const FEW = 12; // columns that are no tokens and yet have room for their numbers
export const FEATURE = { widest: 16, tallest: 48, stacked: 26, smallest: 1.5 }; // cells of more columns than FEW

export interface Room {
  readonly width: number;
  readonly height?: number; // that is seen at once
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
  readonly letters: number; // of labels, where tokens are few
  // The smallest cells with which this many matrices may stand side by side.
  least(draft: Draft, columns: number): number;
}

// The matrices of a trace: as many side by side as have a label at every row, or two if no number has.
export const TRACE: Style = {
  isShared: true,
  narrowest: 300,
  margin: GAP + AXIS,
  tallest: 640,
  largest: 52,
  letters: 12.5,
  least: ({ pitch }, columns) => (columns === 2 ? SMALLEST : pitch),
};

// The matrices of a stage, which may be of different kinds.
export const STAGE: Style = {
  isShared: false,
  get narrowest() {
    return isOnStage() ? 196 : 218;
  },
  margin: 8,
  tallest: 600,
  largest: 120,
  letters: 14,
  least({ hasTokens, side }) {
    const [token, feature] = isOnStage() ? [10, 1] : [12, 2.5];
    return hasTokens ? Math.min(token, STAGE.tallest / side) : feature;
  },
};

// The letters of many tokens, the distance of two labels, and the digits in small cells; and the letters of their numbers. Nothing that is presented
// is smaller than 12.
export const dense = (): number => (isOnStage() ? 12 : 11);
export const indexFont = (): number => (isOnStage() ? 12 : 10.5);

type Draft = ReturnType<typeof draft>;

// How many matrices are side by side, and the geometry of each.
export function layOutMatrices(
  matrices: readonly Labelled[],
  room: Room,
  style: Style,
): { columns: number; geometries: Geometry[] } {
  const { width, gap, ratio } = room;
  const groups = style.isShared ? [matrices] : matrices.map((matrix) => [matrix]);
  let columns = Math.max(1, Math.min(matrices.length, Math.floor((width + gap) / (style.narrowest + gap))));
  for (; ; columns--) {
    const space = { ...room, width: Math.floor((width - gap * (columns - 1)) / columns) };
    const drafts = groups.map((group) => draft(group, space, style));
    if (columns === 1 || drafts.every((one) => one.best >= style.least(one, columns))) {
      const geometries = finish(drafts, ratio, style, columns < groups.length);
      return { columns, geometries: matrices.map((_, n) => geometries[style.isShared ? 0 : n]) };
    }
  }
}

// Whether columns are tokens; else they are features, which may be narrow.
export function hasTokenColumns(columnLabels: readonly Token[]): boolean {
  return columnLabels.some((label) => label !== null);
}

// Whether cells are to be as wide as they are high, because columns are tokens or few.
export function wantsSquares({ columnLabels }: Pick<Labelled, "columnLabels">): boolean {
  return hasTokenColumns(columnLabels) || columnLabels.length <= FEW;
}

// How labels are written. `side`: how many tokens the longest axis has; `longest`: the same with features counted, too.
export function lettering(
  side: number,
  longest: number,
  hasTokens: boolean,
  space: number,
  font: string,
  letters: number,
) {
  const isDense = side > DENSE;
  const fontSize = isDense ? dense() : letters;
  const labelMax = Math.max(56, Math.min(0.24 * space, isDense ? 84 : 112));
  const widthOf = (token: Token) => (token === null ? 0 : shorten(token, `${fontSize}px ${font}`, labelMax).width);
  return {
    slant: isDense || !hasTokens ? Math.PI / 2 : Math.PI / 3,
    fontSize,
    labelMax,
    indexWidth: 6 + 0.62 * indexFont() * String(longest).length,
    pitch: isDense ? dense() : Math.max(PITCH, 1.125 * letters),
    widthOf,
    widest: (tokens: readonly Token[]) => Math.max(0, ...tokens.map(widthOf)),
  };
}

// The geometry that a group of matrices would have by itself; `finish` then gives all groups the same rows.
function draft(group: readonly Labelled[], { width: space, height, font }: Room, style: Style) {
  const { isShared, margin, largest, letters } = style;
  const tallest = Math.min(style.tallest, height ?? Number.POSITIVE_INFINITY);
  const rowLabels = group.flatMap((matrix) => matrix.rowLabels);
  const columnLabels = group.flatMap((matrix) => matrix.columnLabels);
  const rowEnds = group.flatMap((matrix) => matrix.rowEnds);
  const hasTokens = hasTokenColumns(columnLabels); // or its columns are features
  const most = (labels: "rowLabels" | "columnLabels") => Math.max(...group.map((matrix) => matrix[labels].length));
  const longest = Math.max(most("rowLabels"), most("columnLabels"));
  const side = hasTokens ? longest : most("rowLabels");
  const [rows, columns] = isShared ? [side, side] : [most("rowLabels"), most("columnLabels")];
  const isSquare = hasTokens || columns <= FEW;

  const { slant, fontSize, labelMax, indexWidth, pitch, widthOf, widest } = lettering(
    side,
    longest,
    hasTokens,
    space,
    font,
    letters,
  );
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
    isSquare,
    side,
    rows,
    tallest,
    best: isSquare ? Math.min(widthFor, largest, tallest / rows) : Math.min(widthFor, FEATURE.widest), // width of a cell
    reachWith: (cell: number) => Math.max(ends, ...slanted.map(({ cells, width }) => cells * cell + width)),
    pitch,
    left,
    top: Math.ceil(AXIS + (columnWidth + indexWidth) * Math.sin(slant) + GAP + 6),
    room: space,
    slant,
    fontSize,
    labelMax,
    indexWidth,
  };
}

// Rounds down to whole device pixels, which keep the cells sharp.
export function wholePixels(size: number, ratio: number): number {
  return Math.max(1, Math.floor(size * ratio)) / ratio;
}

// `isStacked`: some matrices are below others.
function finish(drafts: readonly Draft[], ratio: number, { largest }: Style, isStacked: boolean): Geometry[] {
  const whole = (size: number) => wholePixels(size, ratio);
  const smallest = isOnStage() ? 1 : FEATURE.smallest;
  const [{ tallest }] = drafts;
  const squares = drafts.filter(({ isSquare }) => isSquare).map(({ best }) => best);
  const rows = Math.max(...drafts.map((one) => one.rows));
  const features = isStacked ? FEATURE.stacked : FEATURE.tallest;
  const highest = squares.length ? Math.min(...squares, largest) : features;
  const cellHeight = whole(Math.max(SMALLEST, Math.min(highest, tallest / rows)));
  const top = Math.max(...drafts.map((one) => one.top));
  return drafts.map(({ hasTokens, best, reachWith, pitch, left, room, slant, fontSize, labelMax, indexWidth }) => {
    const cellWidth = hasTokens ? cellHeight : whole(Math.max(smallest, Math.min(best, cellHeight)));
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
      everyColumn: hasTokens ? everyRow : tidy(PITCH / cellWidth),
    };
  });
}

// Indices without labels are shown at 1, 6, 11 … rather than at 1, 4, 7 …
export function tidy(every: number): number {
  return [1, 2, 5, 10, 20, 50, 100].find((step) => step >= every) ?? 200;
}

export function canvasSize(
  geometry: Geometry,
  matrix: Omit<Labelled, "rowEnds">,
  axisNames: AxisNames,
  font: string,
): { width: number; height: number } {
  const { left, right, top, cellWidth, cellHeight, hidden } = geometry;
  const [rowName, columnName] = (["row name", "column name"] as const).map((part, n) =>
    hidden?.includes(part) ? 0 : textWidth(`${axisNames[n]} →`, `${AXIS_FONT}px ${font}`) + 4,
  );
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
