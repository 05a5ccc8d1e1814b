// Scattered points, the curve through them, and the attention matrix that makes it: one query moves through both.

import { type Context, cleared, setPainter } from "../kit/canvas.ts";
import type { Panel } from "../kit/component.ts";
import { element, fillText, type Labels } from "../kit/dom.ts";
import { scaleElement } from "../kit/legend.ts";
import { lookOf, zoomOf } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { RangeSlider } from "../kit/range.ts";
import { tellReading } from "../kit/reading.ts";
import { type Saved, SaveMenu } from "../kit/save.ts";
import type { ViewState } from "../kit/view_state.ts";
import { isOnStage, roomFor } from "../kit/window.ts";
import type { KernelView, Points, Sent } from "./kernel_content.ts";
import { type KernelMatrix, layOut, matrixOf, paintKernelMatrix, queryAt, ROWS } from "./kernel_matrix.ts";
import { estimate, weightsOf } from "./kernel_numbers.ts";
import { KernelPlot } from "./kernel_plot.ts";

const HEIGHT = 420; // px of both pictures
const OWN = 95; // px of their titles and the legend

const heightNow = (): number => (isOnStage() ? roomFor(0, 0, OWN) : HEIGHT);

export class KernelPanel implements Panel<Sent> {
  readonly #state: ViewState<KernelView>;
  readonly #query = new RangeSlider("ke-query", (query) => this.#goTo(query));
  // Rounded to the digits that the link keeps.
  readonly #width = new RangeSlider("ke-width", (power) =>
    this.#change({ width: Number((10 ** power).toPrecision(4)) }),
  );
  readonly #plot = new KernelPlot((query) => this.#goTo(query));
  readonly #canvas = element("canvas", { testId: "ke-matrix", role: "img" });
  readonly #readout = element("p", { className: "readout", testId: "ke-readout" });
  readonly #legend = element("p", { className: "legend" });
  readonly #plotTitle = element("figcaption");
  readonly #matrixTitle = element("figcaption");
  readonly #plotFigure = element(
    "figure",
    { "data-term": "kernel query key value" },
    this.#plot.element,
    this.#plotTitle,
  );
  readonly #matrixFigure = element(
    "figure",
    { "data-term": "kernel-regression weight" },
    this.#canvas,
    this.#matrixTitle,
    this.#legend,
  );
  readonly #element: HTMLElement;
  readonly #saveMenu: SaveMenu;
  readonly #resizes: ResizeObserver;
  #labels: Labels = {};
  #points: Points | null = null;
  #widths: Sent["widths"] = [1, 1];
  #plotWidth = 0;
  #matrix: KernelMatrix | null = null;

  constructor(parent: HTMLElement, state: ViewState<KernelView>) {
    this.#state = state;
    this.#canvas.onpointerdown = (event) => {
      this.#canvas.setPointerCapture(event.pointerId);
      this.#dragMatrix(event);
    };
    this.#canvas.onpointermove = (event) => {
      if (event.buttons) this.#dragMatrix(event);
    };
    this.#element = element(
      "div",
      { className: "view lesson kernel-view", testId: "ke-root" },
      element("div", { className: "ranges" }, this.#query.element, this.#width.element),
      element("div", { className: "pair" }, this.#plotFigure, this.#matrixFigure),
      this.#readout,
    );
    this.#saveMenu = new SaveMenu(this.#element, () => this.#saved(), "ke-save");
    this.#element.append(element("div", { className: "tools" }, this.#saveMenu.element));
    parent.append(this.#element);
    this.#resizes = new ResizeObserver(() => this.#render());
    this.#resizes.observe(this.#element);
  }

  get picture(): HTMLElement {
    return this.#element;
  }

  show({ x, y, curve, xMax, widths }: Sent, labels: Labels): void {
    this.#points = { x: x.values, y: y.values, curve: curve.values, xMax };
    this.#widths = widths;
    this.#labels = labels;
    this.#saveMenu.setLabels(labels);
    this.#plotWidth = 0;
    this.#matrix = null;
    this.#plotTitle.textContent = labels.plot;
    this.#matrixTitle.textContent = labels.matrix;
    this.#render();
  }

  remove(): void {
    this.#resizes.disconnect();
    this.#element.remove();
  }

  #goTo(query: number): void {
    const within = Math.max(0, Math.min(query, this.#points?.xMax ?? 0));
    this.#change({ query: Math.round(within * 100) / 100 }); // to the digits that the link keeps
  }

  #change(part: Partial<KernelView>): void {
    this.#state.change(part);
    this.#render();
    this.#state.commitIn();
  }

  #render(): void {
    const points = this.#points;
    const labels = this.#labels;
    const plotWidth = this.#plotFigure.clientWidth;
    if (!points || !plotWidth) return; // nothing there yet, or hidden
    if (plotWidth !== this.#plotWidth) this.#plot.setContent(points, labels, plotWidth, heightNow());
    this.#plotWidth = plotWidth;
    const { query, width } = this.#state.view;
    const weights = weightsOf(query, points.x, width);
    const value = estimate(weights, points.y);
    const [queryText, widthText] = [numberText(query, 2), numberText(width, 3)];
    this.#query.update(fillText(labels.query, { value: queryText }), query, { high: points.xMax, step: 0.05 });
    const [low, high] = this.#widths.map(Math.log10);
    this.#width.update(fillText(labels.width, { value: widthText }), Math.log10(width), { low, high, step: 0.02 });
    this.#plot.update(query, width, weights, value);
    const heaviest = weights.indexOf(Math.max(...weights));
    const count = 1 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
    const most = 0.9 * weights.length;
    const follows = count < 1.1 ? labels.copies : count > most ? labels.averages : labels.smooths;
    const read = fillText(labels.readout, {
      query: queryText,
      value: numberText(value),
      count: numberText(count, 1),
      point: heaviest + 1,
      x: numberText(points.x[heaviest], 2),
      y: numberText(points.y[heaviest], 2),
      weight: numberText(weights[heaviest]),
    });
    this.#readout.textContent = `${read} ${follows}`;
    tellReading(this.#readout);
    this.#paintMatrix(points, query, width);
  }

  #paintMatrix(points: Points, query: number, width: number): void {
    const wide = this.#matrixFigure.clientWidth;
    if (!wide) return;
    if (this.#matrix?.width !== width) this.#matrix = matrixOf(points, width);
    const look = lookOf(this.#element);
    const layout = layOut(wide, heightNow());
    this.#canvas.width = wide * look.ratio;
    this.#canvas.height = layout.height * look.ratio;
    this.#canvas.style.height = `${layout.height}px`;
    const [cell, height] = [layout.columns / points.x.length, layout.rows / ROWS];
    Object.assign(this.#canvas.dataset, { left: layout.left, top: layout.top, cell, height }); // of the cells
    const hue = getComputedStyle(this.#element).getPropertyValue("--st-blue-color");
    const matrix = this.#matrix;
    const labels = this.#labels;
    const paint = (context: Context) => paintKernelMatrix(context, matrix, layout, query, { ...look, hue }, labels);
    paint(cleared(this.#canvas, look.ratio));
    setPainter(this.#canvas, paint);
    this.#canvas.setAttribute("aria-label", `${this.#labels.matrix}. ${this.#readout.textContent}`);
    this.#legend.replaceChildren(this.#labels.weight, scaleElement(this.#matrix.scale));
  }

  #saved(): Saved | null {
    const points = this.#points;
    const labels = this.#labels;
    if (!points) return null;
    const { query, width } = this.#state.view;
    return {
      name: "kernel",
      title: fillText(labels.picture, { query: numberText(query, 2), width: numberText(width, 3) }),
      rows: () => {
        const weights = weightsOf(query, points.x, width);
        return [["", "x", "y", labels.weight], ...Array.from(points.x, (x, n) => [n + 1, x, points.y[n], weights[n]])];
      },
    };
  }

  #dragMatrix({ clientY }: PointerEvent): void {
    const { top, height } = this.#canvas.getBoundingClientRect();
    const zoom = zoomOf(this.#canvas);
    this.#goTo(queryAt((clientY - top) / zoom, height / zoom, this.#points?.xMax ?? 0));
  }
}
