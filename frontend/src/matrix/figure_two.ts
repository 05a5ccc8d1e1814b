// Figure 2 of the paper beside the stages: each box lights up with its stage, and a press on it goes there. The arrow
// keys go from stage to stage with the flow of the data, or against it; the Tab key stops at one box.

import { fillText, type Labels } from "../kit/dom.ts";
import { asButton, MOVES, svg, textLines } from "../kit/svg.ts";
import type { StageText } from "./sheet.ts";

const HIGH = 18;
const ROW = 24; // from one box to the next, so that a finger meets one of them
const [LEFT, RIGHT] = [50, 212]; // the middle lines of the two halves
const BESIDE = 45; // from one of the three linear maps to the next
const V = 118;
const HALF = 140; // where the right half begins

// In the order of the computation; rows count from the top.
type Box = readonly [stage: string, name: string, middle: number, row: number, width: number];
// biome-ignore format: a table
const BOXES: readonly Box[] = [
  ["x", "X", RIGHT, 5, 132],
  ["qkv", "linear", RIGHT - BESIDE, 4, 42],
  ["qkv", "linear", RIGHT, 4, 42],
  ["qkv", "linear", RIGHT + BESIDE, 4, 42],
  ["qkv", "Q", LEFT - 24, 5, 24],
  ["qkv", "K", LEFT + 24, 5, 24],
  ["qkv", "V", V, 5, 24],
  ["scores", "matmul", LEFT, 4, 92],
  ["scale", "scale", LEFT, 3, 92],
  ["mask", "mask", LEFT, 2, 92],
  ["softmax", "softmax", LEFT, 1, 92],
  ["context", "matmul", LEFT, 0, 92],
  ["output", "concat", RIGHT, 1, 72],
  ["output", "linear", RIGHT, 0, 72],
];

export class FigureTwo {
  readonly element = svg("svg", { class: "boxes", viewBox: `0 0 280 ${top(5) + HIGH + 1}`, role: "group" });
  readonly #go: (stage: number) => void;
  #nodes: SVGElement[] = [];
  #drawn = "";
  #shown = 0;

  constructor(go: (stage: number) => void) {
    this.#go = go;
    this.element.onkeydown = (event) => {
      const move = MOVES[event.key];
      if (!move) return;
      event.preventDefault();
      go(this.#shown + move);
      this.#nodes.find((node) => node.getAttribute("tabindex") === "0")?.focus();
    };
  }

  // Matrices that were typed have no input, and so no right half; what is not attention has no figure.
  show(stages: readonly StageText[], shown: number, labels: Labels): void {
    const names = stages.map(({ name }) => name);
    const isWhole = names[0] === "x";
    const boxes = BOXES.filter(([stage, , middle]) => names.includes(stage) && (isWhole || middle < HALF));
    const drawn = labels.figure + boxes.length;
    if (this.#drawn !== drawn) this.#draw(boxes, isWhole, labels);
    this.#drawn = drawn;
    this.#shown = shown;
    const lit = boxes.findIndex(([stage]) => stage === names[shown]);
    boxes.forEach(([stage, name], n) => {
      const place = names.indexOf(stage);
      const { title, isIdle, slugs } = stages[place];
      const label = fillText(labels[isIdle ? "idle_box" : "box"], { box: labels[name] ?? name, stage: title });
      const node = asButton(this.#nodes[n], label, `mv-box-${stage}-${name}`, () => this.#go(place));
      node.setAttribute("class", `box ${isIdle ? "idle" : name}`);
      node.setAttribute("data-term", slugs);
      node.setAttribute("aria-pressed", String(place === shown));
      node.setAttribute("tabindex", n === lit ? "0" : "-1");
    });
  }

  #draw(boxes: readonly Box[], isWhole: boolean, labels: Labels): void {
    this.#nodes = boxes.map(([, name, x, row, width]) =>
      svg(
        "g",
        {},
        svg("rect", { x: x - width / 2, y: top(row), width, height: HIGH, rx: 4 }),
        textLines(x, top(row) + HIGH / 2, [labels[name] ?? name], 0),
      ),
    );
    const arrows = boxes.map(([, name, x, row]) => (row && name !== "V" ? up(x, row) : ""));
    arrows.push(`M${V} ${top(5)}V${top(0) + HIGH / 2}H${LEFT + 46}m3-3l-3 3 3 3`);
    if (isWhole) arrows.push(up(RIGHT - BESIDE, 5), up(RIGHT + BESIDE, 5), up(RIGHT, 2));
    this.element.replaceChildren(
      svg("title", {}, labels.figure),
      svg("path", { class: "arrow", d: arrows.join("") }),
      ...(isWhole ? stacked(labels.stack) : []),
      ...this.#nodes,
    );
    this.element.setAttribute("aria-label", labels.figure);
  }
}

function top(row: number): number {
  return row * ROW + 1;
}

// An arrow from a box to the one above it.
function up(x: number, row: number): string {
  return `M${x} ${top(row)}v-6m-3 3l3-3 3 3`;
}

// The left half as it stands in the right one, once for each head.
function stacked(said: string): SVGElement[] {
  const [x, y] = [RIGHT - 64, top(2) + 6];
  const card = (by: number) => svg("rect", { x: x + by, y: y - by, width: 114, height: 36, rx: 4, class: "frame" });
  return [card(6), card(3), card(0), textLines(x + 57, y + 18, said.split("\n"), 13), textLines(275, y + 18, ["h"], 0)];
}
