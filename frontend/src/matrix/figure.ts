// One matrix with its title, canvas, readout, table and tools.

import { cleared } from "../kit/canvas.ts";
import { afterFrame, type Child, element, type Labels, setFace } from "../kit/dom.ts";
import { copyText, saveBlob } from "../kit/export.ts";
import { fillTable, pngOf, valuesAsText } from "./export.ts";
import { type Ink, paintCursor, paintMatrix, paintStep } from "./heatmap.ts";
import { canvasSize, cellAt } from "./layout.ts";
import type { Cell, Crosshair, Geometry, Matrix, Words } from "./matrix.ts";

const MOVES: Readonly<Record<string, (cell: Cell) => Cell>> = {
  ArrowUp: ([i, j]) => [i - 1, j],
  ArrowDown: ([i, j]) => [i + 1, j],
  ArrowLeft: ([i, j]) => [i, j - 1],
  ArrowRight: ([i, j]) => [i, j + 1],
  Home: ([i]) => [i, 0],
  End: ([i]) => [i, Infinity],
};

let made = 0; // figures of one name may stand in several stages of a page

export interface FigureEvents {
  onPin(name: string, cell: Cell | null): void;
  onFocus(name: string): void;
  onCursor?(name: string, cell: Cell | null): void;
}

// Of matrices of one kind, all with the same words: `setWords`, `setLook` and `update` make it whole.
export class MatrixFigure<M extends Matrix = Matrix> {
  readonly name: string;
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly readout: HTMLElement;
  matrix: M | null = null; // as painted
  private readonly events: FigureEvents;
  private readonly title: HTMLElement;
  private readonly place: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly summary: HTMLElement;
  private readonly tableButton: HTMLButtonElement;
  private readonly copyButton: HTMLButtonElement;
  private readonly pngButton: HTMLButtonElement;
  private readonly table: HTMLTableElement;
  private readonly tableBox: HTMLElement;
  private words!: Words<M>;
  private labels!: Labels;
  private geometry!: Geometry;
  private look!: Ink;
  private step: number | null = null;
  private pinned: Crosshair | null = null; // part of the panel's view
  private cursor: Cell | null = null; // the cell pointed at
  private linked: Crosshair = [null, null]; // the row and the column that another matrix points at
  private base: ImageBitmap | null = null; // the matrix alone, painted
  private isLeft = false;
  private isTold = false; // that the readout has to be written
  private told: { matrix: M; words: Words<M>; row: number } | null = null; // in the summary

  // `prefix`: of its test ids.
  constructor(name: string, prefix: string, events: FigureEvents) {
    this.name = name;
    this.events = events;
    const id = (part: string) => ({ "data-testid": `${prefix}-${part}-${this.name}` });
    this.title = element("h3", { className: "title" });
    this.place = element("span", { className: "place" });
    this.canvas = element("canvas", { ...id("matrix"), role: "img", tabIndex: 0 });
    this.scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", "aria-live": "polite", ...id("readout") });
    this.summary = element("p", {
      className: "visually-hidden",
      id: `${prefix}-summary-${this.name}-${++made}`,
      ...id("summary"),
    });
    this.tableButton = element("button", { type: "button", ...id("table-toggle") });
    this.copyButton = element("button", { type: "button", ...id("copy") });
    this.pngButton = element("button", { type: "button", ...id("png") });
    this.table = element("table", { ...id("table") });
    this.tableBox = element("div", { className: "table-box", hidden: true, tabIndex: 0 }, this.table);
    this.element = element(
      "figure",
      { className: `matrix ${this.name}` },
      element("figcaption", {}, this.title, this.place),
      this.scroller,
      this.readout,
      this.summary,
      element("div", { className: "tools" }, this.tableButton, this.copyButton, this.pngButton),
      this.tableBox,
    );
    this.canvas.setAttribute("aria-describedby", this.summary.id);

    this.canvas.onpointermove = this.canvas.onpointerdown = (event) => this.pointAt(event);
    this.canvas.onpointerleave = () => this.moveTo(null);
    this.canvas.onclick = (event) => this.togglePin(this.cellUnder(event));
    this.canvas.onkeydown = (event) => this.onKey(event);
    this.canvas.onfocus = () => {
      this.events.onFocus(this.name);
      if (this.canvas.matches(":focus-visible")) this.moveTo(this.cursor ?? this.startCell());
    };
    this.canvas.onblur = () => this.moveTo(null);
    this.tableButton.onclick = () => {
      this.tableBox.hidden = !this.tableBox.hidden;
      this.showTable();
    };
    this.copyButton.onclick = () => this.copy();
    this.pngButton.onclick = () => this.savePng();
  }

