// Lays out matrices as one picture: two factors with their product, or matrices in a row. Labels that one of them shows
// beside its cells are not repeated by the next. Both layouts are null where there is no room for them.

import {
  AXIS,
  FEATURE,
  GAP,
  hasTokenColumns,
  lettering,
  type Room,
  SMALLEST,
  type Style,
  tidy,
  wantsSquares,
  wholePixels,
} from "./layout.ts";
import type { Geometry, Labelled, Part } from "./matrix.ts";

const PLAIN_TOP = AXIS + 6; // above cells without labels
const BETWEEN = 16; // left of cells without labels
export const CORNER = 12; // between a left factor and the product
const DEEPEST = 6; // pixels: width of a left factor's feature at most, where there is room to the side
const INNER = 0.3; // of the room: what the inner axis takes where features are narrow
const LEGIBLE = 12; // the least cell of few tokens
const NAMED = 110; // pixels, from which on the name of an axis has room
const MANY = 30; // tokens; the cells of more may be smaller
const NARROWEST = 2; // pixels of a feature in a row of matrices; below each other, matrices have wider ones
const TINY = 3; // pixels of a cell in a row of matrices, where all can be seen at once

// (R, I) · (I, C) = (R, C): the left factor, the right one above the product, and the product, where rows meet columns.
export function layOutProduct(
  [left, above, product]: readonly Labelled[],
  { width, height = 440, font, ratio }: Room,
  { margin, largest, letters }: Style,
): Geometry[] | null {
  const [rows, inner, columns] = [left.rowLabels.length, left.columnLabels.length, product.columnLabels.length];
  const hasTokens = [hasTokenColumns(left.columnLabels), hasTokenColumns(product.columnLabels)];
  const isWide = [wantsSquares(left), wantsSquares(product)]; // the cells of the inner axis, and those of the columns
  const side = Math.max(rows, hasTokens[0] ? inner : 0, hasTokens[1] ? columns : 0);
  const text = lettering(side, Math.max(side, inner, columns), true, width, font, letters);
  const { indexWidth, widest, pitch } = text;

  const upright = Math.PI / 2;
  const topFor = (labels: Labelled["columnLabels"], slant: number) =>
    Math.ceil(AXIS + (widest(labels) + indexWidth) * Math.sin(slant) + GAP + 6);
  const leftFor = (labels: Labelled["rowLabels"]) => Math.ceil(AXIS + widest(labels) + indexWidth + GAP);
  const slants = hasTokens.map((isTokens) => (isTokens ? text.slant : upright));
  const [lefts, aboveTop] = [
    [leftFor(left.rowLabels), leftFor(above.rowLabels)],
    topFor(above.columnLabels, slants[1]),
  ];
  const top = hasTokens[0] ? topFor(left.columnLabels, slants[0]) : PLAIN_TOP;
  const ends = product.rowEnds.length ? GAP + widest(product.rowEnds) + AXIS : 0;
  const right = Math.max(margin, ends, (indexWidth + widest(above.columnLabels)) * Math.cos(slants[1]) - LEGIBLE);

  const across = width - CORNER - lefts[0] - margin - lefts[1] - right;
  const down = height - aboveTop - top;
  const narrow = Math.max(FEATURE.smallest, Math.min(8, (INNER * Math.min(down, across)) / inner));
  const whole = (size: number) => wholePixels(size, ratio);
  // Cell sizes: of rows, of the inner axis and of columns.
  let [high, deep, broad] = [0, 0, 0];
  if (isWide[0]) {
    const least = isWide[1] ? columns : (2 * columns) / LEGIBLE;
    high = deep = whole(Math.min(largest, across / (inner + least), down / (inner + rows)));
    broad = isWide[1] ? high : whole(Math.min(FEATURE.widest, high, (across - inner * deep) / columns));
  } else {
    deep = whole(narrow);
    high = whole(Math.min(largest, (across - inner * deep) / columns, (down - inner * deep) / rows));
    broad = isWide[1] ? high : whole(Math.min(FEATURE.widest, high));
  }
  if (side > MANY) high = Math.max(high, SMALLEST);
  if (side > MANY && isWide[1]) broad = high;
  const least = side > MANY ? SMALLEST : LEGIBLE;
  if (high < least || deep < whole(FEATURE.smallest) || inner * deep + columns * broad > across) return null;

  // Narrow features of the left factor use what is left of the width; above the product they are as high as there is room.
  const length = isWide[0] ? deep : Math.max(deep, whole(Math.min(DEEPEST, (across - columns * broad) / inner)));

  const hiddenLeft: Part[] = hasTokens[0] ? ["ends"] : ["columns", "ends"];
  if (inner * length < NAMED) hiddenLeft.push("column name");
  const every = (isTokens: boolean, size: number) => (isTokens ? Math.ceil(pitch / size) : tidy(14 / size));
  const place = (wide: number, tall: number, start: number, from: number, slant: number, hidden: Part[]) => ({
    cellWidth: wide,
    cellHeight: tall,
    left: start,
    top: from,
    slant,
    labelMax: text.labelMax,
    indexWidth,
    hidden,
  });
  const fit = (size: number) => Math.min(text.fontSize, Math.ceil(pitch / size) * size - 0.5);
  const rooms = [lefts[0] + inner * length + margin, lefts[1] + columns * broad + right];
  return [
    {
      ...place(length, high, lefts[0], top, slants[0], hiddenLeft),
      right: margin,
      room: rooms[0],
      fontSize: fit(high),
      everyRow: every(true, high),
      everyColumn: every(hasTokens[0], length),
    },
    {
      ...place(broad, deep, lefts[1], aboveTop, slants[1], ["ends"]),
      right,
      room: rooms[1],
      fontSize: hasTokens[0] ? fit(deep) : fit(broad),
      everyRow: every(hasTokens[0], deep),
      everyColumn: every(hasTokens[1], broad),
    },
    {
      ...place(broad, high, lefts[1], top, slants[1], ["rows", "row name", "columns", "column name"]),
      right,
      room: rooms[1],
      fontSize: fit(high),
      everyRow: every(true, high),
      everyColumn: every(hasTokens[1], broad),
    },
  ];
}

