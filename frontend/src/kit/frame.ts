// What a canvas has around it: a readout, a summary for screen readers, its numbers as a table, and tools.

import { cleared, type Painter, painterOf, setPainter } from "./canvas.ts";
import { type Child, element, type Labels, setFace } from "./dom.ts";
import { zoomOf } from "./look.ts";
import { type Saved, SaveMenu } from "./save.ts";
import { HINT, speak, TEXT } from "./voice.ts";

export interface FrameEvents {
  onPoint(x: number, y: number): void; // in CSS pixels of the canvas
  onLeave(): void;
  onClick(x: number, y: number): void;
  onFocus(): void; // with the keyboard
  onKey(key: string): boolean; // -> whether it was used
  fill(table: HTMLTableElement): void;
}

export interface Said {
  readonly spoken: string; // the canvas in one sentence
  readonly readout: readonly Child[];
  readonly isQuiet: boolean; // only a hint
}

type Tool = "table" | "copy"; // its icon, its label and its test id

let made = 0; // keeps ids unique: several canvases of a page may have the same name

export class CanvasFrame {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  readonly readout: HTMLElement;
  base: ImageBitmap | null = null; // what does not follow the pointer
  readonly #events: FrameEvents;
  readonly #id: (part: string) => { testId: string };
  readonly #scroller: HTMLElement;
  readonly #summary: HTMLElement;
  readonly #tools = element("div", { className: "tools", role: "toolbar" });
  readonly #buttons = new Map<Tool, HTMLButtonElement>();
  readonly #tableButton: HTMLButtonElement;
  readonly #table: HTMLTableElement;
  readonly #tableBox: HTMLElement;
  #saveMenu: SaveMenu | null = null;
  #labels: Labels = {};
  #ratio = 1;
  #paintedBase: Painter | null = null;

