// @ts-nocheck
// One drawing for each type of layer: what the chosen output sees, and the shortest way from the chosen input.

import { element, fillText, setChildren, whenStyled } from "../kit/dom.ts";
import { Settled } from "../kit/settled.ts";
import { asButton, svg, textLines } from "../kit/svg.ts";
import { graphOf, pathFrom, seenFrom } from "./paths_graph.ts";

const WIDTH = 400;
const [LEFT, RIGHT, TOP, STEP, BOTTOM] = [18, 18, 26, 46, 26];

export class PathsPanel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.ranges = {
      from: range("pa-from", (from) => this.change({ from })),
      to: range("pa-to", (to) => this.change({ to })),
    };
    this.controls = element("div", { className: "ranges" }, this.ranges.from.element, this.ranges.to.element);
    this.grid = element("div", { className: "drawings" });
    this.element = element(
      "div",
      { className: "view lesson paths-view", "data-testid": "pa-root" },
      this.controls,
      this.grid,
    );
    parent.append(this.element);
    whenStyled(parent, this.element, () => {});
  }

  show({ request, content }, commit) {
    this.settled.adopt(request, commit);
    this.labels = request.labels;
    this.n = content.n;
    const before = this.drawings ?? [];
    this.drawings = content.kinds.map((kind, n) => {
      const described = JSON.stringify([kind, this.labels]);
      return before[n]?.described === described ? before[n] : { ...this.drawing(kind), described };
    });
    setChildren(
      this.grid,
      this.drawings.map(({ figure }) => figure),
    );
    this.render();
  }

  change(change) {
    this.settled.change({ ...this.ends, ...change });
    this.render();
    this.settled.commitIn();
  }

  drawing(kind) {
    const graph = graphOf(kind);
    const { n, levels } = graph;
    const x = (position) => (n === 1 ? WIDTH / 2 : LEFT + (position * (WIDTH - LEFT - RIGHT)) / (n - 1));
    const y = (level) => TOP + (levels - level) * STEP;
    const height = TOP + levels * STEP + BOTTOM;
    const radius = Math.max(3, Math.min(7, 110 / n));
    const lines = kind.edges.map(([fromLevel, from, toLevel, to]) => ({
      from: fromLevel * n + from,
      to: toLevel * n + to,
      d: `M${x(from)} ${y(fromLevel)}L${x(to)} ${y(toLevel)}`,
    }));
    const strokes = Object.fromEntries(["edge", "seen", "path"].map((name) => [name, svg("path", { class: name })]));
    const nodes = Array.from({ length: (levels + 1) * n }, (_, id) => {
      const [level, position] = [Math.floor(id / n), id % n];
      const node = svg("circle", { cx: x(position), cy: y(level), r: radius });
      if (level === 0)
        asButton(node, fillText(this.labels.input, { n: position + 1 }), `pa-${kind.id}-input-${position + 1}`, () =>
          this.change({ from: position }),
        );
      else if (level === levels)
        asButton(node, fillText(this.labels.output, { n: position + 1 }), `pa-${kind.id}-output-${position + 1}`, () =>
          this.change({ to: position }),
        );
      node.setAttribute("tabindex", "-1"); // the two sliders above serve the keyboard
      return node;
    });
    const numbers = [...Array(n).keys()]
      .filter((i) => n <= 12 || i % 3 === 0 || i === n - 1)
      .map((i) => textLines(x(i), height - 9, [String(i + 1)], 0, "index"));
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${height}`, role: "img" },
      ...Object.values(strokes),
      ...nodes,
      ...numbers,
      textLines(WIDTH / 2, 9, [this.labels.outputs], 0, "index"),
    );
    const readout = element("p", { className: "readout", "data-testid": `pa-readout-${kind.id}` });
    const figure = element(
      "figure",
      {},
      element(
        "figcaption",
        {},
        element("h3", { className: "title", textContent: kind.title }),
        element("span", { className: "place", textContent: kind.note }),
      ),
      picture,
      readout,
    );
    return { kind, graph, lines, strokes, nodes, picture, readout, figure };
  }

  render() {
    const last = this.n - 1;
    const from = Math.min(this.settled.view.from, last);
    const to = Math.max(from, Math.min(this.settled.view.to, last)); // nothing looks ahead
    this.ends = { from, to };
    this.ranges.from.update(this.labels.from, from, last);
    this.ranges.to.update(this.labels.to, to, last);
    for (const drawing of this.drawings) this.mark(drawing, from, to);
  }

  mark({ kind, graph, lines, strokes, nodes, picture, readout }, from, to) {
    const seen = seenFrom(graph, to);
    const path = pathFrom(seen, from);
    const steps = new Set(path.slice(1).map((node, n) => `${path[n]}>${node}`));
    const paths = { edge: "", seen: "", path: "" };
    for (const { from: low, to: high, d } of lines) {
      const isPath = steps.has(`${low}>${high}`);
      paths[isPath ? "path" : seen.distance[high] !== undefined ? "seen" : "edge"] += d;
    }
    for (const [name, d] of Object.entries(paths)) strokes[name].setAttribute("d", d);
    nodes.forEach((node, id) => {
      node.setAttribute("class", path.includes(id) ? "path" : seen.distance[id] !== undefined ? "seen" : "node");
    });
    const inputs = [...Array(graph.n).keys()].filter((position) => seen.distance[position] !== undefined);
    const words = {
      to: to + 1,
      from: from + 1,
      count: inputs.length,
      first: inputs[0] + 1,
      length: path.length - 1,
      layers: graph.levels,
    };
    const text =
      fillText(this.labels.sees, words) + " " + fillText(path.length ? this.labels.way : this.labels.no_way, words);
    readout.textContent = kind.cut ? `${text} ${kind.cut}` : text;
    picture.setAttribute("aria-label", `${kind.title}. ${text}`);
  }

  remove() {
    this.settled.wait();
    this.element.remove();
  }
}

function range(testId, onChange) {
  const name = element("span", {});
  const input = element("input", { type: "range", min: 0, step: 1, "data-testid": testId });
  input.oninput = () => onChange(Number(input.value));
  return {
    element: element("label", { className: "range" }, name, input),
    update(label, value, last) {
      input.max = last;
      input.value = value;
      input.disabled = last === 0;
      name.textContent = fillText(label, { n: value + 1 });
      input.setAttribute("aria-valuetext", name.textContent);
    },
  };
}
