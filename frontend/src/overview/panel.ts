// A trace: its controls, one matrix for each attention module, and the next tokens, all at one step.

import type { Panel } from "../kit/component.ts";
import { chooseByDigit } from "../kit/digits.ts";
import { afterFrame, element, type Labels, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import type { Settled } from "../kit/settled.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { layOutMatrices, TRACE } from "../matrix/layout.ts";
import type { Cell } from "../matrix/matrix.ts";
import { type HeadMatrix, headWords, labelled } from "../matrix/words.ts";
import { Bars } from "../trace/bars.ts";
import { Controls } from "../trace/controls.ts";
import { Legend } from "../trace/legend.ts";
import { matrixOf, type Trace, type TraceContent, traceOf } from "../trace/payload.ts";

const COLUMN_GAP = 28;

export interface TraceView {
  readonly layer: number;
  readonly head: number;
  readonly step: number;
  readonly module: string;
  readonly pinned: Cell | null; // of the module
}

export class TracePanel implements Panel<TraceContent> {
  private readonly settled: Settled<TraceView>;
  private readonly controls: Controls;
  private readonly legend = new Legend();
  private readonly bars = new Bars();
  private readonly grid = element("div", { className: "matrices" });
  private readonly element: HTMLElement;
  private readonly resizes: ResizeObserver;
  private figures: MatrixFigure<HeadMatrix>[] = [];
  private trace: Trace | null = null;
  private width = 0; // as laid out
  private isPlaying = false;

  constructor(parent: HTMLElement, settled: Settled<TraceView>) {
    this.settled = settled;
    this.controls = new Controls({
      onChange: (change) => this.change(change),
      onPlay: (isPlaying) => {
        this.isPlaying = isPlaying;
        this.commitSoon();
      },
    });
    this.element = element(
      "div",
      { className: "view", "data-testid": "tv-root" },
      this.controls.element,
      this.legend.element,
      this.grid,
      this.bars.element,
    );
    this.element.onkeydown = (event) => {
      if (this.trace) chooseByDigit(event, this.trace.heads, (head) => this.change({ head }));
    };
    parent.append(this.element);

    this.resizes = new ResizeObserver(() => {
      if (this.grid.clientWidth !== this.width) this.refresh();
    });
    this.resizes.observe(this.grid);
    whenStyled(parent, this.element, () => this.refresh());
  }

  get picture(): HTMLElement {
    return this.element;
  }

  get hears(): HTMLElement {
    return this.element;
  }

  show(content: TraceContent, labels: Labels, moved: boolean): void {
    this.trace = traceOf(content);
    if (moved) this.controls.stop();
    if (this.figures.length === 0) {
      const events = {
        onPin: (module: string, pinned: Cell | null) => this.change({ module, pinned }),
        onFocus: (module: string) => {
          if (!this.settled.view.pinned) this.change({ module });
        },
      };
      this.figures = this.trace.modules.map(({ name }) => new MatrixFigure<HeadMatrix>(name, "tv", events));
      this.grid.replaceChildren(...this.figures.map((figure) => figure.element));
    }
    for (const part of [this.controls, this.legend, this.bars]) part.setLabels(labels);
    for (const figure of this.figures) figure.setWords(headWords(figure.name, labels), labels);
    this.refresh();
  }

  private change(change: Partial<TraceView>): void {
    if (!this.trace) return;
    const step = change.step ?? this.settled.view.step;
    this.settled.change({ ...change, step: Math.max(0, Math.min(step, this.trace.read.length - 1)) });
    this.render(this.trace);
    this.commitSoon();
  }

  private commitSoon(): void {
    if (this.isPlaying) this.settled.wait();
    else this.settled.commitIn();
  }

  private refresh(): void {
    if (!this.trace) return;
    this.layOut(this.trace);
    this.render(this.trace);
  }

  // Sizes and colours: they change with the trace, the width and the theme, not with the view.
  private layOut(trace: Trace): void {
    this.width = this.grid.clientWidth;
    if (this.width === 0) return; // hidden, in a closed tab for instance
    const { font, ratio } = lookOf(this.element);
    const matrices = trace.modules.map(labelled);
    const room = { width: this.width, gap: COLUMN_GAP, font, ratio };
    const { columns, geometries } = layOutMatrices(matrices, room, TRACE);
    const [geometry] = geometries; // that all of them share
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.grid.style.columnGap = `${COLUMN_GAP}px`;
    for (const figure of this.figures) figure.setLook(geometry, lookOf(figure.element));
  }

  private render(trace: Trace): void {
    const { view } = this.settled;
    this.controls.update({ ...trace, ended: null }, view);
    afterFrame(() => this.showBars()); // as long as a frame by itself
    if (this.width === 0) return;
    this.figures.forEach((figure, n) => {
      figure.update(
        matrixOf(trace, trace.modules[n], view.layer, view.head),
        figure.name === "encoder_self" ? null : view.step, // the encoder reads the whole source at once
        figure.name === view.module ? view.pinned : null,
      );
    });
  }

  private showBars(): void {
    if (this.trace) this.bars.update(this.trace.next, this.settled.view.step);
  }

  remove(): void {
    this.controls.remove();
    this.resizes.disconnect();
    this.element.remove();
  }
}
