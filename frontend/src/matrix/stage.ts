// The matrices of one stage, side by side, each with its legend. A stage that is not shown stays on the page as it was
// painted: to show it paints nothing.

import { element, type Labels, setChildren } from "../kit/dom.ts";
import type { Look } from "../kit/look.ts";
import { textWidth } from "../kit/tokens.ts";
import { isOnStage } from "../kit/window.ts";
import { CORNER, layOutProduct, layOutRow } from "./arrange.ts";
import { legendOf } from "./export.ts";
import { MatrixFigure } from "./figure.ts";
import { canvasSize, layOutMatrices, type Room, STAGE } from "./layout.ts";
import type { Cell, Crosshair, Geometry } from "./matrix.ts";
import { type SheetMatrix, scaleOf, sharedCell } from "./sheet.ts";
import { matrixWords } from "./words.ts";

const GAP = 28;
const AROUND_OPERATOR = 24; // pixels beside its sign
const GAP_BELOW = 5;
const AROUND = 128; // pixels of a figure above and below its canvas, a readout of three lines included
const TOOLS = 116; // pixels that the tools take at the end of a title's line; below the picture they take a line
const [TITLE, PLACE] = [16, 13]; // pixels of the letters of the two parts of a title
const BETWEEN = 10; // pixels
const LINE = 27;
const OWN = 95; // pixels of the titles and the legends of a row of matrices that is presented
const FACTORS = ["left", "above", "product"];

export type OnPin = (matrix: SheetMatrix, cell: Cell | null) => void;
export type OnCursor = (matrix: SheetMatrix, cell: Cell | null) => void;

// How a stage is painted.
export interface Painting {
  readonly look: Look;
  readonly width: number;
  readonly height: number | undefined; // that is seen at once; none where nobody sees it
  pinnedIn(matrix: SheetMatrix): Crosshair | null;
}

interface Shown {
  readonly figure: MatrixFigure<SheetMatrix>;
  readonly legend: HTMLElement;
  hue: string;
}

export class Stage {
  readonly element = element("div", { className: "matrices away" });
  readonly #onPin: OnPin;
  readonly #onCursor: OnCursor;
  readonly #about: () => string;
  #matrices: readonly SheetMatrix[] = [];
  #labels: Labels = {};
  #figures = new Map<string, Shown>(); // by the names of the matrices
  readonly #roomFor = new Map<MatrixFigure<SheetMatrix>, string>(); // the canvas size for which it was warmed up
  #arranged: Look | null = null;
  #laidOut: Look | null = null;
  #geometries: readonly Geometry[] = [];
  #isShown = false;
  #isProduct = false; // of the first matrix and the second, which is drawn above it
  #operators: readonly string[] = []; // before the second matrix, the third …
  height = 0; // as laid out

  constructor(onPin: OnPin, onCursor: OnCursor = () => {}, about = () => "") {
    this.#onPin = onPin;
    this.#onCursor = onCursor;
    this.#about = about;
  }

  // `matrices`: of different names.
  setMatrices(
    matrices: readonly SheetMatrix[],
    labels: Labels,
    isProduct = false,
    operators: readonly string[] = [],
  ): void {
    this.#matrices = matrices;
    this.#labels = labels;
    this.#isProduct = isProduct && matrices.length === FACTORS.length;
    this.#operators = operators;
    this.#arranged = this.#laidOut = null;
  }

