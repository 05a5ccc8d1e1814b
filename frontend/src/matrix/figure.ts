// One matrix with its title, canvas, readout, table and tools.

import type { Context } from "../kit/canvas.ts";
import { afterFrame, type Child, element, type Labels } from "../kit/dom.ts";
import { copyText } from "../kit/export.ts";
import { CanvasFrame } from "../kit/frame.ts";
import { legendEntry } from "../kit/legend.ts";
import type { Saved } from "../kit/save.ts";
import { fillMatrixTable, legendOf, valuesAsRows, valuesAsText } from "./export.ts";
import { type Ink, paintCursor, paintMatrix, paintStep } from "./heatmap.ts";
import { canvasSize, cellAt, layOutMatrices, STAGE } from "./layout.ts";
import type { Cell, Crosshair, Geometry, Matrix, Words } from "./matrix.ts";

const MOVES: Readonly<Record<string, (cell: Cell) => Cell>> = {
  ArrowUp: ([i, j]) => [i - 1, j],
  ArrowDown: ([i, j]) => [i + 1, j],
  ArrowLeft: ([i, j]) => [i, j - 1],
  ArrowRight: ([i, j]) => [i, j + 1],
  Home: ([i]) => [i, 0],
  End: ([i]) => [i, Infinity],
};

export interface FigureEvents {
  onPin(name: string, cell: Cell | null): void;
  onFocus(name: string): void;
  onCursor?(name: string, cell: Cell | null): void;
  about?(): string; // what else is chosen, as the heading of a picture
}

const ALONE = 480; // CSS pixels that a picture of one matrix may be wide at least

// Shows one matrix after another, all of one kind and with the same words. It shows nothing before `setWords`,
// `setLook` and `update` were called.
export class MatrixFigure<M extends Matrix = Matrix> {
  readonly name: string;
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly readout: HTMLElement;
  matrix: M | null = null; // as painted
  readonly #events: FigureEvents;
  readonly #frame: CanvasFrame;
  readonly #title = element("h2", { className: "title" });
  readonly #place = element("span", { className: "place" });
  readonly #copyButton: HTMLButtonElement;
  #words!: Words<M>;
  #labels!: Labels;
  #geometry!: Geometry;
  #look!: Ink;
  #step: number | null = null;
  #pinned: Crosshair | null = null; // part of the panel's view
  #cursor: Cell | null = null; // the cell pointed at
  #linked: Crosshair = [null, null]; // the row and the column that another matrix points at
  #isLeft = false;
  #isTold = false; // `describe` is on its way
  #told: { matrix: M; words: Words<M>; row: number } | null = null; // what the summary was last written from

