// @ts-nocheck
// One matrix with its title, canvas, readout, table and tools.

import { cleared } from "../kit/canvas.ts";
import { afterFrame, element, setFace } from "../kit/dom.ts";
import { copyText, saveBlob } from "../kit/export.ts";
import { fillTable, pngOf, valuesAsText } from "./export.ts";
import { canvasSize, cellAt } from "./geometry.ts";
import { paintCursor, paintMatrix, paintStep } from "./heatmap.ts";

const MOVES = {
  ArrowUp: ([i, j]) => [i - 1, j],
  ArrowDown: ([i, j]) => [i + 1, j],
  ArrowLeft: ([i, j]) => [i, j - 1],
  ArrowRight: ([i, j]) => [i, j + 1],
  Home: ([i]) => [i, 0],
  End: ([i]) => [i, Infinity],
};

let made = 0; // figures of one name may stand in several stages of a page

export class MatrixFigure {
  // `prefix`: of its test ids. `events`: onPin(name, cell | null), onFocus(name), onCursor(name, cell | null)
  constructor(name, prefix, events) {
    Object.assign(this, { name, prefix, events });
    this.linked = [null, null]; // the row and the column that another matrix points at
    this.cursor = null; // the cell pointed at; the pinned one is part of the panel's view
    this.build();
  }

