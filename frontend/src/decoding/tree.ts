// The tree of a search: one column a step, the best candidate at the top. Shown are the columns up to the current step.

import { element, fillText, type Labels, setFace } from "../kit/dom.ts";
import { type Saved, SaveMenu } from "../kit/save.ts";
import { svg } from "../kit/svg.ts";
import { READING, speak } from "../kit/voice.ts";
import { isOnStage } from "../kit/window.ts";
import type { Candidate, Place, Search } from "./search.ts";
import { edgePath, fieldSize, SIZES, widthOf, xOf, yOf, zoomFor } from "./tree_layout.ts";
import { nodeNodes, plainText, probabilityText, shortNumber } from "./words.ts";

const WIDE_STAGE = 760; // px, on which the steps of a scene fit
const MARGIN = 8; // around the field, in pixels, as in the style sheet

export interface TreeEvents {
  onSelect(node: Place): void;
  onStep(step: number): void;
  onZoom(zoom: number): void;
}

interface Column {
  readonly box: HTMLElement;
  readonly head: HTMLElement;
  readonly buttons: readonly HTMLButtonElement[];
  readonly kept: SVGPathElement; // edges
  readonly pruned: SVGPathElement;
}

// The elements that were built for a search at one zoom.
interface Built {
  readonly search: Search;
  readonly zoom: number;
  readonly columns: readonly Column[];
  readonly path: SVGPathElement; // to the node that is shown
  readonly greedy: SVGPathElement;
}

export class Tree {
  readonly element: HTMLElement;
  readonly #events: TreeEvents;
  readonly #title = element("h2", { className: "visually-hidden" });
  readonly #zoomOut: HTMLButtonElement;
  readonly #zoomIn: HTMLButtonElement;
  readonly #hint = element("p", { className: "place", testId: "dc-scroll-hint" });
  readonly #legend = element("div", { className: "legend" });
  readonly #edges = svg("svg", { "aria-hidden": "true" });
  readonly #field = element("div", { className: "field" });
  readonly #scroller: HTMLElement;
  readonly readout = element("p", { className: "readout", testId: "dc-node" });
  readonly #saveMenu: SaveMenu;
  #labels: Labels = {};
  #method = "";
  source = ""; // text of the search, for the title of a picture
  #built: Built | null = null;
  #step: number | null = null; // of the clock, as shown
  #width = 0; // of the scroller when that step was brought into view
  #selected: Candidate | null = null;
  #reached: Candidate | null = null; // the node of the selected hypothesis at the current step
  #walker: Candidate | null = null; // the node that the arrow keys start from
  #roved: HTMLButtonElement | null = null; // the walker's button: for the Tab key the tree is a single stop

