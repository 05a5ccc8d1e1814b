// The arcs of one layer: queries on the left, keys on the right, an arc for every weight, each head in its own colour.

import { headColour } from "../kit/colour.ts";
import type { Labels } from "../kit/component.ts";
import type { CsvCell } from "../kit/csv.ts";
import { afterNextFrame, type Child, element, fillNodes, fillText } from "../kit/dom.ts";
import { CanvasFrame } from "../kit/frame.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { RangeSlider } from "../kit/range.ts";
import type { Saved } from "../kit/save.ts";
import { svgContextOf } from "../kit/svg_context.ts";
import { fillTable, tokenNodes } from "../kit/table.ts";
import { type HeadMaps, type ModuleMaps, moduleOf } from "../maps/maps.ts";
import { ALONE, Stage, type Surroundings } from "../maps/stage.ts";
import { arcsOf, headsOf, hiddenBelow } from "./arcs_drawn.ts";
import { type ArcsLayout, layOutArcs, tokenAt } from "./arcs_layout.ts";
import { cellOf, cssOf, namedTokens, paintLit, paintTokens } from "./arcs_paint.ts";
import { type ArcsOfHead, arcsImages, DRAFT_FROM, type DrawnArcs, hasHaze, STRONG, strokeArcs } from "./arcs_raster.ts";
import type { Shown } from "./panel.ts";
import { type Change, type HeadsView, namesOf, otherSide, type Side, type Token, tokensOf } from "./view.ts";

const SIDE = 280; // CSS pixels of the controls
const STEPS = 100; // of the slider; the threshold is its square, which leaves room for small weights
const DIMMED = 0.15; // opacity of the arcs that are not highlighted
const REST = 60; // milliseconds without a change before a draft of the arcs is redrawn in full
const TOP = 3; // tokens named for each head
const START: Token = ["query", 0];

interface Drawn {
  readonly content: HeadMaps;
  readonly view: HeadsView;
  readonly look: Look;
  readonly width: number; // of the picture
  readonly height: number; // that it may have
  readonly module: ModuleMaps;
}

export class Arcs implements Shown<HeadMaps> {
  readonly element: HTMLElement;
  readonly #change: Change;
  readonly #stage: Stage;
  readonly #zoomSlider: RangeSlider;
  readonly #reads = element("p", { className: "reads", testId: "hv-reads" });
  readonly #headsName = element("span", { className: "name" });
  readonly #chips = element("div", { className: "segments", role: "group" });
  readonly #allButton: HTMLButtonElement;
  readonly #slider: HTMLInputElement;
  readonly #sliderName = element("span", { className: "name" });
  readonly #hiddenText = element("p", { className: "step-text", testId: "hv-hidden" });
  readonly #legend = element("div", { className: "legend", testId: "hv-legend" });
  readonly #frame: CanvasFrame;
  #labels: Labels = {};
  #drawn: Drawn | null = null;
  #seen = ""; // what the arcs on the screen were painted from
  #layout: ArcsLayout | null = null;
  #heads: readonly ArcsOfHead[] = [];
  #least = 1; // the smallest code that is drawn
  #images: readonly OffscreenCanvas[] = []; // of what is shown
  #shown: DrawnArcs | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cursor: Token | null = null; // the token pointed at; the pinned one is part of the view
  #zoom = 0; // of a long text, from all of it to rows that can be read
  #hasNumbers = false; // false for a fast start: the canvas costs most, and half of it is for numbers