  setShown(isShown: boolean): void {
    if (isShown === this.#isShown) return;
    this.#isShown = isShown;
    this.element.classList.toggle("away", !isShown);
    if (isShown) this.#setWarming(null);
    else for (const { figure } of this.#figures.values()) figure.leave();
  }

  // Makes the browser allocate its copies of the painted canvases ahead of time -> when that is done. It keeps two
  // copies of a canvas that it shows, and to allocate them at first need takes longer than all else in a frame. So the
  // canvases are shown for a moment, invisibly if the stage is away, and once with `will-change`, for the second copy.
  async warmUp(): Promise<void> {
    const figures = [...this.#figures.values()].map(({ figure }) => figure);
    const cold = figures.filter((figure) => figure.matrix && this.#roomFor.get(figure) !== sizeOf(figure));
    if (!cold.length) return;
    for (const figure of cold) this.#roomFor.set(figure, sizeOf(figure));
    if (!this.#isShown) this.#setWarming(cold);
    for (const willChange of ["", "transform", "", ""]) {
      this.element.style.willChange = willChange;
      await new Promise(requestAnimationFrame);
    }
    this.#setWarming(null);
  }

  #setWarming(warming: readonly MatrixFigure<SheetMatrix>[] | null): void {
    this.element.classList.toggle("warming", warming !== null);
    this.element.inert = warming !== null;
    for (const { figure } of this.#figures.values())
      figure.element.classList.toggle("veiled", warming?.includes(figure) === false);
  }

  // Paints what is not painted yet for this look, width and pin, at most `count` matrices -> whether there was any.
  paint(painting: Painting, count = Infinity): boolean {
    const { look, pinnedIn } = painting;
    this.arrange(painting);
    if (this.#laidOut !== look) this.#layOut(look);
    let painted = 0;
    for (const matrix of this.#matrices) {
      if (painted < count && this.#figures.get(matrix.name)?.figure.update(matrix, null, pinnedIn(matrix))) painted++;
    }
    return painted > 0;
  }

  // Gives everything its place, and itself its height, before anything is painted.
  arrange({ look, width, height }: Painting): void {
    if (this.#arranged === look) return;
    this.#arranged = look;
    const room = { width, gap: GAP, font: look.font, ratio: look.ratio };
    this.#geometries = this.#geometriesIn(height === undefined ? room : { ...room, height });
  }

  #layOut(look: Look): void {
    const matrices = this.#matrices;
    const labels = this.#labels;
    this.#laidOut = look;
    const shown = matrices.map(({ name }) => this.#figures.get(name) ?? this.#newFigure(name));
    this.#figures = new Map(matrices.map(({ name }, n) => [name, shown[n]]));
    setChildren(
      this.element,
      shown.map(({ figure }) => figure.element),
    );
    matrices.forEach((matrix, n) => {
      const { figure, legend, hue } = shown[n];
      if (matrix.scaledOn !== look.isDark) {
        matrix.scale = scaleOf(matrix, look.isDark);
        matrix.scaledOn = look.isDark;
        matrix.image = null;
      }
      figure.element.classList.remove(hue);
      figure.element.classList.add(matrix.hue);
      shown[n].hue = matrix.hue;
      FACTORS.forEach((factor, place) => {
        figure.element.classList.toggle(factor, place === n && this.element.classList.contains("factors"));
      });
      this.#setOperator(figure, n);
      figure.setWords(matrixWords(matrix, labels), labels);
      this.#fillLegend(legend, matrix);
      figure.setLook(this.#geometries[n], look);
    });
  }

  #geometriesIn(room: Room): readonly Geometry[] {
    const { element: box } = this;
    const matrices = this.#matrices;
    const isProduct = this.#isProduct;
    const product = isProduct ? layOutProduct(matrices, room, STAGE) : null;
    const signs = this.#operators.map((sign) => textWidth(sign, `${STAGE.letters}px ${room.font}`));
    const gaps = [Math.max(GAP, AROUND_OPERATOR + Math.max(0, ...signs)), GAP]; // the second if signs have no room
    const isRow = !product && haveSameRows(matrices);
    const rowWith = (gap: number) => layOutRow(matrices, { ...room, gap }, STAGE, isRow);
    const gap = (isRow && gaps.find(rowWith)) || GAP;
    const several = this.#inRows(room);
    const row = isRow || (!product && several.columns < matrices.length) ? rowWith(gap) : null;
    const { columns, geometries } = product || row ? { columns: 0, geometries: product ?? row ?? [] } : several;
    const heights = matrices.map(
      (matrix, n) =>
        AROUND + canvasSize(geometries[n], matrix, matrixWords(matrix, this.#labels).axisNames, room.font).height,
    );
    box.classList.toggle("factors", product !== null);
    box.classList.toggle("operated", gap > GAP);
    box.style.columnGap = `${product ? CORNER : gap}px`;
    if (product) {
      const [left, , right] = product.map((one) => Math.ceil(one.room));
      box.style.gridTemplateColumns = `${left}px minmax(${right}px, 1fr)`;
      box.style.setProperty("--corner", `${left + CORNER}px`);
      this.height = heights[1] - AROUND + GAP_BELOW + heights[2];
    } else if (row) {
      const rooms = row.map((one, n) => `${n === row.length - 1 ? "minmax(0, 1fr)" : `${Math.ceil(one.room)}px`}`);
      box.style.gridTemplateColumns = rooms.join(" ");
      this.height = Math.max(...heights);
    } else {
      box.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
      this.height = (Math.max(...heights) + GAP_BELOW) * Math.ceil(matrices.length / columns);
    }
    const isTight = !product && this.#isTight(geometries, room, row ? gap : 0);
    box.classList.toggle("tight", isTight);
    if (isTight) this.height += LINE * (row ? 1 : Math.ceil(matrices.length / columns));
    return geometries;
  }

  // Matrices side by side and, where that is too many, below each other; all of them are seen at once if one presents.
  #inRows(room: Room): ReturnType<typeof layOutMatrices> {
    const laidOut = layOutMatrices(this.#matrices, room, STAGE);
    if (!isOnStage() || !room.height) return laidOut;
    const [rows, top] = [Math.ceil(this.#matrices.length / laidOut.columns), laidOut.geometries[0].top];
    return layOutMatrices(this.#matrices, { ...room, height: (room.height + OWN) / rows - OWN - top }, STAGE);
  }

  // Whether a title has no room beside its tools. `gap`: between the matrices of a row, of which the last has the rest.
  #isTight(geometries: readonly Geometry[], { width, font }: Room, gap: number): boolean {
    const last = geometries.length - 1;
    const before = geometries.slice(0, last).reduce((sum, { room }) => sum + Math.ceil(room) + gap, 0);
    return this.#matrices.some((matrix, n) => {
      const room = gap && n === last ? width - before : geometries[n].room;
      const place = matrixWords(matrix, this.#labels).place(matrix);
      const beside = place && BETWEEN + textWidth(place, `${PLACE}px ${font}`);
      return room < textWidth(matrix.title, `600 ${TITLE}px ${font}`) + (beside || 0) + TOOLS;
    });
  }

  // Its sign is drawn in the gap before the matrix, level with the middle of the cells.
  #setOperator({ element: box }: MatrixFigure<SheetMatrix>, n: number): void {
    const sign = this.#operators[n - 1] ?? "";
    if (sign) box.dataset.operator = sign;
    else delete box.dataset.operator;
    const { top, cellHeight } = this.#geometries[n];
    box.style.setProperty("--middle", `${top + (this.#matrices[n].rowLabels.length * cellHeight) / 2}px`);
  }

  #newFigure(name: string): Shown {
    const figure = new MatrixFigure<SheetMatrix>(name, "mv", {
      onPin: (_, cell) => this.#onPin(this.#matrixOf(name), cell),
      onFocus: () => {},
      about: () => this.#about(),
      onCursor: (_, cell) => this.#link(this.#matrixOf(name), cell),
    });
    const legend = element("div", { className: "legend", testId: `mv-legend-${name}` });
    figure.readout.before(legend);
    return { figure, legend, hue: "plain" };
  }

  #matrixOf(name: string): SheetMatrix {
    const matrix = this.#matrices.find((one) => one.name === name);
    if (!matrix) throw new Error(`This stage has no matrix “${name}”.`);
    return matrix;
  }

  #fillLegend(legend: HTMLElement, matrix: SheetMatrix): void {
    legend.replaceChildren(...legendOf(matrix, matrix.scaleName, this.#labels).children);
  }

  // Pointing at a cell lights its row and column in the matrices that have the same axes.
  #link(owner: SheetMatrix, cell: Cell | null): void {
    this.#onCursor(owner, cell);
    for (const matrix of this.#matrices) {
      if (matrix === owner) continue;
      this.#figures.get(matrix.name)?.figure.link(cell ? sharedCell(owner, cell, matrix) : [null, null]);
    }
  }

  // The focus goes to the first matrix in which something can be pinned.
  focus(): void {
    const { name } = this.#matrices.find(({ isPinnable }) => isPinnable) ?? this.#matrices[0];
    this.#figures.get(name)?.figure.canvas.focus({ preventScroll: true });
  }
}

function haveSameRows([first, ...others]: readonly SheetMatrix[]): boolean {
  const labels = String(first.rowLabels);
  return (
    others.every(({ rowAxis, rowLabels }) => rowAxis === first.rowAxis && String(rowLabels) === labels) &&
    others.length > 0
  );
}

const sizeOf = ({ canvas }: MatrixFigure<SheetMatrix>) => `${canvas.width}×${canvas.height}`;