  // `prefix`: of its test ids.
  constructor(name: string, prefix: string, events: FigureEvents) {
    this.name = name;
    this.#events = events;
    const cellAtPoint = (x: number, y: number) => this.matrix && cellAt(this.#geometry, this.matrix, x, y);
    this.#frame = new CanvasFrame(
      name,
      {
        onPoint: (x, y) => this.#moveTo(cellAtPoint(x, y)),
        onLeave: () => this.#moveTo(null),
        onClick: (x, y) => this.#togglePin(cellAtPoint(x, y)),
        onFocus: () => this.#moveTo(this.#cursor ?? this.#startCell()),
        onKey: (key) => this.#onKey(key),
        fill: (table) => {
          if (this.matrix) fillMatrixTable(table, this.matrix, this.#words.axisNames, this.#labels);
        },
      },
      prefix,
      "matrix",
    );
    this.#copyButton = this.#frame.addTool("copy", () => this.#copy());
    this.#frame.addSave(() => this.#saved());
    this.canvas = this.#frame.canvas;
    this.canvas.addEventListener("focus", () => events.onFocus(name));
    this.readout = this.#frame.readout;
    this.element = this.#frame.element;
    this.element.classList.add(name);
    this.element.prepend(element("figcaption", {}, this.#title, this.#place));
  }

  setWords(words: Words<M>, labels: Labels): void {
    this.#words = words;
    this.#labels = labels;
    this.#title.textContent = words.title;
    this.element.setAttribute("data-term", words.slugs);
    this.#frame.setLabels(labels);
  }

  // The next update paints everything anew.
  setLook(geometry: Geometry, look: Ink): void {
    this.#geometry = geometry;
    this.#look = look;
    this.matrix = null;
  }

  // `step`: the row of this step, or null where rows are not steps.
  // -> whether anything had to be painted.
  update(matrix: M, step: number | null, pinned: Crosshair | null): boolean {
    const isSameMatrix = this.matrix?.values === matrix.values;
    const isSameView = !this.#isLeft && this.#step === step && String(this.#pinned) === String(pinned);
    this.matrix = matrix;
    this.#step = step;
    this.#pinned = pinned;
    this.#isLeft = false;
    if (isSameMatrix && isSameView) return false;
    this.#cursor = this.#cursor && this.#clamp(matrix, this.#cursor);
    if (!isSameMatrix) this.#showMatrix(matrix);
    this.#paintCursor();
    return true;
  }

  #showMatrix(matrix: M): void {
    const words = this.#words;
    const geometry = this.#geometry;
    const look = this.#look;
    this.#place.textContent = words.place(matrix);
    this.canvas.setAttribute("aria-label", words.spoken(matrix));
    const { width, height } = canvasSize(geometry, matrix, words.axisNames, look.font);
    this.#frame.paintBase(width, height, geometry.room, look, (context, ratio) =>
      paintMatrix(context, matrix, geometry, { ...look, ratio }, words.axisNames),
    );
    const { left, top, cellWidth, cellHeight } = geometry;
    Object.assign(this.canvas.dataset, { left, top, cell: cellWidth, height: cellHeight });
    this.#frame.showTable();
  }

  #paintCursor(): void {
    const { matrix } = this;
    const geometry = this.#geometry;
    if (!matrix) return; // not painted yet, or not in the look it has now
    this.#frame.paintOver((context) => this.#paintMarks(context, matrix, geometry));
    this.#describeSoon();
  }

