// The points, the curve behind them, the estimate, and the kernel around the query, as a drawing.

import { ticks } from "d3-array";
import type { Labels } from "../kit/dom.ts";
import { tickText } from "../kit/numbers.ts";
import { svg, textLines } from "../kit/svg.ts";
import type { Points } from "./kernel_content.ts";
import { estimate, weightsOf } from "./kernel_numbers.ts";

const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 12, 44];
const SAMPLES = 160;
const BELL = 90; // pixels that the kernel is high

type Place = (value: number) => number;

export class KernelPlot {
  readonly element = svg("svg", { class: "kernel-plot", role: "img", "data-testid": "ke-plot" });
  readonly #kernel = svg("path", { class: "kernel" });
  readonly #line = svg("path", { class: "estimate", "data-testid": "ke-curve" });
  readonly #rule = svg("line", { class: "query", y1: TOP });
  readonly #dot = svg("circle", { class: "estimate-dot", r: 6 });
  readonly #onQuery: (query: number) => void;
  #circles: readonly SVGCircleElement[] = [];
  #points: Points | null = null;
  #width = 0; // of the drawing
  #floor = 0; // its horizontal axis
  #curveWidth: number | null = null; // of the kernel that the curve is drawn for
  #x: Place = () => 0;
  #y: Place = () => 0;

  constructor(onQuery: (query: number) => void) {
    this.#onQuery = onQuery;
    this.element.onpointerdown = (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.#drag(event);
    };
    this.element.onpointermove = (event) => {
      if (event.buttons) this.#drag(event);
    };
  }

  // The sizes of the drawing are in CSS pixels, so that its texts have their size on every screen.
  setContent(points: Points, labels: Labels, width: number, height: number): void {
    this.#points = points;
    this.#floor = height - BOTTOM;
    const floor = this.#floor;
    this.#rule.setAttribute("y2", String(floor));
    this.#width = width;
    this.#curveWidth = null;
    const { xMax, curve } = points;
    const all = [...points.y, ...curve];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low || 1) * 0.08;
    this.#x = (value) => LEFT + (value / xMax) * (width - LEFT - RIGHT);
    this.#y = (value) => floor - ((value - low + margin) / (high - low + 2 * margin)) * (floor - TOP);
    const x = this.#x;
    const y = this.#y;
    this.#circles = Array.from(points.x, (at, i) => svg("circle", { class: "point", cx: x(at), cy: y(points.y[i]) }));
    const behind = Array.from(curve, (value, i) => [x((i / (curve.length - 1)) * xMax), y(value)] as const);
    this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.element.setAttribute("aria-label", labels.plot);
    this.element.replaceChildren(
      ...this.#axes(xMax, low, high, labels),
      this.#kernel,
      svg("path", { class: "behind", "data-testid": "ke-behind", d: pathOf(behind) }),
      this.#rule,
      ...this.#circles,
      this.#line,
      this.#dot,
    );
  }

  update(query: number, width: number, weights: readonly number[], value: number): void {
    const points = this.#points;
    const x = this.#x;
    const y = this.#y;
    const floor = this.#floor;
    if (!points) return;
    const samples = Array.from({ length: SAMPLES + 1 }, (_, i) => (i / SAMPLES) * points.xMax);
    if (this.#curveWidth !== width) {
      const estimated = samples.map((at) => [x(at), y(estimate(weightsOf(at, points.x, width), points.y))] as const);
      this.#line.setAttribute("d", pathOf(estimated));
      this.#curveWidth = width;
    }
    const bell = samples.map(
      (at) => [x(at), floor - BELL * Math.exp(-((at - query) ** 2) / (2 * width ** 2))] as const,
    );
    this.#kernel.setAttribute("d", `${pathOf(bell)} L${x(points.xMax)} ${floor} L${x(0)} ${floor} Z`);
    for (const name of ["x1", "x2"]) this.#rule.setAttribute(name, String(x(query)));
    this.#dot.setAttribute("cx", String(x(query)));
    this.#dot.setAttribute("cy", String(y(value)));
    const highest = Math.max(...weights);
    this.#circles.forEach((circle, i) => {
      circle.setAttribute("r", String(3 + 7 * Math.sqrt(weights[i] / highest)));
      circle.setAttribute("fill-opacity", String(0.25 + 0.75 * (weights[i] / highest)));
    });
  }

  #axes(xMax: number, low: number, high: number, labels: Labels): SVGElement[] {
    const width = this.#width;
    const x = this.#x;
    const y = this.#y;
    const floor = this.#floor;
    return [
      svg("path", { class: "axis", d: `M${LEFT} ${TOP} V${floor} H${width - RIGHT}` }),
      ...ticks(0, xMax, 6).map((value) => textLines(x(value), floor + 14, [tickText(value)], 0, "x-tick")),
      ...ticks(low, high, 6).map((value) => textLines(LEFT - 16, y(value), [tickText(value)], 0, "y-tick")),
      textLines(width / 2, floor + BOTTOM - 9, [labels.x_axis], 0),
      svg(
        "g",
        { transform: `translate(10 ${(floor + BOTTOM) / 2 - 15}) rotate(-90)` },
        textLines(0, 0, [labels.y_axis], 0),
      ),
    ];
  }

  #drag({ clientX }: PointerEvent): void {
    const { left, width } = this.element.getBoundingClientRect();
    const at = ((clientX - left) / width) * this.#width;
    this.#onQuery(((at - LEFT) / (this.#width - LEFT - RIGHT)) * (this.#points?.xMax ?? 0));
  }
}

function pathOf(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join(" ");
}
