// One matrix with its title, canvas, readout, table and tools.

import { element, fillNodes, fillText, setFace } from "./dom.js";
import { copyText, fillTable, pngOf, saveBlob, valuesAsText } from "./export.js";
import { canvasSize, cellAt } from "./geometry.js";
import { paintCursor, paintMatrix } from "./heatmap.js";

const MOVES = {
  ArrowUp: ([i, j]) => [i - 1, j],
  ArrowDown: ([i, j]) => [i + 1, j],
  ArrowLeft: ([i, j]) => [i, j - 1],
  ArrowRight: ([i, j]) => [i, j + 1],
  Home: ([i]) => [i, 0],
  End: ([i]) => [i, Infinity],
};

export class MatrixFigure {
  // `events`: onPin(name, cell | null), onFocus(name)
  constructor(name, events) {
    this.name = name;
    this.events = events;
    this.cursor = null; // the cell pointed at; the pinned one is part of the panel's view
    this.base = new OffscreenCanvas(1, 1); // everything but the crosshair, so that moving it is one copy
    this.build();
  }

  build() {
    const id = (part) => ({ "data-testid": `tv-${part}-${this.name}` });
    this.title = element("h3", { className: "title" });
    this.place = element("span", { className: "place" });
    this.canvas = element("canvas", { ...id("matrix"), role: "img", tabIndex: 0 });
    this.scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", "aria-live": "polite", ...id("readout") });
    this.summary = element("p", { className: "visually-hidden", id: `tv-summary-${this.name}`, ...id("summary") });
    this.tableButton = element("button", { type: "button", ...id("table-toggle") });
    this.copyButton = element("button", { type: "button", ...id("copy") });
    this.pngButton = element("button", { type: "button", ...id("png") });
    this.table = element("table", { ...id("table") });
    this.tableBox = element("div", { className: "table-box", hidden: true, tabIndex: 0 }, this.table);
    this.element = element(
      "figure", { className: `matrix ${this.name}` },
      element("figcaption", {}, this.title, this.place),
      this.scroller, this.readout, this.summary,
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

  setLabels(labels) {
    this.labels = labels;
    this.title.textContent = labels[this.name];
    this.axisNames = [labels[`query_${this.name}`], labels[`key_${this.name}`], labels.predicted_axis];
    this.tableBox.setAttribute("aria-label", labels.table);
    setFace(this.tableButton, "table", labels.table, true);
    setFace(this.copyButton, "copy", labels.copy, true);
    setFace(this.pngButton, "png", labels.png, true);
  }

  // `look`: see heatmap.js. What is painted after this is painted anew.
  setLook(geometry, look) {
    Object.assign(this, { geometry, look, matrix: null });
  }

  // `step`: the row of this step, or null where rows are not steps. `pinned`: the cell [i, j] or null.
  update(matrix, step, pinned) {
    const isSameMatrix = this.matrix?.weights.byteOffset === matrix.weights.byteOffset;
    const isSame = isSameMatrix && this.step === step;
    Object.assign(this, { matrix, step, pinned });
    this.cursor = this.cursor && this.clamp(this.cursor);
    if (!isSameMatrix) this.showMatrix();
    if (!isSame) this.paint();
    this.paintCursor();
  }

  showMatrix() {
    const { matrix, labels, geometry, look } = this;
    this.place.textContent = fillText(labels.place, { layer: matrix.layer + 1, head: matrix.head + 1 });
    this.canvas.setAttribute("aria-label", fillText(labels.matrix, {
      title: labels[this.name], place: this.place.textContent, hint: labels.hint,
      rows: matrix.queries.length, columns: matrix.keys.length,
    }));
    const { width, height } = canvasSize(geometry, matrix, this.axisNames, look.font);
    for (const canvas of [this.base, this.canvas]) {
      canvas.width = Math.round(width * look.ratio);
      canvas.height = Math.round(height * look.ratio);
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    // A finger that moves sideways moves the cell, unless it is needed to scroll the matrix.
    this.canvas.style.touchAction = width > this.scroller.clientWidth ? "pan-x pan-y" : "pan-y";
    Object.assign(this.canvas.dataset, { left: geometry.left, top: geometry.top, cell: geometry.cell });
    this.showTable();
  }

  showTable() {
    if (!this.tableBox.hidden) fillTable(this.table, this.matrix, this.axisNames, this.labels);
    this.tableButton.setAttribute("aria-expanded", String(!this.tableBox.hidden));
  }

  paint() {
    const context = cleared(this.base, this.look.ratio);
    paintMatrix(context, this.matrix, this.geometry, this.look, this.axisNames, this.step);
  }

  paintCursor() {
    const { ratio } = this.look;
    const context = cleared(this.canvas, ratio);
    context.drawImage(this.base, 0, 0, this.base.width / ratio, this.base.height / ratio);
    if (this.pinned) paintCursor(context, this.matrix, this.geometry, this.look, this.pinned, this.look.accent);
    if (this.cursor) paintCursor(context, this.matrix, this.geometry, this.look, this.cursor, this.look.text);
    this.describe();
  }

  describe() {
    const cell = this.cursor ?? this.pinned;
    const row = cell?.[0] ?? this.step;
    this.readout.replaceChildren(...(cell ? this.cellNodes(cell) : row === null ? [this.labels.hint] : this.rowNodes(row)));
    this.readout.classList.toggle("quiet", !cell);
    this.summary.replaceChildren(...this.rowNodes(row ?? 0));
  }

  cellNodes([i, j]) {
    const { keys, weights, mask } = this.matrix;
    const n = i * keys.length + j;
    const template = mask[n] ? this.labels.cell : this.labels.cell_masked;
    const nodes = fillNodes(template, { row: this.rowName(i), j: j + 1, key: keys[j], weight: weights[n].toFixed(4) });
    const isPinned = this.pinned && this.pinned[0] === i && this.pinned[1] === j;
    return isPinned ? [...nodes, " ", element("span", { className: "mark", textContent: this.labels.pinned })] : nodes;
  }

  rowNodes(i) {
    const { keys } = this.matrix;
    const weightAt = (j) => this.matrix.weights[i * keys.length + j];
    const allowed = keys.map((_, j) => j).filter((j) => this.matrix.mask[i * keys.length + j]);
    const top = allowed.sort((a, b) => weightAt(b) - weightAt(a)).slice(0, 3);
    const named = top.flatMap((j, n) => [
      n ? this.labels.separator : "",
      ...fillNodes(this.labels.row_key, { j: j + 1, key: keys[j], weight: weightAt(j).toFixed(4) }),
    ]);
    return fillNodes(this.labels.attends_to, { row: this.rowName(i), keys: named });
  }

  rowName(i) {
    const { queries, predicted } = this.matrix;
    return fillNodes(this.labels[`row_${this.name}`], { i: i + 1, query: queries[i], predicted: predicted[i] ?? "" });
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
  }

  togglePin(cell) {
    if (!cell) return;
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
    return this.pinned ?? [this.step ?? 0, 0];
  }

  clamp([i, j]) {
    const within = (index, count) => Math.max(0, Math.min(index, count - 1));
    return [within(i, this.matrix.queries.length), within(j, this.matrix.keys.length)];
  }

  bringIntoView() {
    const { left, cell } = this.geometry;
    const x = left + this.cursor[1] * cell;
    const { scrollLeft, clientWidth } = this.scroller;
    if (x < scrollLeft || x + cell > scrollLeft + clientWidth) this.scroller.scrollLeft = x - clientWidth / 2;
  }

  async copy() {
    const done = await copyText(valuesAsText(this.matrix));
    this.copyButton.lastChild.textContent = done ? this.labels.copied : this.labels.copy_failed;
    setTimeout(() => (this.copyButton.lastChild.textContent = this.labels.copy), 2000);
  }

  async savePng() {
    const { layer, head } = this.matrix;
    const title = `${this.title.textContent}, ${this.place.textContent}`;
    const blob = await pngOf(this.base, title, this.labels, this.look);
    saveBlob(blob, `${this.name}-layer${layer + 1}-head${head + 1}.png`);
  }
}

// The canvas, emptied, with its context in CSS pixels.
function cleared(canvas, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.scale(ratio, ratio);
  return context;
}
