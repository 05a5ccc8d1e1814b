// @ts-nocheck
// The whole component: it owns the view, shows it, and tells Python where a person came to rest.

import { chooseByDigit } from "../kit/digits.ts";
import { afterFrame, element, whenStyled } from "../kit/dom.ts";
import { lookOf } from "../kit/look.ts";
import { Settled } from "../kit/settled.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { arrange } from "../matrix/geometry.ts";
import { headWords } from "../matrix/words.ts";
import { Bars } from "../trace/bars.ts";
import { Controls } from "../trace/controls.ts";
import { Legend } from "../trace/legend.ts";
import { matrixOf } from "../trace/payload.ts";

const COLUMN_GAP = 28;

export class Panel {
  constructor(parent, lastViews) {
    this.settled = new Settled(lastViews);
    this.isPlaying = false;
    this.controls = new Controls({
      onChange: (change) => this.change(change),
      onPlay: (isPlaying) => {
        this.isPlaying = isPlaying;
        this.commitSoon();
      },
    });
    this.legend = new Legend();
    this.figures = [];
    this.grid = element("div", { className: "matrices" });
    this.bars = new Bars();
    this.element = element(
      "div",
      { className: "view", "data-testid": "tv-root" },
      this.controls.element,
      this.legend.element,
      this.grid,
      this.bars.element,
    );
    this.element.onkeydown = (event) => this.onKey(event);
    parent.append(this.element);

    this.resizes = new ResizeObserver(() => this.onResize());
    this.resizes.observe(this.grid);
    whenStyled(parent, this.element, () => this.refresh());
  }

  show({ request, trace }, commit) {
    this.trace = trace;
    if (this.settled.adopt(request, commit)) this.controls.stop();
    if (this.figures.length === 0) {
      const events = {
        onPin: (module, pinned) => this.change({ module, pinned }),
        onFocus: (module) => this.view.pinned || this.change({ module }),
      };
      this.figures = trace.modules.map(({ name }) => new MatrixFigure(name, "tv", events));
      this.grid.replaceChildren(...this.figures.map((figure) => figure.element));
    }
    for (const part of [this.controls, this.legend, this.bars]) part.setLabels(request.labels);
    for (const figure of this.figures) figure.setWords(headWords(figure.name, request.labels), request.labels);
    this.refresh();
  }

  get view() {
    return this.settled.view;
  }

  change(change) {
    const step = change.step ?? this.view.step;
    this.settled.change({ ...change, step: Math.max(0, Math.min(step, this.trace.read.length - 1)) });
    this.render();
    this.commitSoon();
  }

  commitSoon() {
    if (this.isPlaying) this.settled.wait();
    else this.settled.commitIn();
  }

  refresh() {
    this.layOut();
    this.render();
  }

  // Sizes and colours: they change with the trace, the width and the theme, not with the view.
  layOut() {
    this.width = this.grid.clientWidth;
    if (this.width === 0) return; // hidden, in a closed tab for instance
    const { fontFamily } = getComputedStyle(this.element);
    const { columns, geometry } = arrange(this.trace, this.width, COLUMN_GAP, fontFamily, devicePixelRatio);
    this.grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    this.grid.style.columnGap = `${COLUMN_GAP}px`;
    for (const figure of this.figures) {
      figure.setLook(geometry, lookOf(figure.element));
    }
  }

  render() {
    const { trace, view } = this;
    this.controls.update(trace, view);
    afterFrame(() => this.bars.update(this.trace.next[this.view.step], this.view.step)); // as long as a frame by itself
    if (this.width === 0) return;
    this.figures.forEach((figure, n) => {
      figure.update(
        matrixOf(trace, trace.modules[n], view.layer, view.head),
        figure.name === "encoder_self" ? null : view.step, // the encoder reads the whole source at once
        figure.name === view.module ? view.pinned : null,
      );
    });
  }

  onResize() {
    if (this.trace && this.grid.clientWidth !== this.width) this.refresh();
  }

  onKey(event) {
    chooseByDigit(event, this.trace.heads, (head) => this.change({ head }));
  }

  remove() {
    this.controls.stop();
    this.settled.wait();
    this.resizes.disconnect();
    this.element.remove();
  }
}
