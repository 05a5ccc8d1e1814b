// From query and key to the weight: q of one token, every k, the elementwise products, their sum, ÷ √d_k, the weight.

import { Choice } from "../kit/choice.ts";
import { divergingTo, WEIGHTS } from "../kit/colour.ts";
import type { Labels } from "../kit/component.ts";
import { type Child, element, fillNodes, fillText } from "../kit/dom.ts";
import { CanvasFrame } from "../kit/frame.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import type { Look } from "../kit/look.ts";
import { numberText } from "../kit/numbers.ts";
import { RangeSlider } from "../kit/range.ts";
import type { Saved } from "../kit/save.ts";
import { fillTable, tokenNodes } from "../kit/table.ts";
import { moduleOf } from "../maps/maps.ts";
import { ALONE, Stage, type Surroundings } from "../maps/stage.ts";
import type { Shown } from "./panel.ts";
import { cellUnder, layOutQueryKey, type QueryKeyLayout, type VectorCell } from "./query_key_layout.ts";
import { paintPlace, paintQueryKey } from "./query_key_paint.ts";
import { numbersOf, type Place, type QueryNumbers, type Stages, type StagesModule } from "./stages.ts";
import { type Change, type HeadsView, namesOf } from "./view.ts";

const SIDE = 280; // CSS pixels of the controls
const START: VectorCell = { key: 0, dimension: 0 };

interface Drawn {
  readonly look: Look;
  readonly module: StagesModule;
  readonly depth: number;
  readonly place: Place;
  readonly numbers: QueryNumbers;
  readonly layout: QueryKeyLayout;
}

export class QueryKey implements Shown<Stages> {
  readonly element: HTMLElement;
  readonly #change: Change;
  readonly #stage: Stage;
  readonly #query: Choice;
  readonly #zoomSlider: RangeSlider;
  readonly #reads = element("p", { className: "reads", testId: "hv-reads" });
  readonly #legend = element("div", { className: "legend", testId: "hv-legend" });
  readonly #frame: CanvasFrame;
  #labels: Labels = {};
  #drawn: Drawn | null = null;
  #cursor: VectorCell | null = null;
  #zoom = 0; // of a long text, from all keys to rows that can be read
  #again = () => {}; // repeats the last update