  setWords(words: Words<M>, labels: Labels): void {
    const isSameTongue = this.labels === labels;
    this.words = words;
    this.labels = labels;
    this.title.textContent = words.title;
    if (isSameTongue) return;
    this.tableBox.setAttribute("aria-label", labels.table);
    setFace(this.tableButton, "table", labels.table, true);
    setFace(this.copyButton, "copy", labels.copy, true);
    setFace(this.pngButton, "png", labels.png, true);
  }

  // What is painted after this is painted anew.
  setLook(geometry: Geometry, look: Ink): void {
    this.geometry = geometry;
    this.look = look;
    this.matrix = null;
  }

  // `step`: the row of this step, or null where rows are not steps.
  // -> whether anything had to be painted.
  update(matrix: M, step: number | null, pinned: Crosshair | null): boolean {
    const isSameMatrix = this.matrix?.values === matrix.values;
    const isSameView = !this.isLeft && this.step === step && String(this.pinned) === String(pinned);
    this.matrix = matrix;
    this.step = step;
    this.pinned = pinned;
    this.isLeft = false;
    if (isSameMatrix && isSameView) return false;
    this.cursor = this.cursor && this.clamp(matrix, this.cursor);
    if (!isSameMatrix) {
      this.showMatrix(matrix);
      this.paint(matrix);
    }
    this.paintCursor();
    return true;
  }

  private showMatrix(matrix: M): void {
    const { words, geometry, look } = this;
    this.place.textContent = words.place(matrix);
    this.canvas.setAttribute("aria-label", words.spoken(matrix));
    const { width, height } = canvasSize(geometry, matrix, words.axisNames, look.font);
    const [pixelsWide, pixelsHigh] = [Math.round(width * look.ratio), Math.round(height * look.ratio)];
    const { canvas } = this;
    if (canvas.width !== pixelsWide) canvas.width = pixelsWide; // even the same size would make it anew
    if (canvas.height !== pixelsHigh) canvas.height = pixelsHigh;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    // A finger that moves sideways moves the cell, unless it is needed to scroll the matrix.
    const isWide = width > geometry.room;
    this.canvas.style.touchAction = isWide ? "pan-x pan-y" : "pan-y";
    this.scroller.classList.toggle("wide", isWide);
    const { left, top, cellWidth, cellHeight } = geometry;
    Object.assign(canvas.dataset, { left, top, cell: cellWidth, height: cellHeight });
    this.showTable();
  }

  private showTable(): void {
    if (!this.tableBox.hidden && this.matrix) fillTable(this.table, this.matrix, this.words.axisNames, this.labels);
    this.tableButton.setAttribute("aria-expanded", String(!this.tableBox.hidden));
  }

  // The matrix alone, so that what moves over it is painted over a copy.
  private paint(matrix: M): void {
    const canvas = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    paintMatrix(cleared(canvas, this.look.ratio), matrix, this.geometry, this.look, this.words.axisNames);
    this.base?.close();
    this.base = canvas.transferToImageBitmap();
  }

  private paintCursor(): void {
    const { base, matrix, geometry, look, step, linked, pinned, cursor } = this;
    if (!base || !matrix) return; // not painted yet, or not in the look it has now
    const context = cleared(this.canvas, look.ratio);
    context.drawImage(base, 0, 0, base.width / look.ratio, base.height / look.ratio);
    if (step !== null) paintStep(context, matrix, geometry, look, step);
    if (!cursor && linked.some((index) => index !== null)) {
      paintCursor(context, matrix, geometry, look, linked, look.text);
    }
    if (pinned) paintCursor(context, matrix, geometry, look, pinned, look.accent);
    if (cursor) paintCursor(context, matrix, geometry, look, cursor, look.text);
    this.describeSoon();
  }

  // When all figures that an event concerns are painted: to set the font of a canvas on the page brings the page's style
  // up to date first, and a changed text makes that slow.
  private describeSoon(): void {
    if (this.isTold) return;
    this.isTold = true;
    queueMicrotask(() => this.describe());
  }

