// @ts-nocheck
// All heads at a glance: thumbnails in one canvas, coloured and sorted by a measured score; one of them opens, large.

import { Choice } from "../kit/choice.ts";
import { cssOf, hatch, sequentialTo, WEIGHTS } from "../kit/colour.ts";
import { element, fillNodes, fillText } from "../kit/dom.ts";
import { legendEntry, scaleElement } from "../kit/legend.ts";
import { numberText } from "../kit/numbers.ts";
import { textWidth } from "../kit/tokens.ts";
import { MatrixFigure } from "../matrix/figure.ts";
import { arrange } from "../matrix/geometry.ts";
import { imageOf } from "../matrix/heatmap.ts";
import { headWords } from "../matrix/words.ts";
import { fillPlainTable, Plot } from "../plots/plot.ts";
import { matrixOf } from "../trace/payload.ts";
import { layOutThumbnails, placesOf, ROW_LABEL, slotAt, slotBeside } from "./glance_layout.ts";
import { moduleOf } from "./payload.ts";

const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ORDERS = ["place", "score"];

export class Glance {
  constructor(change) {
    this.change = change;
    this.cursor = null; // [module name, layer, head]
    this.only = new Choice("hv", "only", (n) => change({ only: n ? this.content.modules[n - 1].name : "" }));
    this.score = new Choice("hv", "score", (n) => change({ score: n ? this.content.scores[n - 1].name : "" }));
    this.order = new Choice("hv", "order", (n) => change({ order: ORDERS[n] }));
    this.legend = element("div", { className: "legend", "data-testid": "hv-legend" });
    this.plot = new Plot("glance", {
      onPoint: (x, y) => this.moveTo(slotAt(this.layout, x, y)),
      onLeave: () => this.moveTo(null),
      onClick: (x, y) => this.open(slotAt(this.layout, x, y)),
      onFocus: () => this.moveTo(this.start),
      onKey: (key) => this.onKey(key),
      fill: (table) => this.fillTable(table),
    });
    this.figures = new Map(); // module name -> MatrixFigure
    this.closeButton = element("button", { type: "button", "data-testid": "hv-close", onclick: () => this.close() });
    this.large = element("div", { className: "large", "data-testid": "hv-large" });
    this.element = element(
      "div",
      {},
      element("div", { className: "choices" }, this.only.element, this.score.element, this.order.element),
      this.legend,
      this.plot.element,
      this.large,
    );
  }

  setLabels(labels) {
    this.labels = labels;
    this.only.setLabels(labels.only, "");
    this.score.setLabels(labels.score, "");
    this.order.setLabels(labels.order, "");
    this.closeButton.textContent = labels.close;
    this.plot.setLabels(labels);
    for (const [name, figure] of this.figures) figure.setWords(headWords(name, labels), labels);
  }

  update(content, view, look, width) {
    const { labels } = this;
    const isNew =
      this.content !== content ||
      this.width !== width ||
      JSON.stringify(look) !== JSON.stringify(this.look) ||
      ["only", "score", "order"].some((name) => view[name] !== this.view[name]);
    Object.assign(this, { content, view, look, width });
    const { modules, scores } = content;
    this.only.update(
      [labels.all, ...modules.map(({ name }) => labels[name])],
      1 + modules.findIndex(({ name }) => name === view.only),
    );
    this.score.update(
      [labels.no_score, ...scores.map(({ label }) => label)],
      1 + scores.findIndex(({ name }) => name === view.score),
    );
    this.order.update([labels.by_place, labels.by_score], ORDERS.indexOf(this.isSorted ? "score" : "place"));
    this.only.element.hidden = modules.length === 1;
    this.score.element.hidden = scores.length === 0;
    this.order.element.hidden = !this.shownScore;
    if (isNew) this.paint();
    this.paintCursor();
    this.showLarge();
  }

  get shownScore() {
    return this.content.scores.find(({ name }) => name === this.view.score) ?? null;
  }

  get isSorted() {
    return this.view.order === "score" && this.shownScore !== null;
  }

  get shownModules() {
    return this.content.modules.filter(({ name }) => !this.view.only || name === this.view.only);
  }

  get slots() {
    return this.layout.blocks.flatMap(({ slots }) => slots);
  }

