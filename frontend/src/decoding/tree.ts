// @ts-nocheck
// The tree of a search: one column a step, the best candidate at the top. It grows with the clock.

import { element, fillText, setFace } from "../kit/dom.ts";
import { nodeNodes, plainText, shortNumber } from "./words.ts";

const SIZES = [
  // of a node and of the gaps beside and below it, by zoom
  { width: 12, height: 8, across: 8, below: 3 },
  { width: 86, height: 24, across: 24, below: 5 },
  { width: 122, height: 40, across: 34, below: 7 },
];
const TOP = 26; // the row of step numbers
const SVG = "http://www.w3.org/2000/svg";

export class Tree {
  // `events`: onSelect(node), onStep(step), onZoom(zoom)
  constructor(events) {
    this.events = events;
    this.title = element("h3", { className: "title" });
    this.zoomOut = element("button", {
      type: "button",
      "data-testid": "dc-zoom-out",
      onclick: () => this.events.onZoom(this.zoom - 1),
    });
    this.zoomIn = element("button", {
      type: "button",
      "data-testid": "dc-zoom-in",
      onclick: () => this.events.onZoom(this.zoom + 1),
    });
    this.hint = element("p", { className: "place", "data-testid": "dc-scroll-hint" });
    this.legend = element("div", { className: "legend" });
    this.edges = document.createElementNS(SVG, "svg");
    this.edges.setAttribute("aria-hidden", "true");
    this.field = element("div", { className: "field" });
    this.scroller = element("div", { className: "tree-scroller", "data-testid": "dc-tree", role: "group" }, this.field);
    this.readout = element("p", { className: "readout", "aria-live": "polite", "data-testid": "dc-node" });
    this.element = element(
      "section",
      { className: "tree" },
      element(
        "div",
        { className: "tree-head" },
        this.title,
        element("span", { className: "segments" }, this.zoomOut, this.zoomIn),
        this.hint,
      ),
      this.legend,
      this.scroller,
      this.readout,
    );
    this.field.onkeydown = (event) => this.onKey(event);
  }

  setLabels(labels, method) {
    this.labels = labels;
    this.title.textContent = labels[`tree_${method}`];
    this.hint.textContent = labels.tree_hint;
    this.scroller.setAttribute("aria-label", labels[`tree_${method}`]);
    setFace(this.zoomOut, "minus", labels.zoom_out, false);
    setFace(this.zoomIn, "plus", labels.zoom_in, false);
    const entry = (kind, text) =>
      element("span", { className: "entry" }, element("span", { className: `node-swatch ${kind}` }), text);
    this.legend.replaceChildren(
      entry("live", labels.live),
      entry("finished", labels.finished),
      entry("pruned", method === "sample" ? labels.not_drawn : labels.pruned),
      entry("best", labels.result),
      entry("on-path", labels.shown),
      entry("greedy", labels.greedy),
    );
    this.search = null; // its texts are built anew
  }

  zoomFor(search, width) {
    const tallest = Math.max(...search.levels.map((level) => level.length));
    return tallest > 10 || search.levels.length > 30 || width < 600 ? 1 : 2;
  }

  // `view`: {step, node: [level, rank], zoom or null}
  update(search, view) {
    const zoom = view.zoom ?? this.zoomFor(search, this.scroller.clientWidth);
    if (search !== this.search || zoom !== this.zoom) this.build(search, zoom);
    this.zoomOut.disabled = zoom === 0;
    this.zoomIn.disabled = zoom === SIZES.length - 1;
    const selected = search.at(view.node);
    const path = search.pathTo(selected);
    this.show(view.step, path);
    this.selected = selected;
    if (!this.walker || this.walker.level > view.step) this.walker = path[Math.min(view.step, path.length - 1)];
    this.rove(this.walker);
    this.hint.hidden = this.scroller.scrollWidth <= this.scroller.clientWidth;
    if (this.step !== view.step) this.bringIntoView(view.step);
    this.step = view.step;
    this.describe(null);
  }

  build(search, zoom) {
    Object.assign(this, { search, zoom, size: SIZES[zoom], walker: null, step: null, shown: null });
    const { width, height, across, below } = this.size;
    const rows = Math.max(...search.levels.map((level) => level.length));
    const total = (search.levels.length + 1) * (width + across);
    const tall = TOP + rows * (height + below);
    this.field.style.width = `${total}px`;
    this.field.style.height = `${tall}px`;
    this.field.className = `field zoom-${zoom}`;
    this.edges.setAttribute("width", total);
    this.edges.setAttribute("height", tall);
    this.columns = search.levels.map((level) => this.newColumn(level));
    this.pathEdges = newPath("on-path");
    this.greedyEdges = newPath("greedy");
    this.edges.replaceChildren(
      ...this.columns.flatMap(({ kept, pruned }) => [pruned, kept]),
      this.greedyEdges,
      this.pathEdges,
    );
    const start = element("span", { className: "node start", textContent: zoom ? this.labels.start : "" });
    this.place(start, -1, 0);
    this.field.replaceChildren(this.edges, start, ...this.columns.map(({ box }) => box));
    this.greedyPath = search.greedy.map((rank, level) => search.levels[level][rank]);
  }