  private describe(): void {
    const { matrix, words } = this;
    this.isTold = false;
    if (!matrix) return;
    const cell = this.cursor ?? wholeCell(this.linked) ?? wholeCell(this.pinned);
    const nodes = cell
      ? this.cellNodes(matrix, cell)
      : this.step === null
        ? [words.hint]
        : words.row(matrix, this.step);
    this.readout.replaceChildren(...nodes);
    this.readout.classList.toggle("quiet", !cell);
    afterFrame(() => this.summarise());
  }

  // For screen readers: the row of the cell that a person, rather than another matrix, is on.
  private summarise(): void {
    const { matrix, words } = this;
    const row = (this.cursor ?? this.pinned)?.[0] ?? this.step ?? 0;
    if (!matrix || (this.told?.matrix === matrix && this.told.words === words && this.told.row === row)) return;
    this.told = { matrix, words, row };
    this.summary.replaceChildren(...words.row(matrix, row));
  }

  private cellNodes(matrix: M, cell: Cell): Child[] {
    const nodes = this.words.cell(matrix, cell);
    const isPinned = String(cell) === String(this.pinned);
    return isPinned ? [...nodes, " ", element("span", { className: "mark", textContent: this.labels.pinned })] : nodes;
  }

  private cellUnder(event: MouseEvent): Cell | null {
    return this.matrix && cellAt(this.geometry, this.matrix, event.offsetX, event.offsetY);
  }

  private pointAt(event: MouseEvent): void {
    this.moveTo(this.cellUnder(event));
  }

  private moveTo(cell: Cell | null): void {
    if (String(cell) === String(this.cursor)) return;
    this.cursor = cell;
    this.paintCursor();
    this.events.onCursor?.(this.name, cell);
  }

  // Marks a row and a column, each an index or null, because another matrix points at them.
  link(linked: Crosshair): void {
    if (String(linked) === String(this.linked)) return;
    this.linked = linked;
    this.paintCursor();
  }

  // The pointer is elsewhere now, on another stage. What it marked goes when the figure is next painted.
  leave(): void {
    if (!this.cursor && this.linked.every((index) => index === null)) return;
    this.cursor = null;
    this.linked = [null, null];
    this.isLeft = true;
  }

  private togglePin(cell: Cell | null): void {
    if (!cell || this.words.isPinnable === false) return;
    this.events.onPin(this.name, String(cell) === String(this.pinned) ? null : cell);
  }

  private onKey(event: KeyboardEvent): void {
    const cell = this.cursor ?? this.startCell();
    const move = MOVES[event.key];
    if (move && this.matrix) {
      const moved = this.clamp(this.matrix, move(cell));
      this.moveTo(moved);
      this.bringIntoView(moved);
    } else if (event.key === "Enter") {
      this.togglePin(cell);
    } else if (event.key === "Escape" && this.pinned) {
      this.events.onPin(this.name, null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private startCell(): Cell {
    return this.pinned ? [this.pinned[0] ?? 0, this.pinned[1] ?? 0] : [this.step ?? 0, 0];
  }

  private clamp({ rowLabels, columnLabels }: M, [i, j]: Cell): Cell {
    const within = (index: number, count: number) => Math.max(0, Math.min(index, count - 1));
    return [within(i, rowLabels.length), within(j, columnLabels.length)];
  }

  private bringIntoView(cell: Cell): void {
    const { left, cellWidth } = this.geometry;
    const x = left + cell[1] * cellWidth;
    const { scrollLeft, clientWidth } = this.scroller;
    if (x < scrollLeft || x + cellWidth > scrollLeft + clientWidth) this.scroller.scrollLeft = x - clientWidth / 2;
  }

  private async copy(): Promise<void> {
    if (!this.matrix) return;
    const done = await copyText(valuesAsText(this.matrix));
    const say = (text: string) => this.copyButton.lastChild?.replaceWith(text);
    say(done ? this.labels.copied : this.labels.copy_failed);
    setTimeout(() => say(this.labels.copy), 2000);
  }

  private async savePng(): Promise<void> {
    const { matrix } = this;
    if (!matrix) return;
    const place = this.place.textContent;
    const title = place ? `${this.words.title}, ${place}` : this.words.title;
    const blob = await pngOf(this.canvas, title, matrix.scale, this.words.scaleName ?? "", this.labels, this.look);
    saveBlob(blob, this.words.fileName(matrix));
  }
}

// The cell that is marked, if both its row and its column are.
function wholeCell(marked: Crosshair | null): Cell | null {
  const [i, j] = marked ?? [null, null];
  return i === null || j === null ? null : [i, j];
}