  get start() {
    const { module, layer, head } = this.view;
    return this.slotOf(this.cursor ?? [module, layer, head]) ?? this.slots[0];
  }

  valueOf({ name }, layer, head) {
    return this.shownScore?.values[name][layer][head] ?? null;
  }

  paint() {
    const { look, shownScore: score } = this;
    const modules = this.shownModules;
    const heads = this.content.heads;
    const values = modules.flatMap((module) =>
      placesOf(module, heads).map(([layer, head]) => this.valueOf(module, layer, head)),
    );
    this.scale = score && sequentialTo(Math.max(...values.filter((value) => value !== null), 0) || 1);
    const ranks = this.isSorted && Object.fromEntries(modules.map((module) => [module.name, this.ranked(module)]));
    this.layout = layOutThumbnails(modules, heads, this.width, ranks || null, score !== null);
    this.plot.paintBase(this.layout.width, this.layout.height, this.width, look, (context) => {
      for (const block of this.layout.blocks) this.paintBlock(context, block);
    });
    const { blocks, side } = this.layout;
    Object.assign(this.plot.canvas.dataset, {
      side,
      slots: JSON.stringify(
        blocks.flatMap(({ slots }) => slots.map(({ module, layer, head, x, y }) => [module.name, layer, head, x, y])),
      ),
    });
    this.legend.replaceChildren(
      element("span", { className: "entry" }, this.labels.weight, scaleElement(WEIGHTS)),
      legendEntry("masked", this.labels.masked),
      ...(score ? [element("span", { className: "entry" }, score.label, scaleElement(this.scale))] : []),
    );
  }

  // Largest first; heads without a value last.
  ranked(module) {
    const value = ([layer, head]) => this.valueOf(module, layer, head) ?? -Infinity;
    return placesOf(module, this.content.heads).sort((a, b) => value(b) - value(a) || 0);
  }

  paintBlock(context, { module, x, y, side, slots }) {
    const { look, labels } = this;
    context.fillStyle = look.text;
    context.textBaseline = "top";
    context.font = `600 13px ${look.font}`;
    context.fillText(labels[module.name], x, y);
    context.font = `10px ${look.font}`;
    const pattern = hatch(context, look.text, look.ratio);
    for (const slot of slots) {
      this.paintThumbnail(context, slot, side, pattern);
      if (this.isSorted) continue;
      context.globalAlpha = 0.75;
      context.fillStyle = look.text;
      if (slot.row === 0) {
        const text = fillText(labels.head_n, { head: slot.head + 1 });
        context.fillText(textWidth(text, context.font) < side ? text : String(slot.head + 1), slot.x, slot.y - 13);
      }
      if (slot.column === 0)
        context.fillText(fillText(labels.layer_n, { layer: slot.layer + 1 }), x, slot.y + 2, ROW_LABEL - 6);
      context.globalAlpha = 1;
    }
  }

  paintThumbnail(context, { module, layer, head, x, y }, side, pattern) {
    const matrix = matrixOf(this.content, module, layer, head);
    const cell = side / Math.max(matrix.queries.length, matrix.keys.length);
    const [width, height] = [matrix.keys.length * cell, matrix.queries.length * cell];
    context.fillStyle = pattern;
    context.fillRect(x, y, width, height);
    context.imageSmoothingEnabled = cell < 1;
    context.drawImage(imageOf(matrix), x, y, width, height);
    const { look } = this;
    const value = this.valueOf(module, layer, head);
    let below = y + height + 2;
    if (this.scale) {
      if (value !== null) {
        context.fillStyle = cssOf(this.scale.pixelOf(value));
        context.fillRect(x, below, side, this.layout.strip);
      }
      below += this.layout.strip + 2;
    }
    const place = this.isSorted ? fillText(this.labels.short_place, { layer: layer + 1, head: head + 1 }) : "";
    const number = this.scale ? shortNumber(value) : "";
    context.fillStyle = look.text;
    context.globalAlpha = 0.85;
    const both = place && number && textWidth(`${place} ${number}`, context.font) <= side;
    if (place) context.fillText(place, x, below);
    if (number && (both || !place)) {
      context.textAlign = place ? "right" : "left";
      context.fillText(number, place ? x + side : x, below, side);
      context.textAlign = "left";
    }
    context.globalAlpha = 1;
  }

