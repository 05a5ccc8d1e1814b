// @ts-nocheck
// Scattered points, the curve through them, and the attention matrix that makes it: one query moves through both.

import { cleared } from "../kit/canvas.ts";
import { sequentialTo } from "../kit/colour.ts";
import { element, fillText, whenStyled } from "../kit/dom.ts";
import { scaleElement } from "../kit/legend.ts";
import { lookOf } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { Settled } from "../kit/settled.ts";
import { imageOf } from "../matrix/heatmap.ts";
import { estimate, weightsOf } from "./kernel_numbers.ts";
import { KernelPlot } from "./kernel_plot.ts";

const ROWS = 61; // queries of the matrix, evenly from 0 to the right end
const [LEFT, TOP, BOTTOM] = [58, 22, 34];

export class KernelPanel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.query = slider("ke-query", (query) => this.change({ query: this.within(query) }));
    this.width = slider("ke-width", (power) => this.change({ width: Number((10 ** power).toPrecision(4)) })); // as the link has it
    this.plot = new KernelPlot((query) => this.change({ query: this.within(query) }));
    this.canvas = element("canvas", { "data-testid": "ke-matrix", role: "img" });
    this.canvas.onpointerdown = (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.dragMatrix(event);
    };
    this.canvas.onpointermove = (event) => event.buttons && this.dragMatrix(event);
    this.readout = element("p", { className: "readout", "data-testid": "ke-readout", "aria-live": "polite" });
    this.legend = element("p", { className: "legend" });
    this.plotTitle = element("h3", { className: "title" });
    this.matrixTitle = element("h3", { className: "title" });
    this.element = element(
      "div",
      { className: "view lesson kernel-view", "data-testid": "ke-root" },
      element("div", { className: "ranges" }, this.query.element, this.width.element),
      this.readout,
      element(
        "div",
        { className: "pair" },
        element("figure", {}, this.plotTitle, this.plot.element),
        element("figure", {}, this.matrixTitle, this.canvas, this.legend),
      ),
    );
    parent.append(this.element);
    this.resizes = new ResizeObserver(() => this.content && this.render());
    this.resizes.observe(this.element);
    whenStyled(parent, this.element, () => this.content && this.render());
  }

  show({ request, content }, commit) {
    this.settled.adopt(request, commit);
    Object.assign(this, { content, labels: request.labels });
    this.plotWidth = 0;
    this.plotTitle.textContent = request.labels.plot;
    this.matrixTitle.textContent = request.labels.matrix;
    this.matrix = null;
    this.render();
  }

  within(query) {
    return Math.round(Math.max(0, Math.min(query, this.content.xMax)) * 100) / 100; // as the link has it
  }

  change(change) {
    this.settled.change(change);
    this.render();
    this.settled.commitIn();
  }

  render() {
    const { content, labels } = this;
    const plotWidth = this.plot.element.parentElement.clientWidth;
    if (!plotWidth) return; // hidden
    if (plotWidth !== this.plotWidth) this.plot.setContent(content, labels, plotWidth);
    this.plotWidth = plotWidth;
    const { query, width } = this.settled.view;
    const weights = weightsOf(query, content.x, width);
    const value = estimate(weights, content.y);
    this.query.update(labels.query, query, 0, content.xMax, 0.05, numberText(query, 2));
    this.width.update(
      labels.width,
      Math.log10(width),
      Math.log10(content.widths[0]),
      Math.log10(content.widths[1]),
      0.02,
      numberText(width, 3),
    );
    this.plot.update(query, width, weights, value);
    const heaviest = weights.indexOf(Math.max(...weights));
    this.readout.textContent = fillText(labels.readout, {
      query: numberText(query, 2),
      value: numberText(value),
      count: numberText(1 / weights.reduce((sum, weight) => sum + weight ** 2, 0), 1),
      point: heaviest + 1,
      x: numberText(content.x[heaviest], 2),
      y: numberText(content.y[heaviest], 2),
      weight: numberText(weights[heaviest]),
    });
    this.paint(query, width);
  }

  paint(query, width) {
    const look = lookOf(this.element);
    const wide = this.canvas.parentElement.clientWidth;
    if (!wide) return;
    const high = Math.round(Math.min(wide, 420));
    Object.assign(this.canvas, { width: wide * look.ratio, height: high * look.ratio });
    this.canvas.style.height = `${high}px`;
    const { x, xMax } = this.content;
    if (this.matrix?.width !== width) this.matrix = this.matrixOf(width);
    const context = cleared(this.canvas, look.ratio);
    const [columns, rows] = [wide - LEFT - 2, high - TOP - BOTTOM];
    context.imageSmoothingEnabled = false;
    context.drawImage(this.matrix.image, LEFT, TOP, columns, rows);
    const y = TOP + (query / xMax) * rows;
    const blue = getComputedStyle(this.element).getPropertyValue("--st-blue-color");
    for (const [style, thickness] of [
      [look.background, 4],
      [blue, 2],
    ]) {
      context.strokeStyle = style;
      context.lineWidth = thickness;
      context.strokeRect(LEFT, y - 5, columns, 10);
    }
    context.fillStyle = look.text;
    context.font = `12px ${look.font}`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let tick = 0; tick <= xMax; tick += 1) context.fillText(String(tick), LEFT - 8, TOP + (tick / xMax) * rows);
    context.textAlign = "left";
    context.fillText(this.labels.keys, LEFT, TOP / 2);
    const every = Math.ceil(x.length / (columns / 34));
    context.textAlign = "center";
    x.forEach(
      (_, i) =>
        i % every === 0 &&
        context.fillText(String(i + 1), LEFT + ((i + 0.5) * columns) / x.length, high - BOTTOM / 2 - 4),
    );
    context.translate(12, TOP + rows / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(this.labels.queries, 0, 0);
    this.canvas.setAttribute("aria-label", `${this.labels.matrix}. ${this.readout.textContent}`);
    this.legend.replaceChildren(this.labels.weight, scaleElement(this.matrix.scale));
  }

  matrixOf(width) {
    const { x, xMax } = this.content;
    const values = Array.from({ length: ROWS }, (_, i) => weightsOf((i / (ROWS - 1)) * xMax, x, width)).flat();
    const scale = sequentialTo(values.reduce((highest, value) => Math.max(highest, value), 0));
    const queries = Array(ROWS).fill(null);
    return { width, scale, image: imageOf({ queries, keys: x, values, mask: values.map(() => 1), scale }) };
  }

  dragMatrix(event) {
    const { top, height } = this.canvas.getBoundingClientRect();
    this.change({ query: this.within(((event.clientY - top - TOP) / (height - TOP - BOTTOM)) * this.content.xMax) });
  }

  remove() {
    this.settled.wait();
    this.resizes.disconnect();
    this.element.remove();
  }
}

function slider(testId, onChange) {
  const name = element("span", {});
  const input = element("input", { type: "range", "data-testid": testId });
  input.oninput = () => onChange(Number(input.value));
  return {
    element: element("label", { className: "range" }, name, input),
    update(label, value, low, high, step, text) {
      Object.assign(input, { min: low, max: high, step });
      if (Math.abs(Number(input.value) - value) >= step / 2) input.value = value;
      name.textContent = fillText(label, { value: text });
      input.setAttribute("aria-valuetext", name.textContent);
    },
  };
}
