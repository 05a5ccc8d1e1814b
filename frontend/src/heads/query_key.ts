// @ts-nocheck
// From query to weight: q of one token, every k, the elementwise products, their sum, ÷ √d_k, and the weight.

import { Choice } from "../kit/choice.ts";
import { divergingTo, WEIGHTS } from "../kit/colour.ts";
import { element, fillNodes, fillText } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import { numberText } from "../kit/numbers.ts";
import { moduleOf } from "../maps/payload.ts";
import { fillPlainTable, Plot, tokenNodes } from "../plots/plot.ts";
import { cellUnder, layOutQueryKey } from "./query_key_layout.ts";
import { paintPlace, paintQueryKey } from "./query_key_paint.ts";

export class QueryKey {
  constructor(change) {
    this.change = change;
    this.cursor = null; // {key, dimension}; dimension is null beside the vectors
    this.query = new Choice("hv", "query", (query) => change({ token: ["query", query] }));
    this.query.element.classList.add("tokens");
    this.legend = element("div", { className: "legend", "data-testid": "hv-legend" });
    this.plot = new Plot("query-key", {
      onPoint: (x, y) => this.moveTo(cellUnder(this.layout, x, y)),
      onLeave: () => this.moveTo(null),
      onClick: (x, y) => this.moveTo(cellUnder(this.layout, x, y)),
      onFocus: () => this.moveTo(this.cursor ?? { key: 0, dimension: 0 }),
      onKey: (key) => this.onKey(key),
      fill: (table) => this.fillTable(table),
    });
    this.element = element("div", {}, this.query.element, this.legend, this.plot.element);
  }

  setLabels(labels) {
    this.labels = labels;
    this.query.setLabels(labels.query, "");
    this.plot.setLabels(labels);
  }

  update(content, view, look, width) {
    Object.assign(this, { content, look, width });
    this.module = moduleOf(content, view);
    this.place = { layer: view.layer, head: view.head, query: view.token[1] };
    this.query.update(
      this.module.queries.map((token, i) => `${i + 1} ${token}`),
      this.place.query,
    );
    this.numbers = numbersOf(this.module, this.place, content);
    this.cursor = this.cursor && this.clamp(this.cursor);
    this.paint();
    this.paintCursor();
  }

  onDigit(head) {
    this.change({ head });
  }

  paint() {
    const { content, module, look, labels, numbers, place } = this;
    // One scale for all queries and keys of the head: another query does not change what a colour means.
    const vectors = divergingTo(numbers.vectorExtent || 1, look.isDark);
    const products = divergingTo(numbers.productExtent || 1, look.isDark);
    this.layout = layOutQueryKey(module, content.depth, this.width, look);
    const titles = {
      q: fillText(labels.q_title, { i: place.query + 1, query: module.queries[place.query] }),
      k: labels.k_title,
      product: labels.product_title,
      score: labels.score_title,
      scaled: fillText(labels.scaled_title, { depth: content.depth }),
      weight: labels.weight_title,
    };
    this.plot.paintBase(this.layout.width, this.layout.height, this.width, look, (context) =>
      paintQueryKey(context, this.layout, module, numbers, { vectors, products }, titles, look),
    );
    const { left, productLeft, top, cell, rowHeight } = this.layout;
    Object.assign(this.plot.canvas.dataset, { left, product: productLeft, top, cell, row: rowHeight });
    this.legend.replaceChildren(
      element("span", { className: "entry" }, labels.vector_scale, scaleElement(vectors)),
      element("span", { className: "entry" }, labels.product_scale, scaleElement(products)),
      element("span", { className: "entry" }, labels.weight, scaleElement(WEIGHTS)),
      ...(numbers.mask.includes(0) ? [legendEntry("masked", labels.masked)] : []),
    );
  }

  moveTo(cursor) {
    if (JSON.stringify(cursor) === JSON.stringify(this.cursor)) return;
    this.cursor = cursor;
    this.paintCursor();
  }

  paintCursor() {
    const { cursor, labels, module, place, layout, look } = this;
    this.plot.paintOver((context) => cursor && paintPlace(context, layout, module, cursor, look));
    const query = { i: place.query + 1, query: module.queries[place.query] };
    this.plot.say({
      spoken: fillText(labels.query_key, {
        title: labels[module.name],
        layer: place.layer + 1,
        head: place.head + 1,
        ...query,
        columns: module.keys.length,
        hint: labels.query_key_hint,
      }),
      readout: cursor ? this.describe(cursor) : [labels.query_key_hint],
      isQuiet: !cursor,
    });
    this.plot.summarise(this.describe(cursor ?? { key: this.numbers.largest, dimension: null }));
  }