  #paintMarks(context: Context, matrix: M, geometry: Geometry): void {
    const look = this.#look;
    const step = this.#step;
    const linked = this.#linked;
    const pinned = this.#pinned;
    const cursor = this.#cursor;
    if (step !== null) paintStep(context, matrix, geometry, look, step);
    if (!cursor && linked.some((index) => index !== null)) {
      paintCursor(context, matrix, geometry, look, linked, look.text);
    }
    if (pinned) paintCursor(context, matrix, geometry, look, pinned, look.accent);
    if (cursor) paintCursor(context, matrix, geometry, look, cursor, look.text);
  }

  // Writes the readout only when all figures that an event concerns are painted: setting the font of a canvas makes the
  // browser update the page's style first, which is slow after a text has changed.
  #describeSoon(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    queueMicrotask(() => this.#describe());
  }

  #describe(): void {
    const { matrix } = this;
    const words = this.#words;
    this.#isTold = false;
    if (!matrix) return;
    const cell = this.#cursor ?? wholeCell(this.#linked) ?? wholeCell(this.#pinned);
    const nodes = cell
      ? this.#cellNodes(matrix, cell)
      : this.#step === null
        ? [words.hint]
        : words.row(matrix, this.#step);
    this.#frame.read(nodes, !cell);
    afterFrame(() => this.#summarise());
  }

  // For screen readers: the row of the cell that a person, rather than another matrix, is on.
  #summarise(): void {
    const { matrix } = this;
    const words = this.#words;
    const row = (this.#cursor ?? this.#pinned)?.[0] ?? this.#step ?? 0;
    if (!matrix || (this.#told?.matrix === matrix && this.#told.words === words && this.#told.row === row)) return;
    this.#told = { matrix, words, row };
    this.#frame.summarise(words.row(matrix, row));
  }

  #cellNodes(matrix: M, cell: Cell): Child[] {
    const nodes = this.#words.cell(matrix, cell);
    const isPinned = String(cell) === String(this.#pinned);
    return isPinned ? [...nodes, " ", element("span", { className: "mark", textContent: this.#labels.pinned })] : nodes;
  }

  #moveTo(cell: Cell | null): void {
    if (String(cell) === String(this.#cursor)) return;
    this.#cursor = cell;
    this.#paintCursor();
    this.#events.onCursor?.(this.name, cell);
  }

  // Marks a row and a column, each an index or null, because another matrix points at them.
  link(linked: Crosshair): void {
    if (String(linked) === String(this.#linked)) return;
    this.#linked = linked;
    this.#paintCursor();
  }

  // The pointer is elsewhere now, on another stage. What it marked goes when the figure is next painted.
  leave(): void {
    if (!this.#cursor && this.#linked.every((index) => index === null)) return;
    this.#cursor = null;
    this.#linked = [null, null];
    this.#isLeft = true;
  }

  #togglePin(cell: Cell | null): void {
    if (!cell || this.#words.isPinnable === false) return;
    this.#events.onPin(this.name, String(cell) === String(this.#pinned) ? null : cell);
  }

  #onKey(key: string): boolean {
    const cell = this.#cursor ?? this.#startCell();
    const move = MOVES[key];
    if (move && this.matrix) {
      const moved = this.#clamp(this.matrix, move(cell));
      this.#moveTo(moved);
      const { left, cellWidth } = this.#geometry;
      this.#frame.bringIntoView(left + moved[1] * cellWidth, left + (moved[1] + 1) * cellWidth);
    } else if (key === "Enter") {
      this.#togglePin(cell);
    } else if (key === "Escape" && this.#pinned) {
      this.#events.onPin(this.name, null);
    } else {
      return false;
    }
    return true;
  }

  #startCell(): Cell {
    return this.#pinned ? [this.#pinned[0] ?? 0, this.#pinned[1] ?? 0] : [this.#step ?? 0, 0];
  }

  #clamp({ rowLabels, columnLabels }: M, [i, j]: Cell): Cell {
    const within = (index: number, count: number) => Math.max(0, Math.min(index, count - 1));
    return [within(i, rowLabels.length), within(j, columnLabels.length)];
  }

  async #copy(): Promise<void> {
    if (!this.matrix) return;
    const done = await copyText(valuesAsText(this.matrix));
    const say = (text: string) => this.#copyButton.lastChild?.replaceWith(text);
    say(done ? this.#labels.copied : this.#labels.copy_failed);
    setTimeout(() => say(this.#labels.copy), 2000);
  }

  #saved(): Saved | null {
    const { matrix } = this;
    const words = this.#words;
    const labels = this.#labels;
    const step = this.#step;
    if (!matrix) return null;
    const about = this.#events.about?.() ?? "";
    const hasLegend = this.element.querySelector(".legend") !== null;
    const ofSteps =
      step === null ? [] : [legendEntry("this-step", labels.this_step), legendEntry("later", labels.later)];
    const legend = legendOf(matrix, words.scaleName ?? "", labels);
    legend.append(...ofSteps);
    return {
      name: words.fileName(matrix),
      title: [words.title, this.#place.textContent, about].filter(Boolean).join(", "),
      heading: about,
      legend: hasLegend ? [] : [legend],
      complete: () => this.#complete(matrix),
      rows: () => valuesAsRows(matrix, words.axisNames),
    };
  }

  // Adds, for a picture of this matrix alone, the labels that another matrix shows on the page -> how to undo that.
  #complete(matrix: M): () => void {
    const words = this.#words;
    const look = this.#look;
    const frame = this.#frame;
    if (!this.#geometry.hidden?.length) return () => {};
    const room = { width: this.#geometry.room, gap: 0, font: look.font, ratio: look.ratio };
    const [geometry] = layOutMatrices([matrix], { ...room, width: Math.max(ALONE, room.width) }, STAGE).geometries;
    const { width, height } = canvasSize(geometry, matrix, words.axisNames, look.font);
    return frame.paintAs(width, height, (context, ratio) => {
      paintMatrix(context, matrix, geometry, { ...look, ratio }, words.axisNames);
      this.#paintMarks(context, matrix, geometry);
    });
  }
}

// The cell that is marked, if both its row and its column are.
function wholeCell(marked: Crosshair | null): Cell | null {
  const [i, j] = marked ?? [null, null];
  return i === null || j === null ? null : [i, j];
}
