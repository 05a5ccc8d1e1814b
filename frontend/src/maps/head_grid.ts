// All heads at a glance: thumbnails in one canvas, coloured and sorted by a measured score; one opens, enlarged.

import { Choice } from "../kit/choice.ts";
import { sequentialTo, WEIGHTS } from "../kit/colour.ts";
import type { Labels } from "../kit/component.ts";
import { type Child, element, fillNodes, fillText } from "../kit/dom.ts";
import { CanvasFrame } from "../kit/frame.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import type { Saved } from "../kit/save.ts";
import { Select } from "../kit/select.ts";
import { fillTable } from "../kit/table.ts";
import { visible } from "../kit/tokens.ts";
import { isOnStage, roomFor } from "../kit/window.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { layOutMatrices, TRACE } from "../matrix/layout.ts";
import { type HeadMatrix, headWords, labelled } from "../matrix/words.ts";
import {
  layOutThumbnails,
  type PlaceOfHead,
  placesOf,
  type Slot,
  slotAt,
  slotBeside,
  type Thumbnails,
} from "./head_grid_layout.ts";
import { type Colouring, FRAME, paintPinned, paintThumbnails, shortNumber, sizeOf } from "./head_grid_paint.ts";
import { type HeadMaps, type ModuleMaps, matrixOf, moduleOf, type Score } from "./maps.ts";
import { ALONE, isNarrow, Stage, type Surroundings } from "./stage.ts";
import type { GlanceView } from "./view.ts";

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const ORDERS = ["place", "score"] as const;
const OWN = 130; // CSS pixels of the open head's titles and labels
const SIDE = 430; // CSS pixels of the open head, and of the controls above it

type HeadSlot = Slot<ModuleMaps>;

interface Drawn {
  readonly content: HeadMaps;
  readonly view: GlanceView;
  readonly look: Look;
  readonly width: number;
  readonly height: number;
}

export class HeadGrid {
  readonly element: HTMLElement;
  readonly #stage: Stage;
  readonly #change: (part: Partial<GlanceView>) => void;
  readonly #only: Choice;
  readonly #score: Select;
  readonly #order: Choice;
  readonly #legend = element("div", { className: "legend", testId: "hv-legend" });
  readonly #frame: CanvasFrame;
  readonly #figures = new Map<string, MatrixFigure<HeadMatrix>>(); // by module
  readonly #closeButton: HTMLButtonElement;
  readonly #large = element("div", { className: "large", testId: "hv-large" });
  readonly #hint = element("p", { className: "quiet" }); // where the open head would be
  readonly #reads = element("p", { className: "reads", testId: "hv-reads" });
  #labels: Labels = {};
  #drawn: Drawn | null = null;
  #seen = ""; // what the thumbnails on the screen were painted from
  #seenLarge = ""; // where the open head lies, and its look
  #layout: Thumbnails<ModuleMaps> | null = null;
  #cursor: HeadSlot | null = null;