  // `prefix`: of test ids; `part`: what the canvas is called in them.
  constructor(name: string, events: FrameEvents, prefix = "hv", part = "canvas") {
    this.#events = events;
    this.#id = (one) => ({ testId: `${prefix}-${one}-${name}` });
    this.canvas = element("canvas", { ...this.#id(part), role: "img", tabIndex: 0 });
    this.#scroller = element("div", { className: "scroller" }, this.canvas);
    this.readout = element("p", { className: "readout", ...this.#id("readout") });
    this.#summary = element("p", {
      className: "visually-hidden",
      id: `${prefix}-summary-${name}-${++made}`,
      ...this.#id("summary"),
    });
    this.#table = element("table", this.#id("table"));
    this.#tableBox = element("div", { className: "table-box", hidden: true, tabIndex: 0 }, this.#table);
    this.#tableButton = this.addTool("table", () => this.#toggleTable(), "table-toggle");
    this.element = element(
      "figure",
      { className: "matrix" },
      this.#scroller,
      this.readout,
      this.#summary,
      this.#tools,
      this.#tableBox,
    );
    this.canvas.setAttribute("aria-describedby", this.#summary.id);
    this.#tools.onkeydown = (event) => this.#onToolKey(event);
    this.#listen();
  }

  addTool(tool: Tool, onclick: () => void, part: string = tool): HTMLButtonElement {
    const tabIndex = this.#buttons.size ? -1 : 0; // the arrow keys go on from the first
    const button = element("button", { type: "button", tabIndex, onclick, ...this.#id(part) });
    this.#buttons.set(tool, button);
    this.#tools.append(button);
    return button;
  }

  // Adds the menu that saves, after all other tools. `saved`: null while nothing is shown.
  addSave(saved: () => Saved | null): void {
    this.#saveMenu = new SaveMenu(this.element, saved, this.#id("save").testId);
    this.#saveMenu.button.tabIndex = -1;
    this.#tools.append(this.#saveMenu.element);
  }

  setLabels(labels: Labels): void {
    this.#saveMenu?.setLabels(labels);
    for (const [tool, button] of this.#buttons) {
      if (labels[tool] !== this.#labels[tool]) setFace(button, tool, labels[tool], true);
    }
    this.#tableBox.setAttribute("aria-label", labels.table);
    this.#labels = labels;
  }

  // Sizes the canvas and paints its base, if it has one. `room`: the available width.
  paintBase(
    width: number,
    height: number,
    room: number,
    { ratio }: { readonly ratio: number },
    paint: Painter | null = null,
  ): void {
    const { canvas } = this;
    const scroller = this.#scroller;
    const [pixelsWide, pixelsHigh] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.#ratio = ratio;
    if (canvas.width !== pixelsWide) canvas.width = pixelsWide; // setting it clears the canvas, even to the same size
    if (canvas.height !== pixelsHigh) canvas.height = pixelsHigh;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    // A finger that moves sideways moves what is pointed at, unless it is needed to scroll the canvas.
    const isWide = width >= room + 1; // a canvas has whole pixels, and its room may have half of one
    canvas.style.touchAction = isWide ? "pan-x pan-y" : "pan-y";
    scroller.classList.toggle("wide", isWide);
    this.base?.close();
    this.base = paint && painted(pixelsWide, pixelsHigh, ratio, paint);
    this.#paintedBase = paint;
  }

  // Paints what follows the pointer over the base.
  paintOver(paint: Painter): void {
    const { base, canvas } = this;
    const ratio = this.#ratio;
    const paintedBase = this.#paintedBase;
    const context = cleared(canvas, ratio);
    if (base) context.drawImage(base, 0, 0, base.width / ratio, base.height / ratio);
    paint(context, ratio);
    setPainter(canvas, (other, otherRatio) => {
      if (paintedBase) {
        other.save();
        paintedBase(other, otherRatio);
        other.restore();
      }
      paint(other, otherRatio);
    });
  }

  say({ spoken, readout, isQuiet }: Said): void {
    this.canvas.setAttribute("aria-label", spoken);
    this.read(readout, isQuiet);
    this.showTable();
  }

  read(readout: readonly Child[], isQuiet: boolean): void {
    this.readout.replaceChildren(...readout);
    this.readout.classList.toggle("quiet", isQuiet);
    speak(this.readout, isQuiet ? HINT : TEXT);
  }

  // Gives the canvas another size and painter while a picture is taken -> how to restore it.
  paintAs(width: number, height: number, painter: Painter): () => void {
    const { canvas } = this;
    const [before, { width: wide, height: high }] = [painterOf(canvas), canvas.style];
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    setPainter(canvas, painter);
    return () => {
      Object.assign(canvas.style, { width: wide, height: high });
      if (before) setPainter(canvas, before);
    };
  }

  // For screen readers.
  summarise(nodes: readonly Child[]): void {
    this.#summary.replaceChildren(...nodes);
  }

  showTable(): void {
    this.#tableButton.setAttribute("aria-expanded", String(!this.#tableBox.hidden));
    if (!this.#tableBox.hidden) this.#events.fill(this.#table);
  }

  bringIntoView(left: number, right: number): void {
    const { scrollLeft, clientWidth } = this.#scroller;
    if (left < scrollLeft || right > scrollLeft + clientWidth)
      this.#scroller.scrollLeft = (left + right - clientWidth) / 2;
  }

  #onToolKey(event: KeyboardEvent): void {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const buttons = [...this.#buttons.values(), ...(this.#saveMenu ? [this.#saveMenu.button] : [])];
    const next = buttons[buttons.indexOf(event.target as HTMLButtonElement) + (step ?? NaN)];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
  }

  #toggleTable(): void {
    this.#tableBox.hidden = !this.#tableBox.hidden;
    this.showTable();
  }

  #listen(): void {
    const { canvas } = this;
    const events = this.#events;
    const at = ({ offsetX, offsetY }: MouseEvent): [number, number] => {
      const zoom = zoomOf(canvas);
      return [offsetX / zoom, offsetY / zoom];
    };
    canvas.onpointermove = canvas.onpointerdown = (event) => events.onPoint(...at(event));
    canvas.onpointerleave = () => events.onLeave();
    canvas.onclick = (event) => events.onClick(...at(event));
    canvas.onfocus = () => {
      if (canvas.matches(":focus-visible")) events.onFocus();
    };
    canvas.onblur = () => events.onLeave();
    canvas.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !events.onKey(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    };
  }
}

function painted(width: number, height: number, ratio: number, paint: Painter): ImageBitmap {
  const canvas = new OffscreenCanvas(width, height);
  paint(cleared(canvas, ratio), ratio);
  return canvas.transferToImageBitmap();
}