  constructor(events: TreeEvents) {
    this.#events = events;
    const zoom = (name: string, by: number) =>
      element("button", {
        type: "button",
        testId: `dc-zoom-${name}`,
        onclick: () => this.#events.onZoom((this.#built?.zoom ?? 0) + by),
      });
    this.#zoomOut = zoom("out", -1);
    this.#zoomIn = zoom("in", 1);
    this.#scroller = element("div", { className: "tree-scroller", testId: "dc-tree", role: "group" }, this.#field);
    this.element = element("section", { className: "tree", "data-term": "beam-search greedy-search" });
    this.#saveMenu = new SaveMenu(this.element, () => this.#saved(), "dc-save");
    this.element.append(
      element(
        "div",
        { className: "tree-head" },
        this.#title,
        this.#legend,
        this.#hint,
        element("span", { className: "segments tools" }, this.#zoomOut, this.#zoomIn, this.#saveMenu.element),
      ),
      this.#scroller,
    );
    this.#field.onkeydown = (event) => this.#onKey(event);
  }

  setLabels(labels: Labels, method: string): void {
    this.#labels = labels;
    this.#method = method;
    this.#saveMenu.setLabels(labels);
    this.#title.textContent = labels[`tree_${method}`];
    this.#hint.textContent = labels.tree_hint;
    this.#scroller.setAttribute("aria-label", labels[`tree_${method}`]);
    setFace(this.#zoomOut, "minus", labels.zoom_out, false);
    setFace(this.#zoomIn, "plus", labels.zoom_in, false);
    const entry = (kind: string, text: string) =>
      element("span", { className: "entry" }, element("span", { className: `node-swatch ${kind}` }), text);
    this.#legend.replaceChildren(
      entry("live", labels.live),
      entry("finished", labels.finished),
      entry("pruned", method === "sample" ? labels.not_drawn : labels.pruned),
      entry("best", labels.result),
      entry("on-path", labels.shown),
      entry("greedy", labels.greedy),
    );
    this.#built = null; // the next update builds the tree anew, with these texts
  }

  // `node`: the one whose hypothesis is shown; `zoom`: null leaves it to the tree.
  update(search: Search, step: number, node: Place, zoom: number | null): void {
    const built = this.#builtOf(search, zoom ?? this.#zoomFor(search));
    this.#zoomOut.disabled = built.zoom === 0;
    this.#zoomIn.disabled = built.zoom === SIZES.length - 1;
    const selected = search.at(node);
    const path = search.pathTo(selected);
    if (this.#step !== step || this.#selected !== selected) this.#show(built, step, path);
    this.#selected = selected;
    if (!this.#walker || this.#walker.level > step) this.#walker = path[Math.min(step, path.length - 1)];
    this.#rove(built, this.#walker);
    this.#hint.hidden = this.#scroller.scrollWidth <= this.#scroller.clientWidth;
    if (this.#step !== step || this.#width !== this.#scroller.clientWidth) this.#bringIntoView(built, step);
    this.#step = step;
    this.#reached = path[Math.min(step, path.length - 1)];
    this.#describe(null);
  }

  // A row for every candidate: its parent, its token and its numbers.
  #saved(): Saved | null {
    const built = this.#built;
    const labels = this.#labels;
    const method = this.#method;
    if (!built) return null;
    const { levels } = built.search;
    const number = (value: number | null) => (value === null || Number.isNaN(value) ? null : value);
    return {
      name: `${method}-search`,
      title: `${labels[`tree_${method}`]} · ${this.source}`,
      rows: () => [
        [
          ...[labels.csv_step, labels.rank, labels.csv_parent, labels.token, labels.log_probability],
          ...[labels.n_sum, labels.n_score, labels.probability, labels.csv_status],
        ],
        ...levels.flatMap((level) =>
          level.map((node) => [
            ...[node.level + 1, node.rank + 1, node.parent < 0 ? null : node.parent + 1, node.token],
            ...[node.logProb, node.sum, node.score, node.probability].map(number),
            node.status,
          ]),
        ),
      ],
    };
  }

  #zoomFor(search: Search): number {
    const { clientWidth } = this.#scroller;
    const highest = Number.parseFloat(getComputedStyle(this.#scroller).maxHeight);
    const height = (highest || Number.POSITIVE_INFINITY) - MARGIN;
    return zoomFor(search, clientWidth - 2 * MARGIN, height, isOnStage() ? WIDE_STAGE : undefined);
  }

  #builtOf(search: Search, zoom: number): Built {
    if (this.#built?.search === search && this.#built.zoom === zoom) return this.#built;
    const { width, height } = fieldSize(search, zoom);
    this.#field.style.width = `${width}px`;
    this.#field.style.height = `${height}px`;
    this.#field.className = `field zoom-${zoom}`;
    this.#edges.setAttribute("width", String(width));
    this.#edges.setAttribute("height", String(height));
    const columns = search.levels.map((level) => this.#newColumn(search, level, zoom));
    const [path, greedy] = [svg("path", { class: "on-path" }), svg("path", { class: "greedy" })];
    this.#edges.replaceChildren(...columns.flatMap(({ kept, pruned }) => [pruned, kept]), greedy, path);
    const start = element("span", { className: "node start", textContent: zoom ? this.#labels.start : "" });
    place(start, -1, 0, zoom);
    this.#field.replaceChildren(this.#edges, start, ...columns.map(({ box }) => box));
    this.#step = this.#selected = this.#walker = this.#roved = null;
    this.#built = { search, zoom, columns, path, greedy };
    return this.#built;
  }

  #newColumn(search: Search, level: readonly Candidate[], zoom: number): Column {
    const step = level[0].level;
    const head = element("button", {
      type: "button",
      className: "column-head",
      textContent: zoom || (step + 1) % 5 === 0 ? step + 1 : "",
      title: fillText(this.#labels.column, { step: step + 1 }),
      tabIndex: -1,
      onclick: () => this.#events.onStep(step),
    });
    head.style.left = `${xOf(step, zoom)}px`;
    head.style.width = `${SIZES[zoom].width}px`;
    const buttons = level.map((node) => this.#newNode(search, node, zoom));
    const box = element("div", { className: "level" }, head, ...buttons);
    const edges = (isPruned: boolean) => {
      const nodes = level.filter(({ status }) => (status === "pruned") === isPruned);
      return svg("path", { class: isPruned ? "pruned" : "kept", d: edgesOf(nodes, zoom) });
    };
    return { box, head, buttons, kept: edges(false), pruned: edges(true) };
  }

  #newNode(search: Search, node: Candidate, zoom: number): HTMLButtonElement {
    const button = element("button", {
      type: "button",
      tabIndex: -1,
      testId: `dc-node-${node.level + 1}-${node.rank + 1}`,
      className: `node ${node.status}${node.isGreedy ? " greedy" : ""}${search.isBest(node) ? " best" : ""}`,
    });
    if (zoom) button.append(element("bdi", { className: "node-token", textContent: node.token }));
    if (zoom >= 2) button.append(" ", element("small", { textContent: numberOf(node) }));
    const seen = `${node.token} ${numberOf(node)}`;
    button.setAttribute("aria-label", `${seen}: ${plainText(nodeNodes(search, node, this.#labels))}`);
    button.onclick = () => this.#events.onSelect([node.level, node.rank]);
    button.onpointerenter = () => this.#describe(node);
    button.onpointerleave = () => this.#describe(null);
    button.onfocus = () => {
      this.#walker = node;
      this.#describe(node);
    };
    button.onblur = () => this.#describe(null);
    place(button, node.level, node.rank, zoom);
    return button;
  }

  #show({ search, zoom, columns, ...lines }: Built, step: number, path: readonly Candidate[]): void {
    columns.forEach(({ box, head, buttons, kept, pruned }, level) => {
      box.hidden = level > step;
      head.classList.toggle("now", level === step);
      for (const line of [kept, pruned]) line.style.display = level > step ? "none" : "";
      buttons.forEach((button, rank) => {
        const isOnPath = path[level]?.rank === rank;
        button.classList.toggle("on-path", isOnPath);
        button.setAttribute("aria-pressed", String(isOnPath && level === path.length - 1));
      });
    });
    const upToNow = (nodes: readonly Candidate[]) => edgesOf(nodes.slice(0, step + 1), zoom);
    lines.path.setAttribute("d", upToNow(path));
    lines.greedy.setAttribute("d", upToNow(search.greedy));
  }

  #rove({ columns }: Built, node: Candidate): HTMLButtonElement {
    if (this.#roved) this.#roved.tabIndex = -1;
    this.#roved = columns[node.level].buttons[node.rank];
    this.#roved.tabIndex = 0;
    return this.#roved;
  }

  // Describes the node that is pointed at, or else the one that the shown hypothesis has reached.
  #describe(node: Candidate | null): void {
    const shown = node ?? this.#reached;
    if (!this.#built || !shown) return;
    this.readout.replaceChildren(...nodeNodes(this.#built.search, shown, this.#labels));
    this.readout.classList.toggle("quiet", !node);
    speak(this.readout, READING);
  }

  #bringIntoView({ zoom }: Built, step: number): void {
    this.#width = this.#scroller.clientWidth;
    this.#scroller.scrollLeft = xOf(step + 1, zoom) + MARGIN - this.#scroller.clientWidth;
  }

  #onKey(event: KeyboardEvent): void {
    const built = this.#built;
    const at = this.#walker;
    const step = this.#step;
    if (event.key === " ") event.stopPropagation(); // it presses the node's button
    if (!built || !at || step === null) return;
    const { search } = built;
    const target: Readonly<Record<string, () => Candidate | null | undefined>> = {
      ArrowUp: () => search.levels[at.level][at.rank - 1],
      ArrowDown: () => search.levels[at.level][at.rank + 1],
      ArrowLeft: () => search.parentOf(at),
      ArrowRight: () => (at.level < step ? search.childrenOf(at)[0] : null),
    };
    const move = target[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const node = move();
    if (node) this.#rove(built, node).focus();
  }
}

function place(box: HTMLElement, level: number, rank: number, zoom: number): void {
  box.style.left = `${xOf(level, zoom)}px`;
  box.style.top = `${yOf(rank, zoom)}px`;
  box.style.width = `${widthOf(level, zoom)}px`;
  box.style.height = `${SIZES[zoom].height}px`;
}

function edgesOf(nodes: readonly Candidate[], zoom: number): string {
  return nodes.map((node) => edgePath(node, zoom)).join("");
}

// The number in a node that has room for it: with sampling its probability, else its sum, with the margin by which it
// was pruned or the score with which it finished.
export function numberOf({ probability, status, sum, margin, score }: Candidate): string {
  if (probability !== null) return `p ${probabilityText(probability)}`;
  if (status === "pruned") return `${shortNumber(sum)} (−${margin.toFixed(2)})`;
  return status === "finished" ? `${shortNumber(sum)} → ${shortNumber(score)}` : shortNumber(sum);
}