// All matrices side by side. With the same rows, the first shows their labels and the last their ends; otherwise each
// matrix shows its own.
export function layOutRow(
  matrices: readonly Labelled[],
  { width, height = 440, gap, font, ratio }: Room,
  { margin, largest, letters }: Style,
  hasSameRows = true,
): Geometry[] | null {
  const rows = Math.max(...matrices.map(({ rowLabels }) => rowLabels.length));
  const hasTokens = matrices.map(({ columnLabels }) => hasTokenColumns(columnLabels));
  const isWide = matrices.map(wantsSquares);
  const columns = matrices.map(({ columnLabels }) => columnLabels.length);
  const side = Math.max(rows, ...columns.filter((_, n) => hasTokens[n]));
  const text = lettering(side, Math.max(rows, ...columns), true, width, font, letters);
  const { indexWidth, widest, pitch } = text;
  const last = matrices.length - 1;

  const slants = hasTokens.map((isTokens) => (isTokens ? text.slant : Math.PI / 2));
  const labels = matrices.map(({ columnLabels }) => widest(columnLabels) + indexWidth);
  const top = Math.ceil(AXIS + Math.max(...labels.map((one, n) => one * Math.sin(slants[n]))) + GAP + 6);
  const lefts = matrices.map(({ rowLabels }, n) =>
    n && hasSameRows ? BETWEEN : Math.ceil(AXIS + widest(rowLabels) + indexWidth + GAP),
  );
  const endsOf = ({ rowEnds }: Labelled) => (rowEnds.length ? GAP + widest(rowEnds) + AXIS : 0);
  const rights = matrices.map((matrix, n) =>
    Math.max(margin, n === last || !hasSameRows ? endsOf(matrix) : 0, labels[n] * Math.cos(slants[n]) - LEGIBLE),
  );

  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const across = width - sum(lefts) - sum(rights) - gap * last;
  const [squares, narrow] = [true, false].map((wide) => sum(columns.filter((_, n) => isWide[n] === wide)));
  const tallest = squares ? largest : FEATURE.tallest;
  const whole = (size: number) => wholePixels(size, ratio);
  const high = whole(
    Math.min(
      tallest,
      Math.max((height - top) / rows, TINY),
      squares ? (across - 2 * narrow) / squares : Number.POSITIVE_INFINITY,
    ),
  );
  const thin = narrow ? whole(Math.min(FEATURE.widest, high, (across - squares * high) / narrow)) : 0;
  const isTooSmall = high < (side > MANY ? TINY : 2 * LEGIBLE) || (narrow > 0 && thin < NARROWEST);
  if (isTooSmall || squares * high + narrow * thin > across) return null;

  const everyRow = Math.ceil(pitch / high);
  return matrices.map((_, n) => {
    const cellWidth = isWide[n] ? high : thin;
    return {
      cellWidth,
      cellHeight: high,
      left: lefts[n],
      top,
      right: rights[n],
      room: lefts[n] + columns[n] * cellWidth + rights[n],
      slant: slants[n],
      fontSize: Math.min(text.fontSize, everyRow * high - 0.5),
      labelMax: text.labelMax,
      indexWidth,
      everyRow,
      everyColumn: hasTokens[n] ? everyRow : tidy(14 / cellWidth),
      hidden: hasSameRows
        ? [...(n ? (["rows", "row name"] as const) : []), ...(n < last ? (["ends"] as const) : [])]
        : [],
    };
  });
}