  slotOf(place) {
    return place && this.slots.find(({ module, layer, head }) => String([module.name, layer, head]) === String(place));
  }

  moveTo(slot) {
    const place = slot && [slot.module.name, slot.layer, slot.head];
    if (String(place) === String(this.cursor)) return;
    this.cursor = place;
    this.paintCursor();
  }

  paintCursor() {
    const { view, look, labels, layout } = this;
    const opened = view.is_open ? this.slotOf([view.module, view.layer, view.head]) : null;
    const pointed = this.slotOf(this.cursor);
    this.plot.paintOver((context) => {
      for (const [slot, colour, line] of [
        [opened, look.accent, 3],
        [pointed, look.text, 2],
      ]) {
        if (!slot) continue;
        context.strokeStyle = colour;
        context.lineWidth = line;
        context.strokeRect(slot.x - 2, slot.y - 2, layout.side + 4, layout.side + 4);
      }
    });
    const slot = pointed ?? opened;
    const count = this.slots.length;
    this.plot.say({
      spoken: fillText(labels.glance, { count, hint: labels.glance_hint }),
      readout: slot ? this.describe(slot) : [labels.glance_hint],
      isQuiet: !slot,
    });
    this.plot.summarise(this.describe(slot ?? this.slots[0]));
  }

  // Where it is, and the score that colours it.
  describe({ module, layer, head }) {
    const place = fillText(this.labels.thumbnail, {
      module: this.labels[module.name],
      layer: layer + 1,
      head: head + 1,
    });
    const score = this.shownScore;
    if (!score) return [place];
    const value = shortNumber(score.values[module.name][layer][head], 4) || this.labels.no_value;
    return fillNodes(this.labels.with_score, { place, score: score.label, value });
  }

  onKey(key) {
    if (MOVES[key]) {
      const slot = slotBeside(this.layout, this.start, this.cursor ? MOVES[key] : [0, 0]);
      this.moveTo(slot);
      this.plot.bringIntoView(slot.x, slot.x + this.layout.side);
    } else if (key === "Enter") this.open(this.start);
    else if (key === "Escape" && this.view.is_open) this.close();
    else return false;
    return true;
  }

  onDigit(head) {
    if (this.view.is_open) this.change({ head });
  }

  open(slot) {
    if (slot) this.change({ module: slot.module.name, layer: slot.layer, head: slot.head, is_open: true });
  }

  close() {
    this.change({ is_open: false, pinned: null });
    this.plot.canvas.focus({ preventScroll: true });
  }

  // The open head in the painting of trace_view.py.
  showLarge() {
    const { view, content, look } = this;
    this.large.hidden = !view.is_open;
    if (!view.is_open) return;
    const module = moduleOf(content, view);
    const { name } = module;
    if (!this.figures.has(name)) {
      const figure = new MatrixFigure(name, "hv", { onPin: (_, pinned) => this.change({ pinned }), onFocus: () => {} });
      figure.setWords(headWords(name, this.labels), this.labels);
      this.figures.set(name, figure);
    }
    const figure = this.figures.get(name);
    if (!figure.element.isConnected) this.large.replaceChildren(this.closeButton, figure.element);
    const { geometry } = arrange({ modules: [module] }, Math.min(this.width, 760), 0, look.font, look.ratio);
    const seen = JSON.stringify([geometry, look]);
    if (figure.seen !== seen) figure.setLook(geometry, look);
    figure.seen = seen;
    figure.update(matrixOf(content, module, view.layer, view.head), null, view.pinned);
  }

  fillTable(table) {
    const { labels, content } = this;
    const heads = this.slots.map(({ module, layer, head }) => [
      fillText(labels.thumbnail, { module: labels[module.name], layer: layer + 1, head: head + 1 }),
      ...content.scores.map(({ values }) => shortNumber(values[module.name][layer][head], 4) || labels.no_value),
    ]);
    fillPlainTable(
      table,
      [labels.heads],
      content.scores.map(({ label }) => label),
      heads,
    );
  }
}

function shortNumber(value, digits = 2) {
  return value === null ? "" : numberText(value, digits);
}