  newColumn(level) {
    const step = level[0].level;
    const head = element("button", {
      type: "button",
      className: "column-head",
      textContent: this.zoom || (step + 1) % 5 === 0 ? step + 1 : "",
      title: fillText(this.labels.column, { step: step + 1 }),
      tabIndex: -1,
      onclick: () => this.events.onStep(step),
    });
    head.style.left = `${this.x(step)}px`;
    head.style.width = `${this.size.width}px`;
    const buttons = level.map((node) => this.newNode(node));
    const box = element("div", { className: "level" }, head, ...buttons);
    const edges = (isKept) =>
      newPath(
        isKept ? "kept" : "pruned",
        level
          .filter(({ status }) => (status !== "pruned") === isKept)
          .map((node) => this.edge(node))
          .join(""),
      );
    return { box, head, buttons, kept: edges(true), pruned: edges(false) };
  }

  newNode(node) {
    const { zoom, search } = this;
    const button = element("button", {
      type: "button",
      tabIndex: -1,
      "data-testid": `dc-node-${node.level + 1}-${node.rank + 1}`,
      className: `node ${node.status}${node.isGreedy ? " greedy" : ""}${search.isBest(node) ? " best" : ""}`,
    });
    if (zoom) button.append(element("bdi", { className: "node-token", textContent: node.token }));
    if (zoom === 2) button.append(element("small", { textContent: this.numberOf(node) }));
    button.setAttribute("aria-label", plainText(nodeNodes(search, node, this.labels)));
    button.onclick = () => this.events.onSelect(node);
    button.onpointerenter = () => this.describe(node);
    button.onpointerleave = () => this.describe(null);
    button.onfocus = () => {
      this.walker = node;
      this.describe(node);
    };
    button.onblur = () => this.describe(null);
    this.place(button, node.level, node.rank);
    return button;
  }

  numberOf(node) {
    if (node.probability !== null) return `p ${node.probability.toFixed(2)}`;
    if (node.status === "pruned") return `${shortNumber(node.sum)} (−${node.margin.toFixed(2)})`;
    return node.status === "finished" ? `${shortNumber(node.sum)} → ${shortNumber(node.score)}` : shortNumber(node.sum);
  }

  x(level) {
    return (level + 1) * (this.size.width + this.size.across);
  }

  y(rank) {
    return TOP + rank * (this.size.height + this.size.below);
  }

  place(box, level, rank) {
    Object.assign(box.style, {
      left: `${this.x(level)}px`,
      top: `${this.y(rank)}px`,
      width: `${this.size.width}px`,
      height: `${this.size.height}px`,
    });
  }

  edge(node) {
    const { width, height } = this.size;
    const [x1, y1] = [this.x(node.level - 1) + width, this.y(Math.max(0, node.parent)) + height / 2];
    const [x2, y2] = [this.x(node.level), this.y(node.rank) + height / 2];
    const middle = (x1 + x2) / 2;
    return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  }

  show(step, path) {
    const key = JSON.stringify([step, path.at(-1).level, path.at(-1).rank]);
    if (key === this.shown) return;
    this.shown = key;
    this.columns.forEach(({ box, head, buttons, kept, pruned }, level) => {
      box.hidden = level > step;
      head.classList.toggle("now", level === step);
      for (const line of [kept, pruned]) line.style.display = level > step ? "none" : "";
      buttons.forEach((button, rank) => {
        const isOnPath = path[level]?.rank === rank;
        button.classList.toggle("on-path", isOnPath);
        button.setAttribute("aria-pressed", String(isOnPath && level === path.length - 1));
      });
    });
    const line = (nodes) =>
      nodes
        .filter(({ level }) => level <= step)
        .map((node) => this.edge(node))
        .join("");
    this.pathEdges.setAttribute("d", line(path));
    this.greedyEdges.setAttribute("d", line(this.greedyPath));
  }

  rove(node) {
    if (this.roved) this.roved.tabIndex = -1;
    this.roved = this.columns[node.level].buttons[node.rank];
    this.roved.tabIndex = 0;
  }

  describe(node) {
    const shown = node ?? this.selected;
    this.readout.replaceChildren(...nodeNodes(this.search, shown, this.labels));
    this.readout.classList.toggle("quiet", !node);
  }

  bringIntoView(step) {
    const { scroller } = this;
    scroller.scrollLeft = this.x(step) + this.size.width + this.size.across - scroller.clientWidth;
  }

  onKey(event) {
    const { search, step } = this;
    const at = this.walker;
    const target = {
      ArrowUp: () => search.levels[at.level][at.rank - 1],
      ArrowDown: () => search.levels[at.level][at.rank + 1],
      ArrowLeft: () => search.parentOf(at),
      ArrowRight: () => (at.level < step ? search.childrenOf(at)[0] : null),
    }[event.key];
    if (event.key === " ") event.stopPropagation(); // a button takes it
    if (!target) return;
    event.preventDefault();
    event.stopPropagation();
    const node = target();
    if (!node) return;
    this.rove(node);
    this.roved.focus();
  }
}

function newPath(className, d = "") {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("class", className);
  path.setAttribute("d", d);
  return path;
}