  build() {
    const id = (part) => ({ "data-testid": `${this.prefix}-${part}-${this.name}` });
    this.title = element("h3", { className: "title" });
    this.place = element("span", { className: "place" });
    this.canvas = element("canvas", { ...id("matrix"), role: "img", tabIndex: 0 });
    this.scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", "aria-live": "polite", ...id("readout") });
    this.summary = element("p", {
      className: "visually-hidden",
      id: `${this.prefix}-summary-${this.name}-${++made}`,
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

  // `words` say what this matrix is: {title, axisNames, hint, isPinnable}, and as functions of a matrix
  // {place, spoken, fileName}, of a matrix and a cell {cell}, of a matrix and a row {row}; cell and row give nodes.
  setWords(words, labels) {
    const isSameTongue = this.labels === labels;
    Object.assign(this, { words, labels });
    this.title.textContent = words.title;
    if (isSameTongue) return;
    this.tableBox.setAttribute("aria-label", labels.table);
    setFace(this.tableButton, "table", labels.table, true);
    setFace(this.copyButton, "copy", labels.copy, true);
    setFace(this.pngButton, "png", labels.png, true);
  }

  // `look`: see heatmap.ts. What is painted after this is painted anew.
  setLook(geometry, look) {
    Object.assign(this, { geometry, look, matrix: null });
  }

  // `step`: the row of this step, or null where rows are not steps. `pinned`: the cell [i, j] or null.
  // -> whether anything had to be painted.
  update(matrix, step, pinned) {
    const isSameMatrix = this.matrix?.values === matrix.values;
    const isSameView = !this.isLeft && this.step === step && String(this.pinned) === String(pinned);
    Object.assign(this, { matrix, step, pinned, isLeft: false });
    if (isSameMatrix && isSameView) return false;
    this.cursor = this.cursor && this.clamp(this.cursor);
    if (!isSameMatrix) {
      this.showMatrix();
      this.paint();
    }
    this.paintCursor();
    return true;
  }

  showMatrix() {
    const { matrix, words, geometry, look } = this;
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
    Object.assign(this.canvas.dataset, { left, top, cell: cellWidth, height: cellHeight });
    this.showTable();
  }

  showTable() {
    if (!this.tableBox.hidden) fillTable(this.table, this.matrix, this.words.axisNames, this.labels);
    this.tableButton.setAttribute("aria-expanded", String(!this.tableBox.hidden));
  }

  // The matrix alone, so that what moves over it is painted over a copy.
  paint() {
    const canvas = new OffscreenCanvas(this.canvas.width, this.canvas.height);
    paintMatrix(cleared(canvas, this.look.ratio), this.matrix, this.geometry, this.look, this.words.axisNames);
    this.base?.close();
    this.base = canvas.transferToImageBitmap();
  }

  paintCursor() {
    const { ratio } = this.look;
    const context = cleared(this.canvas, ratio);
    context.drawImage(this.base, 0, 0, this.base.width / ratio, this.base.height / ratio);
    if (this.step !== null) paintStep(context, this.matrix, this.geometry, this.look, this.step);
    if (!this.cursor && this.linked.some((index) => index !== null)) {
      paintCursor(context, this.matrix, this.geometry, this.look, this.linked, this.look.text);
    }
    if (this.pinned) paintCursor(context, this.matrix, this.geometry, this.look, this.pinned, this.look.accent);
    if (this.cursor) paintCursor(context, this.matrix, this.geometry, this.look, this.cursor, this.look.text);
    this.describeSoon();
  }

  // When all figures that an event concerns are painted: to set the font of a canvas on the page brings the page's style
  // up to date first, and a changed text makes that slow.
  describeSoon() {
    if (this.isTold) return;
    this.isTold = true;
    queueMicrotask(() => this.describe());
  }

  describe() {
    this.isTold = false;
    const linked = this.linked.includes(null) ? null : this.linked;
    const pinned = this.pinned?.includes(null) ? null : this.pinned;
    const cell = this.cursor ?? linked ?? pinned;
    const row = cell?.[0] ?? this.step;
    const nodes = cell ? this.cellNodes(cell) : row === null ? [this.words.hint] : this.words.row(this.matrix, row);
    this.readout.replaceChildren(...nodes);
    this.readout.classList.toggle("quiet", !cell);
    afterFrame(() => this.summarise());
  }

  // For screen readers: the row of the cell that a person, rather than another matrix, is on.
  summarise() {
    const { matrix, words } = this;
    const row = (this.cursor ?? this.pinned)?.[0] ?? this.step ?? 0;
    if (!matrix || (this.told?.matrix === matrix && this.told.words === words && this.told.row === row)) return;
    this.told = { matrix, words, row };
    this.summary.replaceChildren(...words.row(matrix, row));
  }

  cellNodes(cell) {
    const nodes = this.words.cell(this.matrix, cell);
    const isPinned = String(cell) === String(this.pinned);
    return isPinned ? [...nodes, " ", element("span", { className: "mark", textContent: this.labels.pinned })] : nodes;
  }

  cellUnder(event) {
    return cellAt(this.geometry, this.matrix, event.offsetX, event.offsetY);
  }

  pointAt(event) {
    this.moveTo(this.cellUnder(event));
  }

  moveTo(cell) {
    if (String(cell) === String(this.cursor)) return;
    this.cursor = cell;
    this.paintCursor();
    this.events.onCursor?.(this.name, cell);
  }

  // Marks a row and a column, each an index or null, because another matrix points at them.
  link(linked) {
    if (String(linked) === String(this.linked)) return;
    this.linked = linked;
    this.paintCursor();
  }

  // The pointer is elsewhere now, on another stage. What it marked goes when the figure is next painted.
  leave() {
    if (!this.cursor && this.linked.every((index) => index === null)) return;
    Object.assign(this, { cursor: null, linked: [null, null], isLeft: true });
  }

  togglePin(cell) {
    if (!cell || this.words.isPinnable === false) return;
    this.events.onPin(this.name, String(cell) === String(this.pinned) ? null : cell);
  }

  onKey(event) {
    const cell = this.cursor ?? this.startCell();
    if (MOVES[event.key]) {
      this.moveTo(this.clamp(MOVES[event.key](cell)));
      this.bringIntoView();
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

  startCell() {
    return this.pinned?.map((index) => index ?? 0) ?? [this.step ?? 0, 0];
  }

  clamp([i, j]) {
    const within = (index, count) => Math.max(0, Math.min(index, count - 1));
    return [within(i, this.matrix.queries.length), within(j, this.matrix.keys.length)];
  }

  bringIntoView() {
    const { left, cellWidth } = this.geometry;
    const x = left + this.cursor[1] * cellWidth;
    const { scrollLeft, clientWidth } = this.scroller;
    if (x < scrollLeft || x + cellWidth > scrollLeft + clientWidth) this.scroller.scrollLeft = x - clientWidth / 2;
  }

  async copy() {
    const done = await copyText(valuesAsText(this.matrix));
    this.copyButton.lastChild.textContent = done ? this.labels.copied : this.labels.copy_failed;
    setTimeout(() => (this.copyButton.lastChild.textContent = this.labels.copy), 2000);
  }

  async savePng() {
    const place = this.place.textContent;
    const title = place ? `${this.words.title}, ${place}` : this.words.title;
    const blob = await pngOf(this.canvas, title, this.matrix.scale, this.words.scaleName ?? "", this.labels, this.look);
    saveBlob(blob, this.words.fileName(this.matrix));
  }
}
