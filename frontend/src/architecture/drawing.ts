// Figure 1 of the paper as a drawing whose boxes are buttons.

import { fillText, type Labels } from "../kit/dom.ts";
import { asButton, MOVES, svg, textLines } from "../kit/svg.ts";
import type { Box, Figure } from "./content.ts";
import { arrows, FRAMES, type Frame, HEIGHT, PLACES, PLUSES, type Place, WIDTH } from "./layout.ts";

// The glossary terms that each box shows; see kit/term_highlight.ts.
const ATTENTION = "attention multi-head-attention";
const NORM = "residual-connection layer-normalisation";
const TERMS: Readonly<Record<string, string>> = {
  source: "embedding token",
  target: "embedding token",
  source_positions: "positional-encoding",
  target_positions: "positional-encoding",
  memory: "encoder",
  encoder_self: `encoder self-attention ${ATTENTION}`,
  decoder_self: `decoder self-attention causal-mask ${ATTENTION}`,
  cross: `cross-attention decoder ${ATTENTION}`,
  encoder_add_self: `${NORM} encoder`,
  encoder_add_ffn: `${NORM} encoder`,
  decoder_add_self: `${NORM} decoder`,
  decoder_add_cross: `${NORM} decoder`,
  decoder_add_ffn: `${NORM} decoder`,
  encoder_ffn: "feed-forward-network encoder",
  decoder_ffn: "feed-forward-network decoder",
  linear: "logit weight-tying vocabulary",
  softmax: "softmax",
};

export class Drawing {
  readonly element = svg("svg", { class: "boxes", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group" });
  readonly #onChoose: (box: string, isFocusMoved: boolean) => void;
  #nodes = new Map<string, SVGGElement>(); // in the order of the computation

  constructor(onChoose: (box: string, isFocusMoved: boolean) => void) {
    this.#onChoose = onChoose;
  }

  show({ boxes, stacks, inputs, outputs, result }: Figure, labels: Labels): void {
    this.#nodes = new Map(
      boxes.flatMap((box) => {
        const place = PLACES.find(({ id }) => id === box.id);
        return place ? [[box.id, this.#box(box, place, labels)]] : [];
      }),
    );
    const tip = svg(
      "marker",
      { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" },
      svg("path", { d: "M0 0 L8 4 L0 8 z", class: "tip" }),
    );
    this.element.replaceChildren(
      svg("defs", {}, tip),
      ...FRAMES.flatMap((frame) => framed(frame, stacks[frame.stack], labels)),
      ...arrows([...this.#nodes.keys()]).map((d) => svg("path", { d, class: "arrow", "marker-end": "url(#tip)" })),
      ...PLUSES.flatMap(([x, y]) => [svg("circle", { cx: x, cy: y, r: 9, class: "plus" }), textLines(x, y, ["+"], 0)]),
      ...this.#nodes.values(),
      textLines(PLUSES[0][0], HEIGHT - 14, [inputs], 0, "name"),
      textLines(PLUSES[1][0], HEIGHT - 14, [outputs], 0, "name"),
      textLines(PLUSES[1][0], 13, [result], 0, "name"),
    );
    this.element.setAttribute("aria-label", labels.figure);
  }

  update(chosen: string, isFocusMoved: boolean): void {
    for (const [id, node] of this.#nodes) node.setAttribute("aria-pressed", String(id === chosen));
    if (isFocusMoved) this.#nodes.get(chosen)?.focus();
  }

  #box({ id, title, size }: Box, { x, y, width, height, hue }: Place, labels: Labels): SVGGElement {
    const middle = x + width / 2;
    const lines = title.split("\n");
    const node = svg(
      "g",
      { class: `box ${hue}`, "data-term": TERMS[id] ?? "" },
      svg("rect", { x, y, width, height, rx: 5 }),
      textLines(middle, y + height / 2 - 7.5, lines, 15, "title"),
      textLines(middle, y + height - 9, [size], 0, "size"),
    );
    const label = fillText(labels.box, { title: lines.join(" "), size });
    asButton(node, label, `ar-box-${id}`, () => this.#onChoose(id, false));
    const press = node.onkeydown;
    node.onkeydown = (event) => {
      const move = MOVES[event.key];
      if (!move) return press?.call(node, event);
      event.preventDefault();
      const order = [...this.#nodes.keys()];
      const next = order[order.indexOf(id) + move];
      if (next) this.#onChoose(next, true);
    };
    return node;
  }
}

// The cards behind the frame are the other layers of the stack; more than three look like three.
function framed({ x, y, width, height, labelX, labelY }: Frame, layers: number, labels: Labels): SVGElement[] {
  const cards = [...Array(Math.min(layers - 1, 3)).keys()].reverse();
  return [
    ...cards.map((n) => svg("rect", { x: x + 4 * (n + 1), y: y - 4 * (n + 1), width, height, rx: 9, class: "frame" })),
    svg("rect", { x, y, width, height, rx: 9, class: "frame" }),
    textLines(labelX, labelY, [fillText(labels.times, { layers })], 0, "times"),
  ];
}
