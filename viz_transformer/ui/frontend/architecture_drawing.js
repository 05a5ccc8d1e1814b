// Figure 1 of the paper as a drawing whose boxes are buttons.

import { BOXES, FRAMES, HEIGHT, PLUSES, WIDTH, arrows } from "./architecture_layout.js";
import { fillText } from "./dom.js";
import { asButton, svg, textLines } from "./svg.js";

const MOVES = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }; // with the data, and against them

export class Drawing {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.element = svg("svg", { class: "architecture", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group" });
  }

  // `boxes`: of the payload, in the order of the computation.
  show({ boxes, stacks, inputs, outputs, result }, labels) {
    this.order = boxes.map(({ id }) => id);
    this.nodes = new Map();
    const tip = svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" },
      svg("path", { d: "M0 0 L8 4 L0 8 z", class: "tip" }));
    this.element.replaceChildren(
      svg("defs", {}, tip),
      ...FRAMES.flatMap((frame) => framed(frame, stacks[frame.stack], labels)),
      ...arrows(this.order).map((d) => svg("path", { d, class: "arrow", "marker-end": "url(#tip)" })),
      ...PLUSES.flatMap(([x, y]) => [svg("circle", { cx: x, cy: y, r: 9, class: "plus" }), textLines(x, y, ["+"], 0)]),
      ...boxes.map((box) => this.box(box, labels)),
      textLines(120, 750, [inputs], 0, "name"),
      textLines(320, 750, [outputs], 0, "name"),
      textLines(320, 24, result.split("\n"), 15, "name"),
    );
    this.element.setAttribute("aria-label", labels.figure);
  }

  box({ id, title, size }, labels) {
    const { x, y, width, height, hue } = BOXES.find((box) => box.id === id);
    const lines = title.split("\n");
    const middle = x + width / 2;
    const node = svg("g", { class: `box ${hue}` },
      svg("rect", { x, y, width, height, rx: 5 }),
      textLines(middle, y + height / 2 - 7, lines, 15, "title"),
      textLines(middle, y + height - 9, [size], 0, "size"));
    asButton(node, fillText(labels.box, { title: lines.join(" "), size }), `ar-box-${id}`, () => this.onChoose(id));
    const press = node.onkeydown;
    node.onkeydown = (event) => {
      const move = MOVES[event.key];
      if (!move) return press(event);
      event.preventDefault();
      const next = this.order[this.order.indexOf(id) + move];
      if (next) this.onChoose(next, true);
    };
    this.nodes.set(id, node);
    return node;
  }

  update(chosen, isFocusMoved) {
    for (const [id, node] of this.nodes) node.setAttribute("aria-pressed", String(id === chosen));
    if (isFocusMoved) this.nodes.get(chosen).focus();
  }
}

// The cards behind the frame are the other layers of the stack; more than three look like three.
function framed({ x, y, width, height, labelX }, layers, labels) {
  const cards = [...Array(Math.min(layers - 1, 3)).keys()].reverse();
  return [
    ...cards.map((n) => svg("rect", { x: x + 4 * (n + 1), y: y - 4 * (n + 1), width, height, rx: 9, class: "frame" })),
    svg("rect", { x, y, width, height, rx: 9, class: "frame" }),
    textLines(labelX, y + height / 2, [fillText(labels.times, { layers })], 0, "times"),
  ];
}
