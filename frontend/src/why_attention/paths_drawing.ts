// One type of layer: its positions and connections, and what of them a chosen output sees.

import { element, fillText, inARow, type Labels } from "../kit/dom.ts";
import { asButton, svg, textLines } from "../kit/svg.ts";
import type { Kind, PathsView } from "./paths_content.ts";
import { type Edge, edgesOf, type Graph, graphOf, pathFrom, seenFrom } from "./paths_graph.ts";

const WIDTH = 400;
const [SIDE, TOP, STEP, BOTTOM] = [18, 26, 34, 26];

export class PathsDrawing {
  readonly figure: HTMLElement;
  readonly id: string;
  readonly #kind: Kind;
  readonly #labels: Labels;
  readonly #described: string;
  readonly #lines: readonly (Edge & { readonly d: string })[];
  readonly #graph: Graph;
  readonly #strokes = {
    edge: svg("path", { class: "edge" }),
    seen: svg("path", { class: "seen" }),
    path: svg("path", { class: "path" }),
  };
  readonly #nodes: readonly SVGCircleElement[];
  readonly #picture: SVGSVGElement;
  readonly #readout: HTMLElement;

  constructor(kind: Kind, labels: Labels, onChoose: (end: Partial<PathsView>) => void) {
    this.#kind = kind;
    this.#labels = labels;
    this.#described = describe(kind, labels);
    const { id, n, levels, title, note } = kind;
    this.id = id;
    const edges = edgesOf(n, kind.edges.values);
    this.#graph = graphOf(n, levels, edges);
    this.#lines = edges.map(({ from, to }) => {
      const d = `M${this.#place(from).join(" ")}L${this.#place(to).join(" ")}`;
      return { from, to, d };
    });
    this.#nodes = Array.from({ length: (levels + 1) * n }, (_, node) => this.#node(node, onChoose));
    const height = this.#height;
    const numbers = [...Array(n).keys()]
      .filter((i) => n <= 12 || i % 3 === 0 || i === n - 1)
      .map((i) => textLines(this.#place(i)[0], height - 9, [String(i + 1)], 0, "index"));
    this.#picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${height}`, role: "group" },
      ...Object.values(this.#strokes),
      ...this.#nodes,
      ...numbers,
      textLines(WIDTH / 2, 9, [labels.outputs], 0, "index"),
    );
    this.#readout = element("p", { className: "readout", testId: `pa-readout-${id}` });
    const caption = element(
      "figcaption",
      {},
      element("h2", { className: "title", textContent: title }),
      element("span", { className: "place", textContent: note }),
    );
    this.figure = element("figure", {}, caption, this.#picture, this.#readout);
  }

  shows(kind: Kind, labels: Labels): boolean {
    return this.#described === describe(kind, labels);
  }

  // Marks what the output sees and the way to it -> how many connections the way has; 0 where there is none.
  mark(input: number, output: number): number {
    const graph = this.#graph;
    const kind = this.#kind;
    const labels = this.#labels;
    const seen = seenFrom(graph, output);
    const path = pathFrom(seen, input);
    const steps = new Set(path.slice(1).map((node, n) => `${path[n]}>${node}`));
    const drawn = { edge: "", seen: "", path: "" };
    for (const { from, to, d } of this.#lines) {
      drawn[steps.has(`${from}>${to}`) ? "path" : seen.distance[to] !== undefined ? "seen" : "edge"] += d;
    }
    for (const name of ["edge", "seen", "path"] as const) this.#strokes[name].setAttribute("d", drawn[name]);
    this.#nodes.forEach((node, id) => {
      node.setAttribute("class", path.includes(id) ? "path" : seen.distance[id] !== undefined ? "seen" : "node");
    });
    const inputs = [...Array(graph.n).keys()].filter((position) => seen.distance[position] !== undefined);
    const words = {
      to: output + 1,
      from: input + 1,
      count: inputs.length,
      first: inputs[0] + 1,
      length: path.length - 1,
      layers: graph.levels,
    };
    const text = inARow(fillText(labels.sees, words), fillText(path.length ? labels.way : labels.no_way, words));
    this.#readout.textContent = kind.cut ? inARow(text, kind.cut) : text;
    this.#picture.setAttribute("aria-label", fillText(labels.drawing, { title: kind.title, text }));
    return Math.max(0, path.length - 1);
  }

  // Where a node lies in the picture.
  #place(node: number): [x: number, y: number] {
    const { n, levels } = this.#kind;
    const [level, position] = [Math.floor(node / n), node % n];
    const x = n === 1 ? WIDTH / 2 : SIDE + (position * (WIDTH - 2 * SIDE)) / (n - 1);
    return [x, TOP + (levels - level) * STEP];
  }

  get #height(): number {
    return TOP + this.#kind.levels * STEP + BOTTOM;
  }

  #node(id: number, onChoose: (end: Partial<PathsView>) => void): SVGCircleElement {
    const kind = this.#kind;
    const labels = this.#labels;
    const [cx, cy] = this.#place(id);
    const [level, position] = [Math.floor(id / kind.n), id % kind.n];
    const node = svg("circle", { cx, cy, r: Math.max(3, Math.min(7, 110 / kind.n)) });
    const end = level === 0 ? "input" : level === kind.levels ? "output" : null;
    if (end) {
      const label = fillText(labels[end], { n: position + 1 });
      asButton(node, label, `pa-${kind.id}-${end}-${position + 1}`, () => onChoose({ [end]: position }));
    }
    node.setAttribute("tabindex", "-1"); // the two sliders above serve the keyboard
    return node;
  }
}

// A text that is equal for equal drawings.
function describe({ edges, ...kind }: Kind, labels: Labels): string {
  return JSON.stringify([kind, edges.values.join(), labels]);
}