  constructor(change: (part: Partial<GlanceView>) => void, around: Surroundings = ALONE) {
    this.#change = change;
    this.#only = new Choice("hv", "only", (n) => change({ only: n ? this.#moduleNames[n - 1] : null }));
    this.#score = new Select("hv", "score", (n) => change({ score: n ? this.#scores[n - 1].name : null }));
    this.#order = new Choice("hv", "order", (n) => change({ order: ORDERS[n] }));
    this.#frame = new CanvasFrame("glance", {
      onPoint: (x, y) => this.#moveTo(this.#slotAt(x, y)),
      onLeave: () => this.#moveTo(null),
      onClick: (x, y) => this.#open(this.#slotAt(x, y)),
      onFocus: () => this.#moveTo(this.#start),
      onKey: (key) => this.#onKey(key),
      fill: (table) => this.#fillTable(table),
    });
    this.#closeButton = element("button", { type: "button", testId: "hv-close", onclick: () => this.#close() });
    this.#frame.addSave(() => this.#saved());
    this.#frame.element.setAttribute("data-term", "head attention weight");
    this.#frame.readout.before(this.#legend);
    this.#frame.readout.before(this.#reads);
    this.#stage = new Stage(
      SIDE,
      [this.#frame.element, ...around.notes],
      [...around.choices, this.#score.element, this.#order.element],
      [this.#only.element, ...around.more],
      [this.#large, this.#hint],
    );
    this.element = this.#stage.element;
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#only.setLabels(labels.only, "");
    this.#score.setLabels(labels.score);
    this.#order.setLabels(labels.order, "");
    this.#closeButton.textContent = labels.close;
    this.#hint.textContent = labels.open_hint;
    this.#stage.setLabels(labels.more);
    this.#frame.setLabels(labels);
    for (const [name, figure] of this.#figures) figure.setWords(headWords(name, labels), labels);
  }

  // `height`: that the heads may take, so that all of them are on the screen.
  update(content: HeadMaps, view: GlanceView, look: Look, width: number, height = Number.POSITIVE_INFINITY): void {
    const seen = JSON.stringify([view.only, view.score, view.order, view.module, view.pinned, look, width, height]);
    const isNew = this.#drawn?.content !== content || this.#seen !== seen;
    this.#seen = seen;
    this.#drawn = { content, view, look, width, height };
    this.#showChoices(this.#drawn);
    if (isNew) this.#paint(this.#drawn);
    this.#paintCursor();
    this.#showLarge(this.#drawn);
  }

  onDigit(head: number): void {
    if (this.#drawn?.view.is_open) this.#change({ head });
  }

  get #moduleNames(): string[] {
    return this.#drawn?.content.modules.map(({ name }) => name) ?? [];
  }

  get #scores(): readonly Score[] {
    return this.#drawn?.content.scores ?? [];
  }

  get #shownScore(): Score | null {
    return this.#scores.find(({ name }) => name === this.#drawn?.view.score) ?? null;
  }

  get #isSorted(): boolean {
    return this.#drawn?.view.order === "score" && this.#shownScore !== null;
  }

  get #slots(): readonly HeadSlot[] {
    return this.#layout?.blocks.flatMap(({ slots }) => slots) ?? [];
  }

  // Where the keyboard starts.
  get #start(): HeadSlot {
    return this.#cursor ?? (this.#drawn && this.#slotOf(this.#drawn.view)) ?? this.#slots[0];
  }

  #slotOf({ module, layer, head }: Pick<GlanceView, "module" | "layer" | "head">): HeadSlot | null {
    return (
      this.#slots.find((slot) => slot.module.name === module && slot.layer === layer && slot.head === head) ?? null
    );
  }

  #slotAt(x: number, y: number): HeadSlot | null {
    return this.#layout && slotAt(this.#layout, x, y);
  }

  #showChoices({ content, view }: Drawn): void {
    const labels = this.#labels;
    const moduleNames = this.#moduleNames;
    const scores = this.#scores;
    this.#only.update(
      [labels.all, ...moduleNames.map((name) => labels[`short_${name}`])],
      1 + moduleNames.indexOf(view.only ?? ""),
    );
    this.#score.update(
      [labels.no_score, ...scores.map(({ label }) => label)],
      1 + scores.findIndex(({ name }) => name === view.score),
    );
    this.#order.update([labels.by_place, labels.by_score], ORDERS.indexOf(this.#isSorted ? "score" : "place"));
    this.#only.element.hidden = content.modules.length === 1;
    this.#score.element.hidden = scores.length === 0;
    this.#order.element.hidden = !this.#shownScore;
  }

  #paint({ content, view, look, width, height }: Drawn): void {
    const labels = this.#labels;
    const isSorted = this.#isSorted;
    const score = this.#shownScore;
    const modules = content.modules.filter(({ name }) => view.only === null || name === view.only);
    const colouring = score && colouringBy(score, modules);
    const ranks = colouring && Object.fromEntries(modules.map((one) => [one.name, ranked(one, colouring)]));
    const room = this.#stage.widths(width).picture;
    const most = isNarrow(width) && !isOnStage() ? Number.POSITIVE_INFINITY : height; // there one scrolls
    const layout = layOutThumbnails(modules, room, isSorted ? ranks : null, score !== null, most);
    const cursor = this.#cursor && { ...this.#cursor, module: this.#cursor.module.name };
    this.#layout = layout;
    this.#cursor = cursor && this.#slotOf(cursor);
    this.#frame.paintBase(layout.width, layout.height, room, look, (context, ratio) =>
      paintThumbnails(context, layout, { look: { ...look, ratio }, labels, colouring, isSorted }),
    );
    Object.assign(this.#frame.canvas.dataset, {
      side: layout.side,
      slots: JSON.stringify(this.#slots.map(({ module, layer, head, x, y }) => [module.name, layer, head, x, y])),
    });
    this.#legend.replaceChildren(
      element("span", { className: "entry" }, labels.weight, scaleElement(WEIGHTS)),
      legendEntry("masked", labels.masked),
      ...pinnedEntry(modules, view),
      ...(colouring && score
        ? [element("span", { className: "entry" }, score.label, scaleElement(colouring.scale))]
        : []),
    );
    this.#reads.replaceChildren(...(score ? this.#extremes(score, modules) : []));
  }

  // A sentence about the heads with the highest and the lowest score.
  #extremes(score: Score, modules: readonly ModuleMaps[]): Child[] {
    const scored = modules
      .flatMap((module) => placesOf(module).map(([layer, head]) => ({ module, layer, head })))
      .map((place) => ({ name: this.#shortName(place), value: scoreOf(score, place.module, place.layer, place.head) }))
      .filter(({ value }) => !Number.isNaN(value))
      .sort((a, b) => b.value - a.value);
    const [highest, lowest] = [scored[0], scored.at(-1)];
    if (!highest || !lowest || highest === lowest) return [];
    return fillNodes(this.#labels.extremes, {
      score: score.label,
      highest: highest.name,
      most: numberText(highest.value, 3),
      lowest: lowest.name,
      least: numberText(lowest.value, 3),
    });
  }

  #shortName({ module, layer, head }: Pick<HeadSlot, "module" | "layer" | "head">): string {
    const names = { module: this.#labels[`short_${module.name}`], layer: layer + 1, head: head + 1 };
    return fillText(this.#labels.short_head, names);
  }

  #moveTo(slot: HeadSlot | null): void {
    if (slot === this.#cursor) return;
    this.#cursor = slot;
    this.#paintCursor();
  }

  #paintCursor(): void {
    const cursor = this.#cursor;
    const drawn = this.#drawn;
    const labels = this.#labels;
    const layout = this.#layout;
    const slots = this.#slots;
    if (!drawn || !layout) return;
    const { view, look } = drawn;
    const opened = view.is_open ? this.#slotOf(view) : null;
    this.#frame.paintOver((context) => {
      // Around the map and its strip, above the number.
      const frame = ({ module, x, y }: HeadSlot, colour: string, line: number) => {
        const [, high] = sizeOf(module, layout.side);
        const strip = this.#shownScore ? layout.strip + 2 : 0;
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(x - 2, y - 2, layout.side + 4, high + strip + 4);
      };
      if (view.pinned) for (const slot of slots) paintPinned(context, slot, layout, view, look, !this.#isSorted);
      if (opened) frame(opened, look.accent, FRAME);
      if (cursor) frame(cursor, look.text, 2);
    });
    const slot = cursor ?? opened;
    this.#frame.say({
      spoken: fillText(labels.glance, { count: slots.length, hint: labels.glance_hint }),
      readout: slot ? this.#describe(slot) : [labels.glance_hint],
      isQuiet: !slot,
    });
    this.#frame.summarise(this.#describe(slot ?? slots[0]));
  }

  #placeText({ module, layer, head }: HeadSlot): string {
    return fillText(this.#labels.thumbnail, { module: this.#labels[module.name], layer: layer + 1, head: head + 1 });
  }

  // A head's place, and the score that colours it.
  #describe(slot: HeadSlot): Child[] {
    const place = this.#placeText(slot);
    const score = this.#shownScore;
    if (!score) return [place];
    return fillNodes(this.#labels.with_score, { place, score: score.label, value: this.#numberOf(score, slot) });
  }

  #numberOf(score: Score, { module, layer, head }: HeadSlot): string {
    return shortNumber(scoreOf(score, module, layer, head), 4) || this.#labels.no_value;
  }

  #onKey(key: string): boolean {
    if (MOVES[key] && this.#layout) {
      const slot = slotBeside(this.#layout, this.#start, this.#cursor ? MOVES[key] : [0, 0]);
      this.#moveTo(slot);
      this.#frame.bringIntoView(slot.x, slot.x + this.#layout.side);
    } else if (key === "Enter") this.#open(this.#start);
    else if (key === "Escape" && this.#drawn?.view.is_open) this.#close();
    else return false;
    return true;
  }

  #open(slot: HeadSlot | null): void {
    if (!slot || !this.#drawn) return;
    this.#change({ module: slot.module.name, layer: slot.layer, head: slot.head, is_open: true });
    if (isNarrow(this.#drawn.width)) this.#large.scrollIntoView({ block: "nearest" }); // it is below all heads there
  }

  #close(): void {
    this.#change({ is_open: false, pinned: null });
    this.#frame.canvas.focus({ preventScroll: true });
  }

  #showLarge({ content, view, look, width }: Drawn): void {
    this.#large.hidden = !view.is_open;
    this.#hint.hidden = view.is_open;
    if (!view.is_open) return;
    const module = moduleOf(content.modules, view);
    const figure = this.#figureOf(module.name);
    const isShown = figure.element.isConnected;
    if (!isShown) this.#large.replaceChildren(this.#closeButton, figure.element);
    const room = { width: this.#stage.widths(width).side, gap: 0, font: look.font, ratio: look.ratio };
    const tallest = isOnStage() ? roomFor(0, 0, OWN) : TRACE.tallest;
    const [geometry] = layOutMatrices([labelled(module)], room, { ...TRACE, tallest }).geometries;
    const seen = JSON.stringify([geometry, look]);
    if (!isShown || seen !== this.#seenLarge) figure.setLook(geometry, look);
    this.#seenLarge = seen;
    figure.update(matrixOf(module, view.layer, view.head), null, view.pinned);
  }

  #figureOf(module: string): MatrixFigure<HeadMatrix> {
    const known = this.#figures.get(module);
    if (known) return known;
    const figure = new MatrixFigure<HeadMatrix>(module, "hv", {
      onPin: (_: string, pinned: GlanceView["pinned"]) => this.#change({ pinned }),
      onFocus: () => {},
    });
    figure.setWords(headWords(module, this.#labels), this.#labels);
    this.#figures.set(module, figure);
    return figure;
  }

  #saved(): Saved | null {
    const labels = this.#labels;
    const scores = this.#scores;
    const slots = this.#slots;
    if (!slots.length) return null;
    const rows = () => [
      [labels.module, labels.layer, labels.head, ...scores.map(({ label }) => label)],
      ...slots.map(({ module, layer, head }) => {
        const numbers = scores.map((score) => scoreOf(score, module, layer, head));
        return [labels[module.name], layer + 1, head + 1, ...numbers.map((one) => (Number.isNaN(one) ? null : one))];
      }),
    ];
    const { keys, predicted } = slots.find(({ module }) => module.name === "cross")?.module ?? slots[0].module;
    const title = `${labels.heads} · ${[keys, predicted].map((tokens) => tokens.join(" ")).join(" → ")}`;
    return { name: "all-heads", title, ...(scores.length ? { rows } : {}) };
  }

  #fillTable(table: HTMLTableElement): void {
    fillTable(
      table,
      this.#labels.heads,
      ["", ...this.#scores.map(({ label }) => label)],
      this.#slots.map((slot) => [this.#placeText(slot), ...this.#scores.map((score) => this.#numberOf(score, slot))]),
    );
  }
}

// Colours from 0 to the largest score shown.
function colouringBy(score: Score, modules: readonly ModuleMaps[]): Colouring {
  const values = modules.flatMap((module) =>
    placesOf(module).map(([layer, head]) => scoreOf(score, module, layer, head)),
  );
  const largest = Math.max(0, ...values.filter((value) => !Number.isNaN(value)));
  return {
    scale: sequentialTo(largest || 1),
    scoreOf: (module, layer, head) => scoreOf(score, module, layer, head),
  };
}

// NaN where there is none.
function scoreOf({ values }: Score, { name }: ModuleMaps, layer: number, head: number): number {
  const { shape, values: ofModule } = values[name];
  return ofModule[layer * shape[1] + head];
}

// Largest first; heads without a value last.
function ranked(module: ModuleMaps, colouring: Colouring): PlaceOfHead[] {
  const value = ([layer, head]: PlaceOfHead) => {
    const own = colouring.scoreOf(module, layer, head);
    return Number.isNaN(own) ? -Infinity : own;
  };
  return placesOf(module).sort((a, b) => value(b) - value(a) || 0);
}

// Which cell is framed in all heads of a module, in words.
function pinnedEntry(modules: readonly ModuleMaps[], { module, pinned }: GlanceView): HTMLElement[] {
  const shown = modules.find(({ name }) => name === module);
  const [query, key] = [shown?.queries[pinned?.[0] ?? -1], shown?.keys[pinned?.[1] ?? -1]];
  return query === undefined || key === undefined ? [] : [legendEntry("pinned", `${visible(query)} → ${visible(key)}`)];
}
