// What a canvas that is no matrix has around it: a readout, a summary for screen readers, and its numbers as a table.

import { type Context, cleared } from "../kit/canvas.ts";
import { type Child, element, type Labels, setFace } from "../kit/dom.ts";

export interface PlotEvents {
  onPoint(x: number, y: number): void; // in CSS pixels of the canvas
  onLeave(): void;
  onClick(x: number, y: number): void;
  onFocus(): void;
  onKey(key: string): boolean; // -> whether it was used
  fill(table: HTMLTableElement): void;
}

export interface Said {
  readonly spoken: string; // the canvas in one sentence
  readonly readout: readonly Child[];
  readonly isQuiet: boolean;
}

export class Plot {
  readonly canvas: HTMLCanvasElement;
  readonly element: HTMLElement;
  readonly tableButton: HTMLButtonElement;
  base: OffscreenCanvas | null = null; // what does not follow the pointer
  private readonly events: PlotEvents;
  private readonly scroller: HTMLElement;
  private readonly readout: HTMLElement;
  private readonly summary: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly tableBox: HTMLElement;
  private ratio = 1;

  // `prefix`: of test ids.
  constructor(name: string, events: PlotEvents, prefix = "hv") {
    this.events = events;
    const id = (part: string) => ({ "data-testid": `${prefix}-${part}-${name}` });
    this.canvas = element("canvas", { ...id("canvas"), role: "img", tabIndex: 0 });
    this.scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", "aria-live": "polite", ...id("readout") });
    this.summary = element("p", { className: "visually-hidden", id: `${prefix}-summary-${name}`, ...id("summary") });
    this.tableButton = element("button", { type: "button", ...id("table-toggle") });
    this.table = element("table", id("table"));
    this.tableBox = element("div", { className: "table-box", hidden: true, tabIndex: 0 }, this.table);
    this.element = element(
      "figure",
      { className: "matrix" },
      this.scroller,
      this.readout,
      this.summary,
      element("div", { className: "tools" }, this.tableButton),
      this.tableBox,
    );
    this.canvas.setAttribute("aria-describedby", this.summary.id);
    this.listen();
  }

  setLabels(labels: Labels): void {
    setFace(this.tableButton, "table", labels.table, true);
    this.tableBox.setAttribute("aria-label", labels.table);
  }

  // Sizes the canvas, and keeps what stays on it, where there is such a thing. `room`: the width that there is.
  paintBase(
    width: number,
    height: number,
    room: number,
    { ratio }: { readonly ratio: number },
    paint: ((context: Context) => void) | null = null,
  ): void {
    const [pixelWidth, pixelHeight] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.ratio = ratio;
    this.canvas.width = pixelWidth;
    this.canvas.height = pixelHeight;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.canvas.style.touchAction = width > room ? "pan-x pan-y" : "pan-y";
    this.scroller.classList.toggle("wide", width > room);
    this.base = paint && new OffscreenCanvas(pixelWidth, pixelHeight);
    if (this.base) paint?.(cleared(this.base, ratio));
  }

  // What follows the pointer, over the base.
  paintOver(paint: (context: Context) => void): void {
    const context = cleared(this.canvas, this.ratio);
    if (this.base) context.drawImage(this.base, 0, 0, this.base.width / this.ratio, this.base.height / this.ratio);
    paint(context);
  }

  say({ spoken, readout, isQuiet }: Said): void {
    this.canvas.setAttribute("aria-label", spoken);
    this.readout.replaceChildren(...readout);
    this.readout.classList.toggle("quiet", isQuiet);
    this.showTable();
  }

  // For screen readers.
  summarise(nodes: readonly Child[]): void {
    this.summary.replaceChildren(...nodes);
  }

  bringIntoView(left: number, right: number): void {
    const { scrollLeft, clientWidth } = this.scroller;
    if (left < scrollLeft || right > scrollLeft + clientWidth)
      this.scroller.scrollLeft = (left + right - clientWidth) / 2;
  }

  private showTable(): void {
    this.tableButton.setAttribute("aria-expanded", String(!this.tableBox.hidden));
    if (!this.tableBox.hidden) this.events.fill(this.table);
  }

  private listen(): void {
    const { canvas, events } = this;
    canvas.onpointermove = canvas.onpointerdown = ({ offsetX, offsetY }) => events.onPoint(offsetX, offsetY);
    canvas.onpointerleave = () => events.onLeave();
    canvas.onclick = ({ offsetX, offsetY }) => events.onClick(offsetX, offsetY);
    canvas.onblur = () => events.onLeave();
    canvas.onfocus = () => {
      if (canvas.matches(":focus-visible")) events.onFocus();
    };
    canvas.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !events.onKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    this.tableButton.onclick = () => {
      this.tableBox.hidden = !this.tableBox.hidden;
      this.showTable();
    };
  }
}
