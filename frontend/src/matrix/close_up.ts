// An enlarged part of a matrix whose cells are too small for their numbers: those around the cell that is pointed at or
// pinned.

import { cleared } from "../kit/canvas.ts";
import { element, type Labels } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { paintCursor, paintMatrix } from "./heatmap.ts";
import { canvasSize, layOutMatrices, STAGE } from "./layout.ts";
import { type Cell, indexOf, type Matrix } from "./matrix.ts";
import type { SheetMatrix } from "./sheet.ts";
import { scaleOf } from "./sheet.ts";

const SIDE = 5; // rows and columns that are shown
const WIDTH = 280;
const MANY = 30; // tokens on an axis; with more, the whole matrix shows no numbers

export class CloseUp {
  readonly element: HTMLElement;
  readonly #title = element("h2", { className: "title" });
  readonly #canvas = element("canvas", { testId: "mv-close-up", role: "img" });

  constructor() {
    this.element = element("section", { className: "close-up", hidden: true }, this.#title, this.#canvas);
  }

  // Shows the close-up if any of these matrices needs one; it then stays, even while nothing is pinned.
  choose(matrices: readonly SheetMatrix[], labels: Labels): void {
    this.element.hidden = !matrices.some((matrix) => matrix.isPinnable && isLong(matrix));
    this.#title.textContent = labels.close_up;
    this.#canvas.setAttribute("aria-label", labels.close_up);
  }

  show(matrix: SheetMatrix, [i, j]: Cell, look: Look): void {
    if (this.element.hidden || !matrix.isPinnable) return;
    const scale = matrix.scaledOn === look.isDark ? matrix.scale : scaleOf(matrix, look.isDark);
    const [part, row, column] = partOf({ ...matrix, scale }, i, j);
    const room = { width: WIDTH, gap: 0, font: look.font, ratio: look.ratio };
    const [geometry] = layOutMatrices([part], room, STAGE).geometries;
    const names = ["", "", ""] as const;
    const { width, height } = canvasSize(geometry, part, names, look.font);
    const canvas = this.#canvas;
    canvas.width = Math.round(width * look.ratio);
    canvas.height = Math.round(height * look.ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = cleared(canvas, look.ratio);
    paintMatrix(context, part, { ...geometry, hidden: ["row name", "column name"] }, look, names);
    paintCursor(context, part, geometry, look, [row, column], look.accent);
  }
}

export function isLong({ rowLabels, columnLabels }: Pick<Matrix, "rowLabels" | "columnLabels">): boolean {
  return Math.max(rowLabels.length, columnLabels.length) > MANY;
}

// The cells around (i, j), and where that one is among them.
export function partOf(matrix: Matrix, i: number, j: number): readonly [part: Matrix, row: number, column: number] {
  const { rowLabels, columnLabels, values, mask, rowEnds, scale } = matrix;
  const columns = columnLabels.length;
  const [top, left] = [startOf(i, rowLabels.length), startOf(j, columns)];
  const cellsOf = (numbers: ArrayLike<number>) =>
    rowLabels
      .slice(top, top + SIDE)
      .flatMap((_, n) =>
        columnLabels.slice(left, left + SIDE).map((_label, m) => numbers[(top + n) * columns + left + m]),
      );
  const part: Matrix = {
    rowLabels: rowLabels.slice(top, top + SIDE),
    columnLabels: columnLabels.slice(left, left + SIDE),
    rowEnds: rowEnds.slice(top, top + SIDE),
    values: cellsOf(values),
    mask: cellsOf(mask),
    scale,
    firstIndex: indexOf(matrix, top),
    firstColumn: indexOf(matrix, left, "column"),
  };
  return [part, i - top, j - left];
}

function startOf(place: number, count: number): number {
  return Math.max(0, Math.min(place - Math.floor(SIDE / 2), count - SIDE));
}