  describe({ key, dimension }) {
    const { labels, module, numbers, content } = this;
    const { depth } = content;
    const words = {
      j: key + 1,
      key: module.keys[key],
      depth,
      root: numberText(Math.sqrt(depth)),
      score: numberText(numbers.scores[key]),
      scaled: numberText(numbers.scaled[key]),
      weight: numberText(numbers.weights[key]),
    };
    const nodes = fillNodes(numbers.mask[key] ? labels.key_numbers : labels.key_masked, words);
    if (dimension === null) return nodes;
    const at = key * depth + dimension;
    return [
      ...nodes,
      element("br"),
      ...fillNodes(labels.products, {
        d: dimension + 1,
        q: numberText(numbers.q[dimension]),
        k: inBrackets(numbers.k[at]),
        product: numberText(numbers.products[at]),
        depth,
        sum: numberText(numbers.sums[key]),
      }),
    ];
  }

  onKey(key) {
    const { key: j, dimension: d } = this.cursor ?? { key: 0, dimension: 0 };
    const at = d ?? 0;
    const target = {
      ArrowUp: [j - 1, at],
      ArrowDown: [j + 1, at],
      ArrowLeft: [j, at - 1],
      ArrowRight: [j, at + 1],
      Home: [j, 0],
      End: [j, Infinity],
    }[key];
    const step = { PageUp: -1, PageDown: 1 }[key];
    if (target)
      this.moveTo(this.cursor ? this.clamp({ key: target[0], dimension: target[1] }) : { key: 0, dimension: 0 });
    else if (key === "Escape" && this.cursor) this.moveTo(null);
    else if (step && this.module.queries[this.place.query + step] !== undefined) {
      this.change({ token: ["query", this.place.query + step] });
    } else return false;
    return true;
  }

  clamp({ key, dimension }) {
    const within = (index, count) => Math.max(0, Math.min(index, count - 1));
    return {
      key: within(key, this.module.keys.length),
      dimension: dimension === null ? null : within(dimension, this.content.depth),
    };
  }

  fillTable(table) {
    const { labels, module, numbers, content, place } = this;
    const caption = fillNodes(labels.query_key_table, { i: place.query + 1, query: module.queries[place.query] });
    const { depth } = content;
    const columns = [
      labels.score_title,
      fillText(labels.scaled_title, { depth }),
      labels.weight_title,
      ...Array.from({ length: depth }, (_, d) => `${labels.product_title} ${d + 1}`),
    ];
    fillPlainTable(
      table,
      caption,
      columns,
      module.keys.map((token, j) => [
        tokenNodes(token, j),
        numberText(numbers.scores[j]),
        numberText(numbers.scaled[j]),
        numbers.mask[j] ? numberText(numbers.weights[j]) : labels.masked,
        ...Array.from({ length: depth }, (_, d) => numberText(numbers.products[j * depth + d])),
      ]),
    );
  }
}

// The recorded numbers of one query of one head, and the products of its q with each k.
function numbersOf(module, { layer, head, query }, { depth }) {
  const [rows, columns] = [module.queries.length, module.keys.length];
  const stages = module.stages[layer];
  const slice = (array, size) => array.subarray(head * size, (head + 1) * size);
  const [allQ, k] = [slice(stages.q, rows * depth), slice(stages.k, columns * depth)];
  const q = allQ.subarray(query * depth, (query + 1) * depth);
  const row = (array) => slice(array, rows * columns).subarray(query * columns, (query + 1) * columns);
  const products = Float64Array.from(k, (value, n) => value * q[n % depth]);
  const weights = row(stages.weights);
  return {
    q,
    k,
    products,
    weights,
    sums: Float64Array.from({ length: columns }, (_, j) =>
      products.subarray(j * depth, (j + 1) * depth).reduce((a, b) => a + b, 0),
    ),
    scores: row(stages.scores),
    scaled: row(stages.scaled),
    mask: module.mask.subarray((layer * rows + query) * columns, (layer * rows + query + 1) * columns),
    largest: weights.reduce((best, value, j) => (value > weights[best] ? j : best), 0),
    vectorExtent: Math.max(largestOf(allQ), largestOf(k)),
    productExtent: largestProduct(allQ, k, depth),
  };
}

// The largest product of the head: some query meets some key with it.
function largestProduct(q, k, depth) {
  const [ofQ, ofK] = [q, k].map((values) =>
    values.reduce((largest, value, n) => {
      largest[n % depth] = Math.max(largest[n % depth], Math.abs(value));
      return largest;
    }, new Float64Array(depth)),
  );
  return largestOf(ofQ.map((size, d) => size * ofK[d]));
}

function largestOf(values) {
  return values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
}

function inBrackets(value) {
  const text = numberText(value);
  return text.startsWith("−") ? `(${text})` : text;
}