  constructor(change: Change, around: Surroundings = ALONE) {
    this.#change = change;
    this.#zoomSlider = new RangeSlider("hv-zoom", (percent) => this.#zoomTo(percent / 100));
    this.#allButton = element("button", {
      type: "button",
      testId: "hv-all-heads",
      onclick: () => this.#light(this.#everyHead),
    });
    this.#slider = element("input", { type: "range", min: 0, max: STEPS, step: 1, testId: "hv-threshold" });
    this.#slider.oninput = () => change({ threshold: this.#slider.valueAsNumber ** 2 / STEPS ** 2 });
    this.#frame = new CanvasFrame("arcs", {
      onPoint: (x, y) => this.#moveTo(this.#tokenAt(x, y)),
      onLeave: () => this.#moveTo(null),
      onClick: (x, y) => this.#keep(this.#tokenAt(x, y)),
      onFocus: () => this.#moveTo(this.#lit ?? START),
      onKey: (key) => this.#onKey(key),
      fill: (table) => this.#fillTable(table),
    });
    this.#frame.addSave(() => this.#saved());
    this.#frame.element.setAttribute("data-term", "head attention weight");
    this.#frame.readout.before(this.#legend);
    this.#frame.readout.before(this.#reads);
    this.#stage = new Stage(
      SIDE,
      [this.#frame.element, ...around.notes],
      [
        ...around.choices,
        element("div", { className: "choice" }, this.#headsName, this.#chips, this.#allButton),
        element("label", { className: "stepper" }, this.#sliderName, this.#slider),
        this.#hiddenText,
        this.#zoomSlider.element,
      ],
      around.more,
    );
    this.element = this.#stage.element;
    this.element.classList.add("window");
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#headsName.textContent = labels.heads;
    this.#chips.title = labels.heads_keys;
    this.#chips.setAttribute("aria-label", labels.heads);
    this.#allButton.textContent = labels.all_heads;
    this.#sliderName.textContent = labels.threshold;
    this.#slider.setAttribute("aria-label", labels.threshold);
    this.#stage.setLabels(labels.more);
    this.#frame.setLabels(labels);
  }

  update(content: HeadMaps, view: HeadsView, look: Look, room: number, height = Number.POSITIVE_INFINITY): void {
    const width = this.#stage.widths(room).picture;
    const module = moduleOf(content.modules, view);
    const own = view.heads.filter((head) => head < module.heads);
    const heads = own.length ? own : upTo(module.heads);
    const seen = JSON.stringify([view.module, view.layer, view.heads, view.threshold, look, width, height, this.#zoom]);
    const isNew = this.#drawn?.content !== content || this.#seen !== seen;
    this.#seen = seen;
    this.#drawn = { content, view: { ...view, heads }, look, width, height, module };
    this.#showHeads(this.#drawn);
    if (isNew) this.#paint(this.#drawn);
    this.#paintLit();
  }

  onDigit(head: number): void {
    this.#toggle(head);
  }

  // As many as the largest module has, so that all heads stay chosen when another module is shown.
  get #everyHead(): number[] {
    return upTo(Math.max(...(this.#drawn?.content.modules.map(({ heads }) => heads) ?? [0])));
  }

  get #lit(): Token | null {
    return this.#cursor ?? this.#drawn?.view.token ?? null;
  }

  #tokenAt(x: number, y: number): Token | null {
    return this.#layout && tokenAt(this.#layout, x, y);
  }

  #showHeads({ module, view, look }: Drawn): void {
    if (this.#chips.children.length !== module.heads) {
      this.#chips.replaceChildren(...upTo(module.heads).map((head) => this.#chip(head)));
    }
    this.#chips.querySelectorAll<HTMLElement>("button").forEach((chip, head) => {
      chip.setAttribute("aria-pressed", String(view.heads.includes(head)));
      chip.style.setProperty("--hue", cssOf(headColour(head, look.isDark)));
    });
    this.#allButton.disabled = view.heads.length === module.heads;
  }

  #chip(head: number): HTMLElement {
    return element(
      "button",
      {
        type: "button",
        className: "chip",
        onclick: () => this.#toggle(head),
        ondblclick: () => this.#light([head]),
        testId: `hv-toggle-${head + 1}`,
      },
      element("span", { className: "swatch", style: "background: var(--hue)" }),
      String(head + 1),
    );
  }

  // At least one head stays.
  #toggle(head: number): void {
    const heads = this.#drawn?.view.heads ?? [];
    const next = heads.includes(head) ? heads.filter((one) => one !== head) : [...heads, head].sort((a, b) => a - b);
    if (next.length) this.#light(next);
  }

  #light(heads: readonly number[]): void {
    if (!this.#drawn) return;
    const { module, view } = this.#drawn;
    const isAll = upTo(module.heads).every((head) => heads.includes(head));
    this.#change({ heads: isAll ? this.#everyHead : heads, head: heads.includes(view.head) ? view.head : heads[0] });
  }

  #paint(drawn: Drawn): void {
    const { content, module, view, look } = drawn;
    const layout = this.#layOut(drawn);
    this.#heads = headsOf(module, view.layer, view.heads, layout.rowHeight, look.isDark);
    this.#least = Math.max(1, Math.ceil(view.threshold * content.steps));
    const shown = { ...this.#arcsOf(drawn, layout), count: this.#showHidden(drawn) };
    this.#shown = shown;
    this.#legend.textContent = fillText(hasHaze(shown.count) ? this.#labels.haze_legend : this.#labels.arc_legend, {
      strong: STRONG,
    });
    const draw = (isDraft: boolean) => {
      this.#images = arcsImages(shown, layout.arcs.width, layout.arcs.height, look.ratio, isDraft);
    };
    const isDraft = shown.count > DRAFT_FROM;
    draw(isDraft);
    clearTimeout(this.#timer);
    if (!isDraft) return;
    this.#timer = setTimeout(() => {
      draw(false);
      this.#paintLit();
    }, REST);
  }

  #arcsOf({ content, module, view }: Drawn, layout: ArcsLayout, token: Token | null = null): DrawnArcs {
    const heads = this.#heads;
    const least = this.#least;
    const arcs = arcsOf(module, view.layer, layout, token);
    return { ...arcs, heads, least, unit: content.steps, count: arcs.cells.length * heads.length };
  }

  #zoomTo(zoom: number): void {
    if (!this.#drawn) return;
    this.#zoom = zoom;
    this.#paint(this.#drawn);
    this.#paintLit();
  }

  #layOut({ module, width: room, height: most, look }: Drawn): ArcsLayout {
    const layout = layOutArcs(module, module.heads, room, look.font, this.#hasNumbers, most, this.#zoom);
    const { arcs, width, height, margin, rowHeight } = layout;
    this.element.style.setProperty("--window", Number.isFinite(most) ? `${most}px` : "none");
    this.#zoomSlider.element.hidden = !layout.isDense;
    this.#zoomSlider.update(this.#labels.zoom, Math.round(100 * this.#zoom), { high: 100 });
    this.#layout = layout;
    this.#frame.paintBase(width, height, room, look);
    this.#frame.canvas.style.marginLeft = `${margin}px`;
    Object.assign(this.#frame.canvas.dataset, {
      left: arcs.x,
      right: arcs.x + arcs.width,
      top: arcs.y,
      row: rowHeight,
    });
    return layout;
  }

  // Says how many arcs, and how much of their weight, the threshold hides -> how many are left.
  #showHidden({ module, view }: Drawn): number {
    const heads = this.#heads;
    const labels = this.#labels;
    const least = this.#least;
    const all = heads.length * module.allowed[view.layer];
    const [count, mass] = view.threshold === 0 ? [all, 0] : hiddenBelow(least, heads);
    const words = {
      threshold: view.threshold.toFixed(4),
      hidden: all - count,
      shown: all,
      mass: (100 * mass).toFixed(1),
    };
    this.#slider.valueAsNumber = Math.round(Math.sqrt(view.threshold) * STEPS);
    this.#slider.setAttribute("aria-valuetext", fillText(labels.hidden, words));
    this.#hiddenText.replaceChildren(...fillNodes(labels.hidden, words));
    return count;
  }

  #moveTo(token: Token | null): void {
    if (String(token) === String(this.#cursor)) return;
    this.#cursor = token;
    this.#paintLit();
  }

  #keep(token: Token | null): void {
    if (token) this.#change({ token: String(token) === String(this.#drawn?.view.token) ? null : token });
  }

  #paintLit(): void {
    const drawn = this.#drawn;
    const lit = this.#lit;
    const labels = this.#labels;
    if (!drawn) return;
    if (lit) this.#makeRoomForNumbers();
    const layout = this.#layout;
    if (!layout) return;
    const { module, view, look } = drawn;
    const { arcs } = layout;
    const named = namedTokens(layout, module, view.layer, view.heads, lit);
    const all = this.#shown;
    this.#frame.paintOver((context, ratio) => {
      const draw = (images: readonly OffscreenCanvas[]) => {
        for (const image of images) context.drawImage(image, arcs.x, arcs.y, arcs.width, arcs.height);
      };
      // The arcs are made anew for a picture, which has another resolution or, as SVG, no pixels.
      const make = (some: DrawnArcs, alpha: number) => {
        context.globalAlpha = alpha;
        const isLines = svgContextOf(context) && !hasHaze(some.count);
        if (isLines) strokeArcs(context, some, arcs, alpha);
        else draw(arcsImages(some, arcs.width, arcs.height, ratio));
        context.globalAlpha = 1;
      };
      const dimmed = lit ? DIMMED : 1;
      if (context.canvas === this.#frame.canvas) {
        context.globalAlpha = dimmed;
        draw(this.#images);
        context.globalAlpha = 1;
      } else if (all) make(all, dimmed);
      if (lit) {
        make(this.#arcsOf(drawn, layout, lit), 1);
        paintLit(context, layout, module, view.layer, view.heads, lit, look, labels, named);
      }
      const isWriting = module.predicted.length > 0;
      const query = isWriting ? labels.is_writing : labels[`query_${module.name}`];
      const names = { query, read: labels.has_read, key: labels[`key_${module.name}`] };
      paintTokens(context, layout, module, lit, look, names, named);
    });
    this.#reads.replaceChildren(...this.#strongest(drawn, lit));
    this.#frame.say({
      spoken: fillText(labels.arcs, {
        title: labels[module.name],
        layer: view.layer + 1,
        rows: module.queries.length,
        columns: module.keys.length,
        hint: labels.arcs_hint,
      }),
      readout: lit ? this.#describe(drawn, lit) : [labels.arcs_hint],
      isQuiet: !lit,
    });
    afterNextFrame(() => {
      if (this.#drawn) this.#frame.summarise(this.#describe(this.#drawn, this.#lit ?? START));
      if (this.#makeRoomForNumbers()) this.#paintLit();
    });
  }

  // A sentence about the largest weight: of a token, or of all rows that may attend to more than one key.
  #strongest({ module, view }: Drawn, lit: Token | null): Child[] {
    const { queries, keys, predicted } = module;
    const mask = module.maskIn(view.layer);
    let best = { weight: -1, head: 0, i: 0, j: 0 };
    for (let i = 0; i < queries.length; i++) {
      if (lit?.[0] === "query" && lit[1] !== i) continue;
      const row = i * keys.length;
      if (!lit && mask.subarray(row, row + keys.length).reduce((sum, cell) => sum + cell, 0) < 2) continue;
      for (const head of view.heads) {
        const weights = module.weightsOf(view.layer, head);
        for (let j = 0; j < keys.length; j++) {
          if (lit?.[0] === "key" && lit[1] !== j) continue;
          if (mask[row + j] && weights[row + j] > best.weight) best = { weight: weights[row + j], head, i, j };
        }
      }
    }
    if (best.weight < 0) return [];
    return fillNodes(predicted.length ? this.#labels.strongest_writes : this.#labels.strongest, {
      token: predicted[best.i] ?? queries[best.i],
      head: best.head + 1,
      percent: (100 * best.weight).toFixed(0),
      key: keys[best.j],
    });
  }

  #makeRoomForNumbers(): boolean {
    if (this.#hasNumbers || !this.#drawn) return false;
    this.#hasNumbers = true;
    this.#layOut(this.#drawn);
    return true;
  }

  // Names a token, and for each head the tokens on the other side with the largest weights.
  #describe({ module, view, look }: Drawn, token: Token): Child[] {
    const mask = module.maskIn(view.layer);
    const others = namesOf(module, otherSide(token[0]));
    const lines = view.heads.map((head) => {
      const weights = module.weightsOf(view.layer, head);
      const weightOf = (other: number) => weights[cellOf(module, token, other)];
      const named = [...others.keys()]
        .filter((other) => mask[cellOf(module, token, other)])
        .sort((a, b) => weightOf(b) - weightOf(a))
        .slice(0, TOP)
        .flatMap((other, rank) => [
          rank ? this.#labels.separator : "",
          ...fillNodes(this.#labels.arc_token, {
            index: other + 1,
            token: others[other],
            weight: weightOf(other).toFixed(4),
          }),
        ]);
      const tokens = named.length ? named : [this.#labels.masked];
      return element(
        "span",
        { className: "head-line", style: `--hue: ${cssOf(headColour(head, look.isDark))}` },
        ...fillNodes(this.#labels.head_line, { head: head + 1, tokens }),
      );
    });
    return [...this.#nameOf(module, token), ...lines];
  }

  #nameOf(module: ModuleMaps, [side, place]: Token): Child[] {
    const labels = this.#labels;
    if (side === "query") {
      const words = { i: place + 1, query: module.queries[place], predicted: module.predicted[place] ?? "" };
      return fillNodes(labels[`row_${module.name}`], words);
    }
    return fillNodes(labels.is_attended, {
      key: fillNodes(labels.key_side, { j: place + 1, key: module.keys[place] }),
    });
  }

  #onKey(key: string): boolean {
    if (!this.#drawn) return false;
    const { module } = this.#drawn;
    const [side, place] = this.#lit ?? START;
    const within = (one: Side, n: number): Token => [one, Math.max(0, Math.min(n, tokensOf(module, one).length - 1))];
    const targets: Readonly<Record<string, Token>> = {
      ArrowUp: within(side, place - 1),
      ArrowDown: within(side, place + 1),
      Home: within(side, 0),
      End: within(side, Infinity),
      ArrowLeft: within("query", place),
      ArrowRight: within("key", place),
    };
    if (targets[key]) this.#moveTo(this.#lit ? targets[key] : START);
    else if (key === "Enter") this.#keep([side, place]);
    else if (key === "Escape" && this.#lit) {
      this.#cursor = null;
      this.#change({ token: null });
    } else return false;
    return true;
  }

  #saved(): Saved | null {
    if (!this.#drawn) return null;
    const labels = this.#labels;
    const { content, module, view, look } = this.#drawn;
    const heads = view.heads.map((head) => head + 1);
    const entries = view.heads.map((head) =>
      element(
        "span",
        { className: "entry" },
        element("span", { className: "swatch", style: `background: ${cssOf(headColour(head, look.isDark))}` }),
        fillText(labels.head_n, { head: head + 1 }),
      ),
    );
    return {
      name: `arcs-${module.name}-layer${view.layer + 1}`,
      title: `${labels[module.name]}, ${labels.layer} ${view.layer + 1}, ${labels.heads} ${heads.join(", ")}`,
      legend: [element("div", { className: "legend" }, ...entries)],
      rows: () => this.#rows(module, view, content.steps),
    };
  }

  // A row for each weight of the heads that are shown, without the masked ones.
  #rows(module: ModuleMaps, { layer, heads }: HeadsView, steps: number): CsvCell[][] {
    const labels = this.#labels;
    const { queries, keys, predicted } = module;
    const mask = module.maskIn(layer);
    const names = [labels.layer, labels.head, "query", labels[`query_${module.name}`]];
    const ends = predicted.length ? [labels.is_writing] : [];
    return [
      [...names, ...ends, "key", labels[`key_${module.name}`], labels.weight],
      ...heads.flatMap((head) => {
        const codes = module.codesIn(layer).subarray(head * module.size);
        return queries.flatMap((query, i) =>
          keys.flatMap((key, j): CsvCell[][] => {
            const cell = i * keys.length + j;
            if (!mask[cell]) return [];
            const end = predicted.length ? [predicted[i]] : [];
            return [[layer + 1, head + 1, i + 1, query, ...end, j + 1, key, codes[cell] / steps]];
          }),
        );
      }),
    ];
  }

  #fillTable(table: HTMLTableElement): void {
    if (!this.#drawn) return;
    const labels = this.#labels;
    const { module, view } = this.#drawn;
    const token = this.#lit ?? START;
    const [side, place] = token;
    const ofQuery = module.predicted.length ? labels.step_table : labels.query_table;
    const caption = fillNodes(side === "query" ? ofQuery : labels.key_table, {
      index: place + 1,
      token: namesOf(module, side)[place],
    });
    const mask = module.maskIn(view.layer);
    const numberIn = (head: number, cell: number) =>
      mask[cell] ? numberText(module.weightsOf(view.layer, head)[cell]) : labels.masked;
    fillTable(
      table,
      caption,
      ["", ...view.heads.map((head) => fillText(labels.head_n, { head: head + 1 }))],
      namesOf(module, otherSide(side)).map((other, n) => [
        tokenNodes(other, n),
        ...view.heads.map((head) => numberIn(head, cellOf(module, token, n))),
      ]),
    );
  }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
