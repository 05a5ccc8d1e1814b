// @ts-nocheck
// What a canvas of heads_view.py or plot_view.py has around it: a readout, a summary for screen readers, and its numbers as a table.

import { cleared } from "../kit/canvas.ts";
import { element, setFace } from "../kit/dom.ts";

export class Plot {
  // `events`: onPoint(x, y), onLeave(), onClick(x, y), onFocus(), onKey(key) -> whether it was used, fill(table)
  constructor(name, events, prefix = "hv") {
    this.events = events;
    this.base = null; // an OffscreenCanvas with what does not follow the pointer
    const id = (part) => ({ "data-testid": `${prefix}-${part}-${name}` });
    this.canvas = element("canvas", { ...id("canvas"), role: "img", tabIndex: 0 });
    this.scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", "aria-live": "polite", ...id("readout") });
    this.summary = element("p", { className: "visually-hidden", id: `${prefix}-summary-${name}`, ...id("summary") });
    this.tableButton = element("button", { type: "button", ...id("table-toggle") });
    this.table = element("table", id("table"));
    this.tableBox = element("div", { className: "table-box", hidden: true, tabIndex: 0 }, this.table);
    this.element = element(
      "figure",
      { className: "matrix" },
      this.scroller,
      this.readout,
      this.summary,
      element("div", { className: "tools" }, this.tableButton),
      this.tableBox,
    );
    this.canvas.setAttribute("aria-describedby", this.summary.id);
    this.listen();
  }

  listen() {
    const { canvas, events } = this;
    canvas.onpointermove = canvas.onpointerdown = ({ offsetX, offsetY }) => events.onPoint(offsetX, offsetY);
    canvas.onpointerleave = () => events.onLeave();
    canvas.onclick = ({ offsetX, offsetY }) => events.onClick(offsetX, offsetY);
    canvas.onblur = () => events.onLeave();
    canvas.onfocus = () => canvas.matches(":focus-visible") && events.onFocus();
    canvas.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !events.onKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.tableButton.onclick = () => {
      this.tableBox.hidden = !this.tableBox.hidden;
      this.showTable();
    };
  }

  setLabels(labels) {
    setFace(this.tableButton, "table", labels.table, true);
    this.tableBox.setAttribute("aria-label", labels.table);
  }

  // Sizes the canvas, and keeps what stays on it: `paint(context)`, or nothing. `room`: the width that there is.
  paintBase(width, height, room, { ratio }, paint = null) {
    this.ratio = ratio;
    this.base = paint && new OffscreenCanvas(1, 1);
    for (const canvas of paint ? [this.base, this.canvas] : [this.canvas]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.canvas.style.touchAction = width > room ? "pan-x pan-y" : "pan-y";
    this.scroller.classList.toggle("wide", width > room);
    if (paint) paint(cleared(this.base, ratio));
  }

  // What follows the pointer, over the base.
  paintOver(paint) {
    const context = cleared(this.canvas, this.ratio);
    if (this.base) context.drawImage(this.base, 0, 0, this.base.width / this.ratio, this.base.height / this.ratio);
    paint(context);
  }

  // `spoken`: the canvas in one sentence; `readout`: nodes.
  say({ spoken, readout, isQuiet }) {
    this.canvas.setAttribute("aria-label", spoken);
    this.readout.replaceChildren(...readout);
    this.readout.classList.toggle("quiet", isQuiet);
    this.showTable();
  }

  // For screen readers.
  summarise(nodes) {
    this.summary.replaceChildren(...nodes);
  }

  showTable() {
    this.tableButton.setAttribute("aria-expanded", String(!this.tableBox.hidden));
    if (!this.tableBox.hidden) this.events.fill(this.table);
  }

  bringIntoView(left, right) {
    const { scrollLeft, clientWidth } = this.scroller;
    if (left < scrollLeft || right > scrollLeft + clientWidth)
      this.scroller.scrollLeft = (left + right - clientWidth) / 2;
  }
}

// A table of texts: `columns` above, and each row a heading and its cells. A heading may be nodes.
export function fillPlainTable(table, caption, columns, rows) {
  const cell = (tag, scope) => (content) =>
    element(tag, scope ? { scope } : {}, ...(Array.isArray(content) ? content : [content]));
  table.replaceChildren(
    element("caption", {}, ...caption),
    element("thead", {}, element("tr", {}, element("td"), ...columns.map(cell("th", "col")))),
    element(
      "tbody",
      {},
      ...rows.map(([heading, ...cells]) => element("tr", {}, cell("th", "row")(heading), ...cells.map(cell("td")))),
    ),
  );
}

// A token with its place, as a heading.
export function tokenNodes(token, index) {
  return [element("small", { textContent: index + 1 }), " ", element("bdi", { textContent: token })];
}
