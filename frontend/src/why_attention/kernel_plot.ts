// @ts-nocheck
// The points, the curve behind them, the estimate, and the kernel around the query, as a drawing.

import { svg, textLines } from "../kit/svg.ts";
import { estimate, weightsOf } from "./kernel_numbers.ts";

const HEIGHT = 420;
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 12, 44];
const SAMPLES = 160;

export class KernelPlot {
  constructor(onQuery) {
    this.element = svg("svg", { class: "kernel-plot", role: "img", "data-testid": "ke-plot" });
    const drag = (event) => {
      const { left, width } = this.element.getBoundingClientRect();
      const at = ((event.clientX - left) / width) * this.width;
      onQuery(((at - LEFT) / (this.width - LEFT - RIGHT)) * this.content.xMax);
    };
    this.element.onpointerdown = (event) => {
      this.element.setPointerCapture(event.pointerId);
      drag(event);
    };
    this.element.onpointermove = (event) => event.buttons && drag(event);
  }

  // `width`: of the drawing in CSS pixels, so that its texts have their size on every screen.
  setContent(content, labels, width) {
    Object.assign(this, { content, labels, width, curveContent: null });
    this.element.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const all = [...content.y, ...content.curveY];
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low || 1) * 0.08;
    this.x = (value) => LEFT + (value / content.xMax) * (width - LEFT - RIGHT);
    this.y = (value) =>
      HEIGHT - BOTTOM - ((value - low + margin) / (high - low + 2 * margin)) * (HEIGHT - TOP - BOTTOM);
    this.kernel = svg("path", { class: "kernel" });
    this.line = svg("path", { class: "estimate", "data-testid": "ke-curve" });
    this.rule = svg("line", { class: "query", y1: TOP, y2: HEIGHT - BOTTOM });
    this.dot = svg("circle", { class: "estimate-dot", r: 6 });
    this.points = content.x.map((x, i) => svg("circle", { class: "point", cx: this.x(x), cy: this.y(content.y[i]) }));
    const behind = svg("path", { class: "behind", d: pathOf(content.curveX, content.curveY, this.x, this.y) });
    this.element.replaceChildren(
      ...this.axes(low, high),
      this.kernel,
      behind,
      this.rule,
      ...this.points,
      this.line,
      this.dot,
    );
  }

  axes(low, high) {
    const bottom = HEIGHT - BOTTOM;
    const ticks = [...Array(Math.floor(this.content.xMax) + 1).keys()];
    const levels = [...Array(7).keys()]
      .map((n) => Math.ceil(low) + n * Math.max(1, Math.round((high - low) / 6)))
      .filter((value) => value <= high);
    return [
      svg("path", { class: "axis", d: `M${LEFT} ${TOP} V${bottom} H${this.width - RIGHT}` }),
      ...ticks.map((value) => textLines(this.x(value), bottom + 14, [String(value)], 0)),
      ...levels.map((value) => textLines(LEFT - 16, this.y(value), [String(value).replace("-", "−")], 0)),
      textLines(this.width / 2, HEIGHT - 9, [this.labels.x_axis], 0),
      svg("g", { transform: `translate(10 ${HEIGHT / 2 - 15}) rotate(-90)` }, textLines(0, 0, [this.labels.y_axis], 0)),
    ];
  }

  update(query, width, weights, value) {
    const { content } = this;
    const samples = Array.from({ length: SAMPLES + 1 }, (_, i) => (i / SAMPLES) * content.xMax);
    if (this.curveWidth !== width || this.curveContent !== content) {
      const heights = samples.map((x) => estimate(weightsOf(x, content.x, width), content.y));
      this.line.setAttribute("d", pathOf(samples, heights, this.x, this.y));
      Object.assign(this, { curveWidth: width, curveContent: content });
    }
    const bottom = HEIGHT - BOTTOM;
    const bell = (x) => bottom - 90 * Math.exp(-((x - query) ** 2) / (2 * width ** 2));
    this.kernel.setAttribute(
      "d",
      `${pathOf(samples, samples.map(bell), this.x, (y) => y)} L${this.x(content.xMax)} ${bottom} L${this.x(0)} ${bottom} Z`,
    );
    for (const name of ["x1", "x2"]) this.rule.setAttribute(name, this.x(query));
    this.dot.setAttribute("cx", this.x(query));
    this.dot.setAttribute("cy", this.y(value));
    const highest = Math.max(...weights);
    this.points.forEach((point, i) => {
      point.setAttribute("r", 3 + 7 * Math.sqrt(weights[i] / highest));
      point.setAttribute("fill-opacity", 0.25 + 0.75 * (weights[i] / highest));
    });
    this.element.setAttribute("aria-label", this.labels.plot);
  }
}

function pathOf(xs, ys, x, y) {
  return xs.map((value, i) => `${i ? "L" : "M"}${x(value).toFixed(2)} ${y(ys[i]).toFixed(2)}`).join(" ");
}