  constructor(change: Change, around: Surroundings = ALONE) {
    this.#change = change;
    this.#query = new Choice("hv", "query", (query) => change({ token: ["query", query] }));
    this.#query.element.classList.add("tokens");
    this.#zoomSlider = new RangeSlider("hv-zoom", (percent) => {
      this.#zoom = percent / 100;
      this.#again();
    });
    this.#frame = new CanvasFrame("query-key", {
      onPoint: (x, y) => this.#pointAt(x, y),
      onLeave: () => this.#moveTo(null),
      onClick: (x, y) => this.#pointAt(x, y),
      onFocus: () => this.#moveTo(this.#cursor ?? START),
      onKey: (key) => this.#onKey(key),
      fill: (table) => this.#fillTable(table),
    });
    this.#frame.addSave(() => this.#saved());
    this.#frame.element.setAttribute("data-term", "query key score scaling softmax weight");
    this.#frame.readout.before(this.#legend);
    this.#frame.readout.before(this.#reads);
    const controls = [...around.choices, this.#query.element, this.#zoomSlider.element];
    this.#stage = new Stage(SIDE, [this.#frame.element, ...around.notes], controls, around.more);
    this.element = this.#stage.element;
    this.element.classList.add("window");
  }

  setLabels(labels: Labels): void {
    this.#labels = labels;
    this.#stage.setLabels(labels.more);
    this.#frame.setLabels(labels);
  }

  update(stages: Stages, view: HeadsView, look: Look, room: number, height = Number.POSITIVE_INFINITY): void {
    const width = this.#stage.widths(room).picture;
    this.#again = () => this.update(stages, view, look, room, height);
    const module = moduleOf(stages.modules, view);
    const { depth } = module;
    const place = { layer: view.layer, head: view.head, query: view.token?.[1] ?? 0 };
    const numbers = numbersOf(module, place);
    this.#drawn = {
      look,
      module,
      depth,
      place,
      numbers,
      layout: layOutQueryKey(module.keys, depth, width, look, height, this.#zoom),
    };
    this.element.style.setProperty("--window", Number.isFinite(height) ? `${height}px` : "none");
    this.#zoomSlider.element.hidden = !this.#drawn.layout.isDense;
    this.#zoomSlider.update(this.#labels.zoom, Math.round(100 * this.#zoom), { high: 100 });
    this.#query.setLabels(module.predicted.length ? this.#labels.step_writes : this.#labels.query, "");
    this.#query.update(
      namesOf(module, "query").map((token, i) => `${i + 1} ${token}`),
      place.query,
    );
    this.#cursor = this.#cursor && clamped(this.#cursor, this.#drawn);
    this.#paint(this.#drawn, width);
    this.#paintCursor();
  }

  onDigit(head: number): void {
    this.#change({ head });
  }

  #paint({ look, module, depth, place, numbers, layout }: Drawn, width: number): void {
    const labels = this.#labels;
    // One scale for all queries and keys of the head: a colour means the same for every query.
    const vectors = divergingTo(numbers.vectorExtent || 1, look.isDark);
    const products = divergingTo(numbers.productExtent || 1, look.isDark);
    const titles = {
      q: fillText(module.predicted.length ? labels.q_writes : labels.q_title, {
        i: place.query + 1,
        query: module.queries[place.query],
        predicted: module.predicted[place.query] ?? "",
      }),
      k: labels.k_title,
      product: labels.product_title,
      score: labels.score_title,
      scaled: fillText(labels.scaled_title, { depth }),
      weight: labels.weight_title,
    };
    this.#frame.paintBase(layout.width, layout.height, width, look, (context, ratio) =>
      paintQueryKey(context, layout, module.keys, numbers, { vectors, products }, titles, { ...look, ratio }),
    );
    const { left, productLeft, top, cell, rowHeight } = layout;
    Object.assign(this.#frame.canvas.dataset, { left, product: productLeft, top, cell, row: rowHeight });
    this.#reads.replaceChildren(...this.#largest(module, numbers, place, depth));
    this.#legend.replaceChildren(
      element("span", { className: "entry" }, labels.vector_scale, scaleElement(vectors)),
      element("span", { className: "entry" }, labels.product_scale, scaleElement(products)),
      element("span", { className: "entry" }, labels.weight, scaleElement(WEIGHTS)),
      ...(numbers.mask.includes(0) ? [legendEntry("masked", labels.masked)] : []),
    );
  }

  // A sentence about the key with the largest weight.
  #largest(module: StagesModule, numbers: QueryNumbers, { query }: Place, depth: number): Child[] {
    const labels = this.#labels;
    const { largest, scores, scaled, weights } = numbers;
    return fillNodes(module.predicted.length ? labels.largest_writes : labels.largest_key, {
      token: namesOf(module, "query")[query],
      key: module.keys[largest],
      score: numberText(scores[largest], 2),
      root: numberText(Math.sqrt(depth), 2),
      scaled: numberText(scaled[largest], 2),
      percent: (100 * weights[largest]).toFixed(0),
    });
  }

  #pointAt(x: number, y: number): void {
    if (this.#drawn) this.#moveTo(cellUnder(this.#drawn.layout, x, y));
  }

  #moveTo(cursor: VectorCell | null): void {
    if (JSON.stringify(cursor) === JSON.stringify(this.#cursor)) return;
    this.#cursor = cursor;
    this.#paintCursor();
  }

  #paintCursor(): void {
    const drawn = this.#drawn;
    const cursor = this.#cursor;
    const labels = this.#labels;
    if (!drawn) return;
    const { module, place, layout, look, numbers } = drawn;
    this.#frame.paintOver((context) => {
      if (cursor) paintPlace(context, layout, module.keys, cursor, look);
    });
    this.#frame.say({
      spoken: fillText(labels.query_key, {
        title: labels[module.name],
        layer: place.layer + 1,
        head: place.head + 1,
        i: place.query + 1,
        query: namesOf(module, "query")[place.query],
        columns: module.keys.length,
        hint: labels.query_key_hint,
      }),
      readout: cursor ? this.#describe(drawn, cursor) : [labels.query_key_hint],
      isQuiet: !cursor,
    });
    this.#frame.summarise(this.#describe(drawn, cursor ?? { key: numbers.largest, dimension: null }));
  }

  #describe({ module, numbers, depth }: Drawn, { key, dimension }: VectorCell): Child[] {
    const labels = this.#labels;
    const nodes = fillNodes(numbers.mask[key] ? labels.key_numbers : labels.key_masked, {
      j: key + 1,
      key: module.keys[key],
      depth,
      root: numberText(Math.sqrt(depth)),
      score: numberText(numbers.scores[key]),
      scaled: numberText(numbers.scaled[key]),
      weight: numberText(numbers.weights[key]),
    });
    if (dimension === null) return nodes;
    const at = key * depth + dimension;
    const products = fillNodes(labels.products, {
      d: dimension + 1,
      q: numberText(numbers.q[dimension]),
      k: inBrackets(numbers.k[at]),
      product: numberText(numbers.products[at]),
      depth,
      sum: numberText(numbers.sums[key]),
    });
    return [...nodes, element("br"), ...products];
  }

  #onKey(key: string): boolean {
    const drawn = this.#drawn;
    if (!drawn) return false;
    const { key: j, dimension } = this.#cursor ?? START;
    const d = dimension ?? 0;
    const targets: Readonly<Record<string, VectorCell>> = {
      ArrowUp: { key: j - 1, dimension: d },
      ArrowDown: { key: j + 1, dimension: d },
      ArrowLeft: { key: j, dimension: d - 1 },
      ArrowRight: { key: j, dimension: d + 1 },
      Home: { key: j, dimension: 0 },
      End: { key: j, dimension: Infinity },
    };
    const step = { PageUp: -1, PageDown: 1 }[key];
    if (targets[key]) this.#moveTo(this.#cursor ? clamped(targets[key], drawn) : START);
    else if (key === "Escape" && this.#cursor) this.#moveTo(null);
    else if (step && drawn.module.queries[drawn.place.query + step] !== undefined) {
      this.#change({ token: ["query", drawn.place.query + step] });
    } else return false;
    return true;
  }

  #saved(): Saved | null {
    if (!this.#drawn) return null;
    const labels = this.#labels;
    const { module, numbers, depth, place } = this.#drawn;
    const at = `${labels.layer} ${place.layer + 1}, ${fillText(labels.head_n, { head: place.head + 1 })}`;
    return {
      name: `query-key-${module.name}-layer${place.layer + 1}-head${place.head + 1}-query${place.query + 1}`,
      title: `${labels[module.name]}, ${at}`,
      rows: () => [
        ["key", labels[`key_${module.name}`] ?? labels.k_title, ...this.#columns(depth)],
        ...module.keys.map((token, j) => [
          j + 1,
          token,
          numbers.scores[j],
          numbers.scaled[j],
          numbers.mask[j] ? numbers.weights[j] : null,
          ...numbers.products.subarray(j * depth, (j + 1) * depth),
        ]),
      ],
    };
  }

  // The names of the numbers of a key.
  #columns(depth: number): string[] {
    const labels = this.#labels;
    return [
      labels.score_title,
      fillText(labels.scaled_title, { depth }),
      labels.weight_title,
      ...Array.from({ length: depth }, (_, d) => `${labels.product_title} ${d + 1}`),
    ];
  }

  #fillTable(table: HTMLTableElement): void {
    if (!this.#drawn) return;
    const labels = this.#labels;
    const { module, numbers, depth, place } = this.#drawn;
    const dimensions = Array.from({ length: depth }, (_, d) => d);
    fillTable(
      table,
      fillNodes(labels.query_key_table, { i: place.query + 1, query: namesOf(module, "query")[place.query] }),
      ["", ...this.#columns(depth)],
      module.keys.map((token, j) => [
        tokenNodes(token, j),
        numberText(numbers.scores[j]),
        numberText(numbers.scaled[j]),
        numbers.mask[j] ? numberText(numbers.weights[j]) : labels.masked,
        ...dimensions.map((d) => numberText(numbers.products[j * depth + d])),
      ]),
    );
  }
}

function clamped({ key, dimension }: VectorCell, { module, depth }: Drawn): VectorCell {
  const within = (index: number, count: number) => Math.max(0, Math.min(index, count - 1));
  return {
    key: within(key, module.keys.length),
    dimension: dimension === null ? null : within(dimension, depth),
  };
}

function inBrackets(value: number): string {
  const text = numberText(value);
  return text.startsWith("−") ? `(${text})` : text;
}
